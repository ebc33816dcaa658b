#pragma once

#include <optional>
#include <span>

#include "cuttle/api.h"
#include "cuttle/bodies/strain_basis.h"

namespace CUTTLE_API cuttle {

/// Cross-section of a rod in its own x, y axes; every length may vary along s. Areas, second moments and torsion
/// constants are exact for the shape. A section answers for its shape: nobody else asks which one it is.
template <typename S>
struct SectionT {
  enum class Shape { circle, annulus, ellipse, rectangle, general };
  static constexpr Shape k_shapes[] = {Shape::circle, Shape::annulus, Shape::ellipse, Shape::rectangle, Shape::general};
  Shape shape = Shape::circle;
  ProfileT<S> radius;              ///< circle, annulus [m]
  ProfileT<S> inner_radius;        ///< annulus [m]
  ProfileT<S> radius_x, radius_y;  ///< ellipse [m]
  ProfileT<S> width, height;       ///< rectangle: along x, along y [m]
  ProfileT<S> area, Ix, Iy, Jz;    ///< general [m^2, m^4]
  bool operator==(const SectionT&) const = default;

  const char* shape_name() const;  ///< in files
  /// A size that the shape has.
  struct Size {
    const char* key;   ///< in files
    const char* unit;  ///< for messages
    ProfileT<S> SectionT::*value;
    bool may_be_zero = false;
  };
  std::span<const Size> sizes() const;
  /// Whether the shape has its sizes; a rod can do without.
  bool is_given() const {
    for (const Size& size : sizes()) {
      if ((this->*size.value).empty()) return false;
    }
    return true;
  }

  /// Area and moments Ix = int y^2 dA, Iy = int x^2 dA, Jz at t = s/L.
  struct Properties {
    S area, Ix, Iy, Jz;
  };
  Properties at(const S& t) const;
  /// Half axes along x and y of an outside that is an ellipse or circle; null: it is none, or not given.
  struct HalfAxes {
    const ProfileT<S>*x = nullptr, *y = nullptr;
  };
  HalfAxes half_axes() const;

  /// Saint-Venant's torsion constant [m^4] at t = s/L: torque per twist and shear modulus of a bar whose sections warp
  /// freely. Jz for circle and annulus, and for general ones, whose warping nobody knows; below Jz for all others.
  /// Relative error below 1e-15 (double).
  S torsion_constant(const S& t) const;

  template <typename T>
  SectionT<T> cast() const {
    SectionT<T> other;
    other.shape = static_cast<typename SectionT<T>::Shape>(shape);
    const auto own = sizes();
    const auto others = other.sizes();
    for (std::size_t k = 0; k < own.size(); ++k) {
      other.*others[k].value = (this->*own[k].value).template cast<T>();
    }
    return other;
  }
};
using Section = SectionT<double>;

template <typename S>
std::span<const typename SectionT<S>::Size> SectionT<S>::sizes() const {
  static constexpr Size k_circle[] = {{"radius", "[m]", &SectionT::radius}};
  static constexpr Size k_annulus[] = {{"radius", "[m]", &SectionT::radius},
                                       {"inner_radius", "[m]", &SectionT::inner_radius, true}};
  static constexpr Size k_ellipse[] = {{"radius_x", "[m]", &SectionT::radius_x},
                                       {"radius_y", "[m]", &SectionT::radius_y}};
  static constexpr Size k_rectangle[] = {{"width", "[m]", &SectionT::width}, {"height", "[m]", &SectionT::height}};
  static constexpr Size k_general[] = {{"area", "[m^2]", &SectionT::area},
                                       {"Ix", "[m^4]", &SectionT::Ix},
                                       {"Iy", "[m^4]", &SectionT::Iy},
                                       {"Jz", "[m^4]", &SectionT::Jz}};
  switch (shape) {
    case Shape::circle:
      return k_circle;
    case Shape::annulus:
      return k_annulus;
    case Shape::ellipse:
      return k_ellipse;
    case Shape::rectangle:
      return k_rectangle;
    case Shape::general:
      return k_general;
  }
  return {};
}

/// The outside of a section that is given, and the hole in it, at a place of the rod: what is drawn and held.
struct SectionContour {
  enum class Outline { circle, ellipse, rectangle };
  Outline outline = Outline::circle;
  double half_x = 0.0, half_y = 0.0;  ///< half of the extent along x and y [m]
  std::optional<double> bore = {};    ///< radius of a hole around the middle [m]

  double extent() const;       ///< from the middle to the point of the outline that is farthest [m]
  double mean_radius() const;  ///< of the circle with the area that the outline encloses [m]
};
/// At t = s/L. That of a general section is the circle of its area.
SectionContour section_contour(const Section& section, double t);

}  // namespace cuttle
