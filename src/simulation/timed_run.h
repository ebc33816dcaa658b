#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "cuttle/simulation/robot_system.h"
#include "cuttle/simulation/simulator.h"

namespace cuttle {

/// A scenario's driven motion, bound to a model; null if nothing is driven.
std::shared_ptr<const PrescribedMotion> motion_of(const Model& model, const Scenario& scenario);

/// The rows of the loops that a run from q holds; none of a robot without loops.
ConstraintRows held_rows(const Model& model, const VectorXd& q);

/// A run at an instant.
struct TimedState {
  const State& state;
  RobotSystem& system;
  const VectorXd& u;  ///< inputs that act
};

/// Runs a scenario, and looks at it at ascending times of the run, reached
/// exactly: what MotionDerivatives differentiates.
/// @param stop  set from elsewhere: SimulationError.   @param reached  where the run ends: its last good state if it
/// fails on the way.
/// @throws ArgumentError as Simulator, SimulationError with time, link and state.
void run_to_times(const Model& model, const Scenario& scenario, const std::vector<double>& times,
                  const std::function<void(const TimedState&)>& look, const std::atomic<bool>* stop = nullptr,
                  State* reached = nullptr);

}  // namespace cuttle
