#include "cuttle/algorithms/derivatives.h"

#include "algorithms/derivative_workspace.h"
#include "algorithms/sweep.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/spatial/logarithm.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

using Workspace = DerivativeData::Workspace;
using Composite = CompositeT<double>;

/// V x* w: how a wrench changes that moves along with its part.
Wrench carried(const Twist& displacement, const Wrench& w) {
  return {cross(displacement.angular, w.torque) + cross(displacement.linear, w.force),
          cross(displacement.angular, w.force)};
}

/// (p.u) 1 - u p^T: the torque about the origin of d x u at p, as a map of d.
Matrix3 lever(const Vector3& p, const Vector3& u) {
  const double c = dot(p, u);
  return Matrix3{{c, 0.0, 0.0}, {0.0, c, 0.0}, {0.0, 0.0, c}} - Matrix3::outer(u, p);
}

AngularMapT<double> in_parent(const AngularMapT<double>& map, const Pose& g) {
  const Vector3 u = g.rotation * map.vector;
  return {g.rotation * map.matrix * g.rotation.transpose() + lever(g.position, u), u};
}

Composite in_parent(const Composite& c, const Pose& g) {
  return {c.inertia.in_parent(g), in_parent(c.rate, g), in_parent(c.turn, g), g.act(c.wrench)};
}

void add_node_inertia(const NodeT<double>& node, Workspace& w, int i) {
  Composite& c = w.composite[i];
  c = {};
  if (!node.has_inertia) return;
  const Twist& V = w.velocity[i];
  c.inertia = node.inertia.in_parent(w.pose[i]);
  c.rate = momentum_rate(c.inertia, V);
  c.wrench = c.inertia * w.acceleration[i] + gyroscopic_wrench(V, c.inertia * V);
}

bool has_quaternion(const Edge& edge) { return edge.nq != edge.nv; }
Twist twist_of(const double* v, int nv) {
  if (nv == 3) return {{v[0], v[1], v[2]}, {}};
  return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
}
Twist unit_twist(int k) {
  Twist e;
  e[k] = 1.0;
  return e;
}

void move_screw(const TopologyT<double>& t, Workspace& w, int e, const double* q, const double* v, const double* a) {
  const Edge& edge = t.edges[e];
  const ScrewEdgeT<double>& screw = t.screws[edge.index];
  const int parent = edge.parent_node, child = edge.child_node, slot = w.first_slot[e];
  const Pose pose = w.pose[parent] * sweep::screw_pose(screw, q[edge.q]);
  w.pose[child] = pose;
  const Vector3 axis = pose.rotation.column(2);
  const Twist J{screw.rotation * axis, screw.rotation * cross(pose.position, axis) + screw.translation * axis};
  const Twist V = w.velocity[parent] + v[edge.v] * J;
  const Twist rate = bracket(w.velocity[parent], J);
  const Twist A = w.acceleration[parent] + a[edge.v] * J + v[edge.v] * rate;
  w.velocity[child] = V, w.acceleration[child] = A;
  w.store(w.jacobian, slot, J);
  w.store(w.rate, slot, rate);
  w.store(w.second, slot, bracket(A, J) + bracket(V, rate));
}

void move_joint(const TopologyT<double>& t, Data& data, Workspace& w, int e, const double* q, const double* v,
                const double* a, JointSlopesT<double>& slopes) {
  const Edge& edge = t.edges[e];
  const JointEdgeT<double>& joint = t.joints[edge.index];
  const int parent = edge.parent_node, child = edge.child_node, slot = w.first_slot[e];
  JointMotionT<double>& motion = data.joint_motion[edge.index];
  joint.joint->motion(q + edge.q, v + edge.v, motion);
  const Pose pose = w.pose[parent] * (joint.parent_placement * motion.placement_child);
  const bool varies = !joint.joint->constant_subspace();
  if (varies) joint.joint->slopes(q + edge.q, v + edge.v, a + edge.v, slopes);
  Twist J[6], rate[6];
  Twist V = w.velocity[parent], A = w.acceleration[parent];
  for (int k = 0; k < edge.nv; ++k) {
    J[k] = pose.act(motion.subspace[k]);
    V += v[edge.v + k] * J[k];
  }
  for (int k = 0; k < edge.nv; ++k) {
    rate[k] = bracket(V, J[k]);
    if (varies) rate[k] += pose.act(slopes.rate[k]);
    A += a[edge.v + k] * J[k] + v[edge.v + k] * rate[k];
  }
  for (int k = 0; k < edge.nv; ++k) {
    Twist second = bracket(A, J[k]) + bracket(V, rate[k]);
    if (varies) second += pose.act(slopes.second[k]) + bracket(V, pose.act(slopes.rate[k]));
    w.store(w.jacobian, slot + k, J[k]);
    w.store(w.rate, slot + k, rate[k]);
    w.store(w.second, slot + k, second);
  }
  w.pose[child] = pose, w.velocity[child] = V, w.acceleration[child] = A;
}

