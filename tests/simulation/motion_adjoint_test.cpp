// Gradients backwards along runs: against those forward along them, which share no formula of the way back; against a
// closed form; and what has none.
#include "cuttle/simulation/motion_adjoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cuttle/control/controllers.h"
#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/io/scenario_file.h"
#include "simulation/both_ways.h"
#include "simulation/integrator_runs.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::adaptive;
using test::fixed;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Paths = std::vector<std::string>;

/// Forward and backward must agree: both are exact derivatives of the same map.
void expect_both_ways_alike(const Model& model, const Scenario& scenario, const std::vector<double>& times,
                            const Paths& by, double tolerance = 1e-9) {
  const auto [found, value, expected] = test::both_ways(model, scenario, times, by);
  EXPECT_NEAR(found.value, value, std::max(tolerance, 1e-8) * (1.0 + std::abs(value)));
  ASSERT_EQ(found.parameters.size(), by.size());
  ASSERT_GT(expected.cwiseAbs().maxCoeff(), 0.0);
  for (std::size_t k = 0; k < by.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    EXPECT_EQ(found.parameters[k].path, by[k]);
    EXPECT_NEAR(found.by[i], expected[i], tolerance * expected.cwiseAbs().maxCoeff()) << by[k];
  }
}

ScenarioFile scenario_of(const std::string& name) {
  return load_scenario_file(test::k_source_dir + "/models/" + name + "_scenario.yaml");
}

class MotionAdjointOf : public testing::TestWithParam<std::string> {
 protected:
  static bool is_explicit() { return GetParam() == "rk4" || GetParam() == "tsit5"; }
};
INSTANTIATE_TEST_SUITE_P(Methods, MotionAdjointOf,
                         testing::Values("rk4", "tsit5", "newmark", "hht", "generalized_alpha", "midpoint",
                                         "energy_conserving"),
                         [](const auto& method) { return method.param; });

// Rods, tendons that go slack, a pocket; inputs that bend and jump, many numbers of one signal.
TEST_P(MotionAdjointOf, TendonArmGoesBackAsForward) {
  ScenarioFile file = scenario_of("examples/tendon_arm");
  file.scenario.duration = is_explicit() ? 0.008 : 0.3;
  file.scenario.output_step = 0.5 * file.scenario.duration;
  file.scenario.integrator = fixed(GetParam(), is_explicit() ? 1e-4 : 0.01);
  const double T = file.scenario.duration;
  file.scenario.inputs["right"] = Signal::points({0.0, 0.31 * T, 0.7 * T, T}, {1.0, 3.0, 4.0, 2.0});
  file.scenario.inputs["left"] = Signal::step(0.45 * T, 0.5, 1.5);
  expect_both_ways_alike(
      Model(file.robot), file.scenario, {0.0, 0.2 * T, 0.45 * T, T},
      {"simulation.inputs.right.value[0]", "simulation.inputs.right.value[1]", "simulation.inputs.right.value[2]",
       "simulation.inputs.left.before", "simulation.inputs.left.after", "simulation.initial.upper.q[0]",
       "simulation.initial.lower.q[1]", "simulation.initial.upper.v[2]"});
}

// Each knot acts in its interval alone, or everywhere; stages fall on knots and between them.
TEST_P(MotionAdjointOf, ManyKnotsGoBackAsForward) {
  ScenarioFile file = scenario_of("examples/tendon_arm");
  const double T = file.scenario.duration = is_explicit() ? 0.0023 : 0.023;
  file.scenario.output_step = T;
  file.scenario.integrator = fixed(GetParam(), is_explicit() ? 1e-4 : 1e-3);
  std::vector<double> times, values;
  for (int i = 0; i < 12; ++i) times.push_back(T * i / 11.5), values.push_back(2.0 + std::sin(1.3 * i));
  std::vector<double> more = values;
  more.push_back(1.0);
  const Model model(file.robot);
  for (const auto& [signal, key] :
       {std::pair(Signal::points(times, values), "value"), std::pair(Signal::table(times, values, true), "value"),
        std::pair(Signal::spline(times, values), "value"), std::pair(Signal::steps(times, more), "values")}) {
    file.scenario.inputs["right"] = signal;
    file.scenario.inputs["left"] = 0.5;
    Paths by{"simulation.inputs.left"};  // a constant between them, and not in the order of their knots
    for (int i = 11; i >= 0; --i)
      by.push_back("simulation.inputs.right." + std::string(key) + "[" + std::to_string(i) + "]");
    expect_both_ways_alike(model, file.scenario, {0.3 * T, T}, by);
  }
}

