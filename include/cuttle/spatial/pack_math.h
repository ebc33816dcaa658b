#pragma once

// Elementary functions of packs, every lane in SIMD. They never branch on a lane, but for one branch a pack to the rare
// lanes that the standard library takes over; a lane's result never depends on its neighbors.
//
// Largest errors seen, in units in the last place: sin 0.77, cos 0.84; exp 0.88; log, log1p 0.80; expm1 1.22;
// atan2 1.98; tanh 2.49. They hold with and without fused multiply-add: a product that must be exact has few enough
// bits, so that contraction cannot change it.
//
// The polynomials are our own: Remez exchange in 40 digits for the relative error of the whole function on the reduced
// interval, coefficients then rounded to double (for expm1: interpolation at Chebyshev points). The error given beside
// each is that of the rounded polynomial, to be compared with half a unit in the last place, 2^-53 or less.
//
// All is inlined, at 500 to 700 bytes a call: out of line, sin costs 0.2 to 2 ns more a pack of its 6 to 9. Where both
// sin and cos of one angle are wanted, sincos takes little more than half of the time of the two.

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <cmath>

#include "cuttle/spatial/pack.h"

namespace cuttle {

/// Unsigned companions of NativeVector: AVX2 shifts signed 64-bit lanes to the right only one by one.
template <int W>
struct UnsignedVector;
template <>
struct UnsignedVector<2> {
  typedef unsigned long Lanes __attribute__((vector_size(16)));
};
template <>
struct UnsignedVector<4> {
  typedef unsigned long Lanes __attribute__((vector_size(32)));
};
template <>
struct UnsignedVector<8> {
  typedef unsigned long Lanes __attribute__((vector_size(64)));
};

namespace pack_math {

template <int W>
using Bits = typename NativeVector<W>::Integers;

template <int W>
CUTTLE_INLINE Bits<W> bits_of(const Pack<W>& x) {
  return (Bits<W>)x.lanes;
}
template <int W>
CUTTLE_INLINE Pack<W> from_bits(const Bits<W>& bits) {
  return Pack<W>::from((typename Pack<W>::Lanes)bits);
}

constexpr long k_sign = static_cast<long>(1UL << 63);
constexpr long k_one_bits = 0x3ff0000000000000;  ///< the bits of 1.0

}  // namespace pack_math

/// Exactly rounded; NaN for negative lanes. By intrinsics: g++ makes one call a lane of a loop, for the sake of errno.
template <int W>
CUTTLE_INLINE Pack<W> sqrt(const Pack<W>& x) {
#if defined(__SSE2__)
  if constexpr (W == 2) return Pack<W>::from(_mm_sqrt_pd(x.lanes));
#endif
#if defined(__AVX__)
  if constexpr (W == 4) return Pack<W>::from(_mm256_sqrt_pd(x.lanes));
#endif
#if defined(__AVX512F__)
  if constexpr (W == 8) return Pack<W>::from(_mm512_maskz_sqrt_pd(0xff, x.lanes));
#endif
  Pack<W> r;
  for (int i = 0; i < W; ++i) r.lanes[i] = std::sqrt(x.lanes[i]);
  return r;
}

template <int W>
CUTTLE_INLINE Pack<W> abs(const Pack<W>& x) {
  return pack_math::from_bits<W>(pack_math::bits_of(x) & ~pack_math::k_sign);
}

/// The size of `x` with the sign of `sign`.
template <int W>
CUTTLE_INLINE Pack<W> copysign(const Pack<W>& x, const Pack<W>& sign) {
  using namespace pack_math;
  return from_bits<W>((bits_of(x) & ~k_sign) | (bits_of(sign) & k_sign));
}

namespace pack_math {

/// A sum with it is rounded to an integer, which its low bits show in two's complement: no instruction set but AVX-512
/// converts 64-bit integers.
constexpr double k_rounder = 0x1.8p52;

/// c0 + z (c1 + z (c2 + ...)).
template <int W>
CUTTLE_INLINE Pack<W> horner(const Pack<W>&, double c) {
  return c;
}
template <int W, typename... Rest>
CUTTLE_INLINE Pack<W> horner(const Pack<W>& z, double c, Rest... rest) {
  return c + z * horner(z, rest...);
}

/// `result` with the lanes in `where` taken from the standard library. Never inlined, and static so that no copy for
/// one instruction set serves another.
template <int W>
[[gnu::noinline, gnu::cold]] static Pack<W> replace_lanes(PackMask<W> where, Pack<W> result, Pack<W> x,
                                                          double (*function)(double)) {
  for (int i = 0; i < W; ++i) {
    if (where.lanes[i] != 0) result.lanes[i] = function(x.lanes[i]);
  }
  return result;
}
template <int W>
[[gnu::noinline, gnu::cold]] static Pack<W> replace_lanes(PackMask<W> where, Pack<W> result, Pack<W> y, Pack<W> x,
                                                          double (*function)(double, double)) {
  for (int i = 0; i < W; ++i) {
    if (where.lanes[i] != 0) result.lanes[i] = function(y.lanes[i], x.lanes[i]);
  }
  return result;
}

/// Lanes not in [low, high]; NaN is outside.
template <int W>
CUTTLE_INLINE PackMask<W> outside(const Pack<W>& x, double low, double high) {
  return {~((x.lanes >= Pack<W>(low).lanes) & (x.lanes <= Pack<W>(high).lanes))};
}

/// |x| = quadrant pi/2 + angle + low, |angle| <= pi/4, |low| <= half a unit in the last place of angle.
template <int W>
struct Quadrants {
  Pack<W> angle, low;
  Bits<W> quadrant;
};

/// Largest argument of the reduction; beyond it, sin and cos are the standard library's.
constexpr double k_largest_angle = 0x1p19;

/// Cody and Waite's reduction: pi/2 in three parts of at most 33 bits and a last one. The quadrant number has at most
/// 19 bits, so its product with each of the three is exact. The two differences are exact together with their rounding
/// errors: where the minuend is the smaller one, both numbers have so few bits that nothing is rounded. What is
/// neglected is below 2^-136, and no double up to 2^19 is nearer than 2^-61 to a multiple of pi/2.
template <int W>
CUTTLE_INLINE Quadrants<W> reduce(const Pack<W>& size) {
  const Pack<W> rounded = size * 0.6366197723675814 + k_rounder;
  const Pack<W> n = rounded - k_rounder;
  const Pack<W> first = size - n * 0x1.921fb544p+0;
  const Pack<W> second_part = n * 0x1.0b4611a6p-34, third_part = n * 0x1.3198a2ep-69;
  const Pack<W> second = first - second_part;
  const Pack<W> second_error = (first - second) - second_part;
  const Pack<W> third = second - third_part;
  const Pack<W> third_error = (second - third) - third_part;
  const Pack<W> rest = (second_error + third_error) - n * 0x1.b839a252049c1p-104;
  const Pack<W> angle = third + rest;
  return {angle, rest - (angle - third), bits_of(rounded)};
}

/// sin(angle + low), relative error of the polynomial 2^-56.5.
template <int W>
CUTTLE_INLINE Pack<W> sin_reduced(const Pack<W>& angle, const Pack<W>& low) {
  const Pack<W> z = angle * angle, z2 = z * z;
  const Pack<W> p = horner(z2, -0.1666666666666663, -0.00019841269829542772, -2.5050745043289057e-08) +
                    z * horner(z2, 0.008333333333322063, 2.7557313604570335e-06, 1.5896067767500056e-10);
  return angle + (angle * z * p + low * (1.0 - 0.5 * z));
}

/// cos(angle + low), relative error of the polynomial 2^-59.4.
template <int W>
CUTTLE_INLINE Pack<W> cos_reduced(const Pack<W>& angle, const Pack<W>& low) {
  const Pack<W> z = angle * angle, z2 = z * z;
  const Pack<W> p = horner(z2, 0.041666666666666595, 2.4801587288800028e-05, 2.0875698709198882e-09) +
                    z * horner(z2, -0.0013888888888872975, -2.755731416397936e-07, -1.1358423562498132e-11);
  const Pack<W> half = 0.5 * z, top = 1.0 - half;
  return top + (((1.0 - top) - half) + (z2 * p - angle * low));
}

/// What sin and cos of one angle have in common. Lanes of one pack lie in different quadrants, so each of the two needs
/// both polynomials.
template <int W>
struct Circle {
  Bits<W> sin_bits, cos_bits, quadrant;
  PackMask<W> too_large;
};
template <int W>
CUTTLE_INLINE Circle<W> circle(const Pack<W>& x) {
  const Pack<W> size = abs(x);
  const Quadrants<W> r = reduce(size);
  return {bits_of(sin_reduced(r.angle, r.low)), bits_of(cos_reduced(r.angle, r.low)), r.quadrant,
          size > Pack<W>(k_largest_angle)};
}

/// `a` where the quadrant is even, `b` where it is odd.
template <int W>
CUTTLE_INLINE Bits<W> by_parity(const Bits<W>& quadrant, const Bits<W>& a, const Bits<W>& b) {
  return a ^ ((a ^ b) & (0 - (quadrant & 1)));
}

template <int W>
CUTTLE_INLINE Pack<W> sine(const Circle<W>& at, const Pack<W>& x) {
  const Bits<W> size = by_parity<W>(at.quadrant, at.sin_bits, at.cos_bits);
  const Pack<W> result = from_bits<W>(size ^ ((at.quadrant & 2) << 62) ^ (bits_of(x) & k_sign));
  if (__builtin_expect(any(at.too_large), false)) return replace_lanes<W>(at.too_large, result, x, std::sin);
  return result;
}
template <int W>
CUTTLE_INLINE Pack<W> cosine(const Circle<W>& at, const Pack<W>& x) {
  const Bits<W> size = by_parity<W>(at.quadrant, at.cos_bits, at.sin_bits);
  const Pack<W> result = from_bits<W>(size ^ (((at.quadrant + 1) & 2) << 62));
  if (__builtin_expect(any(at.too_large), false)) return replace_lanes<W>(at.too_large, result, x, std::cos);
  return result;
}

/// e^x - 1 = 2^exponent (e^reduced - 1) + (2^exponent - 1), with e^reduced - 1 = high + tail.
template <int W>
struct ReducedExponential {
  Pack<W> high, tail;
  Bits<W> exponent;  ///< in the low bits
};

/// For |x| <= 700. The part of ln 2 has 42 bits behind the point, so that its product with the exponent is exact.
/// Relative error of the polynomial 2^-60.1 on |reduced| <= ln(2)/2.
template <int W>
CUTTLE_INLINE ReducedExponential<W> reduce_exponential(const Pack<W>& x) {
  const Pack<W> rounded = x * 1.4426950408889634 + k_rounder;
  const Pack<W> n = rounded - k_rounder;
  const Pack<W> high = x - n * 0.6931471805598903, low = n * 5.497923018708371e-14;
  const Pack<W> r = high - low, r2 = r * r;
  const Pack<W> p = horner(r2, 0.5, 0.04166666666666667, 0.0013888888888883711, 2.480158732567746e-05,
                           2.755727347871858e-07, 2.09147553258932e-09) +
                    r * horner(r2, 0.1666666666666667, 0.008333333333326084, 0.0001984126987500228,
                               2.755725517000089e-06, 2.5105312729622103e-08);
  return {r, r2 * p + ((high - r) - low), bits_of(rounded)};
}

/// e^x - 1 for |x| <= 700.
template <int W>
CUTTLE_INLINE Pack<W> expm1_bounded(const Pack<W>& x) {
  const ReducedExponential<W> e = reduce_exponential(x);
  const Pack<W> power = from_bits<W>((e.exponent << 52) + k_one_bits);
  const Pack<W> a = power - 1.0,
                b = power * e.high;  // a is 0 or the larger one, so the sum below is exact with its rest
  const Pack<W> sum = a + b, rest = (a - sum) + b;
  return sum + (rest + power * e.tail);
}

/// log(x) + correction, for normal x > 0: x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2)), and
/// log(1 + f) = 2 s + s R(s^2) with s = f / (2 + f). Relative error of the polynomial 2^-58.9.
template <int W>
CUTTLE_INLINE Pack<W> log_normal(const Pack<W>& x, const Pack<W>& correction) {
  constexpr long sqrt_half_bits = 0x3fe6a09e667f3bcd, mantissa = 0x000fffffffffffff;
  const Bits<W> shifted = bits_of(x) + (k_one_bits - sqrt_half_bits);
  const auto exponent = (Bits<W>)((typename UnsignedVector<W>::Lanes)shifted >> 52);
  const Pack<W> k = from_bits<W>(exponent | 0x4330000000000000) - (0x1p52 + 1023.0);  // 2^52 + exponent, as a double
  const Pack<W> f = from_bits<W>((shifted & mantissa) + sqrt_half_bits) - 1.0;
  const Pack<W> s = f / (2.0 + f), z = s * s, z2 = z * z;
  const Pack<W> R = z * (horner(z2, 0.6666666666666735, 0.28571428742887073, 0.18183567808569684, 0.1479703200198922) +
                         z * horner(z2, 0.39999999999412805, 0.2222219851385309, 0.15313951714493762));
  const Pack<W> half = 0.5 * f * f;
  // f - s f = 2 s, written so that f itself is not rounded
  return k * 0.6931471805598903 - ((half - (s * (half + R) + (k * 5.497923018708371e-14 + correction))) - f);
}

}  // namespace pack_math

template <int W>
CUTTLE_INLINE Pack<W> sin(const Pack<W>& x) {
  return pack_math::sine(pack_math::circle(x), x);
}
template <int W>
CUTTLE_INLINE Pack<W> cos(const Pack<W>& x) {
  return pack_math::cosine(pack_math::circle(x), x);
}
/// Both functions of one angle [rad], for little more than the price of one.
template <int W>
CUTTLE_INLINE void sincos(const Pack<W>& x, Pack<W>& sin_x, Pack<W>& cos_x) {
  const auto at = pack_math::circle(x);
  sin_x = pack_math::sine(at, x);
  cos_x = pack_math::cosine(at, x);
}

/// Angle of the point (x, y) in [-pi, pi], signs of zeros as std::atan2 has them. With a <= b the two sizes:
/// atan(a / b) = k pi/4 + atan(q), k = 1 and q = (a - b) / (a + b) where a > b/2 (there a - b is exact), so q is in
/// [-1/3, 1/2]; the other octants change k and the sign of atan(q). Relative error of the polynomial 2^-57.6.
template <int W>
CUTTLE_INLINE Pack<W> atan2(const Pack<W>& y, const Pack<W>& x) {
  using namespace pack_math;
  const Pack<W> size_y = abs(y), size_x = abs(x), sum = size_y + size_x;
  const PackMask<W> steep = size_y > size_x;
  const Pack<W> a = select(steep, size_x, size_y), b = select(steep, size_y, size_x);
  const PackMask<W> upper = a > 0.5 * b;
  const Pack<W> q = select(upper, a - b, a) / select(upper, sum, b);
  const Pack<W> z = q * q, z2 = z * z;
  const Pack<W> p = horner(z2, -0.3333333333333298, -0.1428571427639064, -0.09090896248856412, -0.06663811156601335,
                           -0.05122019494854008, -0.027435484244613454) +
                    z * horner(z2, 0.1999999999990317, 0.11111110659820309, 0.07692073970699644, 0.0585830225954672,
                               0.041865399955433404, 0.010117198740812988);
  const PackMask<W> left{bits_of(x) < 0};
  const Bits<W> flip = (left.lanes ^ steep.lanes) & k_sign;  // the sign that atan(q) comes with
  Pack<W> k = select(upper, Pack<W>(1.0), Pack<W>(0.0));
  k = select(steep, 2.0 - k, k);
  k = select(left, 4.0 - k, k);
  const Pack<W> atan_q = from_bits<W>(bits_of(q + q * z * p) ^ flip);
  // pi/4 in 48 bits and the rest: k times the first is exact
  const Pack<W> angle = k * 0.7853981633974492 + (atan_q + k * -8.575622497214414e-16);
  const Pack<W> result = copysign(angle, y);
  const PackMask<W> special = outside(sum, 0x1p-1000, 0x1p1000);  // zeros, infinities, NaN, sums that overflow
  if (__builtin_expect(any(special), false)) return replace_lanes<W>(special, result, y, x, std::atan2);
  return result;
}

template <int W>
CUTTLE_INLINE Pack<W> exp(const Pack<W>& x) {
  using namespace pack_math;
  const ReducedExponential<W> e = reduce_exponential(x);
  // a normal number in [0.7, 1.42] times 2^exponent: the exponent is added to its own
  const Pack<W> result = from_bits<W>(bits_of(1.0 + (e.high + e.tail)) + (e.exponent << 52));
  const PackMask<W> special = outside(x, -700.0, 700.0);
  if (__builtin_expect(any(special), false)) return replace_lanes<W>(special, result, x, std::exp);
  return result;
}

template <int W>
CUTTLE_INLINE Pack<W> expm1(const Pack<W>& x) {
  using namespace pack_math;
  const Pack<W> result = copysign(expm1_bounded(x), x);
  const PackMask<W> special = outside(x, -700.0, 700.0);
  if (__builtin_expect(any(special), false)) return replace_lanes<W>(special, result, x, std::expm1);
  return result;
}

template <int W>
CUTTLE_INLINE Pack<W> log(const Pack<W>& x) {
  using namespace pack_math;
  const Pack<W> result = log_normal(x, Pack<W>(0.0));
  const PackMask<W> special = outside(x, 0x1p-1022, 0x1.fffffffffffffp1023);
  if (__builtin_expect(any(special), false)) return replace_lanes<W>(special, result, x, std::log);
  return result;
}

template <int W>
CUTTLE_INLINE Pack<W> log1p(const Pack<W>& x) {
  using namespace pack_math;
  const Pack<W> sum = 1.0 + x, part = sum - x;
  const Pack<W> low = (1.0 - part) + (x - (sum - part));  // 1 + x = sum + low, exactly
  const Pack<W> result = copysign(log_normal(sum, low / sum), x);
  const PackMask<W> special = outside(sum, 0x1p-1022, 0x1p1000);
  if (__builtin_expect(any(special), false)) return replace_lanes<W>(special, result, x, std::log1p);
  return result;
}

/// With e = e^(-2|x|) - 1: -e / (2 + e). At |x| = 20 it is 1 to the last place.
template <int W>
CUTTLE_INLINE Pack<W> tanh(const Pack<W>& x) {
  const Pack<W> size = abs(x);
  const Pack<W> bounded = select(size > Pack<W>(20.0), Pack<W>(20.0), size);  // NaN stays
  const Pack<W> e = pack_math::expm1_bounded(-2.0 * bounded);
  return copysign(-e / (2.0 + e), x);
}

}  // namespace cuttle
