#include "cuttle/algorithms/forward_dynamics.h"

#include <algorithm>

#include "algorithms/newton_euler.h"
#include "algorithms/node_wrenches.h"
#include "algorithms/spread_loads.h"
#include "algorithms/sweep.h"
#include "cuttle/algorithms/driven_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/spatial/dense.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

/// @param row  first coordinate of the edge or robot whose pivot is not positive, as a velocity index.
template <typename S>
[[noreturn]] void fail_singular(const ModelT<S>& model, const char* function, int row, const VectorInT<S>& v) {
  using std::abs;
  const std::string place = std::string(function) + ": link '" + model.link_of_velocity(row) + "': ";
  S largest(0.0);
  for (Eigen::Index i = 0; i < v.size(); ++i) largest = select(abs(v[i]) > largest, abs(v[i]), largest);
  std::string cause = "coordinate " + model.velocity_info()[row].name + " moves no mass";
  if (any(largest > S(1e8))) {
    cause = "the state has grown beyond sense (a velocity of " + number_text(largest) + ")";
  }
  throw SingularMassError(place + "the mass matrix is not positive definite: " + cause);
}

/// @throws OverflowError. One bad acceleration soon spoils all: it names the one whose velocity is largest.
template <typename S>
void require_finite_acceleration(const ModelT<S>& model, const char* function, const VectorInT<S>& v,
                                 const VectorXT<S>& a) {
  if constexpr (!k_has_lanes<S>) {
    if (all_finite(a.data(), a.size())) return;
    using std::abs, std::isfinite;
    int worst = -1;
    for (int i = 0; i < model.nv(); ++i) {
      if (!isfinite(a[i]) && (worst < 0 || abs(v[i]) > abs(v[worst]))) worst = i;
    }
    fail_overflow(
        function,
        "acceleration of " + model.velocity_info()[worst].name + " (link '" + model.link_of_velocity(worst) + "')",
        number_text(a[worst]));
  }
}

/// One robot fails; of several side by side, those whose pivot is not positive are marked and the others go on.
template <typename S, typename Fail>
void require_definite(const MaskT<S>& definite, DataT<S>& data, const Fail& fail) {
  if constexpr (k_has_lanes<S>) {
    data.singular = data.singular | !definite;
  } else if (!definite) {
    fail();
  }
}

/// First row of an LDL^T factor (n x n by rows) that ldlt_factor marked as not positive.
template <typename S>
int failed_row(const S* factor, int n) {
  int row = 0;
  while (row + 1 < n && !any(factor[row * n + row] == S(0.0))) ++row;
  return row;
}

template <typename S>
void check_added(const ModelT<S>& model, AddedInertiasT<S> added) {
  for (std::size_t i = 0; i < added.size(); ++i) {
    if (static_cast<std::size_t>(added[i].frame.node) < model.topology().nodes.size()) continue;
    check_frame(model, "forward_dynamics", "added[" + std::to_string(i) + "].frame", added[i].frame);
  }
}

/// Poses for those wrenches that are given in world axes; null if there are none.
template <typename S>
const KinematicsT<S>* poses_for(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, ExternalWrenchesT<S> external) {
  return sweep::any_in_world_axes<S>(external) ? &forward_kinematics(model, data, q) : nullptr;
}