// Quaternions of a floating base, in steps long enough to turn visibly.
TEST(MotionAdjoint, OfAFloatingRodIsThatForward) {
  ScenarioFile file = scenario_of("examples/floating_rod");
  file.scenario.duration = 0.2;
  Paths by;
  for (int i = 0; i < 7; ++i) by.push_back("simulation.initial.base.q[" + std::to_string(i) + "]");
  for (int i = 0; i < 6; ++i) by.push_back("simulation.initial.base.v[" + std::to_string(i) + "]");
  const Model model(file.robot);
  for (const char* type : {"newmark", "hht", "generalized_alpha", "midpoint"}) {
    SCOPED_TRACE(type);
    file.scenario.integrator = fixed(type, 4e-3);
    expect_both_ways_alike(model, file.scenario, {0.05, 0.2}, by);
  }
}

// Reactions of closed loops go back with their steps, and over jumps of the inputs.
TEST(MotionAdjoint, OfAClosedLoopIsThatForward) {
  ScenarioFile file = scenario_of("boyer2023/parallel_robot_path");
  file.scenario.controllers.clear();
  file.scenario.duration = 0.2, file.scenario.output_step = 0.1;
  file.scenario.inputs["motor1"] = Signal::sine(1.0, 3.0, 0.3, 9.7);
  file.scenario.inputs["motor2"] = Signal::steps({0.083}, {-9.7, -9.0});
  const Model model(file.robot);
  for (const char* type : {"midpoint", "generalized_alpha", "newmark"}) {
    SCOPED_TRACE(type);
    file.scenario.integrator = fixed(type, 5e-3);
    expect_both_ways_alike(model, file.scenario, {0.1, 0.2},
                           {"simulation.inputs.motor1.amplitude", "simulation.inputs.motor1.offset",
                            "simulation.inputs.motor2.values[0]", "simulation.inputs.motor2.values[1]"});
  }
}

// Chosen steps are held.
TEST(MotionAdjoint, OfChosenStepsIsThatForward) {
  ScenarioFile file = scenario_of("examples/tendon_arm");
  file.scenario.duration = 0.3;
  file.scenario.integrator = adaptive("generalized_alpha", 1e-4);
  expect_both_ways_alike(
      Model(file.robot), file.scenario, {0.17, 0.3},
      {"simulation.inputs.right.value[1]", "simulation.initial.lower.q[1]", "simulation.initial.lower.v[0]"});
}

// Ball joints, and bodies whose mass changes with the configuration.
TEST(MotionAdjoint, OfAMixedArmIsThatForward) {
  const Model model(test::mixed_arm());
  Scenario scenario;
  scenario.duration = 0.3, scenario.output_step = 0.1;
  scenario.inputs["motor"] = Signal::sine(0.2, 2.0, 0.0, 0.0);
  Paths by{"simulation.inputs.motor.amplitude", "simulation.inputs.motor.frequency", "simulation.initial.arm.q[0]"};
  for (int i = 0; i < 4; ++i) by.push_back("simulation.initial.ball.q[" + std::to_string(i) + "]");
  for (int i = 0; i < 3; ++i) by.push_back("simulation.initial.ball.v[" + std::to_string(i) + "]");
  for (const char* type : {"newmark", "hht", "generalized_alpha", "midpoint"}) {
    SCOPED_TRACE(type);
    scenario.integrator = fixed(type, 5e-3);
    expect_both_ways_alike(model, scenario, {0.1, 0.3}, by);
  }
}

