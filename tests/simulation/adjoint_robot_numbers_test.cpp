// Gradients by numbers of the robot backwards along runs, against those forward along them: the way back has the
// residual's derivatives at each step, forward the whole run is computed with directions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cuttle/error.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/rollout_function.h"
#include "simulation/both_ways.h"
#include "simulation/integrator_runs.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::adaptive;
using test::fixed;
using Paths = std::vector<std::string>;

ScenarioFile scenario_of(const std::string& name) {
  return load_scenario_file(test::k_source_dir + "/models/" + name + "_scenario.yaml");
}

void expect_both_ways_alike(const Model& model, const Scenario& scenario, const std::vector<double>& times,
                            const Paths& by, double tolerance = 1e-9) {
  const test::BothWays both = test::both_ways(model, scenario, times, by);
  EXPECT_NEAR(both.found.value, both.value, std::max(tolerance, 1e-8) * (1.0 + std::abs(both.value)));
  test::expect_alike(both, by, 0.0, tolerance);
}

class RobotNumbersOf : public testing::TestWithParam<std::string> {
 protected:
  static bool is_explicit() { return GetParam() == "rk4" || GetParam() == "tsit5"; }
};
INSTANTIATE_TEST_SUITE_P(Methods, RobotNumbersOf,
                         testing::Values("rk4", "tsit5", "newmark", "hht", "generalized_alpha", "midpoint",
                                         "energy_conserving"),
                         [](const auto& method) { return method.param; });

// More than eight, of every part, among inputs and states.
TEST_P(RobotNumbersOf, ATendonArmGoBackAsForward) {
  ScenarioFile file = scenario_of("examples/tendon_arm");
  const double T = file.scenario.duration = is_explicit() ? 0.006 : 0.2;
  file.scenario.output_step = 0.5 * T;
  file.scenario.integrator = fixed(GetParam(), is_explicit() ? 1e-4 : 0.01);
  file.scenario.inputs["right"] = Signal::points({0.0, 0.4 * T, T}, {1.0, 3.0, 2.0});
  file.scenario.inputs["left"] = Signal::step(0.45 * T, 0.5, 1.5);
  const Model model(file.robot);
  Paths by{"simulation.inputs.right.value[1]", "simulation.initial.upper.q[0]"};
  for (const ParameterInfo& info : model.parameters()) by.push_back(info.path);
  by.push_back("simulation.inputs.left.after");
  ASSERT_GT(by.size(), 12u);
  expect_both_ways_alike(model, file.scenario, {0.3 * T, T}, by);
}

// A base that turns, and joints with quaternions.
TEST_P(RobotNumbersOf, AFloatingRodAndAMixedArmGoBackAsForward) {
  if (is_explicit()) return;  // no adjoint with quaternions
  ScenarioFile rod = scenario_of("examples/floating_rod");
  rod.scenario.duration = 0.1;
  rod.scenario.integrator = fixed(GetParam(), 4e-3);
  Paths by;
  const Model floating(rod.robot), mixed(test::mixed_arm());
  for (const ParameterInfo& info : floating.parameters()) by.push_back(info.path);
  expect_both_ways_alike(floating, rod.scenario, {0.05, 0.1}, by);
  by.clear();
  for (const ParameterInfo& info : mixed.parameters()) by.push_back(info.path);
  Scenario scenario;
  scenario.duration = 0.1, scenario.output_step = 0.1;
  scenario.inputs["motor"] = Signal::sine(0.2, 2.0, 0.0, 0.0);
  scenario.integrator = fixed(GetParam(), 5e-3);
  expect_both_ways_alike(mixed, scenario, {0.1}, by);
}

