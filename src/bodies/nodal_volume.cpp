#include "cuttle/bodies/nodal_volume.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "bodies/fem_assembly.h"
#include "bodies/mass_factor.h"
#include "bodies/port_frame.h"
#include "bodies/tetrahedron_search.h"
#include "bodies/volume_material_impl.h"
#include "cuttle/error.h"
#include "cuttle/spatial/scalars.h"
#include "spatial/number_text.h"

namespace cuttle {

namespace {

template <typename S>
Vector3T<S> zero_vector() {
  return {S(0.0), S(0.0), S(0.0)};
}
/// Sums that make a spatial inertia: mass, sum m p, sum m p p^T.
template <typename S>
SpatialInertiaT<S> inertia_of(const S& mass, const Vector3T<S>& moment, const Matrix3T<S>& P) {
  return {mass, moment, {P(1, 1) + P(2, 2), P(0, 0) + P(2, 2), P(0, 0) + P(1, 1), -P(0, 1), -P(0, 2), -P(1, 2)}};
}
constexpr int k_sides = 7;  // columns [U | r]

/// What matrices of the mesh are factored in: they are its data and hold no derivatives.
template <typename S>
using Plain = std::conditional_t<std::is_same_v<S, long double>, long double, double>;

}  // namespace

/// What follows from the mesh alone.
template <typename S>
struct NodalVolumeT<S>::Tables {
  TetrahedronSearch search;
  FreeNodes free;
  std::vector<Vector3T<S>> rest;                      // of the nodes
  std::vector<std::array<Vector3T<S>, 4>> gradients;  // of the corner functions
  std::vector<S> volumes;
  std::vector<std::size_t> start;  // rows of the mass matrix of the nodes, over density
  std::vector<int> column;
  std::vector<S> entry;
  std::vector<S> node_volume;    // its row sums
  MassFactorT<Plain<S>> factor;  // of its rows and columns of free nodes

  explicit Tables(const std::shared_ptr<const TetrahedralMesh>& mesh)
      : search(mesh), free(*mesh), factor(free_mass(*mesh, free)) {
    for (const Vector3& x : mesh->nodes) rest.push_back(x.cast<S>());
    std::vector<Eigen::Triplet<Plain<S>>> entries;
    for (std::size_t t = 0; t < mesh->tetrahedra.size(); ++t) {
      const CornerFunctions& functions = search.functions(t);
      gradients.emplace_back();
      for (int i = 0; i < 4; ++i) gradients.back()[i] = functions.gradients[i].template cast<S>();
      volumes.push_back(S(functions.volume));
      add_mass(*mesh, t, functions.volume, entries, [](int node) { return node; });
    }
    const auto size = static_cast<Eigen::Index>(rest.size());
    Eigen::SparseMatrix<Plain<S>> mass(size, size);
    mass.setFromTriplets(entries.begin(), entries.end());
    start.push_back(0);
    for (Eigen::Index i = 0; i < size; ++i) {
      node_volume.push_back(S(0.0));
      for (typename Eigen::SparseMatrix<Plain<S>>::InnerIterator at(mass, i); at; ++at) {
        column.push_back(static_cast<int>(at.row()));
        entry.push_back(S(at.value()));
        node_volume.back() += entry.back();
      }
      start.push_back(column.size());
    }
  }
  Tables(const Tables&) = delete;

 private:
  template <typename F, typename Label>
  static void add_mass(const TetrahedralMesh& mesh, std::size_t t, double volume,
                       std::vector<Eigen::Triplet<F>>& entries, const Label& label) {
    for (const int i : mesh.tetrahedra[t]) {
      for (const int j : mesh.tetrahedra[t]) {
        if (label(i) >= 0 && label(j) >= 0) {
          entries.emplace_back(label(i), label(j), F(i == j ? volume / 10.0 : volume / 20.0));
        }
      }
    }
  }
  static Eigen::SparseMatrix<Plain<S>> free_mass(const TetrahedralMesh& mesh, const FreeNodes& free) {
    std::vector<Eigen::Triplet<Plain<S>>> entries;
    for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
      add_mass(mesh, t, corner_functions(mesh, t).volume, entries,
               [&](int node) { return free.at(node) < 0 ? -1 : free.at(node) / 3; });
    }
    Eigen::SparseMatrix<Plain<S>> mass(free.size() / 3, free.size() / 3);
    mass.setFromTriplets(entries.begin(), entries.end());
    return mass;
  }
};

/// What is kept from forward on.
template <typename S>
struct NodalVolumeT<S>::Kept {
  Vector3T<S>* positions;  // of all nodes
  Vector3T<S>* momenta;    // mass matrix times the positions [kg m]
  Vector3T<S>* rates;      // of all nodes, relative to the base
  Vector3T<S>* forces;     // inertial forces of all nodes, at level acceleration
  Vector3T<S>* work;
  S* jacobians;  // 6 x n_B by rows, one behind the other
  PoseT<S>* base_port;