void move_body(const Model& model, Data& data, Workspace& w, int e, const double* q, const double* v, const double* a) {
  const TopologyT<double>& t = model.topology();
  const Edge& edge = t.edges[e];
  const BodyEdgeT<double>& body = t.bodies[edge.index];
  BodyDerivativeMemory& memory = w.bodies[edge.index];
  const Pose base = w.pose[edge.parent_node] * body.parent_base;
  memory.base = base;
  BodyStateT<double>& state = data.body_state[edge.index];
  state = {q + edge.q, v + edge.v, a + edge.v, base.act_inverse(w.velocity[edge.parent_node]),
           base.act_inverse(w.acceleration[edge.parent_node])};
  const WorkspaceT<double> workspace = data.workspace(body);
  PortMotionT<double>* ports = data.port_motion.data() + body.first_port;
  sweep::call_body(model, edge, [&] {
    body.body->forward(MotionLevel::acceleration, state, workspace, ports);
    memory.tangent->tangent_outward(state, workspace, memory.memory.data(), memory.ports.data());
  });
  const int n = edge.nv;
  for (int p = 0; p < edge.child_count; ++p) {
    const int node = edge.child_node + p, slot = w.first_slot[e] + p * n;
    w.pose[node] = base * ports[p].base_port;
    w.velocity[node] = w.pose[node].act(ports[p].velocity);
    w.acceleration[node] = w.pose[node].act(ports[p].acceleration);
    const PortTangentT<double>& port = memory.ports[p];
    for (int k = 0; k < n; ++k) {
      w.store(w.jacobian, slot + k, base.act(sweep::column_of(port.jacobian, n, k)));
      w.store(w.rate, slot + k, base.act(sweep::column_of(port.rate, n, k)));
      w.store(w.second, slot + k, base.act(sweep::column_of(port.second, n, k)));
    }
  }
}

/// Poses, twists and the columns of every coordinate.
void outward(const Model& model, Data& data, Workspace& w, const double* q, const double* v, const double* a,
             double gravity) {
  const TopologyT<double>& t = model.topology();
  w.origin = {};
  if (model.robot().floating_base) {
    const JointEdgeT<double>& joint = t.joints[t.edges[0].index];
    JointMotionT<double>& motion = data.joint_motion[t.edges[0].index];
    joint.joint->motion(q, nullptr, motion);
    w.origin = (joint.parent_placement * motion.placement_child).position;
  }
  w.pose[0] = {Matrix3::identity(), -w.origin};
  w.velocity[0] = {}, w.acceleration[0] = {{}, -gravity * model.robot().gravity};
  w.composite[0] = {};
  JointSlopesT<double> slopes;
  const int count = static_cast<int>(t.edges.size());
  for (int e = 0; e < count; ++e) {
    const Edge& edge = t.edges[e];
    if (edge.kind == EdgeKind::screw) {
      move_screw(t, w, e, q, v, a);
    } else if (edge.kind == EdgeKind::joint) {
      move_joint(t, data, w, e, q, v, a, slopes);
    } else {
      move_body(model, data, w, e, q, v, a);
    }
    for (int p = 0; p < edge.child_count; ++p) add_node_inertia(t.nodes[edge.child_node + p], w, edge.child_node + p);
  }
}

/// External wrenches lighten what their nodes must supply.
bool add_external(Workspace& w, std::span<const ExternalWrench> external) {
  bool turn = false;
  for (const ExternalWrench& e : external) {
    const Pose pose = w.pose[e.frame.node] * e.frame.node_frame;
    Composite& c = w.composite[e.frame.node];
    if (e.axes == Axes::body) {
      c.wrench -= pose.act(e.wrench);
      continue;
    }
    turn = true;
    const Vector3& f = e.wrench.force;
    c.wrench -= Wrench{e.wrench.torque + cross(pose.position, f), f};
    const Matrix3 held = lever(pose.position, f) - Matrix3::skew(e.wrench.torque);
    c.turn += {held, f};
  }
  return turn;
}

