#include <algorithm>

#include "bodies/port_frame.h"
#include "bodies/sparse_tangent.h"
#include "bodies/volume/fem/nodal_surface.h"
#include "bodies/volume/fem/nodal_volume_impl.h"
#include "cuttle/spatial/dual.h"

// Derivatives of a NodalVolumeT as sparse matrices. In the axes of its base a node's inertial force is f_i = sum_j m_ij
// a_j with the classical acceleration a_j of node j, which depends on its own position, rate and acceleration alone, by
// the matrices D = [dw] + [w][w], 2 [w] and 1.

namespace cuttle {
namespace nodal_sparse {

using Once = Dual<double, 1>;
using InTime = Dual<Once, 1>;

Vector3T<Once> with_slope(const Vector3& value, const Vector3& slope) {
  Vector3T<Once> both;
  for (int i = 0; i < 3; ++i) both[i].value = value[i], both[i].derivative[0] = slope[i];
  return both;
}
Vector3T<InTime> in_time(const Vector3& value, const Vector3& first, const Vector3& second) {
  Vector3T<InTime> path;
  for (int i = 0; i < 3; ++i) {
    path[i].value.value = value[i];
    path[i].value.derivative[0] = path[i].derivative[0].value = first[i];
    path[i].derivative[0].derivative[0] = second[i];
  }
  return path;
}
Vector3 unit_vector(int axis) {
  Vector3 e{};
  e[axis] = 1.0;
  return e;
}
bool is_zero(const CompositeT<double>& load) {
  static_assert(sizeof(load) % sizeof(double) == 0);
  const auto* numbers = reinterpret_cast<const double*>(&load);
  return std::all_of(numbers, numbers + sizeof(load) / sizeof(double), [](double x) { return x == 0.0; });
}
template <typename T>
void store_column(double* rows, int n, int k, const T& t) {
  for (int r = 0; r < 6; ++r) rows[r * n + k] = t[r];
}
Twist column_of(const double* rows, int n, int k) {
  Twist t;
  for (int r = 0; r < 6; ++r) t[r] = rows[r * n + k];
  return t;
}

}  // namespace nodal_sparse

template <typename S>
class NodalVolumeT<S>::Sparse final : public SparseTangent {
 public:
  explicit Sparse(const NodalVolumeT<double>& body) : body_(body), tables_(*body_.tables_) {
    for (const Port& port : body_.ports_) {
      std::vector<int>& nodes = port_nodes_.emplace_back();
      for (const int node : port.nodes) nodes.push_back(tables_.free.at(node) / 3);
    }
  }

  int node_count() const override { return body_.coordinate_count() / 3; }

  void join(NodePairs& pairs) const override {
    std::vector<int> nodes;
    for (std::size_t first = 0; first < tables_.elements.size(); first += count()) {
      nodes.clear();
      for (std::size_t i = first; i < first + count(); ++i) {
        if (const int at = tables_.free.at(tables_.elements[i]); at >= 0) nodes.push_back(at / 3);
      }
      pairs.join(nodes);
    }
    for (const std::vector<int>& of_port : port_nodes_) pairs.join(of_port);
  }
  void join_surface(const ChamberSurface& surface, NodePairs& pairs) const override {
    join_surface_nodes(tables_.interpolation, surface, pairs);
  }
  void join_polygon(const std::vector<Vector3>& points, NodePairs& pairs) const override {
    join_polygon_nodes(tables_.interpolation, points, pairs);
  }
  std::vector<std::ptrdiff_t> element_places(const NodePairs& pairs) const override {
    std::vector<std::ptrdiff_t> places;
    places.reserve(tables_.elements.size() * count());
    for (std::size_t first = 0; first < tables_.elements.size(); first += count()) {
      for (std::size_t j = first; j < first + count(); ++j) {
        for (std::size_t i = first; i < first + count(); ++i) {
          const int row = tables_.free.at(tables_.elements[i]), column = tables_.free.at(tables_.elements[j]);
          places.push_back(row < 0 || column < 0 ? -1 : pairs.place(row / 3, column / 3));
        }
      }
    }
    return places;
  }

