#pragma once

#include <cmath>
#include <type_traits>

#include "cuttle/api.h"
#include "cuttle/spatial/scalar.h"

namespace CUTTLE_API cuttle {

template <typename S, int N>
struct SecondDual;

namespace detail {
template <typename U, typename T>
inline constexpr bool k_inside_second = false;
template <typename U, typename S, int N>
inline constexpr bool k_inside_second<U, SecondDual<S, N>> = std::is_same_v<U, S> || k_inside_second<U, S>;
}  // namespace detail

/// A value with its first and second derivatives in N directions. Of a nested Dual it leaves out what stands there
/// twice: some half of the work. A scalar of the library, as Dual.
template <typename S, int N>
struct SecondDual {
  static constexpr int k_pairs = N * (N + 1) / 2;
  S value{};
  S gradient[N]{};
  S hessian[k_pairs]{};  ///< directions i <= j at [j (j + 1) / 2 + i]

  SecondDual() = default;
  SecondDual(const S& v) : value(v) {}  // NOLINT(google-explicit-constructor): a constant is a scalar
  template <typename T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, S>) SecondDual(T v)
      : value(S(v)) {}  // NOLINT(google-explicit-constructor): a literal is a scalar
  template <typename T>
  requires(!std::is_arithmetic_v<T> && detail::k_inside_second<T, S>) SecondDual(const T& v)
      : value(v) {}  // NOLINT(google-explicit-constructor): a constant is a scalar

  static SecondDual variable(const S& v, int direction) {
    SecondDual x(v);
    x.gradient[direction] = S(1.0);
    return x;
  }
  /// f(x), f'(x) and f''(x) at an inner x: the chain rule for one argument.
  SecondDual chain(const S& f, const S& first, const S& second) const {
    SecondDual r(f);
    each_pair(
        [&](int pair, int i, int j) { r.hessian[pair] = first * hessian[pair] + second * gradient[i] * gradient[j]; });
    for (int i = 0; i < N; ++i) r.gradient[i] = first * gradient[i];
    return r;
  }

  SecondDual& operator+=(const SecondDual& b) { return *this = *this + b; }
  SecondDual& operator-=(const SecondDual& b) { return *this = *this - b; }
  SecondDual& operator*=(const SecondDual& b) { return *this = *this * b; }
  SecondDual& operator/=(const SecondDual& b) { return *this = *this / b; }

  friend SecondDual operator-(const SecondDual& a) {
    SecondDual r(-a.value);
    for (int i = 0; i < N; ++i) r.gradient[i] = -a.gradient[i];
    for (int k = 0; k < k_pairs; ++k) r.hessian[k] = -a.hessian[k];
    return r;
  }
  friend SecondDual operator+(const SecondDual& a, const SecondDual& b) {
    SecondDual r(a.value + b.value);
    for (int i = 0; i < N; ++i) r.gradient[i] = a.gradient[i] + b.gradient[i];
    for (int k = 0; k < k_pairs; ++k) r.hessian[k] = a.hessian[k] + b.hessian[k];
    return r;
  }
  friend SecondDual operator-(const SecondDual& a, const SecondDual& b) {
    SecondDual r(a.value - b.value);
    for (int i = 0; i < N; ++i) r.gradient[i] = a.gradient[i] - b.gradient[i];
    for (int k = 0; k < k_pairs; ++k) r.hessian[k] = a.hessian[k] - b.hessian[k];
    return r;
  }
  friend SecondDual operator*(const SecondDual& a, const SecondDual& b) {
    SecondDual r(a.value * b.value);
    for (int i = 0; i < N; ++i) r.gradient[i] = a.value * b.gradient[i] + b.value * a.gradient[i];
    each_pair([&](int pair, int i, int j) {
      r.hessian[pair] = a.value * b.hessian[pair] + b.value * a.hessian[pair] + a.gradient[i] * b.gradient[j] +
                        a.gradient[j] * b.gradient[i];
    });
    return r;
  }
  friend SecondDual operator/(const SecondDual& a, const SecondDual& b) {
    const S inverse = S(1.0) / b.value;
    SecondDual r(a.value * inverse);
    for (int i = 0; i < N; ++i) r.gradient[i] = inverse * (a.gradient[i] - r.value * b.gradient[i]);
    each_pair([&](int pair, int i, int j) {
      r.hessian[pair] = inverse * (a.hessian[pair] - r.value * b.hessian[pair] - r.gradient[i] * b.gradient[j] -
                                   r.gradient[j] * b.gradient[i]);
    });
    return r;
  }

