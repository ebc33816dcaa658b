// Gradients backwards along runs of methods with error control, with many samples of the objective, and with laws that
// keep states: against those forward along them.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cuttle/control/controllers.h"
#include "cuttle/io/scenario_file.h"
#include "simulation/both_ways.h"
#include "simulation/integrator_runs.h"
#include "simulation/linear_flow.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::adaptive;
using Paths = std::vector<std::string>;

// A' = A(t) with a matrix whose solution is known: a turn by t^2/2 that decays by e^-t, and a stiff part.
TEST(LinearFlow, IsTheTurnThatItSolves) {
  const auto matrix_at = [](double t) {
    MatrixXd A = MatrixXd::Zero(3, 3);
    A << 1.0, -t, 0.0, t, 1.0, 0.0, 0.0, 0.0, 1e6;
    return A;
  };
  for (const double tolerance : {1e-5, 1e-8, 1e-11}) {
    LinearPanel panel;
    std::vector<MatrixXd> matrices;
    for (int k = 0; k < 5; ++k) panel.times[static_cast<std::size_t>(k)] = 2.0 - 0.5 * k;
    for (const double time : panel.times) matrices.push_back(matrix_at(time));
    for (std::size_t k = 0; k < 5; ++k) panel.rates[k] = &matrices[k];
    LinearFlow flow({2, 1, 0}, tolerance);
    VectorXd x(3);
    x << 1.0, 0.5, 1.0;
    EXPECT_LT(flow.error_of(panel, x), 1e-4) << "the matrix is a polynomial";
    double integral = 0.0;
    flow.go(panel, 2.0, 0.0, x,
            [&](double time, double weight, const VectorXd& at, const std::array<double, 5>& shares) {
              double sum = 0.0;
              for (std::size_t k = 0; k < 5; ++k) sum += shares[k] * panel.times[k];
              EXPECT_NEAR(sum, time, 1e-13);
              integral += weight * at[0];
            });
    // x(t) = e^(t - 2) turned by (t^2 - 4) / 2
    const double turn = -2.0, size = std::exp(-2.0);
    EXPECT_NEAR(x[0], size * (std::cos(turn) - 0.5 * std::sin(turn)), 30 * tolerance);
    EXPECT_NEAR(x[1], size * (std::sin(turn) + 0.5 * std::cos(turn)), 30 * tolerance);
    EXPECT_LT(std::abs(x[2]), tolerance) << "stiff parts are gone";
    double expected = 0.0;  // Simpson
    const int steps = 2000;
    for (int i = 0; i <= steps; ++i) {
      const double t = 2.0 * i / steps, angle = 0.5 * t * t - 2.0;
      const double value = std::exp(t - 2.0) * (std::cos(angle) - 0.5 * std::sin(angle));
      expected += (i == 0 || i == steps ? 1.0 : i % 2 == 1 ? 4.0 : 2.0) * value * 2.0 / steps / 3.0;
    }
    EXPECT_NEAR(integral, expected, 30 * tolerance);
  }
}

// Samples that lie closer than the steps of the run, at its jumps, and at its start and end.
TEST(ManySamplesGoBack, OfATendonArm) {
  ScenarioFile file = load_scenario_file(test::k_source_dir + "/models/examples/tendon_arm_scenario.yaml");
  file.scenario.duration = 0.1, file.scenario.output_step = 0.1;
  file.scenario.inputs["right"] = Signal::points({0.0, 0.035, 0.065, 0.1}, {1.0, 3.0, 4.0, 2.0});
  file.scenario.inputs["left"] = Signal::step(0.045, 0.5, 1.5);
  const Model model(file.robot);
  Paths by{"simulation.inputs.right.value[0]", "simulation.inputs.right.value[2]", "simulation.inputs.left.before",
           "simulation.inputs.left.after",     "simulation.initial.upper.q[0]",    "simulation.initial.lower.v[1]"};
  for (const char* path : {"materials.silicone.young_modulus", "links.disk.body.mass"}) by.emplace_back(path);
  std::vector<double> times;
  for (int i = 0; i <= 100; ++i) times.push_back(0.001 * i);
  for (const char* type : {"bdf", "erk"}) {
    SCOPED_TRACE(type);
    file.scenario.integrator = adaptive(type, 1e-9);
    test::expect_alike(test::both_ways(model, file.scenario, times, by), by, 0.0, 1e-6);
  }
}

// Integrals and estimates beside the motion, and samples of clocks that remember.
TEST(ManySamplesGoBack, WithAnIntegral) {
  ScenarioFile file = load_scenario_file(test::k_source_dir + "/models/examples/tendon_arm_scenario.yaml");
  file.scenario.duration = 0.04, file.scenario.output_step = 0.04;
  const Model model(file.robot);
  PidSettings servo;
  servo.inputs = {"right"}, servo.reference = {Signal::step(0.017, 0.01, 0.02)}, servo.kp = {90}, servo.kd = {2};
  servo.ki = {900};
  const Paths by{"simulation.initial.upper.q[0]",
                 "simulation.initial.lower.v[1]",
                 "simulation.controllers.servo.kp",
                 "simulation.controllers.servo.ki",
                 "simulation.controllers.servo.reference[0].after",
                 "gravity[2]"};
  for (const bool clocked : {false, true}) {
    if (clocked) servo.rate = 120.0;
    file.scenario.controllers = {{"servo", make_pid(servo)}};
    for (const char* type : {"bdf", "erk"}) {
      SCOPED_TRACE(std::string(type) + (clocked ? " with a clock" : ""));
      file.scenario.integrator = adaptive(type, 1e-9);
      test::expect_alike(test::both_ways(model, file.scenario, {0.011, 0.02, 0.04}, by), by, 0.0, 3e-6);
    }
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
