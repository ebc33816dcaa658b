#include <cmath>

#include "bodies/rod/rod_discretization.h"
#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

enum class Range { any, positive, not_negative };

template <typename S>
void check(const std::string& key, const S& value, Range range, const std::string& unit) {
  using std::isfinite;
  const bool finite = isfinite(value);
  if (range == Range::positive && (!finite || any(value <= S(0.0))))
    throw ModelError(key, number_text(value), "a number > 0 " + unit);
  if (range == Range::not_negative && (!finite || any(value < S(0.0))))
    throw ModelError(key, number_text(value), "a number >= 0 " + unit);
  if (!finite) throw ModelError(key, number_text(value), "a finite number " + unit);
}

template <typename S>
void check(const std::string& key, const ProfileT<S>& profile, Range range, const std::string& unit) {
  if (profile.empty()) throw ModelError(key, "nothing", "a number or a list of numbers " + unit);
  for (std::size_t i = 0; i < profile.values.size(); ++i) {
    const std::string place = profile.values.size() > 1 ? key + "[" + std::to_string(i) + "]" : key;
    check(place, profile.values[i], range, unit);
  }
}

template <typename S>
void check_section(const SectionT<S>& section) {
  for (const auto& size : section.sizes()) {
    check(std::string("section.") + size.key, section.*size.value,
          size.may_be_zero ? Range::not_negative : Range::positive, size.unit);
  }
  if (section.shape != SectionT<S>::Shape::annulus) return;
  // both are linear between the knots of either
  for (const std::size_t count : {section.radius.values.size(), section.inner_radius.values.size()}) {
    for (std::size_t i = 0; i < count; ++i) {
      const S t(count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0.0);
      if (any(section.inner_radius.at(t) < section.radius.at(t))) continue;
      throw ModelError("section.inner_radius", number_text(section.inner_radius.at(t)),
                       "a number below radius = " + number_text(section.radius.at(t)) + " [m]");
    }
  }
}

template <typename S>
void check_hyperelastic(const RodParametersT<S>& p) {
  if (!p.hyperelastic_bend && !p.hyperelastic_stretch) return;
  if (p.material.viscosity && !p.damping) {
    throw ModelError("material.viscosity", number_text(*p.material.viscosity),
                     "damping_time: a hyperelastic rod has no viscosity");
  }
  for (int c = 0; c < 6; ++c) {
    if (p.strain[c] && (!p.strain[c]->is_constant() || p.strain[c]->mode_count() != 1)) {
      throw ModelError(std::string("strain.") + strain_component_name(c), "a basis that varies along the rod",
                       "constant: hyperelastic laws hold for constant-strain rods only");
    }
  }
  const auto law = [](const char* key, const std::optional<HyperelasticLawT<S>>& l) {
    if (l && l->polynomial.empty() && !l->tanh) throw ModelError(key, "nothing", "polynomial coefficients or tanh");
    if (l && !any(l->stiffness(S(0.0)) > S(0.0))) {
      throw ModelError(key, "a stiffness of " + number_text(l->stiffness(S(0.0))) + " at zero strain", "a number > 0");
    }
  };
  law("hyperelastic.stretch", p.hyperelastic_stretch);
  law("hyperelastic.bend", p.hyperelastic_bend);
}

template <typename S>
void check_stiffening(const RodParametersT<S>& p) {
  for (int c = 0; c < 6; ++c) {
    if (p.stiffening[c].empty()) continue;
    const std::string key = std::string("stiffening.") + strain_component_name(c);
    for (std::size_t i = 0; i < p.stiffening[c].size(); ++i) {
      const std::string unit = c < 3 ? "[m^" + std::to_string(i + 1) + "]" : "[-]";
      check(key + "[" + std::to_string(i) + "]", p.stiffening[c][i], Range::any, unit);
    }
    const bool bends = p.hyperelastic_bend && (c == kappa_x || c == kappa_y);
    if (bends || (p.hyperelastic_stretch && c == sigma_z)) {
      throw ModelError(key, std::string("it beside hyperelastic.") + (bends ? "bend" : "stretch"),
                       "at most one of the two");
    }
  }
}

}  // namespace

template <typename S>
void check_rod_parameters(const RodParametersT<S>& p) {
  check("length", p.length, Range::positive, "[m]");
  if (p.quadrature_points < 1 || p.quadrature_points > k_most_quadrature_points) {
    throw ModelError("quadrature.points", std::to_string(p.quadrature_points),
                     "an integer from 1 to " + std::to_string(k_most_quadrature_points));
  }
  for (int c = 0; c < 6; ++c) {
    const std::string name = strain_component_name(c);
    if (p.strain[c]) {
      at_place({"strain", name}, "", [&] { p.strain[c]->check(p.length); });
    }
    // a rod whose rest length is none or negative has no cross-sections to speak of
    const Range range = c == sigma_z ? Range::positive : Range::any;
    if (!p.rest_strain[c].empty()) check("rest_strain." + name, p.rest_strain[c], range, c < 3 ? "[1/m]" : "[-]");
  }
  const bool needs_density = !p.mass_per_length || !p.rotary_inertia;
  if (needs_density || !p.stiffness || (p.material.viscosity && !p.damping)) check_section(p.section);
  if (needs_density) {
    if (!p.material.density) throw ModelError("material.density", "nothing", "a number > 0 [kg/m^3]");
    check("material.density", *p.material.density, Range::positive, "[kg/m^3]");
  }
  if (!p.stiffness) {
    if (!p.material.young_modulus) throw ModelError("material.young_modulus", "nothing", "a number > 0 [Pa]");
    check("material.young_modulus", *p.material.young_modulus, Range::positive, "[Pa]");
  }
  check("material.poisson_ratio", p.material.poisson_ratio, Range::any, "");
  if (any(p.material.poisson_ratio <= S(-1.0)) || any(p.material.poisson_ratio > S(0.5))) {
    throw ModelError("material.poisson_ratio", number_text(p.material.poisson_ratio),
                     "a number above -1 and at most 0.5");
  }
  if (p.material.damping_time && p.material.viscosity) {
    throw ModelError("material", "damping_time and viscosity", "at most one of the two");
  }
  if (p.material.damping_time) check("material.damping_time", *p.material.damping_time, Range::not_negative, "[s]");
  if (p.material.viscosity) check("material.viscosity", *p.material.viscosity, Range::not_negative, "[Pa s]");
  check("shear_factor", p.shear_factor, Range::positive, "");
  if (const auto* values = std::get_if<ProfileT<S>>(&p.torsion_constant)) {
    check("torsion_constant", *values, Range::positive, "[m^4]");
  }
  if (p.mass_per_length) check("mass_per_length", *p.mass_per_length, Range::positive, "[kg/m]");
  for (int c = 0; p.stiffness && c < 6; ++c) {
    check("stiffness[" + std::to_string(c) + "]", (*p.stiffness)[c], Range::not_negative, c < 3 ? "[N m^2]" : "[N]");
  }
  for (int c = 0; p.damping && c < 6; ++c) {
    check("damping[" + std::to_string(c) + "]", (*p.damping)[c], Range::not_negative, c < 3 ? "[N m^2 s]" : "[N s]");
  }
  for (int i = 0; p.rotary_inertia && i < 3; ++i) {
    check("rotary_inertia[" + std::to_string(i) + "]", (*p.rotary_inertia)[i], Range::not_negative, "[kg m]");
  }
  check_hyperelastic(p);
  check_stiffening(p);
}

#define CUTTLE_INSTANTIATE(S) template void check_rod_parameters(const RodParametersT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
