#include "cuttle/bodies/rod_body.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "bodies/rod/rod_discretization.h"
#include "bodies/rod/rod_kernels.h"
#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {

template <typename S>
RodBodyT<S>::RodBodyT(const RodParametersT<S>& parameters)
    : RodDynamicsT<S>((check_rod_parameters(parameters), Discretization::of(parameters))) {}

template <typename S>
RodBodyT<S>::RodBodyT(std::shared_ptr<const Discretization> tables) : RodDynamicsT<S>(std::move(tables)) {}

template <typename S>
const typename RodBodyT<S>::Discretization& RodBodyT<S>::discretization() const {
  return static_cast<const Discretization&>(*this->tables_);
}

template <typename S>
const RodParametersT<S>& RodBodyT<S>::parameters() const {
  return discretization().parameters;
}

template <typename S>
std::vector<CoordinateInfo> RodBodyT<S>::coordinates() const {
  return discretization().coordinates;
}

template <typename S>
SpatialInertiaT<S> RodBodyT<S>::rest_inertia() const {
  const WorkspaceSize size = this->workspace_size();
  std::vector<S> zero(this->coordinate_count() + 1, S(0.0)), kept(size.persistent), scratch(size.scratch);
  std::vector<PortMotionT<S>> ports(this->port_count());
  BodyStateT<S> state;
  state.q = zero.data();
  this->forward(MotionLevel::pose, state, {kept.data(), scratch.data(), nullptr}, ports.data());
  RodGrid<S> held = this->tables_->grid;  // without coordinates: with all of them this is a mass matrix
  held.coordinates = held.columns = held.ports = 0;
  std::fill(std::begin(held.component_start), std::end(held.component_start), 0);
  InertiaBlocksT<S> blocks{nullptr, nullptr, {}};
  rod_kernels<S>().inertia_blocks(held, kept.data(), scratch.data(), blocks, nullptr);
  return blocks.base;
}

template <typename S>
int RodBodyT<S>::add_port(const PortLocationT<S>& location) {
  return add_ports({location}).front();
}

template <typename S>
std::vector<int> RodBodyT<S>::add_ports(const std::vector<PortLocationT<S>>& locations) {
  using Kind = typename PortLocationT<S>::Kind;
  const Discretization& d = discretization();
  const S& L = d.parameters.length;
  std::vector<int> indices;
  std::vector<S> ports = d.port_positions;
  int next = this->port_count();
  for (const PortLocationT<S>& location : locations) {
    if (location.kind == Kind::tip) {
      indices.push_back(0);
      continue;
    }
    if (location.kind != Kind::section) throw ModelError("a rod has ports at tip and {s}, not at a point or its base");
    if (any(location.s < S(0.0)) || any(location.s > L)) {
      throw ModelError("s", number_text(location.s), "0 <= s <= " + number_text(L) + " [m]");
    }
    ports.push_back(location.s);
    indices.push_back(next++);
  }
  if (ports.size() > d.port_positions.size()) this->take(Discretization::of(d.parameters, ports));
  return indices;
}

template <typename S>
std::vector<typename BodyT<S>::Station> RodBodyT<S>::stations() const {
  return discretization().stations();
}

namespace {

/// The same rod, ports included, for another scalar.
template <typename T, typename S>
std::unique_ptr<BodyT<T>> converted(const RodParametersT<S>& parameters, const std::vector<S>& ports) {
  auto body = std::make_unique<RodBodyT<T>>(parameters.template cast<T>());
  std::vector<PortLocationT<T>> locations;
  locations.reserve(ports.size());
  for (const S& s : ports) locations.push_back(PortLocationT<T>::section(scalar_cast<T>(s)));
  body->add_ports(locations);
  return body;
}

/// `sum` and the strains that coordinates q give by the columns of `shape`.
template <typename S>
TwistT<S> add_strains(const std::vector<TwistT<S>>& shape, const S* q, TwistT<S> sum) {
  for (std::size_t j = 0; j < shape.size(); ++j) {
    for (int c = 0; c < 6; ++c) sum[c] += shape[j][c] * q[j];
  }
  return sum;
}

}  // namespace

