#pragma once

#include <string>
#include <vector>

#include "cuttle/model/model.h"

namespace cuttle {

/// An input that moves nothing, wherever the robot is.
struct IdleInput {
  int input = 0;      ///< its entry of u
  int actuator = 0;   ///< index in Robot::actuators
  std::string why{};  ///< "no coordinate changes its length"
};

/// Inputs whose column of the actuation matrix A(q) is zero: exactly, of joint and linear actuators; of the others at
/// q = 0 and at a few arbitrary states (the same in each call) up to `k_idle_limit`, where an entry counts relative to
/// the tendon's rest length or the chamber's rest volume: dy/dq_j [per rad, or per cube root of the volume, or per
/// length of the tendon]. So a tendon along the middle of a rod that bends is not idle if it acts once the rod bends.
std::vector<IdleInput> idle_inputs(const Model& model);

/// Rounding stays below 1e-13; a tendon a thousandth of its length off the middle has 1e-3.
inline constexpr double k_idle_limit = 1e-10;

}  // namespace cuttle
