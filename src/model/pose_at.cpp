#include "model/pose_at.h"

#include <cmath>

#include "cuttle/spatial/logarithm.h"

namespace cuttle {

Pose pose_at(const PoseMotion& motion, double time, const Pose& rest) {
  Pose pose = rest;
  const auto values = [time](const std::array<Signal, 3>& s) {
    return Vector3{s[0].at(time), s[1].at(time), s[2].at(time)};
  };
  if (motion.position) pose.position = values(*motion.position);
  if (motion.rpy) {
    const Vector3 half = 0.5 * values(*motion.rpy);
    const Quaternion roll{std::cos(half.x), std::sin(half.x), 0.0, 0.0};
    const Quaternion pitch{std::cos(half.y), 0.0, std::sin(half.y), 0.0};
    const Quaternion yaw{std::cos(half.z), 0.0, 0.0, std::sin(half.z)};
    pose.rotation = (yaw * pitch * roll).matrix();
  }
  return pose;
}

}  // namespace cuttle