template <typename S>
std::unique_ptr<BodyT<S>> RodBodyT<S>::clone() const {
  return std::unique_ptr<RodBodyT>(new RodBodyT(std::static_pointer_cast<const Discretization>(this->tables_)));
}
template <typename S>
std::unique_ptr<BodyT<double>> RodBodyT<S>::clone_as(ScalarTag<double>) const {
  return converted<double>(parameters(), discretization().port_positions);
}
template <typename S>
std::unique_ptr<BodyT<long double>> RodBodyT<S>::clone_as(ScalarTag<long double>) const {
  return converted<long double>(parameters(), discretization().port_positions);
}

template <typename S>
std::unique_ptr<BodyT<ForwardDual>> RodBodyT<S>::clone_as(ScalarTag<ForwardDual>) const {
  return converted<ForwardDual>(parameters(), discretization().port_positions);
}

template <typename S>
void RodBodyT<S>::strain_map(const S& s, TwistT<S>& rest, TwistT<S>* shape) const {
  const auto& p = parameters();
  const S t = s / p.length;
  std::vector<S> values;
  for (int c = 0; c < 6; ++c) {
    rest[c] = p.rest_strain[c].empty() ? S(c == sigma_z ? 1.0 : 0.0) : p.rest_strain[c].at(t);
    if (!p.strain[c]) continue;
    values.resize(p.strain[c]->mode_count());
    p.strain[c]->evaluate(t, p.length, values.data());
    for (std::size_t k = 0; k < values.size(); ++k) {
      TwistT<S>& column = shape[this->tables_->grid.component_start[c] + static_cast<int>(k)];
      for (int i = 0; i < 6; ++i) column[i] = i == c ? values[k] / p.length : S(0.0);
    }
  }
}

template <typename S>
TwistT<S> RodBodyT<S>::strain_at(const S& s, const S* q) const {
  TwistT<S> strain;
  std::vector<TwistT<S>> shape(this->coordinate_count());
  strain_map(s, strain, shape.data());
  return add_strains(shape, q, strain);
}

namespace {

/// Moment or force of the section at t = s/L for a unit rate of each strain [N m^2 s, N s], from the stress in its
/// fibers: `stretching` times their rate of stretch, `shearing` times their rate of shear.
template <typename S>
std::array<S, 6> section_viscosity(const RodParametersT<S>& p, const S& t) {
  const RodMaterialT<S>& material = p.material;
  std::array<S, 6> viscosity;
  viscosity.fill(S(0.0));
  if (p.damping) {
    for (int c = 0; c < 6; ++c) viscosity[c] = (*p.damping)[c].at(t);
    return viscosity;
  }
  if (!material.viscosity && !material.damping_time) return viscosity;
  if (!material.viscosity && p.stiffness) {
    for (int c = 0; c < 6; ++c) viscosity[c] = *material.damping_time * (*p.stiffness)[c].at(t);
  } else {
    S stretching, shearing, shear_factor;
    if (material.viscosity) {  // a fiber keeps its volume: Trouton's three
      stretching = S(3.0) * *material.viscosity, shearing = *material.viscosity, shear_factor = S(1.0);
    } else {
      stretching = *material.damping_time * *material.young_modulus;
      shearing = stretching / (S(2.0) + S(2.0) * material.poisson_ratio), shear_factor = p.shear_factor;
    }
    const auto section = p.section.at(t);
    viscosity[kappa_x] = stretching * section.Ix, viscosity[kappa_y] = stretching * section.Iy;
    viscosity[sigma_z] = stretching * section.area;
    viscosity[kappa_z] = shearing * torsion_constant(p, t);
    viscosity[sigma_x] = viscosity[sigma_y] = shear_factor * shearing * section.area;
  }
  // laws of the whole rod: of the angle kappa L and of the elongation sigma - 1, both the same all along it
  if (p.hyperelastic_bend) {
    viscosity[kappa_x] = viscosity[kappa_y] =
        *material.damping_time * p.hyperelastic_bend->stiffness(S(0.0)) * p.length;
  }
  if (p.hyperelastic_stretch) {
    viscosity[sigma_z] = *material.damping_time * p.hyperelastic_stretch->stiffness(S(0.0)) / p.length;
  }
  return viscosity;
}

}  // namespace