  static std::size_t jacobian_size(int n) { return padded(6 * static_cast<std::size_t>(n)); }
  static std::size_t size(std::size_t nodes, int n, std::size_t ports) {
    return 5 * padded(3 * nodes) + ports * (jacobian_size(n) + 12);
  }
  Kept(S* memory, std::size_t nodes, int n, std::size_t ports) {
    for (Vector3T<S>** part : {&positions, &momenta, &rates, &forces, &work}) {
      *part = reinterpret_cast<Vector3T<S>*>(memory);
      memory += padded(3 * nodes);
    }
    jacobians = memory;
    base_port = reinterpret_cast<PoseT<S>*>(memory + ports * jacobian_size(n));
  }
};

/// What `eliminate` keeps for `back_substitute`.
template <typename S>
struct NodalVolumeT<S>::Elimination {
  S* sides;                   // n x 7: [U | r]
  S* solved;                  // n x 7: D^-1 of it
  S* columns;                 // n x 6 P: M^-1 J^T of the ports that carry something
  S* force;                   // n
  S* small;                   // 6 P x 6 P: 1 + I J M^-1 J^T
  S* right;                   // 6 P x 7
  WrenchT<S>* port_wrenches;  // P

  static std::size_t size(int n, std::size_t ports) {
    const std::size_t m = 6 * ports;
    return padded(2 * k_sides * n) + padded(m * n) + padded(n) + padded(m * m) + padded(m * k_sides) + padded(m);
  }
  Elimination(S* memory, int n, std::size_t ports) {
    const std::size_t m = 6 * ports;
    sides = memory;
    solved = sides + static_cast<std::size_t>(k_sides) * n;
    columns = sides + padded(2 * k_sides * n);
    force = columns + padded(m * n);
    small = force + padded(n);
    right = small + padded(m * m);
    port_wrenches = reinterpret_cast<WrenchT<S>*>(right + padded(m * k_sides));
  }
};

namespace {

template <typename S>
const std::shared_ptr<const TetrahedralMesh>& checked(const NodalVolumeParametersT<S>& parameters) {
  using std::isfinite;
  if (!parameters.mesh) throw ModelError("mesh: found none, expected the shape of the body");
  parameters.mesh->check();
  parameters.material.check();
  if (!parameters.material.resists_volume()) {
    throw ModelError(
        "material: found one that does not resist changes of volume, expected st_venant_kirchhoff or neo_hookean with "
        "lame_lambda: the nodes of a mesh do not keep the volume");
  }
  if (!(parameters.density > S(0.0)) || !isfinite(parameters.density)) {
    throw ModelError("density: found " + number_text(parameters.density) + ", expected a number > 0 [kg/m^3]");
  }
  const Vector3T<S> normal = cross(parameters.tip_a - parameters.tip_origin, parameters.tip_b - parameters.tip_origin);
  if (!(dot(normal, normal) > S(0.0))) {
    throw ModelError("tip: found material points o, a, b on one line, expected a triangle");
  }
  return parameters.mesh;
}

/// Solves A X = B in place, A m x m and B m x columns by rows, with the largest pivots.
template <typename S>
bool solve_small(S* A, S* B, int m, int columns) {
  using std::abs;
  for (int k = 0; k < m; ++k) {
    int best = k;
    for (int i = k + 1; i < m; ++i) {
      if (abs(A[best * m + k]) < abs(A[i * m + k])) best = i;
    }
    if (!(abs(A[best * m + k]) > S(0.0))) return false;
    if (best != k) {
      std::swap_ranges(A + k * m, A + (k + 1) * m, A + best * m);
      std::swap_ranges(B + k * columns, B + (k + 1) * columns, B + best * columns);
    }
    for (int i = 0; i < m; ++i) {
      if (i == k) continue;
      const S factor = A[i * m + k] / A[k * m + k];
      for (int j = k + 1; j < m; ++j) A[i * m + j] -= factor * A[k * m + j];
      for (int c = 0; c < columns; ++c) B[i * columns + c] -= factor * B[k * columns + c];
    }
  }
  for (int k = 0; k < m; ++k) {
    for (int c = 0; c < columns; ++c) B[k * columns + c] = B[k * columns + c] / A[k * m + k];
  }
  return true;
}

}  // namespace