/// First sweep, outward: twists, relative poses, velocity-dependent accelerations, and each node's own inertia and
/// bias.
template <typename S>
void start(const ModelT<S>& model, DataT<S>& data, const S* q, const S* v) {
  const TopologyT<S>& t = model.topology();
  data.velocity[0] = TwistT<S>::zero();
  const auto begin_node = [&](int node, const TwistT<S>& V) {
    data.velocity[node] = V;
    if (t.nodes[node].has_inertia) {
      const SpatialInertiaT<S>& I = t.nodes[node].inertia;
      data.articulated[node] = {ArticulatedInertiaT<S>::from(I), gyroscopic_wrench(V, I * V)};
    } else {
      data.articulated[node] = {};
    }
  };
  sweep::turn_screws(model, data, q);
  const int count = static_cast<int>(t.edges.size());
  for (int e = 0; e < count; ++e) {
    const Edge& edge = t.edges[e];
    if (edge.kind == EdgeKind::screw) {
      const ScrewEdgeT<S>& screw = t.screws[edge.index];
      const PoseT<S> pose = sweep::turned(t, data, e, q);
      data.parent_child[e] = pose;
      TwistT<S> V = pose.act_inverse(data.velocity[edge.parent_node]);
      V.angular.z += screw.rotation * v[edge.v], V.linear.z += screw.translation * v[edge.v];
      data.bias_acceleration[e] = sweep::screw_bias(screw, V, v[edge.v]);
      begin_node(edge.child_node, V);
    } else if (edge.kind == EdgeKind::joint) {
      const JointEdgeT<S>& joint = t.joints[edge.index];
      JointMotionT<S>& motion = data.joint_motion[edge.index];
      joint.joint->motion(q + edge.q, v + edge.v, motion);
      data.parent_child[e] = joint.parent_placement * motion.placement_child;
      const TwistT<S> V = data.parent_child[e].act_inverse(data.velocity[edge.parent_node]) + motion.velocity;
      data.bias_acceleration[e] = bracket(V, motion.velocity) + motion.bias;
      begin_node(edge.child_node, V);
    } else {
      const BodyEdgeT<S>& body = t.bodies[edge.index];
      BodyStateT<S>& state = data.body_state[edge.index];
      state = sweep::body_state(body, edge, data, MotionLevel::velocity, q, v, static_cast<const S*>(nullptr));
      state.a = data.zero.data() + edge.v;
      PortMotionT<S>* ports = data.port_motion.data() + body.first_port;
      sweep::call_body(model, edge,
                       [&] { body.body->forward(MotionLevel::acceleration, state, data.workspace(body), ports); });
      for (int k = 0; k < edge.child_count; ++k) begin_node(edge.child_node + k, ports[k].velocity);
    }
  }
}

template <typename S>
void eliminate_screw(const ModelT<S>& model, DataT<S>& data, int e, const VectorInT<S>& v) {
  const TopologyT<S>& t = model.topology();
  const Edge& edge = t.edges[e];
  const ScrewEdgeT<S>& screw = t.screws[edge.index];
  ScrewElimination<S>& kept = data.screw_elimination[edge.index];
  ArticulatedLoadT<S>& child = data.articulated[edge.child_node];
  const WrenchT<S> U = screw.rotation * child.inertia.column(2) + screw.translation * child.inertia.column(5);
  const S D = sweep::screw_component(screw, U) + screw.armature;
  // D is exactly zero, or rounding error, for a coordinate that moves no mass
  const S scale = screw.rotation * screw.rotation *
                      (child.inertia.angular.xx + child.inertia.angular.yy + child.inertia.angular.zz) +
                  screw.translation * screw.translation *
                      (child.inertia.linear.xx + child.inertia.linear.yy + child.inertia.linear.zz);
  const S eps(std::numeric_limits<typename ScalarTraits<S>::Precision>::epsilon());
  require_definite<S>(D > S(16.0) * eps * scale, data, [&] { fail_singular<S>(model, "forward_dynamics", edge.v, v); });
  kept.momentum = U;
  kept.inverse_pivot = S(1.0) / D;
  kept.force = data.applied[edge.v] - sweep::screw_component(screw, child.bias);
  if (edge.parent_node == 0) return;
  ArticulatedInertiaT<S> I = child.inertia;
  I.subtract_outer(kept.inverse_pivot, U);
  const WrenchT<S> p = child.bias + I * data.bias_acceleration[e] + (kept.inverse_pivot * kept.force) * U;
  ArticulatedLoadT<S>& parent = data.articulated[edge.parent_node];
  parent.inertia += I.in_parent(data.parent_child[e]);
  parent.bias += data.parent_child[e].act(p);
}

