#include "cuttle/algorithms/kinematics.h"

#include "algorithms/sweep.h"

namespace cuttle {
namespace {

/// World poses of all nodes after an outward sweep, and its twists where it made them.
template <typename S>
const KinematicsT<S>& collect(const ModelT<S>& model, DataT<S>& data, MotionLevel level) {
  KinematicsT<S>& k = data.kinematics;
  k.level = level;
  sweep::world_poses(model, data);
  if (level >= MotionLevel::velocity) k.velocity = data.velocity;
  if (level >= MotionLevel::acceleration) k.acceleration = data.acceleration;
  return k;
}

}  // namespace

template <typename S>
const KinematicsT<S>& forward_kinematics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q) {
  check_configuration_argument(model, "forward_kinematics", "q", q);
  sweep::outward<MotionLevel::pose, false, false, S>(model, data, q.data(), nullptr, nullptr, {});
  return collect(model, data, MotionLevel::pose);
}

template <typename S>
const KinematicsT<S>& forward_kinematics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v) {
  check_configuration_argument(model, "forward_kinematics", "q", q);
  check_argument(model, "forward_kinematics", "v", v, model.nv());
  sweep::outward<MotionLevel::velocity, false, false, S>(model, data, q.data(), v.data(), nullptr, {});
  return collect(model, data, MotionLevel::velocity);
}

template <typename S>
const KinematicsT<S>& forward_kinematics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v,
                                         VectorInT<S> a) {
  check_configuration_argument(model, "forward_kinematics", "q", q);
  check_argument(model, "forward_kinematics", "v", v, model.nv());
  check_argument(model, "forward_kinematics", "a", a, model.nv());
  sweep::outward<MotionLevel::acceleration, false, false, S>(model, data, q.data(), v.data(), a.data(), {});
  return collect(model, data, MotionLevel::acceleration);
}

template <typename S>
const MatrixXT<S>& frame_jacobian(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, const FrameT<S>& frame) {
  check_configuration_argument(model, "frame_jacobian", "q", q);
  const TopologyT<S>& t = model.topology();
  sweep::outward<MotionLevel::pose, false, true, S>(model, data, q.data(), nullptr, nullptr, {});
  MatrixXT<S>& J = data.jacobian;
  J.setZero();
  const auto set = [&](int column, const TwistT<S>& twist) {
    for (int i = 0; i < 6; ++i) J(i, column) = twist[i];
  };
  PoseT<S> node_frame = frame.node_frame;
  for (int node = frame.node; node != 0;) {
    const int e = t.parent_edge[node];
    const Edge& edge = t.edges[e];
    if (edge.kind == EdgeKind::screw) {
      const ScrewEdgeT<S>& screw = t.screws[edge.index];
      const S zero(0.0);
      set(edge.v, node_frame.act_inverse(TwistT<S>{{zero, zero, screw.rotation}, {zero, zero, screw.translation}}));
      node_frame = data.parent_child[e] * node_frame;
    } else if (edge.kind == EdgeKind::joint) {
      for (int k = 0; k < edge.nv; ++k) {
        set(edge.v + k, node_frame.act_inverse(data.joint_motion[edge.index].subspace[k]));
      }
      node_frame = data.parent_child[e] * node_frame;
    } else {
      const BodyEdgeT<S>& body = t.bodies[edge.index];
      const int port = node - edge.child_node;
      const S* J_port = body.body->port_jacobian(data.workspace(body), port);
      for (int k = 0; k < edge.nv; ++k) {
        set(edge.v + k, node_frame.act_inverse(sweep::column_of(J_port, edge.nv, k)));
      }
      node_frame = sweep::port_pose(body, data, port) * node_frame;
    }
    node = edge.parent_node;
  }
  return J;
}

#define CUTTLE_INSTANTIATE(S)                                                                                    \
  template const KinematicsT<S>& forward_kinematics<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>);               \
  template const KinematicsT<S>& forward_kinematics<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, VectorInT<S>); \
  template const KinematicsT<S>& forward_kinematics<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, VectorInT<S>,  \
                                                       VectorInT<S>);                                            \
  template const MatrixXT<S>& frame_jacobian<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, const FrameT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