/// What a coordinate with the given columns does to everything that hangs at a node.
CoordinateResponse response_of(const Composite& c, const Twist& J, const Twist& rate, const Twist& second) {
  CoordinateResponse r;
  r.by_second = c.inertia * J;
  r.by_rate = c.rate.transpose_times(J);
  r.by_turn = c.turn.transpose_times(J);
  r.wrench_by_q = c.inertia * second + c.rate * rate.angular + carried(J, c.wrench) + c.turn * J.angular;
  const Wrench momentum = c.inertia * rate;
  r.wrench_by_v = momentum + momentum + c.rate * J.angular;
  return r;
}

/// Inward over one joint: its own entries, and its response.
void close_joint(const TopologyT<double>& t, Workspace& w, int e, DerivativeData& d, JointSlopesT<double>& slopes,
                 const double* q, const double* v, const double* a) {
  const Edge& edge = t.edges[e];
  const Composite& c = w.composite[edge.child_node];
  const int slot = w.first_slot[e], n = edge.nv;
  bool varies = false;
  if (edge.kind == EdgeKind::joint) {
    const JointT<double>& joint = *t.joints[edge.index].joint;
    varies = !joint.constant_subspace();
    if (varies) joint.slopes(q + edge.q, v + edge.v, a + edge.v, slopes);
  }
  for (int k = 0; k < n; ++k) {
    const Twist J = w.twist(w.jacobian, slot + k);
    const CoordinateResponse r = response_of(c, J, w.twist(w.rate, slot + k), w.twist(w.second, slot + k));
    w.response[edge.v + k] = r;
    for (int i = 0; i < n; ++i) {
      const Twist inner = w.twist(w.jacobian, slot + i);
      double by_q = dot(r.wrench_by_q, inner);
      if (i != k) by_q += dot(c.wrench, bracket(J, inner));
      if (varies) by_q += dot(c.wrench, w.pose[edge.child_node].act(slopes.slope[i][k]));
      d.by_q(edge.v + i, edge.v + k) = by_q;
      d.by_v(edge.v + i, edge.v + k) = dot(r.wrench_by_v, inner);
      d.by_a(edge.v + i, edge.v + k) = dot(r.by_second, inner);
    }
  }
  w.composite[edge.parent_node] += c;
}

void close_body(const Model& model, Data& data, Workspace& w, int e, DerivativeData& d) {
  const TopologyT<double>& t = model.topology();
  const Edge& edge = t.edges[e];
  const BodyEdgeT<double>& body = t.bodies[edge.index];
  BodyDerivativeMemory& memory = w.bodies[edge.index];
  const Pose& base = memory.base;
  const Pose base_reference = base.inverse();
  for (int p = 0; p < edge.child_count; ++p) {
    memory.port_loads[p] = in_parent(w.composite[edge.child_node + p], base_reference);
  }
  BodyDerivativesT<double>& r = memory.result;
  sweep::call_body(model, edge, [&] {
    memory.tangent->tangent_inward(data.body_state[edge.index], memory.port_loads.data(), data.workspace(body),
                                   memory.memory.data(), r);
  });
  const int n = edge.nv;
  const auto wrench = [n](const double* rows, int k) {
    const Twist column = sweep::column_of(rows, n, k);
    return Wrench{column.angular, column.linear};
  };
  const auto vector = [n](const double* rows, int k) { return Vector3{rows[k], rows[n + k], rows[2 * n + k]}; };
  for (int k = 0; k < n; ++k) {
    CoordinateResponse& response = w.response[edge.v + k];
    response.by_second = base.act(wrench(r.coupling, k));
    response.by_rate = base.rotation * vector(r.rate, k);
    response.by_turn = base.rotation * vector(r.turn, k);
    response.wrench_by_q = base.act(wrench(r.base_by_q, k));
    response.wrench_by_v = base.act(wrench(r.base_by_v, k));
    for (int i = 0; i < n; ++i) {
      d.by_q(edge.v + i, edge.v + k) = r.force_by_q[i * n + k];
      d.by_v(edge.v + i, edge.v + k) = r.force_by_v[i * n + k];
      d.by_a(edge.v + i, edge.v + k) = r.mass[i * n + k];
    }
  }
  w.composite[edge.parent_node] += in_parent(r.composite, base);
}