  const std::vector<int>& port_nodes(int port) const override { return port_nodes_[static_cast<std::size_t>(port)]; }
  void port_twists(const BodyStateT<double>& state, int port, const PortTangentT<double>& result) const override;
  void add_inertial(const BodyStateT<double>& state, const CompositeT<double>* ports,
                    const PortTangentT<double>* twists, const WorkspaceT<double>& workspace, const NodePairs& pairs,
                    const NodeDerivatives& values, BodyDerivativesT<double>& result) const override;
  void add_internal(const double* q, const double* v, const NodePairs& pairs,
                    const std::vector<std::ptrdiff_t>& element_places, double* by_q, double* by_v) const override;
  void add_volume_hessian(const ChamberSurface& surface, const double* q, double factor, const NodePairs& pairs,
                          double* values) const override {
    add_surface_hessian(tables_.interpolation, surface, q, factor, pairs, values);
  }
  void add_length_hessian(const std::vector<Vector3>& points, const double* q, double factor, const NodePairs& pairs,
                          double* values) const override {
    add_polygon_hessian(tables_.interpolation, points, q, factor, pairs, values);
  }

 private:
  std::size_t count() const { return static_cast<std::size_t>(tables_.element_count); }
  Vector3 followed(const Combination& combination, const double* u, bool with_rest) const {
    Vector3 total{};
    for (std::size_t c = 0; c < combination.nodes.size(); ++c) {
      const int node = combination.nodes[c];
      if (with_rest) total += combination.weights[c] * tables_.rest[static_cast<std::size_t>(node)];
      total += combination.weights[c] * body_.displacement(u, node);
    }
    return total;
  }
  void add_port(const BodyStateT<double>& state, std::size_t k, const CompositeT<double>& load,
                const PortTangentT<double>& twists, const Pose& base_port, const NodePairs& pairs,
                const NodeDerivatives& values, BodyDerivativesT<double>& r) const;
  template <typename Change>
  void add_changes(const double* q, std::size_t points, const NodePairs& pairs,
                   const std::vector<std::ptrdiff_t>& element_places, double* values, const Change& change) const;

  const NodalVolumeT<double> body_;
  const typename NodalVolumeT<double>::Tables& tables_;
  std::vector<std::vector<int>> port_nodes_;
};

/// As of a body whose points are linear in q (point_tangent.cpp): in port axes the twist of the frame that follows the
/// slopes, with its derivatives in time; the axes turn with the port.
template <typename S>
void NodalVolumeT<S>::Sparse::port_twists(const BodyStateT<double>& state, int index,
                                          const PortTangentT<double>& result) const {
  using namespace nodal_sparse;
  const Port& port = body_.ports_[static_cast<std::size_t>(index)];
  Vector3T<InTime> path[3];
  for (int i = 0; i < 3; ++i) {
    path[i] = in_time(followed(port.vectors[i], state.q, true), followed(port.vectors[i], state.v, false),
                      followed(port.vectors[i], state.a, false));
  }
  const auto axes = port_axes(path[1], path[2]);
  Pose base_port;
  for (int r = 0; r < 3; ++r) {
    base_port.position[r] = path[0][r].value.value;
    for (int c = 0; c < 3; ++c) base_port.rotation(r, c) = axes(r, c).value.value;
  }
  const Twist carried = base_port.act_inverse(state.base_velocity);
  const std::vector<int>& nodes = port_nodes_[static_cast<std::size_t>(index)];
  std::vector<Twist> J(3 * nodes.size()), first(J), second(J);
  Twist relative, change;  // of the port in the base, and d/dt of its components
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::array<double, 3>& weights = port.weights[i];
    for (int axis = 0; axis < 3; ++axis) {
      const auto slope = [&](std::size_t vector) { return in_time(weights[vector] * unit_vector(axis), {}, {}); };
      const auto twist = frame_twist(axes, path[1], path[2], slope(0), slope(1), slope(2));
      const std::size_t k = 3 * i + static_cast<std::size_t>(axis);
      for (int r = 0; r < 6; ++r) {
        J[k][r] = twist[r].value.value;
        first[k][r] = twist[r].value.derivative[0];
        second[k][r] = twist[r].derivative[0].derivative[0];
      }
      const int j = 3 * nodes[i] + axis;
      relative += state.v[j] * J[k];
      change += state.a[j] * J[k] + state.v[j] * first[k];
    }
  }
  const Twist V = carried + relative;
  const Twist A = base_port.act_inverse(state.base_acceleration) + bracket(carried, relative) + change;
  const int columns = static_cast<int>(J.size());
  for (int column = 0; column < columns; ++column) {
    const auto k = static_cast<std::size_t>(column);
    const Twist rate = first[k] + bracket(V, J[k]);
    const Twist turned = second[k] + bracket(A, J[k]) + bracket(V, first[k]) + bracket(V, rate);
    store_column(result.jacobian, columns, column, base_port.act(J[k]));
    store_column(result.rate, columns, column, base_port.act(rate));
    store_column(result.second, columns, column, base_port.act(turned));
  }
}

