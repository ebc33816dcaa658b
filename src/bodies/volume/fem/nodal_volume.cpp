#include "cuttle/bodies/nodal_volume.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bodies/port_frame.h"
#include "bodies/volume/fem/nodal_volume_impl.h"
#include "bodies/volume/volume_material_impl.h"
#include "cuttle/bodies/chamber_surface.h"
#include "cuttle/bodies/fem_modes.h"
#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {

namespace {

template <typename S>
const std::shared_ptr<const TetrahedralMesh>& checked(const NodalVolumeParametersT<S>& parameters) {
  using std::isfinite;
  if (!parameters.mesh) throw ModelError("mesh", "none", "the shape of the body");
  parameters.mesh->check();
  parameters.material.check();
  if (!parameters.material.resists_volume()) {
    throw ModelError("material", "one that does not resist changes of volume",
                     "st_venant_kirchhoff or neo_hookean with lame_lambda: the nodes of a mesh do not keep the volume");
  }
  if (!(parameters.density > S(0.0)) || !isfinite(parameters.density)) {
    throw ModelError("density", number_text(parameters.density), "a number > 0 [kg/m^3]");
  }
  const Vector3T<S> normal = cross(parameters.tip_a - parameters.tip_origin, parameters.tip_b - parameters.tip_origin);
  if (!(dot(normal, normal) > S(0.0))) {
    throw ModelError("tip", "material points o, a, b on one line", "a triangle");
  }
  return parameters.mesh;
}

}  // namespace

