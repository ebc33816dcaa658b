// Robots from C++ as if they came from a file: parameters, gradients, results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/parameter_gradient.h"
#include "cuttle/elements/joint_limit.h"
#include "cuttle/elements/spring.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/result_reader.h"
#include "cuttle/simulation/simulator.h"
#include "io/robot/part_readers.h"
#include "io/written_robots.h"
#include "support/random.h"
#include "support/random_state.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using namespace test;
using testing::HasSubstr;

/// A robot from C++ with a part of each kind, and one that gives the same forces from a file.
Robot described_robot() {
  Robot robot;
  robot.name = "arm";
  robot.materials["silicone"] = {.density = 1070.0, .young_modulus = 5e5, .damping_time = 0.1};
  robot.links.push_back({.name = "upper", .joint = make_revolute_joint<double>({0, 1, 0}), .body = some_mass(2.0)});
  robot.links[0].joint_dynamics.stiffness = {3.0};
  robot.links.push_back({.name = "soft", .body = std::make_shared<RodBody>(some_rod()), .material = "silicone"});
  robot.actuators = {Actuator::joint("motor", "upper"), Actuator::tendon("cable", {cable_along("soft")}),
                     Actuator::wrench("jet", on("soft")), Actuator::distance("pull", on("base"), on("soft"))};
  robot.elements = {make_spring<double>("return", on("base"), on("soft"), {.stiffness = 5.0, .damping = 0.1}),
                    make_joint_limit<double>("stop", "upper", 0, {-1.0, 1.0, 50.0, 0.5, 0.1})};
  return robot;
}
const char* const k_described = R"(cuttle: 1
name: arm
materials: {silicone: {density: 1070, young_modulus: 5.0e5, damping_time: 0.1}}
links:
  - name: upper
    joint: {type: revolute, axis: [0, 1, 0], stiffness: 3}
    body: {type: rigid, mass: 2, com: [0.1, 0.2, 0.3], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}
  - name: soft
    body: {type: rod, length: 0.3, section: {shape: circle, radius: [0.02, 0.01]}, material: silicone, quadrature: {points: 4}, strain: pcc}
actuators:
  - {name: motor, type: joint, link: upper}
  - {name: cable, type: tendon, routing: [{link: soft, offset: [0.01, 0]}]}
  - {name: jet, type: wrench, link: soft}
elements:
  - {name: return, type: spring, a: {link: base}, b: {link: soft}, stiffness: 5, damping: 0.1}
  - {name: stop, type: joint_limit, link: upper, lower: -1, upper: 1, stiffness: 50, damping: 0.5, range: 0.1}
)";

TEST(DescribedRobot, HasTheParametersOfTheSameRobotFromAFile) {
  const Model described(described_robot()), read(read_robot_text(k_described, "arm.yaml"));
  const auto parameters = described.parameters(), expected = read.parameters();
  ASSERT_EQ(parameters.size(), expected.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_EQ(parameters[i].path, expected[i].path);
    EXPECT_EQ(parameters[i].value, expected[i].value) << expected[i].path;
    EXPECT_EQ(parameters[i].unit, expected[i].unit) << expected[i].path;
    EXPECT_EQ(parameters[i].given, expected[i].given) << expected[i].path;
  }
  expect_same_dynamics(described.with("links.soft.body.length", 0.4).robot(),
                       read.with("links.soft.body.length", 0.4).robot());
  EXPECT_EQ(message<ModelError>([&] { described.with("links.soft.body.length", -0.4); }),
            "robot 'arm': links[1].body.length: found -0.4, expected a number >= 1e-09 [m]");
  EXPECT_EQ(message<ArgumentError>([&] { described.with("links.soft.body.lenght", 0.4); }),
            "parameter: found 'links.soft.body.lenght', which 'arm' does not have (robot 'arm'); did you mean "
            "'links.soft.body.length'?");
}

