#pragma once

#include "cuttle/api.h"
#include "cuttle/spatial/inertia.h"
#include "cuttle/spatial/stumpff.h"

namespace CUTTLE_API cuttle {

/// Rotation by the vector `w` [rad]: exp(w^) = c_0 1 + c_1 w^ + c_2 w w^T.
template <typename S, int Highest>
CUTTLE_INLINE Matrix3T<S> rotation_exponential(const Vector3T<S>& w, const Stumpff<S, Highest>& c) {
  const Vector3T<S> a = c[1] * w;
  const Vector3T<S> b = c[2] * w;
  const S xy = b.x * w.y, xz = b.x * w.z, yz = b.y * w.z;
  return {{c[0] + b.x * w.x, xy - a.z, xz + a.y},
          {xy + a.z, c[0] + b.y * w.y, yz - a.x},
          {xz - a.y, yz + a.x, c[0] + b.z * w.z}};
}
template <typename S>
CUTTLE_INLINE Matrix3T<S> rotation_exponential(const Vector3T<S>& w) {
  return rotation_exponential(w, stumpff<3>(dot(w, w)));
}

/// Pose reached by following the twist `t` for one unit: exp of SE(3).
template <typename S, int Highest>
CUTTLE_INLINE PoseT<S> exponential(const TwistT<S>& t, const Stumpff<S, Highest>& c) {
  const Vector3T<S> wv = cross(t.angular, t.linear);
  return {rotation_exponential(t.angular, c), t.linear + c[2] * wv + c[3] * cross(t.angular, wv)};
}
template <typename S>
CUTTLE_INLINE PoseT<S> exponential(const TwistT<S>& t) {
  return exponential(t, stumpff<3>(dot(t.angular, t.angular)));
}

/// A linear map of se(3) of the shape that all tangent maps have: `(w; v) -> (A w; B w + A v)`.
template <typename S>
struct TangentMapT {
  Matrix3T<S> diagonal;  ///< A
  Matrix3T<S> lower;     ///< B

