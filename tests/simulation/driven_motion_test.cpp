// Joints and bases whose motion is prescribed: closed forms, efforts against inverse dynamics, energy, refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/control/controllers.h"
#include "cuttle/error.h"
#include "cuttle/model/sensor.h"
#include "cuttle/sensors/sensors.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/integrator_runs.h"
#include "simulation/simulation_robots.h"
#include "support/loop_robots.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using testing::HasSubstr;

struct DrivenRun {
  Outcome outcome;
  std::vector<Sample> samples;
};
DrivenRun driven_run(const Model& model, const Scenario& scenario) {
  MemoryRecorder memory;
  DrivenRun result;
  result.outcome = Simulator(model, scenario).run({&memory});
  result.samples = memory.samples();
  return result;
}

/// Every integrator, with how exact it is to be in runs of some seconds: of the motion, and of the energy.
struct Method {
  IntegratorOptions options;
  double motion, energy;
};
std::vector<Method> all_methods() {
  return {{adaptive("bdf", 1e-9), 1e-6, 1e-6},
          {adaptive("erk", 1e-9), 1e-7, 1e-7},
          {fixed("rk4", 1e-3), 1e-8, 1e-8},
          {fixed("tsit5", 1e-3), 1e-9, 1e-9},
          {fixed("newmark", 1e-3), 1e-4, 1e-3},
          {fixed("hht", 1e-3), 1e-3, 1e-3},
          {fixed("generalized_alpha", 1e-3), 1e-3, 1e-3},
          {fixed("midpoint", 1e-3), 1e-4, 1e-3},
          {fixed("energy_conserving", 1e-3), 1e-4, 1e-9},
          {adaptive("generalized_alpha", 1e-7), 1e-3, 1e-3}};
}

/// A hull, and a mass on a spring along z that hangs on it; nothing weighs.
constexpr double k_hull = 2.0, k_mass = 0.5, k_stiffness = 30.0;
Robot sprung_mass(bool floating) {
  Robot robot;
  robot.name = "sprung_mass";
  robot.gravity = {};
  robot.floating_base = floating;
  robot.base_pose.position = {0.3, -0.2, 0.1};
  robot.links.push_back({.name = "hull", .body = rigid_body(k_hull, {}, {0.1, 0.2, 0.3}, {})});
  robot.links.push_back({.name = "slider",
                         .joint = make_prismatic_joint<double>({0, 0, 1}),
                         .joint_dynamics = dynamics({k_stiffness}, {}),
                         .body = rigid_body(k_mass, {}, {}, {})});
  return robot;
}

// m (x'' + z'') + k x = 0 with z = A sin(w t): x = A w^2 / (w0^2 - w^2) (sin(w t) - w/w0 sin(w0 t)).
// The base gives the hull M z'' and the spring -k x.
TEST(DrivenMotionTest, ShakenBaseOfAMassOnASpringInClosedForm) {
  const Model model(sprung_mass(true));
  const double A = 0.05, f = 0.7, w = 2 * std::numbers::pi * f, w0 = std::sqrt(k_stiffness / k_mass);
  const double size = A * w * w / (w0 * w0 - w * w);
  for (const Method& method : all_methods()) {
    SCOPED_TRACE(method.options.type);
    Scenario scenario;
    scenario.duration = 3.0, scenario.output_step = 0.05, scenario.integrator = method.options;
    scenario.motion.base.position = {{0.3, -0.2, Signal::sine(A, f, 0.0, 0.1)}};
    const auto [outcome, samples] = driven_run(model, scenario);
    double error = 0.0, wrench_error = 0.0;
    for (const Sample& s : samples) {
      const double z = A * std::sin(w * s.time), z2 = -w * w * z;
      const double x = size * (std::sin(w * s.time) - w / w0 * std::sin(w0 * s.time));
      EXPECT_NEAR(s.q[2], z, 1e-15);  // never integrated, in whatever state the method is
      EXPECT_NEAR(s.v[5], A * w * std::cos(w * s.time), 1e-14);
      error = std::max(error, std::abs(s.q[7] - x));
      ASSERT_EQ(s.motion.size(), 6);
      wrench_error = std::max(wrench_error, std::abs(s.motion[5] - (k_hull * z2 - k_stiffness * x)));
      EXPECT_LT(s.motion.head(5).norm(), 1e-12);
    }
    EXPECT_LT(error, method.motion * size);
    EXPECT_LT(wrench_error, method.motion * k_stiffness * size);
    EXPECT_LT(outcome.energy_error, method.energy * outcome.peak_kinetic);
    EXPECT_GT(std::abs(outcome.last.load), 1e-3);
  }
}

