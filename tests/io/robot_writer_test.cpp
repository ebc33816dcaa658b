#include "cuttle/io/robot_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "cuttle/elements/wrench_load.h"
#include "cuttle/model/transmissions/joint.h"
#include "cuttle/model/transmissions/tendon.h"
#include "cuttle/spatial/logarithm.h"
#include "io/written_robots.h"
#include "io/yaml/yaml_number.h"
#include "io/yaml/yaml_writer.h"
#include "support/parameter_robots.h"
#include "support/paths.h"
#include "support/random.h"
#include "support/random_robot.h"
#include "support/to_robot.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using namespace test;
using testing::HasSubstr;
namespace fs = std::filesystem;

class ShippedRobots : public testing::TestWithParam<std::string> {};

std::vector<std::string> shipped_robots() {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(test::k_source_dir + "/models")) {
    const std::string path = entry.path().string();
    if (path.ends_with(".yaml") && !path.ends_with("_scenario.yaml")) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}
INSTANTIATE_TEST_SUITE_P(Models, ShippedRobots, testing::ValuesIn(shipped_robots()),
                         [](const auto& tested) { return fs::path(tested.param).stem().string(); });

TEST_P(ShippedRobots, ReadBackAsTheyAre) {
  const RobotFile file = load_robot_file(GetParam());
  const Robot read = expect_round_trip(file.robot, file.visuals);
  expect_same_dynamics(file.robot, read);
}

TEST_P(ShippedRobots, HaveTheSameParametersInTheirOwnFile) {
  const Robot robot = read_robot_file(GetParam());
  Robot described = robot;
  described.source = nullptr;
  std::map<std::string, double> values;
  for (const ParameterInfo& parameter : Model(described).parameters()) values[parameter.path] = parameter.value;
  for (const ParameterInfo& parameter : Model(robot).parameters()) {
    if (!parameter.given || parameter.path.find("rpy") != std::string::npos ||
        parameter.path.find("quaternion") != std::string::npos || parameter.path.find("axis") != std::string::npos) {
      continue;  // written otherwise, or left out where they are defaults
    }
    const auto found = values.find(parameter.path);
    if (found == values.end()) continue;  // a default that the file gives, a list of equal numbers
    EXPECT_EQ(found->second, parameter.value) << parameter.path;
  }
  EXPECT_GE(2 * values.size(), Model(robot).parameters().size());
}

TEST(RobotWriter, WritesEveryKeyThatHoldsANumber) {
  for (const ParameterRobot& tested : parameter_robots()) {
    SCOPED_TRACE(tested.name);
    const Robot robot = read_robot_text(tested.text, tested.name);
    expect_same_dynamics(robot, expect_round_trip(robot));
  }
}

TEST(RobotWriter, RandomRobotsReadBackAsTheyAre) {
  for (unsigned seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(seed);
    RandomRobotOptions options;
    options.floating = seed % 3 == 0;
    options.continuum_joints = seed % 2 == 0;
    const Robot robot = to_robot(random_robot(seed, options));
    expect_same_dynamics(robot, expect_round_trip(robot));
  }
}

TEST(RobotWriter, NumbersKeepEveryBit) {
  Random random(3);
  std::vector<double> numbers{0.1,
                              1.0 / 3,
                              1e-310,
                              5e-324,
                              1.7976931348623157e308,
                              2.2250738585072014e-308,
                              -0.0,
                              0.0,
                              1e22,
                              5e5,
                              1e7,
                              9999999.999999998,
                              1e-4,
                              9.999999999999999e-5,
                              -1.5e-7,
                              123456};
  for (int i = 0; i < 2000; ++i) numbers.push_back(random.uniform() * std::pow(10.0, random.index(600) - 300));
  for (const double number : numbers) {
    const auto read = parse_yaml_number(yaml_number(number));
    ASSERT_TRUE(read) << yaml_number(number);
    EXPECT_EQ(read->value, number) << yaml_number(number);
    EXPECT_EQ(std::signbit(read->value), std::signbit(number));
    EXPECT_EQ(read->ambiguity, "") << yaml_number(number);
  }
  EXPECT_EQ(yaml_number(0.1), "0.1");
  EXPECT_EQ(yaml_number(1070), "1070");
  EXPECT_EQ(yaml_number(5e5), "500000");
  EXPECT_EQ(yaml_number(2e11), "2.0e+11");
  EXPECT_EQ(yaml_number(1.25e-5), "1.25e-5");

  Robot robot = robot_of(some_mass(1e-310));
  robot.links[0].parent.pose.position = {0.1, 1.0 / 3, 5e-324};
  expect_round_trip(robot);
}

