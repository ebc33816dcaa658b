// Targets that are nearer than a method can step: sums of output steps, clocks on the wall, jumps of two signals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cuttle/simulation/live_simulation.h"
#include "cuttle/simulation/motion_adjoint.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/both_ways.h"
#include "simulation/integrator_runs.h"
#include "simulation/simulation_robots.h"
#include "simulation/timed_run.h"
#include "support/loop_robots.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_eps = std::numeric_limits<double>::epsilon();

const char* const k_types[] = {
    "bdf", "erk", "rk4", "tsit5", "newmark", "hht", "generalized_alpha", "midpoint", "energy_conserving"};

bool only_fixed(const std::string& type) { return type == "rk4" || type == "tsit5"; }

bool only_adaptive(const std::string& type) { return type == "bdf" || type == "erk"; }

IntegratorOptions options_of(const std::string& type, bool adaptive) {
  IntegratorOptions options;
  options.type = type;
  if (!only_adaptive(type) && (!adaptive || only_fixed(type))) options.step = 1e-3;
  return options;
}

class NearTargets : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Methods, NearTargets, testing::ValuesIn(k_types),
                         [](const auto& method) { return std::string(method.param); });

/// A pendulum that swings, to a time and by `far` beyond it on a way with targets in between.
State swing(const Model& model, const IntegratorOptions& options, double time, double far,
            const std::vector<double>& between, bool restarts) {
  RobotSystem system(model, {.inputs = {Signal(0.3)}});
  const auto integrator = make_integrator(system, options);
  State start = start_of(model);
  start.time = time, start.q[0] = 0.7, start.v[0] = 2.0;
  integrator->restart(start);
  const double middle = time + 0.5 * far;
  integrator->advance(middle, restarts ? middle : time + far);
  if (restarts) integrator->restart(integrator->state());
  for (const double target : between) {
    const double at = middle + target;
    integrator->advance(at, restarts ? at : time + far);
    EXPECT_EQ(integrator->state().time, std::max(at, middle));
    if (restarts) integrator->restart(integrator->state());
  }
  integrator->advance(time + far, time + far);
  EXPECT_EQ(integrator->state().time, time + far);
  return integrator->state();
}

// The motion is that without them: the way through targets that are rounding apart is no other way.
TEST_P(NearTargets, AreReachedAndChangeNothing) {
  const Model model(pendulum());
  for (const bool adaptive : {true, false}) {
    const IntegratorOptions options = options_of(GetParam(), adaptive);
    for (const double time : {0.0, 0.15, 60.0}) {
      const double ulp = k_eps * (time + 0.05);
      const State plain = swing(model, options, time, 0.1, {}, false);
      for (const bool restarts : {false, true}) {
        for (const double far : {1.0, 5.0, 63.0, 65.0, 500.0, 1e5}) {
          const double d = far * ulp;
          const State found = swing(model, options, time, 0.1, {d, 2 * d, 3 * d, 7 * d}, restarts);
          // of methods that choose their steps, which go another way after a restart
          EXPECT_LT(distance(model, plain, found), options.step ? 1e-6 : 5e-4)
              << GetParam() << (adaptive ? ", adaptive" : ", fixed") << (restarts ? ", restarts" : "") << " at " << time
              << ", " << far << " ulp";
        }
      }
    }
  }
}

// Time goes on through any number of targets that are each too near.
TEST_P(NearTargets, AddUp) {
  const Model model(pendulum());
  RobotSystem system(model, {.inputs = {Signal(0.0)}});
  const auto integrator = make_integrator(system, options_of(GetParam(), true));
  State start = start_of(model);
  start.time = 1.0, start.v[0] = 2.0;
  integrator->restart(start);
  double time = 1.0;
  for (int i = 0; i < 2000; ++i) {
    time = std::nextafter(time, 2.0);
    integrator->advance(time, 2.0);
    ASSERT_EQ(integrator->state().time, time);
  }
  EXPECT_NEAR(integrator->state().q[0] / (2.0 * (time - 1.0)), 1.0, 0.1);
}

class NearTargetsWithLoops : public NearTargets {};
INSTANTIATE_TEST_SUITE_P(Methods, NearTargetsWithLoops,
                         testing::Values("newmark", "hht", "generalized_alpha", "midpoint", "energy_conserving"),
                         [](const auto& method) { return std::string(method.param); });

