#include <array>
#include <cmath>

#include "bodies/rod/rod_discretization.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/error.h"

namespace cuttle {

namespace {

constexpr const char* k_shorthands = "pcc, planar_cc, pcs, pac, pgc or kirchhoff";

/// Constant on each of some equal parts of the rod.
template <typename S>
StrainBasisT<S> constant_pieces(int pieces, const S& length) {
  StrainBasisT<S> basis;
  if (pieces > 1) basis.kind = StrainBasisT<S>::Kind::piecewise;
  for (int i = 1; i < pieces; ++i) basis.breaks.push_back(S(1.0 * i) * length / S(1.0 * pieces));
  return basis;
}

}  // namespace

const char* strain_component_name(int component) {
  static constexpr const char* k_names[6] = {"kappa_x", "kappa_y", "kappa_z", "sigma_x", "sigma_y", "sigma_z"};
  return k_names[component];
}

const char* strain_component_meaning(int component) {
  static constexpr const char* k_meanings[6] = {"curvature about x", "curvature about y", "twist about z",
                                                "shear along x",     "shear along y",     "stretch along z"};
  return k_meanings[component];
}

template <typename S>
std::array<std::optional<StrainBasisT<S>>, 6> strain_shorthand(const std::string& name, const S& length, int pieces) {
  using Basis = StrainBasisT<S>;
  if (pieces < 1) throw ModelError("pieces", std::to_string(pieces), "an integer >= 1");
  if (pieces > 1 && (name == "pac" || name == "pgc")) {
    throw ModelError("pieces", "it beside " + name + ", whose strain varies along a piece",
                     "a shorthand of constant strain: pcc, planar_cc, pcs or kirchhoff");
  }
  const Basis constant = constant_pieces(pieces, length);
  std::array<std::optional<Basis>, 6> strain;
  if (name == "pcc") {
    strain[kappa_x] = strain[kappa_y] = strain[sigma_z] = constant;
  } else if (name == "planar_cc") {
    strain[kappa_y] = constant;
  } else if (name == "pcs") {
    strain.fill(constant);
  } else if (name == "pac") {
    strain[kappa_x] = strain[kappa_y] = Basis::of_order(Basis::Kind::monomial, 1);
  } else if (name == "pgc") {
    Basis bump;
    bump.kind = Basis::Kind::gaussian;
    bump.centers = {S(0.5) * length};
    bump.widths = {S(0.25) * length};
    strain[kappa_x] = strain[kappa_y] = bump;
    strain[sigma_z] = constant;
  } else if (name == "kirchhoff") {
    strain[kappa_x] = strain[kappa_y] = strain[kappa_z] = constant;
  } else {
    throw ModelError("strain", "'" + name + "'", k_shorthands);
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
  other.quadrature_points = quadrature_points;
  for (std::size_t i = 0; i < strain.size(); ++i) {
    if (strain[i]) other.strain[i] = strain[i]->template cast<T>();
  }
  other.rest_strain = profiles(rest_strain);
  other.shear_factor = scalar_cast<T>(shear_factor);
  if (const auto* values = std::get_if<ProfileT<S>>(&torsion_constant)) {
    other.torsion_constant = profile(*values);
  } else {
    other.torsion_constant = std::get<TorsionConstant>(torsion_constant);
  }
  if (stiffness) other.stiffness = profiles(*stiffness);
  if (damping) other.damping = profiles(*damping);
  for (std::size_t c = 0; c < stiffening.size(); ++c) {
    other.stiffening[c].reserve(stiffening[c].size());
    for (const S& factor : stiffening[c]) other.stiffening[c].push_back(scalar_cast<T>(factor));
  }
  if (mass_per_length) other.mass_per_length = profile(*mass_per_length);
  if (rotary_inertia) other.rotary_inertia = profiles(*rotary_inertia);
  if (hyperelastic_stretch) other.hyperelastic_stretch = hyperelastic_stretch->template cast<T>();
  if (hyperelastic_bend) other.hyperelastic_bend = hyperelastic_bend->template cast<T>();
  return other;
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_INSTANTIATE(S) \
  template std::array<std::optional<StrainBasisT<S>>, 6> strain_shorthand(const std::string&, const S&, int);
// NOLINTEND(bugprone-macro-parentheses)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE
#define CUTTLE_INSTANTIATE_PAIR(S, T) template RodParametersT<T> RodParametersT<S>::cast<T>() const;
CUTTLE_FOR_EACH_SCALAR_PAIR(CUTTLE_INSTANTIATE_PAIR)
#undef CUTTLE_INSTANTIATE_PAIR

}  // namespace cuttle