/// What hangs at a port, as it moves with the coordinates.
template <typename S>
void NodalVolumeT<S>::Sparse::add_port(const BodyStateT<double>& state, std::size_t index,
                                       const CompositeT<double>& load, const PortTangentT<double>& twists,
                                       const Pose& base_port, const NodePairs& pairs, const NodeDerivatives& values,
                                       BodyDerivativesT<double>& r) const {
  using namespace nodal_sparse;
  const Port& port = body_.ports_[index];
  const std::vector<int>& nodes = port_nodes_[index];
  const int n = body_.coordinate_count();
  if (is_zero(load)) return;
  r.composite += load;
  const Wrench wrench = base_port.act_inverse(load.wrench);  // constant in port axes, with the port's Jacobian there
  const Vector3 a = followed(port.vectors[1], state.q, true), b = followed(port.vectors[2], state.q, true);
  const Vector3 none{};
  const std::vector<std::array<double, 3>>& weights = port.weights;
  const int columns = 3 * static_cast<int>(nodes.size());
  for (std::size_t jn = 0; jn < nodes.size(); ++jn) {
    std::vector<Matrix3> blocks[3];
    for (auto& of_rows : blocks) of_rows.assign(nodes.size(), Matrix3{});
    for (int axis = 0; axis < 3; ++axis) {
      const int j = 3 * nodes[jn] + axis, column = 3 * static_cast<int>(jn) + axis;
      const Twist J = column_of(twists.jacobian, columns, column), rate = column_of(twists.rate, columns, column);
      const Wrench by_a = load.inertia * J, momentum = load.inertia * rate;
      const Wrench by_q =
          load.inertia * column_of(twists.second, columns, column) + load.rate * rate.angular + load.turn * J.angular;
      const Wrench by_v = momentum + momentum + load.rate * J.angular;
      const Vector3 &w = J.angular, &v = J.linear;
      const Wrench carried{cross(w, load.wrench.torque) + cross(v, load.wrench.force), cross(w, load.wrench.force)};
      const Vector3 z = load.rate.transpose_times(J), y = load.turn.transpose_times(J);
      for (int i = 0; i < 6; ++i) {
        r.coupling[i * n + j] += by_a[i];
        r.base_by_q[i * n + j] += by_q[i] + carried[i];
        r.base_by_v[i * n + j] += by_v[i];
      }
      for (int i = 0; i < 3; ++i) r.rate[i * n + j] += z[i], r.turn[i * n + j] += y[i];
      const Vector3 e = unit_vector(axis);
      const auto a_path = with_slope(a, weights[jn][1] * e), b_path = with_slope(b, weights[jn][2] * e);
      const auto axes = port_axes(a_path, b_path);
      for (std::size_t in = 0; in < nodes.size(); ++in) {
        for (int row = 0; row < 3; ++row) {
          const Twist inner = column_of(twists.jacobian, columns, 3 * static_cast<int>(in) + row);
          const Vector3 unit = unit_vector(row);
          const auto slope = [&](int c) { return with_slope(weights[in][static_cast<std::size_t>(c)] * unit, none); };
          const auto twist = frame_twist(axes, a_path, b_path, slope(0), slope(1), slope(2));
          double turned = 0.0;
          for (int c = 0; c < 6; ++c) turned += wrench[c] * twist[c].derivative[0];
          blocks[0][in](row, axis) = dot(by_q, inner) + turned;
          blocks[1][in](row, axis) = dot(by_v, inner);
          blocks[2][in](row, axis) = dot(by_a, inner);
        }
      }
    }
    for (std::size_t in = 0; in < nodes.size(); ++in) {
      const std::ptrdiff_t place = pairs.place(nodes[in], nodes[jn]);
      pairs.add_at(values.by_q, place, nodes[jn], blocks[0][in]);
      pairs.add_at(values.by_v, place, nodes[jn], blocks[1][in]);
      pairs.add_at(values.by_a, place, nodes[jn], blocks[2][in]);
    }
  }
}

