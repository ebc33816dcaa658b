// Loops that are closed where they are singular: a row that followed from the others there is held as soon as it
// counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cuttle/algorithms/loop_closure.h"
#include "cuttle/simulation/live_simulation.h"
#include "cuttle/simulation/motion_adjoint.h"
#include "cuttle/simulation/sensitivities.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/integrator_runs.h"
#include "support/loop_robots.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double k_gravity = 9.81;
constexpr const char* k_methods[] = {"newmark", "hht", "generalized_alpha", "midpoint", "energy_conserving"};

/// Two bars of 1 m and 2 kg in a row, their end held at a place that is so far away; if that is 2 m they cannot move.
/// A third bar hangs at their knee.
Robot two_bars(double distance, bool with_pendulum = false) {
  Robot robot;
  robot.name = "two_bars";
  robot.links = {bar("a", "base", 1.0, {0, 1, 0}), bar("b", "a", 1.0, {0, 1, 0})};
  if (with_pendulum) robot.links.push_back(bar("c", "a", 0.7, {0, 1, 0}));
  robot.actuators.push_back(Actuator::joint("motor", "a"));
  Loop loop;
  loop.name = "l", loop.type = LoopType::spherical;
  loop.a.link = "b", loop.b.link = "base", loop.b.pose.position = {distance, 0, 0};
  robot.loops = {loop};
  return robot;
}

Scenario scenario_of(const IntegratorOptions& options) {
  Scenario scenario;
  scenario.duration = 1.0, scenario.output_step = 0.01;
  scenario.integrator = options;
  return scenario;
}

/// What a run has lost, or found, beside its accounts of work.
double off_balance(const Sample& first, const Sample& last) {
  return last.energy() - first.energy() - (last.input + last.load - last.dissipated);
}

// The bars stay where they are, whatever steps are taken: they sink by what it takes to be held.
TEST(AppearingRows, HoldBarsThatAreStretchedToTheirFullLength) {
  const Model model(two_bars(2.0));
  for (const char* type : k_methods) {
    for (const IntegratorOptions& options :
         {fixed(type, 1e-4), fixed(type, 1e-3), fixed(type, 0.05), adaptive(type, 1e-4), adaptive(type, 1e-7)}) {
      SCOPED_TRACE(std::string(type) + ", step " + std::to_string(options.step.value_or(-options.relative_tolerance)));
      MemoryRecorder memory;
      const Outcome outcome = Simulator(model, scenario_of(options)).run({&memory});
      ASSERT_EQ(outcome.status, RunStatus::complete);
      EXPECT_THAT(outcome.warnings, ElementsAre(HasSubstr("held from here on, as they no longer follow from the other "
                                                          "rows: l.position.x; the impulse")));
      EXPECT_THAT(outcome.redundant_rows, testing::Not(testing::Contains("l.position.x")));
      const Sample &first = memory.samples().front(), &last = memory.samples().back();
      // open by the square of their angles at most, which are at most 1e-7 of the robot's 2 m
      constexpr double k_open = 2e-7;
      const double k_angle = std::sqrt(2.0 * k_open);
      for (const Sample& sample : memory.samples()) {
        EXPECT_LE(sample.loop_residual.lpNorm<Eigen::Infinity>(), k_open) << sample.time;
        EXPECT_LE(std::abs(sample.q[0]), k_angle) << sample.time;
      }
      EXPECT_LE(last.v.lpNorm<Eigen::Infinity>(), 1e-6);
      // they fell freely that far, and lost it all at once
      const double fallen = 2.0 * k_gravity * std::sin(last.q[0]);
      EXPECT_GT(fallen, 0.0);
      EXPECT_NEAR(last.dissipated, fallen, 1e-2 * fallen);
      EXPECT_LE(std::abs(off_balance(first, last)), 1e-2 * fallen);
    }
  }
}

