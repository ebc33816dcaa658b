#pragma once

#include <string>

#include "cuttle/simulation/batch.h"

namespace cuttle {

/// Why a robot of a roll-out failed. @param time  of its last good state.   @param q, v  where it began.
std::string rollout_failure(const Model& model, RobotStatus status, double time, VectorXd q, const VectorXd& v);

}  // namespace cuttle
