#pragma once

#include "cuttle/model/pose_motion.h"
#include "cuttle/spatial/pose.h"

namespace cuttle {

/// The pose of a motion at a time. @param rest  its parts hold where the motion says nothing.
Pose pose_at(const PoseMotion& motion, double time, const Pose& rest);

}  // namespace cuttle
