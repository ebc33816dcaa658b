#include <array>
#include <cmath>
#include <numbers>

#include "cuttle/bodies/rod_body.h"
#include "cuttle/error.h"

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

constexpr const char* k_shorthands = "pcc, planar_cc, pcs, pac, pgc or kirchhoff";

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

const char* strain_component_name(int component) {
  static constexpr const char* k_names[6] = {"kappa_x", "kappa_y", "kappa_z", "sigma_x", "sigma_y", "sigma_z"};
  return k_names[component];
}

template <typename S>
std::array<std::optional<StrainBasisT<S>>, 6> strain_shorthand(const std::string& name, const S& length) {
  using Basis = StrainBasisT<S>;
  std::array<std::optional<Basis>, 6> strain;
  if (name == "pcc") {
    strain[kappa_x] = strain[kappa_y] = strain[sigma_z] = Basis::constant();
  } else if (name == "planar_cc") {
    strain[kappa_y] = Basis::constant();
  } else if (name == "pcs") {
    strain.fill(Basis::constant());
  } else if (name == "pac") {
    strain[kappa_x] = strain[kappa_y] = Basis::of_order(Basis::Kind::monomial, 1);
  } else if (name == "pgc") {
    Basis bump;
    bump.kind = Basis::Kind::gaussian;
    bump.centers = {S(0.5) * length};
    bump.widths = {S(0.25) * length};
    strain[kappa_x] = strain[kappa_y] = bump;
    strain[sigma_z] = Basis::constant();
  } else if (name == "kirchhoff") {
    strain[kappa_x] = strain[kappa_y] = strain[kappa_z] = Basis::constant();
  } else {
    throw ModelError("strain: found '" + name + "', expected " + k_shorthands);
  }
  return strain;
}

template <typename S>
template <typename T>
RodParametersT<T> RodParametersT<S>::cast() const {
  const auto profile = [](const ProfileT<S>& p) { return p.template cast<T>(); };
  const auto profiles = [&](const auto& from) {
    std::array<ProfileT<T>, std::tuple_size_v<std::decay_t<decltype(from)>>> to;
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = profile(from[i]);
    return to;
  };
  RodParametersT<T> other;
  other.length = scalar_cast<T>(length);
  other.section = section.template cast<T>();
  other.material = material.template cast<T>();
  other.sections = sections;
  for (std::size_t i = 0; i < strain.size(); ++i) {
    if (strain[i]) other.strain[i] = strain[i]->template cast<T>();
  }
  other.rest_strain = profiles(rest_strain);
  other.shear_factor = scalar_cast<T>(shear_factor);
  if (torsion_constant) other.torsion_constant = profile(*torsion_constant);
  if (stiffness) other.stiffness = profiles(*stiffness);
  if (mass_per_length) other.mass_per_length = profile(*mass_per_length);
  if (rotary_inertia) other.rotary_inertia = profiles(*rotary_inertia);
  if (hyperelastic_stretch) other.hyperelastic_stretch = hyperelastic_stretch->template cast<T>();
  if (hyperelastic_bend) other.hyperelastic_bend = hyperelastic_bend->template cast<T>();
  return other;
}

#define CUTTLE_INSTANTIATE(S) \
  template struct HyperelasticLawT<S>; \
  template std::array<std::optional<StrainBasisT<S>>, 6> strain_shorthand(const std::string&, const S&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE
#define CUTTLE_INSTANTIATE_PAIR(S, T) template RodParametersT<T> RodParametersT<S>::cast<T>() const;
CUTTLE_FOR_EACH_SCALAR_PAIR(CUTTLE_INSTANTIATE_PAIR)
#undef CUTTLE_INSTANTIATE_PAIR

}  // namespace cuttle