TEST(DescribedRobot, IsDifferentiatedLikeTheSameRobotFromAFile) {
  const Model described(described_robot()), read(read_robot_text(k_described, "arm.yaml"));
  Random random(11);
  const auto state = random_state(read, random);
  const std::vector<std::string> paths{"materials.silicone.young_modulus", "links.soft.body.length",
                                       "links.upper.body.com[1]", "links.upper.joint.stiffness", "gravity[2]"};
  const MatrixXd gradient = inverse_dynamics_gradient(described, paths, state.q, state.v, state.a);
  const MatrixXd expected = inverse_dynamics_gradient(read, paths, state.q, state.v, state.a);
  EXPECT_LE((gradient - expected).norm(), 1e-12 * expected.norm());
  EXPECT_GT(gradient.col(1).norm(), 0.0);
}

TEST(DescribedRobot, KeepsItsMarkersThroughChanges) {
  Robot robot = described_robot();
  robot.markers.push_back({"eye", on("soft")});
  robot.markers[0].place.pose.position.x = 0.1;
  const Model changed = Model(robot).with("gravity[2]", -1.0).with("markers.eye.offset[0]", 0.2);
  ASSERT_EQ(changed.robot().markers.size(), 1u);
  EXPECT_EQ(changed.robot().markers[0].place.pose.position.x, 0.2);
  EXPECT_EQ(changed.robot().gravity.z, -1.0);
}

TEST(DescribedRobot, IsRecordedAndReopened) {
  const TemporaryDirectory directory;
  Robot robot = described_robot();
  robot.markers = {{"eye", on("soft")},
                   {"wrist", {"upper", PortLocation::base(), {rotation_from_rpy(0.3, 0.0, 0.0), {0, 0.1, 0}}}}};
  const Model model(robot);
  Scenario scenario;
  scenario.duration = 0.05, scenario.output_step = 0.01;
  scenario.integrator.type = "rk4", scenario.integrator.step = 1e-4;
  scenario.initial["upper"].q = {0.3};
  scenario.inputs["motor"] = Signal::table({0.0, 0.02}, {0.1, -0.1}, true);
  scenario.inputs["cable"] = Signal::step(0.02, 0.0, 0.5);
  const auto recorder = make_hdf5_recorder(directory.path("run.h5"), {});
  MemoryRecorder memory;
  Simulator(model, scenario).run({recorder.get(), &memory});
  const ResultFile result = read_result_file(directory.path("run.h5"));
  expect_same(robot, result.robot);
  EXPECT_EQ(result.scenario.duration, scenario.duration);
  EXPECT_EQ(result.scenario.inputs.at("motor"), scenario.inputs.at("motor"));
  EXPECT_EQ(result.scenario.inputs.at("cable"), scenario.inputs.at("cable"));
  ASSERT_EQ(result.samples.size(), memory.samples().size());
  EXPECT_EQ(result.samples.back().q, memory.samples().back().q);
  ASSERT_EQ(result.samples.back().markers.size(), 2u);
  Data data(model);
  const auto& kinematics = forward_kinematics<double>(model, data, result.samples.back().q);
  for (std::size_t i = 0; i < 2; ++i) {
    const Pose expected = kinematics.pose(model.marker_frame(robot.markers[i].name));
    EXPECT_EQ(result.samples.back().markers[i].position, expected.position);
    for (int k = 0; k < 9; ++k) {
      EXPECT_NEAR(result.samples.back().markers[i].rotation(k / 3, k % 3), expected.rotation(k / 3, k % 3), 1e-15);
    }
  }

  // again from the result alone
  MemoryRecorder again;
  const Model reopened(result.robot);
  Simulator(reopened, result.scenario).run({&again});
  EXPECT_LE((again.samples().back().q - memory.samples().back().q).norm(), 1e-12);
}

TEST(DescribedRobot, WithAPartWithoutTextIsRecordedAllTheSame) {
  const TemporaryDirectory directory;
  Robot robot = described_robot();
  robot.actuators.push_back({"gear", std::make_shared<const GearTransmission<double>>("upper")});
  const Model model(robot);
  Scenario scenario;
  scenario.duration = 0.01, scenario.integrator.type = "rk4", scenario.integrator.step = 1e-3;
  const auto recorder = make_hdf5_recorder(directory.path("run.h5"), {});
  Simulator(model, scenario).run({recorder.get()});
  EXPECT_THAT(message<FileError>([&] { read_result_file(directory.path("run.h5")); }), HasSubstr("run.h5: robot_yaml"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
