#pragma once

#include <cmath>

#include "cuttle/spatial/scalars.h"
#include "cuttle/spatial/stumpff.h"

namespace cuttle {

/// ForwardDual for kernels that are compiled for each instruction set: the same numbers at the same places, with its
/// derivatives in one vector and every operation in place. `as_lanes` takes what is made of one for what is made of the
/// other; a source may look at such memory as one of both alone.
struct ForwardLanes {
  typedef double Derivatives __attribute__((vector_size(8 * k_forward_width), aligned(8)));
  double value = 0.0;
  Derivatives derivative{};

  ForwardLanes() = default;
  CUTTLE_INLINE ForwardLanes(double v) : value(v) {}  // NOLINT(google-explicit-constructor): a constant is a scalar

  /// f(x) and f'(x).
  CUTTLE_INLINE ForwardLanes chain(double f, double slope) const { return {f, slope * derivative}; }
  CUTTLE_INLINE ForwardLanes& operator+=(const ForwardLanes& b) { return *this = *this + b; }
  CUTTLE_INLINE ForwardLanes& operator-=(const ForwardLanes& b) { return *this = *this - b; }
  CUTTLE_INLINE ForwardLanes& operator*=(const ForwardLanes& b) { return *this = *this * b; }

  friend CUTTLE_INLINE ForwardLanes operator-(const ForwardLanes& a) { return {-a.value, -a.derivative}; }
  friend CUTTLE_INLINE ForwardLanes operator+(const ForwardLanes& a, const ForwardLanes& b) {
    return {a.value + b.value, a.derivative + b.derivative};
  }
  friend CUTTLE_INLINE ForwardLanes operator-(const ForwardLanes& a, const ForwardLanes& b) {
    return {a.value - b.value, a.derivative - b.derivative};
  }
  friend CUTTLE_INLINE ForwardLanes operator*(const ForwardLanes& a, const ForwardLanes& b) {
    return {a.value * b.value, a.value * b.derivative + b.value * a.derivative};
  }
  friend CUTTLE_INLINE ForwardLanes operator/(const ForwardLanes& a, const ForwardLanes& b) {
    const double inverse = 1.0 / b.value, quotient = a.value * inverse;
    return {quotient, inverse * (a.derivative - quotient * b.derivative)};
  }
  friend CUTTLE_INLINE bool operator<(const ForwardLanes& a, const ForwardLanes& b) { return a.value < b.value; }
  friend CUTTLE_INLINE bool operator>(const ForwardLanes& a, const ForwardLanes& b) { return a.value > b.value; }
  friend CUTTLE_INLINE ForwardLanes select(bool mask, const ForwardLanes& a, const ForwardLanes& b) {
    return mask ? a : b;
  }
  friend CUTTLE_INLINE ForwardLanes sqrt(const ForwardLanes& a) {
    const double root = std::sqrt(a.value);
    return a.chain(root, 0.5 / root);
  }
  friend CUTTLE_INLINE ForwardLanes sin(const ForwardLanes& a) { return a.chain(std::sin(a.value), std::cos(a.value)); }
  friend CUTTLE_INLINE ForwardLanes cos(const ForwardLanes& a) {
    return a.chain(std::cos(a.value), -std::sin(a.value));
  }

 private:
  CUTTLE_INLINE ForwardLanes(double v, const Derivatives& d) : value(v), derivative(d) {}
};

/// With the slopes `2 d c_n / dx = n c_{n+2} - c_{n+1}`: one vector operation each, no series of them.
template <int Highest>
CUTTLE_INLINE Stumpff<ForwardLanes, Highest> stumpff(const ForwardLanes& x) {
  const Stumpff<double, Highest + 2> c = stumpff<Highest + 2>(x.value);
  Stumpff<ForwardLanes, Highest> r;
  for (int n = 0; n <= Highest; ++n) r.c[n] = x.chain(c[n], 0.5 * (n * c[n + 2] - c[n + 1]));
  return r;
}

template <typename To, typename From>
CUTTLE_INLINE To* as_lanes(From* x) {
  static_assert(sizeof(ForwardLanes) == sizeof(ForwardDual) && alignof(ForwardLanes) == alignof(ForwardDual));
  static_assert(sizeof(To) == sizeof(From) && alignof(To) == alignof(From));
  return reinterpret_cast<To*>(x);
}

}  // namespace cuttle
