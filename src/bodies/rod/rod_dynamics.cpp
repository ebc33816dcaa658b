#include "cuttle/bodies/rod_dynamics.h"

#include <algorithm>
#include <cmath>

#include "bodies/rod/rod_packing.h"
#include "bodies/rod/rod_tables.h"
#include "bodies/rod/rod_tangent.h"
#include "cuttle/bodies/rod_body.h"

namespace cuttle {

template <typename S>
RodDynamicsT<S>::RodDynamicsT(std::shared_ptr<const RodTables<S>> tables) {
  take(std::move(tables));
}

template <typename S>
void RodDynamicsT<S>::take(std::shared_ptr<const RodTables<S>> tables) {
  tables_ = std::move(tables);
  if constexpr (std::is_same_v<S, double> || std::is_same_v<S, long double>) tangent_ = make_rod_tangent(*tables_);
  if constexpr (std::is_same_v<S, double>) packing_ = std::make_unique<RodPacking>(*tables_);
}

template <typename S>
RodDynamicsT<S>::~RodDynamicsT() = default;

template <typename S>
int RodDynamicsT<S>::coordinate_count() const {
  return tables_->grid.coordinates;
}

template <typename S>
int RodDynamicsT<S>::port_count() const {
  return tables_->grid.ports;
}

template <typename S>
WorkspaceSize RodDynamicsT<S>::workspace_size() const {
  const RodGrid<S>& g = tables_->grid;
  const std::size_t sweeps = static_cast<std::size_t>(12 + RodFields::k_count - RodFields::k_motion) * g.stride;
  const std::size_t columns = static_cast<std::size_t>(g.columns), stride = static_cast<std::size_t>(g.stride);
  const std::size_t blocks = 6 * (columns * (g.steps + g.main_steps + 1) + stride);
  return {padded(static_cast<std::size_t>(RodFields::k_count) * g.stride + 6 * g.coordinates * g.ports),
          padded(std::max({sweeps, blocks, 6 * columns * stride})),
          padded(BodyT<S>::dense_elimination_size(g.coordinates, g.ports))};
}

template <typename S>
void RodDynamicsT<S>::forward(MotionLevel level, const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
                              PortMotionT<S>* ports) const {
  rod_kernels<S>().forward(tables_->grid, level, state, workspace.persistent, workspace.scratch, ports);
}

template <typename S>
void RodDynamicsT<S>::backward(const BodyStateT<S>&, const WrenchT<S>* port_wrenches, const WorkspaceT<S>& workspace,
                               WrenchT<S>& base_wrench, S* force) const {
  rod_kernels<S>().backward(tables_->grid, port_wrenches, workspace.persistent, workspace.scratch, base_wrench, force);
}

template <typename S>
void RodDynamicsT<S>::inertia_blocks(const BodyStateT<S>&, const WorkspaceT<S>& workspace,
                                     InertiaBlocksT<S>& blocks) const {
  S* jacobians = workspace.persistent + RodFields::k_count * tables_->grid.stride;
  rod_kernels<S>().inertia_blocks(tables_->grid, workspace.persistent, workspace.scratch, blocks, jacobians);
}

template <typename S>
const S* RodDynamicsT<S>::port_jacobian(const WorkspaceT<S>& workspace, int port) const {
  const RodGrid<S>& g = tables_->grid;
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

/// 1 + c1 e + c2 e^2 + .. without its 1, times e: what stiffening adds to a section's stress for one unit of rigidity;
/// its slope, and its integral.
template <typename S>
struct StiffeningTerms {
  S stress{0.0}, slope{0.0}, energy{0.0};

  StiffeningTerms(const std::vector<S>& factors, const S& e) {
    S power = e;  // e^m
    double m = 1.0;
    for (const S& c : factors) {
      const S term = c * power;
      slope += S(m + 1.0) * term;
      stress += term * e;
      energy += term * e * e * S(1.0 / (m + 2.0));
      power = power * e, m += 1.0;
    }
  }
};

/// Calls `each(first coordinate, modes, row of the shape, rigidity, terms)` at each station of components that stiffen.
template <typename S, typename Each>
void for_each_stiffening(const RodTables<S>& d, const S* q, const Each& each) {
  for (int c = 0; c < 6; ++c) {
    const auto& stiffening = d.stiffening[c];
    if (stiffening.factors.empty()) continue;
    const int start = d.grid.component_start[c], modes = d.grid.component_start[c + 1] - start;
    const S* row = stiffening.shape.data();
    for (const S& rigidity : stiffening.rigidity) {
      S e(0.0);
      for (int a = 0; a < modes; ++a) e += row[a] * q[start + a];
      each(start, modes, row, rigidity, StiffeningTerms<S>(stiffening.factors, e));
      row += modes;
    }
  }
}

/// The coordinates that hyperelastic laws govern; -1 where there is none.
template <typename S>
struct HyperelasticView {
  int x = -1, y = -1, z = -1;
  S length;
  const HyperelasticLawT<S>*bend = nullptr, *stretch = nullptr;

  explicit HyperelasticView(const RodTables<S>& d) : length(d.length) {
    const auto index = [&](int c) {
      const int* start = d.grid.component_start;
      return start[c] < start[c + 1] ? start[c] : -1;
    };
    if (d.bend) bend = &*d.bend, x = index(kappa_x), y = index(kappa_y);
    if (d.stretch) stretch = &*d.stretch, z = index(sigma_z);
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
void RodDynamicsT<S>::add_elastic_force(const S* q, S* force) const {
  const RodTables<S>& d = *tables_;
  add_block_product(d.grid, d.stiffness, q, force);
  for_each_stiffening(d, q, [&](int start, int modes, const S* row, const S& rigidity, const auto& terms) {
    const S stress = rigidity * terms.stress;
    for (int a = 0; a < modes; ++a) force[start + a] += row[a] * stress;
  });
  const HyperelasticView<S> h(d);
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
void RodDynamicsT<S>::add_damping_force(const S*, const S* v, S* force) const {
  const RodTables<S>& d = *tables_;
  add_block_product(d.grid, d.damping, v, force);
  if (!d.damping_time) return;
  const S& tau = *d.damping_time;
  const HyperelasticView<S> h(d);
  for (const int i : {h.x, h.y}) {
    if (i >= 0) force[i] += tau * h.bend->stiffness(S(0.0)) * v[i];
  }
  if (h.z >= 0) force[h.z] += tau * h.stretch->stiffness(S(0.0)) * v[h.z] / (h.length * h.length);
}

template <typename S>
void RodDynamicsT<S>::stiffness_matrix(const S* q, S* stiffness) const {
  const RodTables<S>& d = *tables_;
  const int n = d.grid.coordinates;
  write_blocks(d.grid, d.stiffness, stiffness);
  for_each_stiffening(d, q, [&](int start, int modes, const S* row, const S& rigidity, const auto& terms) {
    for (int a = 0; a < modes; ++a) {
      const S slope = row[a] * (rigidity * terms.slope);
      for (int b = 0; b < modes; ++b) stiffness[(start + a) * n + start + b] += slope * row[b];
    }
  });
  const HyperelasticView<S> h(d);
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
void RodDynamicsT<S>::damping_matrix(const S*, const S*, S* damping) const {
  const RodTables<S>& d = *tables_;
  const int n = d.grid.coordinates;
  write_blocks(d.grid, d.damping, damping);
  if (!d.damping_time) return;
  const S& tau = *d.damping_time;
  const HyperelasticView<S> h(d);
  for (const int i : {h.x, h.y}) {
    if (i >= 0) damping[i * n + i] = tau * h.bend->stiffness(S(0.0));
  }
  if (h.z >= 0) damping[h.z * n + h.z] = tau * h.stretch->stiffness(S(0.0)) / (h.length * h.length);
}

template <typename S>
S RodDynamicsT<S>::elastic_energy(const S* q) const {
  const RodTables<S>& d = *tables_;
  S twice(0.0);
  for (int c = 0; c < 6; ++c) {
    if (d.stiffness[c].empty()) continue;
    const int start = d.grid.component_start[c], modes = d.grid.component_start[c + 1] - start;
    for (int a = 0; a < modes; ++a) {
      for (int b = 0; b < modes; ++b) twice += d.stiffness[c][a * modes + b] * q[start + a] * q[start + b];
    }
  }
  S energy = S(0.5) * twice;
  for_each_stiffening(
      d, q, [&](int, int, const S*, const S& rigidity, const auto& terms) { energy += rigidity * terms.energy; });
  const HyperelasticView<S> h(d);
  if (h.bend != nullptr) energy += h.bend->energy(h.angle(q));
  if (h.stretch != nullptr && h.z >= 0) energy += h.stretch->energy(q[h.z] / h.length);
  return energy;
}

template <typename S>
S RodDynamicsT<S>::kinetic_energy(const BodyStateT<S>&, const WorkspaceT<S>& workspace) const {
  const RodGrid<S>& g = tables_->grid;
  const int stride = RodLayout<S>::stride(g);
  S twice(0.0);
  for (int j = 0; j < g.main_steps; ++j) {
    const S* V = RodLayout<S>::at(workspace.persistent, RodFields::k_velocity, j, g);
    for (int i = 0; i < 3; ++i) {
      const S w = V[i * stride], v = V[(3 + i) * stride];
      twice += g.rotary[i * g.stride + j] * w * w + g.mass[j] * v * v;
    }
  }
  return S(0.5) * twice;
}

template <typename S>
Vector3T<S> RodDynamicsT<S>::mass_moment(const WorkspaceT<S>& workspace) const {
  const RodGrid<S>& g = tables_->grid;
  const int stride = RodLayout<S>::stride(g);
  Vector3T<S> sum;
  for (int j = 0; j < g.main_steps; ++j) {
    const S* p = RodLayout<S>::at(workspace.persistent, RodFields::k_base_position, j, g);
    sum += g.mass[j] * Vector3T<S>{p[0], p[stride], p[2 * stride]};
  }
  return sum;
}

#define CUTTLE_INSTANTIATE(S) template class RodDynamicsT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
