#pragma once

#include "cuttle/api.h"
#include "cuttle/bodies/strain_basis.h"

namespace CUTTLE_API cuttle {

/// Cross-section of a rod in its own x, y axes; every length may vary along s. Areas, second moments and torsion
/// constants are exact for the shape.
template <typename S>
struct SectionT {
  enum class Shape { circle, annulus, ellipse, rectangle, general };
  Shape shape = Shape::circle;
  ProfileT<S> radius;              ///< circle, annulus [m]
  ProfileT<S> inner_radius;        ///< annulus [m]
  ProfileT<S> radius_x, radius_y;  ///< ellipse [m]
  ProfileT<S> width, height;       ///< rectangle: along x, along y [m]
  ProfileT<S> area, Ix, Iy, Jz;    ///< general [m^2, m^4]

  /// Area and moments Ix = int y^2 dA, Iy = int x^2 dA, Jz at t = s/L.
  struct Properties {
    S area, Ix, Iy, Jz;
  };
  Properties at(const S& t) const;
  /// Whether the shape has its sizes; a rod can do without.
  bool is_given() const { return !radius.empty() || !radius_x.empty() || !width.empty() || !area.empty(); }
  /// Whether the outside is given and an ellipse or circle.
  bool has_elliptical_outline() const {
    if (shape == Shape::ellipse) return !radius_x.empty() && !radius_y.empty();
    return (shape == Shape::circle || shape == Shape::annulus) && !radius.empty();
  }

  /// Saint-Venant's torsion constant [m^4] at t = s/L: torque per twist and shear modulus of a bar whose sections warp
  /// freely. Jz for circle and annulus, and for general ones, whose warping nobody knows; below Jz for all others.
  /// Relative error below 1e-15 (double).
  S torsion_constant(const S& t) const;

  template <typename T>
  SectionT<T> cast() const {
    return {static_cast<typename SectionT<T>::Shape>(shape),
            radius.template cast<T>(),
            inner_radius.template cast<T>(),
            radius_x.template cast<T>(),
            radius_y.template cast<T>(),
            width.template cast<T>(),
            height.template cast<T>(),
            area.template cast<T>(),
            Ix.template cast<T>(),
            Iy.template cast<T>(),
            Jz.template cast<T>()};
  }
};
using Section = SectionT<double>;

}  // namespace cuttle
