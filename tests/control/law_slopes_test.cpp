// Derivatives of the laws by configuration, velocity and their states, against differences of the closed loop.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "control/control_loop.h"
#include "cuttle/error.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/robot_system.h"
#include "support/control_laws.h"
#include "support/random_state.h"
#include "support/residual_slopes.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::k_reference, test::Law, test::laws, test::scenario_of;

/// At random motions. @param size  of the configurations' displacements.
void expect_slopes(const ScenarioFile& file, const std::string& what, double tolerance, double size = 0.3,
                   const VectorXd& held = {}) {
  const Model model(file.robot);
  RobotSystem system(model, {.inputs = std::vector<Signal>(static_cast<std::size_t>(model.nu())),
                             .controllers = file.scenario.controllers});
  if (held.size() > 0) system.held_inputs() = held;
  const VectorXd start = system.with_controllers(start_of_auxiliary(model));
  test::Random random(7);
  for (int trial = 0; trial < 3; ++trial) {
    const auto state = test::random_state(model, random);
    VectorXd q = state.q, step(model.nv());
    const VectorXd neutral = model.neutral();
    difference<double>(model, neutral, state.q, step);
    integrate<double>(model, neutral, VectorXd(size * step), q);
    test::expect_residual_slopes(system, 0.3, q, state.v, state.a, {start, 0.01, 0.02},
                                 what + ", trial " + std::to_string(trial), tolerance);
  }
}

/// Of what controllers set, likewise.
void expect_input_slopes(const ScenarioFile& file, const std::string& what) {
  const Model model(file.robot);
  RobotSystem system(model, {.inputs = std::vector<Signal>(static_cast<std::size_t>(model.nu())),
                             .controllers = file.scenario.controllers});
  const VectorXd start = system.with_controllers(start_of_auxiliary(model));
  test::Random random(7);
  constexpr double k_step = 1e-4;
  for (int trial = 0; trial < 3; ++trial) {
    const auto state = test::random_state(model, random);
    VectorXd u(model.nu());
    const auto inputs = [&](const VectorXd& q, const VectorXd& v) -> VectorXd {
      u.setZero();
      system.control().add_inputs({0.3, q, v, start, 0.01, 0.02}, u);
      return u;
    };
    const auto slope = [](auto&& at) -> VectorXd {
      return (45.0 * (at(1.0) - at(-1.0)) - 9.0 * (at(2.0) - at(-2.0)) + (at(3.0) - at(-3.0))) / (60.0 * k_step);
    };
    const VectorXd q = 0.15 * state.q;
    inputs(q, state.v);
    MatrixXd by_q, by_v;
    system.control().slopes({0.3, q, state.v, start, 0.01, 0.02}, by_q, by_v);
    for (Eigen::Index k = 0; k < model.nv(); ++k) {
      const VectorXd e = k_step * VectorXd::Unit(model.nv(), k);
      const VectorXd q_slope = slope([&](double t) { return inputs(q + t * e, state.v); });
      const VectorXd v_slope = slope([&](double t) { return inputs(q, state.v + t * e); });
      EXPECT_LT((by_q.col(k) - q_slope).norm(), 1e-6 * (1.0 + by_q.norm())) << what << ", q " << k << trial;
      EXPECT_LT((by_v.col(k) - v_slope).norm(), 1e-6 * (1.0 + by_v.norm())) << what << ", v " << k << trial;
    }
  }
}

const std::string k_earlier =
    "{name: first, type: pid, inputs: [m2, cable], reference: [0.2, 0.001], kp: [0.5, 300], kd: 0.1}, ";

// Every law, with and without limits, and with an earlier controller, which the law knows.
TEST(LawSlopes, AreThoseOfTheClosedLoop) {
  const std::string limits[] = {
      "}", ", limits: {lower: [-0.3, -0.1], upper: [0.2, 2]}}",
      ", limits: {lower: [-0.3, -0.1, -0.05, -0.02, -1], upper: [0.2, 0.1, 0.01, 0.05, 0.1]}}"};
  for (const Law& each : laws()) {
    for (const std::string& limit : limits) {
      for (const bool early : {false, true}) {
        ScenarioFile file;
        try {
          file = scenario_of((early ? k_earlier : "") + each.text + limit, "", early ? "clip" : "allow");
        } catch (const FileError&) {  // limits of another number of inputs
          EXPECT_NE(limit, "}") << each.name;
          continue;
        }
        expect_slopes(file, each.name + limit + (early ? " after another" : ""), 1e-8);
      }
    }
  }
}