template <typename S>
void NodalVolumeT<S>::Sparse::add_inertial(const BodyStateT<double>& state, const CompositeT<double>* ports,
                                           const PortTangentT<double>* twists, const WorkspaceT<double>& workspace,
                                           const NodePairs& pairs, const NodeDerivatives& values,
                                           BodyDerivativesT<double>& r) const {
  const auto now = body_.kept(workspace);
  const int n = body_.coordinate_count();
  const std::size_t nodes = tables_.rest.size();
  const Vector3& w = state.base_velocity.angular;
  const Matrix3 skew = Matrix3::skew(w);
  const Matrix3 by_position = Matrix3::skew(state.base_acceleration.angular) + skew * skew, by_rate = 2.0 * skew;
  std::vector<Vector3> velocities(nodes), momenta(nodes);  // in the inertial frame; m_ij u_j
  for (std::size_t i = 0; i < nodes; ++i) {
    velocities[i] = state.base_velocity.linear + cross(w, now.positions[i]) + now.rates[i];
  }
  body_.multiply_by_mass(velocities.data(), momenta.data());
  InertiaBlocksT<double> blocks{nullptr, r.coupling, {}};
  body_.inertia_blocks(state, workspace, blocks);
  r.composite = {};
  r.composite.inertia = blocks.base;
  std::fill_n(r.turn, 3 * n, 0.0);
  const double density = body_.parameters_.density;
  Vector3 P{};
  Matrix3 K{};
  for (std::size_t i = 0; i < nodes; ++i) {
    r.composite.wrench += Wrench{cross(now.positions[i], now.forces[i]), now.forces[i]};
    P += momenta[i], K += Matrix3::outer(momenta[i], now.positions[i]);
    const int at = tables_.free.at(static_cast<int>(i));
    if (at < 0) continue;
    const double own = density * tables_.node_volume[i];
    const Matrix3 arm = Matrix3::skew(now.momenta[i]);
    const Matrix3 torque_by_q = arm * by_position - Matrix3::skew(now.forces[i]), torque_by_v = arm * by_rate;
    const Matrix3 turning = 2.0 * Matrix3::skew(momenta[i]);
    for (int row = 0; row < 3; ++row) {
      for (int c = 0; c < 3; ++c) {
        r.base_by_q[row * n + at + c] = torque_by_q(row, c);
        r.base_by_q[(row + 3) * n + at + c] = own * by_position(row, c);
        r.base_by_v[row * n + at + c] = torque_by_v(row, c);
        r.base_by_v[(row + 3) * n + at + c] = own * by_rate(row, c);
        r.rate[row * n + at + c] = turning(row, c);
      }
    }
    for (std::size_t k = tables_.start[i]; k < tables_.start[i + 1]; ++k) {
      const int other = tables_.free.at(tables_.column[k]);
      if (other < 0) continue;
      const double mass = density * tables_.entry[k];
      const std::ptrdiff_t place = pairs.place(at / 3, other / 3);
      pairs.add_at(values.by_q, place, other / 3, mass * by_position);
      pairs.add_at(values.by_v, place, other / 3, mass * by_rate);
      pairs.add_at(values.by_a, place, other / 3, mass * Matrix3::identity());
    }
  }
  r.composite.rate = momentum_rate(P, K);
  for (std::size_t k = 0; k < body_.ports_.size(); ++k) {
    add_port(state, k, ports[k], twists[k], now.base_port[k], pairs, values, r);
  }
}

