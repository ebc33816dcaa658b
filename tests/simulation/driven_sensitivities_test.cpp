// Derivatives of runs in which joints, bases or frames of loops are driven: against differences of the same runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cuttle/control/controllers.h"
#include "cuttle/error.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/robot_rollouts.h"
#include "cuttle/simulation/sensitivities.h"
#include "simulation/integrator_runs.h"
#include "support/loop_robots.h"
#include "support/paths.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using Paths = std::vector<std::string>;

ScenarioFile scenario_of(const std::string& name) {
  return load_scenario_file(k_source_dir + "/models/" + name + "_scenario.yaml");
}

/// Sixth-order central difference of f, whose argument changes by `step`.
template <typename Function>
VectorXd difference_of(const Function& f, double step) {
  return (45.0 * (f(step) - f(-step)) - 9.0 * (f(2 * step) - f(-2 * step)) + (f(3 * step) - f(-3 * step))) /
         (60.0 * step);
}

/// The end of a run by the simulator alone.
VectorXd run_plainly(const Model& model, const Scenario& scenario) {
  MemoryRecorder memory;
  Simulator(model, scenario).run({&memory});
  VectorXd all(model.nq() + model.nv());
  all << memory.samples().back().q, memory.samples().back().v;
  return all;
}

/// Derivatives by numbers of the robot against differences of runs, whose implicit steps are solved to rounding.
void expect_derivatives(const Model& model, const Scenario& scenario, const Paths& by, double tolerance,
                        double part = 2e-3) {
  const auto run_to_rounding = [&](const Model& changed) -> VectorXd {
    return sensitivities(changed, scenario, {"q", "v"}, {}, {scenario.duration}).values.back();
  };
  const Sensitivities found = sensitivities(model, scenario, {"q", "v"}, by, {scenario.duration});
  const VectorXd value = run_plainly(model, scenario);
  EXPECT_LE((found.values.back() - value).cwiseAbs().maxCoeff(), 3e-7 * (1.0 + value.cwiseAbs().maxCoeff()));
  for (std::size_t k = 0; k < by.size(); ++k) {
    const double at = found.parameters[k].value;
    const VectorXd expected = difference_of(
        [&](double change) { return run_to_rounding(model.with(by[k], at + change)); }, part * std::abs(at));
    const VectorXd derivative = found.derivatives.back().col(static_cast<Eigen::Index>(k));
    ASSERT_GT(expected.cwiseAbs().maxCoeff(), 0.0) << by[k];
    EXPECT_LE((derivative - expected).cwiseAbs().maxCoeff(), tolerance * expected.cwiseAbs().maxCoeff())
        << by[k] << "\nfound " << derivative.transpose() << "\nexpected " << expected.transpose();
  }
}

// A base that shakes and tilts below a soft arm.
TEST(DrivenSensitivities, OfASoftArmOnAShakenBase) {
  ScenarioFile file = scenario_of("examples/shaken_arm");
  file.scenario.statics.reset();
  file.scenario.duration = 0.1, file.scenario.output_step = 0.1;
  const Model model(file.robot);
  const Paths by{"materials.silicone.young_modulus", "links.lower.body.length"};
  for (const char* type : {"newmark", "hht", "generalized_alpha", "midpoint", "energy_conserving"}) {
    SCOPED_TRACE(type);
    file.scenario.integrator = fixed(type, 5e-3);
    expect_derivatives(model, file.scenario, by, 1e-7);
  }
  file.scenario.duration = 0.006;
  for (const char* type : {"rk4", "tsit5"}) {
    SCOPED_TRACE(type);
    file.scenario.integrator = fixed(type, 1e-4);
    expect_derivatives(model, file.scenario, by, 1e-8);
  }
}

/// A joint that turns as a sine, and a link that hangs on it.
ScenarioFile driven_shoulder() {
  ScenarioFile file;
  file.robot.name = "shoulder";
  file.robot.links = {bar("upper", "base", 0.4, {0, 1, 0}), bar("lower", "upper", 0.3, {0.6, 0.8, 0})};
  file.robot.actuators.push_back(Actuator::joint("motor", "lower"));
  file.scenario.duration = 0.5, file.scenario.output_step = 0.1;
  file.scenario.motion.joints["upper"] = {Signal::sine(0.6, 1.1, 0.3, 0.2)};
  file.scenario.inputs["motor"] = 0.2;
  file.scenario.initial["lower"].q = {0.5}, file.scenario.initial["lower"].v = {-0.7};
  return file;
}