// What the table of laws has not: a part of the coordinates, more inputs than forces, turning alone.
TEST(LawSlopes, OfPartsAndOfInputsThatAreTooMany) {
  const std::string more[] = {
      "{name: c, type: adaptive, inputs: [m1, m2], links: [upper, fore], reference: [{type: sine, amplitude: 0.2, "
      "frequency: 1}, 0.1], lambda: [5, 1, 0, 4], kr: [0.3, 0.2], gamma: [2, 0.5], parameters: [{path: "
      "links.fore.body.mass, initial: 0.5, lower: 0.1, upper: 1}, {path: links.upper.body.mass, initial: 1, lower: "
      "0.1, upper: 2}]}",
      "{name: c, type: operational_space, frame: soft.tip, reference: {position: [{type: sine, amplitude: 0.1, "
      "frequency: 1}, 0, 0.4]}, stiffness: [0, 0, 0, 4, 0, 5], damping: [0, 0, 0, 0.4, 0, 0.3], nullspace_damping: "
      "0.02}",
      "{name: c, type: operational_space, frame: soft.tip, reference: {position: [0.1, 0, 0.4], quaternion: [0.8, "
      "-0.4, "
      "0.1, 0.3]}, stiffness: [0.02, 0.03, 0, 0, 0, 0], damping: [0.01, 0.01, 0, 0, 0, 0], nullspace_damping: 0.01}",
      "{name: c, type: operational_space, inputs: [m1, bend], frame: fore.tip, reference: {position: [0.1, 0, 0.4]}, "
      "stiffness: [0, 0, 0, 4, 0, 0], damping: [0, 0, 0, 0.4, 0, 0], nullspace_damping: 0.05, limits: {lower: -0.01, "
      "upper: 0.02}}"};
  for (const std::string& law : more) {
    for (const bool early : {false, true}) {
      expect_slopes(scenario_of((early ? k_earlier : "") + law), law + (early ? " after another" : ""), 1e-8);
    }
  }
}

// The displacement from the equilibrium is a rotation vector: its tangent map.
TEST(LawSlopes, OfLqrOnAJointThatTurnsFreely) {
  const std::string robot = R"(cuttle: 1
name: pendulum
links:
  - {name: ball, joint: {type: spherical, damping: 0.01}, body: {type: rigid, mass: 0.4, com: [0.01, 0, -0.1], inertia: [2.0e-3, 3.0e-3, 5.0e-4, 0, 0, 0], tip: {position: [0, 0, -0.2]}}}
  - {name: whip, body: {type: rod, length: 0.2, section: {shape: circle, radius: 0.012}, material: {density: 1070, young_modulus: 4.0e+5, damping_time: 0.05}, strain: {kappa_y: constant}}}
actuators:
  - {name: push, type: wrench, link: ball, frame: body}
)";
  const ScenarioFile file = read_scenario_text(
      "cuttle: 1\nrobot: arm.yaml\nsimulation:\n  controllers: [{name: c, type: lqr, state_weight: 1, input_weight: "
      "5}]\n",
      "s.yaml", robot);
  expect_slopes(file, "lqr", 1e-8, 0.8);
}

/// An arm between two tendons that are wound, with a rod on it that nothing drives.
const std::string k_wound = R"(cuttle: 1
name: wound
gravity: [1, 0, -9.81]
links:
  - {name: arm, joint: {type: revolute, axis: [0, 1, 0], stiffness: 2, damping: 0.1}, body: {type: rigid, mass: 0.4, com: [0.01, 0, 0.1], inertia: [2.0e-3, 2.0e-3, 3.0e-4, 0, 0, 0], tip: {position: [0, 0, 0.2]}}}
  - {name: whip, body: {type: rod, length: 0.2, section: {shape: circle, radius: 0.012}, material: {density: 1070, young_modulus: 4.0e+5, damping_time: 0.05}, strain: {kappa_y: constant}}}