void inward(const Model& model, Data& data, Workspace& w, DerivativeData& d, const double* q, const double* v,
            const double* a) {
  const TopologyT<double>& t = model.topology();
  JointSlopesT<double> slopes;
  for (int e = static_cast<int>(t.edges.size()) - 1; e >= 0; --e) {
    if (t.edges[e].kind == EdgeKind::body) {
      close_body(model, data, w, e, d);
    } else {
      close_joint(t, w, e, d, slopes, q, v, a);
    }
  }
}

/// d(spring force)/dq of a joint with a quaternion: K between two inverse tangent maps, and the slope of the outer one.
void add_quaternion_spring(const JointEdgeT<double>& joint, const Edge& edge, const double* q, MatrixXd& by_q) {
  const int n = edge.nv;
  double e[6], Ke[6];
  joint.joint->difference(joint.dynamics.rest.data(), q + edge.q, e);
  bool any_stiffness = false;
  for (int k = 0; k < n; ++k) {
    Ke[k] = joint.dynamics.stiffness[k] * e[k];
    any_stiffness = any_stiffness || joint.dynamics.stiffness[k] != 0.0;
  }
  if (!any_stiffness) return;
  // f = T(e)^-T K e, de = T^-1 z: df = T^-T (K de - (dT de)^T f)
  const Twist x = twist_of(e, n);
  const TangentMap inverse = right_tangent_inverse(x);
  const Twist elastic = twist_of(Ke, n);
  const Wrench f = inverse.transpose_times(Wrench{elastic.angular, elastic.linear});
  for (int k = 0; k < n; ++k) {
    const Twist de = inverse * unit_twist(k);
    Wrench change;
    for (int i = 0; i < n; ++i) {
      change[i] = joint.dynamics.stiffness[i] * de[i] - dot(f, right_tangent_derivative(x, de, unit_twist(i)));
    }
    change = inverse.transpose_times(change);
    for (int i = 0; i < n; ++i) by_q(edge.v + i, edge.v + k) += change[i];
  }
}

void add_body_elasticity(const BodyT<double>& body, BodyDerivativeMemory& memory, const Edge& edge, const double* q,
                         const double* v, DerivativeData& d) {
  const int n = edge.nv;
  double* m = memory.stiffness.data();
  const auto add = [&](MatrixXd& to) {
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < n; ++k) to(edge.v + i, edge.v + k) += m[i * n + k];
    }
  };
  body.stiffness_matrix(q + edge.q, m);
  add(d.by_q);
  body.damping_matrix(q + edge.q, v + edge.v, m);
  add(d.by_v);
  if (!memory.damping) return;
  std::vector<Gradient>& x = memory.gradients;
  for (int first = 0; first < n; first += k_gradient_width) {
    const int last = std::min(n, first + k_gradient_width);
    for (int k = 0; k < n; ++k) {
      x[k] = q[edge.q + k], x[n + k] = v[edge.v + k], x[2 * n + k] = 0.0;
      if (k >= first && k < last) x[k].derivative[k - first] = 1.0;
    }
    memory.damping->add_damping_force(x.data(), x.data() + n, x.data() + 2 * n);
    for (int k = first; k < last; ++k) {
      for (int i = 0; i < n; ++i) d.by_q(edge.v + i, edge.v + k) += x[2 * n + i].derivative[k - first];
    }
  }
}

/// Springs, elasticity, damping and armature: they lie within one edge each.
void add_elasticity(const Model& model, Workspace& w, DerivativeData& d, const double* q, const double* v) {
  const TopologyT<double>& t = model.topology();
  for (const Edge& edge : t.edges) {
    if (edge.kind == EdgeKind::screw) {
      const ScrewEdgeT<double>& screw = t.screws[edge.index];
      d.by_q(edge.v, edge.v) += screw.stiffness;
      d.by_v(edge.v, edge.v) += screw.damping;
      d.by_a(edge.v, edge.v) += screw.armature;
    } else if (edge.kind == EdgeKind::joint) {
      const JointEdgeT<double>& joint = t.joints[edge.index];
      if (has_quaternion(edge)) add_quaternion_spring(joint, edge, q, d.by_q);
      for (int k = 0; k < edge.nv; ++k) {
        if (!has_quaternion(edge)) d.by_q(edge.v + k, edge.v + k) += joint.dynamics.stiffness[k];
        d.by_v(edge.v + k, edge.v + k) += joint.dynamics.damping[k];
        d.by_a(edge.v + k, edge.v + k) += joint.dynamics.armature[k];
      }
    } else {
      sweep::call_body(model, edge,
                       [&] { add_body_elasticity(*t.bodies[edge.index].body, w.bodies[edge.index], edge, q, v, d); });
    }
  }
}

