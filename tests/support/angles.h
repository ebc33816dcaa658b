#pragma once

#include <cmath>
#include <vector>

#include "cuttle/spatial/pose.h"
#include "support/random.h"

namespace cuttle::test {

inline constexpr long double k_pi = 3.141592653589793238462643383279502884L;

/// Rotation angles at which formulas of SO(3) and SE(3) go wrong: zero, where squares underflow, both sides of every
/// switch between formulas (x = 10 of the Stumpff functions, |n|^2 = 0.01 of the quaternion logarithm), pi, beyond.
inline std::vector<long double> rotation_angles(long double highest) {
  const long double root10 = std::sqrt(10.0L);
  const long double log_switch = 2 * std::asin(0.1L);
  std::vector<long double> angles{0.0L,  1e-170L, 1e-160L, 1e-100L, 1e-20L, 1e-12L, 1e-8L,    1e-6L, 1e-4L, 1e-3L,
                                  0.01L, 0.1L,    0.3L,    0.7L,    1.0L,   1.5L,   k_pi / 2, 2.0L,  2.5L,  3.0L,
                                  3.1L,  3.3L,    4.0L,    5.0L,    6.0L,   6.2L,   6.5L,     7.0L};
  for (const long double center : {root10, log_switch, k_pi, 2 * k_pi}) {
    for (const long double e : {0.0L, 1e-15L, 1e-12L, 1e-8L, 1e-4L}) {
      angles.push_back(center * (1 - e));
      if (e > 0) angles.push_back(center * (1 + e));
    }
  }
  std::vector<long double> kept;
  for (const long double angle : angles) {
    if (angle <= highest) kept.push_back(angle);
  }
  return kept;
}

template <typename S>
Vector3T<S> random_vector(Random& random, double size = 1.0) {
  const double x = random.uniform(-size, size), y = random.uniform(-size, size), z = random.uniform(-size, size);
  return {S(x), S(y), S(z)};
}
template <typename S>
Vector3T<S> random_direction(Random& random) {
  for (;;) {
    const Vector3T<S> a = random_vector<S>(random);
    const S length = norm(a);
    if (length > S(0.1) && length < S(1.0)) return (S(1.0) / length) * a;
  }
}
template <typename S>
TwistT<S> random_twist(Random& random, double size = 1.0) {
  const Vector3T<S> angular = random_vector<S>(random, size);
  return {angular, random_vector<S>(random, size)};
}
template <typename S>
WrenchT<S> random_wrench(Random& random, double size = 1.0) {
  const Vector3T<S> torque = random_vector<S>(random, size);
  return {torque, random_vector<S>(random, size)};
}

}  // namespace cuttle::test
