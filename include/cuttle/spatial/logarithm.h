#pragma once

#include "cuttle/api.h"
#include "cuttle/spatial/exponential.h"

namespace CUTTLE_API cuttle {

/// Unit quaternion, scalar part first: rotation of the child's axes to the parent's.
template <typename S>
struct QuaternionT {
  S w = S(1.0), x{}, y{}, z{};

  CUTTLE_INLINE Vector3T<S> vector() const { return {x, y, z}; }
  CUTTLE_INLINE QuaternionT conjugate() const { return {w, -x, -y, -z}; }
  CUTTLE_INLINE S squared_norm() const { return w * w + x * x + y * y + z * z; }
  CUTTLE_INLINE QuaternionT normalized() const {
    using std::sqrt;
    const S s = S(1.0) / sqrt(squared_norm());
    return {s * w, s * x, s * y, s * z};
  }
  /// Rotation matrix of a unit quaternion.
  CUTTLE_INLINE Matrix3T<S> matrix() const {
    const S two(2.0), one(1.0);
    const S xx = two * x * x, yy = two * y * y, zz = two * z * z;
    const S xy = two * x * y, xz = two * x * z, yz = two * y * z;
    const S wx = two * w * x, wy = two * w * y, wz = two * w * z;
    return {{one - yy - zz, xy - wz, xz + wy}, {xy + wz, one - xx - zz, yz - wx}, {xz - wy, yz + wx, one - xx - yy}};
  }
};
using Quaternion = QuaternionT<double>;

template <typename S>
CUTTLE_INLINE QuaternionT<S> operator*(const QuaternionT<S>& a, const QuaternionT<S>& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/// Unit quaternion of a rotation matrix, w >= 0. The largest of the four components is found first, so nothing cancels.
template <typename S>
CUTTLE_INLINE QuaternionT<S> quaternion_from_matrix(const Matrix3T<S>& R) {
  using std::sqrt;
  const S one(1.0);
  const S xx = R.row0.x, yy = R.row1.y, zz = R.row2.z;
  const S a = R.row2.y - R.row1.z, b = R.row0.z - R.row2.x, c = R.row1.x - R.row0.y;
  const S d = R.row0.y + R.row1.x, e = R.row0.z + R.row2.x, f = R.row1.z + R.row2.y;
  // four times the squares of w, x, y, z
  S largest = one + xx + yy + zz;
  QuaternionT<S> q{largest, a, b, c};
  const auto take = [&](const S& square, const QuaternionT<S>& candidate) {
    const auto better = square > largest;
    largest = select(better, square, largest);
    q = {select(better, candidate.w, q.w), select(better, candidate.x, q.x), select(better, candidate.y, q.y),
         select(better, candidate.z, q.z)};
  };
  const S sx = one + xx - yy - zz, sy = one - xx + yy - zz, sz = one - xx - yy + zz;
  take(sx, {a, sx, d, e});
  take(sy, {b, d, sy, f});
  take(sz, {c, e, f, sz});
  const S half = S(0.5) / sqrt(largest);
  const S s = select(q.w < S(0.0), -half, half);
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}

/// Unit quaternion of the rotation vector `w` [rad].
template <typename S>
CUTTLE_INLINE QuaternionT<S> quaternion_exponential(const Vector3T<S>& w) {
  const auto c = stumpff<3>(S(0.25) * dot(w, w));
  const Vector3T<S> n = (S(0.5) * c[1]) * w;
  return {c[0], n.x, n.y, n.z};
}

/// Rotation vector of a unit quaternion, |w| <= pi.
template <typename S>
CUTTLE_INLINE Vector3T<S> quaternion_logarithm(const QuaternionT<S>& quaternion) {
  using std::atan2;
  using std::sqrt;
  const auto negative = quaternion.w < S(0.0);
  const S sign = select(negative, S(-1.0), S(1.0));
  const Vector3T<S> n = sign * quaternion.vector();
  const S w = sign * quaternion.w;
  const S n2 = dot(n, n);
  const auto small = n2 < S(0.01);
  // 2 asin(s) / s = 2 sum (2k)! / (4^k k!^2 (2k+1)) s^2k, for a unit quaternion
  constexpr int terms = 11;
  const S n2_small = select(small, n2, S(0.0));
  S series(0.0);
#pragma GCC unroll 12
  for (int k = terms - 1; k >= 0; --k) {
    long double coefficient = 1.0L;
    for (int j = 1; j <= k; ++j) coefficient *= (2.0L * j - 1) / (2.0L * j);
    series = constant<S>(2.0L * coefficient / (2.0L * k + 1)) + n2_small * series;
  }
  const S length = sqrt(select(small, S(1.0), n2));
  const S closed = S(2.0) * atan2(length, w) / length;
  return select(small, series, closed) * n;
}

/// Rotation vector of a rotation matrix, |w| <= pi [rad]; near pi as exact as elsewhere.
template <typename S>
CUTTLE_INLINE Vector3T<S> rotation_logarithm(const Matrix3T<S>& R) {
  return quaternion_logarithm(quaternion_from_matrix(R));
}

/// Twist whose exponential is the pose; |angular| <= pi.
template <typename S>
CUTTLE_INLINE TwistT<S> logarithm(const PoseT<S>& g) {
  const Vector3T<S> w = rotation_logarithm(g.rotation);
  // exp has p = T_l(w) v, and T_l = T_r^T on SO(3)
  return {w, rotation_right_tangent_inverse(w).transpose_times(g.position)};
}

}  // namespace cuttle