/// Derivatives of a force or a motion by the coordinates of a quaternion joint, so far those along a moving frame:
/// where the joint turns by e, its twist then changes by [v, e] and d/dt of that. From here on the components of v and
/// a are held instead.
void hold_velocities(const Edge& edge, const double* v, const double* a, MatrixXd& by_q, MatrixXd& by_v,
                     const MatrixXd& by_a) {
  const Twist twist = twist_of(v + edge.v, edge.nv), acceleration = twist_of(a + edge.v, edge.nv);
  for (int k = 0; k < edge.nv; ++k) {
    const Twist dv = bracket(twist, unit_twist(k));
    for (int m = 0; m < edge.nv; ++m) {
      if (dv[m] != 0.0) by_v.col(edge.v + k) -= dv[m] * by_a.col(edge.v + m);
    }
  }
  for (int k = 0; k < edge.nv; ++k) {
    const Twist dv = bracket(twist, unit_twist(k)), da = bracket(acceleration, unit_twist(k));
    for (int m = 0; m < edge.nv; ++m) {
      if (dv[m] != 0.0) by_q.col(edge.v + k) -= dv[m] * by_v.col(edge.v + m);
      if (da[m] != 0.0) by_q.col(edge.v + k) -= da[m] * by_a.col(edge.v + m);
    }
  }
}

void check(const Model& model, const char* function, const VectorInT<double>& q, const VectorInT<double>& v,
           const VectorInT<double>& a) {
  check_configuration_argument(model, function, "q", q);
  check_argument(model, function, "v", v, model.nv());
  check_argument(model, function, "a", a, model.nv());
}

/// Sweeps shared by all columns and one direction. @return whether loads in world axes act.
bool sweep_both_ways(const Model& model, Data& data, DerivativeData& d, const VectorInT<double>& q,
                     const VectorInT<double>& v, const VectorInT<double>& a, const Actions& actions) {
  Workspace& w = d.workspace();
  w.v = v, w.a = a;
  outward(model, data, w, q.data(), v.data(), a.data(), actions.gravity);
  const bool turn = add_external(w, actions.external);
  inward(model, data, w, d, q.data(), v.data(), a.data());
  return turn;
}

/// Derivatives of what inertia and gravity make, along moving frames (see hold_velocities).
void inertial_derivatives(const Model& model, Data& data, DerivativeData& d, const VectorInT<double>& q,
                          const VectorInT<double>& v, const VectorInT<double>& a, const Actions& actions) {
  Workspace& w = d.workspace();
  if (w.branches) {  // coordinates of different branches do not meet below
    for (MatrixXd* m : {&d.by_q, &d.by_v, &d.by_a}) m->setZero();
  }
  const bool turn = sweep_both_ways(model, data, d, q, v, a, actions);
  const PairKernel pairs = pair_kernel(turn);
  const DerivativeEntries entries{d.by_q.data(), d.by_v.data(), d.by_a.data(), model.nv()};
  for (const Edge& edge : model.topology().edges) {
    for (const ColumnRun& run : w.path[edge.parent_node]) {
      pairs({w.jacobian.data() + run.slot, w.rate.data() + run.slot, w.second.data() + run.slot, w.stride}, run.count,
            run.v, w.response.data() + edge.v, edge.nv, edge.v, entries);
    }
  }
}

}  // namespace

void inverse_dynamics_derivatives(const Model& model, Data& data, DerivativeData& d, VectorInT<double> q,
                                  VectorInT<double> v, VectorInT<double> a, const Actions& actions) {
  check(model, "inverse_dynamics_derivatives", q, v, a);
  require_few_coordinates(model, "inverse_dynamics_derivatives");
  inertial_derivatives(model, data, d, q, v, a, actions);
  for (const Edge& edge : model.topology().edges) {
    if (has_quaternion(edge)) hold_velocities(edge, v.data(), a.data(), d.by_q, d.by_v, d.by_a);
  }
  add_elasticity(model, d.workspace(), d, q.data(), v.data());
  if (actions.u != nullptr && actions.u->size() > 0) subtract_actuation_slope(model, d, q, *actions.u);
}

