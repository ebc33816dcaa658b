// Sensors and tendons driven by length in robot files, and what they measure in result files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cuttle/algorithms/elements.h"
#include "cuttle/algorithms/parameter_gradient.h"
#include "cuttle/elements/length_drive.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/result_reader.h"
#include "cuttle/io/robot_writer.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/model/sensor.h"
#include "cuttle/simulation/simulator.h"
#include "io/io_support.h"
#include "support/paths.h"
#include "support/same_robot.h"
#include "view/result_curves.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string k_example = test::k_source_dir + "/models/examples/servo_finger";

std::string with_part(const std::string& part) {
  return R"(cuttle: 1
links:
  - {name: arm, joint: {type: revolute}, body: {type: rigid, mass: 1, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}}
  - {name: soft, body: {type: rod, length: 0.3, material: {density: 1000, young_modulus: 1.0e5}, strain: pcc, section: {shape: circle, radius: 0.01}}}
)" + part;
}
std::string cable(const std::string& keys) {
  return with_part("actuators:\n  - {name: cable, type: tendon, routing: [{link: soft, offset: [0.008, 0]}]" + keys +
                   "}\n");
}
std::string sensor(const std::string& keys) {
  return with_part("actuators: [{name: motor, type: joint, link: arm}]\nsensors:\n  - {name: probe, " + keys + "}\n");
}

TEST(LengthDriveFile, ReadsItsNumbersAndDefaults) {
  const Robot robot = read_robot_text(cable(", drive: length, stiffness: 2000, pretension: -3, range: 0.2"), "r.yaml");
  ASSERT_NE(robot.actuators[0].law, nullptr);
  const LengthDrive* drive = length_drive_parameters(*robot.actuators[0].law);
  ASSERT_NE(drive, nullptr);
  EXPECT_EQ(drive->stiffness, 2000);
  EXPECT_EQ(drive->pretension, -3);
  EXPECT_EQ(drive->range, 0.2);
  const Robot plain = read_robot_text(cable(", drive: length, stiffness: 2000"), "r.yaml");
  drive = length_drive_parameters(*plain.actuators[0].law);
  EXPECT_EQ(drive->pretension, 0);
  EXPECT_EQ(drive->range, 0.01);
  EXPECT_EQ(read_robot_text(cable(", drive: tension"), "r.yaml").actuators[0].law, nullptr);
}

TEST(LengthDriveFile, SaysWhatDoesNotGoTogether) {
  EXPECT_THAT(robot_errors(cable(", drive: length")),
              HasSubstr("r.yaml:6:5: actuators[0]: found no stiffness, expected the stiffness of a tendon"));
  EXPECT_THAT(
      robot_errors(cable(", drive: length, stiffness: 10, slack: clip")),
      HasSubstr("actuators[0].slack: found it with `drive: length`, expected none: such a tendon never pushes"));
  EXPECT_THAT(robot_errors(cable(", pretension: 2")),
              HasSubstr("actuators[0].pretension: found it with `drive: tension`, expected `drive: length`"));
  EXPECT_THAT(robot_errors(cable(", drive: length, stiffness: 0")),
              HasSubstr("actuators[0].stiffness: found 0, expected a number > 0 [N/m]"));
  EXPECT_THAT(robot_errors(cable(", drive: winch")), HasSubstr("drive: found 'winch', expected tension or length"));
}

// Stiffness and pretension are parameters: with(), and gradients by them, which are those of the formula.
TEST(LengthDriveFile, NumbersAreParameters) {
  const Model model(read_robot_text(cable(", drive: length, stiffness: 2000, pretension: 3"), "r.yaml"));
  const Model stiffer = model.with("actuators.cable.stiffness", 3000);
  EXPECT_EQ(length_drive_parameters(*stiffer.robot().actuators[0].law)->stiffness, 3000);
  const ModelT<ForwardDual> variable =
      differentiate(model, {"actuators.cable.stiffness", "actuators.cable.pretension"});
  DataT<ForwardDual> data(variable);
  ElementDataT<ForwardDual> elements(variable);
  const VectorXd q = 0.3 * VectorXd::Ones(model.nq());
  const VectorXT<ForwardDual> at = q.cast<ForwardDual>(), v = VectorXT<ForwardDual>::Zero(model.nv());
  element_motion<ForwardDual>(variable, data, at, v, elements);
  VectorXT<ForwardDual> u(1);
  u[0] = elements.y[0].value + 0.004;
  element_efforts<ForwardDual>(variable, 0.0, u, elements);
  EXPECT_NEAR(elements.efforts[0].value, 11.0, 1e-9);
  EXPECT_NEAR(elements.efforts[0].derivative[0], 0.004, 1e-12);
  EXPECT_NEAR(elements.efforts[0].derivative[1], 1.0, 1e-12);
}

