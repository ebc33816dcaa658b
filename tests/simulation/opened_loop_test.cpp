// Loops that are closed where they are singular: rows that were left out there must not open in silence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "algorithms/equilibrium_family.h"
#include "cuttle/algorithms/equilibrium_path.h"
#include "cuttle/algorithms/loop_closure.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/error.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/live_simulation.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/integrator_runs.h"
#include "simulation/timed_run.h"
#include "support/loop_robots.h"
#include "support/paths.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Two bars of 1 m in a row, their end held at a place that is so far away.
Robot two_bars(double distance) {
  Robot robot;
  robot.name = "two_bars";
  robot.links = {bar("a", "base", 1.0, {0, 1, 0}), bar("b", "a", 1.0, {0, 1, 0})};
  robot.actuators.push_back(Actuator::joint("motor", "a"));
  Loop loop;
  loop.name = "l", loop.type = LoopType::spherical;
  loop.a.link = "b", loop.b.link = "base", loop.b.pose.position = {distance, 0, 0};
  robot.loops = {loop};
  return robot;
}

Scenario scenario_of(const std::string& type, bool fixed_steps) {
  Scenario scenario;
  scenario.duration = 1.0, scenario.output_step = 0.01;
  scenario.integrator.type = type;
  if (fixed_steps) scenario.integrator.step = 1e-3;
  return scenario;
}

const auto k_named = AllOf(HasSubstr("loop 'l': row 'l.position.x' has opened by "), HasSubstr("singular"));

/// A method of a program that says it holds loops, and lets the bars fall: what nobody but the guard of runs sees.
class LetsFall final : public IntegratorMethod {
 public:
  std::string type_name() const override { return "lets_fall"; }
  bool holds_loops() const override { return true; }
  std::unique_ptr<Integrator> make(System& system) const override { return std::make_unique<Fall>(system); }

 private:
  class Fall final : public Integrator {
   public:
    using Integrator::Integrator;
    void restart(const State& state) override { state_ = state; }
    void advance(double target, double /*limit*/) override {
      if (target > 0.5) state_.q[0] = 0.1, state_.q[1] = -0.2;  // row z stays closed
      state_.time = target;
    }
  };
};

Scenario falling() {
  Scenario scenario = scenario_of("", false);
  scenario.integrator.method = std::make_shared<LetsFall>();
  scenario.output_step = 0.2;
  return scenario;
}

template <typename Function>
std::string failure_of(const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Whoever runs a scenario, or holds loops at rest, says the same.
TEST(OpenedLoopTest, EndsRunsRollOutsLiveSessionsAndStatics) {
  const Model model(two_bars(2.0));
  const Scenario scenario = falling();
  MemoryRecorder memory;
  EXPECT_THAT(failure_of([&] { Simulator(model, scenario).run({&memory}); }), k_named);
  ASSERT_EQ(memory.samples().size(), 3U);
  EXPECT_LT(memory.samples().back().loop_residual.lpNorm<Eigen::Infinity>(), 1e-9);
  EXPECT_THAT(failure_of([&] { run_to_times(model, scenario, {0.5, 1.0}, [](const TimedState&) {}); }), k_named);

  LiveSimulation live(model.robot(), scenario);
  live.advance(1.0);
  EXPECT_THAT(live.failure(), k_named);
  EXPECT_LT(live.sample().loop_residual.lpNorm<Eigen::Infinity>(), 1e-9);

  Data data(model);
  EXPECT_NE(failure_of([&] { static_equilibrium(model, data, {}, model.neutral()); }), "");
}

// The state that a run reached is one whose loops are closed.
TEST(OpenedLoopTest, ReachedIsTheLastStateThatIsClosed) {
  const Model model(two_bars(2.0));
  State reached;
  EXPECT_NE(failure_of([&] {
              run_to_times(
                  model, falling(), {1.0}, [](const TimedState&) {}, nullptr, &reached);
            }),
            "");
  ASSERT_EQ(reached.q.size(), model.nq());
  EXPECT_EQ(reached.time, 0.4);
  Data data(model);
  ConstraintData constraints(model);
  EXPECT_EQ(opened_loop(model, data, constraints, held_rows(model, model.neutral()), reached.q), "");
}

// And the state before the one that a caller refuses.
TEST(OpenedLoopTest, ReachedIsTheStateBeforeOneThatIsRefused) {
  const Model model(two_bars(1.9));
  Scenario scenario = scenario_of("generalized_alpha", true);
  scenario.output_step = 0.25;
  State reached;
  const auto look = [](const TimedState& now) {
    if (now.state.time > 0.6) throw SimulationError("refused");
  };
  EXPECT_EQ(failure_of([&] {
              run_to_times(model, scenario, {0.25, 0.5, 0.75, 1.0}, look, nullptr, &reached);
            }),
            "refused");
  EXPECT_EQ(reached.time, 0.5);
}

// A path of equilibria keeps its points there, and nothing is thrown by a search that may find none.
TEST(OpenedLoopTest, EndsABranchOfEquilibriaAndIsNoEquilibriumNearBy) {
  const Model model(two_bars(2.0));
  Data data(model);
  std::optional<StaticEquilibrium> near;
  EXPECT_EQ(failure_of([&] { near = equilibrium_near(model, data, {}, model.neutral()); }), "");
  EXPECT_FALSE(near);
  EXPECT_THAT(failure_of([&] { static_equilibrium(model, data, {}, model.neutral()); }),
              HasSubstr("static_equilibrium: found no equilibrium: "));
  std::vector<PathBranch> path;
  EXPECT_EQ(failure_of([&] { path = follow_equilibria(model, {}, model.neutral(), {}); }), "");
  ASSERT_FALSE(path.empty());
  EXPECT_FALSE(path[0].points.empty());
}

// Redundant rows that do follow from the others: a spatial pin in a planar linkage, whose axes have some digits,
// through whole turns of the crank.
TEST(OpenedLoopTest, GenuineRedundancyIsNoReason) {
  FourBar bars;
  Robot robot = bars.robot();
  robot.actuators.push_back(Actuator::joint("motor", "crank"));
  const double off = 5e-7;
  robot.links[2].joint = make_revolute_joint<double>(Vector3{off, -1, off});
  const Model model(robot);
  Scenario scenario = scenario_of("generalized_alpha", true);
  scenario.duration = 1.0;
  scenario.initial["crank"].q = {0.9};
  scenario.inputs["motor"] = 6.0;
  MemoryRecorder memory;
  const Outcome outcome = Simulator(model, scenario).run({&memory});
  EXPECT_EQ(outcome.status, RunStatus::complete);
  EXPECT_THAT(outcome.redundant_rows, testing::SizeIs(3));
  EXPECT_GT(std::abs(memory.samples().back().q[0] - memory.samples().front().q[0]), 2 * M_PI);
}

// No loop that is shipped ends a run.
TEST(OpenedLoopTest, ShippedLoopsStayClosed) {
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(k_source_dir + "/models")) {
    if (entry.path().extension() != ".yaml") continue;
    ScenarioFile file;
    try {
      file = load_scenario_file(entry.path().string());
    } catch (const Error&) {  // a robot, or a part of one
      continue;
    }
    if (file.robot.loops.empty()) continue;
    ++count;
    Scenario scenario = file.scenario;
    scenario.duration = std::min(scenario.duration, 1.0);
    const Outcome outcome = Simulator(Model(file.robot), scenario).run({});
    EXPECT_EQ(outcome.status, RunStatus::complete) << entry.path();
  }
  EXPECT_GE(count, 3);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