template <typename S>
S RodBodyT<S>::dissipation(const S*, const S* v) const {
  S twice(0.0);
  TwistT<S> rest;
  std::vector<TwistT<S>> shape(this->coordinate_count());
  for (const auto& [s, weight] : this->stations()) {
    const std::array<S, 6> viscosity = section_viscosity<S>(parameters(), s / parameters().length);
    strain_map(s, rest, shape.data());
    const TwistT<S> rate = add_strains(shape, v, TwistT<S>::zero());
    for (int c = 0; c < 6; ++c) twice += weight * viscosity[c] * rate[c] * rate[c];
  }
  return S(0.5) * twice;
}

template <typename S>
SectionInertiaT<S> RodBodyT<S>::section_inertia(const S& s) const {
  return cuttle::section_inertia(parameters(), s / parameters().length);
}

template <typename S>
std::vector<S> RodBodyT<S>::strain_breaks() const {
  std::vector<S> breaks;
  for (const auto& basis : parameters().strain) {
    if (!basis || basis->kind != StrainBasisT<S>::Kind::piecewise) continue;
    breaks.insert(breaks.end(), basis->breaks.begin(), basis->breaks.end());
  }
  std::sort(breaks.begin(), breaks.end(), [](const S& a, const S& b) { return any(a < b); });
  return breaks;
}

template <typename S>
std::unique_ptr<BodyT<S>> RodBodyT<S>::with_quadrature_points(int count) const {
  RodParametersT<S> other = parameters();
  other.quadrature_points = count;
  return std::make_unique<RodBodyT>(other);
}

template <typename S>
bool RodBodyT<S>::has_energy_density() const {
  const auto& p = parameters();
  return p.section.is_given() &&
         (p.hyperelastic_bend || p.hyperelastic_stretch || p.stiffness || p.material.young_modulus);
}

template <typename S>
void RodBodyT<S>::energy_density(const S* q, const Vector3T<S>* x, std::size_t count, S* density) const {
  if (!has_energy_density()) return BodyT<S>::energy_density(q, x, count, density);
  const auto& p = parameters();
  if (p.hyperelastic_bend || p.hyperelastic_stretch) {
    constexpr int k_pieces = 32;  // of the trapezoidal rule
    S volume(0.0);
    for (int k = 0; k <= k_pieces; ++k) {
      const S weight = S(k == 0 || k == k_pieces ? 0.5 : 1.0) * p.length / S(1.0 * k_pieces);
      volume += weight * p.section.at(S(k / static_cast<double>(k_pieces))).area;
    }
    std::fill_n(density, count, this->elastic_energy(q) / volume);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const S t = x[i].z / p.length;
    const TwistT<S> strain = strain_at(x[i].z, q);
    S energy(0.0);
    for (int c = 0; c < 6; ++c) {
      if (!p.strain[c]) continue;
      const S rest = p.rest_strain[c].empty() ? S(c == sigma_z ? 1.0 : 0.0) : p.rest_strain[c].at(t);
      const S change = strain[c] - rest;
      S factor(0.5), power = change;  // of 1/2 e^2 + c1 e^3 / 3 + c2 e^4 / 4 + .. without its e^2
      for (std::size_t m = 0; m < p.stiffening[c].size(); ++m, power = power * change) {
        factor += p.stiffening[c][m] * power * S(1.0 / static_cast<double>(m + 3));
      }
      energy += section_rigidity(p, c, t) * factor * change * change;
    }
    density[i] = energy / p.section.at(t).area;
  }
}

#define CUTTLE_INSTANTIATE(S) template class RodBodyT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
