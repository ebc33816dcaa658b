#include "cuttle/algorithms/kinematics.h"

#include "algorithms/frame_columns.h"
#include "algorithms/sweep.h"

namespace cuttle {
namespace {

/// @throws OverflowError naming the first link that moves beyond all numbers.
template <typename S>
void require_finite_motion(const ModelT<S>& model, const KinematicsT<S>& k) {
  const auto finite = [&](int node) {
    const PoseT<S>& pose = k.world_node[node];
    S sum = pose.position.x + pose.position.y + pose.position.z;
    sum += pose.rotation.row0.x + pose.rotation.row1.y + pose.rotation.row2.z;
    const auto add = [&sum](const TwistT<S>& t) {
      sum += (t.angular.x + t.angular.y + t.angular.z) + (t.linear.x + t.linear.y + t.linear.z);
    };
    if (k.level >= MotionLevel::velocity) add(k.velocity[node]);
    if (k.level >= MotionLevel::acceleration) add(k.acceleration[node]);
    return sum - sum == S(0.0);
  };
  const TopologyT<S>& t = model.topology();
  // what becomes infinite or NaN stays so on the way to the tips: motions of a node are sums over that of its parent
  bool good = true;
  for (const int leaf : t.leaves) good = good && finite(leaf);
  if (good) return;
  for (int node = 1; node < static_cast<int>(t.nodes.size()); ++node) {
    if (finite(node)) continue;
    const int link = t.nodes[node].link;
    fail_overflow("forward_kinematics", "motion of link '" + (link < 0 ? "base" : model.links()[link].name) + "'",
                  "numbers that are not finite");
  }
}

/// World poses of all nodes after an outward sweep, and its twists where it made them.
template <typename S>
const KinematicsT<S>& collect(const ModelT<S>& model, DataT<S>& data, MotionLevel level) {
  KinematicsT<S>& k = data.kinematics;
  sweep::world_poses(model, data);
  k.level = level;
  if (level >= MotionLevel::velocity) k.velocity = data.velocity;
  if (level >= MotionLevel::acceleration) k.acceleration = data.acceleration;
  if constexpr (!k_has_lanes<S>) require_finite_motion(model, k);
  return k;
}

}  // namespace

template <typename S>
const KinematicsT<S>& forward_kinematics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q) {
  check_call(model, "forward_kinematics", data, q);
  sweep::outward<MotionLevel::pose, false, false, S, true>(model, data, q.data(), nullptr, nullptr, {});
  return collect(model, data, MotionLevel::pose);
}

template <typename S>
const KinematicsT<S>& forward_kinematics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v) {
  check_call(model, "forward_kinematics", data, q);
  check_argument(model, "forward_kinematics", "v", v, model.nv());
  sweep::outward<MotionLevel::velocity, false, false, S>(model, data, q.data(), v.data(), nullptr, {});
  return collect(model, data, MotionLevel::velocity);
}

template <typename S>
const KinematicsT<S>& forward_kinematics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v,
                                         VectorInT<S> a) {
  check_call(model, "forward_kinematics", data, q);
  check_argument(model, "forward_kinematics", "v", v, model.nv());
  check_argument(model, "forward_kinematics", "a", a, model.nv());
  sweep::outward<MotionLevel::acceleration, false, false, S>(model, data, q.data(), v.data(), a.data(), {});
  return collect(model, data, MotionLevel::acceleration);
}

template <typename S>
const MatrixXT<S>& frame_jacobian(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, const FrameT<S>& frame) {
  check_call(model, "frame_jacobian", data, q);
  check_frame(model, "frame_jacobian", "frame", frame);
  sweep::outward_to(model, data, q.data(), frame.node);
  data.jacobian.resize(6, model.nv());  // the first time only
  sweep::frame_columns(model, data, frame, data.jacobian);
  require_finite_matrix<S>("frame_jacobian", "J", data.jacobian);
  return data.jacobian;
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
