#pragma once

#include "cuttle/bodies/continuum_joint.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/model/model.h"
#include "support/plain_robot.h"

namespace cuttle::test {

/// The library's description of a plain robot. Link i is named as there, marker k "marker_k".
Robot to_robot(const PlainRobot& plain);
RodParameters to_rod_parameters(const PlainRod& plain);
RigidParameters to_rigid_parameters(const PlainRigid& plain);
ContinuumJointParameters to_continuum_joint_parameters(const PlainContinuumJoint& plain);
Pose to_pose(const PlainPose& plain);

}  // namespace cuttle::test
