#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/simulation/batch.h"

namespace CUTTLE_API cuttle {

/// Robots of one topology whose roll-outs are to be differentiated, a row each.
struct RolloutRobots {
  std::vector<std::string> paths = {};  ///< parameters in which they differ, as Batch takes them
  RowMatrixXd values = {};              ///< robots x paths
  RowMatrixXd q, v;                     ///< where they begin, robots x nq and robots x nv
};

/// Final states and samples of roll-outs, and how they change with numbers, each robot with its own ones.
struct RolloutDerivatives {
  std::vector<double> times;  ///< of the samples, the last of which is the end [s]
  /// By robot and time: q and v, and their derivatives by the numbers, (nq + nv) x numbers; NaN of a robot that failed.
  std::vector<std::vector<VectorXd>> values;
  std::vector<std::vector<MatrixXd>> derivatives;
  std::vector<std::string> failures;  ///< by robot: why it has none; empty if it has
};

/// Derivatives of what Batch::rollout computes: of the same steps, exact to rounding, each robot on a core.
/// @param by  as MotionDerivatives takes them: parameters of the robot, simulation.initial.LINK.q[0],
/// simulation.inputs.NAME.KEY of `options.inputs`; and held_inputs[k].NAME, what an input is held at in interval k.
/// @param threads  at most; 0: one a core.
/// @throws ArgumentError for unknown numbers and for arrays and options that make no sense.
RolloutDerivatives rollout_derivatives(const Model& model, const RolloutRobots& robots, const RolloutOptions& options,
                                       const std::vector<std::string>& by, int threads = 0);

}  // namespace cuttle