template <typename S>
NodalVolumeT<S>::NodalVolumeT(const NodalVolumeParametersT<S>& parameters)
    : parameters_(parameters), tables_(std::make_shared<const Tables>(checked(parameters))) {
  Combination tip[3] = {point_at(parameters_.tip_origin), point_at(parameters_.tip_a), point_at(parameters_.tip_b)};
  for (int i = 1; i < 3; ++i) {  // from o to a or b
    for (std::size_t k = 0; k < tip[0].nodes.size(); ++k) {
      tip[i].nodes.push_back(tip[0].nodes[k]);
      tip[i].weights.push_back(-tip[0].weights[k]);
    }
  }
  push_port(PortLocationT<S>::tip(), tip);
}

template <typename S>
int NodalVolumeT<S>::coordinate_count() const {
  return static_cast<int>(tables_->free.size());
}
template <typename S>
std::vector<CoordinateInfo> NodalVolumeT<S>::coordinates() const {
  std::vector<CoordinateInfo> info;
  for (std::size_t i = 0; i < tables_->rest.size(); ++i) {
    if (tables_->free.at(static_cast<int>(i)) < 0) continue;
    const std::string node = "node" + std::to_string(parameters_.mesh->node_number(i));
    for (const char* axis : {".x", ".y", ".z"}) info.push_back({node + axis, "m"});
  }
  return info;
}

template <typename S>
template <typename T>
std::unique_ptr<BodyT<T>> NodalVolumeT<S>::cast() const {
  auto other = std::make_unique<NodalVolumeT<T>>(parameters_.template cast<T>());
  for (std::size_t k = 1; k < ports_.size(); ++k) other->add_port(ports_[k].location.template cast<T>());
  return other;
}
template <typename S>
std::unique_ptr<BodyT<S>> NodalVolumeT<S>::clone() const {
  return std::make_unique<NodalVolumeT>(*this);
}
template <typename S>
std::unique_ptr<BodyT<double>> NodalVolumeT<S>::clone_as(ScalarTag<double>) const {
  return cast<double>();
}
template <typename S>
std::unique_ptr<BodyT<long double>> NodalVolumeT<S>::clone_as(ScalarTag<long double>) const {
  return cast<long double>();
}
template <typename S>
std::unique_ptr<BodyT<Gradient>> NodalVolumeT<S>::clone_as(ScalarTag<Gradient>) const {
  return cast<Gradient>();
}

// --- ports

template <typename S>
auto NodalVolumeT<S>::point_at(const Vector3T<S>& x) const -> Combination {
  const std::size_t tetrahedron = tables_->search.find(x.template cast<double>());
  const auto& corners = parameters_.mesh->tetrahedra[tetrahedron];
  const Vector3T<S> from = x - tables_->rest[corners[0]];
  Combination point;
  for (int i = 0; i < 4; ++i) {
    point.nodes.push_back(corners[i]);
    point.weights.push_back(S(i == 0 ? 1.0 : 0.0) + dot(tables_->gradients[tetrahedron][i], from));
  }
  return point;
}
/// F e = sum of p_i (g_i . e).
template <typename S>
auto NodalVolumeT<S>::axis_at(const Vector3T<S>& x, int axis) const -> Combination {
  const std::size_t tetrahedron = tables_->search.find(x.template cast<double>());
  Combination direction;
  for (int i = 0; i < 4; ++i) {
    direction.nodes.push_back(parameters_.mesh->tetrahedra[tetrahedron][i]);
    direction.weights.push_back(tables_->gradients[tetrahedron][i][axis]);
  }
  return direction;
}
template <typename S>
void NodalVolumeT<S>::push_port(const PortLocationT<S>& location, Combination (&vectors)[3]) {
  Port port{location, {vectors[0], vectors[1], vectors[2]}, {}};
  for (const Combination& vector : vectors) {
    for (const int node : vector.nodes) {
      const bool is_new = std::find(port.nodes.begin(), port.nodes.end(), node) == port.nodes.end();
      if (is_new && tables_->free.at(node) >= 0) port.nodes.push_back(node);
    }
  }
  ports_.push_back(std::move(port));
}
template <typename S>
int NodalVolumeT<S>::add_port(const PortLocationT<S>& location) {
  using Kind = typename PortLocationT<S>::Kind;
  if (location.kind == Kind::tip) return 0;
  if (location.kind == Kind::base) {
    throw ModelError("at: found base, which is a body's own frame and not one of its ports");
  }
  if (location.kind == Kind::section) {
    throw ModelError("at: found {s: " + number_text(location.s) +
                     "}, expected base, tip or {point: [x, y, z]}: a volume has no cross-sections");
  }
  Combination vectors[3] = {point_at(location.point), axis_at(location.point, 0), axis_at(location.point, 1)};
  push_port(location, vectors);
  return port_count() - 1;
}

// --- inertia

