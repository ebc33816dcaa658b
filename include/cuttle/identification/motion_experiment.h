#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/identification/experiment.h"
#include "cuttle/simulation/scenario.h"

namespace CUTTLE_API cuttle {

/// What an input is between two samples of a recording.
enum class BetweenSamples { spline, linear, hold };
/// @throws ArgumentError for another name.
BetweenSamples between_samples_of_name(const std::string& name);

struct MotionExperimentOptions {
  /// Beside columns that have the names of quantities. COLUMN=time names the times; COLUMN=INPUT lets what was recorded
  /// drive that input, instead of what the scenario says.
  std::vector<ColumnMap> map = {};
  std::string group = {};  ///< column whose equal texts make groups; empty: stretches of time
  int stretches = 1;       ///< equal ones; 1: the whole recording is one group
  BetweenSamples between = BetweenSamples::spline;
  double least_relative_tolerance = 0.0;  ///< of runs: a scenario that asks for less gets this
};

/// A recording of a motion: instants, and what was measured there. The robot runs the scenario, and is looked at when
/// the measurements were taken; derivatives are those of the run (MotionDerivatives), by
///   parameters of the robot; numbers of the scenario, as simulation.initial.LINK.q[0];
///   time.shift, by which the clock of what was measured is late: the model is looked at `time - shift`, before the
///   start as it begins if it begins at rest, after the end the run goes on;
///   COLUMN.bias and COLUMN.scale, of a recorded input too.
/// @throws ArgumentError at FILE:LINE:COLUMN for times that fall or lie outside of the run, a column of `map` that is
/// not there, a quantity that the robot has not; as MotionDerivatives for what has no derivatives.
std::unique_ptr<Experiment> make_motion_experiment(const Model& model, const Scenario& scenario,
                                                   const MeasuredTable& table, const MotionExperimentOptions& options);

}  // namespace cuttle
