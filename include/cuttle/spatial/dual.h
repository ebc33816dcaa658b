#pragma once

#include <cmath>
#include <type_traits>

#include "cuttle/api.h"
#include "cuttle/spatial/scalar.h"

namespace CUTTLE_API cuttle {

template <typename S, int N>
struct Dual;

namespace detail {
/// Whether U is the inner scalar of a Dual, or of its inner scalar, and so on.
template <typename U, typename T>
inline constexpr bool k_inside = false;
template <typename U, typename S, int N>
inline constexpr bool k_inside<U, Dual<S, N>> = std::is_same_v<U, S> || k_inside<U, S>;

/// Whether an operation is a call: inlined, sweeps over eight directions would take minutes to compile, and the time of
/// a call is small beside that of the operation.
template <typename S, int N>
inline constexpr bool k_dual_calls = N >= 8 && std::is_floating_point_v<S>;

template <typename Operation, typename D, typename... Others>
__attribute__((noinline)) D called(const D& a, const Others&... others) {
  return Operation::of(a, others...);
}
template <typename Operation, typename S, int N, typename... Others>
CUTTLE_INLINE Dual<S, N> operate(const Dual<S, N>& a, const Others&... others) {
  if constexpr (k_dual_calls<S, N>) {
    return called<Operation>(a, others...);
  } else {
    return Operation::of(a, others...);
  }
}
}  // namespace detail

/// Forward-mode differentiation: a value and its derivatives in N directions, carried through every operation by the
/// chain rule. Exact to rounding, also nested (`Dual<Dual<double, 1>, 1>` has second derivatives) and over packs.
///
/// It is a scalar of the library: comparisons compare values and return the inner scalar's mask, and `select` takes
/// value and derivatives together. As everywhere, the argument of a singular function must be made safe first: the
/// derivative of sqrt at 0 is infinite, and 0 * inf is not a number.
/// The operators are not forced inline as the other scalars' are: no source that is compiled for one instruction set
/// may use them with a scalar that others use too.
/// @code
/// using D = Dual<double, 2>;
/// const D x = D::variable(0.3, 0), y = D::variable(2.0, 1);
/// const D f = x * sin(y);  // f.value, f.derivative[0] = df/dx, f.derivative[1] = df/dy
/// @endcode
template <typename S, int N>
struct Dual {
  S value{};
  S derivative[N]{};

  Dual() = default;
  Dual(const S& v) : value(v) {}  // NOLINT(google-explicit-constructor): a constant is a scalar
  /// A literal, for every inner scalar.
  template <typename T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, S>) Dual(T v)
      : value(S(v)) {}  // NOLINT(google-explicit-constructor): a literal is a scalar
  /// A constant of a scalar further inside: parameters that are themselves differentiated mix with what depends on q.
  template <typename T>
  requires(!std::is_arithmetic_v<T> && detail::k_inside<T, S>) Dual(const T& v)
      : value(v) {}  // NOLINT(google-explicit-constructor): a constant is a scalar

  /// The variable of direction `direction`, at a value.
  static Dual variable(const S& v, int direction) {
    Dual x(v);
    x.derivative[direction] = S(1.0);
    return x;
  }
  /// f(x) and f'(x) at an inner x: the chain rule for one argument.
  Dual chain(const S& f, const S& slope) const { return detail::operate<Chain>(*this, f, slope); }

  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
  Dual& operator/=(const Dual& b) { return *this = *this / b; }

  friend Dual operator-(const Dual& a) { return detail::operate<Negative>(a); }
  friend Dual operator+(const Dual& a, const Dual& b) { return detail::operate<Sum>(a, b); }
  friend Dual operator-(const Dual& a, const Dual& b) { return detail::operate<Difference>(a, b); }
  friend Dual operator*(const Dual& a, const Dual& b) { return detail::operate<Product>(a, b); }
  friend Dual operator/(const Dual& a, const Dual& b) { return detail::operate<Quotient>(a, b); }

  friend auto operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend auto operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend auto operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend auto operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
  friend auto operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend auto operator!=(const Dual& a, const Dual& b) { return a.value != b.value; }

  template <typename Mask>
  friend Dual select(const Mask& mask, const Dual& a, const Dual& b) {
    return detail::operate<Selection>(a, b, mask);
  }

