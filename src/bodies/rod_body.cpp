#include "cuttle/bodies/rod_body.h"

#include <algorithm>
#include <cmath>

#include "bodies/rod_discretization.h"
#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {

template <typename S>
RodBodyT<S>::RodBodyT(const RodParametersT<S>& parameters) {
  check_rod_parameters(parameters);
  discretization_ = std::make_unique<Discretization>(parameters);
}

template <typename S>
RodBodyT<S>::~RodBodyT() = default;

template <typename S>
const RodParametersT<S>& RodBodyT<S>::parameters() const {
  return discretization_->parameters;
}

template <typename S>
int RodBodyT<S>::coordinate_count() const {
  return discretization_->grid.coordinates;
}

template <typename S>
std::vector<CoordinateInfo> RodBodyT<S>::coordinates() const {
  return discretization_->coordinates;
}

template <typename S>
SpatialInertiaT<S> RodBodyT<S>::rest_inertia() const {
  const int n = coordinate_count();
  const WorkspaceSize size = workspace_size();
  std::vector<S> zero(n + 1, S(0.0)), kept(size.persistent), scratch(size.scratch), mass(n * n + 1),
      coupling(6 * n + 1);
  std::vector<PortMotionT<S>> ports(port_count());
  const WorkspaceT<S> workspace{kept.data(), scratch.data(), nullptr};
  BodyStateT<S> state;
  state.q = zero.data();
  forward(MotionLevel::pose, state, workspace, ports.data());
  InertiaBlocksT<S> blocks{mass.data(), coupling.data(), {}};
  inertia_blocks(state, workspace, blocks);
  return blocks.base;
}

template <typename S>
int RodBodyT<S>::add_port(const PortLocationT<S>& location) {
  using Kind = typename PortLocationT<S>::Kind;
  auto& d = *discretization_;
  if (location.kind == Kind::tip) return 0;
  if (location.kind != Kind::section) throw ModelError("a rod has ports at tip and {s}, not at a point or its base");
  const S& L = d.parameters.length;
  if (any(location.s < S(0.0)) || any(location.s > L)) {
    throw ModelError("s: found " + number_text(location.s) + ", expected 0 <= s <= " + number_text(L) + " [m]");
  }
  d.port_positions.push_back(location.s);
  d.build();
  return port_count() - 1;
}

template <typename S>
int RodBodyT<S>::port_count() const {
  return discretization_->grid.ports;
}

template <typename S>
std::vector<typename BodyT<S>::Station> RodBodyT<S>::stations() const {
  return discretization_->stations();
}

namespace {

/// The same rod, ports included, for another scalar.
template <typename T, typename S>
std::unique_ptr<BodyT<T>> converted(const RodParametersT<S>& parameters, const std::vector<S>& ports) {
  auto body = std::make_unique<RodBodyT<T>>(parameters.template cast<T>());
  for (const S& s : ports) body->add_port(PortLocationT<T>::section(scalar_cast<T>(s)));
  return body;
}

}  // namespace

template <typename S>
std::unique_ptr<BodyT<S>> RodBodyT<S>::clone() const {
  return converted<S>(parameters(), discretization_->port_positions);
}
template <typename S>
std::unique_ptr<BodyT<double>> RodBodyT<S>::clone_as(ScalarTag<double>) const {
  return converted<double>(parameters(), discretization_->port_positions);
}
template <typename S>
std::unique_ptr<BodyT<long double>> RodBodyT<S>::clone_as(ScalarTag<long double>) const {
  return converted<long double>(parameters(), discretization_->port_positions);
}

template <typename S>
std::unique_ptr<BodyT<Gradient>> RodBodyT<S>::clone_as(ScalarTag<Gradient>) const {
  return converted<Gradient>(parameters(), discretization_->port_positions);
}

template <typename S>
WorkspaceSize RodBodyT<S>::workspace_size() const {
  const RodGrid<S>& g = discretization_->grid;
  const std::size_t sweeps = 12 * static_cast<std::size_t>(g.stride);
  const std::size_t blocks = 6 * static_cast<std::size_t>(g.columns) * (g.steps + g.main_steps + 1);
  return {padded(static_cast<std::size_t>(RodFields::k_count) * g.stride + 6 * g.coordinates * g.ports),
          padded(std::max(sweeps, blocks)), padded(BodyT<S>::dense_elimination_size(g.coordinates, g.ports))};
}

template <typename S>
void RodBodyT<S>::forward(MotionLevel level, const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
                          PortMotionT<S>* ports) const {
  rod_kernels<S>().forward(discretization_->grid, level, state, workspace.persistent, workspace.scratch, ports);
}

