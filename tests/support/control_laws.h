#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/simulator.h"
#include "support/controlled_arm.h"

// Every law of the library on one robot, for the tests of what runs with what.

namespace cuttle::test {

/// The arm with everything else that can act: springs, a limit, a load in time, water.
inline const std::string k_arm_with_all = std::string(k_arm) + R"(actuators:
  - {name: m1, type: joint, link: upper}
  - {name: m2, type: joint, link: fore}
  - {name: cable, type: tendon, routing: [{link: fore, points: [[0.03, 0, 0.02]]}, {link: soft, offset: [0.01, 0.002]}], slack: SLACK}
  - {name: bend, type: linear, links: [soft], matrix: [[1, 0.2, 0], [0, 1, 0.1], [0.1, 0, 1]]}
elements:
  - {name: band, type: spring, a: {link: base, pose: {position: [0.2, 0, 0.1]}}, b: {link: fore, at: tip}, stiffness: 4, damping: 0.1, rest_length: 0.15}
  - {name: stop, type: joint_limit, link: fore, index: 0, lower: -1.5, upper: 0.6, stiffness: 3, damping: 0.05, range: 0.05}
loads:
  - {type: wrench, link: soft, at: tip, force: [{type: sine, amplitude: 0.1, frequency: 1.5}, 0.05, 0], torque: [0, 0, 0.002], frame: body}
  - {type: fluid, link: soft, density: 900, normal_drag: 1.1}
)";

/// @param more   of the simulation.   @param parts  of the robot: loops.
inline ScenarioFile scenario_of(const std::string& controllers, const std::string& more = "",
                                const std::string& slack = "allow", const std::string& parts = "") {
  std::string robot = k_arm_with_all;
  robot.replace(robot.find("SLACK"), 5, slack);
  robot += parts;
  return read_scenario_text("cuttle: 1\nrobot: arm.yaml\nsimulation:\n  controllers: [" + controllers + "]\n" + more,
                            "s.yaml", robot);
}

inline std::vector<Sample> run_of(const ScenarioFile& file, const std::string& integrator, double step = 1e-3) {
  const Model model(file.robot);
  Scenario scenario = file.scenario;
  scenario.integrator = {};
  scenario.integrator.type = integrator;
  if (integrator == "bdf" || integrator == "erk") {
    scenario.integrator.relative_tolerance = 1e-9, scenario.integrator.absolute_tolerance = 1e-11;
  } else {
    scenario.integrator.step = step;
  }
  MemoryRecorder recorder;
  const Outcome outcome = Simulator(model, scenario).run({&recorder});
  EXPECT_LT(outcome.energy_error, 2e-3 * (outcome.peak_energy + outcome.peak_kinetic)) << integrator;
  return recorder.samples();
}

inline const std::string k_start = "  initial: {upper: {q: [0.4]}, fore: {q: [-0.3]}, soft: {q: [0.2, -0.3, 0.01]}}\n";
inline const std::string k_reference =
    "reference: [{type: cubic, start: 0, end: 0.6, from: 0.1, to: 0.5}, {type: sine, amplitude: 0.2, frequency: 1}, "
    "0.3, -0.1, "
    "{type: quintic, start: 0.1, end: 0.4, to: 0.01}]";
inline const std::string k_two = "reference: [{type: cubic, start: 0, end: 0.6, from: 0.1, to: 0.5}, 0.002]";

struct Law {
  const char* name;
  std::string text;  ///< all but what the frame has
};
inline const std::vector<Law>& laws() {
  static const std::vector<Law> k_laws = {
      {"computed_torque", "{name: c, type: computed_torque, inputs: [m1, m2, bend.0, bend.1, bend.2], " + k_reference +
                              ", kp: 100, kd: 12"},
      {"computed_torque_of_a_part",
       "{name: c, type: computed_torque, inputs: [m1, m2], links: [upper, fore], reference: [0.5, "
       "{type: sine, amplitude: 0.2, frequency: 1}], kp: [100, 3, 0, 80], kd: [12, 10]"},
      {"partial_feedback_linearization",
       "{name: c, type: partial_feedback_linearization, inputs: [m1, cable], " + k_two + ", kp: 100, kd: 12"},
      {"pfbl_without",
       "{name: c, type: partial_feedback_linearization, inputs: [m1, m2], model: {without: [soft]}, reference: [0.3, "
       "{type: sine, amplitude: 0.2, frequency: 1}], kp: 100, kd: 12"},
      {"pfbl_rigid",
       "{name: c, type: partial_feedback_linearization, inputs: [m1, m2], model: rigid, reference: [0.3, 0.1], kp: "
       "100, "
       "kd: 12"},
      {"pd_with_cancellation", "{name: c, type: pd_with_cancellation, inputs: [m1, m2, bend], " + k_reference +
                                   ", kp: [2, 1, 0.1, 0.1, 10], kd: 0.05"},
      {"pd_plus",
       "{name: c, type: pd_plus, inputs: [m1, m2, bend], " + k_reference + ", kp: [2, 1, 0.1, 0.1, 10], kd: 0.05"},
      {"pd_plus_of_a_part",
       "{name: c, type: pd_plus, inputs: [bend], links: [soft], reference: [0.1, 0.2, 0.01], kp: 0.1, kd: 0.01"},
      {"pid",
       "{name: c, type: pid, inputs: [m1, cable], " + k_two + ", kp: [3, 400], kd: [0.2, 5], ki: [[4, 0.1], [0, 900]]"},
      {"feed_forward", "{name: c, type: feed_forward, inputs: [m1, m2, bend], " + k_reference},
      {"adaptive", "{name: c, type: adaptive, inputs: [m1, m2, bend], " + k_reference +
                       ", lambda: 5, kr: [0.3, 0.2, 0.01, 0.01, 0.5], gamma: [1.0e+10, 2], parameters: [{path: "
                       "materials.m.young_modulus, initial: 1.0e+5, lower: 5.0e+4, upper: 4.0e+5}, {path: "
                       "links.fore.body.mass, initial: 0.5, lower: 0.1, upper: 1}]"},
      {"operational_space",
       "{name: c, type: operational_space, inputs: [m1, m2, bend], frame: soft.tip, reference: {position: [{type: "
       "sine, amplitude: 0.1, frequency: 1}, 0, 0.4], quaternion: [0.9, 0.1, 0.3, 0.2]}, stiffness: [0, 0.02, 0, 4, 0, "
       "5], damping: [0, 0.01, 0, 0.4, 0, 0.3], nullspace_damping: 0.02"},
      {"feed_inputs",
       "{name: c, type: feed_forward, inputs: {m2: 0.1, m1: {type: sine, amplitude: 0.4, frequency: 2}}"},
  };
  return k_laws;
}
inline const Law& law(const std::string& name) {
  return *std::find_if(laws().begin(), laws().end(), [&](const Law& x) { return x.name == name; });
}

}  // namespace cuttle::test