const MatrixXd& coriolis_matrix(const Model& model, Data& data, DerivativeData& d, VectorInT<double> q,
                                VectorInT<double> v) {
  check(model, "coriolis_matrix", q, v, data.zero);
  require_few_coordinates(model, "coriolis_matrix");
  inertial_derivatives(model, data, d, q, v, data.zero, {});
  d.by_v *= 0.5;
  return d.by_v;
}

const VectorXd& inverse_dynamics_tangent(const Model& model, Data& data, DerivativeData& d, VectorInT<double> q,
                                         VectorInT<double> v, VectorInT<double> a, VectorInT<double> dq,
                                         VectorInT<double> dv, VectorInT<double> da, const Actions& actions) {
  check(model, "inverse_dynamics_tangent", q, v, a);
  check_argument(model, "inverse_dynamics_tangent", "dq", dq, model.nv());
  check_argument(model, "inverse_dynamics_tangent", "dv", dv, model.nv());
  check_argument(model, "inverse_dynamics_tangent", "da", da, model.nv());
  require_few_coordinates(model, "inverse_dynamics_tangent");
  Workspace& w = d.workspace();
  sweep_both_ways(model, data, d, q, v, a, actions);
  const TopologyT<double>& t = model.topology();
  w.dv = dv, w.da = da;
  for (const Edge& edge : t.edges) {
    if (!has_quaternion(edge)) continue;
    const Twist step = twist_of(dq.data() + edge.v, edge.nv), twist = twist_of(v.data() + edge.v, edge.nv);
    const Twist dv_moving = twist_of(dv.data() + edge.v, edge.nv) - bracket(twist, step);
    const Twist lost = bracket(twist_of(a.data() + edge.v, edge.nv), step) + bracket(twist, dv_moving);
    for (int k = 0; k < edge.nv; ++k) w.dv[edge.v + k] = dv_moving[k], w.da[edge.v + k] -= lost[k];
  }
  w.displacement_along[0] = w.rate_along[0] = w.second_along[0] = {};
  for (std::size_t e = 0; e < t.edges.size(); ++e) {
    const Edge& edge = t.edges[e];
    for (int p = 0; p < edge.child_count; ++p) {
      Twist z = w.displacement_along[edge.parent_node], rate = w.rate_along[edge.parent_node],
            second = w.second_along[edge.parent_node];
      for (int k = 0; k < edge.nv; ++k) {
        const int slot = w.first_slot[e] + p * edge.nv + k, i = edge.v + k;
        const Twist J = w.twist(w.jacobian, slot), J_rate = w.twist(w.rate, slot);
        z += dq[i] * J;
        rate += dq[i] * J_rate + w.dv[i] * J;
        second += dq[i] * w.twist(w.second, slot) + (2.0 * w.dv[i]) * J_rate + w.da[i] * J;
      }
      w.displacement_along[edge.child_node + p] = z;
      w.rate_along[edge.child_node + p] = rate, w.second_along[edge.child_node + p] = second;
    }
  }
  // what moves the base, the edge's own coordinates, and what those further out ask for
  for (Wrench& wrench : w.wrench_along) wrench = {};
  for (int e = static_cast<int>(t.edges.size()) - 1; e >= 0; --e) {
    const Edge& edge = t.edges[e];
    const int parent = edge.parent_node;
    for (int k = 0; k < edge.nv; ++k) {
      const int row = edge.v + k;
      const CoordinateResponse& r = w.response[row];
      double sum = dot(r.by_second, w.second_along[parent]) + dot(r.by_rate, w.rate_along[parent].angular) +
                   dot(r.by_turn, w.displacement_along[parent].angular);
      for (int i = 0; i < edge.nv; ++i) {
        const int column = edge.v + i;
        sum +=
            d.by_q(row, column) * dq[column] + d.by_v(row, column) * w.dv[column] + d.by_a(row, column) * w.da[column];
      }
      for (int p = 0; p < edge.child_count; ++p) {
        sum += dot(w.wrench_along[edge.child_node + p], w.twist(w.jacobian, w.first_slot[e] + p * edge.nv + k));
      }
      d.tangent[row] = sum;
    }
    Wrench& inwards = w.wrench_along[parent];
    for (int p = 0; p < edge.child_count; ++p) inwards += w.wrench_along[edge.child_node + p];
    for (int k = 0; k < edge.nv; ++k) {
      const int i = edge.v + k;
      const CoordinateResponse& r = w.response[i];
      inwards += dq[i] * r.wrench_by_q + w.dv[i] * r.wrench_by_v + w.da[i] * r.by_second;
    }
  }
  for (const Edge& edge : t.edges) {
    for (MatrixXd* m : {&d.by_q, &d.by_v, &d.by_a}) m->block(edge.v, edge.v, edge.nv, edge.nv).setZero();
  }
  add_elasticity(model, w, d, q.data(), v.data());
  for (const Edge& edge : t.edges) {
    const auto block = [&edge](const MatrixXd& m) { return m.block(edge.v, edge.v, edge.nv, edge.nv); };
    auto tangent = d.tangent.segment(edge.v, edge.nv);
    tangent.noalias() += block(d.by_q) * dq.segment(edge.v, edge.nv);
    tangent.noalias() += block(d.by_v) * dv.segment(edge.v, edge.nv);
    tangent.noalias() += block(d.by_a) * da.segment(edge.v, edge.nv);
  }
  if (actions.u != nullptr && actions.u->size() > 0) {
    d.by_q.setZero();
    subtract_actuation_slope(model, d, q, *actions.u);
    d.tangent.noalias() += d.by_q * dq;
  }
  return d.tangent;
}