template <typename S>
void RodBodyT<S>::backward(const BodyStateT<S>&, const WrenchT<S>* port_wrenches, const WorkspaceT<S>& workspace,
                           WrenchT<S>& base_wrench, S* force) const {
  rod_kernels<S>().backward(discretization_->grid, port_wrenches, workspace.persistent, workspace.scratch, base_wrench,
                            force);
}

template <typename S>
void RodBodyT<S>::inertia_blocks(const BodyStateT<S>&, const WorkspaceT<S>& workspace,
                                 InertiaBlocksT<S>& blocks) const {
  S* jacobians = workspace.persistent + RodFields::k_count * discretization_->grid.stride;
  rod_kernels<S>().inertia_blocks(discretization_->grid, workspace.persistent, workspace.scratch, blocks, jacobians);
}

template <typename S>
const S* RodBodyT<S>::port_jacobian(const WorkspaceT<S>& workspace, int port) const {
  const RodGrid<S>& g = discretization_->grid;
  return workspace.persistent + RodFields::k_count * g.stride + port * 6 * g.coordinates;
}

namespace {

/// y += A x for the block of each component.
template <typename S>
void add_block_product(const RodGrid<S>& grid, const std::array<std::vector<S>, 6>& blocks, const S* x, S* y) {
  for (int c = 0; c < 6; ++c) {
    if (blocks[c].empty()) continue;
    const int start = grid.component_start[c], modes = grid.component_start[c + 1] - start;
    const S* row = blocks[c].data();
    for (int a = 0; a < modes; ++a, row += modes) {
      S sum(0.0);
      for (int b = 0; b < modes; ++b) sum += row[b] * x[start + b];
      y[start + a] += sum;
    }
  }
}

template <typename S>
void write_blocks(const RodGrid<S>& grid, const std::array<std::vector<S>, 6>& blocks, S* matrix) {
  const int n = grid.coordinates;
  std::fill(matrix, matrix + n * n, S(0.0));
  for (int c = 0; c < 6; ++c) {
    if (blocks[c].empty()) continue;
    const int start = grid.component_start[c], modes = grid.component_start[c + 1] - start;
    for (int a = 0; a < modes; ++a) {
      for (int b = 0; b < modes; ++b) matrix[(start + a) * n + start + b] = blocks[c][a * modes + b];
    }
  }
}

/// The coordinates that hyperelastic laws govern; -1 where there is none.
template <typename S>
struct HyperelasticView {
  int x = -1, y = -1, z = -1;
  S length;
  const HyperelasticLawT<S>*bend = nullptr, *stretch = nullptr;

  HyperelasticView(const RodParametersT<S>& p, const RodGrid<S>& grid) : length(p.length) {
    const auto index = [&](int c) { return p.strain[c] ? grid.component_start[c] : -1; };
    if (p.hyperelastic_bend) bend = &*p.hyperelastic_bend, x = index(kappa_x), y = index(kappa_y);
    if (p.hyperelastic_stretch) stretch = &*p.hyperelastic_stretch, z = index(sigma_z);
  }
  S angle(const S* q) const {
    using std::sqrt;
    const S square = (x >= 0 ? q[x] * q[x] : S(0.0)) + (y >= 0 ? q[y] * q[y] : S(0.0));
    const auto zero = !(square > S(0.0));
    return select(zero, S(0.0), sqrt(select(zero, S(1.0), square)));
  }
};

}  // namespace

template <typename S>
void RodBodyT<S>::add_elastic_force(const S* q, S* force) const {
  const auto& d = *discretization_;
  add_block_product(d.grid, d.stiffness, q, force);
  const HyperelasticView<S> h(d.parameters, d.grid);
  if (h.bend != nullptr) {
    const S k = h.bend->stiffness(h.angle(q));
    for (const int i : {h.x, h.y}) {
      if (i >= 0) force[i] += k * q[i];
    }
  }
  if (h.stretch != nullptr && h.z >= 0) {
    const S e = q[h.z] / h.length;
    force[h.z] += h.stretch->stiffness(e) * e / h.length;
  }
}

template <typename S>
void RodBodyT<S>::add_damping_force(const S*, const S* v, S* force) const {
  const auto& d = *discretization_;
  add_block_product(d.grid, d.damping, v, force);
  if (!d.parameters.material.damping_time) return;
  const S& tau = *d.parameters.material.damping_time;
  const HyperelasticView<S> h(d.parameters, d.grid);
  for (const int i : {h.x, h.y}) {
    if (i >= 0) force[i] += tau * h.bend->stiffness(S(0.0)) * v[i];
  }
  if (h.z >= 0) force[h.z] += tau * h.stretch->stiffness(S(0.0)) * v[h.z] / (h.length * h.length);
}