template <typename S>
void eliminate_joint(const ModelT<S>& model, DataT<S>& data, int e, const VectorInT<S>& v) {
  const TopologyT<S>& t = model.topology();
  const Edge& edge = t.edges[e];
  const JointEdgeT<S>& joint = t.joints[edge.index];
  const JointMotionT<S>& motion = data.joint_motion[edge.index];
  JointElimination<S>& kept = data.joint_elimination[edge.index];
  ArticulatedLoadT<S>& child = data.articulated[edge.child_node];
  const int n = edge.nv;
  for (int k = 0; k < n; ++k) kept.momentum[k] = child.inertia * motion.subspace[k];
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) kept.factor[i * n + j] = dot(kept.momentum[i], motion.subspace[j]);
    kept.factor[i * n + i] += joint.dynamics.armature[i];
    kept.force[i] = data.applied[edge.v + i] - dot(child.bias, motion.subspace[i]);
  }
  require_definite<S>(ldlt_factor(kept.factor.data(), n), data, [&] {
    fail_singular<S>(model, "forward_dynamics", edge.v + failed_row(kept.factor.data(), n), v);
  });
  if (edge.parent_node == 0) return;
  // I - U D^-1 U^T and U D^-1 r, column by column of D^-1 U^T
  ArticulatedInertiaT<S> I = child.inertia;
  WrenchT<S> p = child.bias;
  std::array<S, 6> x = kept.force;
  ldlt_solve(kept.factor.data(), n, x.data());
  for (int k = 0; k < n; ++k) p += x[k] * kept.momentum[k];
  std::array<S, 36> half;  // L^-1 U^T by rows, so that U D^-1 U^T = sum of row^T row / d
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < 6; ++i) half[k * 6 + i] = kept.momentum[k][i];
  }
  ldlt_forward(kept.factor.data(), n, half.data(), 6);
  for (int k = 0; k < n; ++k) {
    const S* row = half.data() + 6 * k;
    I.subtract_outer(kept.factor[k * n + k], {{row[0], row[1], row[2]}, {row[3], row[4], row[5]}});
  }
  p += I * data.bias_acceleration[e];
  ArticulatedLoadT<S>& parent = data.articulated[edge.parent_node];
  parent.inertia += I.in_parent(data.parent_child[e]);
  parent.bias += data.parent_child[e].act(p);
}

template <typename S>
void eliminate_body(const ModelT<S>& model, DataT<S>& data, int e, const VectorInT<S>& v) {
  const TopologyT<S>& t = model.topology();
  const Edge& edge = t.edges[e];
  const BodyEdgeT<S>& body = t.bodies[edge.index];
  const BodyStateT<S>& state = data.body_state[edge.index];
  const ArticulatedLoadT<S>** loads = data.port_load.data() + body.first_port;
  for (int k = 0; k < edge.child_count; ++k) {
    const int node = edge.child_node + k;
    loads[k] = t.loaded[node] || data.pushed[node] ? &data.articulated[node] : nullptr;
  }
  ArticulatedLoadT<S> base;
  const MaskT<S> definite = body.body->eliminate(state, data.applied.data() + edge.v, loads,
                                                 data.port_motion.data() + body.first_port, data.workspace(body), base);
  require_definite<S>(definite, data, [&] {
    // what hangs at the ports only adds to M_BB, so the coordinate that moves nothing shows in M_BB alone
    if (leaves_out_mass(*body.body, edge.nv)) fail_singular<S>(model, "forward_dynamics", edge.v, v);
    InertiaBlocksT<S> blocks = data.inertia_blocks(body, edge.nv);
    body.body->inertia_blocks(state, data.workspace(body), blocks);
    ldlt_factor(blocks.mass, edge.nv);
    fail_singular<S>(model, "forward_dynamics", edge.v + failed_row(blocks.mass, edge.nv), v);
  });
  if (edge.parent_node == 0) return;
  ArticulatedLoadT<S>& parent = data.articulated[edge.parent_node];
  parent.inertia += base.inertia.in_parent(body.parent_base);
  parent.bias += body.parent_base.act(base.bias);
}

/// Column k of the subspace of an edge that is a joint, child axes.
template <typename S>
TwistT<S> subspace_of(const ModelT<S>& model, const DataT<S>& data, const Edge& edge, int k) {
  if (edge.kind == EdgeKind::joint) return data.joint_motion[edge.index].subspace[k];
  const ScrewEdgeT<S>& screw = model.topology().screws[edge.index];
  return {{S(0.0), S(0.0), screw.rotation}, {S(0.0), S(0.0), screw.translation}};
}