// A loop, whose multipliers are forces and no rounding after a short step either.
TEST_P(NearTargetsWithLoops, LeaveThemClosedAndTheirForcesRight) {
  const std::string type = GetParam();
  const Model model(FourBar().robot());
  Scenario scenario;
  scenario.initial["crank"].q = {0.9};
  const State start = Simulator(model, scenario).initial_state();
  for (const bool adaptive : {true, false}) {
    const auto reach = [&](const std::vector<double>& between) {
      RobotSystem system(model, {.rows = held_rows(model, start.q)});
      const auto integrator = make_integrator(system, options_of(type, adaptive));
      integrator->restart(start);
      integrator->advance(0.15, 0.2);
      for (const double d : between) integrator->advance(0.15 + d * 0.15 * k_eps, 0.2);
      integrator->advance(0.2, 0.2);
      return integrator->state();
    };
    const State plain = reach({});
    for (const double far : {1.0, 20.0, 65.0, 200.0, 1e4}) {
      const State found = reach({far});
      EXPECT_LT(distance(model, plain, found), 1e-4) << type << ", " << far;
      EXPECT_LT((plain.multipliers - found.multipliers).norm(), 0.02 * plain.multipliers.norm()) << type << ", " << far;
    }
  }
}

// Ways that are short beside the steps around them, but no rounding of time.
TEST(NearTargetsOfLoops, AreSteppedOverBetweenLongerSteps) {
  const Model model(FourBar().robot());
  Scenario scenario;
  scenario.initial["crank"].q = {0.9};
  const State start = Simulator(model, scenario).initial_state();
  for (const char* type : {"newmark", "hht", "generalized_alpha", "midpoint", "energy_conserving"}) {
    for (const bool adaptive : {true, false}) {
      const auto reach = [&](double way, bool restarts) {
        RobotSystem system(model, {.rows = held_rows(model, start.q)});
        const auto integrator = make_integrator(system, options_of(type, adaptive));
        integrator->restart(start);
        integrator->advance(0.15, 0.2);
        if (way > 0.0) integrator->advance(0.15 + way, 0.2);
        if (restarts) integrator->restart(integrator->state());
        integrator->advance(0.2, 0.2);
        return integrator->state();
      };
      const State plain = reach(0.0, false);
      for (const double way : {1.1e-9, 1e-8, 1e-7, 1e-6, 1e-5}) {
        for (const bool restarts : {false, true}) {
          const State found = reach(way, restarts);
          EXPECT_LT(distance(model, plain, found), adaptive ? 5e-4 : 1e-4)
              << type << (adaptive ? ", adaptive, " : ", fixed, ") << way;
        }
      }
    }
  }
}

// A step that is 10^4 times the output step means a step an output, and the method stays implicit: rods vibrate faster.
TEST(NearTargetsOfCallers, OutputsAreSteppedToHoweverLongTheStepIs) {
  const Model model(mixed_arm());
  for (const char* type : {"newmark", "hht", "generalized_alpha", "midpoint", "energy_conserving"}) {
    const auto run_with = [&](double step) {
      Scenario scenario;
      scenario.duration = 0.05, scenario.output_step = 1e-3;
      scenario.integrator = {.type = type, .step = step};
      scenario.initial["arm"].q = {0.4};
      MemoryRecorder memory;
      const Outcome outcome = Simulator(model, scenario).run({&memory});
      EXPECT_EQ(outcome.statistics.steps, 50) << type << ", " << step;
      return memory.samples();
    };
    const std::vector<Sample> expected = run_with(1e-3);
    for (const double step : {10.0, 1e3}) {
      const std::vector<Sample> found = run_with(step);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_LT((found[i].q - expected[i].q).norm(), 1e-9) << type << ", " << step << ", t = " << found[i].time;
      }
    }
  }
}

// Jumps of inputs a few ulp apart, also at the very end and beside outputs.
TEST_P(NearTargets, JumpsOfInputsAFewUlpApart) {
  const Model model(pendulum());
  for (const double time : {1e-9, 1e-3, 0.05, 0.0999}) {
    for (const double far : {1.0, 3.0, 40.0, 65.0, 1e3}) {
      Scenario scenario;
      scenario.duration = 0.1, scenario.output_step = 0.01;
      scenario.integrator = options_of(GetParam(), true);
      const double d = far * k_eps * time;
      scenario.inputs[model.input_info()[0].name] =
          Signal::steps({time, time + d, time + 2 * d}, {0.0, 1.0, -1.0, 0.5});
      const Outcome outcome = Simulator(model, scenario).run({});
      EXPECT_EQ(outcome.status, RunStatus::complete) << GetParam() << ", " << time << ", " << far;
    }
  }
}

