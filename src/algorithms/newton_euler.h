#pragma once

#include "algorithms/node_wrenches.h"
#include "algorithms/sweep.h"

// The recursive Newton-Euler sweeps, outward and inward.

namespace cuttle::sweep {

/// Inward sweep, [P] Alg. 1: from each node's inertial wrench to generalized forces, tips to root.
template <typename S>
void inward(const ModelT<S>& model, DataT<S>& data, const S* a, S* tau) {
  const TopologyT<S>& t = model.topology();
  for (int e = static_cast<int>(t.edges.size()) - 1; e >= 0; --e) {
    const Edge& edge = t.edges[e];
    const int parent = edge.parent_node, child = edge.child_node;
    if (edge.kind == EdgeKind::screw) {
      const ScrewEdgeT<S>& screw = t.screws[edge.index];
      const WrenchT<S>& w = data.wrench[child];
      tau[edge.v] = screw_component(screw, w) + screw.armature * a[edge.v];
      // what accelerates the child must come through its parent
      if (parent != 0) data.wrench[parent] += data.parent_child[e].act(w);
    } else if (edge.kind == EdgeKind::joint) {
      const JointEdgeT<S>& joint = t.joints[edge.index];
      const JointMotionT<S>& motion = data.joint_motion[edge.index];
      const WrenchT<S>& w = data.wrench[child];
      for (int k = 0; k < edge.nv; ++k) {
        tau[edge.v + k] = dot(w, motion.subspace[k]) + joint.dynamics.armature[k] * a[edge.v + k];
      }
      if (parent != 0) data.wrench[parent] += data.parent_child[e].act(w);
    } else {
      const BodyEdgeT<S>& body = t.bodies[edge.index];
      fetch_kept(t, data, edge.index - 1);
      WrenchT<S>* port_wrenches = data.port_wrench.data() + body.first_port;
      for (int k = 0; k < edge.child_count; ++k) port_wrenches[k] = data.wrench[child + k];
      WrenchT<S> base_wrench;
      body.body->backward(data.body_state[edge.index], port_wrenches, data.workspace(body), base_wrench, tau + edge.v);
      if (parent != 0) data.wrench[parent] += body.parent_base.act(base_wrench);
    }
  }
}

/// Forces for accelerations `a`, without elasticity and damping, into `tau` (size nv): both sweeps, the external
/// wrenches taken off between them. `Blocks` as of outward.
template <bool Blocks, typename S>
void newton_euler(const ModelT<S>& model, DataT<S>& data, const S* q, const S* v, const S* a, bool gravity, S* tau,
                  ExternalWrenchesT<S> external = {}) {
  const Vector3T<S> root = gravity ? -model.robot().gravity : Vector3T<S>{};
  outward<MotionLevel::acceleration, true, Blocks>(model, data, q, v, a, root);
  if (any_in_world_axes<S>(external)) world_poses(model, data);
  for (const auto& e : external) data.wrench[e.frame.node] -= node_wrench(e, &data.kinematics);
  inward(model, data, a, tau);
}

}  // namespace cuttle::sweep
