// Gradients backwards along runs with controllers, against those forward along them: the way back has the laws' own
// derivatives, forward the laws run with directions, or in copies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cuttle/error.h"
#include "cuttle/simulation/rollout_function.h"
#include "simulation/both_ways.h"
#include "simulation/integrator_runs.h"
#include "support/control_laws.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::adaptive;
using test::fixed;
using Paths = std::vector<std::string>;

/// A start at which nothing has a kink, as drag has at rest.
void set_in_motion(Scenario& scenario) {
  scenario.initial["upper"].v = {0.5}, scenario.initial["fore"].v = {0.7};
  scenario.initial["soft"].v = {2.0, -1.5, 0.3};
}

/// Numbers of signals, the start, the robot, and those of the controllers. Copies are made at steps of 0.2 % of a
/// number, of one that is zero at steps of 0.002: too far for a stretch.
Paths numbers_of(const ScenarioFile& file) {
  Paths by{"simulation.inputs.cable",       "simulation.inputs.m1.amplitude",
           "simulation.initial.upper.q[0]", "simulation.initial.soft.v[1]",
           "materials.m.young_modulus",     "links.fore.body.mass",
           "elements.band.stiffness",       "gravity[2]"};
  for (const NamedController& given : file.scenario.controllers) {
    for (const ControllerNumber& number : given.controller->numbers()) {
      if (number.value != 0.0) by.push_back("simulation.controllers." + given.name + "." + number.key);
    }
  }
  return by;
}

const std::string k_inputs = test::k_start + "  inputs: {cable: 0.7, m1: {type: sine, amplitude: 0.3, frequency: 2}}\n";

class LawsGoBack : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, LawsGoBack,
                         testing::Values("rk4", "tsit5", "newmark", "hht", "generalized_alpha", "midpoint",
                                         "energy_conserving"),
                         [](const auto& method) { return method.param; });

// Alone, and after a law that pulls the same cable, which those after it know of; the cable cannot push.
TEST_P(LawsGoBack, AsForward) {
  const std::string earlier =
      "{name: first, type: pid, inputs: [m2, cable], reference: [0.2, 0.001], kp: [0.5, 300], kd: 0.1}, ";
  const bool is_explicit = GetParam() == "rk4" || GetParam() == "tsit5";
  int seen = 0;
  for (const test::Law& law : test::laws()) {
    for (const bool early : {false, true}) {
      ScenarioFile file =
          test::scenario_of((early ? earlier : "") + law.text + "}", k_inputs, early ? "clip" : "allow");
      const Model model(file.robot);
      Scenario& scenario = file.scenario;
      ++seen;
      set_in_motion(scenario);
      const double T = scenario.duration = is_explicit ? 0.004 : 0.016;
      scenario.output_step = T;
      scenario.integrator = fixed(GetParam(), is_explicit ? 5e-4 : 4e-3);
      const Paths by = numbers_of(file);
      SCOPED_TRACE(std::string(law.name) + (early ? " after another" : ""));
      // forward, numbers of laws and of the robot are differences of copies
      test::expect_alike(test::both_ways(model, scenario, {0.5 * T, T}, by), by, 1e-8, 1e-9);
    }
  }
  EXPECT_GE(seen, 24);
}

// Signals of the reference that jump and bend, windows in which a law acts, and a limit that holds all the while: where
// one begins to hold, forward derivatives are a mean of both sides.
TEST(LawsGoBackWith, WindowsLimitsAndReferencesThatJump) {
  ScenarioFile file = test::scenario_of(
      "{name: c, type: pd_with_cancellation, inputs: [m1, m2, bend], reference: [{type: step, time: 0.011, before: "
      "0.1, "
      "after: 0.5}, {type: points, time: [0, 0.013, 0.03], value: [0.1, 0.2, 0.1]}, 0.3, -0.1, 0.005], kp: [2, 1, "
      "0.1, 0.1, 10], kd: 0.05, limits: {lower: [-0.001, -9, -9, -9, -9], upper: [0.001, 9, 9, 9, 9]}}, {name: late, "
      "type: pd_plus, inputs: [m2], links: "
      "[fore], reference: [0.3], kp: 0.7, kd: 0.01, window: [0.0137, 0.0311]}",
      k_inputs);
  set_in_motion(file.scenario);
  file.scenario.duration = file.scenario.output_step = 0.04;
  const Model model(file.robot);
  const Paths by = numbers_of(file);
  for (const char* type : {"rk4", "generalized_alpha", "midpoint"}) {
    SCOPED_TRACE(type);
    file.scenario.integrator = fixed(type, type == std::string("rk4") ? 5e-4 : 2e-3);
    test::expect_alike(test::both_ways(model, file.scenario, {0.01, 0.04}, by), by, 1e-8, 1e-9);
  }
}

// Along the differential equation of the gradient: as close as tolerances are.
TEST(LawsGoBackWith, BdfAndErk) {
  for (const char* name : {"pd_plus", "computed_torque", "partial_feedback_linearization"}) {
    ScenarioFile file = test::scenario_of(test::law(name).text + "}", k_inputs);
    set_in_motion(file.scenario);
    file.scenario.duration = file.scenario.output_step = 0.03;
    const Model model(file.robot);
    const Paths by = numbers_of(file);
    for (const char* type : {"bdf", "erk"}) {
      SCOPED_TRACE(std::string(name) + " " + type);
      file.scenario.integrator = adaptive(type, 1e-10);
      test::expect_alike(test::both_ways(model, file.scenario, {0.03}, by), by, 1e-5, 1e-6);
    }
  }
}