template <typename S>
WorkspaceSize NodalVolumeT<S>::workspace_size() const {
  const int n = coordinate_count();
  return {Kept::size(tables_->rest.size(), n, ports_.size()), 0, Elimination::size(n, ports_.size())};
}
template <typename S>
auto NodalVolumeT<S>::kept(const WorkspaceT<S>& workspace) const -> Kept {
  return Kept(workspace.persistent, tables_->rest.size(), coordinate_count(), ports_.size());
}
/// Of the coordinates, or of their rates; a fixed node has none.
template <typename S>
Vector3T<S> NodalVolumeT<S>::displacement(const S* q, int node) const {
  const int at = tables_->free.at(node);
  return at < 0 ? zero_vector<S>() : Vector3T<S>{q[at], q[at + 1], q[at + 2]};
}
template <typename S>
void NodalVolumeT<S>::multiply_by_mass(const Vector3T<S>* x, Vector3T<S>* y) const {
  for (std::size_t i = 0; i < tables_->rest.size(); ++i) {
    Vector3T<S> sum = zero_vector<S>();
    for (std::size_t k = tables_->start[i]; k < tables_->start[i + 1]; ++k) {
      sum += tables_->entry[k] * x[tables_->column[k]];
    }
    y[i] = parameters_.density * sum;
  }
}

template <typename S>
SpatialInertiaT<S> NodalVolumeT<S>::rest_inertia() const {
  std::vector<Vector3T<S>> momenta(tables_->rest.size());
  multiply_by_mass(tables_->rest.data(), momenta.data());
  S mass(0.0);
  Vector3T<S> moment = zero_vector<S>();
  Matrix3T<S> P{zero_vector<S>(), zero_vector<S>(), zero_vector<S>()};
  for (std::size_t i = 0; i < momenta.size(); ++i) {
    mass += parameters_.density * tables_->node_volume[i];
    moment += momenta[i];
    P += Matrix3T<S>::outer(momenta[i], tables_->rest[i]);
  }
  return inertia_of(mass, moment, P);
}

template <typename S>
void NodalVolumeT<S>::check(const S* q) const {
  if constexpr (std::is_floating_point_v<S>) {
    for (std::size_t t = 0; t < tables_->volumes.size(); ++t) {
      const S J = material::determinant(Matrix3T<S>::identity() + gradient(q, t));
      if (J > S(0.0)) continue;
      throw ConfigurationError("element " + std::to_string(parameters_.mesh->element_number(t)) +
                               ": found det(df/dx) = " + number_text(J) + ", expected > 0: the body folds onto itself");
    }
  }
}

template <typename S>
void NodalVolumeT<S>::forward(MotionLevel level, const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
                              PortMotionT<S>* ports) const {
  check(state.q);
  const Kept now = kept(workspace);
  const int n = coordinate_count(), nodes = static_cast<int>(tables_->rest.size());
  const bool moves = level >= MotionLevel::velocity, accelerates = level == MotionLevel::acceleration;
  for (int i = 0; i < nodes; ++i) {
    now.positions[i] = tables_->rest[i] + displacement(state.q, i);
    if (moves) now.rates[i] = displacement(state.v, i);
  }
  multiply_by_mass(now.positions, now.momenta);
  if (accelerates) {
    const Vector3T<S>&w = state.base_velocity.angular, &dw = state.base_acceleration.angular;
    for (int i = 0; i < nodes; ++i) {
      // classical acceleration, base axes; linear in each tetrahedron as the position is
      const Vector3T<S> velocity = state.base_velocity.linear + cross(w, now.positions[i]) + now.rates[i];
      now.work[i] = state.base_acceleration.linear + cross(dw, now.positions[i]) + cross(w, now.rates[i]) +
                    displacement(state.a, i) + cross(w, velocity);
    }
    multiply_by_mass(now.work, now.forces);
  }
  for (std::size_t k = 0; k < ports_.size(); ++k) {
    const auto sum = [&](int vector, const auto& of) {
      const Combination& combination = ports_[k].vectors[vector];
      Vector3T<S> total = zero_vector<S>();
      for (std::size_t i = 0; i < combination.nodes.size(); ++i) {
        total += combination.weights[i] * of(combination.nodes[i]);
      }
      return total;
    };
    PortPath<S> path;
    for (int i = 0; i < 3; ++i) {
      path.value[i] = sum(i, [&](int node) { return now.positions[node]; });
      if (moves) path.rate[i] = sum(i, [&](int node) { return now.rates[node]; });
      if (accelerates) path.second[i] = sum(i, [&](int node) { return displacement(state.a, node); });
    }
    fill_port_motion(level, path, state, ports[k]);
    now.base_port[k] = ports[k].base_port;
    S* J = now.jacobians + k * Kept::jacobian_size(n);
    std::fill_n(J, 6 * n, S(0.0));
    for (const int node : ports_[k].nodes) {
      S weights[3];
      for (int i = 0; i < 3; ++i) {
        weights[i] = S(0.0);
        const Combination& combination = ports_[k].vectors[i];
        for (std::size_t c = 0; c < combination.nodes.size(); ++c) {
          if (combination.nodes[c] == node) weights[i] += combination.weights[c];
        }
      }
      for (int axis = 0; axis < 3; ++axis) {
        Vector3T<S> unit = zero_vector<S>();
        unit[axis] = S(1.0);
        const TwistT<S> column = frame_twist(ports[k].base_port.rotation, path.value[1], path.value[2],
                                             weights[0] * unit, weights[1] * unit, weights[2] * unit);
        for (int r = 0; r < 6; ++r) J[r * n + tables_->free.at(node) + axis] = column[r];
      }
    }
  }
}

