#pragma once

#include "cuttle/bodies/body.h"
#include "cuttle/spatial/dual.h"

namespace cuttle {

/// Axes n1 along a, n3 along n1 x b, [P] (5).
template <typename T>
Matrix3T<T> port_axes(const Vector3T<T>& a, const Vector3T<T>& b) {
  const Vector3T<T> n1 = (T(1.0) / norm(a)) * a;
  const Vector3T<T> normal = cross(n1, b);
  const Vector3T<T> n3 = (T(1.0) / norm(normal)) * normal;
  return Matrix3T<T>::from_columns(n1, cross(n3, n1), n3);
}
/// Twist, in body axes, of the frame at o with the axes R of (a, b) when o, a and b have these rates. In those axes
/// a = (a1, 0, 0) and b = (b1, b2, 0) stay so: w x a and w x b make up for what the rates have beside.
template <typename T>
TwistT<T> frame_twist(const Matrix3T<T>& R, const Vector3T<T>& a, const Vector3T<T>& b, const Vector3T<T>& o_rate,
                      const Vector3T<T>& a_rate, const Vector3T<T>& b_rate) {
  const Vector3T<T> da = R.transpose_times(a_rate), db = R.transpose_times(b_rate);
  const Vector3T<T> in_frame = R.transpose_times(b);
  const T inverse = T(1.0) / norm(a);
  const T wy = -inverse * da.z;
  return {{(db.z + wy * in_frame.x) / in_frame.y, wy, inverse * da.y}, R.transpose_times(o_rate)};
}

/// What the frame of a port follows in the base frame: its origin o and the directions a and b of its axes.
template <typename S>
struct PortPath {
  Vector3T<S> value[3];
  Vector3T<S> rate[3];    ///< from level velocity on
  Vector3T<S> second[3];  ///< at level acceleration: second derivatives in time
};
/// Fills the motion of a port up to the level; V_0 and A_0 are the base's.
template <typename S>
void fill_port_motion(MotionLevel level, const PortPath<S>& path, const BodyStateT<S>& state, PortMotionT<S>& motion) {
  const auto& [o, a, b] = path.value;
  const Matrix3T<S> R = port_axes(a, b);
  motion.base_port = {R, o};
  if (level < MotionLevel::velocity) return;
  const TwistT<S> carried = motion.base_port.act_inverse(state.base_velocity);
  const TwistT<S> relative = frame_twist(R, a, b, path.rate[0], path.rate[1], path.rate[2]);
  motion.velocity = carried + relative;
  if (level < MotionLevel::acceleration) return;

  const auto in_time = [](const Vector3T<S>& value, const Vector3T<S>& rate) {
    Vector3T<Dual<S, 1>> along;
    for (int i = 0; i < 3; ++i) along[i].value = value[i], along[i].derivative[0] = rate[i];
    return along;
  };
  const auto a_path = in_time(a, path.rate[1]), b_path = in_time(b, path.rate[2]);
  const TwistT<Dual<S, 1>> twist =
      frame_twist(port_axes(a_path, b_path), a_path, b_path, in_time(path.rate[0], path.second[0]),
                  in_time(path.rate[1], path.second[1]), in_time(path.rate[2], path.second[2]));
  TwistT<S> change;  // d/dt of the relative twist
  for (int r = 0; r < 6; ++r) change[r] = twist[r].derivative[0];
  motion.acceleration = motion.base_port.act_inverse(state.base_acceleration) + bracket(carried, relative) + change;
}

}  // namespace cuttle
