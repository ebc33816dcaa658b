// What holds the outputs of controllers: limits, rates of change, tendons that cannot push, and what integrals do then.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "control/allocation.h"
#include "control/riccati.h"
#include "cuttle/control/controllers.h"
#include "cuttle/control/function_law.h"
#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/simulator.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;

/// A cart of 1 kg that a motor pushes, and a strong one that moves it as the test wants.
const std::string k_cart = R"(cuttle: 1
name: cart
gravity: [0, 0, 0]
links:
  - {name: cart, joint: {type: prismatic, axis: [1, 0, 0]}, body: {type: rigid, mass: 1, com: [0, 0, 0], inertia: [1, 1, 1, 0, 0, 0]}}
actuators: [{name: push, type: joint, link: cart}]
)";

std::vector<Sample> run_of(const std::string& robot, Scenario scenario) {
  const Model model(read_robot_text(robot, "robot.yaml"));
  MemoryRecorder recorder;
  Simulator(model, scenario).run({&recorder});
  return recorder.samples();
}

Scenario scenario_with(std::shared_ptr<const Controller> controller, double duration) {
  Scenario scenario;
  scenario.duration = duration, scenario.output_step = 0.01;
  scenario.integrator.type = "erk";
  scenario.integrator.relative_tolerance = 1e-9, scenario.integrator.absolute_tolerance = 1e-11;
  scenario.controllers.push_back({"c", std::move(controller)});
  return scenario;
}

// A purely integral law, whose output is the integral alone: it stops at its limit, and leaves it as soon as the error
// turns round; sampled, a step beyond the limit must not hold it there for ever.
TEST(Integrals, LeaveALimitWhenTheErrorTurnsRound) {
  for (const bool sampled : {false, true}) {
    PidSettings settings;
    settings.reference = {Signal::steps({1.0}, {1.0, -1.0})};
    settings.ki = {3.0}, settings.limits.lower = {-0.5}, settings.limits.upper = {0.5};
    if (sampled) settings.rate = 20.0;
    // held in place by a heavy load, so that the error is the reference
    std::string heavy = k_cart;
    heavy.replace(heavy.find("mass: 1,"), 8, "mass: 1e9,");
    const auto samples = run_of(heavy, scenario_with(make_pid(settings), 2.0));
    const auto output = [&](double time) { return samples[static_cast<std::size_t>(std::lround(time / 0.01))].u[0]; };
    EXPECT_NEAR(output(0.1), sampled ? 0.3 : 0.3, sampled ? 0.16 : 1e-6) << sampled;
    EXPECT_NEAR(output(0.9), 0.5, 1e-12) << sampled;
    // from the limit, or the last hundredth before it, at 3 a second: 0.5 - 3 * 0.2 after 0.2 s
    EXPECT_NEAR(output(1.2), -0.1, sampled ? 0.2 : 0.02) << sampled;
    EXPECT_NEAR(output(1.9), -0.5, 1e-12) << sampled;
  }
}

// With gains between coordinates an integral stops where it would drive another output beyond its limit.
TEST(Integrals, StopByTheOutputThatTheyDrive) {
  const std::string two = R"(cuttle: 1
name: two
gravity: [0, 0, 0]
links:
  - {name: a, joint: {type: prismatic, axis: [1, 0, 0]}, body: {type: rigid, mass: 1e9, com: [0, 0, 0], inertia: [1, 1, 1, 0, 0, 0]}}
  - {name: b, joint: {type: prismatic, axis: [1, 0, 0]}, body: {type: rigid, mass: 1e9, com: [0, 0, 0], inertia: [1, 1, 1, 0, 0, 0]}}
actuators: [{name: u1, type: joint, link: a}, {name: u2, type: joint, link: b}]
)";
  PidSettings settings;
  settings.reference = {Signal::steps({1.0}, {1.0, -1.0}), Signal(0.0)};
  settings.ki = {0.0, 0.0, 2.0, 0.0};  // the integral of the first error drives the second output
  settings.limits.upper = {0.4}, settings.limits.lower = {-0.4};
  const auto samples = run_of(two, scenario_with(make_pid(settings), 2.0));
  EXPECT_NEAR(samples[90].u[1], 0.4, 1e-12);
  EXPECT_NEAR(samples[120].u[1], 0.0, 0.02);  // 0.4 - 2 * 0.2
}

