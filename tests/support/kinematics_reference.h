#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "cuttle/spatial/dual.h"
#include "support/kinematics_at_points.h"
#include "support/random.h"

/// Automatic differentiation, in long double, of positions that a test writes down plainly.
namespace cuttle::test {

using Twice = Dual<Dual<long double, 1>, 1>;

inline Twice twice(double value, double d1, double d2) {
  Twice s{Dual<long double, 1>(static_cast<long double>(value))};
  s.value.derivative[0] = d1;
  s.derivative[0].value = d2;
  return s;
}
/// f(x + e1 dx1 + e2 dx2, q + e1 dq1 + e2 dq2).
template <typename Position>
Vector3T<Twice> moved(const Position& position, const Vector3& x, const std::vector<double>& q, const Vector3& dx1,
                      const std::vector<double>& dq1, const Vector3& dx2, const std::vector<double>& dq2) {
  std::vector<Twice> at;
  for (std::size_t j = 0; j < q.size(); ++j) at.push_back(twice(q[j], dq1[j], dq2[j]));
  Vector3T<Twice> y;
  for (int i = 0; i < 3; ++i) y[i] = twice(x[i], dx1[i], dx2[i]);
  return position(y, at.data());
}
inline Vector3 value_of(const Vector3T<Twice>& a) {
  return {double(a.x.value.value), double(a.y.value.value), double(a.z.value.value)};
}
inline Vector3 first_of(const Vector3T<Twice>& a) {
  return {double(a.x.value.derivative[0]), double(a.y.value.derivative[0]), double(a.z.value.derivative[0])};
}
inline Vector3 second_of(const Vector3T<Twice>& a) {
  return {double(a.x.derivative[0].derivative[0]), double(a.y.derivative[0].derivative[0]),
          double(a.z.derivative[0].derivative[0])};
}

struct WorstDeviation {
  double value = 0.0;
  /// Relative to `size`, a scale of the quantity.
  void see(const Vector3& found, const Vector3& expected, double size) {
    const double off = norm(found - expected) / (size + norm(expected));
    value = off <= value ? value : off;  // NaN counts as worst
  }
};

/// Largest deviations of kinematics from automatic differentiation.
struct KinematicsDeviations {
  WorstDeviation position, slopes, curvature, gradient, gradient_slopes;

  /// Of random coordinates and rates up to `sizes`, at the points x.
  /// @param position  callable with (Vector3T<Twice> x, const Twice* q).
  template <typename Position>
  KinematicsDeviations(const VolumeKinematicsT<double>& kinematics, const Position& plain, double length,
                       const std::vector<double>& sizes, const std::vector<Vector3>& x, Random& random) {
    const std::size_t n = sizes.size();
    std::vector<double> q(n), v(n), none(n, 0.0);
    for (std::size_t j = 0; j < n; ++j) q[j] = sizes[j] * random.uniform(), v[j] = sizes[j] * random.uniform();
    const KinematicsAtPoints<double> found(kinematics, q, v, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Vector3 still{};
      const auto along_v = moved(plain, x[i], q, still, v, still, v);
      position.see(found.position[i], value_of(along_v), length);
      curvature.see(found.curvature[i], second_of(along_v), length);
      for (std::size_t j = 0; j < n; ++j) {
        std::vector<double> unit = none;
        unit[j] = 1.0;
        const double scale = length / (3.0 * sizes[j]);
        slopes.see(found.slopes[i * n + j], first_of(moved(plain, x[i], q, still, unit, still, none)), scale);
        for (int c = 0; c < 3; ++c) {
          Vector3 axis{};
          axis[c] = 1.0;
          const auto both = moved(plain, x[i], q, axis, none, still, unit);
          if (j == 0) gradient.see(found.F[i].column(c), first_of(both), 1.0);
          gradient_slopes.see(found.F_slopes[i * n + j].column(c), second_of(both), 1.0 / sizes[j]);
        }
      }
    }
  }
  void expect_below(double tolerance, const std::string& what) const {
    EXPECT_LT(position.value, tolerance) << what;
    EXPECT_LT(slopes.value, tolerance) << what;
    EXPECT_LT(curvature.value, tolerance) << what;
    EXPECT_LT(gradient.value, tolerance) << what;
    EXPECT_LT(gradient_slopes.value, tolerance) << what;
  }
};

}  // namespace cuttle::test
