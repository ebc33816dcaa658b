#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/model.h"

namespace CUTTLE_API cuttle {

/// An input that moves nothing, wherever the robot is.
struct IdleInput {
  int input = 0;      ///< its entry of u
  int actuator = 0;   ///< index in Robot::actuators
  std::string why{};  ///< "no coordinate changes its length"
};

/// Inputs whose column of the actuation matrix A(q) is zero by the rule of their transmission (IdleRule): of joint and
/// linear actuators exactly, of the others up to a limit at q = 0 and at a few arbitrary states (the same in each
/// call), so that a tendon along the middle of a rod is not idle if it acts once the rod bends. Entries dy/dq_j count
/// relative to the tendon's rest length or the chamber's rest volume, of a displacement q_j per rest length or cube
/// root of the rest volume.
std::vector<IdleInput> idle_inputs(const Model& model);

}  // namespace cuttle