template <typename S>
void RodBodyT<S>::stiffness_matrix(const S* q, S* stiffness) const {
  const auto& d = *discretization_;
  const int n = d.grid.coordinates;
  write_blocks(d.grid, d.stiffness, stiffness);
  const HyperelasticView<S> h(d.parameters, d.grid);
  if (h.bend != nullptr) {
    // d(k(angle) q_i)/dq_j = k delta_ij + k'(angle)/angle q_i q_j
    const S angle = h.angle(q);
    const auto straight = !(angle > S(0.0));
    const S slope = select(straight, S(0.0), h.bend->stiffness_slope(angle) / select(straight, S(1.0), angle));
    for (const int i : {h.x, h.y}) {
      for (const int j : {h.x, h.y}) {
        if (i >= 0 && j >= 0) stiffness[i * n + j] = slope * q[i] * q[j];
      }
      if (i >= 0) stiffness[i * n + i] += h.bend->stiffness(angle);
    }
  }
  if (h.stretch != nullptr && h.z >= 0) {
    const S e = q[h.z] / h.length;
    stiffness[h.z * n + h.z] = (h.stretch->stiffness(e) + h.stretch->stiffness_slope(e) * e) / (h.length * h.length);
  }
}

template <typename S>
void RodBodyT<S>::damping_matrix(const S*, const S*, S* damping) const {
  const auto& d = *discretization_;
  const int n = d.grid.coordinates;
  write_blocks(d.grid, d.damping, damping);
  if (!d.parameters.material.damping_time) return;
  const S& tau = *d.parameters.material.damping_time;
  const HyperelasticView<S> h(d.parameters, d.grid);
  for (const int i : {h.x, h.y}) {
    if (i >= 0) damping[i * n + i] = tau * h.bend->stiffness(S(0.0));
  }
  if (h.z >= 0) damping[h.z * n + h.z] = tau * h.stretch->stiffness(S(0.0)) / (h.length * h.length);
}

template <typename S>
S RodBodyT<S>::elastic_energy(const S* q) const {
  const auto& d = *discretization_;
  S twice(0.0);
  for (int c = 0; c < 6; ++c) {
    if (d.stiffness[c].empty()) continue;
    const int start = d.grid.component_start[c], modes = d.grid.component_start[c + 1] - start;
    for (int a = 0; a < modes; ++a) {
      for (int b = 0; b < modes; ++b) twice += d.stiffness[c][a * modes + b] * q[start + a] * q[start + b];
    }
  }
  S energy = S(0.5) * twice;
  const HyperelasticView<S> h(d.parameters, d.grid);
  if (h.bend != nullptr) energy += h.bend->energy(h.angle(q));
  if (h.stretch != nullptr && h.z >= 0) energy += h.stretch->energy(q[h.z] / h.length);
  return energy;
}

template <typename S>
S RodBodyT<S>::kinetic_energy(const BodyStateT<S>&, const WorkspaceT<S>& workspace) const {
  const RodGrid<S>& g = discretization_->grid;
  const S* V = workspace.persistent + RodFields::k_velocity * g.stride;
  S twice(0.0);
  for (int j = 0; j < g.main_steps; ++j) {
    for (int i = 0; i < 3; ++i) {
      const S w = V[i * g.stride + j], v = V[(3 + i) * g.stride + j];
      twice += g.rotary[i * g.stride + j] * w * w + g.mass[j] * v * v;
    }
  }
  return S(0.5) * twice;
}

template <typename S>
Vector3T<S> RodBodyT<S>::mass_moment(const WorkspaceT<S>& workspace) const {
  const RodGrid<S>& g = discretization_->grid;
  const S* p = workspace.persistent + RodFields::k_base_position * g.stride;
  Vector3T<S> sum;
  for (int j = 0; j < g.main_steps; ++j) {
    sum += g.mass[j] * Vector3T<S>{p[j], p[g.stride + j], p[2 * g.stride + j]};
  }
  return sum;
}

template <typename S>
TwistT<S> RodBodyT<S>::strain_at(const S& s, const S* q) const {
  const auto& p = parameters();
  const S t = s / p.length;
  TwistT<S> strain;
  std::vector<S> values;
  for (int c = 0; c < 6; ++c) {
    strain[c] = p.rest_strain[c].empty() ? S(c == sigma_z ? 1.0 : 0.0) : p.rest_strain[c].at(t);
    if (!p.strain[c]) continue;
    values.resize(p.strain[c]->mode_count());
    p.strain[c]->evaluate(t, p.length, values.data());
    for (std::size_t k = 0; k < values.size(); ++k) {
      strain[c] += values[k] / p.length * q[discretization_->grid.component_start[c] + static_cast<int>(k)];
    }
  }
  return strain;
}

#define CUTTLE_INSTANTIATE(S) \
  template class RodBodyT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
