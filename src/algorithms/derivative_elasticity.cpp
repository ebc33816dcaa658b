#include <algorithm>
#include <array>

#include "algorithms/derivative_sweep.h"
#include "algorithms/sweep.h"
#include "cuttle/spatial/logarithm.h"
#include "model/joint_spring.h"

namespace cuttle::derivative {
namespace {

/// d(spring force)/dq of a joint with a quaternion near half a turn, where de = T(e)^-1 z.
void add_half_turn_spring(const JointEdgeT<double>& joint, const Edge& edge, const double* e, const EdgeBlocks& by_q) {
  const int n = edge.nv;
  const TangentMap inverse = right_tangent_inverse(twist_of(e, n));
  std::array<ForwardDual, 6> at, stiffness, force;
  for (int i = 0; i < n; ++i) at[i] = e[i], stiffness[i] = joint.dynamics.stiffness[i];
  for (int k = 0; k < n; ++k) {
    const Twist de = inverse * unit_twist(k);
    for (int i = 0; i < n; ++i) at[i].derivative[k] = de[i];
  }
  half_turn_spring_force(stiffness.data(), n, at.data(), force.data());
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) by_q(edge.v + i, edge.v + k) += force[i].derivative[k];
  }
}

/// d(spring force)/dq of a joint with a quaternion: K between two inverse tangent maps, and the slope of the outer one.
void add_quaternion_spring(const JointEdgeT<double>& joint, const Edge& edge, const double* q, const EdgeBlocks& by_q) {
  const int n = edge.nv;
  double e[6], Ke[6];
  joint.joint->difference(joint.dynamics.rest.data(), q + edge.q, e);
  bool any_stiffness = false;
  for (int k = 0; k < n; ++k) {
    Ke[k] = joint.dynamics.stiffness[k] * e[k];
    any_stiffness = any_stiffness || joint.dynamics.stiffness[k] != 0.0;
  }
  if (!any_stiffness) return;
  if (is_near_half_turn(e)) return add_half_turn_spring(joint, edge, e, by_q);
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
                         const double* v, const EdgeDerivatives& d) {
  if (SparseBodyMemory* sparse = memory.sparse.get()) {
    sparse->tangent->add_internal(q + edge.q, v + edge.v, sparse->pairs, sparse->places, sparse->by_q.data(),
                                  sparse->by_v.data());
    return;
  }
  const int n = edge.nv;
  double* m = memory.stiffness.data();
  const auto add = [&](const EdgeBlocks& to) {
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < n; ++k) to(edge.v + i, edge.v + k) += m[i * n + k];
    }
  };
  if (memory.tangent->has_internal_derivatives()) {
    double* by_v = m + static_cast<std::ptrdiff_t>(n) * n;
    memory.tangent->internal_derivatives(q + edge.q, v + edge.v, memory.memory.data(), m, by_v);
    add(d.by_q);
    m = by_v;
    add(d.by_v);
    return;
  }
  body.stiffness_matrix(q + edge.q, m);
  add(d.by_q);
  body.damping_matrix(q + edge.q, v + edge.v, m);
  add(d.by_v);
  if (!memory.damping) return;
  std::vector<ForwardDual>& x = memory.gradients;
  for (int first = 0; first < n; first += k_forward_width) {
    const int last = std::min(n, first + k_forward_width);
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

}  // namespace

void add_elasticity(const Model& model, DerivativeData::Workspace& w, const EdgeDerivatives& d, const double* q,
                    const double* v) {
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

}  // namespace cuttle::derivative