// Numbers that leave the loops closed at the start.
TEST(RobotNumbers, OfAClosedLoopGoBackAsForward) {
  ScenarioFile file = scenario_of("boyer2023/parallel_robot_path");
  file.scenario.controllers.clear();
  file.scenario.duration = 0.1, file.scenario.output_step = 0.1;
  file.scenario.inputs["motor1"] = Signal::sine(1.0, 3.0, 0.3, 9.7);
  file.scenario.inputs["motor2"] = -9.7;
  const Model model(file.robot);
  Paths by{"simulation.inputs.motor1.amplitude", "gravity[1]", "gravity[2]"};
  for (const ParameterInfo& info : model.parameters()) {
    for (const char* of : {"young_modulus", "density", "damping", ".mass"}) {
      if (info.path.find(of) != std::string::npos) by.push_back(info.path);
    }
  }
  ASSERT_GT(by.size(), 5u);
  for (const char* type : {"midpoint", "generalized_alpha"}) {
    SCOPED_TRACE(type);
    file.scenario.integrator = fixed(type, 5e-3);
    expect_both_ways_alike(model, file.scenario, {0.05, 0.1}, by);
  }
}

// The rest that a run begins in depends on them, too; with all methods that go back.
TEST(RobotNumbers, OfARunFromRestGoBackAsForward) {
  ScenarioFile file = scenario_of("examples/tendon_arm");
  file.scenario.duration = 0.05, file.scenario.output_step = 0.05;
  file.scenario.initial.clear();
  file.scenario.statics = InitialStatics{};
  file.scenario.statics->inputs["right"] = 1.0;
  file.scenario.inputs["right"] = 2.0;
  const Model model(file.robot);
  Paths by;
  for (const ParameterInfo& info : model.parameters()) by.push_back(info.path);
  file.scenario.integrator = fixed("newmark", 5e-3);
  expect_both_ways_alike(model, file.scenario, {0.0, 0.05}, by, 1e-8);
  file.scenario.integrator = adaptive("bdf", 1e-9);
  expect_both_ways_alike(model, file.scenario, {0.0, 0.05}, by, 1e-5);
}

// What is measured depends on the robot as well: a longer arm has its tip elsewhere in the same motion.
TEST(RobotNumbers, OfOutputsGoBackAsForward) {
  ScenarioFile file = scenario_of("examples/tendon_arm");
  file.scenario.duration = 0.05, file.scenario.output_step = 0.05;
  file.scenario.integrator = fixed("generalized_alpha", 5e-3);
  const Model model(file.robot);
  const Paths of{"tip.position", "energy.elastic", "tip.velocity", "energy.gravity", "q"};
  Paths by{"inputs.right"}, all;
  for (const ParameterInfo& info : model.parameters()) {
    // by default a tendon ends where the rod does: once it is a number of the function, the length leaves it alone
    if (!info.path.ends_with(".to")) by.push_back(info.path), all.push_back(info.path);
  }
  const std::vector<double> times{0.02, 0.05};
  RolloutFunction function(model, file.scenario, of, times, by);
  VectorXd numbers(static_cast<Eigen::Index>(function.parameters().size()));
  for (Eigen::Index k = 0; k < numbers.size(); ++k) {
    numbers[k] = function.parameters()[static_cast<std::size_t>(k)].value;
  }
  const MatrixXd values = function.run(numbers);
  const Sensitivities forward = sensitivities(model, file.scenario, of, all, times);
  for (Eigen::Index row = 0; row < values.rows(); ++row) {
    const MatrixXd& slopes = forward.derivatives[static_cast<std::size_t>(row)];
    for (Eigen::Index output = 0; output < values.cols(); output += 3) {
      MatrixXd one = MatrixXd::Zero(values.rows(), values.cols());
      one(row, output) = 1.0;
      const VectorXd by_all = function.back(one).tail(slopes.cols());
      VectorXd size = numbers.tail(slopes.cols()).cwiseAbs();
      for (double& s : size) s = s > 0.0 ? s : 1.0;
      const VectorXd expected = slopes.row(output).transpose().cwiseProduct(size);
      for (Eigen::Index k = 0; k < expected.size(); ++k) {
        EXPECT_NEAR(by_all[k] * size[k], expected[k], 1e-8 * expected.cwiseAbs().maxCoeff())
            << function.outputs()[static_cast<std::size_t>(output)].name << ", row " << row << ", by "
            << all[static_cast<std::size_t>(k)];
      }
    }
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
