// Gradients back along runs of energy_conserving, whose velocities are projected after each step, against differences
// of order six of such runs, and against derivatives forward along them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cuttle/error.h"
#include "cuttle/io/scenario_file.h"
#include "simulation/both_ways.h"
#include "simulation/integrator_runs.h"
#include "support/loop_robots.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using Paths = std::vector<std::string>;

struct Case {
  const char* what;
  const char* scenario;
  double step;
  Paths by;  ///< "simulation.inputs.NAME": of a constant; "v0": the first velocity; else of the robot
  double tolerance = 1e-7;
};

std::string input_of(const std::string& path) {
  const std::string begin = "simulation.inputs.";
  return path.starts_with(begin) ? path.substr(begin.size()) : "";
}

constexpr double k_input = 0.7;

class EnergyConserving : public testing::TestWithParam<Case> {
 protected:
  EnergyConserving()
      : file_(load_scenario_file(test::k_source_dir + "/models/" + GetParam().scenario + "_scenario.yaml")) {
    file_.scenario.duration = file_.scenario.output_step = 10 * GetParam().step;
    file_.scenario.integrator = test::fixed("energy_conserving", GetParam().step);
    for (const std::string& path : GetParam().by) {
      if (!input_of(path).empty()) file_.scenario.inputs[input_of(path)] = k_input;
    }
  }
  std::vector<double> times() const { return {0.4 * file_.scenario.duration, file_.scenario.duration}; }

  double objective(const Model& model, const Scenario& scenario) const {
    const MotionAdjoint motion(model, scenario, times(), {});
    double value = 0.0;
    for (Eigen::Index k = 0; k < 2; ++k) {
      VectorXd by_q(model.nv()), by_v(model.nv());
      value += test::some_term(model, times()[static_cast<std::size_t>(k)], motion.q().col(k), motion.v().col(k), by_q,
                               by_v);
    }
    return value;
  }
  double changed(const Model& model, const std::string& path, double value) const {
    Scenario scenario = file_.scenario;
    if (input_of(path).empty()) return objective(model.with(path, value), scenario);
    scenario.inputs[input_of(path)] = value;
    return objective(model, scenario);
  }

  ScenarioFile file_;
};
INSTANTIATE_TEST_SUITE_P(
    Robots, EnergyConserving,
    testing::Values(
        Case{"a_pendulum", "examples/pendulum", 0.01, {"simulation.inputs.motor", "links.arm.body.mass", "gravity[2]"}},
        Case{"soft_arms",
             "examples/tendon_arm",
             0.005,
             {"simulation.inputs.right", "materials.silicone.damping_time", "links.upper.body.length"}},
        Case{"a_base_that_floats", "examples/floating_rod", 0.005, {"gravity[2]", "materials.rubber.young_modulus"}},
        Case{"closed_loops", "boyer2023/parallel_robot", 0.004, {"simulation.inputs.motor1"}},
        Case{"closed_loops_by_stiffness",
             "boyer2023/parallel_robot",
             0.004,
             {"simulation.inputs.motor1", "links.leg1.body.stiffness[1]", "links.leg2.body.stiffness[1]"},
             1e-6},
        Case{"contacts", "contact/gripper", 0.0005, {"gravity[2]", "materials.tpu.young_modulus"}},
        Case{"a_controller", "pustina2025/simulation7_pac", 0.004, {"links.segment1.body.length"}},
        Case{"springs", "examples/spring_leg", 0.004, {"gravity[2]"}},
        Case{"laws_of_actuators", "examples/servo_finger", 0.004, {"gravity[2]"}}),
    [](const auto& given) { return given.param.what; });

TEST_P(EnergyConserving, GoesBackAsForward) {
  const test::BothWays both = test::both_ways(Model(file_.robot), file_.scenario, times(), GetParam().by);
  test::expect_alike(both, GetParam().by, 1e-8, 1e-10);
}

TEST_P(EnergyConserving, GoesBackAsDifferencesOfRuns) {
  const Model model(file_.robot);
  const auto term = [&](double time, const VectorXd& q, const VectorXd& v, VectorXd& by_q, VectorXd& by_v) {
    return test::some_term(model, time, q, v, by_q, by_v);
  };
  const MotionGradient found = motion_adjoint(model, file_.scenario, times(), term, GetParam().by);
  for (std::size_t k = 0; k < GetParam().by.size(); ++k) {
    const std::string& path = GetParam().by[k];
    const double value = found.parameters[k].value, step = 2e-3 * (value != 0.0 ? std::abs(value) : 1.0);
    const auto across = [&](int steps) {
      return changed(model, path, value + steps * step) - changed(model, path, value - steps * step);
    };
    const double expected = (0.75 * across(1) - 0.15 * across(2) + across(3) / 60.0) / step;
    ASSERT_NE(expected, 0.0) << path;
    EXPECT_NEAR(found.by[static_cast<Eigen::Index>(k)], expected, GetParam().tolerance * std::abs(expected)) << path;
  }
}

// The projection is part of what goes back: without it gradients are those of the midpoint rule.
TEST(EnergyConservingAdjoint, IsNotThatOfTheMidpointRule) {
  ScenarioFile file = load_scenario_file(test::k_source_dir + "/models/examples/pendulum_scenario.yaml");
  file.scenario.duration = file.scenario.output_step = 1.0;
  const Model model(file.robot);
  const auto gradient_of = [&](const char* method) {
    file.scenario.integrator = test::fixed(method, 0.05);
    const auto term = [&](double time, const VectorXd& q, const VectorXd& v, VectorXd& by_q, VectorXd& by_v) {
      return test::some_term(model, time, q, v, by_q, by_v);
    };
    return motion_adjoint(model, file.scenario, {1.0}, term, {"gravity[2]"}).by[0];
  };
  EXPECT_GT(std::abs(gradient_of("energy_conserving") / gradient_of("midpoint") - 1.0), 1e-6);
}

// Where a robot stays at rest there is nothing to project: gradients are those of the midpoint rule.
TEST(EnergyConservingAdjoint, IsThatOfTheMidpointRuleAtRest) {
  for (const bool looped : {false, true}) {
    Robot robot = test::FourBar().robot();
    if (!looped) robot.loops.clear();
    for (Link& link : robot.links) link.joint_dynamics.stiffness = {20.0}, link.joint_dynamics.damping = {0.1};
    robot.actuators = {Actuator::joint("motor", "crank"), Actuator::joint("other", "rocker")};
    const Model model(robot);
    Scenario scenario;
    scenario.duration = scenario.output_step = 0.1;
    scenario.statics.emplace();
    const auto term = [&](double time, const VectorXd& q, const VectorXd& v, VectorXd& by_q, VectorXd& by_v) {
      return test::some_term(model, time, q, v, by_q, by_v);
    };
    VectorXd found[2];
    for (const bool conserves : {true, false}) {
      scenario.integrator = test::fixed(conserves ? "energy_conserving" : "midpoint", 5e-3);
      for (const char* input : {"motor", "other"}) scenario.inputs[input] = Signal::points({0.0, 0.1}, {0.0, 0.0});
      found[conserves ? 0 : 1] = motion_adjoint(model, scenario, {0.05, 0.1}, term,
                                                {"simulation.inputs.motor.value[0]", "simulation.inputs.motor.value[1]",
                                                 "simulation.inputs.other.value[0]"})
                                     .by;
    }
    EXPECT_LT((found[0] - found[1]).norm(), 1e-9 * found[1].norm()) << "looped: " << looped;
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