  CUTTLE_INLINE TwistT<S> operator*(const TwistT<S>& t) const {
    return {diagonal * t.angular, lower * t.angular + diagonal * t.linear};
  }
  /// The transposed map, on wrenches.
  CUTTLE_INLINE WrenchT<S> transpose_times(const WrenchT<S>& w) const {
    return {diagonal.transpose_times(w.torque) + lower.transpose_times(w.force), diagonal.transpose_times(w.force)};
  }
};
using TangentMap = TangentMapT<double>;

/// Right tangent map of the exponential at `t`: `exp(t)^-1 d exp(t) = T_r(t) dt`, so that the body velocity of
/// g = exp(t(time)) is T_r(t) t_dot.
template <typename S, int Highest>
CUTTLE_INLINE TangentMapT<S> right_tangent(const TwistT<S>& t, const Stumpff<S, Highest>& c) {
  static_assert(Highest >= 5);
  const Vector3T<S>& w = t.angular;
  const Vector3T<S>& v = t.linear;
  const S x = dot(w, w);
  const S sigma = dot(w, v);
  const S dc2 = (S(2.0) * c[4] - c[3]) * sigma;
  const S dc3 = (S(3.0) * c[5] - c[4]) * sigma;
  // A = 1 - c2 w^ + c3 (w w^T - x 1); B = dA in the direction v
  const Vector3T<S> a = c[2] * w;
  const Vector3T<S> b = c[3] * w;
  const S a0 = S(1.0) - c[3] * x;
  const S axy = b.x * w.y, axz = b.x * w.z, ayz = b.y * w.z;
  const Matrix3T<S> A{{a0 + b.x * w.x, axy + a.z, axz - a.y},
                      {axy - a.z, a0 + b.y * w.y, ayz + a.x},
                      {axz + a.y, ayz - a.x, a0 + b.z * w.z}};
  const Vector3T<S> da = dc2 * w + c[2] * v;
  const Vector3T<S> e = c[3] * v;
  const Vector3T<S> f = dc3 * w + e;
  const S b0 = -(dc3 * x + S(2.0) * c[3] * sigma);
  // dc3 w w^T + c3 (v w^T + w v^T) = f w^T + w e^T
  const S bxy = f.x * w.y + w.x * e.y, bxz = f.x * w.z + w.x * e.z, byz = f.y * w.z + w.y * e.z;
  const Matrix3T<S> B{{b0 + f.x * w.x + w.x * e.x, bxy + da.z, bxz - da.y},
                      {bxy - da.z, b0 + f.y * w.y + w.y * e.y, byz + da.x},
                      {bxz + da.y, byz - da.x, b0 + f.z * w.z + w.z * e.z}};
  return {A, B};
}
template <typename S>
CUTTLE_INLINE TangentMapT<S> right_tangent(const TwistT<S>& t) {
  return right_tangent(t, stumpff<5>(dot(t.angular, t.angular)));
}
/// Left tangent map: `d exp(t) exp(t)^-1 = T_l(t) dt`; T_l(t) = T_r(-t) = Ad_exp(t) T_r(t).
template <typename S>
CUTTLE_INLINE TangentMapT<S> left_tangent(const TwistT<S>& t) {
  return right_tangent(-t);
}

namespace detail {

/// Coefficient e of w^ w^ in the inverse tangent map: (1 - (t/2) cot(t/2)) / t^2, without cancellation.
template <typename S, int Highest>
CUTTLE_INLINE S inverse_tangent_coefficient(const Stumpff<S, Highest>& c) {
  return (c[3] - S(2.0) * c[4]) / (S(2.0) * c[2]);
}

}  // namespace detail

/// Inverse of the right tangent map of SO(3): 1 + w^/2 + e w^ w^. Defined for |w| < 2 pi.
template <typename S>
CUTTLE_INLINE Matrix3T<S> rotation_right_tangent_inverse(const Vector3T<S>& w) {
  const S x = dot(w, w);
  const S e = detail::inverse_tangent_coefficient(stumpff<5>(x));
  const Matrix3T<S> squared = Matrix3T<S>::outer(w, w);
  Matrix3T<S> r = S(0.5) * Matrix3T<S>::skew(w) + e * squared;
  const S d = S(1.0) - e * x;
  r.row0.x += d, r.row1.y += d, r.row2.z += d;
  return r;
}

/// Inverse of the right tangent map of SE(3). Defined for |w| < 2 pi.
template <typename S>
CUTTLE_INLINE TangentMapT<S> right_tangent_inverse(const TwistT<S>& t) {
  const TangentMapT<S> T = right_tangent(t);
  const Matrix3T<S> A = rotation_right_tangent_inverse(t.angular);
  return {A, S(-1.0) * (A * (T.lower * A))};
}

/// Directional derivative of the right tangent map: d/de T_r(t + e d) u at e = 0.
template <typename S>
CUTTLE_INLINE TwistT<S> right_tangent_derivative(const TwistT<S>& t, const TwistT<S>& d, const TwistT<S>& u) {
  const Vector3T<S>& w = t.angular;
  const Vector3T<S>& v = t.linear;
  const auto c = stumpff<7>(dot(w, w));
  const S k2 = S(2.0) * c[4] - c[3];
  const S k3 = S(3.0) * c[5] - c[4];
  const S sigma = dot(w, v);
  const S dk2 = (S(8.0) * c[6] - S(5.0) * c[5] + c[4]) * sigma;
  const S dk3 = (S(15.0) * c[7] - S(7.0) * c[6] + c[5]) * sigma;
  const S s = dot(w, d.angular);
  const S ds = dot(v, d.angular) + dot(w, d.linear);
  // SO(3): -k2 s w x u - c2 d x u + k3 s w x (w x u) + c3 (d x (w x u) + w x (d x u)); the linear part is its
  // derivative along (v, d.linear, u.linear), as se(3) is so(3) over the dual numbers
  const Vector3T<S> a = cross(w, u.angular);
  const Vector3T<S> b = cross(d.angular, u.angular);
  const Vector3T<S> da = cross(v, u.angular) + cross(w, u.linear);
  const Vector3T<S> db = cross(d.linear, u.angular) + cross(d.angular, u.linear);
  const Vector3T<S> wa = cross(w, a);
  const Vector3T<S> dwa = cross(v, a) + cross(w, da);
  const Vector3T<S> e = cross(d.angular, a) + cross(w, b);
  const Vector3T<S> de = cross(d.linear, a) + cross(d.angular, da) + cross(v, b) + cross(w, db);
  const S dc2 = k2 * sigma;
  const S dc3 = k3 * sigma;
  return {(-(k2 * s)) * a - c[2] * b + (k3 * s) * wa + c[3] * e, (-(dk2 * s + k2 * ds)) * a - (k2 * s) * da - dc2 * b -
                                                                     c[2] * db + (dk3 * s + k3 * ds) * wa +
                                                                     (k3 * s) * dwa + dc3 * e + c[3] * de};
}
/// Directional derivative of the left tangent map: d/de T_l(t + e d) u at e = 0.
template <typename S>
CUTTLE_INLINE TwistT<S> left_tangent_derivative(const TwistT<S>& t, const TwistT<S>& d, const TwistT<S>& u) {
  return right_tangent_derivative(-t, -d, u);
}

/// Body velocity T_r(t) t' of g = exp(t(time)), and its time derivative T_r(t) t'' + T_r'(t) t'.
/// The same as right_tangent and right_tangent_derivative together, with every product formed once.
template <typename S>
CUTTLE_INLINE void exponential_rates(const TwistT<S>& t, const TwistT<S>& rate, const TwistT<S>& second,
                                     const Stumpff<S, 7>& c, TwistT<S>& velocity, TwistT<S>& acceleration) {
  const Vector3T<S>& w = t.angular;
  const Vector3T<S>& v = t.linear;
  const S k2 = S(2.0) * c[4] - c[3];
  const S k3 = S(3.0) * c[5] - c[4];
  const S sigma = dot(w, v);
  const S dc2 = k2 * sigma;
  const S dc3 = k3 * sigma;
  const Vector3T<S> a = cross(w, rate.angular);
  const Vector3T<S> da = cross(v, rate.angular) + cross(w, rate.linear);
  const Vector3T<S> wa = cross(w, a);
  const Vector3T<S> dwa = cross(v, a) + cross(w, da);
  velocity.angular = rate.angular - c[2] * a + c[3] * wa;
  velocity.linear = rate.linear - dc2 * a - c[2] * da + dc3 * wa + c[3] * dwa;

  const S s = dot(w, rate.angular);
  const S ds = dot(v, rate.angular) + dot(w, rate.linear);
  const S dk2 = (S(8.0) * c[6] - S(5.0) * c[5] + c[4]) * sigma;
  const S dk3 = (S(15.0) * c[7] - S(7.0) * c[6] + c[5]) * sigma;
  const Vector3T<S> b = cross(w, second.angular);
  const Vector3T<S> db = cross(v, second.angular) + cross(w, second.linear);
  // w x b + (dt'/dtime terms) share c3: e = w x b + t'_w x a
  const Vector3T<S> e = cross(w, b) + cross(rate.angular, a);
  const Vector3T<S> de = cross(v, b) + cross(w, db) + cross(rate.linear, a) + cross(rate.angular, da);
  const S s2 = k2 * s, s3 = k3 * s;
  acceleration.angular = second.angular - c[2] * b + c[3] * e - s2 * a + s3 * wa;
  acceleration.linear = second.linear - dc2 * b - c[2] * db + dc3 * e + c[3] * de - (dk2 * s + k2 * ds) * a - s2 * da +
                        (dk3 * s + k3 * ds) * wa + s3 * dwa;
}

}  // namespace cuttle