actuators:
  - {name: right, type: tendon, routing: [{link: base, points: [[0.06, 0, 0]]}, {link: arm, points: [[0.02, 0, 0.15]]}], drive: length, stiffness: 4000, pretension: 30, range: 0.5}
  - {name: left, type: tendon, routing: [{link: base, points: [[-0.06, 0, 0]]}, {link: arm, points: [[-0.02, 0, 0.15]]}, {link: whip, offset: [-0.01, 0]}], drive: length, stiffness: 3000, pretension: 20, range: 2}
  - {name: motor, type: joint, link: arm}
)";

// Laws that solve for the tension of tendons that are wound, also where these are slack or at limits of their winding,
// and after a controller that winds them.
TEST(LawSlopes, OfTendonsDrivenByTheirLength) {
  const std::string solving[] = {
      "type: partial_feedback_linearization, inputs: [right], reference: [{type: sine, amplitude: 0.01, frequency: "
      "0.5}], kp: 30, kd: 5",
      "type: partial_feedback_linearization, inputs: [left, motor], reference: [0.001, {type: sine, amplitude: 0.2, "
      "frequency: 0.5}], kp: 30, kd: 5",
      "type: computed_torque, inputs: [right, left], links: [arm], reference: [{type: sine, amplitude: 0.3, frequency: "
      "0.5}], kp: 30, kd: 5",
      "type: computed_torque, inputs: [motor], links: [arm], reference: [0.1], kp: 30, kd: 5",
      "type: pd_with_cancellation, links: [arm], reference: [0.2], kp: 3, kd: 0.5",
      "type: pd_plus, inputs: [right, left], links: [arm], reference: [0.2], kp: 3, kd: 0.5",
      "type: feed_forward, links: [arm], reference: [{type: sine, amplitude: 0.3, frequency: 0.5}]",
      "type: adaptive, inputs: [right, left], links: [arm], reference: [0.2], lambda: 4, kr: 0.3, gamma: 2, "
      "parameters: "
      "[{path: links.arm.body.mass, initial: 0.3, lower: 0.1, upper: 1}]",
      "type: operational_space, inputs: [right, left], frame: arm.tip, reference: {position: [0.05, 0, 0.19]}, "
      "stiffness: [0, 0, 0, 90, 0, 0], damping: [0, 0, 0, 9, 0, 0], nullspace_damping: 0.1"};
  const std::string first =
      "{name: first, type: pid, inputs: [left, motor], reference: [0.001, 0.1], kp: [0.2, 3], kd: [0.01, 0.1]}, ";
  for (const std::string& law : solving) {
    for (const std::string& rest : {std::string("}"), std::string(", limits: {lower: -0.004, upper: 0.003}}")}) {
      for (const bool early : {false, true}) {
        const ScenarioFile file = read_scenario_text("cuttle: 1\nrobot: arm.yaml\nsimulation:\n  controllers: [" +
                                                         (early ? first : "") + "{name: c, " + law + rest + "]\n",
                                                     "s.yaml", k_wound);
        VectorXd held(3);
        held << 0.002, -0.001, 0.1;
        expect_slopes(file, law + rest + (early ? " after another" : ""), 1e-7, 0.15, held);
      }
    }
  }
}