// An output that may change slowly only: what a sample asks beyond that is a limit too, and the integral waits.
TEST(Integrals, StopWhereTheRateIsLimited) {
  PidSettings settings;
  settings.reference = {Signal::steps({0.5}, {0.0, 1.0})};
  settings.kp = {10.0}, settings.ki = {1.0};
  settings.rate = 100.0, settings.limits.rate = {5.0};
  std::string heavy = k_cart;
  heavy.replace(heavy.find("mass: 1,"), 8, "mass: 1e9,");
  const auto samples = run_of(heavy, scenario_with(make_pid(settings), 3.0));
  // the output climbs at 5 a second to K_P e = 10, which takes 2 s; until then nothing is integrated
  const auto& late = samples[240];
  EXPECT_NEAR(late.u[0], 5.0 * (late.time - 0.5), 0.06);
  EXPECT_LT(std::abs(late.control.tail(1)[0]), 0.02) << "integral";
  EXPECT_GT(samples.back().control.tail(1)[0], 0.3);
}

const std::string k_antagonists = R"(cuttle: 1
name: joint
gravity: [0, 0, 0]
links:
  - {name: arm, joint: {type: revolute, axis: [0, 1, 0], stiffness: 2}, body: {type: rigid, mass: 1, com: [0, 0, 0.1], inertia: [0.02, 0.02, 0.01, 0, 0, 0], tip: {position: [0, 0, 0.2]}}}
actuators:
  - {name: left, type: tendon, slack: error, routing: [{link: base, points: [[0.03, 0, 0]]}, {link: arm, points: [[0.03, 0, 0.1]]}]}
  - {name: right, type: tendon, slack: error, routing: [{link: base, points: [[-0.03, 0, 0]]}, {link: arm, points: [[-0.03, 0, 0.1]]}]}
)";

// What a clock holds was right when it was computed: the pretension that it counted on goes away in between.
TEST(HeldOutputs, NeverMakeATendonPush) {
  PidSettings settings;
  settings.inputs = {"left"};
  settings.reference = {Signal(-0.01)}, settings.kp = {1000.0};  // asks for a longer tendon: less tension
  settings.rate = 10.0;
  Scenario scenario = scenario_with(make_pid(settings), 0.5);
  scenario.inputs["left"] = Signal::ramp(0.0, 0.35, 4.0, 0.5);
  const auto samples = run_of(k_antagonists, scenario);  // throws if a tendon pushes
  for (const Sample& sample : samples) EXPECT_GE(sample.u[0], 0.0) << sample.time;
}

// The same where the change from sample to sample is limited too: no tendon pushes for the sake of a slow change.
TEST(HeldOutputs, ChangeFastWhereATendonWouldPush) {
  PidSettings settings;
  settings.inputs = {"left"};
  settings.reference = {Signal(-0.01)}, settings.kp = {1000.0};
  settings.rate = 100.0, settings.limits.rate = {0.5};
  Scenario scenario = scenario_with(make_pid(settings), 0.5);
  scenario.inputs["left"] = Signal::ramp(0.0, 0.2, 4.0, 0.5);
  for (const Sample& sample : run_of(k_antagonists, scenario)) EXPECT_GE(sample.u[0], 0.0) << sample.time;
}

// Limits are a pretension: all tendons stay above it, by tensions that together make no force.
TEST(Pretension, StaysInTheNullSpaceOfTheTendons) {
  ComputedTorqueSettings settings;
  settings.reference = {Signal::cubic(0.0, 0.4, 0.0, 0.3)}, settings.kp = {100.0}, settings.kd = {20.0};
  settings.limits.lower = {5.0};
  const Scenario scenario = scenario_with(make_computed_torque(settings), 0.5);
  const auto samples = run_of(k_antagonists, scenario);
  for (const Sample& sample : samples) {
    EXPECT_GE(sample.u.minCoeff(), 5.0 - 1e-9);
    // what makes no force is known to rounding by the regularization, 2e-16 / 1e-10 of the tensions
    EXPECT_NEAR(sample.u.minCoeff(), 5.0, 5e-5) << "no more than it takes, t = " << sample.time;
    EXPECT_NEAR(sample.control.tail(1)[0], 0.0, 1e-9) << "allocation residual, t = " << sample.time;
  }
  EXPECT_NEAR(samples.back().q[0], 0.3, 1e-6);
}

// A force that the inputs cannot make: how much is missing stands in the results.
TEST(AllocationResidual, SaysWhatLimitsTakeAway) {
  PdPlusSettings settings;
  settings.reference = {Signal(1.0)}, settings.kp = {4.0};
  settings.limits.upper = {1.0};
  const Scenario scenario = scenario_with(make_pd_plus(settings), 0.02);
  const Model model(read_robot_text(k_cart, "robot.yaml"));
  const auto columns = recorded_controllers(model, scenario.controllers).front().columns;
  ASSERT_EQ(columns.state.back().name, "allocation_residual");
  MemoryRecorder recorder;
  Simulator(model, scenario).run({&recorder});
  // 4 N are asked for, 1 N acts
  EXPECT_NEAR(recorder.samples().front().control.tail(1)[0], 0.75, 1e-12);
}

