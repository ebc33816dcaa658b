#include "simulation/timed_run.h"

#include <fmt/format.h>

#include "cuttle/algorithms/loop_closure.h"
#include "cuttle/error.h"
#include "cuttle/simulation/integrator.h"

namespace cuttle {
namespace {

/// No Error, so that nobody on the way takes it for one of the model or of a controller.
struct StoppedByUser {
  double time;
};

}  // namespace

ConstraintRows held_rows(const Model& model, const VectorXd& q) {
  if (model.loops().empty()) return {};
  Data data(model);
  ConstraintData constraints(model);
  return select_constraint_rows(model, data, constraints, q);
}

void run_to_times(const Model& model, const Scenario& scenario, const std::vector<double>& times,
                  const std::function<void(const TimedState&)>& look, const std::atomic<bool>* stop, State* reached) {
  const Simulator simulator(model, scenario);
  const State& start = simulator.initial_state();
  const OutputTimes& outputs = simulator.output_times();
  RobotSystem system(model, {.inputs = input_signals(model, scenario.inputs),
                             .rows = held_rows(model, start.q),
                             .controllers = scenario.controllers,
                             .seed = scenario.seed});
  system.heartbeat = [stop](double time) {
    if (stop == nullptr || !stop->load(std::memory_order_relaxed)) return;
    throw StoppedByUser{time};
  };
  const std::unique_ptr<Integrator> integrator = make_integrator(system, scenario.integrator);
  const std::vector<Stop> stops = stops_of(system.discontinuities(outputs.back()), outputs);
  bool begun = false;
  State good = start;
  bool in_doubt = false;  // the integrator's state, while it is checked; `good` is the one before
  const auto keep = [&] {
    if (reached != nullptr) *reached = begun && !in_doubt ? integrator->state() : good;
  };
  try {
    walk_times(
        outputs, stops, times,
        [&](double from, double until) { system.enter(from, until, begun ? integrator->state() : start); },
        [&] {
          integrator->expect_end(outputs.back());
          integrator->restart(start);
          begun = true;
        },
        [&] { integrator->restart(integrator->state()); },
        [&](double target, double limit) {
          if (!(target > integrator->state().time)) return;
          if (reached != nullptr) good = integrator->state();
          integrator->advance(target, limit);
          in_doubt = true;
          system.require_closed_loops(target, integrator->state().q);
          in_doubt = false;
        },
        [&] {
          const State& state = integrator->state();
          in_doubt = true;
          look({state, system, system.evaluate(state).inputs()});
          in_doubt = false;
        });
  } catch (const StoppedByUser& stopped) {
    keep();
    throw SimulationError(fmt::format("stopped by the user at t = {:.9g} s", stopped.time));
  } catch (...) {
    keep();
    throw;
  }
  keep();
}

}  // namespace cuttle