// Beside the singular place two rows are held from the start, and nothing changes.
TEST(AppearingRows, AreNoneWhereBarsSagByAThousandth) {
  const Model model(two_bars(1.999999));
  for (const char* type : k_methods) {
    for (const IntegratorOptions& options : {fixed(type, 1e-3), adaptive(type, 1e-5)}) {
      SCOPED_TRACE(type);
      MemoryRecorder memory;
      const Outcome outcome = Simulator(model, scenario_of(options)).run({&memory});
      ASSERT_EQ(outcome.status, RunStatus::complete);
      EXPECT_THAT(outcome.warnings, IsEmpty());
      const Sample &first = memory.samples().front(), &last = memory.samples().back();
      EXPECT_LE(last.loop_residual.lpNorm<Eigen::Infinity>(), 1e-13);
      EXPECT_LE((last.q - first.q).lpNorm<Eigen::Infinity>(), 1e-10);
      EXPECT_LE(std::abs(off_balance(first, last)), 1e-8);
    }
  }
}

// A velocity that the singular place lets through is stopped in the first step, with all of its energy.
TEST(AppearingRows, StopAMotionThatRunsOnThere) {
  const Model model(two_bars(2.0));
  Scenario scenario = scenario_of(fixed("generalized_alpha", 1e-4));
  scenario.initial["a"].v = {0.1}, scenario.initial["b"].v = {-0.2};
  MemoryRecorder memory;
  Simulator(model, scenario).run({&memory});
  const Sample &first = memory.samples().front(), &last = memory.samples().back();
  // each bar turns by 0.1 rad/s about a fixed end
  EXPECT_NEAR(first.kinetic, 2.0 * (0.5 * (2.0 / 3.0) * 0.01), 1e-10);
  const double fallen = 2.0 * k_gravity * std::sin(last.q[0]);
  EXPECT_NEAR(last.dissipated, first.kinetic + fallen, 1e-2 * fallen);
  EXPECT_LE(last.v.lpNorm<Eigen::Infinity>(), 1e-6);
}

/// The pendulum swings at the knee, whose fall it feels, and which stops all at once.
Scenario swinging(const IntegratorOptions& options) {
  Scenario scenario = scenario_of(options);
  scenario.duration = 0.1;
  scenario.inputs["motor"] = 4.0;
  scenario.initial["c"].q = {0.4}, scenario.initial["c"].v = {-1.3};
  return scenario;
}

// Against the pendulum alone at a knee that rests.
TEST(AppearingRows, LeaveWhatIsFreeToMove) {
  Robot alone;
  alone.links = {bar("c", "base", 0.7, {0, 1, 0})};
  Scenario scenario = swinging(fixed("generalized_alpha", 1e-4));
  MemoryRecorder held, free;
  Simulator(Model(two_bars(2.0, true)), scenario).run({&held});
  scenario.inputs.clear();
  Simulator(Model(alone), scenario).run({&free});
  const Sample &found = held.samples().back(), &expected = free.samples().back();
  // the knee falls for 4 ms: what it gives the pendulum is some hundredths of a radian a second
  EXPECT_NEAR(found.q[2], expected.q[0], 5e-3);
  EXPECT_NEAR(found.v[2], expected.v[0], 0.05);
  EXPECT_GT(std::abs(found.v[2] - expected.v[0]), 1e-5);
}

/// Sixth-order central difference of f, whose argument changes by `step`.
template <typename Function>
VectorXd difference_of(const Function& f, double step) {
  return (45.0 * (f(step) - f(-step)) - 9.0 * (f(2 * step) - f(-2 * step)) + (f(3 * step) - f(-3 * step))) /
         (60.0 * step);
}

const std::vector<std::string> k_by{"simulation.inputs.motor", "simulation.initial.c.q[0]",
                                    "simulation.initial.c.v[0]"};

