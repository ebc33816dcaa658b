#pragma once

#include <memory>
#include <string>

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

  /// The same shape for another scalar; null if it has only one.
  virtual std::shared_ptr<const SignedDistanceT<double>> clone_as(ScalarTag<double>) const { return nullptr; }
  virtual std::shared_ptr<const SignedDistanceT<long double>> clone_as(ScalarTag<long double>) const { return nullptr; }
  virtual std::shared_ptr<const SignedDistanceT<Gradient>> clone_as(ScalarTag<Gradient>) const { return nullptr; }
};
using SignedDistance = SignedDistanceT<double>;

}  // namespace cuttle
