// Dry friction in joints: its curve, motions in closed form, what it dissipates, its derivatives.
#include "cuttle/elements/joint_friction.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cuttle/algorithms/elements.h"
#include "cuttle/error.h"
#include "cuttle/simulation/simulator.h"
#include "elements/element_checks.h"
#include "simulation/simulation_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

/// A mass on a rail, with friction, pulled by a spring of the joint or pushed by a motor.
Robot slider(const JointFriction& friction, double mass = 0.5) {
  Robot robot;
  robot.gravity = {};
  robot.links.push_back({.name = "cart",
                         .joint = make_prismatic_joint<double>({1, 0, 0}),
                         .body = test::rigid_body(mass, {0, 0, 0}, {1e-3, 1e-3, 1e-3}, {0, 0, 0})});
  robot.actuators = {Actuator::joint("motor", "cart")};
  robot.elements.push_back(make_joint_friction<double>("rail", "cart", 0, friction));
  return robot;
}

double effort_at(const Model& model, double v) {
  Data data(model);
  ElementData elements(model);
  element_motion<double>(model, data, model.neutral(), VectorXd::Constant(1, v), elements);
  element_efforts<double>(model, 0.0, VectorXd::Zero(model.nu()), elements);
  EXPECT_GE(elements.lost_power, 0.0) << v;
  EXPECT_EQ(elements.lost_power, -v * elements.efforts[0]) << v;
  return elements.efforts[0];
}

TEST(JointFriction, HasStribecksCurve) {
  const JointFriction coulomb{.friction = 0.7, .velocity = 1e-3};
  const JointFriction stribeck{.friction = 0.7, .velocity = 1e-3, .stiction = 1.1, .stribeck_velocity = 0.05};
  const Model flat(slider(coulomb)), falling(slider(stribeck));
  for (const double v : {0.0, 1e-5, 5e-4, 1e-3, 0.01, 0.05, 0.3, 2.0}) {
    for (const double sign : {1.0, -1.0}) {
      const double slide = std::tanh(v / 1e-3), peak = 0.4 * std::exp(-v * v / 0.0025);
      EXPECT_NEAR(effort_at(flat, sign * v), -sign * 0.7 * slide, 1e-15);
      EXPECT_NEAR(effort_at(falling, sign * v), -sign * (0.7 + peak) * slide, 1e-15);
    }
  }
}

// Closed forms: where it slides it slows down evenly, v = v0 - (F/m) t, and stops after m v0^2 / (2 F); all of its
// energy is dissipated.
TEST(JointFriction, StopsASliderAsCoulombSays) {
  const double F = 0.7, m = 0.5, v0 = 1.2, stop = m * v0 / F;
  const Model model(slider({.friction = F, .velocity = 1e-4}, m));
  for (const char* type : {"bdf", "newmark", "midpoint"}) {
    Scenario s;
    s.duration = 1.2, s.output_step = 0.05;
    s.integrator.type = type;
    if (s.integrator.type == "bdf") {
      s.integrator.relative_tolerance = 1e-7;
    } else {
      s.integrator.step = 1e-3;
    }
    s.initial["cart"] = {{0.0}, {v0}};
    MemoryRecorder memory;
    const Outcome outcome = Simulator(model, s).run({&memory});
    EXPECT_EQ(outcome.status, RunStatus::complete) << type << ": " << outcome.message;
    for (const Sample& sample : memory.samples()) {
      const double t = std::min(sample.time, stop);
      EXPECT_NEAR(sample.q[0], v0 * t - 0.5 * F / m * t * t, 2e-3 * v0 * stop) << type << " at " << sample.time;
      if (sample.time < 0.95 * stop) {
        EXPECT_NEAR(sample.v[0], v0 - F / m * t, 1e-5) << type << " at " << sample.time;
        EXPECT_NEAR(sample.element_outputs[0], -F, 1e-12) << type;
      }
    }
    const Sample& last = memory.samples().back();
    EXPECT_LT(std::abs(last.v[0]), 1e-4) << type;
    EXPECT_NEAR(last.dissipated, 0.5 * m * v0 * v0, 2e-3 * v0 * v0) << type;
    EXPECT_EQ(last.input, 0.0) << type;
    EXPECT_LT(outcome.energy_error, 1e-3 * outcome.peak_kinetic) << type;
  }
}

// Stick: under an effort below the friction it creeps as the header says.
TEST(JointFriction, CreepsWhereItShouldStick) {
  const Model model(slider({.friction = 0.7, .velocity = 1e-3}));
  Scenario s;
  s.duration = 2.0, s.output_step = 1.0;
  s.integrator.type = "bdf";
  s.inputs["motor"] = 0.35;
  MemoryRecorder memory;
  Simulator(model, s).run({&memory});
  EXPECT_NEAR(memory.samples().back().v[0], 1e-3 * std::atanh(0.5), 1e-8);
}

TEST(JointFriction, DerivativesAndAccountsAreExactOnAnyRobot) {
  for (const unsigned seed : {1u, 2u}) {
    Robot robot = test::random_chain(seed);
    robot.elements.push_back(make_joint_friction<double>(
        "hip", "arm", 0, {.friction = 0.2, .velocity = 0.3, .stiction = 0.5, .stribeck_velocity = 0.8}));
    robot.elements.push_back(make_joint_friction<double>("rail", "slide", 0, {.friction = 0.6, .velocity = 0.2}));
    test::expect_exact_motion(robot);
  }
}

TEST(JointFriction, ParametersByNameHaveGradients) {
  test::expect_parameter_gradients(
      "  - {name: hip, type: joint_friction, link: arm, friction: 0.2, velocity: 0.3, stiction: 0.5, "
      "stribeck_velocity: 0.8}\n",
      {"elements.hip.friction", "elements.hip.velocity", "elements.hip.stiction", "elements.hip.stribeck_velocity"});
}

std::string error_of(const JointFriction& friction) {
  try {
    make_joint_friction<double>("rub", "arm", 0, friction);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(JointFriction, ErrorsNameTheKey) {
  EXPECT_EQ(error_of({.friction = -1, .velocity = 1}), "friction: found -1, expected a number >= 0 [N m or N]");
  EXPECT_EQ(error_of({.friction = 1, .velocity = 0}), "velocity: found 0, expected a number > 0 [rad/s or m/s]");
  EXPECT_EQ(error_of({.friction = 1, .velocity = 1, .stiction = 2}),
            "stribeck_velocity: found nothing beside stiction, expected a number > velocity [rad/s or m/s]");
  EXPECT_EQ(error_of({.friction = 1, .velocity = 1, .stribeck_velocity = 2}),
            "stiction: found nothing beside stribeck_velocity, expected a number >= friction [N m or N]");
  EXPECT_EQ(error_of({.friction = 1, .velocity = 1, .stiction = 0.5, .stribeck_velocity = 2}),
            "stiction: found 0.5, expected a number >= friction = 1");
  EXPECT_EQ(error_of({.friction = 1, .velocity = 1, .stiction = 2, .stribeck_velocity = 1}),
            "stribeck_velocity: found 1, expected a number > velocity = 1");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