// A live session whose pace comes from a clock on the wall stops anywhere, also an ulp before a jump.
TEST(NearTargetsOfCallers, LiveSessionsGoOn) {
  for (const char* type : k_types) {
    Scenario scenario;
    scenario.integrator = options_of(type, true);
    const Robot robot = pendulum();
    LiveSimulation live(robot, scenario);
    live.set_input(0, 0.5);  // a ramp that bends at 0.02 s
    for (const double end : {0.02, 0.15, 60.0}) {
      double before = end;
      for (int ulps = 0; ulps < 2; ++ulps) before = std::nextafter(before, 0.0);
      if (before - live.time() < 1.0) live.advance(before - live.time());
      for (int i = 0; i < 5; ++i) live.advance(1e-17 + end * k_eps);
      EXPECT_EQ(live.failure(), "") << type << ", " << end;
    }
  }
}

// The times of a recording lie beside outputs and jumps: runs, their derivatives and gradients come there.
TEST(NearTargetsOfCallers, RunsToTimesAndGradientsGoThere) {
  const Model model(pendulum());
  std::vector<double> times;
  for (const double time : {0.05, 0.1}) {
    for (const double far : {-2.0, 0.0, 1.0, 50.0, 200.0}) {
      if (time + far * k_eps * time <= 0.1) times.push_back(time + far * k_eps * time);
    }
  }
  std::sort(times.begin(), times.end());
  for (const char* type : {"bdf", "erk", "rk4", "tsit5", "newmark", "hht", "generalized_alpha", "midpoint"}) {
    Scenario scenario;
    scenario.duration = 0.1, scenario.output_step = 0.01;
    scenario.integrator = options_of(type, true);
    scenario.initial["arm"].v = {1.0};
    scenario.inputs[model.input_info()[0].name] = Signal::step(0.05, 0.0, 1.0);
    std::size_t seen = 0;
    run_to_times(model, scenario, times, [&](const TimedState& at) {
      EXPECT_NEAR(at.state.time, times[seen], 64 * k_eps) << type;
      ++seen;
    });
    EXPECT_EQ(seen, times.size()) << type;
    const MotionGradient gradient =
        motion_adjoint(model, scenario, times,
                       [](double, const VectorXd& q, const VectorXd&, VectorXd& by_q, VectorXd&) {
                         by_q[0] = 1.0;
                         return q[0];
                       },
                       {});
    double closed = 0.0;  // d q(t)/d v(0) of a pendulum near its place of rest
    for (const double time : times) closed += std::sin(std::sqrt(9.80665) * time) / std::sqrt(9.80665);
    EXPECT_NEAR(gradient.by_v[0], closed, 0.01 * closed) << type;
  }
}

// Behind a signal that changes within microseconds: values with derivatives are those of plain runs, and of their
// order; derivatives are the same forward and backward, and those of differences.
TEST(NearTargetsOfCallers, DerivativesGoOnBehindAShortStep) {
  const Model model(pendulum());
  const std::string input = model.input_info()[0].name;
  for (const char* type : {"newmark", "hht", "generalized_alpha", "midpoint"}) {
    SCOPED_TRACE(type);
    for (const double way : {1e-8, 1e-6, 4e-6}) {
      Scenario scenario;
      scenario.duration = 0.4, scenario.output_step = 0.4;
      scenario.integrator.type = type;
      scenario.initial["arm"].v = {1.0};
      const auto end_of = [&](double step, double jump) {
        scenario.integrator.step = step;
        scenario.inputs[input] = Signal::points({0.1, 0.1 + way, 0.3, 0.3 + way}, {0.0, jump, 3.0, -1.0});
        return sensitivities(model, scenario, {"q", "v"}, {}, {0.4}).values.back();
      };
      const VectorXd exact = end_of(1e-4, 3.0);
      const double error = (end_of(4e-3, 3.0) - exact).norm(), half = (end_of(2e-3, 3.0) - exact).norm();
      EXPECT_NEAR(std::log2(error / half), 2.0, 0.1) << way;
      const VectorXd plain = [&] {
        end_of(4e-3, 3.0);
        MemoryRecorder memory;
        Simulator(model, scenario).run({&memory});
        VectorXd all(2);
        all << memory.samples().back().q, memory.samples().back().v;
        return all;
      }();
      EXPECT_LT((end_of(4e-3, 3.0) - plain).norm(), 1e-8) << way;
      const std::vector<std::string> by{"simulation.inputs." + input + ".value[1]", "simulation.initial.arm.v[0]"};
      const BothWays both = both_ways(model, scenario, {0.2, 0.4}, by);
      expect_alike(both, by, 1e-9, 1e-9);
      const Sensitivities found = sensitivities(model, scenario, {"q", "v"}, {by[0]}, {0.4});
      const VectorXd slope = (end_of(4e-3, 3.01) - end_of(4e-3, 2.99)) / 0.02;
      EXPECT_LT((found.derivatives.back().col(0) - slope).norm(), 1e-5 * slope.norm()) << way;
    }
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
