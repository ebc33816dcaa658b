#pragma once

#include "cuttle/spatial/inertia.h"

namespace cuttle {

/// Inertia about the base frame from the sums m, m p and P = m p p^T of points p.
template <typename S>
SpatialInertiaT<S> inertia_from_moments(const S& mass, const Vector3T<S>& moment, const Matrix3T<S>& P) {
  return {mass, moment, {P(1, 1) + P(2, 2), P(0, 0) + P(2, 2), P(0, 0) + P(1, 1), -P(0, 1), -P(0, 2), -P(1, 2)}};
}

}  // namespace cuttle
