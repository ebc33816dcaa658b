#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "cuttle/error.h"
#include "cuttle/spatial/vector3.h"
#include "spatial/number_text.h"

namespace cuttle {

/// @throws ModelError naming `key` if the axis is zero or not finite.
template <typename S>
Vector3T<S> checked_unit_axis(const Vector3T<S>& axis, const char* key) {
  using std::abs;
  using std::isfinite;
  const S largest = std::max({abs(axis.x), abs(axis.y), abs(axis.z)});
  if (!(largest > S(0.0)) || !isfinite(axis.x) || !isfinite(axis.y) || !isfinite(axis.z)) {
    throw ModelError(key, vector_text(axis), "three finite numbers, not all zero");
  }
  const Vector3T<S> scaled = (S(1.0) / largest) * axis;  // the square of a tiny component must not underflow
  return (S(1.0) / norm(scaled)) * scaled;
}

/// Rotation whose third column is the unit vector z.
template <typename S>
Matrix3T<S> axes_along(const Vector3T<S>& z) {
  const Vector3T<S> ez{S(0.0), S(0.0), S(1.0)};
  if (!any(norm(z - ez) > S(0.0))) {  // the identity, and what turns it with the axis
    return Matrix3T<S>::from_columns({S(1.0), S(0.0), S(0.0) - z.x}, {S(0.0), S(1.0), S(0.0) - z.y}, z);
  }
  using std::abs;
  // the coordinate axis farthest from z makes the best-conditioned first column
  const bool x_far = !any(abs(z.x) > abs(z.y)) && !any(abs(z.x) > abs(z.z));
  const bool y_far = !any(abs(z.y) > abs(z.z));
  const Vector3T<S> helper = x_far   ? Vector3T<S>{S(1.0), S(0.0), S(0.0)}
                             : y_far ? Vector3T<S>{S(0.0), S(1.0), S(0.0)}
                                     : ez;
  Vector3T<S> x = helper - dot(helper, z) * z;
  x = (S(1.0) / norm(x)) * x;
  return Matrix3T<S>::from_columns(x, cross(z, x), z);
}

}  // namespace cuttle