void forward_dynamics_derivatives(const Model& model, Data& data, DerivativeData& d, VectorInT<double> q,
                                  VectorInT<double> v, VectorInT<double> tau, const Actions& actions) {
  if (actions.gravity != 1.0) {
    throw ArgumentError("forward_dynamics_derivatives: actions.gravity: found " + number_text(actions.gravity) +
                        ", expected 1");
  }
  VectorXd& applied = d.workspace().applied;
  applied = tau;
  if (actions.u != nullptr && actions.u->size() > 0) {
    applied += actuation_force<double>(model, data, q, *actions.u);
  }
  d.workspace().a = forward_dynamics<double>(model, data, q, v, applied, actions.external);
  inverse_dynamics_derivatives(model, data, d, q, v, d.workspace().a, actions);
  data.a = d.workspace().a;
  Eigen::LLT<MatrixXd>& factor = d.workspace().factor;
  factor.compute(d.by_a);
  factor.solveInPlace(d.by_q);
  factor.solveInPlace(d.by_v);
  d.by_q *= -1.0, d.by_v *= -1.0;
  d.by_a.setIdentity();
  factor.solveInPlace(d.by_a);
}

void frame_derivatives(const Model& model, DerivativeData& d, const Frame& frame, FrameDerivatives& result) {
  const Workspace& w = d.workspace();
  const Pose pose = w.pose[frame.node] * frame.node_frame;
  const Twist V = pose.act_inverse(w.velocity[frame.node]);
  for (MatrixXd* m : {&result.jacobian, &result.velocity_by_q, &result.acceleration_by_q, &result.acceleration_by_v}) {
    m->setZero();
  }
  const auto store = [](MatrixXd& m, int column, const Twist& t) {
    for (int r = 0; r < 6; ++r) m(r, column) = t[r];
  };
  for (const ColumnRun& run : w.path[frame.node]) {
    for (int i = 0; i < run.count; ++i) {
      const Twist J = pose.act_inverse(w.twist(w.jacobian, run.slot + i));
      const Twist rate = pose.act_inverse(w.twist(w.rate, run.slot + i));
      store(result.jacobian, run.v + i, J);
      store(result.velocity_by_q, run.v + i, rate);
      store(result.acceleration_by_q, run.v + i, pose.act_inverse(w.twist(w.second, run.slot + i)) - bracket(V, rate));
      store(result.acceleration_by_v, run.v + i, 2.0 * rate - bracket(V, J));
    }
  }
  for (const Edge& edge : model.topology().edges) {
    if (!has_quaternion(edge)) continue;
    hold_velocities(edge, w.v.data(), w.a.data(), result.acceleration_by_q, result.acceleration_by_v, result.jacobian);
    const Twist twist = twist_of(w.v.data() + edge.v, edge.nv);
    for (int k = 0; k < edge.nv; ++k) {
      const Twist dv = bracket(twist, unit_twist(k));
      for (int m = 0; m < edge.nv; ++m) {
        if (dv[m] != 0.0) result.velocity_by_q.col(edge.v + k) -= dv[m] * result.jacobian.col(edge.v + m);
      }
    }
  }
}

}  // namespace cuttle
