#include "cuttle/algorithms/energy.h"

#include "algorithms/sweep.h"
#include "cuttle/algorithms/kinematics.h"

namespace cuttle {

template <typename S>
S kinetic_energy(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v) {
  check_call(model, "kinetic_energy", data, q);
  check_argument(model, "kinetic_energy", "v", v, model.nv());
  const TopologyT<S>& t = model.topology();
  sweep::outward<MotionLevel::velocity, false, false, S>(model, data, q.data(), v.data(), nullptr, {});
  S energy(0.0), twice(0.0);
  for (const Edge& edge : t.edges) {
    if (edge.kind == EdgeKind::screw) {
      twice += t.screws[edge.index].armature * v[edge.v] * v[edge.v];
    } else if (edge.kind == EdgeKind::joint) {
      const auto& armature = t.joints[edge.index].dynamics.armature;
      for (int k = 0; k < edge.nv; ++k) twice += armature[k] * v[edge.v + k] * v[edge.v + k];
    } else {
      const BodyEdgeT<S>& body = t.bodies[edge.index];
      energy += body.body->kinetic_energy(data.body_state[edge.index], data.workspace(body));
    }
    for (int node = edge.child_node; node < edge.child_node + edge.child_count; ++node) {
      if (t.nodes[node].has_inertia) twice += dot(t.nodes[node].inertia * data.velocity[node], data.velocity[node]);
    }
  }
  return finite_result<S>("kinetic_energy", "energy", energy + S(0.5) * twice);
}

template <typename S>
S gravity_energy(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q) {
  check_call(model, "gravity_energy", data, q);
  sweep::outward<MotionLevel::pose, false, false, S>(model, data, q.data(), nullptr, nullptr, {});
  sweep::world_poses(model, data);
  const KinematicsT<S>& k = data.kinematics;
  const TopologyT<S>& t = model.topology();
  Vector3T<S> moment;  // sum of m p, world axes
  const auto add = [&](const PoseT<S>& world_frame, const S& mass, const Vector3T<S>& frame_moment) {
    moment += world_frame.rotation * frame_moment + mass * world_frame.position;
  };
  for (std::size_t node = 0; node < t.nodes.size(); ++node) {
    const NodeT<S>& n = t.nodes[node];
    if (n.has_inertia) add(k.world_node[node], n.inertia.mass, n.inertia.moment);
  }
  for (const Edge& edge : t.edges) {
    if (edge.kind != EdgeKind::body) continue;
    const BodyEdgeT<S>& body = t.bodies[edge.index];
    add(k.world_node[edge.parent_node] * body.parent_base, model.links()[edge.link].rest_inertia.mass,
        body.body->mass_moment(data.workspace(body)));
  }
  const S energy = -dot(model.robot().gravity, moment);
  if constexpr (!k_has_lanes<S>) {
    if (!all_finite(&energy, 1)) forward_kinematics(model, data, q);  // which names the link
  }
  return finite_result<S>("gravity_energy", "energy", energy);
}

template <typename S>
S elastic_energy(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q) {
  check_call(model, "elastic_energy", data, q);
  const TopologyT<S>& t = model.topology();
  S energy(0.0);
  for (const Edge& edge : t.edges) {
    if (edge.kind == EdgeKind::screw) {
      const ScrewEdgeT<S>& screw = t.screws[edge.index];
      const S e = q[edge.q] - screw.rest;
      energy += S(0.5) * screw.stiffness * e * e;
    } else if (edge.kind == EdgeKind::joint) {
      const JointEdgeT<S>& joint = t.joints[edge.index];
      energy += joint_spring_energy(*joint.joint, joint.dynamics, q.data() + edge.q);
    } else {
      const BodyEdgeT<S>& body = t.bodies[edge.index];
      sweep::call_body(model, edge,
                       [&] { energy += body.body->stored_energy(q.data() + edge.q, data.workspace(body).scratch); });
    }
  }
  return finite_result<S>("elastic_energy", "energy", energy);
}

template <typename S>
WrenchT<S> momentum(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v) {
  check_call(model, "momentum", data, q);
  check_argument(model, "momentum", "v", v, model.nv());
  const TopologyT<S>& t = model.topology();
  sweep::outward<MotionLevel::velocity, false, true, S>(model, data, q.data(), v.data(), nullptr, {});
  for (std::size_t n = 0; n < t.nodes.size(); ++n) data.wrench[n] = t.nodes[n].inertia * data.velocity[n];
  for (int e = static_cast<int>(t.edges.size()) - 1; e >= 0; --e) {
    const Edge& edge = t.edges[e];
    WrenchT<S>& parent = data.wrench[edge.parent_node];
    if (edge.kind == EdgeKind::body) {
      const BodyEdgeT<S>& body = t.bodies[edge.index];
      const InertiaBlocksT<S> blocks = sweep::inertia_blocks(data, body, edge.nv);
      WrenchT<S> own = data.body_inertia[edge.index] * body.parent_base.act_inverse(data.velocity[edge.parent_node]);
      for (int k = 0; k < edge.nv; ++k) {
        const TwistT<S> column = sweep::column_of(static_cast<const S*>(blocks.coupling), edge.nv, k);
        own += v[edge.v + k] * WrenchT<S>{column.angular, column.linear};
      }
      parent += body.parent_base.act(own);
      for (int k = 0; k < edge.child_count; ++k) {
        parent += sweep::port_pose(body, data, k).act(data.wrench[edge.child_node + k]);
      }
    } else {
      parent += data.parent_child[e].act(data.wrench[edge.child_node]);
    }
  }
  const WrenchT<S>& total = data.wrench[0];
  const S six[] = {total[0], total[1], total[2], total[3], total[4], total[5]};
  require_finite_result("momentum", six, 6, [](Eigen::Index i) { return "momentum[" + std::to_string(i) + "]"; });
  return total;
}

#define CUTTLE_INSTANTIATE(S)                                                            \
  template S kinetic_energy<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, VectorInT<S>); \
  template S gravity_energy<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>);               \
  template S elastic_energy<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>);               \
  template WrenchT<S> momentum<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, VectorInT<S>);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
