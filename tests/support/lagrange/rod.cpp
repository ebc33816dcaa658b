#include "support/lagrange/rod.h"

#include <algorithm>
#include <cmath>

#include "support/lagrange/rod_functions.h"

namespace cuttle::test::lagrange {

namespace {

template <typename T>
Top<T> strain_matrix(const StrainAt& at, const T* q) {
  std::array<T, 6> xi;
  for (int c = 0; c < 6; ++c) xi[c] = T(at.rest[c]);
  for (std::size_t k = 0; k < at.modes.size(); ++k) {
    xi[at.modes[k].first] = xi[at.modes[k].first] + at.modes[k].second * q[k];
  }
  return hat(xi);
}

/// Strain at a section less its rest strain, or strain rate.
Strain strain_change(const Rod::Node& node, const Real* x) {
  Strain delta{};
  for (std::size_t k = 0; k < node.strain.modes.size(); ++k) {
    delta[node.strain.modes[k].first] += node.strain.modes[k].second * x[k];
  }
  return delta;
}

}  // namespace

Rod::Rod(const PlainRod& rod, const RodIntegration& integration)
    : plain(rod), strain(strain_of(rod)), substeps(integration.sections > 0 ? integration.substeps : 0) {
  for (const auto& basis : strain) coordinates += basis ? mode_count(*basis) : 0;
  std::vector<Real> ends{0, plain.length};
  for (const auto& basis : strain) {
    if (basis && basis->basis == "piecewise") ends.insert(ends.end(), basis->breaks.begin(), basis->breaks.end());
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  const int count = integration.sections > 0 ? integration.sections : plain.sections;
  for (std::size_t piece = 0; piece + 1 < ends.size(); ++piece) {
    Real at = ends[piece];
    const Quadrature rule = gauss_legendre(count, ends[piece], ends[piece + 1]);
    for (int i = 0; i < count; ++i) {
      add_step(at, rule.s[i], static_cast<int>(sections.size()));
      add_section(rule.s[i], rule.weight[i]);
      at = rule.s[i];
    }
    add_step(at, ends[piece + 1], -1);
  }
}

StrainAt Rod::strain_at(Real s) const {
  StrainAt at;
  const Real t = s / plain.length;
  for (int c = 0; c < 6; ++c) {
    at.rest[c] = plain.rest_strain[c].empty() ? (c == 5 ? 1 : 0) : profile_at(plain.rest_strain[c], t);
    if (!strain[c]) continue;
    for (const Real phi : shape_functions(*strain[c], t, plain.length)) at.modes.emplace_back(c, phi / plain.length);
  }
  return at;
}

Rod::Step Rod::step_between(Real from, Real to) const {
  Step step{from, to, {}};
  const Real h = to - from;
  if (substeps == 0) {
    for (const Real sign : {-1.0L, 1.0L})
      step.places.push_back(strain_at(from + h * (0.5L + sign * std::sqrt(3.0L) / 6)));
  } else {
    // ends of a piece belong to it: stay inside by far less than rounding matters
    for (int k = 0; k <= 2 * substeps; ++k) {
      const Real x = k == 0 ? 1e-15L : k == 2 * substeps ? 1 - 1e-15L : k / (2.0L * substeps);
      step.places.push_back(strain_at(from + h * x));
    }
  }
  return step;
}

void Rod::add_step(Real from, Real to, int section) {
  steps.push_back(step_between(from, to));
  section_of_step.push_back(section);
}

void Rod::add_section(Real s, Real weight) {
  const Real t = s / plain.length;
  Node node;
  node.weight = weight;
  node.strain = strain_at(s);
  std::array<Real, 4> A{};
  const bool has_section = !plain.section.lengths.empty();
  if (has_section) A = section_at(plain.section, t);
  Real mu = has_section && plain.density ? *plain.density * A[0] : 0;
  if (!plain.mass_per_length.empty()) mu = profile_at(plain.mass_per_length, t);
  node.mass.mass = weight * mu;
  for (int i = 0; i < 3; ++i) {
    Real rotary = plain.density ? *plain.density * A[i + 1] : 0;
    if (!plain.rotary_inertia.empty()) rotary = profile_at(plain.rotary_inertia[i], t);
    node.mass.inertia[i][i] = weight * rotary;
  }
  const Real E = plain.c1 ? 6 * static_cast<Real>(*plain.c1) : static_cast<Real>(plain.young_modulus.value_or(0));
  const Real G = E / (2 * (1 + (plain.c1 ? 0.5L : static_cast<Real>(plain.poisson_ratio))));
  Real torsion = 0;
  if (!plain.torsion_constant.empty()) {
    torsion = profile_at(plain.torsion_constant, t);
  } else if (has_section) {
    torsion = plain.polar_torsion ? A[3] : torsion_constant_at(plain.section, t);
  }
  const Real k = plain.shear_factor;
  node.stiffness = {E * A[1], E * A[2], G * torsion, k * G * A[0], k * G * A[0], E * A[0]};
  for (int c = 0; c < 6; ++c) {
    if (!plain.stiffness.empty()) node.stiffness[c] = profile_at(plain.stiffness[c], t);
    if (plain.damping_time) node.damping[c] = *plain.damping_time * node.stiffness[c];
  }
  if (plain.viscosity) {
    const Real eta = *plain.viscosity;
    node.damping = {3 * eta * A[1], 3 * eta * A[2], eta * torsion, eta * A[0], eta * A[0], 3 * eta * A[0]};
  }
  // the laws take the place of the linear terms
  for (Strain* diagonal : {&node.stiffness, &node.damping}) {
    if (plain.hyperelastic_bend) (*diagonal)[0] = (*diagonal)[1] = 0;
    if (plain.hyperelastic_stretch) (*diagonal)[5] = 0;
  }
  sections.push_back(node);
}

template <typename T>
Top<T> Rod::advance(const Top<T>& g, const Step& step, const T* q) const {
  const Real h = step.to - step.from;
  if (substeps == 0) {
    const Top<T> a = strain_matrix(step.places[0], q), b = strain_matrix(step.places[1], q);
    const Top<T> bracket = times_algebra(a, b) + (-1.0L) * times_algebra(b, a);
    return times_pose(g, exponential(h / 2 * (a + b) + std::sqrt(3.0L) / 12 * h * h * bracket));
  }
  Top<T> at = g;
  const Real e = h / substeps;
  for (int k = 0; k < substeps; ++k) {
    const Top<T> x0 = strain_matrix(step.places[2 * k], q), x1 = strain_matrix(step.places[2 * k + 1], q),
                 x2 = strain_matrix(step.places[2 * k + 2], q);
    const Top<T> k1 = times_algebra(at, x0);
    const Top<T> k2 = times_algebra(at + e / 2 * k1, x1);
    const Top<T> k3 = times_algebra(at + e / 2 * k2, x1);
    const Top<T> k4 = times_algebra(at + e * k3, x2);
    at = at + e / 6 * (k1 + 2.0L * k2 + 2.0L * k3 + k4);
  }
  return at;
}

template Top<Real> Rod::advance(const Top<Real>&, const Step&, const Real*) const;
template Top<Dual1> Rod::advance(const Top<Dual1>&, const Step&, const Dual1*) const;
template Top<Dual2> Rod::advance(const Top<Dual2>&, const Step&, const Dual2*) const;

int Rod::first_mode(int component) const {
  int k = 0;
  for (int c = 0; c < component; ++c) k += strain[c] ? mode_count(*strain[c]) : 0;
  return k;
}

Real Rod::constant_mode(int component, const Real* q) const { return strain[component] ? q[first_mode(component)] : 0; }

void Rod::add_to_constant_mode(int component, Real value, Real* force) const {
  if (strain[component]) force[first_mode(component)] += value;
}

void Rod::add_linear_force(const Real* x, bool elastic, Real* force) const {
  for (const Node& node : sections) {
    const Strain& diagonal = elastic ? node.stiffness : node.damping;
    const Strain delta = strain_change(node, x);
    for (std::size_t k = 0; k < node.strain.modes.size(); ++k) {
      const int c = node.strain.modes[k].first;
      force[k] += node.weight * node.strain.modes[k].second * diagonal[c] * delta[c];
    }
  }
}

void Rod::add_elastic_force(const Real* q, Real* force) const {
  add_linear_force(q, true, force);
  if (plain.hyperelastic_bend) {
    const Real x = constant_mode(0, q), y = constant_mode(1, q);
    const Real k = law_at(*plain.hyperelastic_bend, std::sqrt(x * x + y * y));
    add_to_constant_mode(0, k * x, force);
    add_to_constant_mode(1, k * y, force);
  }
  if (plain.hyperelastic_stretch) {
    const Real e = constant_mode(5, q) / plain.length;
    add_to_constant_mode(5, law_at(*plain.hyperelastic_stretch, e) * e / plain.length, force);
  }
}

void Rod::add_damping_force(const Real* v, Real* force) const {
  add_linear_force(v, false, force);
  const Real tau = plain.damping_time.value_or(0);
  if (plain.hyperelastic_bend) {
    const Real d = tau * law_at(*plain.hyperelastic_bend, 0);
    for (const int c : {0, 1}) add_to_constant_mode(c, d * constant_mode(c, v), force);
  }
  if (plain.hyperelastic_stretch) {
    const Real d = tau * law_at(*plain.hyperelastic_stretch, 0) / (plain.length * plain.length);
    add_to_constant_mode(5, d * constant_mode(5, v), force);
  }
}

Real Rod::elastic_energy(const Real* q) const {
  Real energy = 0;
  for (const Node& node : sections) {
    const Strain delta = strain_change(node, q);
    for (int c = 0; c < 6; ++c) energy += node.weight * node.stiffness[c] * delta[c] * delta[c] / 2;
  }
  if (plain.hyperelastic_bend) {
    const Real x = constant_mode(0, q), y = constant_mode(1, q);
    energy += law_energy(*plain.hyperelastic_bend, std::sqrt(x * x + y * y));
  }
  if (plain.hyperelastic_stretch) {
    energy += law_energy(*plain.hyperelastic_stretch, constant_mode(5, q) / plain.length);
  }
  return energy;
}

}  // namespace cuttle::test::lagrange