/// An arm of two links and two rods that hangs on a driven shoulder, with a ball joint, a motor, wind and damping.
Scenario swung_arm(const IntegratorOptions& options) {
  Scenario scenario;
  scenario.duration = 1.2, scenario.output_step = 0.05, scenario.integrator = options;
  scenario.inputs["motor"] = Signal::sine(0.2, 2.0, 0.0, 0.0);
  scenario.motion.joints["arm"] = {Signal::cubic(0.2, 0.9, 0.3, 1.1)};
  return scenario;
}

// The effort is what inverse dynamics of the motion that results asks for, beside motor and wind: an independent
// derivation, from accelerations by differences of the velocities.
TEST(DrivenMotionTest, EffortIsThatOfInverseDynamics) {
  Robot robot = mixed_arm();
  robot.loads.clear();
  const Model model(robot);
  Scenario scenario = swung_arm(fixed("tsit5", 5e-4));
  scenario.output_step = 1e-3;
  const auto [outcome, samples] = driven_run(model, scenario);
  Data data(model);
  double largest = 0.0;
  for (std::size_t i = 1; i + 1 < samples.size(); i += 37) {
    const Sample& s = samples[i];
    if (std::abs(s.time - 0.2) < 0.01 || std::abs(s.time - 0.9) < 0.01) continue;  // accelerations jump
    const VectorXd a = (samples[i + 1].v - samples[i - 1].v) / (samples[i + 1].time - samples[i - 1].time);
    const VectorXd force = inverse_dynamics(model, data, s.q, s.v, a);
    largest = std::max(largest, std::abs(s.motion[0]));
    EXPECT_NEAR(s.motion[0] + s.u[0], force[0], 2e-4 * (1.0 + std::abs(force[0]))) << "t = " << s.time;
  }
  EXPECT_GT(largest, 1.0);
  EXPECT_LT(outcome.energy_error, 1e-6 * outcome.peak_kinetic);
}

TEST(DrivenMotionTest, EveryMethodMovesTheSame) {
  const Model model(mixed_arm());
  const DrivenRun reference = driven_run(model, swung_arm(adaptive("bdf", 1e-10)));
  for (const Method& method : all_methods()) {
    SCOPED_TRACE(method.options.type);
    const DrivenRun found = driven_run(model, swung_arm(method.options));
    ASSERT_EQ(found.samples.size(), reference.samples.size());
    double largest = 0.0;
    for (std::size_t i = 0; i < found.samples.size(); ++i) {
      const Sample &s = found.samples[i], &r = reference.samples[i];
      VectorXd off(model.nv());
      difference<double>(model, s.q, r.q, off);
      largest = std::max(largest, off.norm());
      EXPECT_EQ(s.q[0], r.q[0]);
      EXPECT_EQ(s.v[0], r.v[0]);
    }
    EXPECT_LT(largest, 30 * method.motion);
    EXPECT_LT(found.outcome.energy_error, std::max(10 * method.energy, 1e-6) * found.outcome.peak_kinetic);
  }
}

