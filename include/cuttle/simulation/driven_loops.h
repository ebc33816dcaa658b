#pragma once

#include "cuttle/api.h"
#include "cuttle/simulation/driven_motion.h"

namespace CUTTLE_API cuttle {

/// Gives the loops of a robot whose frame a is driven (LoopT::drive) joints that move it, which the motion then drives:
/// frame a goes to the last of up to six links without body, LOOP_drive_x, _y, _z (along the axes of its place) and
/// LOOP_drive_yaw, _pitch, _roll, at the end of the links. What the motion already says of one of these stays. Runs
/// need it (scenario files do it); a Simulator refuses a model with loops that are still to be driven.
void drive_loops(Robot& robot, DrivenMotion& motion);
/// Whether a model has loops that are still to be driven.
bool has_loops_to_drive(const Model& model);

}  // namespace cuttle