TEST(SensorFile, ErrorsHavePlaces) {
  EXPECT_THAT(robot_errors(sensor("type: strain, link: arm, s: 0.1")),
              AllOf(HasSubstr("r.yaml:7:"),
                    HasSubstr("sensors[0].link: found 'arm', which has no rod, expected a link whose body is a rod")));
  EXPECT_THAT(robot_errors(sensor("type: strain, link: soft, s: 0.4")),
              HasSubstr("sensors[0].s: found 0.4, expected 0 to 0.3 [m], the rod's length"));
  EXPECT_THAT(robot_errors(sensor("type: actuator_force, actuator: rope")),
              HasSubstr("sensors[0].actuator: found actuator 'rope', expected the name of an actuator"));
  EXPECT_THAT(robot_errors(sensor("type: chamber_volume, actuator: motor")),
              HasSubstr("sensors[0].actuator: found 'motor', which has no volume, expected the name of a chamber"));
  EXPECT_THAT(robot_errors(sensor("type: imu, link: leg")), HasSubstr("sensors[0].link: found 'leg'"));
  EXPECT_THAT(robot_errors(sensor("type: imu, link: soft, at: {s: 0.5}")), HasSubstr("sensors[0].at.s: found 0.5"));
  EXPECT_THAT(robot_errors(sensor("type: sonar, link: soft")), HasSubstr("sensors[0].type: found 'sonar'"));
  EXPECT_THAT(robot_errors(sensor("type: energy}\n  - {name: probe, type: energy")),
              HasSubstr("sensors[1].name: found 'probe' again, expected a name of its own"));
}

TEST(SensorFile, WhatIsWrittenReadsBack) {
  Robot robot = read_robot_file(k_example + ".yaml");
  robot.gravity.x = 0.5;  // changed in C++: it is written anew
  test::expect_same(robot, read_robot(write_robot(robot), "again.yaml"));
}

TEST(SensorFile, ResultsHaveReadingsByName) {
  const ScenarioFile file = load_scenario_file(k_example + "_scenario.yaml", {"simulation.duration=0.1"});
  const Model model(file.robot);
  const TemporaryDirectory directory;
  MemoryRecorder memory;
  const auto hdf5 = make_hdf5_recorder(directory.path("run.h5"), result_source(file));
  const auto csv = make_csv_recorder(directory.path("run.csv"));
  Simulator(model, file.scenario).run({&memory, hdf5.get(), csv.get()});
  const ResultFile result = read_result_file(directory.path("run.h5"));
  ASSERT_EQ(result.samples.size(), memory.samples().size());
  for (std::size_t i = 0; i < result.samples.size(); ++i) {
    EXPECT_EQ(result.samples[i].sensors, memory.samples()[i].sensors);
    EXPECT_EQ(result.samples[i].element_outputs, memory.samples()[i].element_outputs);
  }
  std::ifstream text(directory.path("run.csv"));
  std::string header;
  std::getline(text, header);
  EXPECT_THAT(header, AllOf(HasSubstr("sensors.imu.ax"), HasSubstr("sensors.gauge.elongation"),
                            HasSubstr("elements.front.tension"), HasSubstr("front.y"), HasSubstr("sensors.mount.tz")));
  const CurveFinder curves(result.robot, result.controllers);
  EXPECT_EQ(curves.find("sensors", result.samples).size(), 6u);
  EXPECT_EQ(curves.find("sensors.imu", result.samples)[0].curves.size(), 6u);
  EXPECT_EQ(curves.find("sensors.cell.force", result.samples)[0].curves[0].unit, "N");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