template <typename S>
bool is_driven(const DrivenJointsT<S>* joints, const Edge& edge) {
  return joints != nullptr && edge.kind != EdgeKind::body && edge.nv > 0 && joints->driven[edge.v] != 0;
}

/// A driven joint holds its child like a rigid one, whose acceleration is known.
template <typename S>
void pass_driven(const ModelT<S>& model, DataT<S>& data, int e, const DrivenJointsT<S>& joints) {
  const Edge& edge = model.topology().edges[e];
  TwistT<S>& known = data.bias_acceleration[e];
  for (int k = 0; k < edge.nv; ++k) known += joints.a[edge.v + k] * subspace_of(model, data, edge, k);
  if (edge.parent_node == 0) return;
  const ArticulatedLoadT<S>& child = data.articulated[edge.child_node];
  ArticulatedLoadT<S>& parent = data.articulated[edge.parent_node];
  parent.inertia += child.inertia.in_parent(data.parent_child[e]);
  parent.bias += data.parent_child[e].act(child.bias + child.inertia * known);
}

/// Its acceleration, and its effort: what the wrench on the child asks for beside the forces that there are.
template <typename S>
void follow_driven(const ModelT<S>& model, DataT<S>& data, int e, const TwistT<S>& parent, DrivenJointsT<S>& joints) {
  const TopologyT<S>& t = model.topology();
  const Edge& edge = t.edges[e];
  const TwistT<S> A = data.parent_child[e].act_inverse(parent) + data.bias_acceleration[e];
  const ArticulatedLoadT<S>& child = data.articulated[edge.child_node];
  const WrenchT<S> wrench = child.inertia * A + child.bias;
  for (int k = 0; k < edge.nv; ++k) {
    const S armature =
        edge.kind == EdgeKind::screw ? t.screws[edge.index].armature : t.joints[edge.index].dynamics.armature[k];
    const S a = joints.a[edge.v + k];
    data.a[edge.v + k] = a;
    joints.effort[edge.v + k] =
        dot(wrench, subspace_of(model, data, edge, k)) + armature * a - data.applied[edge.v + k];
  }
  data.acceleration[edge.child_node] = A;
}

/// Last sweep, outward: accelerations from the root to the tips.
/// @param joints  driven ones, or null.
template <typename S>
void back_substitute(const ModelT<S>& model, DataT<S>& data, DrivenJointsT<S>* joints) {
  const TopologyT<S>& t = model.topology();
  data.acceleration[0] = {{}, -model.robot().gravity};
  const int count = static_cast<int>(t.edges.size());
  for (int e = 0; e < count; ++e) {
    const Edge& edge = t.edges[e];
    const TwistT<S>& parent = data.acceleration[edge.parent_node];
    if (is_driven(joints, edge)) {
      follow_driven(model, data, e, parent, *joints);
    } else if (edge.kind == EdgeKind::screw) {
      const ScrewEdgeT<S>& screw = t.screws[edge.index];
      const ScrewElimination<S>& kept = data.screw_elimination[edge.index];
      TwistT<S> A = data.parent_child[e].act_inverse(parent) + data.bias_acceleration[e];
      const S a = kept.inverse_pivot * (kept.force - dot(kept.momentum, A));
      data.a[edge.v] = a;
      A.angular.z += screw.rotation * a, A.linear.z += screw.translation * a;
      data.acceleration[edge.child_node] = A;
    } else if (edge.kind == EdgeKind::joint) {
      const JointMotionT<S>& motion = data.joint_motion[edge.index];
      JointElimination<S>& kept = data.joint_elimination[edge.index];
      TwistT<S> A = data.parent_child[e].act_inverse(parent) + data.bias_acceleration[e];
      S* a = data.a.data() + edge.v;
      for (int k = 0; k < edge.nv; ++k) a[k] = kept.force[k] - dot(kept.momentum[k], A);
      ldlt_solve(kept.factor.data(), edge.nv, a);
      for (int k = 0; k < edge.nv; ++k) A += a[k] * motion.subspace[k];
      data.acceleration[edge.child_node] = A;
    } else {
      const BodyEdgeT<S>& body = t.bodies[edge.index];
      PortMotionT<S>* ports = data.port_motion.data() + body.first_port;
      body.body->back_substitute(body.parent_base.act_inverse(parent), data.workspace(body), data.a.data() + edge.v,
                                 ports);
      for (int k = 0; k < edge.child_count; ++k) data.acceleration[edge.child_node + k] = ports[k].acceleration;
    }
  }
}

