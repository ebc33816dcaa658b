#pragma once

#include <array>
#include <limits>
#include <type_traits>

#include "cuttle/api.h"
#include "cuttle/spatial/scalar.h"

namespace CUTTLE_API cuttle {

/// The Stumpff functions c_n(x) = sum_k (-x)^k / (n + 2k)!, from the squared angle x = t^2 >= 0:
/// c_0 = cos t, c_1 = sin t / t, c_2 = (1 - cos t) / t^2, c_3 = (t - sin t) / t^3, ...
/// Every coefficient of the exponential of SE(3), of its tangent maps and of their derivatives is one of them, because
/// `2 d c_n / dx = n c_{n+2} - c_{n+1}`. They have no singularity and are exact at zero.
template <typename S, int Highest>
struct Stumpff {
  static_assert(Highest % 2 == 1 && Highest >= 3 && Highest <= 11);
  std::array<S, Highest + 1> c;
  CUTTLE_INLINE const S& operator[](int n) const { return c[n]; }
};

namespace detail {

/// Up to x = 10 (just past a rotation by pi) the series of the two highest functions converges fast and without
/// cancellation, and the recurrence c_n = 1/n! - x c_{n+2} is stable downwards. Beyond, sin and cos are exact enough
/// for the upward recurrence, whose cancellation falls with x.
inline constexpr double k_stumpff_switch = 10.0;

struct InverseFactorials {
  long double of[48];
  consteval InverseFactorials() : of{} {
    of[0] = 1.0L;
    for (int n = 1; n < 48; ++n) of[n] = of[n - 1] / n;
  }
};
inline constexpr InverseFactorials k_inverse_factorial;

/// Terms so that the first one left out is below half a unit in the last place at the switch.
template <typename S>
inline constexpr int k_stumpff_terms = std::is_same_v<typename ScalarTraits<S>::Precision, long double> ? 16 : 13;

template <int N, typename S>
CUTTLE_INLINE S stumpff_series(const S& x) {
  constexpr int terms = k_stumpff_terms<S>;
  S sum = constant<S>(k_inverse_factorial.of[N + 2 * (terms - 1)]);
#pragma GCC unroll 16
  for (int k = terms - 2; k >= 0; --k) sum = constant<S>(k_inverse_factorial.of[N + 2 * k]) - x * sum;
  return sum;
}

}  // namespace detail

/// c_0 .. c_Highest at the squared angle `x` [rad^2]. Error of c_n below 20 eps / n!, its value at zero being 1 / n!;
/// beyond x = 10 for n <= 7 only: the upward recurrence leaves 400 eps / n! to c_11 just above the switch.
template <int Highest, typename S>
CUTTLE_INLINE Stumpff<S, Highest> stumpff(const S& x) {
  using std::sqrt;
  Stumpff<S, Highest> r;
  const S limit(detail::k_stumpff_switch);
  const auto large = x > limit;
  const S x_safe = select(large, limit, x);
  r.c[Highest] = detail::stumpff_series<Highest>(x_safe);
  r.c[Highest - 1] = detail::stumpff_series<Highest - 1>(x_safe);
#pragma GCC unroll 12
  for (int n = Highest - 2; n >= 0; --n) r.c[n] = constant<S>(detail::k_inverse_factorial.of[n]) - x_safe * r.c[n + 2];
  if (any(large)) {
    const S x_large = select(large, x, limit);
    const S t = sqrt(x_large);
    std::array<S, Highest + 1> up;
    S sine;
    sincos(t, sine, up[0]);
    up[1] = sine / t;
    const S inverse = S(1.0) / x_large;
    for (int n = 2; n <= Highest; ++n) {
      up[n] = (constant<S>(detail::k_inverse_factorial.of[n - 2]) - up[n - 2]) * inverse;
    }
    for (int n = 0; n <= Highest; ++n) r.c[n] = select(large, up[n], r.c[n]);
  }
  return r;
}

}  // namespace cuttle
