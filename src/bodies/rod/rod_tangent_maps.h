#pragma once

#include "bodies/rod/rod_kernels_impl.h"
#include "cuttle/spatial/dual.h"

// Linear maps of se(3) that are 3 x 3 matrices over the dual numbers: tangent maps, adjoints, brackets, their products.

namespace cuttle::CUTTLE_ISA::rod {

/// Lane l: the sum of the lanes of values[l].
template <typename P, typename S>
CUTTLE_INLINE P sums_of_lanes(P* values) {
  constexpr int W = Lanes<P, S>::k_width;
  // twice as many sums in each result than in what it is made of, half as wide
  const auto fold = [&](int distance, const auto& low, const auto& high) __attribute__((always_inline)) {
    for (int i = 0; i < distance; ++i) {
      const P &a = values[i], &b = values[i + distance];
      values[i] = low(a, b) + high(a, b);
    }
  };
#define CUTTLE_SHUFFLE(...)                                                 \
  [](const P& a, const P& b) __attribute__((always_inline)) {               \
    return P::from(__builtin_shufflevector(a.lanes, b.lanes, __VA_ARGS__)); \
  }
  if constexpr (W == 8) {
    fold(4, CUTTLE_SHUFFLE(0, 1, 2, 3, 8, 9, 10, 11), CUTTLE_SHUFFLE(4, 5, 6, 7, 12, 13, 14, 15));
    fold(2, CUTTLE_SHUFFLE(0, 1, 8, 9, 4, 5, 12, 13), CUTTLE_SHUFFLE(2, 3, 10, 11, 6, 7, 14, 15));
    fold(1, CUTTLE_SHUFFLE(0, 8, 2, 10, 4, 12, 6, 14), CUTTLE_SHUFFLE(1, 9, 3, 11, 5, 13, 7, 15));
  } else if constexpr (W == 4) {
    fold(2, CUTTLE_SHUFFLE(0, 1, 4, 5), CUTTLE_SHUFFLE(2, 3, 6, 7));
    fold(1, CUTTLE_SHUFFLE(0, 4, 2, 6), CUTTLE_SHUFFLE(1, 5, 3, 7));
  } else if constexpr (W == 2) {
    fold(1, CUTTLE_SHUFFLE(0, 2), CUTTLE_SHUFFLE(1, 3));
  } else {
    static_assert(W == 1);
  }
#undef CUTTLE_SHUFFLE
  return values[0];
}

/// The first `count` lanes.
template <typename P, typename S>
CUTTLE_INLINE void store_lanes(S* out, const P& value, int count) {
  using L = Lanes<P, S>;
  constexpr int W = L::k_width;
  if (count >= W) {
    L::store(out, value);
  } else {
    S lanes[W];
    L::store(lanes, value);
    int l = 0;
#pragma GCC unroll 3
    for (int part = W / 2; part > 0; part /= 2) {
      if ((count & part) == 0) continue;
      __builtin_memcpy(out + l, lanes + l, part * sizeof(S));
      l += part;
    }
  }
}

template <typename P>
CUTTLE_INLINE TangentMapT<P> sum(const TangentMapT<P>& a, const TangentMapT<P>& b) {
  return {a.diagonal + b.diagonal, a.lower + b.lower};
}
template <typename P>
CUTTLE_INLINE TangentMapT<P> scaled(const P& s, const TangentMapT<P>& a) {
  return {s * a.diagonal, s * a.lower};
}
// Sums of products, written so that each product goes into its sum by a fused operation where there is one.

/// sum += a x b.
template <typename P>
CUTTLE_INLINE void add_cross(Vector3T<P>& sum, const Vector3T<P>& a, const Vector3T<P>& b) {
  sum.x += a.y * b.z, sum.y += a.z * b.x, sum.z += a.x * b.y;
  sum.x -= a.z * b.y, sum.y -= a.x * b.z, sum.z -= a.y * b.x;
}
/// sum += s v.
template <typename P>
CUTTLE_INLINE void add_scaled(Vector3T<P>& sum, const P& s, const Vector3T<P>& v) {
  sum.x += s * v.x, sum.y += s * v.y, sum.z += s * v.z;
}
/// sum -= s v.
template <typename P>
CUTTLE_INLINE void subtract_scaled(Vector3T<P>& sum, const P& s, const Vector3T<P>& v) {
  sum.x -= s * v.x, sum.y -= s * v.y, sum.z -= s * v.z;
}
/// sum += v^ m.
template <typename P>
CUTTLE_INLINE void add_cross_times(Matrix3T<P>& sum, const Vector3T<P>& v, const Matrix3T<P>& m) {
  add_scaled(sum.row0, v.y, m.row2), add_scaled(sum.row1, v.z, m.row0), add_scaled(sum.row2, v.x, m.row1);
  subtract_scaled(sum.row0, v.z, m.row1), subtract_scaled(sum.row1, v.x, m.row2),
      subtract_scaled(sum.row2, v.y, m.row0);
}
/// sum += m v^.
template <typename P>
CUTTLE_INLINE void add_times_cross(Matrix3T<P>& sum, const Matrix3T<P>& m, const Vector3T<P>& v) {
  add_cross(sum.row0, m.row0, v), add_cross(sum.row1, m.row1, v), add_cross(sum.row2, m.row2, v);
}
/// sum += ad_t m.
template <typename P>
CUTTLE_INLINE void add_bracket_times(TangentMapT<P>& sum, const TwistT<P>& t, const TangentMapT<P>& m) {
  add_cross_times(sum.diagonal, t.angular, m.diagonal);
  add_cross_times(sum.lower, t.linear, m.diagonal);
  add_cross_times(sum.lower, t.angular, m.lower);
}
/// sum += m ad_t.
template <typename P>
CUTTLE_INLINE void add_times_bracket(TangentMapT<P>& sum, const TangentMapT<P>& m, const TwistT<P>& t) {
  add_times_cross(sum.diagonal, m.diagonal, t.angular);
  add_times_cross(sum.lower, m.lower, t.angular);
  add_times_cross(sum.lower, m.diagonal, t.linear);
}
/// Ad_g m.
template <typename P>
CUTTLE_INLINE TangentMapT<P> act(const PoseT<P>& g, const TangentMapT<P>& m) {
  TangentMapT<P> r{g.rotation * m.diagonal, g.rotation * m.lower};
  add_cross_times(r.lower, g.position, r.diagonal);
  return r;
}
/// sum += inertia t.
template <typename P>
CUTTLE_INLINE void add_product(WrenchT<P>& sum, const SpatialInertiaT<P>& inertia, const TwistT<P>& t) {
  const SymmetricMatrix3T<P>& I = inertia.rotation;
  add_scaled(sum.torque, t.angular.x, Vector3T<P>{I.xx, I.xy, I.xz});
  add_scaled(sum.torque, t.angular.y, Vector3T<P>{I.xy, I.yy, I.yz});
  add_scaled(sum.torque, t.angular.z, Vector3T<P>{I.xz, I.yz, I.zz});
  add_cross(sum.torque, inertia.moment, t.linear);
  add_scaled(sum.force, inertia.mass, t.linear);
  add_cross(sum.force, t.angular, inertia.moment);
}
/// sum += m v.
template <typename P>
CUTTLE_INLINE void add_product(Vector3T<P>& sum, const Matrix3T<P>& m, const Vector3T<P>& v) {
  add_scaled(sum, v.x, m.column(0)), add_scaled(sum, v.y, m.column(1)), add_scaled(sum, v.z, m.column(2));
}
/// sum += map d.
template <typename P>
CUTTLE_INLINE void add_product(WrenchT<P>& sum, const AngularMapT<P>& map, const Vector3T<P>& d) {
  add_product(sum.torque, map.matrix, d);
  add_cross(sum.force, d, map.vector);
}
/// sum += map^T t.
template <typename P>
CUTTLE_INLINE void add_transposed_product(Vector3T<P>& sum, const AngularMapT<P>& map, const TwistT<P>& t) {
  add_scaled(sum, t.angular.x, map.matrix.row0), add_scaled(sum, t.angular.y, map.matrix.row1);
  add_scaled(sum, t.angular.z, map.matrix.row2);
  add_cross(sum, map.vector, t.linear);
}
/// sum += t x* w, the change of a wrench that moves along.
template <typename P>
CUTTLE_INLINE void add_moved(WrenchT<P>& sum, const TwistT<P>& t, const WrenchT<P>& w) {
  add_cross(sum.torque, t.angular, w.torque), add_cross(sum.torque, t.linear, w.force);
  add_cross(sum.force, t.angular, w.force);
}

/// The right tangent map along a motion of its argument, with its first and second time derivative.
template <typename P>
struct TangentMotion {
  TangentMapT<P> value, rate, second;
};

/// In so(3) T = 1 - c_2 w^ + c_3 (w w^T - w.w 1); se(3) is so(3) over the dual numbers.
template <typename P>
CUTTLE_INLINE TangentMotion<P> tangent_motion(const TwistT<P>& omega, const TwistT<P>& rate, const TwistT<P>& second,
                                              const Stumpff<P, 9>& c) {
  using D = Dual<P, 1>;
  const auto dual = [](const P& value, const P& derivative) __attribute__((always_inline)) {
    D r(value);
    r.derivative[0] = derivative;
    return r;
  };
  const auto vector = [&](const TwistT<P>& t) __attribute__((always_inline)) {
    return Vector3T<D>{dual(t.angular.x, t.linear.x), dual(t.angular.y, t.linear.y), dual(t.angular.z, t.linear.z)};
  };
  const auto times = [](double s, const D& a) __attribute__((always_inline)) {
    D r(P(s) * a.value);
    r.derivative[0] = P(s) * a.derivative[0];
    return r;
  };
  const auto add_one = [](D & sum, const D& a, const D& b) __attribute__((always_inline)) {
    sum.value += a.value * b.value;
    sum.derivative[0] += a.value * b.derivative[0];
    sum.derivative[0] += b.value * a.derivative[0];
  };
  const auto add = [&](Vector3T<D> & sum, const D& s, const Vector3T<D>& v) __attribute__((always_inline)) {
    add_one(sum.x, s, v.x), add_one(sum.y, s, v.y), add_one(sum.z, s, v.z);
  };
  const Vector3T<D> w = vector(omega), w1 = vector(rate), w2 = vector(second);
  // 2 dc_n/dx = n c_{n+2} - c_{n+1} of x = w.w: dc_n = (n c_{n+2} - c_{n+1}) (w.dw)
  const P sigma = dot(omega.angular, omega.linear);
  const P k2 = P(2.0) * c[4] - c[3], k3 = P(3.0) * c[5] - c[4];
  const P l2 = P(8.0) * c[6] - P(5.0) * c[5] + c[4], l3 = P(15.0) * c[7] - P(7.0) * c[6] + c[5];
  const D c2 = dual(c[2], k2 * sigma), c3 = dual(c[3], k3 * sigma);
  const D slope2 = dual(k2, l2 * sigma), slope3 = dual(k3, l3 * sigma);
  const D bend2 = dual(l2, (P(48.0) * c[8] - P(33.0) * c[7] + P(9.0) * c[6] - c[5]) * sigma);
  const D bend3 = dual(l3, (P(105.0) * c[9] - P(57.0) * c[8] + P(12.0) * c[7] - c[6]) * sigma);
  const D s1 = dot(w, w1), s2 = dot(w1, w1) + dot(w, w2), s11 = s1 * s1;
  const D c2_rate = slope2 * s1, c3_rate = slope3 * s1;
  const D c2_second = bend2 * s11 + slope2 * s2, c3_second = bend3 * s11 + slope3 * s2;

  // -a^ + f w^T + w f^T less its trace, + 2 g h^T if g and h are parallel
  const auto map = [&](const Vector3T<D>& a, const Vector3T<D>& f, const Vector3T<D>* g, const Vector3T<D>* h)
      __attribute__((always_inline)) {
    const Vector3T<D> f2{times(2.0, f.x), times(2.0, f.y), times(2.0, f.z)};
    D xx = f2.x * w.x, yy = f2.y * w.y, zz = f2.z * w.z, xy = f.y * w.x, xz = f.z * w.x, yz = f.z * w.y;
    add_one(xy, f.x, w.y), add_one(xz, f.x, w.z), add_one(yz, f.y, w.z);
    if (g != nullptr) {
      const Vector3T<D> b{times(2.0, g->x), times(2.0, g->y), times(2.0, g->z)};
      add_one(xx, b.x, h->x), add_one(yy, b.y, h->y), add_one(zz, b.z, h->z);
      add_one(xy, b.x, h->y), add_one(xz, b.x, h->z), add_one(yz, b.y, h->z);
    }
    const Matrix3T<D> m{
        {-(yy + zz), xy + a.z, xz - a.y}, {xy - a.z, -(xx + zz), yz + a.x}, {xz + a.y, yz - a.x, -(xx + yy)}};
    const auto value = [](const Vector3T<D>& r) __attribute__((always_inline)) {
      return Vector3T<P>{r.x.value, r.y.value, r.z.value};
    };
    const auto slope = [](const Vector3T<D>& r) __attribute__((always_inline)) {
      return Vector3T<P>{r.x.derivative[0], r.y.derivative[0], r.z.derivative[0]};
    };
    return TangentMapT<P>{{value(m.row0), value(m.row1), value(m.row2)}, {slope(m.row0), slope(m.row1), slope(m.row2)}};
  };
  const D c3_half = times(0.5, c3), c3_rate_half = times(0.5, c3_rate), c3_second_half = times(0.5, c3_second);
  const D c2_rate_twice = times(2.0, c2_rate), c3_rate_twice = times(2.0, c3_rate);
  TangentMotion<P> T;
  T.value = map(c2 * w, c3_half * w, nullptr, nullptr);
  T.value.diagonal += Matrix3T<P>::identity();
  const Vector3T<D> g = c3 * w1;
  Vector3T<D> a = c2 * w1, f = g;
  add(a, c2_rate, w), add(f, c3_rate_half, w);
  T.rate = map(a, f, nullptr, nullptr);
  a = c2 * w2, f = c3 * w2;
  add(a, c2_second, w), add(a, c2_rate_twice, w1);
  add(f, c3_second_half, w), add(f, c3_rate_twice, w1);
  T.second = map(a, f, &g, &w1);
  return T;
}

/// Q with Q_ab = f . dT(omega; e_b) e_a, f a wrench at the end of the step: over the dual numbers, so that for twists
/// u and d the form is the dual part of u^T Q d, with the force as the real part of f and the torque as its dual part.
/// @param c  c_2 .. c_7 at [2 .. 7].
template <typename P>
CUTTLE_INLINE TangentMapT<P> tangent_curvature(const WrenchT<P>& f, const TwistT<P>& omega, const P* c) {
  const Vector3T<P>&w = omega.angular, &v = omega.linear;
  const P sigma = dot(w, v);
  const P k2 = P(2.0) * c[4] - c[3], k3 = P(3.0) * c[5] - c[4];
  const P dc2 = k2 * sigma, dc3 = k3 * sigma;
  const P dk2 = (P(8.0) * c[6] - P(5.0) * c[5] + c[4]) * sigma;
  const P dk3 = (P(15.0) * c[7] - P(7.0) * c[6] + c[5]) * sigma;
  // in so(3): with g = f x w, dT = -k2 (w.d) w^ - c2 d^ + k3 (w.d) w^w^ + c3 (d^w^ + w^d^), so
  // Q = (k3 g x w - k2 g - 2 c3 f) w^T + c3 w f^T - c2 f^ + c3 (f.w) 1
  const Vector3T<P>&fr = f.force, &fd = f.torque;
  const Vector3T<P> g = cross(fr, w), dg = cross(fd, w) + cross(fr, v);
  const Vector3T<P> gw = cross(g, w), dgw = cross(dg, w) + cross(g, v);
  const Vector3T<P> cf = c[3] * fr, dcf = c[3] * fd + dc3 * fr;
  const Vector3T<P> a = k3 * gw - k2 * g - P(2.0) * cf;
  const Vector3T<P> da = k3 * dgw + dk3 * gw - k2 * dg - dk2 * g - P(2.0) * dcf;
  const Vector3T<P> b = c[2] * fr, db = c[2] * fd + dc2 * fr;
  const P e = dot(cf, w), de = dot(dcf, w) + dot(cf, v);
  using M = Matrix3T<P>;
  M real = M::outer(a, w) + M::outer(w, cf) - M::skew(b);
  M dual = M::outer(da, w) + M::outer(a, v) + M::outer(v, cf) + M::outer(w, dcf) - M::skew(db);
  real.row0.x += e, real.row1.y += e, real.row2.z += e;
  dual.row0.x += de, dual.row1.y += de, dual.row2.z += de;
  return {real, dual};
}

}  // namespace cuttle::CUTTLE_ISA::rod
