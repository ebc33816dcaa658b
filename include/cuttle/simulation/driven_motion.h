#pragma once

#include <map>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/model.h"
#include "cuttle/model/pose_motion.h"
#include "cuttle/model/signal.h"

namespace CUTTLE_API cuttle {

/// What of a robot's motion is prescribed: coordinates of joints, and the pose of its base. Then their accelerations
/// are given, and the efforts that this takes act on these coordinates alone; their work is that of loads.
/// Signals need velocities without jumps: sine, cubic, quintic, minimum_jerk, a spline over the whole run, a ramp over
/// all of it.
/// @code
/// scenario.motion.joints["shoulder"] = {Signal::quintic(0, 2, 0, 1.57)};
/// scenario.motion.base.position = {{Signal::sine(0.01, 5, 0, 0), 0, 0.5}};  // of a robot with a floating base
/// @endcode
struct DrivenMotion {
  /// By link: all coordinates of its joint, none of which may be a quaternion.
  std::map<std::string, std::vector<Signal>> joints{};
  /// Of the robot's base in the world, in place of Robot::base_pose, whose parts hold where it says nothing. The robot
  /// has a floating base, whose coordinates are those of every floating base.
  PoseMotion base{};

  bool empty() const { return joints.empty() && base.empty(); }
};

/// What results have of a driven joint, or of the base.
struct RecordedMotion {
  std::string name;  ///< link, or `base`
  /// Efforts: of a joint by its coordinates [N m or N]; of the base the wrench on it (tx .. fz), at its origin and in
  /// its axes.
  std::vector<CoordinateInfo> efforts;
};
/// Base first, then joints in the order of links: Sample::motion has their efforts.
/// @throws ArgumentError: key, what was found, what was expected.
std::vector<RecordedMotion> recorded_motion(const Model& model, const DrivenMotion& motion);

}  // namespace cuttle
