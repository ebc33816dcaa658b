#include "algorithms/derivative_sweep.h"

#include "algorithms/sweep.h"

namespace cuttle::derivative {
namespace {

using Workspace = DerivativeData::Workspace;
using Composite = CompositeT<double>;

/// V x* w: how a wrench changes that moves along with its part.
Wrench carried(const Twist& displacement, const Wrench& w) {
  return {cross(displacement.angular, w.torque) + cross(displacement.linear, w.force),
          cross(displacement.angular, w.force)};
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

void move_screw(const TopologyT<double>& t, const Data& data, Workspace& w, int e, const double* q, const double* v,
                const double* a) {
  const Edge& edge = t.edges[e];
  const ScrewEdgeT<double>& screw = t.screws[edge.index];
  const int parent = edge.parent_node, child = edge.child_node, slot = w.first_slot[child];
  const Pose pose = w.pose[parent] * sweep::turned(t, data, e, q);
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
  const int parent = edge.parent_node, child = edge.child_node, slot = w.first_slot[child];
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
    if (!memory.sparse) memory.tangent->tangent_outward(state, workspace, memory.memory.data(), memory.ports.data());
  });
  const int n = edge.nv;
  for (int p = 0; p < edge.child_count; ++p) {
    const int node = edge.child_node + p;
    w.pose[node] = base * ports[p].base_port;
    w.velocity[node] = w.pose[node].act(ports[p].velocity);
    w.acceleration[node] = w.pose[node].act(ports[p].acceleration);
    const PortTangentT<double>& port = memory.ports[p];
    int columns = n;
    if (memory.sparse) {
      memory.sparse->tangent->port_twists(state, p, port);
      columns = 3 * static_cast<int>(memory.sparse->tangent->port_nodes(p).size());
    }
    const int slot = w.first_slot[static_cast<std::size_t>(node)];
    for (int k = 0; k < columns; ++k) {
      w.store(w.jacobian, slot + k, base.act(sweep::column_of(port.jacobian, columns, k)));
      w.store(w.rate, slot + k, base.act(sweep::column_of(port.rate, columns, k)));
      w.store(w.second, slot + k, base.act(sweep::column_of(port.second, columns, k)));
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
  sweep::turn_screws(model, data, q);
  const int count = static_cast<int>(t.edges.size());
  for (int e = 0; e < count; ++e) {
    const Edge& edge = t.edges[e];
    if (edge.kind == EdgeKind::screw) {
      move_screw(t, data, w, e, q, v, a);
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
void close_joint(const TopologyT<double>& t, Workspace& w, int e, const EdgeDerivatives& d,
                 JointSlopesT<double>& slopes, const double* q, const double* v, const double* a) {
  const Edge& edge = t.edges[e];
  const Composite& c = w.composite[edge.child_node];
  const int slot = w.first_slot[edge.child_node], n = edge.nv;
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

void close_body(const Model& model, Data& data, Workspace& w, int e, const EdgeDerivatives& d) {
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
    if (SparseBodyMemory* sparse = memory.sparse.get()) {
      for (auto* values : {&sparse->by_q, &sparse->by_v, &sparse->by_a}) {
        std::fill(values->begin(), values->end(), 0.0);
      }
      sparse->tangent->add_inertial(data.body_state[edge.index], memory.port_loads.data(), memory.ports.data(),
                                    data.workspace(body), sparse->pairs,
                                    {sparse->by_q.data(), sparse->by_v.data(), sparse->by_a.data()}, r);
      return;
    }
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
    if (memory.sparse) continue;
    for (int i = 0; i < n; ++i) {
      d.by_q(edge.v + i, edge.v + k) = r.force_by_q[i * n + k];
      d.by_v(edge.v + i, edge.v + k) = r.force_by_v[i * n + k];
      d.by_a(edge.v + i, edge.v + k) = r.mass[i * n + k];
    }
  }
  w.composite[edge.parent_node] += in_parent(r.composite, base);
}

void inward(const Model& model, Data& data, Workspace& w, const EdgeDerivatives& d, const double* q, const double* v,
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

}  // namespace

bool sweep_both_ways(const Model& model, Data& data, Workspace& w, const EdgeDerivatives& d, const VectorInT<double>& q,
                     const VectorInT<double>& v, const VectorInT<double>& a, const Actions& actions) {
  w.v = v, w.a = a;
  outward(model, data, w, q.data(), v.data(), a.data(), actions.gravity);
  const bool turn = add_external(w, actions.external);
  inward(model, data, w, d, q.data(), v.data(), a.data());
  return turn;
}

}  // namespace cuttle::derivative
