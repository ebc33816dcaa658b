#include "cuttle/algorithms/kinematics.h"

#include "algorithms/frame_columns.h"
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
  sweep::outward<MotionLevel::pose, false, true, S>(model, data, q.data(), nullptr, nullptr, {});
  sweep::frame_columns(model, data, frame, data.jacobian);
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
