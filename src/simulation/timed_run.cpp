#include "simulation/timed_run.h"

#include <fmt/format.h>

#include "cuttle/algorithms/loop_closure.h"
#include "cuttle/error.h"
#include "simulation/prescribed_motion.h"
#include "simulation/run_driver.h"
#include "simulation/schedule.h"

namespace cuttle {
namespace {

/// No Error, so that nobody on the way takes it for one of the model or of a controller.
struct StoppedByUser {
  double time;
};

}  // namespace

std::shared_ptr<const PrescribedMotion> motion_of(const Model& model, const Scenario& scenario) {
  if (scenario.motion.empty()) return nullptr;
  return std::make_shared<const PrescribedMotion>(model, scenario.motion, scenario.duration);
}

ConstraintRows held_rows(const Model& model, const VectorXd& q) {
  if (model.loops().empty()) return {};
  Data data(model);
  ConstraintData constraints(model);
  return select_constraint_rows(model, data, constraints, q);
}

void run_to_times(const Model& model, const Scenario& scenario, const std::vector<double>& times,
                  const std::function<void(const TimedState&)>& look, const std::atomic<bool>* stop, State* reached) {
  const Simulator simulator(model, scenario);
  const OutputTimes& outputs = simulator.output_times();
  RobotSystem system(model, {.inputs = input_signals(model, scenario.inputs),
                             .rows = held_rows(model, simulator.initial_state().q),
                             .controllers = scenario.controllers,
                             .seed = scenario.seed,
                             .motion = motion_of(model, scenario)});
  system.heartbeat = [stop](double time) {
    if (stop == nullptr || !stop->load(std::memory_order_relaxed)) return;
    throw StoppedByUser{time};
  };
  const std::unique_ptr<Integrator> integrator = make_integrator(system, scenario.integrator);
  integrator->expect_end(outputs.back());
  State state = simulator.initial_state(), looked = state;
  bool looking = false;
  RobotRun run(system, *integrator, state);
  const auto keep = [&] {
    if (reached == nullptr) return;
    const State& now = integrator->state();
    *reached = looking ? looked : run.in_doubt() || now.q.size() == 0 ? state : now;
  };
  RunDriver driver(run);
  driver.plan(itinerary_of(system, scenario.integrator, outputs));
  try {
    driver.visit(outputs, times, [&] {
      looking = true;
      look({state, system, system.evaluate(state).inputs()});
      looking = false;
      if (reached != nullptr) looked = state;
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
