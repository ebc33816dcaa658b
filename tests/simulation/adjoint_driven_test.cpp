// Gradients backwards along runs with driven motion, elements with inputs, and explicit steps of what turns: against
// those forward along them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cuttle/control/controllers.h"
#include "cuttle/error.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/rollout_function.h"
#include "simulation/both_ways.h"
#include "simulation/integrator_runs.h"
#include "support/control_laws.h"
#include "support/loop_robots.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::adaptive;
using test::fixed;
using Paths = std::vector<std::string>;

ScenarioFile scenario_file(const std::string& name) {
  return load_scenario_file(test::k_source_dir + "/models/" + name + "_scenario.yaml");
}

void expect_both_ways(const Model& model, const Scenario& scenario, const Paths& by, double of_each = 0.0,
                      double of_largest = 1e-9) {
  SCOPED_TRACE(scenario.integrator.type);
  test::expect_alike(test::both_ways(model, scenario, {0.4 * scenario.duration, scenario.duration}, by), by, of_each,
                     of_largest);
}

// A base that shakes and tilts below a soft arm: it turns, and nothing is worth anything to it.
TEST(DrivenMotionGoesBack, OfAShakenBase) {
  ScenarioFile file = scenario_file("examples/shaken_arm");
  file.scenario.statics.reset();
  const Model model(file.robot);
  Paths by;
  for (const ParameterInfo& info : model.parameters()) {
    if (!info.path.starts_with("base.")) by.push_back(info.path);
  }
  by.push_back("simulation.initial.lower.q[0]"), by.push_back("simulation.initial.lower.v[0]");
  ASSERT_GT(by.size(), 4u);
  for (const char* type : {"newmark", "hht", "generalized_alpha", "midpoint", "rk4", "tsit5"}) {
    const bool is_explicit = type == std::string("rk4") || type == std::string("tsit5");
    file.scenario.duration = file.scenario.output_step = is_explicit ? 0.006 : 0.1;
    file.scenario.integrator = fixed(type, is_explicit ? 1e-4 : 5e-3);
    expect_both_ways(model, file.scenario, by);
  }
}

/// A joint that turns as a sine, and a link that hangs on it.
ScenarioFile shoulder() {
  ScenarioFile file;
  file.robot.name = "shoulder";
  file.robot.links = {test::bar("upper", "base", 0.4, {0, 1, 0}), test::bar("lower", "upper", 0.3, {0.6, 0.8, 0})};
  file.robot.actuators.push_back(Actuator::joint("motor", "lower"));
  file.scenario.duration = 0.5, file.scenario.output_step = 0.1;
  file.scenario.motion.joints["upper"] = {Signal::sine(0.6, 1.1, 0.3, 0.2)};
  file.scenario.inputs["motor"] = Signal::points({0.0, 0.2, 0.5}, {0.2, 0.5, -0.3});
  file.scenario.initial["lower"].q = {0.5}, file.scenario.initial["lower"].v = {-0.7};
  return file;
}

const Paths k_by_of_shoulder{"links.lower.body.mass",
                             "links.upper.body.mass",
                             "simulation.initial.lower.q[0]",
                             "simulation.initial.lower.v[0]",
                             "simulation.inputs.motor.value[1]",
                             "gravity[2]"};

TEST(DrivenMotionGoesBack, OfAJoint) {
  ScenarioFile file = shoulder();
  const Model model(file.robot);
  for (const IntegratorOptions& options : {fixed("rk4", 1e-2), fixed("generalized_alpha", 1e-2),
                                           fixed("midpoint", 1e-2), adaptive("bdf", 1e-10), adaptive("erk", 1e-10)}) {
    file.scenario.integrator = options;
    expect_both_ways(model, file.scenario, k_by_of_shoulder, 0.0, options.step ? 1e-9 : 1e-6);
  }
  // beside an integral at the other joint
  PidSettings servo;
  servo.inputs = {"motor"}, servo.reference = {Signal(0.4)}, servo.kp = {3}, servo.kd = {0.2}, servo.ki = {20};
  file.scenario.controllers = {{"servo", make_pid(servo)}};
  for (const char* type : {"rk4", "generalized_alpha", "midpoint"}) {
    file.scenario.integrator = fixed(type, 1e-2);
    Paths all = k_by_of_shoulder;
    all.push_back("simulation.controllers.servo.ki");
    expect_both_ways(model, file.scenario, all, 1e-7, 1e-8);
  }
  file.scenario.controllers.clear();
  file.scenario.integrator = fixed("generalized_alpha", 1e-2);
  EXPECT_THAT([&] { RolloutFunction(model, file.scenario, {"q"}, {0.5}, {"q"}).run(VectorXd::Zero(2)); },
              testing::ThrowsMessage<ArgumentError>(testing::HasSubstr("found a number of what is driven")));
}

