#include "cuttle/bodies/hyperelastic_law.h"

#include <cmath>
#include <numbers>

namespace cuttle {

namespace {

/// Coefficients of tanh^2 y = sum_k c_k y^(2k+2), from tanh' = 1 - tanh^2.
template <int Terms>
constexpr std::array<long double, Terms> tanh_squared_series() {
  std::array<long double, Terms> t{}, c{};
  t[0] = 1.0L;
  for (int n = 0; n < Terms; ++n) {
    for (int i = 0; i <= n; ++i) c[n] += t[i] * t[n - i];
    if (n + 1 < Terms) t[n + 1] = -c[n] / (2 * n + 3);
  }
  return c;
}

/// (1/y^2) int_0^y e tanh^2 e de = 1/2 - tanh(y)/y + ln cosh(y) / y^2, an even function that is y^2/4 at zero.
/// Relative error below 40 eps for any y; written plainly it is lost to cancellation for small y.
template <typename S>
S tanh_energy_over_square(const S& y) {
  using std::exp;
  using std::log1p;
  using std::sqrt;
  using std::tanh;
  // 22 terms: the ratio of two terms tends to y^2 (2/pi)^2 = 0.10 at the switch
  constexpr int terms = 22;
  constexpr auto c = tanh_squared_series<terms>();
  const S y2 = y * y;
  const auto small = y2 < S(0.25);
  const S y2_small = select(small, y2, S(0.0));
  S series(0.0);
  for (int k = terms - 1; k >= 0; --k) series = constant<S>(c[k] / (2 * k + 4)) + y2_small * series;
  series = y2_small * series;

  const S size = sqrt(select(small, S(1.0), y2));  // |y|
  const S log_cosh = size + log1p(exp(S(-2.0) * size)) - constant<S>(std::numbers::ln2_v<long double>);
  const S closed = S(0.5) - (tanh(size) - log_cosh / size) / size;
  return select(small, series, closed);
}

}  // namespace

template <typename S>
S HyperelasticLawT<S>::stiffness(const S& x) const {
  using std::tanh;
  if (this->tanh) {
    const auto& [a1, a2, a3] = *this->tanh;
    const S th = tanh(a3 * x);
    return a1 + a2 * th * th;
  }
  S sum(0.0);
  for (int i = static_cast<int>(polynomial.size()); i-- > 0;) sum = polynomial[i] + x * x * sum;
  return sum;
}

template <typename S>
S HyperelasticLawT<S>::stiffness_slope(const S& x) const {
  using std::tanh;
  if (this->tanh) {
    const auto& [a1, a2, a3] = *this->tanh;
    const S th = tanh(a3 * x);
    return S(2.0) * a2 * a3 * th * (S(1.0) - th * th);
  }
  S sum(0.0);
  for (int i = static_cast<int>(polynomial.size()); i-- > 1;) sum = S(2.0 * i) * polynomial[i] + x * x * sum;
  return x * sum;
}

template <typename S>
S HyperelasticLawT<S>::energy(const S& x) const {
  if (this->tanh) {
    const auto& [a1, a2, a3] = *this->tanh;
    return x * x * (S(0.5) * a1 + a2 * tanh_energy_over_square(a3 * x));
  }
  S sum(0.0);
  for (int i = static_cast<int>(polynomial.size()); i-- > 0;) sum = polynomial[i] / S(2.0 * i + 2.0) + x * x * sum;
  return x * x * sum;
}

#define CUTTLE_INSTANTIATE(S) template struct HyperelasticLawT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
