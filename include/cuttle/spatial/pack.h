#pragma once

#include <cmath>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "cuttle/spatial/scalar.h"

namespace cuttle {

/// Native vectors of W doubles and of W integers (g++ wants their width spelled out).
template <int W>
struct NativeVector;
template <>
struct NativeVector<2> {
  typedef double Doubles __attribute__((vector_size(16)));
  typedef long Integers __attribute__((vector_size(16)));
};
template <>
struct NativeVector<4> {
  typedef double Doubles __attribute__((vector_size(32)));
  typedef long Integers __attribute__((vector_size(32)));
};
template <>
struct NativeVector<8> {
  typedef double Doubles __attribute__((vector_size(64)));
  typedef long Integers __attribute__((vector_size(64)));
};

/// Result of a lane-wise comparison: all bits set where it holds.
template <int W>
struct PackMask {
  using Lanes = typename NativeVector<W>::Integers;
  Lanes lanes;

  CUTTLE_INLINE PackMask() : lanes{} {}
  CUTTLE_INLINE PackMask(Lanes l) : lanes(l) {}  // NOLINT(google-explicit-constructor): what a comparison gives

  friend CUTTLE_INLINE bool any(const PackMask& mask) {
#if defined(__SSE2__)
    if constexpr (W == 2) return _mm_movemask_pd(reinterpret_cast<__m128d>(mask.lanes)) != 0;
#endif
#if defined(__AVX__)
    if constexpr (W == 4) return _mm256_movemask_pd(reinterpret_cast<__m256d>(mask.lanes)) != 0;
#endif
#if defined(__AVX512DQ__)
    if constexpr (W == 8) return _mm512_movepi64_mask(reinterpret_cast<__m512i>(mask.lanes)) != 0;
#endif
    long r = 0;
    for (int i = 0; i < W; ++i) r |= mask.lanes[i];
    return r != 0;
  }
  friend CUTTLE_INLINE bool all(const PackMask& mask) { return !any(!mask); }
  friend CUTTLE_INLINE PackMask operator!(const PackMask& a) { return {~a.lanes}; }
  friend CUTTLE_INLINE PackMask operator&(const PackMask& a, const PackMask& b) { return {a.lanes & b.lanes}; }
  friend CUTTLE_INLINE PackMask operator|(const PackMask& a, const PackMask& b) { return {a.lanes | b.lanes}; }
};

/// W doubles side by side in SIMD lanes, as one scalar of the spatial algebra. Internal: sources compiled for an
/// instruction set use the width of its vectors, and PointBodyT in a user's source the one that its flags allow
/// (bodies/point_lanes.h).
template <int W>
struct Pack {
  using Lanes = typename NativeVector<W>::Doubles;
  Lanes lanes;

  CUTTLE_INLINE Pack() : lanes{} {}
  CUTTLE_INLINE Pack(double value) : lanes(value - Lanes{}) {}  // NOLINT(google-explicit-constructor): a scalar
  CUTTLE_INLINE static Pack from(Lanes lanes) {
    Pack r;
    r.lanes = lanes;
    return r;
  }

  CUTTLE_INLINE Pack& operator+=(const Pack& b) {
    lanes += b.lanes;
    return *this;
  }
  CUTTLE_INLINE Pack& operator-=(const Pack& b) {
    lanes -= b.lanes;
    return *this;
  }
  CUTTLE_INLINE Pack& operator*=(const Pack& b) {
    lanes *= b.lanes;
    return *this;
  }
  CUTTLE_INLINE Pack& operator/=(const Pack& b) {
    lanes /= b.lanes;
    return *this;
  }
  CUTTLE_INLINE Pack operator-() const { return from(-lanes); }

  friend CUTTLE_INLINE Pack operator+(const Pack& a, const Pack& b) { return from(a.lanes + b.lanes); }
  friend CUTTLE_INLINE Pack operator-(const Pack& a, const Pack& b) { return from(a.lanes - b.lanes); }
  friend CUTTLE_INLINE Pack operator*(const Pack& a, const Pack& b) { return from(a.lanes * b.lanes); }
  friend CUTTLE_INLINE Pack operator/(const Pack& a, const Pack& b) { return from(a.lanes / b.lanes); }
  friend CUTTLE_INLINE PackMask<W> operator<(const Pack& a, const Pack& b) { return {a.lanes < b.lanes}; }
  friend CUTTLE_INLINE PackMask<W> operator>(const Pack& a, const Pack& b) { return {a.lanes > b.lanes}; }
  friend CUTTLE_INLINE PackMask<W> operator<=(const Pack& a, const Pack& b) { return {a.lanes <= b.lanes}; }
  friend CUTTLE_INLINE PackMask<W> operator>=(const Pack& a, const Pack& b) { return {a.lanes >= b.lanes}; }
  friend CUTTLE_INLINE PackMask<W> operator==(const Pack& a, const Pack& b) { return {a.lanes == b.lanes}; }
  friend CUTTLE_INLINE PackMask<W> operator!=(const Pack& a, const Pack& b) { return {a.lanes != b.lanes}; }
  friend CUTTLE_INLINE Pack select(const PackMask<W>& mask, const Pack& a, const Pack& b) {
    return from(mask.lanes ? a.lanes : b.lanes);
  }
  /// In every lane.
  friend CUTTLE_INLINE bool isfinite(const Pack& a) { return all(a - a == Pack(0.0)); }
};

/// The first lane: for messages.
template <typename T, int W>
CUTTLE_INLINE T scalar_cast(const Pack<W>& value) {
  if constexpr (std::is_same_v<T, Pack<W>>) {
    return value;
  } else {
    return scalar_cast<T>(static_cast<double>(value.lanes[0]));
  }
}

/// How many consecutive scalars S a value P holds side by side: loading and storing them, one a lane. P = S is its own
/// single lane (also where S itself holds a robot a lane); P = Pack<W> of doubles are W neighbors in memory.
template <typename P, typename S>
struct Lanes {
  static_assert(std::is_same_v<P, S>);
  static constexpr int k_width = 1;
  static CUTTLE_INLINE P load(const S* p) { return *p; }
  static CUTTLE_INLINE void store(S* p, const P& value) { *p = value; }
  static CUTTLE_INLINE S lane(const P& value, int) { return value; }
  static CUTTLE_INLINE S sum(const P& value) { return value; }
};
template <int W>
struct Lanes<Pack<W>, double> {
  static constexpr int k_width = W;
  static CUTTLE_INLINE Pack<W> load(const double* p) {
    Pack<W> r;
    __builtin_memcpy(&r.lanes, p, sizeof r.lanes);
    return r;
  }
  static CUTTLE_INLINE void store(double* p, const Pack<W>& value) {
    __builtin_memcpy(p, &value.lanes, sizeof value.lanes);
  }
  static CUTTLE_INLINE double lane(const Pack<W>& value, int i) { return value.lanes[i]; }
  static CUTTLE_INLINE double sum(const Pack<W>& value) {
    double r = value.lanes[0];
    for (int i = 1; i < W; ++i) r += value.lanes[i];
    return r;
  }
};

}  // namespace cuttle

#include "cuttle/spatial/pack_math.h"