TEST(Allocation, GivesForcesInDirectionsThatInputsHardlyReach) {
  // two inputs that differ by an angle; force along what only their difference reaches
  for (const double angle : {1e-2, 1e-3, 1e-4, 4e-5}) {
    MatrixXd A(2, 2);
    A << 1.0, std::cos(angle), 0.0, std::sin(angle);
    const VectorXd nu{{0.3, 1.0}};
    const MatrixXd G = A.transpose() * A;
    Allocation allocation(2);
    VectorXd x(2);
    const VectorXd none = VectorXd::Constant(2, std::numeric_limits<double>::infinity());
    allocation.solve(G, A.transpose() * nu, -none, none, x);
    // G is known to rounding: what that makes in the weak direction is eps / angle^2 of x, angle of which acts
    EXPECT_LT((A * x - nu).norm(), 1e-13 / (angle * angle)) << angle;
  }
}

TEST(ActuationLaws, RefuseInputsWithoutACoordinate) {
  const std::string robot = k_cart.substr(0, k_cart.find("actuators:")) +
                            "actuators: [{name: jet, type: wrench, link: cart, at: tip, frame: body}]\n";
  const Model model(read_robot_text(robot, "robot.yaml"));
  PidSettings settings;
  settings.inputs = {"jet.fx"}, settings.reference = {Signal(0.1)}, settings.kp = {1.0};
  PartialFeedbackLinearizationSettings linearizing;
  linearizing.inputs = {"jet.fx"}, linearizing.reference = {Signal(0.1)}, linearizing.kp = {1.0};
  for (const auto& controller : {make_pid(settings), make_partial_feedback_linearization(linearizing)}) {
    try {
      controller->bind(model);
      ADD_FAILURE() << controller->type_name();
    } catch (const ArgumentError& error) {
      EXPECT_THAT(error.what(), HasSubstr("'jet.fx' of an actuator of type wrench"));
    }
  }
}

// An inverted pendulum without damping whose angle has no weight: the mean of the eigenvalues, which the method shifts
// by, is one of the pendulum's.
TEST(Riccati, HasNoShiftThatIsAnEigenvalue) {
  const MatrixXd A{{0.0, 1.0}, {9.0, 0.0}}, G{{0.0, 0.0}, {0.0, 1.0}}, H{{0.0, 0.0}, {0.0, 2.0}};
  const double rate = std::sqrt(38.0);  // by hand: the closed loop is s^2 + rate s + 9
  EXPECT_LT((solve_riccati(A, G, H) - MatrixXd{{9.0 * rate, 18.0}, {18.0, rate}}).norm(), 1e-9);
}

// A rod behind a free joint: its coordinates and the position are rounded, the quaternion is not.
TEST(Resolution, LeavesQuaternionsAloneAndNothingElse) {
  const std::string flying = R"(cuttle: 1
name: flying
materials: {m: {density: 1000, young_modulus: 1.0e6}}
links:
  - {name: rod, joint: {type: free}, body: {type: rod, length: 0.2, section: {shape: circle, radius: 0.01}, material: m, strain: pcc}}
actuators: [{name: bend, type: tendon, slack: allow, routing: [{link: rod, offset: [0.005, 0]}]}]
)";
  const Model model(read_robot_text(flying, "robot.yaml"));
  VectorXd seen;
  ControlSettings settings;
  settings.rate = 10.0, settings.resolution.q = {0.1};
  const auto law = make_function_law(settings, [&seen] {
    return [&seen](const ControlArguments& at, VectorXd& out) {
      seen = at.q;
      out.setZero();
    };
  });
  const auto bound = law->bind(model);
  VectorXd q = model.neutral();
  q.head(3) << 0.123, -0.456, 0.049;
  q.segment(3, 4) << 0.8, 0.6, 0.0, 0.0;
  q.tail(3) << 0.234, -0.251, 0.0;
  const VectorXd v = VectorXd::Zero(model.nv()), u = VectorXd::Zero(model.nu()), none;
  bound->sample({0.0, q, v, u, none, none});
  VectorXd expected = q;
  expected.head(3) << 0.1, -0.5, 0.0;
  expected.tail(3) << 0.2, -0.3, 0.0;
  EXPECT_LT((seen - expected).cwiseAbs().maxCoeff(), 1e-12) << seen.transpose();
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
