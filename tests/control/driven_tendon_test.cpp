// Controllers of tendons that are driven by their length, and programs that read sensors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "control/drives.h"
#include "control/linearization.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/error.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/robot_system.h"
#include "cuttle/simulation/simulator.h"
#include "io/io_support.h"
#include "support/random_state.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;

/// An arm between two tendons, with a rod on it that nothing drives. @param drive  what the tendons have more.
std::string robot(const std::string& drive) {
  return R"(cuttle: 1
name: wound
gravity: [1, 0, -9.81]
links:
  - {name: arm, joint: {type: revolute, axis: [0, 1, 0], stiffness: 2, damping: 0.1}, body: {type: rigid, mass: 0.4, com: [0.01, 0, 0.1], inertia: [2.0e-3, 2.0e-3, 3.0e-4, 0, 0, 0], tip: {position: [0, 0, 0.2]}}}
  - {name: whip, body: {type: rod, length: 0.2, section: {shape: circle, radius: 0.012}, material: {density: 1070, young_modulus: 4.0e+5, damping_time: 0.05}, strain: {kappa_y: constant}}}
actuators:
  - {name: right, type: tendon, routing: [{link: base, points: [[0.06, 0, 0]]}, {link: arm, points: [[0.02, 0, 0.15]]}])" +
         drive + R"(}
  - {name: left, type: tendon, routing: [{link: base, points: [[-0.06, 0, 0]]}, {link: arm, points: [[-0.02, 0, 0.15]]}])" +
         drive + "}\n";
}
const std::string k_driven = ", drive: length, stiffness: 4000, pretension: 30, range: 0.5";

ScenarioFile scenario_of(const std::string& controller, const std::string& drive, const std::string& more = "") {
  return read_scenario_text("cuttle: 1\nrobot: arm.yaml\nsimulation:\n  controllers: [" + controller + "]\n" + more,
                            "s.yaml", robot(drive));
}

/// Accelerations under the controllers of a scenario and constant inputs.
VectorXd acceleration(const ScenarioFile& file, const VectorXd& q, const VectorXd& v, const VectorXd& held) {
  const Model model(file.robot);
  RobotSystem system(model, {.inputs = std::vector<Signal>(static_cast<std::size_t>(model.nu())),
                             .controllers = file.scenario.controllers});
  system.held_inputs() = held;
  const VectorXd states = system.with_controllers(start_of_auxiliary(model));
  VectorXd a(model.nv()), rates(states.size());
  system.rates(0.3, q, v, states, a, rates);
  return a;
}

const char* const k_solving[] = {
    "{name: c, type: partial_feedback_linearization, inputs: [right], reference: [{type: sine, amplitude: 0.01, "
    "frequency: 0.5}], kp: 30, kd: 5}",
    "{name: c, type: computed_torque, links: [arm], reference: [{type: sine, amplitude: 0.3, frequency: 0.5}], kp: 30, "
    "kd: 5}",
    "{name: c, type: pd_with_cancellation, links: [arm], reference: [0.2], kp: 3, kd: 0.5}",
    "{name: c, type: pd_plus, links: [arm], reference: [0.2], kp: 3, kd: 0.5}",
    "{name: c, type: feed_forward, links: [arm], reference: [{type: sine, amplitude: 0.3, frequency: 0.5}]}",
    "{name: c, type: operational_space, frame: arm.tip, reference: {position: [0.05, 0, 0.19]}, stiffness: [0, 0, 0, "
    "90, 0, 0], damping: [0, 0, 0, 9, 0, 0]}",
};

// A law that solves for forces does with a winch what it does with the tension itself: the same robot moves alike,
// where the tension that is there before the law is given as an input. With limits of one tendon too.
TEST(DrivenTendons, LawsThatSolveForForcesMakeTheSameMotion) {
  const Model model(scenario_of("", k_driven).robot);
  Data data(model);
  test::Random random(8);
  for (const char* law : k_solving) {
    for (int trial = 0; trial < 4; ++trial) {
      const auto state = test::random_state(model, random);
      const VectorXd q = 0.15 * state.q, v = 0.3 * state.v;
      const VectorXd y = actuation_coordinates<double>(model, data, q);
      const VectorXd wound = y + 0.001 * trial * VectorXd::Ones(2);
      const VectorXd tension = (30.0 + 4000.0 * (wound - y).array()).matrix();
      const VectorXd driven = acceleration(scenario_of(law, k_driven), q, v, wound);
      const VectorXd pulled = acceleration(scenario_of(law, ", slack: clip"), q, v, tension);
      EXPECT_LT((driven - pulled).norm(), 1e-8 * (1.0 + pulled.norm())) << law << ", trial " << trial;
    }
  }
}

