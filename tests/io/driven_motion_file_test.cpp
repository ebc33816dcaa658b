// Driven motion in scenario files and in results; the shipped examples.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cuttle/io/result_file.h"
#include "cuttle/io/result_reader.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/simulator.h"
#include "io/io_support.h"
#include "support/paths.h"
#include "view/result_curves.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string k_examples = test::k_source_dir + "/models/examples/";

const char* const k_crane = R"(cuttle: 1
name: crane
base: {pose: {position: [1, 2, 3], rpy: [0, 0, 0.5]}}
links:
  - {name: foot, body: {type: rigid, mass: 2, inertia: [1, 1, 1, 0, 0, 0]}}
  - {name: boom, joint: {type: cylindrical}, body: {type: rigid, mass: 1, com: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}}
  - {name: load, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 0.5, com: [0, 0, -0.4], inertia: [0.01, 0.01, 0.01, 0, 0, 0]}}
)";
std::string scenario_with(const std::string& motion, const std::string& more = "") {
  return "cuttle: 1\nrobot: crane.yaml\nsimulation:\n  duration: 0.2\n" + more + "  motion:\n" + motion;
}
ScenarioFile read_motion(const std::string& motion, const std::string& more = "") {
  return read_scenario_text(scenario_with(motion, more), "s.yaml", k_crane);
}
std::string motion_errors(const std::string& motion, const std::string& more = "") {
  try {
    read_motion(motion, more);
    return "";
  } catch (const FileError& error) {
    return error.what();
  }
}

TEST(DrivenMotionFile, ReadsAndWritesTheSame) {
  const ScenarioFile file = read_motion(
      "    base: {position: [{type: sine, amplitude: 0.1, frequency: 2}, 0, 3]}\n"
      "    boom: [{type: cubic, start: 0, end: 0.1, from: 0.2, to: 0.4}, 0.5]\n");
  const DrivenMotion& motion = file.scenario.motion;
  ASSERT_TRUE(motion.base.position);
  EXPECT_EQ((*motion.base.position)[0], Signal::sine(0.1, 2, 0, 0));
  EXPECT_FALSE(motion.base.rpy);
  EXPECT_EQ(motion.joints.at("boom"), (std::vector<Signal>{Signal::cubic(0, 0.1, 0.2, 0.4), 0.5}));
  EXPECT_TRUE(file.robot.floating_base) << "what moves is not fixed";
  const ScenarioFile again = read_scenario_text(scenario_text(file.scenario, "crane.yaml"), "s.yaml", k_crane);
  EXPECT_EQ(again.scenario.motion.joints, motion.joints);
  EXPECT_EQ(again.scenario.motion.base.position, motion.base.position);
  EXPECT_FALSE(read_motion("    boom: [0, 0]\n").robot.floating_base);
}

TEST(DrivenMotionFile, ErrorsHaveTheirPlaces) {
  EXPECT_THAT(motion_errors("    boom: [0]\n"),
              HasSubstr("s.yaml:6:11: simulation.motion.boom: found 1 signal, expected 2, one a joint coordinate"));
  EXPECT_THAT(motion_errors("    boom: [0, {type: step, time: 0.1, before: 0, after: 1}]\n"),
              HasSubstr("s.yaml:6:15: simulation.motion.boom[1]: found a signal whose value jumps at t = 0.1 s"));
  EXPECT_THAT(motion_errors("    bom: [0, 0]\n"), HasSubstr("did you mean 'boom'?"));
  EXPECT_THAT(motion_errors("    base: [0, 0, 0]\n"), HasSubstr("simulation.motion.base: found a list of 3"));
  EXPECT_THAT(motion_errors("    base: {}\n"), HasSubstr("simulation.motion.base"));
  EXPECT_THAT(motion_errors("    base: {position: [0, 0]}\n"), HasSubstr("simulation.motion.base.position"));
}