template <typename S>
void NodalVolumeT<S>::backward(const BodyStateT<S>&, const WrenchT<S>* port_wrenches, const WorkspaceT<S>& workspace,
                               WrenchT<S>& base_wrench, S* force) const {
  const Kept now = kept(workspace);
  const int n = coordinate_count();
  base_wrench = WrenchT<S>::zero();
  for (std::size_t i = 0; i < tables_->rest.size(); ++i) {
    base_wrench += WrenchT<S>{cross(now.positions[i], now.forces[i]), now.forces[i]};
    const int at = tables_->free.at(static_cast<int>(i));
    for (int r = 0; at >= 0 && r < 3; ++r) force[at + r] = now.forces[i][r];
  }
  for (std::size_t k = 0; k < ports_.size(); ++k) {
    base_wrench += now.base_port[k].act(port_wrenches[k]);
    const S* J = now.jacobians + k * Kept::jacobian_size(n);
    for (const int node : ports_[k].nodes) {
      for (int j = tables_->free.at(node); j < tables_->free.at(node) + 3; ++j) {
        for (int r = 0; r < 6; ++r) force[j] += J[r * n + j] * port_wrenches[k][r];
      }
    }
  }
}

template <typename S>
void NodalVolumeT<S>::inertia_blocks(const BodyStateT<S>&, const WorkspaceT<S>& workspace,
                                     InertiaBlocksT<S>& blocks) const {
  const Kept now = kept(workspace);
  const int n = coordinate_count();
  const bool with_mass = blocks.mass != nullptr;
  if (with_mass) std::fill_n(blocks.mass, static_cast<std::size_t>(n) * n, S(0.0));
  S mass(0.0);
  Vector3T<S> moment = zero_vector<S>();
  Matrix3T<S> P{zero_vector<S>(), zero_vector<S>(), zero_vector<S>()};
  for (std::size_t i = 0; i < tables_->rest.size(); ++i) {
    const S own = parameters_.density * tables_->node_volume[i];
    mass += own;
    moment += now.momenta[i];
    P += Matrix3T<S>::outer(now.momenta[i], now.positions[i]);
    const int at = tables_->free.at(static_cast<int>(i));
    if (at < 0) continue;
    // a node that accelerates with e takes the forces m_ij e at p_j: together own e, with the torque momentum_i x e
    const Matrix3T<S> skew = Matrix3T<S>::skew(now.momenta[i]);
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        blocks.coupling[r * n + at + c] = skew(r, c);
        blocks.coupling[(r + 3) * n + at + c] = r == c ? own : S(0.0);
      }
    }
    for (std::size_t k = tables_->start[i]; with_mass && k < tables_->start[i + 1]; ++k) {
      const int other = tables_->free.at(tables_->column[k]);
      for (int r = 0; other >= 0 && r < 3; ++r) {
        blocks.mass[static_cast<std::size_t>(at + r) * n + other + r] = parameters_.density * tables_->entry[k];
      }
    }
  }
  blocks.base = inertia_of(mass, moment, P);
}
template <typename S>
const S* NodalVolumeT<S>::port_jacobian(const WorkspaceT<S>& workspace, int port) const {
  return kept(workspace).jacobians + static_cast<std::size_t>(port) * Kept::jacobian_size(coordinate_count());
}

template <typename S>
S NodalVolumeT<S>::kinetic_energy(const BodyStateT<S>& state, const WorkspaceT<S>& workspace) const {
  const Kept now = kept(workspace);
  const auto velocity = [&](std::size_t i) {
    return state.base_velocity.linear + cross(state.base_velocity.angular, now.positions[i]) + now.rates[i];
  };
  S sum(0.0);
  for (std::size_t i = 0; i < tables_->rest.size(); ++i) {
    Vector3T<S> momentum = zero_vector<S>();
    for (std::size_t k = tables_->start[i]; k < tables_->start[i + 1]; ++k) {
      momentum += tables_->entry[k] * velocity(tables_->column[k]);
    }
    sum += dot(momentum, velocity(i));
  }
  return S(0.5) * parameters_.density * sum;
}
template <typename S>
Vector3T<S> NodalVolumeT<S>::mass_moment(const WorkspaceT<S>& workspace) const {
  const Kept now = kept(workspace);
  Vector3T<S> sum = zero_vector<S>();
  for (std::size_t i = 0; i < tables_->rest.size(); ++i) sum += now.momenta[i];
  return sum;
}