/// Adds the columns that change(point, F, dF, count, dP) makes of each displacement of a node of a tetrahedron, at the
/// first points.
template <typename S>
template <typename Change>
void NodalVolumeT<S>::Sparse::add_changes(const double* q, std::size_t points, const NodePairs& pairs,
                                          const std::vector<std::ptrdiff_t>& element_places, double* values,
                                          const Change& change) const {
  using nodal_sparse::unit_vector;
  const int nodes = tables_.element_count;
  for (std::size_t p = 0; p < points; ++p) {
    const Matrix3 F = Matrix3::identity() + body_.gradient(q, p);
    const Vector3* gradients = tables_.gradients_of(p);
    const int* numbers = tables_.nodes_of(p);
    const std::ptrdiff_t* places = element_places.data() + tables_.element_of(p) * count() * count();
    Matrix3 dF[3 * k_most_element_nodes], dP[3 * k_most_element_nodes];
    std::size_t columns = 0;
    for (int j = 0; j < nodes; ++j) {
      if (tables_.free.at(numbers[j]) < 0) continue;
      for (int axis = 0; axis < 3; ++axis) dF[columns++] = Matrix3::outer(unit_vector(axis), gradients[j]);
    }
    if (columns == 0) continue;
    change(p, F, dF, columns, dP);
    std::size_t k = 0;
    for (int j = 0; j < nodes; ++j) {
      const int at = tables_.free.at(numbers[j]);
      if (at < 0) continue;
      for (int i = 0; i < nodes; ++i) {
        const std::ptrdiff_t place = places[j * nodes + i];
        if (place < 0) continue;
        const Vector3 g = tables_.volumes[p] * gradients[i];
        pairs.add_at(values, place, at / 3, Matrix3::from_columns(dP[k] * g, dP[k + 1] * g, dP[k + 2] * g));
      }
      k += 3;
    }
  }
}

template <typename S>
void NodalVolumeT<S>::Sparse::add_internal(const double* q, const double* v, const NodePairs& pairs,
                                           const std::vector<std::ptrdiff_t>& element_places, double* by_q,
                                           double* by_v) const {
  const bool viscous = body_.parameters_.material.damping_time.has_value();
  const double viscosity =
      viscous ? *body_.parameters_.material.damping_time * body_.parameters_.material.shear_modulus() : 0.0;
  add_changes(q, tables_.volumes.size(), pairs, element_places, by_q,
              [&](std::size_t p, const Matrix3& F, const Matrix3* dF, std::size_t columns, Matrix3* dP) {
                body_.change_stress(p, F, dF, columns, dP);
                if (!viscous || p >= tables_.strain_points) return;
                // of F 2 eta sym(F^T dF/dt)
                const Matrix3 rate = body_.gradient(v, p), half = F.transpose() * rate;
                const Matrix3 viscous_part = viscosity * (half + half.transpose());
                for (std::size_t k = 0; k < columns; ++k) {
                  const Matrix3 change = dF[k].transpose() * rate;
                  dP[k] += dF[k] * viscous_part + F * (viscosity * (change + change.transpose()));
                }
              });
  if (!viscous) return;
  add_changes(q, tables_.strain_points, pairs, element_places, by_v,
              [&](std::size_t, const Matrix3& F, const Matrix3* dF, std::size_t columns, Matrix3* dP) {
                for (std::size_t k = 0; k < columns; ++k) dP[k] = body_.viscous_stress(F, dF[k]);
              });
}

template <typename S>
std::shared_ptr<const void> NodalVolumeT<S>::find_part(const std::type_info& type) const {
  if (type == typeid(TetrahedralMesh)) return parameters_.mesh;
  if (type == typeid(NodeInterpolationT<S>)) {
    return std::shared_ptr<const void>(tables_, &tables_->interpolation);  // which the tables own
  }
  if constexpr (std::is_same_v<S, double>) {
    if (type == typeid(SparseTangent)) {
      const std::shared_ptr<const SparseTangent> sparse = std::make_shared<const Sparse>(*this);
      return sparse;
    }
  }
  return nullptr;
}

#define CUTTLE_INSTANTIATE(S) \
  template std::shared_ptr<const void> NodalVolumeT<S>::find_part(const std::type_info&) const;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