/// An arm and a finger on it by tendons with friction, one of which turns at points and along a rod.
/// @param tendon  what tendons have more.   @param sliding  of friction.
std::string rubbing(const std::string& tendon, const std::string& sliding) {
  return R"(cuttle: 1
name: rubbing
gravity: [1, 0, -9.81]
links:
  - {name: arm, joint: {type: revolute, axis: [0, 1, 0], stiffness: 2, damping: 0.1}, body: {type: rigid, mass: 0.4, com: [0.01, 0, 0.1], inertia: [2.0e-3, 2.0e-3, 3.0e-4, 0, 0, 0], tip: {position: [0, 0, 0.2]}}}
  - {name: whip, body: {type: rod, length: 0.2, section: {shape: circle, radius: 0.012}, material: {density: 1070, young_modulus: 4.0e+5, damping_time: 0.05}, strain: {kappa_x: constant, kappa_y: constant}}}
actuators:
  - {name: right, type: tendon, routing: [{link: base, points: [[0.06, 0, 0]]}, {link: arm, points: [[0.02, 0, 0.05], [0.03, 0, 0.15]]}])" +
         tendon + R"(}
  - {name: left, type: tendon, routing: [{link: base, points: [[-0.06, 0, 0]]}, {link: arm, points: [[-0.02, 0, 0.15]]}, {link: whip, offset: [-0.01, 0]}])" +
         tendon + R"(}
  - {name: side, type: tendon, slack: allow, routing: [{link: whip, offset: [0.002, 0.01]}]}
  - {name: motor, type: joint, link: arm}
elements:
  - {name: rub, type: tendon_friction, actuators: [right, left], coefficient: 0.3, )" +
         sliding + R"(}
  - {name: more, type: tendon_friction, actuators: [left, side], coefficient: 0.1, sliding: none, range: 0.03}
)";
}

// Friction of the tendons that a law drives: tensions of both signs and tendons that only pull or are wound, within
// limits and at them, sliding fast and as slow as friction depends on the velocity, after a controller that pulls.
TEST(LawSlopes, OfTendonsWithFriction) {
  const std::string sine = "{type: sine, amplitude: 0.3, frequency: 0.5}";
  const std::string solving[] = {
      "type: partial_feedback_linearization, inputs: [left, motor], reference: [0.001, " + sine + "], kp: 30, kd: 5",
      "type: partial_feedback_linearization, inputs: [right, left, side], reference: [{type: sine, amplitude: 0.01, "
      "frequency: 0.5}, 0.001, 0.001], kp: 30, kd: 5",
      "type: computed_torque, inputs: [right, left, side], links: [arm], reference: [" + sine + "], kp: 30, kd: 5",
      "type: computed_torque, inputs: [motor, left, side, right], reference: [" + sine + ", 0.2, -0.2], kp: 30, kd: 5",
      "type: pd_plus, inputs: [right, left], links: [arm], reference: [0.2], kp: 3, kd: 0.5",
      "type: operational_space, inputs: [right, left], frame: arm.tip, reference: {position: [0.05, 0, 0.19]}, "
      "stiffness: [0, 0, 0, 90, 0, 0], damping: [0, 0, 0, 9, 0, 0], nullspace_damping: 0.1",
      "type: operational_space, inputs: [motor, left, side], frame: whip.tip, reference: {position: [0.05, 0, 0.3]}, "
      "stiffness: [0, 0, 0, 90, 10, 0], damping: [0, 0, 0, 9, 1, 0], nullspace_damping: 0.1"};
  const std::string first =
      "{name: first, type: pid, inputs: [left, motor, side], reference: [0.001, 0.1, 0.01], kp: [2, 3, 20], kd: 0.1}, ";
  for (const std::string& tendon : {std::string(", slack: allow"), std::string(", slack: clip"),
                                    std::string(", drive: length, stiffness: 400, pretension: 3, range: 0.5")}) {
    for (const char* sliding : {"range: 0.001", "sliding: none, range: 0.4"}) {
      for (const std::string& law : solving) {
        for (const char* rest : {"}", ", limits: {lower: -0.4, upper: 0.3}}"}) {
          for (const bool early : {false, true}) {
            const ScenarioFile file = read_scenario_text("cuttle: 1\nrobot: arm.yaml\nsimulation:\n  controllers: [" +
                                                             (early ? first : "") + "{name: c, " + law + rest + "]\n",
                                                         "s.yaml", rubbing(tendon, sliding));
            VectorXd held(4);
            held << 0.02, 0.01, -0.02, 0.1;
            expect_slopes(file, law + rest + tendon + sliding + (early ? " after another" : ""), 1e-7, 0.15, held);
          }
        }
      }
    }
  }
}

