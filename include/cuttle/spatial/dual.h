#pragma once

#include <cmath>
#include <type_traits>

#include "cuttle/spatial/scalar.h"

namespace cuttle {

/// Forward-mode differentiation: a value and its derivatives in N directions, carried through every operation by the
/// chain rule. Exact to rounding, also nested (`Dual<Dual<double, 1>, 1>` has second derivatives) and over packs.
///
/// It is a scalar of the library: comparisons compare values and return the inner scalar's mask, and `select` takes
/// value and derivatives together. As everywhere, the argument of a singular function must be made safe first: the
/// derivative of sqrt at 0 is infinite, and 0 * inf is not a number.
/// @code
/// using D = Dual<double, 2>;
/// const D x = D::variable(0.3, 0), y = D::variable(2.0, 1);
/// const D f = x * sin(y);  // f.value, f.derivative[0] = df/dx, f.derivative[1] = df/dy
/// @endcode
template <typename S, int N>
struct Dual {
  S value{};
  S derivative[N]{};

  CUTTLE_INLINE Dual() = default;
  CUTTLE_INLINE Dual(const S& v) : value(v) {}  // NOLINT(google-explicit-constructor): a constant is a scalar
  /// A literal, for every inner scalar.
  template <typename T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, S>) CUTTLE_INLINE Dual(T v)
      : value(S(v)) {}  // NOLINT(google-explicit-constructor): a literal is a scalar

  /// The variable of direction `direction`, at a value.
  static CUTTLE_INLINE Dual variable(const S& v, int direction) {
    Dual x(v);
    x.derivative[direction] = S(1.0);
    return x;
  }
  /// f(x) and f'(x) at an inner x: the chain rule for one argument.
  CUTTLE_INLINE Dual chain(const S& f, const S& slope) const {
    Dual r(f);
    for (int i = 0; i < N; ++i) r.derivative[i] = slope * derivative[i];
    return r;
  }

  CUTTLE_INLINE Dual& operator+=(const Dual& b) { return *this = *this + b; }
  CUTTLE_INLINE Dual& operator-=(const Dual& b) { return *this = *this - b; }
  CUTTLE_INLINE Dual& operator*=(const Dual& b) { return *this = *this * b; }
  CUTTLE_INLINE Dual& operator/=(const Dual& b) { return *this = *this / b; }

  friend CUTTLE_INLINE Dual operator-(const Dual& a) {
    Dual r(-a.value);
    for (int i = 0; i < N; ++i) r.derivative[i] = -a.derivative[i];
    return r;
  }
  friend CUTTLE_INLINE Dual operator+(const Dual& a, const Dual& b) {
    Dual r(a.value + b.value);
    for (int i = 0; i < N; ++i) r.derivative[i] = a.derivative[i] + b.derivative[i];
    return r;
  }
  friend CUTTLE_INLINE Dual operator-(const Dual& a, const Dual& b) {
    Dual r(a.value - b.value);
    for (int i = 0; i < N; ++i) r.derivative[i] = a.derivative[i] - b.derivative[i];
    return r;
  }
  friend CUTTLE_INLINE Dual operator*(const Dual& a, const Dual& b) {
    Dual r(a.value * b.value);
    for (int i = 0; i < N; ++i) r.derivative[i] = a.value * b.derivative[i] + b.value * a.derivative[i];
    return r;
  }
  friend CUTTLE_INLINE Dual operator/(const Dual& a, const Dual& b) {
    const S inverse = S(1.0) / b.value;
    Dual r(a.value * inverse);
    for (int i = 0; i < N; ++i) r.derivative[i] = inverse * (a.derivative[i] - r.value * b.derivative[i]);
    return r;
  }

  friend CUTTLE_INLINE auto operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend CUTTLE_INLINE auto operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend CUTTLE_INLINE auto operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend CUTTLE_INLINE auto operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
  friend CUTTLE_INLINE auto operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend CUTTLE_INLINE auto operator!=(const Dual& a, const Dual& b) { return a.value != b.value; }

  template <typename Mask>
  friend CUTTLE_INLINE Dual select(const Mask& mask, const Dual& a, const Dual& b) {
    Dual r(select(mask, a.value, b.value));
    for (int i = 0; i < N; ++i) r.derivative[i] = select(mask, a.derivative[i], b.derivative[i]);
    return r;
  }

  friend CUTTLE_INLINE Dual sqrt(const Dual& a) {
    using std::sqrt;
    const S root = sqrt(a.value);
    return a.chain(root, S(0.5) / root);
  }
  friend CUTTLE_INLINE Dual sin(const Dual& a) {
    using std::cos;
    using std::sin;
    return a.chain(sin(a.value), cos(a.value));
  }
  friend CUTTLE_INLINE Dual cos(const Dual& a) {
    using std::cos;
    using std::sin;
    return a.chain(cos(a.value), -sin(a.value));
  }
  friend CUTTLE_INLINE Dual tan(const Dual& a) {
    using std::tan;
    const S t = tan(a.value);
    return a.chain(t, S(1.0) + t * t);
  }
  friend CUTTLE_INLINE Dual exp(const Dual& a) {
    using std::exp;
    const S e = exp(a.value);
    return a.chain(e, e);
  }
  friend CUTTLE_INLINE Dual log(const Dual& a) {
    using std::log;
    return a.chain(log(a.value), S(1.0) / a.value);
  }
  friend CUTTLE_INLINE Dual tanh(const Dual& a) {
    using std::tanh;
    const S t = tanh(a.value);
    return a.chain(t, S(1.0) - t * t);
  }
  /// a^p for a constant exponent.
  friend CUTTLE_INLINE Dual pow(const Dual& a, double p) {
    using std::pow;
    return a.chain(pow(a.value, p), S(p) * pow(a.value, p - 1.0));
  }
  friend CUTTLE_INLINE Dual atan2(const Dual& y, const Dual& x) {
    using std::atan2;
    const S inverse = S(1.0) / (x.value * x.value + y.value * y.value);
    Dual r(atan2(y.value, x.value));
    for (int i = 0; i < N; ++i) {
      r.derivative[i] = inverse * (x.value * y.derivative[i] - y.value * x.derivative[i]);
    }
    return r;
  }
  /// |a|, with the derivative of a where a = 0.
  friend CUTTLE_INLINE Dual abs(const Dual& a) { return select(a.value < S(0.0), -a, a); }
  friend bool isfinite(const Dual& a) {
    using std::isfinite;
    bool finite = isfinite(a.value);
    for (int i = 0; i < N; ++i) finite = finite && isfinite(a.derivative[i]);
    return finite;
  }
};

template <typename S, int N>
struct ScalarTraits<Dual<S, N>> {
  using Precision = typename ScalarTraits<S>::Precision;
};

}  // namespace cuttle
