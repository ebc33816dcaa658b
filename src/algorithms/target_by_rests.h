#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "algorithms/frame_targets.h"
#include "cuttle/algorithms/inverse_statics.h"

namespace cuttle {

/// Inputs that hold frames at their targets, of a robot that touches obstacles: from rest to rest, each found as
/// static_equilibrium does it, with steps of Levenberg and Marquardt in the inputs alone. So the robot stays on the
/// side of the obstacles that it comes from, and the corners of contact laws do no harm. Slower than a search in all
/// unknowns together, and it does not pass the folds where the robot at rest is no function of its inputs.
/// @param loads  loads.u: inputs to start from; loads.start: where friction counts from.
/// @param units  of the free inputs.
/// @return nothing if the targets are not reached within `tolerance`, a number a row.
std::optional<StaticEquilibrium> target_by_rests(const Model& model, Data& data, FrameTargets& frames,
                                                 StaticLoads& loads, const VectorXd& q0, const std::vector<int>& free,
                                                 const InputLimits& limits, const VectorXd& units,
                                                 const VectorXd& tolerance, const std::function<void()>& heartbeat);

}  // namespace cuttle
