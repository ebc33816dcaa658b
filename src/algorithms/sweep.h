#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

#include "bodies/volume/fem/node_interpolation.h"
#include "cuttle/error.h"
#include "cuttle/model/data.h"
#include "model/check_argument.h"
#include "model/joint_spring.h"
#include "spatial/sine_kernels.h"

// The pieces that the algorithms share: the outward sweep over the edges, and the maps across one edge.

namespace cuttle::sweep {

/// Screws from which on a robot has their sines and cosines several at a time.
inline constexpr std::size_t k_many_screws = 4;

/// Sines and cosines of all screws' angles, which `turned` takes: one by one they are a quarter of a rigid inverse
/// dynamics. Until then they wait where the pose of each will stand. What a robot's angle gives is the same in every
/// sweep.
template <typename S>
void turn_screws(const ModelT<S>& model, DataT<S>& data, const S* q) {
  if constexpr (std::is_same_v<S, double>) {
    constexpr int k_most = 4 * k_sine_lanes;
    const TopologyT<S>& t = model.topology();
    if (t.screws.size() < k_many_screws) return;
    static const SineKernel k_kernel = sine_kernel();
    alignas(64) double angles[k_most], sines[k_most], cosines[k_most];
    int which[k_most];
    const int count = static_cast<int>(t.edges.size());
    for (int e = 0; e < count;) {
      int n = 0;
      for (; e < count && n < k_most; ++e) {
        const Edge& edge = t.edges[e];
        if (edge.kind != EdgeKind::screw) continue;
        angles[n] = t.screws[edge.index].rotation * q[edge.q];
        which[n++] = e;
      }
      for (int i = n; i % k_sine_lanes != 0; ++i) angles[i] = 0.0;
      k_kernel(angles, n, sines, cosines);
      for (int i = 0; i < n; ++i) {
        Vector3T<S>& waiting = data.parent_child[which[i]].rotation.row0;
        waiting.x = cosines[i], waiting.y = sines[i];
      }
    }
  }
}

/// Pose of a screw's child in its parent for coordinate q, with sine and cosine of its angle: placement, then turn
/// about and slide along z.
template <typename S>
CUTTLE_INLINE PoseT<S> screw_pose(const ScrewEdgeT<S>& screw, const S& q, const S& s, const S& c) {
  const S d = screw.translation * q;
  const Matrix3T<S>& P = screw.parent_placement.rotation;
  const auto row = [&](const Vector3T<S>& p) { return Vector3T<S>{c * p.x + s * p.y, c * p.y - s * p.x, p.z}; };
  const Vector3T<S>& p = screw.parent_placement.position;
  return {{row(P.row0), row(P.row1), row(P.row2)}, {p.x + d * P.row0.z, p.y + d * P.row1.z, p.z + d * P.row2.z}};
}

/// The same, of edge e after turn_screws at the same configuration.
template <typename S>
CUTTLE_INLINE PoseT<S> turned(const TopologyT<S>& t, const DataT<S>& data, int e, const S* q) {
  const Edge& edge = t.edges[e];
  const ScrewEdgeT<S>& screw = t.screws[edge.index];
  if constexpr (std::is_same_v<S, double>) {
    const Vector3T<S>& waiting = data.parent_child[e].rotation.row0;
    if (t.screws.size() >= k_many_screws) return screw_pose(screw, q[edge.q], waiting.y, waiting.x);
  }
  S s, c;
  sincos(screw.rotation * q[edge.q], s, c);
  return screw_pose(screw, q[edge.q], s, c);
}

/// S^T w of a screw about and along z.
template <typename S>
CUTTLE_INLINE S screw_component(const ScrewEdgeT<S>& screw, const WrenchT<S>& w) {
  return screw.rotation * w.torque.z + screw.translation * w.force.z;
}

/// [V, S v] for a screw about and along z: the part of the child's acceleration that velocities make.
template <typename S>
CUTTLE_INLINE TwistT<S> screw_bias(const ScrewEdgeT<S>& screw, const TwistT<S>& V, const S& v) {
  const S r = screw.rotation * v, t = screw.translation * v;
  return {{V.angular.y * r, -(V.angular.x * r), S(0.0)},
          {V.angular.y * t + V.linear.y * r, -(V.angular.x * t + V.linear.x * r), S(0.0)}};
}

/// Inertial wrench of what is fixed to a node.
template <typename S>
CUTTLE_INLINE WrenchT<S> node_wrench(const NodeT<S>& node, const TwistT<S>& V, const TwistT<S>& A) {
  if (!node.has_inertia) return WrenchT<S>::zero();
  return node.inertia * A + gyroscopic_wrench(V, node.inertia * V);
}

template <typename S>
BodyStateT<S> body_state(const BodyEdgeT<S>& body, const Edge& edge, const DataT<S>& data, MotionLevel level,
                         const S* q, const S* v, const S* a) {
  BodyStateT<S> state;
  state.q = q + edge.q;
  if (level >= MotionLevel::velocity) {
    state.v = v + edge.v;
    state.base_velocity = body.parent_base.act_inverse(data.velocity[edge.parent_node]);
  }
  if (level >= MotionLevel::acceleration) {
    state.a = a + edge.v;
    state.base_acceleration = body.parent_base.act_inverse(data.acceleration[edge.parent_node]);
  }
  return state;
}

/// Asks memory for what a body keeps for the way back, before its turn: that of a long robot is not in the cache.
/// @param index  among the bodies, or beyond their ends.
template <typename S>
CUTTLE_INLINE void fetch_kept(const TopologyT<S>& t, const DataT<S>& data, int index) {
  constexpr std::size_t k_line = 64 / sizeof(double), k_most = 28 * k_line;  // of a rod with up to 8 stops: all of it
  if (!std::is_same_v<S, double> || index < 0 || static_cast<std::size_t>(index) + 1 >= t.bodies.size()) return;
  const S* const kept = data.workspace(t.bodies[index]).persistent;
  const std::size_t size = t.bodies[index + 1].persistent - t.bodies[index].persistent;
  for (std::size_t i = 0; i < std::min(size, k_most); i += k_line) __builtin_prefetch(kept + i, 1);
}

/// Calls a body; an error that leaves it begins with its link.
template <typename S, typename Call>
void call_body(const ModelT<S>& model, const Edge& edge, const Call& call) {
  try {
    call();
  } catch (Error& error) {
    error.place_in({"links", edge.link, "body"}, model.robot().links[edge.link].name);
    throw;
  }
}

/// Where a body's inertia blocks are kept; without M_BB, which would be larger than all else, of very many nodes.
template <typename S>
InertiaBlocksT<S> inertia_blocks(DataT<S>& data, const BodyEdgeT<S>& body, int n) {
  if (leaves_out_mass(*body.body, n)) return {nullptr, data.blocks.data() + body.blocks, {}};
  return data.inertia_blocks(body, n);
}

/// Outward sweep, [P] (54)-(59), [B] (39): relative poses, then twists and accelerations of all nodes up to `Level`.
/// With `Wrenches`, also the inertial wrench of every node, which starts the inward sweep. With `Places`, of bodies the
/// ports alone, at level pose.
template <MotionLevel Level, bool Wrenches, bool Blocks, typename S, bool Places = false>
void outward(const ModelT<S>& model, DataT<S>& data, const S* q, const S* v, const S* a,
             const Vector3T<S>& root_acceleration) {
  constexpr bool velocities = Level >= MotionLevel::velocity;
  constexpr bool accelerations = Level >= MotionLevel::acceleration;
  const TopologyT<S>& t = model.topology();
  if constexpr (velocities) data.velocity[0] = TwistT<S>::zero();
  if constexpr (accelerations) data.acceleration[0] = {{}, root_acceleration};
  if constexpr (Wrenches) data.wrench[0] = WrenchT<S>::zero();
  turn_screws(model, data, q);
  const int count = static_cast<int>(t.edges.size());
  for (int e = 0; e < count; ++e) {
    const Edge& edge = t.edges[e];
    const int parent = edge.parent_node, child = edge.child_node;
    if (edge.kind == EdgeKind::screw) {
      const ScrewEdgeT<S>& screw = t.screws[edge.index];
      const PoseT<S> pose = turned(t, data, e, q);
      data.parent_child[e] = pose;
      if constexpr (velocities) {
        const S rate = v[edge.v];
        TwistT<S> V = pose.act_inverse(data.velocity[parent]);
        V.angular.z += screw.rotation * rate, V.linear.z += screw.translation * rate;
        data.velocity[child] = V;
        if constexpr (accelerations) {
          TwistT<S> A = pose.act_inverse(data.acceleration[parent]) + screw_bias(screw, V, rate);
          A.angular.z += screw.rotation * a[edge.v], A.linear.z += screw.translation * a[edge.v];
          data.acceleration[child] = A;
          if constexpr (Wrenches) data.wrench[child] = node_wrench(t.nodes[child], V, A);
        }
      }
    } else if (edge.kind == EdgeKind::joint) {
      const JointEdgeT<S>& joint = t.joints[edge.index];
      JointMotionT<S>& motion = data.joint_motion[edge.index];
      joint.joint->motion(q + edge.q, velocities ? v + edge.v : nullptr, motion);
      const PoseT<S> pose = joint.parent_placement * motion.placement_child;
      data.parent_child[e] = pose;
      if constexpr (velocities) {
        const TwistT<S> V = pose.act_inverse(data.velocity[parent]) + motion.velocity;
        data.velocity[child] = V;
        if constexpr (accelerations) {
          TwistT<S> A = pose.act_inverse(data.acceleration[parent]) + bracket(V, motion.velocity) + motion.bias;
          for (int k = 0; k < edge.nv; ++k) A += a[edge.v + k] * motion.subspace[k];
          data.acceleration[child] = A;
          if constexpr (Wrenches) data.wrench[child] = node_wrench(t.nodes[child], V, A);
        }
      }
    } else {
      const BodyEdgeT<S>& body = t.bodies[edge.index];
      BodyStateT<S>& state = data.body_state[edge.index];
      state = body_state(body, edge, data, Level, q, v, a);
      state.backward_alone = Wrenches && !Blocks;
      if constexpr (Wrenches && !Blocks) fetch_kept(t, data, edge.index + 1);
      const WorkspaceT<S> workspace = data.workspace(body);
      PortMotionT<S>* ports = data.port_motion.data() + body.first_port;
      call_body(model, edge, [&] {
        if constexpr (Places) {
          body.body->place_ports(state.q, workspace, ports);
        } else {
          body.body->forward(Level, state, workspace, ports);
        }
      });
      for (int k = 0; k < edge.child_count; ++k) {
        if constexpr (velocities) data.velocity[child + k] = ports[k].velocity;
        if constexpr (accelerations) data.acceleration[child + k] = ports[k].acceleration;
        if constexpr (Wrenches) {
          data.wrench[child + k] = node_wrench(t.nodes[child + k], ports[k].velocity, ports[k].acceleration);
        }
      }
      if constexpr (Blocks) {
        InertiaBlocksT<S> blocks = inertia_blocks(data, body, edge.nv);
        body.body->inertia_blocks(state, workspace, blocks);
        data.body_inertia[edge.index] = blocks.base;
      }
    }
  }
}

/// What an outward sweep at level pose, with blocks, leaves of the edges that move a node: its Jacobian needs no
/// others.
template <typename S>
void outward_to(const ModelT<S>& model, DataT<S>& data, const S* q, int node) {
  const TopologyT<S>& t = model.topology();
  turn_screws(model, data, q);
  while (node != 0) {
    const int e = t.parent_edge[node];
    const Edge& edge = t.edges[e];
    if (edge.kind == EdgeKind::screw) {
      data.parent_child[e] = turned(t, data, e, q);
    } else if (edge.kind == EdgeKind::joint) {
      const JointEdgeT<S>& joint = t.joints[edge.index];
      JointMotionT<S>& motion = data.joint_motion[edge.index];
      joint.joint->motion(q + edge.q, nullptr, motion);
      data.parent_child[e] = joint.parent_placement * motion.placement_child;
    } else {
      const BodyEdgeT<S>& body = t.bodies[edge.index];
      BodyStateT<S>& state = data.body_state[edge.index];
      state = body_state(body, edge, data, MotionLevel::pose, q, static_cast<const S*>(nullptr),
                         static_cast<const S*>(nullptr));
      const WorkspaceT<S> workspace = data.workspace(body);
      call_body(model, edge, [&] {
        body.body->forward(MotionLevel::pose, state, workspace, data.port_motion.data() + body.first_port);
      });
      InertiaBlocksT<S> blocks = inertia_blocks(data, body, edge.nv);
      body.body->inertia_blocks(state, workspace, blocks);
    }
    node = edge.parent_node;
  }
}

/// Pose of port k of a body edge in the parent node.
template <typename S>
CUTTLE_INLINE PoseT<S> port_pose(const BodyEdgeT<S>& body, const DataT<S>& data, int k) {
  return body.parent_base * data.port_motion[body.first_port + k].base_port;
}

/// World poses of all nodes after an outward sweep, into data.kinematics: it has no twists that belong to them then.
template <typename S>
void world_poses(const ModelT<S>& model, DataT<S>& data) {
  const TopologyT<S>& t = model.topology();
  data.kinematics.level = MotionLevel::pose;
  auto& world_node = data.kinematics.world_node;
  world_node[0] = PoseT<S>{};
  const int count = static_cast<int>(t.edges.size());
  for (int e = 0; e < count; ++e) {
    const Edge& edge = t.edges[e];
    const PoseT<S>& parent = world_node[edge.parent_node];
    if (edge.kind == EdgeKind::body) {
      const BodyEdgeT<S>& body = t.bodies[edge.index];
      const PoseT<S> world_base = parent * body.parent_base;
      for (int p = 0; p < edge.child_count; ++p) {
        world_node[edge.child_node + p] = world_base * data.port_motion[body.first_port + p].base_port;
      }
    } else {
      world_node[edge.child_node] = parent * data.parent_child[e];
    }
  }
}

/// Column k of a 6 x n matrix by rows, as a twist.
template <typename S>
CUTTLE_INLINE TwistT<S> column_of(const S* J, int n, int k) {
  return {{J[k], J[n + k], J[2 * n + k]}, {J[3 * n + k], J[4 * n + k], J[5 * n + k]}};
}

/// Inward sweep over the wrenches that stand in data.wrench: sum J^T wrench of all nodes, added to `force`. After an
/// outward sweep with blocks, which make the Jacobians of the bodies' ports.
template <typename S>
void add_projected_wrenches(const ModelT<S>& model, DataT<S>& data, S* force) {
  const TopologyT<S>& t = model.topology();
  for (int e = static_cast<int>(t.edges.size()) - 1; e >= 0; --e) {
    const Edge& edge = t.edges[e];
    S* f = force + edge.v;
    if (edge.kind == EdgeKind::screw) {
      *f += screw_component(t.screws[edge.index], data.wrench[edge.child_node]);
      data.wrench[edge.parent_node] += data.parent_child[e].act(data.wrench[edge.child_node]);
    } else if (edge.kind == EdgeKind::joint) {
      for (int k = 0; k < edge.nv; ++k) {
        f[k] += dot(data.wrench[edge.child_node], data.joint_motion[edge.index].subspace[k]);
      }
      data.wrench[edge.parent_node] += data.parent_child[e].act(data.wrench[edge.child_node]);
    } else {
      const BodyEdgeT<S>& body = t.bodies[edge.index];
      for (int k = 0; k < edge.child_count; ++k) {
        const WrenchT<S>& w = data.wrench[edge.child_node + k];
        const S* J = body.body->port_jacobian(data.workspace(body), k);
        for (int i = 0; i < edge.nv; ++i) f[i] += dot(w, column_of(J, edge.nv, i));
        data.wrench[edge.parent_node] += port_pose(body, data, k).act(w);
      }
    }
  }
}

/// Adds the springs, elasticity and damping of every edge to `force`.
template <bool Elastic, bool Damping, typename S>
void visco_elastic(const ModelT<S>& model, DataT<S>& data, const S* q, const S* v, S* force) {
  const TopologyT<S>& t = model.topology();
  for (const Edge& edge : t.edges) {
    S* f = force + edge.v;
    if (edge.kind == EdgeKind::screw) {
      const ScrewEdgeT<S>& screw = t.screws[edge.index];
      if constexpr (Elastic) *f += screw.stiffness * (q[edge.q] - screw.rest);
      if constexpr (Damping) *f += screw.damping * v[edge.v];
    } else if (edge.kind == EdgeKind::joint) {
      const JointEdgeT<S>& joint = t.joints[edge.index];
      if constexpr (Elastic) {
        S spring[6];
        joint_spring_force(*joint.joint, joint.dynamics, q + edge.q, spring);
        for (int k = 0; k < edge.nv; ++k) f[k] += spring[k];
      }
      if constexpr (Damping) {
        for (int k = 0; k < edge.nv; ++k) f[k] += joint.dynamics.damping[k] * v[edge.v + k];
      }
    } else {
      constexpr InternalForces which =
          Elastic && Damping ? InternalForces::both : (Elastic ? InternalForces::elastic : InternalForces::damping);
      const BodyEdgeT<S>& body = t.bodies[edge.index];
      call_body(model, edge, [&] {
        body.body->add_internal_force(which, q + edge.q, Damping ? v + edge.v : nullptr, f,
                                      data.workspace(body).scratch);
      });
    }
  }
}

}  // namespace cuttle::sweep