// Implicit methods halve the step, the error goes down by four: the driven coordinates cost them no order.
TEST(DrivenMotionTest, ImplicitMethodsKeepTheirOrder) {
  const Model model(mixed_arm());
  const DrivenRun reference = driven_run(model, swung_arm(adaptive("bdf", 1e-11)));
  for (const char* type : {"newmark", "generalized_alpha", "midpoint"}) {
    double last = 0.0;
    for (const double step : {4e-3, 2e-3, 1e-3}) {
      const DrivenRun found = driven_run(model, swung_arm(fixed(type, step)));
      VectorXd off(model.nv());
      difference<double>(model, found.samples.back().q, reference.samples.back().q, off);
      if (last > 0.0) {
        EXPECT_NEAR(last / off.norm(), 4.0, 0.8) << type << ", step " << step;
      }
      last = off.norm();
    }
  }
}

// All coordinates driven: nothing is left to integrate, and efforts are inverse dynamics to rounding.
TEST(DrivenMotionTest, DrivesAllCoordinates) {
  Robot robot;
  robot.links = {bar("upper", "base", 0.4, {0, 1, 0}), bar("fore", "upper", 0.3, {1, 0, 0})};
  robot.links[1].parent.at = PortLocation::tip();
  const Model model(robot);
  Data data(model);
  for (const Method& method : all_methods()) {
    SCOPED_TRACE(method.options.type);
    Scenario scenario;
    scenario.duration = 1.0, scenario.output_step = 0.05, scenario.integrator = method.options;
    scenario.motion.joints["upper"] = {Signal::quintic(0.0, 1.0, 0.2, 1.4)};
    scenario.motion.joints["fore"] = {Signal::sine(0.5, 1.3, 0.4, 0.1)};
    const auto [outcome, samples] = driven_run(model, scenario);
    for (const Sample& s : samples) {
      const auto &upper = scenario.motion.joints["upper"][0], &fore = scenario.motion.joints["fore"][0];
      const Eigen::Vector2d q(upper.at(s.time), fore.at(s.time));
      const Eigen::Vector2d v(upper.derivative(s.time), fore.derivative(s.time));
      const Eigen::Vector2d a(upper.derivative(s.time, 2), fore.derivative(s.time, 2));
      const VectorXd force = inverse_dynamics(model, data, q, v, a);
      EXPECT_LT((s.motion - force).norm(), 1e-12 * (1.0 + force.norm()));
    }
    EXPECT_LT(outcome.energy_error, 3e-4 * outcome.peak_kinetic);
  }
}

// A base that turns about its z axis by rpy, against a fixed base with a driven joint about that axis: other
// coordinates, the same motion, torque and energy.
TEST(DrivenMotionTest, TurnedBaseIsADrivenJoint) {
  const Signal angle = Signal::quintic(0.0, 1.0, 0.3, 2.5);
  Robot on_base = mixed_arm(), on_joint = mixed_arm();
  on_base.floating_base = true;
  on_base.links.insert(on_base.links.begin(),
                       {.name = "hub", .body = rigid_body(0.7, {0.02, 0.01, 0}, {0.01, 0.02, 0.03}, {0, 0, 0.1})});
  on_joint.links.insert(on_joint.links.begin(), on_base.links.front());
  on_joint.links.front().joint = make_revolute_joint<double>({0, 0, 1});
  Scenario by_base;
  by_base.duration = 1.0, by_base.output_step = 0.1, by_base.integrator = adaptive("bdf", 1e-9);
  Scenario by_joint = by_base;
  by_base.motion.base.rpy = {{0, 0, angle}};
  by_joint.motion.joints["hub"] = {angle};
  const Model base(on_base), joint(on_joint);
  const DrivenRun first = driven_run(base, by_base), second = driven_run(joint, by_joint);
  for (std::size_t i = 0; i < first.samples.size(); ++i) {
    const Sample &s = first.samples[i], &r = second.samples[i];
    EXPECT_LT((s.q.tail(base.nq() - 7) - r.q.tail(joint.nq() - 1)).norm(), 1e-6);
    EXPECT_NEAR(s.motion[2], r.motion[0], 1e-5 * (1.0 + std::abs(r.motion[0])));
    EXPECT_NEAR(s.load, r.load, 1e-6);
  }
  EXPECT_GT(std::abs(second.samples.back().load), 0.01);
}