TEST(DrivenTendons, LinearizedInputIsThatOfTheAcceleration) {
  const ScenarioFile file = scenario_of("", k_driven);
  const Model model(file.robot);
  const Linearization linear = linearize(model, {0, 1}, {{"left", 0.002}});
  const VectorXd rest = VectorXd::Zero(model.nv());
  const double h = 1e-6;
  for (int j = 0; j < 2; ++j) {
    const VectorXd held = Eigen::Vector2d(0.0, 0.002), step = h * VectorXd::Unit(2, j);
    const VectorXd slope =
        (acceleration(file, linear.q, rest, held + step) - acceleration(file, linear.q, rest, held - step)) / (2.0 * h);
    EXPECT_LT((linear.B.col(j).tail(model.nv()) - slope).norm(), 1e-6 * slope.norm());
  }
}

// Continuous and sampled, every integrator: the motion of bdf at tight tolerances.
TEST(DrivenTendons, ControlledRunsAgree) {
  const std::string laws[] = {
      k_solving[0], k_solving[1],
      "{name: c, type: pid, reference: [{type: sine, amplitude: 0.01, frequency: 0.5}, 0], kp: 0.5, kd: 0.01, ki: 2, "
      "limits: {lower: -0.02, upper: 0.02}}",
      "{name: c, type: lqr, state_weight: 1, input_weight: 1.0e4, equilibrium: {inputs: {right: 0.001}}}",
      "{name: c, type: computed_torque, links: [arm], reference: [0.1], kp: 30, kd: 5, rate: 100, limits: {lower: "
      "-0.003, upper: 0.004}}"};
  for (const std::string& law : laws) {
    ScenarioFile file = scenario_of(law, k_driven, "  duration: 0.4\n  output_step: 0.02\n");
    const Model model(file.robot);
    const auto run = [&](const char* type, double tolerance) {
      Scenario s = file.scenario;
      s.integrator = {.type = type, .relative_tolerance = tolerance, .absolute_tolerance = 1e-2 * tolerance};
      MemoryRecorder memory;
      const Outcome outcome = Simulator(model, s).run({&memory});
      EXPECT_EQ(outcome.status, RunStatus::complete) << law << type << outcome.message;
      EXPECT_LT(outcome.energy_error, 1e-2 * (outcome.peak_kinetic + std::abs(memory.samples().back().input)))
          << law << type;
      return memory.samples();
    };
    const std::vector<Sample> expected = run("bdf", 1e-10);
    for (const char* type : {"erk", "newmark", "generalized_alpha", "midpoint"}) {
      const std::vector<Sample> found = run(type, 1e-6);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_LT((found[i].q - expected[i].q).norm(), 1e-3 * (1.0 + expected[i].q.norm()))
            << law << type << found[i].time;
      }
    }
  }
}

// What pulls no less than nothing: a law that asks for a push leaves the tendon where it becomes slack.
TEST(DrivenTendons, NoLawMakesThemPush) {
  const ScenarioFile file =
      scenario_of("{name: c, type: pd_plus, links: [arm], inputs: [right], reference: [-3], kp: 200, kd: 1}", k_driven,
                  "  duration: 0.2\n");
  const Model model(file.robot);
  MemoryRecorder memory;
  Simulator(model, file.scenario).run({&memory});
  for (const Sample& sample : memory.samples()) {
    EXPECT_GE(sample.element_outputs[0], 0.0);
    EXPECT_LT(sample.element_outputs[0], 1e-9);
    EXPECT_NEAR(sample.u[0], sample.y[0] + (-0.5 - 30.0) / 4000.0, 1e-9);
  }
}

// A program that holds the arm by what an encoder says: the law that reads q.
TEST(External, ReadsSensors) {
  const TemporaryDirectory directory;
  directory.write("hold.py",
                  "import json, sys\n"
                  "for line in sys.stdin:\n"
                  "    s = json.loads(line)['sensors']\n"
                  "    encoder = s['encoder']\n"
                  "    assert abs(s['imu']['ax']) < 1000\n"
                  "    print(json.dumps({'u': [-3 * encoder['length'] - 0.2 * encoder['rate']]}), flush=True)\n");
  directory.write("arm.yaml", R"(cuttle: 1
links: [{name: arm, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 0.4, com: [0, 0, 0.1], inertia: [2.0e-3, 2.0e-3, 3.0e-4, 0, 0, 0]}}]
actuators: [{name: motor, type: joint, link: arm}]
sensors: [{name: encoder, type: actuator_length, actuator: motor}, {name: imu, type: imu, link: arm}]
)");
  const auto run = [&](const std::string& controller) {
    const std::string path = directory.write(
        "s.yaml",
        "cuttle: 1\nrobot: arm.yaml\nsimulation:\n  duration: 0.2\n  initial: {arm: {q: [0.3]}}\n  controllers: [" +
            controller + "]\n");
    const ScenarioFile file = load_scenario_file(path);
    const Model model(file.robot);
    MemoryRecorder memory;
    const Outcome outcome = Simulator(model, file.scenario).run({&memory});
    EXPECT_EQ(outcome.status, RunStatus::complete) << outcome.message;
    return memory.samples();
  };
  const auto found = run("{name: c, type: external, command: [/usr/bin/python3, hold.py], timeout: 60, rate: 100}");
  const auto expected = run("{name: c, type: pid, reference: [0], kp: 3, kd: 0.2, rate: 100}");
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_LT((found[i].q - expected[i].q).norm(), 1e-12) << i;
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