  friend Dual sqrt(const Dual& a) {
    using std::sqrt;
    const S root = sqrt(a.value);
    return a.chain(root, S(0.5) / root);
  }
  friend Dual sin(const Dual& a) {
    using std::cos;
    using std::sin;
    return a.chain(sin(a.value), cos(a.value));
  }
  friend Dual cos(const Dual& a) {
    using std::cos;
    using std::sin;
    return a.chain(cos(a.value), -sin(a.value));
  }
  friend Dual tan(const Dual& a) {
    using std::tan;
    const S t = tan(a.value);
    return a.chain(t, S(1.0) + t * t);
  }
  friend Dual exp(const Dual& a) {
    using std::exp;
    const S e = exp(a.value);
    return a.chain(e, e);
  }
  friend Dual log(const Dual& a) {
    using std::log;
    return a.chain(log(a.value), S(1.0) / a.value);
  }
  friend Dual expm1(const Dual& a) {
    using std::exp;
    using std::expm1;
    return a.chain(expm1(a.value), exp(a.value));
  }
  friend Dual log1p(const Dual& a) {
    using std::log1p;
    return a.chain(log1p(a.value), S(1.0) / (S(1.0) + a.value));
  }
  friend Dual sinh(const Dual& a) {
    using std::cosh;
    using std::sinh;
    return a.chain(sinh(a.value), cosh(a.value));
  }
  friend Dual cosh(const Dual& a) {
    using std::cosh;
    using std::sinh;
    return a.chain(cosh(a.value), sinh(a.value));
  }
  friend Dual tanh(const Dual& a) {
    using std::tanh;
    const S t = tanh(a.value);
    return a.chain(t, S(1.0) - t * t);
  }
  friend Dual asinh(const Dual& a) {
    using std::asinh;
    using std::sqrt;
    return a.chain(asinh(a.value), S(1.0) / sqrt(S(1.0) + a.value * a.value));
  }
  friend Dual asin(const Dual& a) {
    using std::asin;
    using std::sqrt;
    return a.chain(asin(a.value), S(1.0) / sqrt((S(1.0) - a.value) * (S(1.0) + a.value)));
  }
  friend Dual acos(const Dual& a) {
    using std::acos;
    using std::sqrt;
    return a.chain(acos(a.value), S(-1.0) / sqrt((S(1.0) - a.value) * (S(1.0) + a.value)));
  }
  friend Dual atan(const Dual& a) {
    using std::atan;
    return a.chain(atan(a.value), S(1.0) / (S(1.0) + a.value * a.value));
  }
  /// a^p for a constant exponent. p = 0 has slope 0 even at a = 0.
  friend Dual pow(const Dual& a, double p) {
    using std::pow;
    return a.chain(pow(a.value, p), p == 0.0 ? S(0.0) : S(p) * pow(a.value, p - 1.0));
  }
  /// a^b for a base > 0.
  friend Dual pow(const Dual& a, const Dual& b) { return exp(b * log(a)); }
  friend Dual atan2(const Dual& y, const Dual& x) {
    using std::atan2;
    const S inverse = S(1.0) / (x.value * x.value + y.value * y.value);
    Dual r(atan2(y.value, x.value));
    for (int i = 0; i < N; ++i) {
      r.derivative[i] = inverse * (x.value * y.derivative[i] - y.value * x.derivative[i]);
    }
    return r;
  }
  /// |a|, with the derivative of a where a = 0.
  friend Dual abs(const Dual& a) { return select(a.value < S(0.0), -a, a); }
  friend bool isfinite(const Dual& a) {
    using std::isfinite;
    bool finite = isfinite(a.value);
    for (int i = 0; i < N; ++i) finite = finite && isfinite(a.derivative[i]);
    return finite;
  }

 private:
  struct Chain {
    static Dual of(const Dual& a, const S& f, const S& slope) {
      Dual r(f);
      for (int i = 0; i < N; ++i) r.derivative[i] = slope * a.derivative[i];
      return r;
    }
  };
  struct Negative {
    static Dual of(const Dual& a) {
      Dual r(-a.value);
      for (int i = 0; i < N; ++i) r.derivative[i] = -a.derivative[i];
      return r;
    }
  };
  struct Sum {
    static Dual of(const Dual& a, const Dual& b) {
      Dual r(a.value + b.value);
      for (int i = 0; i < N; ++i) r.derivative[i] = a.derivative[i] + b.derivative[i];
      return r;
    }
  };
  struct Difference {
    static Dual of(const Dual& a, const Dual& b) {
      Dual r(a.value - b.value);
      for (int i = 0; i < N; ++i) r.derivative[i] = a.derivative[i] - b.derivative[i];
      return r;
    }
  };
  struct Product {
    static Dual of(const Dual& a, const Dual& b) {
      Dual r(a.value * b.value);
      for (int i = 0; i < N; ++i) r.derivative[i] = a.value * b.derivative[i] + b.value * a.derivative[i];
      return r;
    }
  };
  struct Quotient {
    static Dual of(const Dual& a, const Dual& b) {
      const S inverse = S(1.0) / b.value;
      Dual r(a.value * inverse);
      for (int i = 0; i < N; ++i) r.derivative[i] = inverse * (a.derivative[i] - r.value * b.derivative[i]);
      return r;
    }
  };
  struct Selection {
    template <typename Mask>
    static Dual of(const Dual& a, const Dual& b, const Mask& mask) {
      Dual r(select(mask, a.value, b.value));
      for (int i = 0; i < N; ++i) r.derivative[i] = select(mask, a.derivative[i], b.derivative[i]);
      return r;
    }
  };
};

template <typename S, int N>
bool same_derivatives(const Dual<S, N>& a, const Dual<S, N>& b) {
  bool same = same_derivatives(a.value, b.value);
  for (int i = 0; i < N; ++i) same = same && identical(a.derivative[i], b.derivative[i]);
  return same;
}

/// Drops the derivatives.
template <typename T, typename S, int N>
CUTTLE_INLINE T scalar_cast(const Dual<S, N>& value) {
  if constexpr (std::is_same_v<T, Dual<S, N>>) {
    return value;
  } else {
    return scalar_cast<T>(value.value);
  }
}

template <typename S, int N>
struct ScalarTraits<Dual<S, N>> {
  using Precision = typename ScalarTraits<S>::Precision;
};

}  // namespace cuttle