// Methods that choose their steps carry the derivatives along: within their tolerances.
TEST(DrivenSensitivities, OfADrivenJoint) {
  ScenarioFile file = driven_shoulder();
  const Model model(file.robot);
  for (const IntegratorOptions& options : {fixed("rk4", 1e-2), fixed("generalized_alpha", 1e-2),
                                           fixed("midpoint", 1e-2), adaptive("bdf", 1e-10), adaptive("erk", 1e-10)}) {
    SCOPED_TRACE(options.type);
    file.scenario.integrator = options;
    const Paths some{"links.lower.body.mass"};
    expect_derivatives(model, file.scenario, some, options.step ? 1e-8 : 1e-5, 2e-2);
    const Sensitivities start = sensitivities(model, file.scenario, {"q", "v"},
                                              {"simulation.initial.lower.q[0]", "simulation.inputs.motor"}, {0.5});
    const auto run_of = [&](double q, double u) -> VectorXd {
      Scenario changed = file.scenario;
      changed.initial["lower"].q[0] += q;
      changed.inputs["motor"] = 0.2 + u;
      return sensitivities(model, changed, {"q", "v"}, {}, {0.5}).values.back();
    };
    const double tolerance = options.step ? 1e-8 : 1e-5;
    const MatrixXd& found = start.derivatives.back();
    const VectorXd by_q = difference_of([&](double x) { return run_of(x, 0.0); }, 1e-2);
    const VectorXd by_u = difference_of([&](double x) { return run_of(0.0, x); }, 1e-2);
    EXPECT_LE((found.col(0) - by_q).cwiseAbs().maxCoeff(), tolerance * by_q.cwiseAbs().maxCoeff());
    EXPECT_LE((found.col(1) - by_u).cwiseAbs().maxCoeff(), tolerance * by_u.cwiseAbs().maxCoeff());
    for (const int k : {0, 2}) EXPECT_EQ(found.row(k).cwiseAbs().maxCoeff(), 0.0) << "driven";
  }
}

// A loop whose frame is driven.
TEST(DrivenSensitivities, OfARodThatAGripperTurns) {
  ScenarioFile file = scenario_of("examples/gripped_rod");
  file.scenario.duration = 0.2, file.scenario.output_step = 0.1;
  const Model model(file.robot);
  for (const char* type : {"generalized_alpha", "midpoint", "energy_conserving"}) {
    SCOPED_TRACE(type);
    file.scenario.integrator = fixed(type, 1e-2);
    expect_derivatives(model, file.scenario, {"materials.rubber.damping_time"}, 1e-6, 1e-2);
  }
}

// Roll-outs of robots with a driven shoulder and a controller at the elbow, and their derivatives: against runs of the
// simulator, and differences of them.
TEST(DrivenSensitivities, OfControlledRollouts) {
  const ScenarioFile file = driven_shoulder();
  const Model model(file.robot);
  PidSettings pid;
  pid.kp = {3.0}, pid.kd = {0.4};
  pid.reference = {Signal(0.2)};
  RolloutRobots robots;
  robots.q = robots.v = RowMatrixXd::Zero(2, 2);
  robots.q.col(1) << 0.5, -0.3, robots.v.col(1) << -0.7, 0.1;
  robots.controllers = {{"hold", make_pid(pid)}};
  robots.motion = file.scenario.motion;
  RolloutOptions options;
  options.method = "rk4", options.step = 1e-2, options.duration = 0.5;
  const ControlledRollout found = controlled_rollout(model, robots, options);
  const RolloutDerivatives slopes =
      rollout_derivatives(model, robots, options, {"links.lower.body.mass", "simulation.initial.lower.q[0]"});
  for (int robot = 0; robot < 2; ++robot) {
    Scenario scenario = file.scenario;
    scenario.inputs.clear();
    scenario.integrator = fixed("rk4", 1e-2);
    scenario.controllers = robots.controllers;
    scenario.output_step = 0.5;
    const auto end_of = [&](double q, double mass) {
      scenario.initial["lower"].q = {robots.q(robot, 1) + q}, scenario.initial["lower"].v = {robots.v(robot, 1)};
      return run_plainly(model.with("links.lower.body.mass", mass), scenario);
    };
    const double mass = 0.6;  // of a bar of 0.3 m
    const VectorXd expected = end_of(0.0, mass);
    VectorXd end(4);
    end << found.rollout.q.row(robot).transpose(), found.rollout.v.row(robot).transpose();
    EXPECT_LE((end - expected).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_GT(std::abs(found.rollout.v(robot, 0)), 0.1);
    const MatrixXd& derivative = slopes.derivatives[static_cast<std::size_t>(robot)].back();
    const VectorXd by_mass = difference_of([&](double x) { return end_of(0.0, mass + x); }, 1e-2);
    const VectorXd by_q = difference_of([&](double x) { return end_of(x, mass); }, 1e-2);
    EXPECT_LE((derivative.col(0) - by_mass).cwiseAbs().maxCoeff(), 1e-7 * by_mass.cwiseAbs().maxCoeff());
    EXPECT_LE((derivative.col(1) - by_q).cwiseAbs().maxCoeff(), 1e-7 * by_q.cwiseAbs().maxCoeff());
  }
}

TEST(DrivenSensitivities, RefuseNumbersOfWhatIsDriven) {
  const ScenarioFile file = driven_shoulder();
  Scenario scenario = file.scenario;
  scenario.integrator = fixed("rk4", 1e-2);
  scenario.initial["upper"].q = {0.2 + 0.6 * std::sin(0.3)};
  try {
    sensitivities(Model(file.robot), scenario, {"q"}, {"simulation.initial.upper.q[0]"}, {0.5});
    ADD_FAILURE() << "nothing was said";
  } catch (const ArgumentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("simulation.initial.upper.q[0]: found a number of what is driven"));
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