// Efforts are in results with names and units, are read again, and are drawn; the robot of the result has the base
// that the run had.
TEST(DrivenMotionFile, ResultsHaveEfforts) {
  const TemporaryDirectory directory;
  directory.write("crane.yaml", k_crane);
  const std::string path = directory.write(
      "s.yaml", scenario_with("    base: {rpy: [0, 0, {type: cubic, start: 0, end: 0.2, from: 0.5, to: 1}]}\n"
                              "    boom: [{type: sine, amplitude: 0.1, frequency: 2}, 0]\n"));
  const ScenarioFile file = load_scenario_file(path);
  const Model model(file.robot);
  MemoryRecorder memory;
  const std::string result_path = directory.path("r.h5");
  const auto recorder = make_hdf5_recorder(
      result_path, {file.robot_yaml, file.scenario_yaml, file.overrides, file.robot_files, file.files});
  Simulator(model, file.scenario).run({&memory, recorder.get()});
  const ResultFile result = read_result_file(result_path);
  EXPECT_TRUE(result.robot.floating_base);
  ASSERT_EQ(result.motion.size(), 2U);
  EXPECT_EQ(result.motion[0].name, "base");
  EXPECT_EQ(result.motion[1].name, "boom");
  ASSERT_EQ(result.motion[1].efforts.size(), 2U);
  EXPECT_EQ(result.motion[1].efforts[1].name, "joint.q1");
  EXPECT_EQ(result.motion[1].efforts[0].unit, "N m");
  EXPECT_EQ(result.motion[1].efforts[1].unit, "N");
  ASSERT_EQ(result.samples.size(), memory.samples().size());
  for (std::size_t i = 0; i < result.samples.size(); ++i) {
    EXPECT_EQ(result.samples[i].motion, memory.samples()[i].motion);
    EXPECT_NEAR(result.samples[i].motion[5], 3.5 * 9.81, 2.0) << "carries the weight, along z";
    EXPECT_NEAR(result.samples[i].tips[0].position.x, 1.0, 1e-12) << "the position is the file's";
  }
  const CurveFinder finder(result.robot, result.controllers, result.motion);
  const auto curves = finder.find("motion", result.samples);
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_EQ(curves[0].curves.size(), 8U);
  EXPECT_EQ(curves[0].curves[6].name, "motion.boom.joint.q0");
}

TEST(DrivenMotionFile, ShakenArmKeepsItsAccount) {
  const ScenarioFile file = load_scenario_file(k_examples + "shaken_arm_scenario.yaml");
  MemoryRecorder memory;
  const Outcome outcome = Simulator(Model(file.robot), file.scenario).run({&memory});
  EXPECT_LT(outcome.energy_error, 1e-4 * outcome.peak_kinetic);
  const auto& samples = memory.samples();
  const Vector3 hanging = samples.front().tips.back().position;
  double farthest = 0.0;
  for (const Sample& s : samples) farthest = std::max(farthest, std::abs(s.tips.back().position.x));
  EXPECT_GT(farthest, 0.06) << "farther than the plate";
  EXPECT_NEAR(hanging.x, 0.0, 1e-9);
  EXPECT_GT(outcome.last.load, 0.0);
}

// Twist between clamps buckles a straight rod at M = 8.987 EI / L: of lateral displacements u + i w, E I (u + i w)''''
// = i M (u + i w)''' has a solution that is clamped at both ends first where x = tan x, x = M L / 2 EI = 4.4934
// (Greenhill 1883). The torque is the effort of the grip; a rod with a small bend of its own leaves the line earlier.
TEST(DrivenMotionFile, TwistedRodBucklesAtGreenhillsTorque) {
  const ScenarioFile file = load_scenario_file(k_examples + "twisted_rod_scenario.yaml");
  MemoryRecorder memory;
  const Outcome outcome = Simulator(Model(file.robot), file.scenario).run({&memory});
  const double radius = 0.003, EI = 5e7 * M_PI * std::pow(radius, 4) / 4, length = 0.5;
  const double critical = 2 * 4.493409458 * EI / length;
  double most = 0.0, torque_at_departure = 0.0;
  for (const Sample& s : memory.samples()) {
    const double aside = std::hypot(s.markers[0].position.x, s.markers[0].position.y);
    most = std::max(most, s.motion[0]);
    if (torque_at_departure == 0.0 && aside > 0.02 * length) torque_at_departure = s.motion[0];
    if (s.motion[0] < 0.8 * critical && torque_at_departure == 0.0) {
      EXPECT_LT(aside, 0.01 * length) << "t = " << s.time;
    }
  }
  EXPECT_NEAR(torque_at_departure, critical, 0.03 * critical);
  EXPECT_NEAR(most, critical, 0.03 * critical);
  const Sample& last = memory.samples().back();
  EXPECT_GT(std::hypot(last.markers[0].position.x, last.markers[0].position.y), 0.1 * length);
  EXPECT_LT(last.motion[0], 0.93 * critical) << "a coil takes less";
  EXPECT_LT(outcome.energy_error, 1e-2 * outcome.peak_energy);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