// --- forward dynamics

/// D = M + sum J^T I J over the ports that carry something. With Z = M^-1 J^T, for all of them together:
/// D^-1 B = Y - Z (1 + I J Z)^-1 I J Y, Y = M^-1 B.
template <typename S>
MaskT<S> NodalVolumeT<S>::eliminate(const BodyStateT<S>& state, const S* applied,
                                    const ArticulatedLoadT<S>* const* ports, const PortMotionT<S>* motions,
                                    const WorkspaceT<S>& workspace, ArticulatedLoadT<S>& base) const {
  const int n = coordinate_count(), count = port_count();
  const Elimination work(workspace.elimination, n, ports_.size());
  for (int k = 0; k < count; ++k) {
    work.port_wrenches[k] =
        ports[k] ? ports[k]->bias + ports[k]->inertia * motions[k].acceleration : WrenchT<S>::zero();
  }
  backward(state, work.port_wrenches, workspace, base.bias, work.force);
  InertiaBlocksT<S> blocks;
  blocks.coupling = work.solved;  // for a moment
  inertia_blocks(state, workspace, blocks);
  base.inertia = ArticulatedInertiaT<S>::from(blocks.base);
  for (int j = 0; j < n; ++j) {
    S* row = work.sides + j * k_sides;
    for (int c = 0; c < 6; ++c) row[c] = blocks.coupling[c * n + j];
    row[6] = applied[j] - work.force[j];
  }
  int loaded = 0;
  for (int k = 0; k < count; ++k) {
    if (!ports[k]) continue;
    ++loaded;
    base.inertia += ports[k]->inertia.in_parent(motions[k].base_port);
    const S* J = port_jacobian(workspace, k);
    for (const int node : ports_[k].nodes) {
      for (int j = tables_->free.at(node); j < tables_->free.at(node) + 3; ++j) {
        TwistT<S> column;
        for (int r = 0; r < 6; ++r) column[r] = J[r * n + j];
        const WrenchT<S> at_base = motions[k].base_port.act(ports[k]->inertia * column);
        for (int r = 0; r < 6; ++r) work.sides[j * k_sides + r] += at_base[r];
      }
    }
  }
  // the factor is that of one component of the nodes, over density: a row has the three components of a node
  std::copy_n(work.sides, static_cast<std::size_t>(n) * k_sides, work.solved);
  tables_->factor.solve(work.solved, 3 * k_sides);
  for (std::size_t i = 0; i < static_cast<std::size_t>(n) * k_sides; ++i) {
    work.solved[i] = work.solved[i] / parameters_.density;
  }
  bool regular = true;
  if (loaded > 0) {
    const int m = 6 * loaded;
    std::fill_n(work.columns, static_cast<std::size_t>(n) * m, S(0.0));
    const auto each_loaded = [&](const auto& use) {
      for (int k = 0, place = 0; k < count; ++k) {
        if (ports[k]) use(k, 6 * place++);
      }
    };
    const auto each_coordinate = [&](int k, const auto& use) {
      for (const int node : ports_[k].nodes) {
        for (int j = tables_->free.at(node); j < tables_->free.at(node) + 3; ++j) use(j);
      }
    };
    each_loaded([&](int k, int place) {
      const S* J = port_jacobian(workspace, k);
      each_coordinate(k, [&](int j) {
        for (int r = 0; r < 6; ++r) work.columns[j * m + place + r] = J[r * n + j];
      });
    });
    tables_->factor.solve(work.columns, 3 * m);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n) * m; ++i) {
      work.columns[i] = work.columns[i] / parameters_.density;
    }
    // rows of I J times a matrix of n rows
    const auto project = [&](const S* matrix, int columns, S* result) {
      each_loaded([&](int k, int place) {
        const S* J = port_jacobian(workspace, k);
        for (int c = 0; c < columns; ++c) {
          TwistT<S> twist = TwistT<S>::zero();
          each_coordinate(k, [&](int j) {
            for (int r = 0; r < 6; ++r) twist[r] += J[r * n + j] * matrix[j * columns + c];
          });
          const WrenchT<S> wrench = ports[k]->inertia * twist;
          for (int r = 0; r < 6; ++r) result[(place + r) * columns + c] = wrench[r];
        }
      });
    };
    project(work.columns, m, work.small);
    for (int i = 0; i < m; ++i) work.small[i * m + i] += S(1.0);
    project(work.solved, k_sides, work.right);
    regular = solve_small(work.small, work.right, m, k_sides);
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) {
        for (int c = 0; c < k_sides; ++c) {
          work.solved[j * k_sides + c] -= work.columns[j * m + i] * work.right[i * k_sides + c];
        }
      }
    }
  }
  // I_0 -= U^T D^-1 U, p_0 += U^T D^-1 r
  S sums[6][k_sides] = {};
  for (int j = 0; j < n; ++j) {
    for (int r = 0; r < 6; ++r) {
      for (int c = 0; c < k_sides; ++c) sums[r][c] += work.sides[j * k_sides + r] * work.solved[j * k_sides + c];
    }
  }
  base.inertia.angular -= {sums[0][0], sums[1][1], sums[2][2], sums[0][1], sums[0][2], sums[1][2]};
  base.inertia.linear -= {sums[3][3], sums[4][4], sums[5][5], sums[3][4], sums[3][5], sums[4][5]};
  for (int r = 0; r < 3; ++r) base.inertia.coupling.row(r) -= {sums[r][3], sums[r][4], sums[r][5]};
  for (int r = 0; r < 6; ++r) base.bias[r] += sums[r][6];
  return regular ? S(0.0) < S(1.0) : S(1.0) < S(0.0);
}