/// Against differences of order six of runs.
void expect_as_differences(const Model& model, const Scenario& scenario, const Paths& by, double tolerance) {
  const std::vector<double> times{0.4 * scenario.duration, scenario.duration};
  RolloutFunction function(model, scenario, {"q", "v"}, times, by);
  VectorXd numbers(static_cast<Eigen::Index>(by.size()));
  for (Eigen::Index k = 0; k < numbers.size(); ++k) {
    numbers[k] = function.parameters()[static_cast<std::size_t>(k)].value;
  }
  MatrixXd worth = function.run(numbers);
  for (Eigen::Index i = 0; i < worth.rows(); ++i) {
    for (Eigen::Index j = 0; j < worth.cols(); ++j)
      worth(i, j) = test::number_at(j, times[static_cast<std::size_t>(i)]);
  }
  const VectorXd found = function.back(worth);
  VectorXd expected(numbers.size()), sizes(numbers.size());
  for (Eigen::Index k = 0; k < numbers.size(); ++k) {
    sizes[k] = numbers[k] != 0.0 ? std::abs(numbers[k]) : 1.0;
    const double step = 5e-4 * sizes[k];  // with 2e-3 they are 4e-7 off: projections bend
    const auto at = [&](int steps) {
      const VectorXd moved = numbers + steps * step * VectorXd::Unit(numbers.size(), k);
      return function.run(moved).cwiseProduct(worth).sum();
    };
    const auto across = [&](int steps) { return at(steps) - at(-steps); };
    expected[k] = (0.75 * across(1) - 0.15 * across(2) + across(3) / 60.0) / step;
  }
  const double largest = expected.cwiseProduct(sizes).cwiseAbs().maxCoeff();
  ASSERT_GT(largest, 0.0);
  for (Eigen::Index k = 0; k < numbers.size(); ++k) {
    EXPECT_NEAR(found[k] * sizes[k], expected[k] * sizes[k], tolerance * largest) << by[static_cast<std::size_t>(k)];
  }
}

// The drive's work is part of the energy that projections want, and what is driven stays where it is to be.
TEST(DrivenMotionGoesBack, WithEnergyConserving) {
  ScenarioFile joint = shoulder();
  joint.scenario.integrator = fixed("energy_conserving", 1e-2);
  expect_as_differences(Model(joint.robot), joint.scenario, k_by_of_shoulder, 1e-7);
  expect_both_ways(Model(joint.robot), joint.scenario, k_by_of_shoulder);
  const Paths of_base{"materials.silicone.young_modulus", "materials.silicone.damping_time",
                      "simulation.initial.lower.q[0]", "simulation.initial.lower.v[0]"};
  ScenarioFile base = scenario_file("examples/shaken_arm");
  base.scenario.statics.reset();
  base.scenario.duration = base.scenario.output_step = 0.1;
  base.scenario.integrator = fixed("energy_conserving", 5e-3);
  expect_as_differences(Model(base.robot), base.scenario, of_base, 1e-7);
  expect_both_ways(Model(base.robot), base.scenario, of_base);
}

TEST(DrivenMotionGoesBack, OfALoop) {
  ScenarioFile file = scenario_file("examples/gripped_rod");
  file.scenario.duration = 0.1, file.scenario.output_step = 0.1;
  const Model model(file.robot);
  for (const char* type : {"generalized_alpha", "midpoint"}) {
    file.scenario.integrator = fixed(type, 1e-2);
    expect_both_ways(model, file.scenario, {"materials.rubber.damping_time"}, 0.0, 1e-8);
  }
}