// Forward: against differences of runs, whose rows change at the same step.
TEST(AppearingRows, HaveDerivativesForward) {
  const Model model(two_bars(2.0, true));
  for (const char* type : {"newmark", "hht", "generalized_alpha", "midpoint"}) {
    SCOPED_TRACE(type);
    const Scenario scenario = swinging(fixed(type, 1e-3));
    std::vector<std::string> by = k_by;
    by.emplace_back("links.c.body.mass");
    const Sensitivities found = sensitivities(model, scenario, {"q", "v"}, by, {scenario.duration});
    const auto run_of = [&](const Model& changed_model, const Scenario& changed) -> VectorXd {
      return sensitivities(changed_model, changed, {"q", "v"}, {}, {scenario.duration}).values.back();
    };
    for (std::size_t k = 0; k < by.size(); ++k) {
      const VectorXd expected = difference_of(
          [&](double x) {
            Scenario changed = scenario;
            if (k == 0) changed.inputs["motor"] = 4.0 + x;
            if (k == 1) changed.initial["c"].q[0] += x;
            if (k == 2) changed.initial["c"].v[0] += x;
            return run_of(k == 3 ? model.with(by[k], found.parameters[k].value + x) : model, changed);
          },
          3e-3);
      const VectorXd derivative = found.derivatives.back().col(static_cast<Eigen::Index>(k));
      ASSERT_GT(std::abs(expected[2]), 0.0);
      for (const int i : {0, 1, 2, 5}) {  // bars stand still: their velocities are rounding
        EXPECT_NEAR(derivative[i], expected[i], 1e-7 * expected.cwiseAbs().maxCoeff()) << by[k] << ", " << i;
      }
    }
  }
}

// Backward: the same numbers by another way.
TEST(AppearingRows, HaveAnAdjoint) {
  const Model model(two_bars(2.0, true));
  const ObjectiveTerm term = [](double, const VectorXd& q, const VectorXd& v, VectorXd& by_q, VectorXd& by_v) {
    by_q << 200.0, -50.0, 3.0, by_v << 0.0, 0.0, 0.7;
    return by_q.dot(q) + by_v.dot(v);
  };
  for (const char* type : {"newmark", "hht", "generalized_alpha", "midpoint"}) {
    for (const IntegratorOptions& options : {fixed(type, 1e-3), adaptive(type, 1e-5)}) {
      SCOPED_TRACE(type);
      const Scenario scenario = swinging(options);
      const std::vector<double> times{0.003, 0.1};
      const MotionGradient back = motion_adjoint(model, scenario, times, term, k_by);
      const Sensitivities forward = sensitivities(model, scenario, {"q", "v"}, k_by, times);
      VectorXd weights(6);
      weights << 200.0, -50.0, 3.0, 0.0, 0.0, 0.7;
      VectorXd expected = VectorXd::Zero(3);
      for (const MatrixXd& at : forward.derivatives) expected += at.transpose() * weights;
      EXPECT_LE((back.by - expected).cwiseAbs().maxCoeff(), 1e-8 * expected.cwiseAbs().maxCoeff())
          << back.by.transpose() << "\nexpected " << expected.transpose();
    }
  }
}