// A base in any motion: velocity and acceleration are the derivatives of its pose.
TEST(DrivenMotionTest, BaseAccelerationsAreThoseOfItsPose) {
  Robot robot = sprung_mass(true);
  robot.base_pose.rotation = quaternion_exponential(Vector3{0.4, -0.3, 0.2}).matrix();
  const Model model(robot);
  Scenario scenario;
  scenario.motion.base.position = {
      {Signal::sine(0.2, 0.9, 0.1, 0.3), Signal::sine(0.3, 0.7, 1.1, 0), Signal::quintic(0, 1, 0, 0.4)}};
  scenario.motion.base.rpy = {
      {Signal::sine(0.7, 0.8, 0.2, 0), Signal::sine(0.6, 1.1, 0.5, 0.2), Signal::quintic(0, 1, -0.5, 1.9)}};
  scenario.duration = 1.0, scenario.integrator = fixed("rk4", 1e-3), scenario.output_step = 1e-3;
  const auto [outcome, samples] = driven_run(model, scenario);
  for (std::size_t i = 1; i + 1 < samples.size(); i += 50) {
    VectorXd change(model.nv());
    difference<double>(model, samples[i - 1].q, samples[i + 1].q, change);
    const double h = samples[i + 1].time - samples[i - 1].time;
    EXPECT_LT((change / h - samples[i].v).head<6>().norm(), 1e-4) << "t = " << samples[i].time;
    EXPECT_NEAR(samples[i].tips[0].position.x, (*scenario.motion.base.position)[0].at(samples[i].time), 1e-15)
        << "in the world, whatever the base's pose is";
  }
  EXPECT_LT(outcome.energy_error, 1e-8 * outcome.peak_kinetic) << "accelerations belong to velocities";
}

// An accelerometer on a shaken base feels it.
TEST(DrivenMotionTest, ImuOnAShakenBase) {
  Robot robot = sprung_mass(true);
  robot.gravity = {0, 0, -9.81};
  robot.sensors = {{"imu", make_imu_sensor({"hull"})}};
  const Model model(robot);
  Scenario scenario;
  scenario.duration = 0.5, scenario.output_step = 0.05, scenario.integrator = fixed("tsit5", 1e-3);
  const Signal shake = Signal::sine(0.02, 3.0, 0.3, 0.0);
  scenario.motion.base.position = {{shake, 0, 0}};
  const std::vector<RecordedSensor> recorded = recorded_sensors(model);
  ASSERT_EQ(recorded.size(), 1U);
  std::size_t x = 0;
  while (x < recorded[0].columns.size() && recorded[0].columns[x].unit != "m/s^2") ++x;
  ASSERT_LT(x + 2, recorded[0].columns.size());
  for (const Sample& s : driven_run(model, scenario).samples) {
    const auto k = static_cast<Eigen::Index>(x);
    EXPECT_NEAR(s.sensors[k], shake.derivative(s.time, 2), 1e-10);
    EXPECT_NEAR(s.sensors[k + 2], 9.81, 1e-10);
  }
}

// A crank that turns evenly drives a four-bar linkage: one degree of freedom, so the effort is its whole energy
// account.
TEST(DrivenMotionTest, DrivenCrankOfAFourBar) {
  const Model model(FourBar().robot());
  Data data(model);
  ConstraintData constraints(model);
  VectorXd q = Eigen::Vector3d(0.9, -0.5, 1.2);
  close_loops(model, data, constraints, q);
  for (const char* type : {"newmark", "hht", "generalized_alpha", "midpoint", "energy_conserving"}) {
    SCOPED_TRACE(type);
    Scenario scenario;
    scenario.duration = 1.0, scenario.output_step = 0.02, scenario.integrator = fixed(type, 1e-3);
    scenario.initial["coupler"].q = {q[1]}, scenario.initial["rocker"].q = {q[2]};
    scenario.motion.joints["crank"] = {Signal::ramp(-1.0, 3.0, q[0] - 3.0, q[0] + 9.0)};  // 3 rad/s throughout
    const auto [outcome, samples] = driven_run(model, scenario);
    for (std::size_t i = 1; i + 1 < samples.size(); ++i) {
      const Sample& s = samples[i];
      EXPECT_NEAR(s.q[0], q[0] + 3.0 * s.time, 1e-12);
      EXPECT_LT(s.loop_residual.cwiseAbs().maxCoeff(), 1e-9);
      // midpoint rules have forces of the middle, and multipliers of Newmark's method alternate from step to step: it
      // is only weakly stable for index 3 (errata, [B] 6)
      if (std::string(type) != "hht" && std::string(type) != "generalized_alpha") continue;
      const double power =
          (samples[i + 1].energy() - samples[i - 1].energy()) / (samples[i + 1].time - samples[i - 1].time);
      EXPECT_NEAR(s.motion[0] * 3.0, power, 0.02 * (1.0 + std::abs(power))) << "t = " << s.time;
    }
    EXPECT_LT(outcome.energy_error, 1e-3 * outcome.peak_energy);
  }
}

