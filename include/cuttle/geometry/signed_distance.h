#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/spatial/scalars.h"
#include "cuttle/spatial/vector3.h"

namespace CUTTLE_API cuttle {

/// Signed distance of a point to a surface, and how it changes with the point.
template <typename T>
struct DistanceT {
  T value{};                     ///< [m], negative inside
  Vector3T<T> gradient;          ///< unit: the surface's normal at the nearest point, outward
  SymmetricMatrix3T<T> hessian;  ///< [1/m], the curvature of the surface at that distance

  template <typename U>
  DistanceT<U> cast() const {
    return {scalar_cast<U>(value), gradient.template cast<U>(), hessian.template cast<U>()};
  }
};

/// A part of a shape's surface by which it touches others: the points at some distance from a point, or from a cubic
/// curve c(t), 0 <= t <= 1; in the axes of the shape.
template <typename S>
struct TouchPartT {
  bool is_curve = false;
  Vector3T<S> begin, end;                  ///< c(0), c(1) [m]; a point is at `begin`
  Vector3T<S> begin_tangent, end_tangent;  ///< dc/dt there [m]
  S begin_radius{}, end_radius{};          ///< the distance, linear in t [m]

  static TouchPartT point(const Vector3T<S>& center, const S& radius) {
    return {false, center, center, {}, {}, radius, radius};
  }
  static TouchPartT segment(const Vector3T<S>& begin, const Vector3T<S>& end, const S& begin_radius,
                            const S& end_radius) {
    return {true, begin, end, end - begin, end - begin, begin_radius, end_radius};
  }
};

/// How finely a shape is asked for its parts.
template <typename S>
struct TouchDetailT {
  S rounding{};        ///< radius of corners and edges [m]
  bool flat = false;   ///< for a plane: corners and rims do
  double spacing = 0;  ///< largest distance of points on edges and faces [m]; 0: edges in one piece, no points on faces
};

/// A shape by the signed distance to its surface, in its own axes. Const once made; shared by robots and models.
template <typename S>
class SignedDistanceT {
 public:
  /// What laws are differentiated with.
  using Directions = Dual<S, 8>;

  virtual ~SignedDistanceT() = default;

  virtual std::string type_name() const = 0;  ///< as in the file: "plane", "sphere"

  virtual DistanceT<S> at(const Vector3T<S>& x) const = 0;
  /// The same along eight directions. Values, gradients and Hessians carry their derivatives, all exact.
  virtual DistanceT<Directions> at(const Vector3T<Directions>& x) const = 0;
  /// Least half extent [m]: how deep a point can lie; infinite for a half-space.
  virtual S half_thickness() const = 0;

  /// Radius of a sphere about the origin that holds the shape [m]; infinite where nobody knows one.
  virtual double bounding_radius() const { return std::numeric_limits<double>::infinity(); }
  /// Curvature of a surface that has the same one everywhere, as a sphere: of others 0 [1/m].
  virtual S curvature() const { return S(0.0); }
  /// Whether the surface is a plane.
  virtual bool is_flat() const { return false; }
  /// Whether it can be touched from within alone, as a cylinder whose ends are open.
  virtual bool is_open() const { return false; }
  /// Parts by which a link of this shape touches. None: such a shape is there to be touched.
  virtual std::vector<TouchPartT<S>> touch_parts(const TouchDetailT<S>& /*detail*/) const { return {}; }
  /// Whether these parts are the whole surface, exactly: of a sphere or capsule.
  virtual bool is_its_parts() const { return false; }

  /// The same shape for another scalar; null if it has only one.
  virtual std::shared_ptr<const SignedDistanceT<double>> clone_as(ScalarTag<double>) const { return nullptr; }
  virtual std::shared_ptr<const SignedDistanceT<long double>> clone_as(ScalarTag<long double>) const { return nullptr; }
  virtual std::shared_ptr<const SignedDistanceT<ForwardDual>> clone_as(ScalarTag<ForwardDual>) const { return nullptr; }
  /// The surface with outside and inside exchanged, where that is more than another sign: of one that has a border.
  virtual std::shared_ptr<const SignedDistanceT<S>> other_side() const { return nullptr; }
};
using SignedDistance = SignedDistanceT<double>;

}  // namespace cuttle