// The vector-Jacobian product of a roll-out, which torch and jax call.
TEST(LawsGoBackWith, ARolloutFunction) {
  ScenarioFile file = test::scenario_of(test::law("pd_plus").text + ", rate: 250, delay: 0.001}", k_inputs);
  set_in_motion(file.scenario);
  file.scenario.duration = file.scenario.output_step = 0.04;
  file.scenario.integrator = fixed("generalized_alpha", 4e-3);
  const Model model(file.robot);
  const Paths by = numbers_of(file);
  RolloutFunction function(model, file.scenario, {"q"}, {0.02, 0.04}, by);
  VectorXd numbers(static_cast<Eigen::Index>(by.size()));
  for (Eigen::Index k = 0; k < numbers.size(); ++k) {
    numbers[k] = function.parameters()[static_cast<std::size_t>(k)].value;
  }
  const Sensitivities forward = sensitivities(model, file.scenario, {"q"}, by, {0.02, 0.04});
  const MatrixXd q = function.run(numbers);
  MatrixXd worth(2, model.nq());
  VectorXd expected = VectorXd::Zero(numbers.size());
  for (Eigen::Index t = 0; t < 2; ++t) {
    for (Eigen::Index i = 0; i < model.nq(); ++i) worth(t, i) = test::number_at(i, 0.3 * static_cast<double>(t));
    EXPECT_LE((q.row(t).transpose() - forward.values[static_cast<std::size_t>(t)]).cwiseAbs().maxCoeff(), 1e-12);
    expected += forward.derivatives[static_cast<std::size_t>(t)].transpose() * worth.row(t).transpose();
  }
  MotionGradient found;
  found.parameters = function.parameters(), found.by = function.back(worth);
  test::expect_alike({found, 0.0, expected}, by, 1e-8, 1e-9);
}

// A clock, a delay over samples, noise; alone, and in a chain in which each law sees what those before it hold.
TEST(LawsGoBackWith, AClock) {
  const std::string late =
      "{name: late, type: computed_torque, inputs: [m1, m2], links: [upper, fore], reference: "
      "[0.5, {type: sine, amplitude: 0.2, frequency: 1}], kp: [100, 3, 0, 80], kd: [12, 10]";
  const std::string held = "{name: held, type: pd_with_cancellation, inputs: [m1, m2, bend], " + test::k_reference +
                           ", kp: [2, 1, 0.1, 0.1, 10], kd: 0.05, rate: 400";
  const std::string chains[] = {
      held + "}",
      held + ", delay: 0.0031}",
      held + ", delay: 0.006, noise: {q: 0.01, v: 0.1}}",
      held + "}, " + late + "}",
      late + "}, " + held + "}",
      held + ", delay: 0.0031}, " + late + ", rate: 160}",
      late + ", rate: 400}, " + held + "}",
      "{name: pull, type: pid, inputs: [cable], reference: [-0.001], kp: [900], kd: 5, rate: 600, delay: 0.0022}, "
      "{name: "
      "more, type: pid, inputs: [cable, m1], reference: [0.002, 0.3], kp: [700, 2], kd: 3, rate: 250}, " +
          late + "}",
      held + ", window: [0.0051, 0.0122]}, " + late + ", rate: 333, window: [0.002, 1]}"};
  const std::string methods[] = {"rk4", "newmark", "midpoint", "tsit5", "hht"};  // in turn, and one for all
  for (std::size_t k = 0; k < std::size(chains); ++k) {
    SCOPED_TRACE(chains[k]);
    ScenarioFile file = test::scenario_of(chains[k], k_inputs, "clip");
    const Model model(file.robot);
    set_in_motion(file.scenario);
    file.scenario.duration = file.scenario.output_step = 0.016;
    const Paths by = numbers_of(file);
    for (const std::string& method : {std::string("generalized_alpha"), methods[k % std::size(methods)]}) {
      SCOPED_TRACE(method);
      file.scenario.integrator = fixed(method, method == "rk4" || method == "tsit5" ? 5e-4 : 2e-3);
      test::expect_alike(test::both_ways(model, file.scenario, {0.0, 0.0075, 0.016}, by), by, 1e-7, 1e-8);
    }
  }
}

TEST(LawsGoBackWith, BdfAndAClock) {
  ScenarioFile file = test::scenario_of(test::law("computed_torque").text + ", rate: 200, delay: 0.001}", k_inputs);
  set_in_motion(file.scenario);
  file.scenario.duration = file.scenario.output_step = 0.03;
  const Model model(file.robot);
  const Paths by = numbers_of(file);
  for (const char* type : {"bdf", "erk"}) {
    SCOPED_TRACE(type);
    file.scenario.integrator = adaptive(type, 1e-10);
    test::expect_alike(test::both_ways(model, file.scenario, {0.03}, by), by, 1e-5, 1e-6);
  }
}

TEST(LawsGoBackWith, WhatIsRoundedIsRefused) {
  const auto message_of = [](const std::string& controller) {
    ScenarioFile file = test::scenario_of(controller, k_inputs);
    file.scenario.integrator = fixed("generalized_alpha", 4e-3);
    const Model model(file.robot);
    try {
      motion_adjoint(model, file.scenario, {0.1},
                     [](double, const VectorXd&, const VectorXd&, VectorXd&, VectorXd&) { return 0.0; }, {});
    } catch (const ArgumentError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string samples =
      "'c', whose samples do not follow the motion smoothly (a resolution, noise of orientations)";
  EXPECT_THAT(message_of(test::law("pd_plus").text + ", rate: 100, resolution: {q: 0.1}}"),
              testing::HasSubstr(samples));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
