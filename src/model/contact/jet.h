#pragma once

#include <cmath>
#include <type_traits>

#include "cuttle/spatial/scalar.h"

namespace cuttle {

/// A number and its derivatives in N directions, as Dual, for laws that are short enough to have every operation in
/// place: a call for each costs as much as the operation itself.
template <int N>
struct Jet {
  double value = 0.0;
  double derivative[N] = {};

  Jet() = default;
  CUTTLE_INLINE Jet(double v) : value(v) {}  // NOLINT(google-explicit-constructor): a constant is a scalar
  static CUTTLE_INLINE Jet variable(double v, int direction) {
    Jet x(v);
    x.derivative[direction] = 1.0;
    return x;
  }

  /// f(x) and f'(x).
  CUTTLE_INLINE Jet chain(double f, double slope) const {
    Jet r(f);
    for (int i = 0; i < N; ++i) r.derivative[i] = slope * derivative[i];
    return r;
  }
  CUTTLE_INLINE Jet& operator+=(const Jet& b) {
    value += b.value;
    for (int i = 0; i < N; ++i) derivative[i] += b.derivative[i];
    return *this;
  }
  CUTTLE_INLINE Jet& operator-=(const Jet& b) {
    value -= b.value;
    for (int i = 0; i < N; ++i) derivative[i] -= b.derivative[i];
    return *this;
  }
  CUTTLE_INLINE Jet& operator*=(const Jet& b) { return *this = *this * b; }

  friend CUTTLE_INLINE Jet operator-(const Jet& a) { return a.chain(-a.value, -1.0); }
  friend CUTTLE_INLINE Jet operator+(const Jet& a, const Jet& b) {
    Jet r(a.value + b.value);
    for (int i = 0; i < N; ++i) r.derivative[i] = a.derivative[i] + b.derivative[i];
    return r;
  }
  friend CUTTLE_INLINE Jet operator-(const Jet& a, const Jet& b) {
    Jet r(a.value - b.value);
    for (int i = 0; i < N; ++i) r.derivative[i] = a.derivative[i] - b.derivative[i];
    return r;
  }
  friend CUTTLE_INLINE Jet operator*(const Jet& a, const Jet& b) {
    Jet r(a.value * b.value);
    for (int i = 0; i < N; ++i) r.derivative[i] = a.value * b.derivative[i] + b.value * a.derivative[i];
    return r;
  }
  // with plain numbers, which have no derivatives to multiply
  friend CUTTLE_INLINE Jet operator*(double a, const Jet& b) { return b.chain(a * b.value, a); }
  friend CUTTLE_INLINE Jet operator*(const Jet& a, double b) { return a.chain(a.value * b, b); }
  friend CUTTLE_INLINE Jet operator+(double a, const Jet& b) {
    Jet r = b;
    r.value = a + b.value;
    return r;
  }
  friend CUTTLE_INLINE Jet operator+(const Jet& a, double b) { return b + a; }
  friend CUTTLE_INLINE Jet operator-(const Jet& a, double b) { return -b + a; }
  friend CUTTLE_INLINE Jet operator-(double a, const Jet& b) { return b.chain(a - b.value, -1.0); }
  friend CUTTLE_INLINE Jet operator/(double a, const Jet& b) {
    const double r = a / b.value;
    return b.chain(r, -r / b.value);
  }
  friend CUTTLE_INLINE Jet operator/(const Jet& a, const Jet& b) {
    const double inverse = 1.0 / b.value;
    Jet r(a.value * inverse);
    for (int i = 0; i < N; ++i) r.derivative[i] = inverse * (a.derivative[i] - r.value * b.derivative[i]);
    return r;
  }

  friend CUTTLE_INLINE bool operator<(const Jet& a, const Jet& b) { return a.value < b.value; }
  friend CUTTLE_INLINE bool operator>(const Jet& a, const Jet& b) { return a.value > b.value; }
  friend CUTTLE_INLINE bool operator<=(const Jet& a, const Jet& b) { return a.value <= b.value; }
  friend CUTTLE_INLINE bool operator>=(const Jet& a, const Jet& b) { return a.value >= b.value; }

  friend CUTTLE_INLINE Jet select(bool mask, const Jet& a, const Jet& b) { return mask ? a : b; }
  friend CUTTLE_INLINE Jet sqrt(const Jet& a) {
    const double root = std::sqrt(a.value);
    return a.chain(root, 0.5 / root);
  }
  friend CUTTLE_INLINE Jet exp(const Jet& a) {
    const double e = std::exp(a.value);
    return a.chain(e, e);
  }
  friend CUTTLE_INLINE Jet atan2(const Jet& y, const Jet& x) {
    const double inverse = 1.0 / (x.value * x.value + y.value * y.value);
    Jet r(std::atan2(y.value, x.value));
    for (int i = 0; i < N; ++i) r.derivative[i] = inverse * (x.value * y.derivative[i] - y.value * x.derivative[i]);
    return r;
  }
};

template <typename T>
inline constexpr bool k_is_jet = false;
template <int N>
inline constexpr bool k_is_jet<Jet<N>> = true;

template <int N>
struct ScalarTraits<Jet<N>> {
  using Precision = double;
};

/// Drops the derivatives.
template <typename T, int N>
CUTTLE_INLINE T scalar_cast(const Jet<N>& value) {
  if constexpr (std::is_same_v<T, Jet<N>>) {
    return value;
  } else {
    return static_cast<T>(value.value);
  }
}

}  // namespace cuttle