// At a statics start what is driven stays where its motion begins, the rest sags into its equilibrium and stays there.
TEST(DrivenMotionTest, StaticsHoldsWhatIsDriven) {
  Robot robot = mixed_arm();
  robot.actuators.clear(), robot.loads.clear();
  robot.floating_base = true;
  robot.links.insert(robot.links.begin(),
                     {.name = "hub", .body = rigid_body(0.7, {0.02, 0.01, 0}, {0.01, 0.02, 0.03}, {0, 0, 0.1})});
  const Model model(robot);
  Scenario scenario;
  scenario.duration = 0.5, scenario.output_step = 0.05, scenario.integrator = adaptive("bdf", 1e-8);
  scenario.statics.emplace();
  scenario.motion.base.position = {{0.1, 0.2, 0.3}};
  scenario.motion.base.rpy = {{0.3, 2.8, 0.1}};
  scenario.motion.joints["arm"] = {0.4};
  const auto [outcome, samples] = driven_run(model, scenario);
  const Sample &first = samples.front(), &last = samples.back();
  EXPECT_NEAR(first.q[7], 0.4, 1e-15);
  EXPECT_GT(first.q.tail(model.nq() - 8).norm(), 0.01);
  EXPECT_LT((last.q - first.q).norm(), 1e-6);
  EXPECT_LT(outcome.peak_kinetic, 1e-9);
  Data data(model);
  VectorXd raised = last.q;
  raised[2] += 1.0;
  const double weight = gravity_energy<double>(model, data, raised) - gravity_energy<double>(model, data, last.q);
  EXPECT_NEAR(last.motion.segment<3>(3).norm(), weight, 1e-6 * weight);
  // a motor may act on the driven joint: the others rest as without it
  Robot driven_by_motor = mixed_arm();
  driven_by_motor.loads.clear();
  Robot without = driven_by_motor;
  without.actuators.clear();
  scenario.motion.base = {};
  const auto motor_run = driven_run(Model(driven_by_motor), scenario), other_run = driven_run(Model(without), scenario);
  EXPECT_LT((motor_run.samples.front().q - other_run.samples.front().q).norm(), 1e-9);
  EXPECT_LT((motor_run.samples.back().q - motor_run.samples.front().q).norm(), 1e-6);
}

/// Why a scenario is refused for a robot; empty if it is not.
std::string refusal_of(const Robot& robot, const Scenario& scenario) {
  const Model model(robot);
  try {
    Simulator(model, scenario);
    return "";
  } catch (const ArgumentError& error) {
    return error.what();
  }
}