template <typename S>
void NodalVolumeT<S>::back_substitute(const TwistT<S>& base_acceleration, const WorkspaceT<S>& workspace, S* a,
                                      PortMotionT<S>* ports) const {
  const int n = coordinate_count();
  const Elimination work(workspace.elimination, n, ports_.size());
  for (int j = 0; j < n; ++j) {
    const S* row = work.solved + j * k_sides;
    a[j] = row[6];
    for (int c = 0; c < 6; ++c) a[j] -= row[c] * base_acceleration[c];
  }
  for (int k = 0; k < port_count(); ++k) {
    TwistT<S> change = ports[k].base_port.act_inverse(base_acceleration);
    const S* J = port_jacobian(workspace, k);
    for (const int node : ports_[k].nodes) {
      for (int j = tables_->free.at(node); j < tables_->free.at(node) + 3; ++j) {
        for (int r = 0; r < 6; ++r) change[r] += J[r * n + j] * a[j];
      }
    }
    ports[k].acceleration += change;
  }
}

// --- elasticity

template <typename S>
Matrix3T<S> NodalVolumeT<S>::gradient(const S* q, std::size_t tetrahedron) const {
  Matrix3T<S> sum{zero_vector<S>(), zero_vector<S>(), zero_vector<S>()};
  for (int i = 0; i < 4; ++i) {
    sum += Matrix3T<S>::outer(displacement(q, parameters_.mesh->tetrahedra[tetrahedron][i]),
                              tables_->gradients[tetrahedron][i]);
  }
  return sum;
}

template <typename S>
S NodalVolumeT<S>::elastic_energy(const S* q) const {
  check(q);
  S sum(0.0);
  for (std::size_t t = 0; t < tables_->volumes.size(); ++t) {
    const Matrix3T<S> F = Matrix3T<S>::identity() + gradient(q, t);
    sum += tables_->volumes[t] * parameters_.material.template energy_density<S>(F);
  }
  return sum;
}

/// Adds V P g_i to the force of the corners.
template <typename S>
void NodalVolumeT<S>::add_stress(std::size_t tetrahedron, const Matrix3T<S>& stress, S* force) const {
  for (int i = 0; i < 4; ++i) {
    const int at = tables_->free.at(parameters_.mesh->tetrahedra[tetrahedron][i]);
    if (at < 0) continue;
    const Vector3T<S> part = tables_->volumes[tetrahedron] * (stress * tables_->gradients[tetrahedron][i]);
    for (int r = 0; r < 3; ++r) force[at + r] += part[r];
  }
}
template <typename S>
void NodalVolumeT<S>::add_elastic_force(const S* q, S* force) const {
  check(q);
  for (std::size_t t = 0; t < tables_->volumes.size(); ++t) {
    const Matrix3T<S> F = Matrix3T<S>::identity() + gradient(q, t);
    add_stress(t, parameters_.material.template stress<S>(F), force);
  }
}
/// F of the Piola-Kirchhoff stress viscosity dE/dt.
template <typename S>
Matrix3T<S> NodalVolumeT<S>::viscous_stress(const Matrix3T<S>& F, const Matrix3T<S>& F_rate) const {
  const S viscosity = S(2.0) * *parameters_.material.damping_time * parameters_.material.shear_modulus();
  const Matrix3T<S> half = F.transpose() * F_rate;
  return F * ((S(0.5) * viscosity) * (half + half.transpose()));
}
template <typename S>
void NodalVolumeT<S>::add_damping_force(const S* q, const S* v, S* force) const {
  if (!parameters_.material.damping_time) return;
  for (std::size_t t = 0; t < tables_->volumes.size(); ++t) {
    add_stress(t, viscous_stress(Matrix3T<S>::identity() + gradient(q, t), gradient(v, t)), force);
  }
}