TEST(RobotWriter, RotationsReadBackTo1e15) {
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    const auto angle = [&] {
      return i % 3 == 0 ? std::round(random.uniform(-8, 8)) * M_PI / 4 : random.uniform(-4, 4);
    };
    const Quaternion q{std::cos(angle()), random.uniform(), random.uniform(), i % 5 == 0 ? 0.0 : random.uniform()};
    Robot robot = robot_of(some_mass());
    robot.links[0].parent.pose.rotation = q.normalized().matrix();
    robot.base_pose.rotation = q.conjugate().normalized().matrix();
    expect_round_trip(robot);
  }
}

TEST(RobotWriter, AnglesOfAFileStayAsTheyAre) {
  const char* const text =
      "cuttle: 1\nname: r\nlinks:\n"
      "  - {name: a, attach: {pose: {rpy: [0.3, -1.2, 2.5]}}, body: {type: rigid, mass: 1}}\n"
      "  - {name: b, attach: {pose: {rpy: [3.14159265358979, 0, 0]}}, joint: {type: revolute, axis: [1, 2, 0]}, body: "
      "{type: "
      "rigid, mass: 1}}\n";
  const std::string yaml = write_robot(read_robot_text(text, "r.yaml")).yaml;
  EXPECT_THAT(yaml, HasSubstr("rpy: [0.3, -1.2, 2.5]"));
  EXPECT_THAT(yaml, HasSubstr("rpy: [3.14159265358979, 0, 0]"));
  EXPECT_THAT(yaml, HasSubstr("axis: [0.5, 1, 0]"));  // of any length but 0
}

TEST(RobotWriter, IsPleasantToRead) {
  Robot robot = robot_of(std::make_shared<RodBody>(some_rod()), "segment");
  robot.materials["silicone"] = {.density = 1070.0, .young_modulus = 5e5, .damping_time = 0.1};
  robot.links[0].material = "silicone";
  robot.links[0].joint = make_revolute_joint<double>({0, 1, 0});
  robot.links[0].joint_dynamics.damping = {0.01};
  robot.links.push_back({.name = "tool", .body = some_mass()});
  robot.actuators = {Actuator::joint("motor", "segment"), Actuator::tendon("cable", {cable_along("segment")})};
  robot.loads.push_back(
      make_wrench_load({.link = "tool"}, {.force = {0.0, 0.0, Signal::step(1.0, 0.0, 5.0)}, .torque = {}}));
  EXPECT_EQ(write_robot(robot).yaml, R"(cuttle: 1
name: mine
materials:
  silicone: {density: 1070, young_modulus: 500000, damping_time: 0.1}
links:
  - name: segment
    joint: {type: revolute, axis: [0, 1, 0], damping: 0.01}
    body:
      type: rod
      length: 0.3
      section: {shape: circle, radius: [0.02, 0.01]}
      material: silicone
      quadrature: {points: 4}
      strain: pcc
  - name: tool
    body: {type: rigid, mass: 1.5, com: [0.1, 0.2, 0.3], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}
actuators:
  - {name: motor, type: joint, link: segment}
  - name: cable
    type: tendon
    routing:
      - {link: segment, offset: [0.01, 0]}
loads:
  - type: wrench
    link: tool
    force: [0, 0, {type: step, time: 1, after: 5}]
)");
}

TEST(RobotWriter, QuotesNamesThatWouldBeSomethingElse) {
  for (const std::string name :
       {"a b",          "yes",       "No",          "0x10", "1e3", "null",      "~",    "m\xc3\xbcller",
        "\xe6\x89\x8b", "say \"x\"", "back\\slash", "#1",   "- a", "a: b",      "{a}",  "&x",
        "*x",           "!x",        "%",           "'",    "a,b", "left-hand", "true", ".5"}) {
    if (name.find('.') != std::string::npos) continue;
    Robot robot = robot_of(some_mass(), name);
    robot.name = name;
    robot.links[0].joint = make_revolute_joint<double>({0, 0, 1});
    robot.actuators = {Actuator::joint(name, name)};
    expect_round_trip(robot);
  }
  EXPECT_EQ(yaml_plain_or_quoted("left-hand_2"), "left-hand_2");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