/// Five inputs for three coordinates: a motor, a moment and tendons, whose lever arms change.
std::string with_too_many(const std::string& tendon) {
  return R"(cuttle: 1
name: many
gravity: [1, 0, -9.81]
links:
  - {name: arm, joint: {type: revolute, axis: [0, 1, 0], stiffness: 2, damping: 0.1}, body: {type: rigid, mass: 0.4, com: [0.01, 0, 0.1], inertia: [2.0e-3, 2.0e-3, 3.0e-4, 0, 0, 0], tip: {position: [0, 0, 0.2]}}}
  - {name: whip, body: {type: rod, length: 0.2, section: {shape: circle, radius: 0.012}, material: {density: 1070, young_modulus: 4.0e+5, damping_time: 0.05}, strain: {kappa_x: constant, kappa_y: constant}}}
actuators:
  - {name: right, type: tendon, routing: [{link: base, points: [[0.06, 0, 0]]}, {link: arm, points: [[0.02, 0, 0.05], [0.03, 0, 0.15]]}])" +
         tendon + R"(}
  - {name: left, type: tendon, routing: [{link: base, points: [[-0.06, 0, 0]]}, {link: arm, points: [[-0.02, 0, 0.15]]}, {link: whip, offset: [-0.01, 0]}])" +
         tendon + R"(}
  - {name: side, type: tendon, routing: [{link: whip, offset: [0.002, 0.01]}])" +
         tendon + R"(}
  - {name: push, type: linear, links: [whip], matrix: [[1], [0.3]]}
  - {name: motor, type: joint, link: arm}
elements:
  - {name: rub, type: tendon_friction, actuators: [right, left], coefficient: 0.3, sliding: none, range: 0.4}
)";
}

// Of inputs that make the same force a law takes the least. Which these are changes with the motion, though no force
// does: seen by what costs inputs, limits and whoever comes after.
TEST(LawSlopes, OfTheLeastOfTooManyInputs) {
  const std::string sine = "{type: sine, amplitude: 0.3, frequency: 0.5}";
  const std::string all = "inputs: [right, left, side, push, motor]";
  const std::string solving[] = {
      "type: computed_torque, " + all + ", reference: [" + sine + ", 0.2, -0.2], kp: 30, kd: 5",
      "type: computed_torque, inputs: [left, right, motor], links: [arm], reference: [" + sine + "], kp: 30, kd: 5",
      "type: pd_plus, " + all + ", reference: [0.2, " + sine + ", 0.4], kp: 3, kd: 0.5",
      "type: pd_with_cancellation, " + all + ", reference: [0.2, 0.1, 0.4], kp: 3, kd: 0.5",
      "type: operational_space, " + all +
          ", frame: whip.tip, reference: {position: [0.05, 0, 0.3]}, stiffness: [0, 0, "
          "0, 90, 10, 0], damping: [0, 0, 0, 9, 1, 0], nullspace_damping: 0.1",
      "type: operational_space, inputs: [right, left, motor], frame: arm.tip, reference: {position: [0.05, 0, 0.19]}, "
      "stiffness: [0, 0, 0, 90, 0, 0], damping: [0, 0, 0, 9, 0, 0], nullspace_damping: 0.1"};
  const std::string first =
      "{name: first, type: pid, inputs: [left, motor, side], reference: [0.001, 0.1, 0.01], kp: [2, "
      "3, 20], kd: 0.1}, ";
  const auto with_friction = with_too_many(", slack: allow");
  const std::string robots[] = {with_friction.substr(0, with_friction.find("elements:")), with_friction};
  for (const std::string& robot : robots) {
    for (const std::string& law : solving) {
      for (const char* rest : {"}", ", limits: {lower: 0.05, upper: 40}}", ", limits: {lower: -1, upper: 0.3}}"}) {
        for (const bool early : {false, true}) {
          const ScenarioFile file = read_scenario_text("cuttle: 1\nrobot: arm.yaml\nsimulation:\n  controllers: [" +
                                                           (early ? first : "") + "{name: c, " + law + rest + "]\n",
                                                       "s.yaml", robot);
          expect_input_slopes(file, law + rest + (early ? " after another" : ""));
        }
      }
    }
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