// A floating base, and joints that turn in space, in explicit steps long enough to turn visibly.
TEST(ExplicitStepsGoBack, OfWhatTurns) {
  ScenarioFile rod = scenario_file("examples/floating_rod");
  rod.scenario.duration = 0.02;
  const Model floating(rod.robot), mixed(test::mixed_arm());
  Paths by;
  for (int i = 0; i < 7; ++i) by.push_back("simulation.initial.base.q[" + std::to_string(i) + "]");
  for (int i = 0; i < 6; ++i) by.push_back("simulation.initial.base.v[" + std::to_string(i) + "]");
  for (const ParameterInfo& info : floating.parameters()) by.push_back(info.path);
  for (const auto& [type, step] : {std::pair("rk4", 2e-4), std::pair("tsit5", 2e-4)}) {
    rod.scenario.integrator = fixed(type, step);
    expect_both_ways(floating, rod.scenario, by);
  }
  Scenario scenario;
  scenario.duration = 0.3, scenario.output_step = 0.1;
  scenario.inputs["motor"] = Signal::sine(0.2, 2.0, 0.0, 0.0);
  by = {"simulation.inputs.motor.amplitude", "simulation.inputs.motor.frequency", "simulation.initial.arm.q[0]"};
  for (int i = 0; i < 4; ++i) by.push_back("simulation.initial.ball.q[" + std::to_string(i) + "]");
  for (int i = 0; i < 3; ++i) by.push_back("simulation.initial.ball.v[" + std::to_string(i) + "]");
  for (const char* type : {"rk4", "tsit5"}) {
    scenario.integrator = fixed(type, 5e-3);
    expect_both_ways(mixed, scenario, by);
  }
}

// Actuators that follow their inputs late: elements with inputs and states, driven by signals and by controllers.
TEST(ElementsWithInputsGoBack, OfActuatorsThatLag) {
  std::string robot = test::k_arm_with_all;
  robot.replace(robot.find("SLACK"), 5, "allow");
  const std::string matrix = "[0.1, 0, 1]]";
  robot.replace(robot.find(matrix), matrix.size(), matrix + ", lag: 0.02");
  const std::string pid =
      "  controllers: [{name: c, type: pid, inputs: [m1], reference: [0.3], kp: 2, kd: 0.1, ki: 9}]\n";
  for (const std::string& controllers : {std::string(), pid}) {
    ScenarioFile file = read_scenario_text(
        "cuttle: 1\nrobot: arm.yaml\nsimulation:\n" + test::k_start + controllers +
            "  inputs: {cable: 0.7, m2: {type: sine, amplitude: 0.3, frequency: 2}, bend.0: {type: sine, amplitude: "
            "0.05, frequency: 9}, bend.2: 0.4}\n",
        "s.yaml", robot);
    file.scenario.initial["upper"].v = {0.5}, file.scenario.initial["fore"].v = {0.7};
    file.scenario.initial["soft"].v = {2.0, -1.5, 0.3};
    const Model model(file.robot);
    const Paths by{"simulation.inputs.cable",
                   "simulation.inputs.m2.amplitude",
                   "simulation.inputs.bend.0.amplitude",
                   "simulation.inputs.bend.0.frequency",
                   "simulation.inputs.bend.2",
                   "simulation.initial.upper.q[0]",
                   "actuators.bend.lag",
                   "materials.m.young_modulus"};
    for (const char* type : {"rk4", "newmark", "generalized_alpha", "midpoint"}) {
      const bool is_explicit = type == std::string("rk4");
      file.scenario.duration = file.scenario.output_step = is_explicit ? 0.006 : 0.02;
      file.scenario.integrator = fixed(type, is_explicit ? 5e-4 : 2e-3);
      expect_both_ways(model, file.scenario, by, controllers.empty() ? 1e-9 : 1e-7, controllers.empty() ? 1e-10 : 1e-8);
    }
    for (const char* type : {"bdf", "erk"}) {
      file.scenario.duration = file.scenario.output_step = 0.02;
      file.scenario.integrator = adaptive(type, 1e-10);
      expect_both_ways(model, file.scenario, by, 1e-6, 1e-8);
    }
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