/// @param joints  driven ones, or null.
template <typename S>
const VectorXT<S>& articulated_dynamics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v,
                                        VectorInT<S> tau, ExternalWrenchesT<S> external, AddedInertiasT<S> added,
                                        DrivenJointsT<S>* joints) {
  check_call(model, "forward_dynamics", data, q);
  check_argument(model, "forward_dynamics", "v", v, model.nv());
  check_argument(model, "forward_dynamics", "tau", tau, model.nv());
  sweep::check_external(model, "forward_dynamics", external);
  check_added(model, added);
  const KinematicsT<S>* kinematics =
      added.empty() ? poses_for(model, data, q, external) : &forward_kinematics(model, data, q);
  data.singular = {};
  data.applied.setZero();
  sweep::visco_elastic<true, true>(model, data, q.data(), v.data(), data.applied.data());
  data.applied = tau - data.applied;
  start(model, data, q.data(), v.data());
  std::fill(data.pushed.begin(), data.pushed.end(), 0);
  for (const auto& e : external) {
    data.articulated[e.frame.node].bias -= sweep::node_wrench(e, kinematics);
    data.pushed[e.frame.node] = 1;
  }
  for (const auto& x : added) {
    // the sweeps accelerate the root against gravity; what is added feels none
    const Vector3T<S> gravity = kinematics->pose(x.frame).rotation.transpose_times(model.robot().gravity);
    ArticulatedLoadT<S>& node = data.articulated[x.frame.node];
    node.inertia += x.inertia.in_parent(x.frame.node_frame);
    node.bias += x.frame.node_frame.act(x.inertia * TwistT<S>{{}, gravity});
    data.pushed[x.frame.node] = 1;
  }
  const auto& edges = model.topology().edges;
  for (int e = static_cast<int>(edges.size()) - 1; e >= 0; --e) {
    if (is_driven(joints, edges[e])) {
      pass_driven(model, data, e, *joints);
      continue;
    }
    switch (edges[e].kind) {
      case EdgeKind::screw:
        eliminate_screw<S>(model, data, e, v);
        break;
      case EdgeKind::joint:
        eliminate_joint<S>(model, data, e, v);
        break;
      case EdgeKind::body:
        eliminate_body<S>(model, data, e, v);
        break;
    }
  }
  back_substitute(model, data, joints);
  if constexpr (k_has_lanes<S>) {
    const S nan(std::numeric_limits<double>::quiet_NaN());
    for (S& a : data.a) a = select(data.singular, nan, a);
  }
  require_finite_acceleration<S>(model, "forward_dynamics", v, data.a);
  return data.a;
}

template <typename S>
void check_driven(const ModelT<S>& model, const DrivenJointsT<S>& joints) {
  const char* const name = "driven_dynamics";
  check_argument<S>(model, name, "joints.a", joints.a, model.nv());
  if (joints.driven.size() != static_cast<std::size_t>(model.nv())) {
    throw ArgumentError(std::string(name) + ": joints.driven: found size " + std::to_string(joints.driven.size()) +
                        ", expected " + std::to_string(model.nv()));
  }
  for (const Edge& edge : model.topology().edges) {
    int count = 0;
    for (int k = 0; k < edge.nv; ++k) count += joints.driven[edge.v + k] != 0 ? 1 : 0;
    if (count == 0 || (edge.kind != EdgeKind::body && count == edge.nv)) continue;
    throw ArgumentError(std::string(name) + ": joints.driven: found " + std::to_string(count) + " of " +
                        std::to_string(edge.nv) + " coordinates from " + model.velocity_info()[edge.v].name +
                        " on, expected all of a joint or none, and none of a body");
  }
}

}  // namespace

template <typename S>
const VectorXT<S>& forward_dynamics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v,
                                    VectorInT<S> tau, ExternalWrenchesT<S> external, AddedInertiasT<S> added) {
  return articulated_dynamics<S>(model, data, q, v, tau, external, added, nullptr);
}

