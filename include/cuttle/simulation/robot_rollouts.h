#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/simulation/batch.h"
#include "cuttle/simulation/driven_motion.h"
#include "cuttle/simulation/scenario.h"

namespace CUTTLE_API cuttle {

/// Robots of one topology whose roll-outs want more than the lanes of a Batch have: controllers, or derivatives. Each
/// takes the steps that it would take in a Batch, alone on a core.
struct RolloutRobots {
  std::vector<std::string> paths = {};            ///< parameters in which they differ, as Batch takes them
  RowMatrixXd values = {};                        ///< robots x paths
  RowMatrixXd q, v;                               ///< where they begin, robots x nq and robots x nv
  std::vector<NamedController> controllers = {};  ///< of each robot, bound to it: laws on its own numbers
  long seed = 0;             ///< of what is random in the controllers of robot 0; of the next one more
  DrivenMotion motion = {};  ///< of each robot, whose q and v are not read where it drives them
};

/// Roll-outs with controllers, as Batch::rollout of robots without; `u` are the inputs that act at the samples.
struct ControlledRollout {
  Rollout rollout;
  RowMatrixXd u_samples;  ///< robots x (samples nu); of a robot that failed NaN from its failure on
};
/// @param threads  at most; 0: one a core.
/// @throws ArgumentError for arrays, options and controllers that make no sense; SimulationError as Batch::rollout.
ControlledRollout controlled_rollout(const Model& model, const RolloutRobots& robots, const RolloutOptions& options,
                                     int threads = 0);

/// Final states and samples of roll-outs, and how they change with numbers, each robot with its own ones.
struct RolloutDerivatives {
  std::vector<double> times;  ///< of the samples, the last of which is the end [s]
  /// By robot and time: q and v, and their derivatives by the numbers, (nq + nv) x numbers. Of a robot that
  /// failed NaN from its failure on.
  std::vector<std::vector<VectorXd>> values;
  std::vector<std::vector<MatrixXd>> derivatives;
  std::vector<std::string> failures;  ///< of each robot: why it failed; empty: it did not
};

/// Derivatives of what Batch::rollout and controlled_rollout compute: of the same steps, exact to rounding.
/// @param by  as MotionDerivatives takes them: parameters of the robot, simulation.initial.LINK.q[0],
/// simulation.inputs.NAME.KEY of `options.inputs`, simulation.controllers.NAME.KEY; and held_inputs[k].NAME, what an
/// input is held at in interval k.
/// @param threads  at most; 0: one a core.
/// @throws ArgumentError for unknown numbers and for arrays and options that make no sense; SimulationError as
/// Batch::rollout.
RolloutDerivatives rollout_derivatives(const Model& model, const RolloutRobots& robots, const RolloutOptions& options,
                                       const std::vector<std::string>& by, int threads = 0);

}  // namespace cuttle