// Three bars of 1 m to a place 3 m away have one motion left, a small one, whose velocity the impulse turns.
TEST(AppearingRows, HaveDerivativesBothWaysWhereTheLoopGoesOn) {
  Robot robot = two_bars(3.0);
  robot.links.push_back(bar("c", "b", 1.0, {0, 1, 0}));
  robot.loops[0].a.link = "c";
  const Model model(robot);
  // The row is 3e-4 long: rounding of places is 1e-12 in angles and 1e-8 in rates, of 1e-3 that differences are apart.
  constexpr double k_step = 0.2, k_tolerance = 5e-4, k_both_ways = 2e-6;
  VectorXd weights(6);
  weights << 300.0, 100.0, -200.0, 1.0, 0.4, -0.7;
  const ObjectiveTerm term = [&](double, const VectorXd& q, const VectorXd& v, VectorXd& by_q, VectorXd& by_v) {
    by_q = weights.head(3), by_v = weights.tail(3);
    return by_q.dot(q) + by_v.dot(v);
  };
  for (const char* type : {"newmark", "generalized_alpha", "midpoint"}) {
    SCOPED_TRACE(type);
    Scenario scenario = scenario_of(fixed(type, 2e-4));
    scenario.duration = 0.02;
    scenario.inputs["motor"] = 4.0;
    scenario.initial["b"].v = {0.003};  // as the row that is held from the start lets it: c goes back as fast
    scenario.initial["c"].v = {-0.006};
    const auto run_of = [&](double torque) -> VectorXd {
      Scenario changed = scenario;
      changed.inputs["motor"] = 4.0 + torque;
      return sensitivities(model, changed, {"q", "v"}, {}, {scenario.duration}).values.back();
    };
    const Sensitivities found =
        sensitivities(model, scenario, {"q", "v"}, {"simulation.inputs.motor"}, {scenario.duration});
    const VectorXd expected = difference_of([&](double x) { return run_of(x); }, k_step);
    const VectorXd derivative = found.derivatives.back().col(0);
    ASSERT_GT(found.values.back().tail(3).lpNorm<Eigen::Infinity>(), 1e-4);  // it moves
    EXPECT_LE((derivative - expected).lpNorm<Eigen::Infinity>(), k_tolerance * expected.lpNorm<Eigen::Infinity>())
        << derivative.transpose() << "\nexpected " << expected.transpose();
    const MotionGradient back = motion_adjoint(model, scenario, {scenario.duration}, term, {"simulation.inputs.motor"});
    EXPECT_NEAR(back.by[0], derivative.dot(weights), k_both_ways * derivative.cwiseProduct(weights).cwiseAbs().sum());
  }
}

// Rows that were taken up stay when the robot of a live session is made anew, and are given up by a reset.
TEST(AppearingRows, StayInALiveSession) {
  LiveSimulation live(two_bars(2.0, true), scenario_of(fixed("generalized_alpha", 1e-3)));
  live.advance(0.1);
  live.set_gravity(false);
  live.advance(0.1);
  live.set_gravity(true);
  live.advance(0.3);
  EXPECT_EQ(live.failure(), "");
  EXPECT_EQ(live.time(), 0.5);
  EXPECT_LE(live.sample().loop_residual.lpNorm<Eigen::Infinity>(), 2e-7);
  live.reset();
  live.advance(0.5);
  EXPECT_EQ(live.failure(), "");
  EXPECT_LE(live.sample().loop_residual.lpNorm<Eigen::Infinity>(), 2e-7);
}

// Across a bar that turned by an angle x the row x of its end's place has the length x, beside one of 2 and 1.
TEST(AppearingRows, AreFoundByTheirPartAcrossTheOthers) {
  const Model model(two_bars(2.0));
  Data data(model);
  ConstraintData constraints(model);
  const ConstraintRows rows = select_constraint_rows(model, data, constraints, model.neutral());
  const auto appeared = [&](double x) {
    return appeared_rows(model, data, constraints, rows, VectorXd(Eigen::Vector2d(x, -2.0 * x)));
  };
  EXPECT_FALSE(appeared(0.0));
  EXPECT_FALSE(appeared(2e-4));
  for (const double x : {3e-4, 1e-2}) {
    ASSERT_TRUE(appeared(x));
    EXPECT_NEAR(*appeared(x), (1.0 - std::cos(x)), 1e-3 * x * x);  // of 2 m
  }
  const ConstraintRows after =
      rows_with_appeared(model, data, constraints, rows, VectorXd(Eigen::Vector2d(3e-4, -6e-4)));
  EXPECT_EQ(after.kept.size(), rows.kept.size() + 1);
  EXPECT_NEAR(after.open.lpNorm<Eigen::Infinity>(), 9e-8, 1e-9);
  EXPECT_THROW(rows_with_appeared(model, data, constraints, rows, VectorXd(Eigen::Vector2d(0.02, -0.04))),
               SimulationError);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
