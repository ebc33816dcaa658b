#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <vector>

#include "cuttle/simulation/robot_system.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/schedule.h"

namespace cuttle {

/// Leads an integrator to ascending times of a run: it stops where signals jump, and at the outputs
/// on the way, as simulations do.
/// @param enter  the stretch (from, until) between two jumps.   @param begin  at the start.
/// @param go_on  after a jump.   @param advance  to a target, looking ahead no further than a limit; nothing to do if
/// it is there.   @param look  at each of the times, in order.
template <typename Enter, typename Begin, typename GoOn, typename Advance, typename Look>
void walk_times(const OutputTimes& outputs, const std::vector<Stop>& stops, const std::vector<double>& times,
                const Enter& enter, const Begin& begin, const GoOn& go_on, const Advance& advance, const Look& look) {
  auto stop = stops.begin();
  const auto enter_from = [&](double from) {
    enter(from, stop != stops.end() ? stop->first : std::numeric_limits<double>::infinity());
  };
  enter_from(0.0);
  begin();
  bool jumped = false;
  double at = 0.0;
  const auto go_to = [&](double target) {
    if (!(target > at)) return;
    if (jumped) go_on();
    jumped = false;
    advance(target, stop != stops.end() ? stop->time : outputs.back());
    at = target;
  };
  const auto reach = [&](double target) {
    for (; stop != stops.end() && stop->time <= target; jumped = true) {
      go_to(stop->time);
      const double from = stop->last;
      ++stop;
      enter_from(from);
    }
    go_to(target);
  };
  std::int64_t k = 1;
  for (const double time : times) {
    for (; k < outputs.size() && outputs[k] <= time; ++k) reach(outputs[k]);
    reach(time);
    look();
  }
}

/// The rows of the loops that a run from q holds; none of a robot without loops.
ConstraintRows held_rows(const Model& model, const VectorXd& q);

/// A run at an instant.
struct TimedState {
  const State& state;
  RobotSystem& system;
  const VectorXd& u;  ///< inputs that act
};

/// Runs a scenario without driven motion, and looks at it at ascending times of the run, reached
/// exactly: what MotionDerivatives differentiates.
/// @param stop  set from elsewhere: SimulationError.   @param reached  where the run ends: its last good state if it
/// fails on the way.
/// @throws ArgumentError as Simulator, SimulationError with time, link and state.
void run_to_times(const Model& model, const Scenario& scenario, const std::vector<double>& times,
                  const std::function<void(const TimedState&)>& look, const std::atomic<bool>* stop = nullptr,
                  State* reached = nullptr);

}  // namespace cuttle