// Methods that choose their steps solve the equation of the gradient under their tolerance; forward they integrate the
// derivatives beside the motion. Inputs jump and bend, tendons go slack, bases and balls turn, bodies' masses change.
TEST(MotionAdjoint, OfMethodsWithErrorControlIsThatForward) {
  ScenarioFile arm = scenario_of("examples/tendon_arm");
  arm.scenario.duration = 0.2, arm.scenario.output_step = 0.1;
  arm.scenario.inputs["right"] = Signal::points({0.0, 0.07, 0.13, 0.2}, {1.0, 3.0, 4.0, 2.0});
  arm.scenario.inputs["left"] = Signal::step(0.09, 0.5, 1.5);
  arm.scenario.integrator = adaptive("bdf", 1e-9);
  expect_both_ways_alike(
      Model(arm.robot), arm.scenario, {0.0, 0.05, 0.09, 0.2},
      {"simulation.inputs.right.value[0]", "simulation.inputs.right.value[2]", "simulation.inputs.left.before",
       "simulation.inputs.left.after", "simulation.initial.upper.q[0]", "simulation.initial.lower.v[1]"},
      1e-6);

  ScenarioFile rod = scenario_of("examples/floating_rod");
  rod.scenario.duration = 0.2;
  rod.scenario.integrator = adaptive("bdf", 1e-9);
  Paths by;
  for (int i = 0; i < 7; ++i) by.push_back("simulation.initial.base.q[" + std::to_string(i) + "]");
  for (int i = 0; i < 6; ++i) by.push_back("simulation.initial.base.v[" + std::to_string(i) + "]");
  expect_both_ways_alike(Model(rod.robot), rod.scenario, {0.05, 0.2}, by, 1e-6);

  const Model mixed(test::mixed_arm());
  Scenario scenario;
  scenario.duration = 0.3, scenario.output_step = 0.1;
  scenario.inputs["motor"] = Signal::sine(0.2, 2.0, 0.0, 0.0);
  by = {"simulation.inputs.motor.amplitude", "simulation.inputs.motor.frequency", "simulation.initial.arm.q[0]"};
  for (int i = 0; i < 4; ++i) by.push_back("simulation.initial.ball.q[" + std::to_string(i) + "]");
  for (int i = 0; i < 3; ++i) by.push_back("simulation.initial.ball.v[" + std::to_string(i) + "]");
  for (const char* type : {"bdf", "erk"}) {
    SCOPED_TRACE(type);
    scenario.integrator = adaptive(type, 1e-9);
    expect_both_ways_alike(mixed, scenario, {0.1, 0.3}, by, 1e-6);
  }
}

// A mass on a spring with a damper: the gradient of x(T) by the force at each knot is the response to its hat.
TEST(MotionAdjoint, OfAnOscillatorIsItsFreeVibration) {
  const double m = 2.0, k = 50.0, d = 0.8, T = 1.3;
  const Model model(read_robot_text(R"(
cuttle: 1
name: oscillator
gravity: [0, 0, 0]
links:
  - {name: cart, joint: {type: prismatic, axis: [1, 0, 0], stiffness: 50, damping: 0.8}, body: {type: rigid, mass: 2, com: [0, 0, 0], inertia: [1, 1, 1, 0, 0, 0]}}
actuators: [{name: push, type: joint, link: cart}]
)",
                                    "oscillator.yaml"));
  Scenario scenario;
  scenario.duration = T, scenario.output_step = 0.1;
  scenario.initial["cart"] = {{0.1}, {0.3}};
  scenario.inputs["push"] = 4.0;
  const double a = d / (2 * m), w = std::sqrt(k / m - a * a), e = std::exp(-a * T);
  const double from_q = e * (std::cos(w * T) + a / w * std::sin(w * T)), from_v = e * std::sin(w * T) / w;
  const auto expect_it = [&](const IntegratorOptions& integrator, double tolerance) {
    SCOPED_TRACE(integrator.type);
    scenario.integrator = integrator;
    const MotionGradient found =
        motion_adjoint(model, scenario, {T},
                       [](double, const VectorXd& q, const VectorXd&, VectorXd& by_q, VectorXd&) {
                         by_q[0] = 1.0;
                         return q[0];
                       },
                       {"simulation.inputs.push"});
    EXPECT_NEAR(found.by_q[0], from_q, tolerance);
    EXPECT_NEAR(found.by_v[0], from_v, tolerance);
    EXPECT_NEAR(found.by[0], (1.0 - from_q) / k, 0.1 * tolerance);
    EXPECT_NEAR(found.value, 4.0 / k + (0.1 - 4.0 / k) * from_q + 0.3 * from_v, tolerance);
  };
  expect_it(fixed("tsit5", 1e-3), 1e-11);
  expect_it(adaptive("bdf", 1e-10), 1e-8);
  expect_it(adaptive("bdf", 1e-6), 1e-4);
  expect_it(adaptive("erk", 1e-10), 1e-8);
}

TEST(MotionAdjoint, RefusesWhatHasNone) {
  ScenarioFile file = scenario_of("examples/tendon_arm");
  const ObjectiveTerm nothing = [](double, const VectorXd&, const VectorXd&, VectorXd&, VectorXd&) { return 0.0; };
  const auto gradient = [&](const Paths& by, const std::vector<double>& times = {0.1}) {
    motion_adjoint(Model(file.robot), file.scenario, times, nothing, by);
  };
  file.scenario.integrator = fixed("newmark", 0.01);
  EXPECT_THAT(
      [&] {
        gradient({}, {0.2, 0.1});
      },
      ThrowsMessage<ArgumentError>(HasSubstr("times[1]: found 0.1, expected ascending times of the run")));
  EXPECT_THAT([&] { gradient({"simulation.inputs.rihgt"}); }, ThrowsMessage<ArgumentError>(HasSubstr("did you mean")));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