  friend auto operator<(const SecondDual& a, const SecondDual& b) { return a.value < b.value; }
  friend auto operator>(const SecondDual& a, const SecondDual& b) { return a.value > b.value; }
  friend auto operator<=(const SecondDual& a, const SecondDual& b) { return a.value <= b.value; }
  friend auto operator>=(const SecondDual& a, const SecondDual& b) { return a.value >= b.value; }
  friend auto operator==(const SecondDual& a, const SecondDual& b) { return a.value == b.value; }
  friend auto operator!=(const SecondDual& a, const SecondDual& b) { return a.value != b.value; }

  template <typename Mask>
  friend SecondDual select(const Mask& mask, const SecondDual& a, const SecondDual& b) {
    SecondDual r(select(mask, a.value, b.value));
    for (int i = 0; i < N; ++i) r.gradient[i] = select(mask, a.gradient[i], b.gradient[i]);
    for (int k = 0; k < k_pairs; ++k) r.hessian[k] = select(mask, a.hessian[k], b.hessian[k]);
    return r;
  }

  friend SecondDual sqrt(const SecondDual& a) {
    using std::sqrt;
    const S root = sqrt(a.value), slope = S(0.5) / root;
    return a.chain(root, slope, S(-0.5) * slope / a.value);
  }
  friend SecondDual sin(const SecondDual& a) {
    using std::cos;
    using std::sin;
    const S s = sin(a.value);
    return a.chain(s, cos(a.value), -s);
  }
  friend SecondDual cos(const SecondDual& a) {
    using std::cos;
    using std::sin;
    const S c = cos(a.value);
    return a.chain(c, -sin(a.value), -c);
  }
  friend SecondDual tan(const SecondDual& a) {
    using std::tan;
    const S t = tan(a.value), slope = S(1.0) + t * t;
    return a.chain(t, slope, S(2.0) * t * slope);
  }
  friend SecondDual exp(const SecondDual& a) {
    using std::exp;
    const S e = exp(a.value);
    return a.chain(e, e, e);
  }
  friend SecondDual log(const SecondDual& a) {
    using std::log;
    const S inverse = S(1.0) / a.value;
    return a.chain(log(a.value), inverse, -(inverse * inverse));
  }
  friend SecondDual expm1(const SecondDual& a) {
    using std::exp;
    using std::expm1;
    const S e = exp(a.value);
    return a.chain(expm1(a.value), e, e);
  }
  friend SecondDual log1p(const SecondDual& a) {
    using std::log1p;
    const S inverse = S(1.0) / (S(1.0) + a.value);
    return a.chain(log1p(a.value), inverse, -(inverse * inverse));
  }
  friend SecondDual sinh(const SecondDual& a) {
    using std::cosh;
    using std::sinh;
    const S s = sinh(a.value);
    return a.chain(s, cosh(a.value), s);
  }
  friend SecondDual cosh(const SecondDual& a) {
    using std::cosh;
    using std::sinh;
    const S c = cosh(a.value);
    return a.chain(c, sinh(a.value), c);
  }
  friend SecondDual tanh(const SecondDual& a) {
    using std::tanh;
    const S t = tanh(a.value), slope = S(1.0) - t * t;
    return a.chain(t, slope, S(-2.0) * t * slope);
  }
  friend SecondDual asinh(const SecondDual& a) {
    using std::asinh;
    using std::sqrt;
    const S inverse = S(1.0) / (S(1.0) + a.value * a.value), slope = sqrt(inverse);
    return a.chain(asinh(a.value), slope, -(a.value * slope * inverse));
  }
  friend SecondDual asin(const SecondDual& a) {
    using std::asin;
    using std::sqrt;
    const S inverse = S(1.0) / ((S(1.0) - a.value) * (S(1.0) + a.value)), slope = sqrt(inverse);
    return a.chain(asin(a.value), slope, a.value * slope * inverse);
  }
  friend SecondDual acos(const SecondDual& a) {
    using std::acos;
    using std::sqrt;
    const S inverse = S(1.0) / ((S(1.0) - a.value) * (S(1.0) + a.value)), slope = -sqrt(inverse);
    return a.chain(acos(a.value), slope, a.value * slope * inverse);
  }
  friend SecondDual atan(const SecondDual& a) {
    using std::atan;
    const S slope = S(1.0) / (S(1.0) + a.value * a.value);
    return a.chain(atan(a.value), slope, S(-2.0) * a.value * slope * slope);
  }
  /// a^p for a constant exponent. p = 0 and p = 1 have no derivatives beyond theirs even at a = 0.
  friend SecondDual pow(const SecondDual& a, double p) {
    using std::pow;
    const S slope = p == 0.0 ? S(0.0) : S(p) * pow(a.value, p - 1.0);
    const S second = p == 0.0 || p == 1.0 ? S(0.0) : S(p * (p - 1.0)) * pow(a.value, p - 2.0);
    return a.chain(pow(a.value, p), slope, second);
  }
  /// a^b for a base > 0.
  friend SecondDual pow(const SecondDual& a, const SecondDual& b) { return exp(b * log(a)); }
  friend SecondDual atan2(const SecondDual& y, const SecondDual& x) {
    using std::atan2;
    // the gradient is that of (x dy - y dx) / (x^2 + y^2)
    const S inverse = S(1.0) / (x.value * x.value + y.value * y.value);
    SecondDual r(atan2(y.value, x.value));
    for (int i = 0; i < N; ++i) {
      r.gradient[i] = inverse * (x.value * y.gradient[i] - y.value * x.gradient[i]);
    }
    each_pair([&](int pair, int i, int j) {
      const auto squares = [&](int k) { return x.value * x.gradient[k] + y.value * y.gradient[k]; };
      r.hessian[pair] = inverse * (x.value * y.hessian[pair] - y.value * x.hessian[pair] - squares(i) * r.gradient[j] -
                                   squares(j) * r.gradient[i]);
    });
    return r;
  }
  friend SecondDual abs(const SecondDual& a) { return select(a.value < S(0.0), -a, a); }
  friend bool isfinite(const SecondDual& a) {
    using std::isfinite;
    bool finite = isfinite(a.value);
    for (const S& x : a.gradient) finite = finite && isfinite(x);
    for (const S& x : a.hessian) finite = finite && isfinite(x);
    return finite;
  }

 private:
  template <typename Use>
  static void each_pair(const Use& use) {
    int pair = 0;
    for (int j = 0; j < N; ++j) {
      for (int i = 0; i <= j; ++i) use(pair++, i, j);
    }
  }
};

template <typename S, int N>
bool same_derivatives(const SecondDual<S, N>& a, const SecondDual<S, N>& b) {
  bool same = same_derivatives(a.value, b.value);
  for (int i = 0; i < N; ++i) same = same && identical(a.gradient[i], b.gradient[i]);
  for (int k = 0; k < SecondDual<S, N>::k_pairs; ++k) same = same && identical(a.hessian[k], b.hessian[k]);
  return same;
}

/// Drops the derivatives.
template <typename T, typename S, int N>
CUTTLE_INLINE T scalar_cast(const SecondDual<S, N>& value) {
  if constexpr (std::is_same_v<T, SecondDual<S, N>>) {
    return value;
  } else {
    return scalar_cast<T>(value.value);
  }
}

template <typename S, int N>
struct ScalarTraits<SecondDual<S, N>> {
  using Precision = typename ScalarTraits<S>::Precision;
};

}  // namespace cuttle