TEST(DrivenMotionTest, RefusesWhatNoMotionCanFollow) {
  const auto with = [](const std::string& link, std::vector<Signal> signals) {
    Scenario scenario;
    scenario.duration = 2.0;
    scenario.motion.joints[link] = std::move(signals);
    return scenario;
  };
  const Robot arm = mixed_arm();
  EXPECT_EQ(refusal_of(arm, with("arm", {Signal::step(1, 0, 0.5)})),
            "motion.arm[0]: found a signal whose value jumps at t = 1 s, from 0 to 0.5, expected one with a continuous "
            "velocity, as cubic, quintic, minimum_jerk, sine, or a spline over the whole run");
  EXPECT_THAT(refusal_of(arm, with("arm", {Signal::ramp(0.5, 1, 0, 0.5)})),
              HasSubstr("motion.arm[0]: found a signal whose velocity jumps at t = 0.5 s, from 0 to 1, expected"));
  EXPECT_EQ(refusal_of(arm, with("arm", {Signal::ramp(0, 2, 0, 0.5)})), "") << "an even motion throughout";
  EXPECT_EQ(refusal_of(arm, with("arm", {Signal::cubic(0.5, 1, 0, 0.5)})), "") << "its acceleration may jump";
  EXPECT_THAT(refusal_of(arm, with("arm", {Signal::spline({0.5, 1, 1.5}, {0, 1, 3})})),
              HasSubstr("velocity jumps at t = 0.5"));
  EXPECT_EQ(refusal_of(arm, with("arm", {Signal::spline({0, 1, 2.5}, {0, 1, 3})})), "");
  EXPECT_EQ(refusal_of(arm, with("arm", {0, 1})),
            "motion.arm: found 2 signals, expected 1, one a joint coordinate (arm.joint.q0)");
  EXPECT_EQ(
      refusal_of(arm, with("ball", {0, 0, 0})),
      "motion.ball: found a spherical joint, whose coordinates hold a quaternion, expected a joint whose coordinates "
      "are angles and lengths");
  EXPECT_EQ(refusal_of(arm, with("rod1", {0})), "motion.rod1: found a fixed joint, expected a link whose joint moves");
  EXPECT_THAT(refusal_of(arm, with("amr", {0})),
              HasSubstr("motion.amr: found no link 'amr', expected 'base' or the name of a link; did you mean 'arm'?"));
  Scenario base;
  base.motion.base.position = {{0, 0, 0}};
  EXPECT_EQ(refusal_of(arm, base),
            "motion.base: found the fixed base of 'mixed_arm', expected a robot with a floating base");
}

TEST(DrivenMotionTest, RefusesAnotherBeginning) {
  Scenario scenario;
  scenario.motion.joints["arm"] = {Signal::sine(0.5, 1.0, 0.0, 0.2)};
  scenario.initial["arm"] = {{0.2}, {std::numbers::pi}};
  EXPECT_EQ(refusal_of(mixed_arm(), scenario), "") << "the same is no contradiction";
  scenario.initial["arm"] = {{0.3}, {}};
  EXPECT_EQ(refusal_of(mixed_arm(), scenario),
            "initial.arm.q: found a value that is 0.1 away from where the motion of 'arm' begins (coordinate "
            "arm.joint.v0), expected that or none");
  scenario.initial["arm"] = {{}, {0.0}};
  EXPECT_THAT(refusal_of(mixed_arm(), scenario), HasSubstr("initial.arm.v: found a value that is 3.14159 away from"));
}

TEST(DrivenMotionTest, RefusesLawsThatSolveTheMotion) {
  Scenario scenario;
  scenario.motion.joints["arm"] = {0.2};
  Robot robot;
  robot.links = {bar("arm", "base", 0.4, {0, 1, 0}), bar("fore", "arm", 0.3, {0, 1, 0})};
  robot.links[1].parent.at = PortLocation::tip();
  robot.actuators = {Actuator::joint("motor", "fore")};
  ComputedTorqueSettings settings;
  settings.links = {"fore"}, settings.reference = {0.5}, settings.kp = {10}, settings.kd = {1};
  const PdPlusSettings plus{settings, settings.links, {}};
  scenario.controllers = {{"torque", make_computed_torque(settings)}};
  EXPECT_EQ(refusal_of(robot, scenario),
            "motion: found it beside controller 'torque' of type computed_torque, which takes all coordinates to be "
            "free, expected none or another law");
  scenario.controllers = {{"plus", make_pd_plus(plus)}};
  EXPECT_EQ(refusal_of(robot, scenario), "");
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