template <typename S>
NodalVolumeT<S>::NodalVolumeT(const NodalVolumeParametersT<S>& parameters)
    : parameters_(parameters), tables_(std::make_shared<const Tables>(checked(parameters), parameters.material)) {
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
std::unique_ptr<BodyT<ForwardDual>> NodalVolumeT<S>::clone_as(ScalarTag<ForwardDual>) const {
  return cast<ForwardDual>();
}

template <typename S>
std::vector<Diagnostic> NodalVolumeT<S>::warnings() const {
  // of those larger the factors would take longer than to read the robot
  constexpr int k_least = 6, k_most = 3000;
  const VolumeMaterial material = parameters_.material.template cast<double>();
  const bool estimate = coordinate_count() >= k_least && coordinate_count() <= k_most;
  const double density = scalar_cast<double>(parameters_.density);
  const double error = estimate ? fem_modes(parameters_.mesh, material, density, 1, false).estimated_error : 0.0;
  return fem_warnings(*parameters_.mesh, material, error);
}

template <typename S>
ChamberSurfaceT<S> NodalVolumeT<S>::chamber(const ChamberPlaceT<S>& which) const {
  if (which.pocket || which.surface == "inner") {
    throw ModelError("surface", which.pocket ? "a pocket" : "'inner'",
                     "a group of the mesh of '" + which.link + "', whose kinematics are full");
  }
  return mesh_group_surface(*parameters_.mesh, which.surface).template cast<S>();
}

// --- ports

template <typename S>
auto NodalVolumeT<S>::point_at(const Vector3T<S>& x) const -> Combination {
  std::size_t tetrahedron = 0;
  const ElementPlace<S> place = tables_->search.at(x, tetrahedron);
  const ElementNodes nodes(*parameters_.mesh, tetrahedron);
  return {{nodes.begin(), nodes.end()}, {place.values.begin(), place.values.begin() + nodes.count()}};
}
/// F e = sum of p_i (g_i . e).
template <typename S>
auto NodalVolumeT<S>::axis_at(const Vector3T<S>& x, int axis) const -> Combination {
  std::size_t tetrahedron = 0;
  const ElementPlace<S> place = tables_->search.at(x, tetrahedron);
  const ElementNodes nodes(*parameters_.mesh, tetrahedron);
  Combination direction{{nodes.begin(), nodes.end()}, {}};
  for (int i = 0; i < nodes.count(); ++i) direction.weights.push_back(place.gradients[i][axis]);
  return direction;
}
template <typename S>
void NodalVolumeT<S>::push_port(const PortLocationT<S>& location, Combination (&vectors)[3]) {
  Port port{location, {vectors[0], vectors[1], vectors[2]}, {}, {}, moved_by_ports()};
  for (int i = 0; i < 3; ++i) {
    for (std::size_t c = 0; c < vectors[i].nodes.size(); ++c) {
      const int node = vectors[i].nodes[c];
      if (tables_->free.at(node) < 0) continue;
      const auto found = std::find(port.nodes.begin(), port.nodes.end(), node);
      const auto at = static_cast<std::size_t>(found - port.nodes.begin());
      if (found == port.nodes.end()) {
        port.nodes.push_back(node);
        port.weights.push_back({S(0.0), S(0.0), S(0.0)});
      }
      port.weights[at][static_cast<std::size_t>(i)] += vectors[i].weights[c];
    }
  }
  ports_.push_back(std::move(port));
}
template <typename S>
int NodalVolumeT<S>::add_port(const PortLocationT<S>& location) {
  using Kind = typename PortLocationT<S>::Kind;
  if (location.kind == Kind::tip) return 0;
  if (location.kind == Kind::base) {
    throw ModelError({}, "base, which is a body's own frame and not one of its ports", "");
  }
  if (location.kind == Kind::section) {
    throw ModelError({}, "{s: " + number_text(location.s) + "}",
                     "base, tip or {point: [x, y, z]}: a volume has no cross-sections");
  }
  Combination vectors[3] = {point_at(location.point), axis_at(location.point, 0), axis_at(location.point, 1)};
  push_port(location, vectors);
  return port_count() - 1;
}

// --- inertia

template <typename S>
WorkspaceSize NodalVolumeT<S>::workspace_size() const {
  const int n = coordinate_count();
  return {Kept::size(tables_->rest.size(), moved_by_ports(), n, ports_.size()), 0,
          Elimination::size(n, ports_.size()) + Carried::size(n, k_kept_carried)};
}
template <typename S>
auto NodalVolumeT<S>::kept(const WorkspaceT<S>& workspace) const -> Kept {
  return Kept(workspace.persistent, tables_->rest.size(), moved_by_ports(), coordinate_count());
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
  return inertia_from_moments(mass, moment, P);
}

template <typename S>
void NodalVolumeT<S>::check(const S* q) const {
  if constexpr (std::is_floating_point_v<S>) {
    for (std::size_t p = 0; p < tables_->volumes.size(); ++p) {
      const S J = material::determinant(Matrix3T<S>::identity() + gradient(q, p));
      if (J > S(0.0)) continue;
      throw ConfigurationError("element " + std::to_string(parameters_.mesh->element_number(tables_->element_of(p))) +
                               ": found det(df/dx) = " + number_text(J) + ", expected > 0: the body folds onto itself");
    }
  }
}

template <typename S>
void NodalVolumeT<S>::forward(MotionLevel level, const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
                              PortMotionT<S>* ports) const {
  check(state.q);
  const Kept now = kept(workspace);
  const int nodes = static_cast<int>(tables_->rest.size());
  const bool moves = level >= MotionLevel::velocity, accelerates = level == MotionLevel::acceleration;
  for (int i = 0; i < nodes; ++i) {
    now.positions[i] = tables_->rest[i] + displacement(state.q, i);
    if (moves) now.rates[i] = displacement(state.v, i);
  }
  multiply_by_mass(now.positions, now.momenta);
  if (accelerates) {
    const Vector3T<S>&w = state.base_velocity.angular, &dw = state.base_acceleration.angular;
    for (int i = 0; i < nodes; ++i) {
      // classical acceleration, base axes; between the nodes as the position is
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
    const Port& port = ports_[k];
    TwistT<S>* column = now.columns + 3 * port.first;
    for (const std::array<S, 3>& weights : port.weights) {
      for (int axis = 0; axis < 3; ++axis) {
        Vector3T<S> unit = zero_vector<S>();
        unit[axis] = S(1.0);
        *column++ = frame_twist(ports[k].base_port.rotation, path.value[1], path.value[2], weights[0] * unit,
                                weights[1] * unit, weights[2] * unit);
      }
    }
  }
}

template <typename S>
void NodalVolumeT<S>::backward(const BodyStateT<S>&, const WrenchT<S>* port_wrenches, const WorkspaceT<S>& workspace,
                               WrenchT<S>& base_wrench, S* force) const {
  const Kept now = kept(workspace);
  base_wrench = WrenchT<S>::zero();
  for (std::size_t i = 0; i < tables_->rest.size(); ++i) {
    base_wrench += WrenchT<S>{cross(now.positions[i], now.forces[i]), now.forces[i]};
    const int at = tables_->free.at(static_cast<int>(i));
    for (int r = 0; at >= 0 && r < 3; ++r) force[at + r] = now.forces[i][r];
  }
  for (std::size_t k = 0; k < ports_.size(); ++k) {
    base_wrench += now.base_port[k].act(port_wrenches[k]);
    each_column(now, static_cast<int>(k),
                [&](int j, const TwistT<S>& column) { force[j] += dot(port_wrenches[k], column); });
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
  blocks.base = inertia_from_moments(mass, moment, P);
}
template <typename S>
const S* NodalVolumeT<S>::port_jacobian(const WorkspaceT<S>& workspace, int port) const {
  const Kept now = kept(workspace);
  const int n = coordinate_count();
  std::fill_n(now.jacobian, 6 * static_cast<std::size_t>(n), S(0.0));
  each_column(now, port, [&](int j, const TwistT<S>& column) {
    for (int r = 0; r < 6; ++r) now.jacobian[static_cast<std::size_t>(r) * n + j] = column[r];
  });
  return now.jacobian;
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

#define CUTTLE_INSTANTIATE(S) template class NodalVolumeT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