template <typename S>
const VectorXT<S>& driven_dynamics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v,
                                   VectorInT<S> tau, DrivenJointsT<S>& joints, ExternalWrenchesT<S> external,
                                   AddedInertiasT<S> added) {
  check_driven(model, joints);
  joints.effort.setZero(model.nv());
  return articulated_dynamics<S>(model, data, q, v, tau, external, added, &joints);
}

template <typename S>
const VectorXT<S>& external_force(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q,
                                  ExternalWrenchesT<S> external) {
  check_call(model, "external_force", data, q);
  sweep::check_external(model, "external_force", external);
  // what the robot needs at rest, without gravity, against the wrenches turned round: no body's Jacobian is made
  const S* zero = data.zero.data();
  sweep::newton_euler<false>(model, data, q.data(), zero, zero, false, data.force.data(), external);
  for (S& force : data.force) force = S(0.0) - force;
  require_finite_force(model, "external_force", "force", data.force);
  return data.force;
}

template <typename S>
const VectorXT<S>& forward_dynamics_dense(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v,
                                          VectorInT<S> tau, ExternalWrenchesT<S> external) {
  check_call(model, "forward_dynamics_dense", data, q);
  check_argument(model, "forward_dynamics_dense", "v", v, model.nv());
  check_argument(model, "forward_dynamics_dense", "tau", tau, model.nv());
  const int n = model.nv();
  data.applied = tau;
  if (!external.empty()) data.applied += external_force(model, data, q, external);
  mass_inverse_dynamics(model, data, q, v, data.zero);
  data.a = data.applied - data.tau;
  data.factor = data.mass_matrix;  // symmetric: storage order does not matter
  data.singular = {};
  if (n > 0) {
    require_definite<S>(ldlt_factor(data.factor.data(), n), data, [&] {
      fail_singular<S>(model, "forward_dynamics_dense", failed_row(data.factor.data(), n), v);
    });
  }
  ldlt_solve(data.factor.data(), n, data.a.data());
  require_finite_acceleration<S>(model, "forward_dynamics_dense", v, data.a);
  return data.a;
}

template <typename S>
std::size_t load_wrench_count(const ModelT<S>& model) {
  std::size_t count = 0;
  for (const auto& load : model.loads()) count += load.frames.size();
  return count;
}

template <typename S>
void load_wrenches(const ModelT<S>& model, double time,
                   typename std::type_identity<std::span<ExternalWrenchT<S>>>::type result) {
  if (result.size() != load_wrench_count(model)) {
    throw ArgumentError("load_wrenches: result: found size " + std::to_string(result.size()) + ", expected " +
                        std::to_string(load_wrench_count(model)));
  }
  const auto whole = [&](std::size_t i) {
    const TimedWrench& load = *model.loads()[i].wrench;
    const auto vector = [&](const Signal(&s)[3]) {
      return Vector3T<S>{S(s[0].at(time)), S(s[1].at(time)), S(s[2].at(time))};
    };
    return std::pair(WrenchT<S>{vector(load.torque), vector(load.force)}, load.axes);
  };
  spread_loads<S>(model, whole, result);
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_INSTANTIATE(S)                                                                                     \
  template const VectorXT<S>& forward_dynamics<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, VectorInT<S>,        \
                                                  VectorInT<S>, ExternalWrenchesT<S>, AddedInertiasT<S>);         \
  template const VectorXT<S>& driven_dynamics<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, VectorInT<S>,         \
                                                 VectorInT<S>, DrivenJointsT<S>&, ExternalWrenchesT<S>,           \
                                                 AddedInertiasT<S>);                                              \
  template const VectorXT<S>& forward_dynamics_dense<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, VectorInT<S>,  \
                                                        VectorInT<S>, ExternalWrenchesT<S>);                      \
  template const VectorXT<S>& external_force<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, ExternalWrenchesT<S>); \
  template std::size_t load_wrench_count<S>(const ModelT<S>&);                                                    \
  template void load_wrenches<S>(const ModelT<S>&, double, std::span<ExternalWrenchT<S>>);
// NOLINTEND(bugprone-macro-parentheses)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