/// Columns of a matrix from the stress change(F, dF) that each displacement of a corner makes.
template <typename S>
template <typename Change>
void NodalVolumeT<S>::fill_matrix(const S* q, S* matrix, const Change& change) const {
  const std::size_t n = coordinate_count();
  std::fill_n(matrix, n * n, S(0.0));
  for (std::size_t t = 0; t < tables_->volumes.size(); ++t) {
    const Matrix3T<S> F = Matrix3T<S>::identity() + gradient(q, t);
    for (int i = 0; i < 4; ++i) {
      const int at = tables_->free.at(parameters_.mesh->tetrahedra[t][i]);
      for (int axis = 0; at >= 0 && axis < 3; ++axis) {
        Vector3T<S> unit = zero_vector<S>();
        unit[axis] = S(1.0);
        // symmetric: the column as a row
        add_stress(t, change(F, Matrix3T<S>::outer(unit, tables_->gradients[t][i])), matrix + (at + axis) * n);
      }
    }
  }
  for (std::size_t j = 0; j < n; ++j) {  // equal but for rounding
    for (std::size_t k = 0; k < j; ++k) matrix[j * n + k] = matrix[k * n + j];
  }
}
template <typename S>
void NodalVolumeT<S>::stiffness_matrix(const S* q, S* stiffness) const {
  using T = Dual<S, 1>;
  const auto along = [](const Vector3T<S>& value, const Vector3T<S>& change) {
    Vector3T<T> row;
    for (int i = 0; i < 3; ++i) row[i].value = value[i], row[i].derivative[0] = change[i];
    return row;
  };
  const auto change_of = [](const Vector3T<T>& row) {
    return Vector3T<S>{row.x.derivative[0], row.y.derivative[0], row.z.derivative[0]};
  };
  fill_matrix(q, stiffness, [&](const Matrix3T<S>& F, const Matrix3T<S>& dF) {
    const Matrix3T<T> path{along(F.row0, dF.row0), along(F.row1, dF.row1), along(F.row2, dF.row2)};
    const Matrix3T<T> stress = parameters_.material.template stress<T>(path);
    return Matrix3T<S>{change_of(stress.row0), change_of(stress.row1), change_of(stress.row2)};
  });
}
template <typename S>
void NodalVolumeT<S>::damping_matrix(const S* q, const S*, S* damping) const {
  const std::size_t n = coordinate_count();
  if (!parameters_.material.damping_time) {
    std::fill_n(damping, n * n, S(0.0));
    return;
  }
  fill_matrix(q, damping, [&](const Matrix3T<S>& F, const Matrix3T<S>& dF) { return viscous_stress(F, dF); });
}

template <typename S>
void NodalVolumeT<S>::material_points(const S* q, const Vector3T<S>* x, std::size_t count,
                                      const MaterialPointsT<S>& points) const {
  const std::size_t n = coordinate_count();
  const Matrix3T<S> none{zero_vector<S>(), zero_vector<S>(), zero_vector<S>()};
  for (std::size_t p = 0; p < count; ++p) {
    const std::size_t t = tables_->search.find(x[p].template cast<double>());
    const auto& corners = parameters_.mesh->tetrahedra[t];
    const Matrix3T<S> change = gradient(q, t);
    const Vector3T<S> from = x[p] - tables_->rest[corners[0]];
    points.position[p] = x[p] + displacement(q, corners[0]) + change * from;
    if (points.F) points.F[p] = Matrix3T<S>::identity() + change;
    if (points.slopes) std::fill_n(points.slopes + p * n, n, zero_vector<S>());
    if (points.F_slopes) std::fill_n(points.F_slopes + p * n, n, none);
    for (int i = 0; i < 4; ++i) {
      const int at = tables_->free.at(corners[i]);
      for (int axis = 0; at >= 0 && axis < 3; ++axis) {
        Vector3T<S> unit = zero_vector<S>();
        unit[axis] = S(1.0);
        const Vector3T<S>& slope = tables_->gradients[t][i];
        if (points.slopes) points.slopes[p * n + at + axis] = (S(i == 0 ? 1.0 : 0.0) + dot(slope, from)) * unit;
        if (points.F_slopes) points.F_slopes[p * n + at + axis] = Matrix3T<S>::outer(unit, slope);
      }
    }
  }
}

#define CUTTLE_INSTANTIATE(S) template class NodalVolumeT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
