// `cuttle statics`: what it prints, as text and as JSON, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/command_line.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using StaticsCommand = CommandLine;

// A mass of 2 kg, 0.5 m from a hinge with a spring of 20 N m/rad that is free of torque when the bar is level.
const char* const k_spring = R"(cuttle: 1
name: spring
links:
  - name: bar
    joint: {type: revolute, axis: [0, 1, 0], stiffness: 20}
    body: {type: rigid, mass: 2, com: [0.5, 0, 0], inertia: [0, 0.01, 0.01, 0, 0, 0], tip: {position: [0.5, 0, 0]}}
actuators: [{name: motor, type: joint, link: bar}]
loads: [{type: wrench, link: bar, at: tip, force: [0, 0, {type: step, time: 1, before: 0, after: 3}]}]
)";

/// K q = m g l cos q + u - F l cos q.
double balance(double q, double u, double force) { return 20 * q - (2 * 9.81 - force) * 0.5 * std::cos(q) - u; }

TEST_F(StaticsCommand, FindsTheEquilibrium) {
  const std::string file = directory_.write("spring.yaml", k_spring);
  for (const auto& [arguments, u, force] : {std::tuple<const char*, double, double>{"", 0, 0},
                                            {" --input motor=2.5", 2.5, 0},
                                            {" --time 1.5", 0, 3},
                                            {" --time 1.5 --unloaded", 0, 0},
                                            {" --q '[0.3]'", 0, 0}}) {
    const Result result = run("statics " + file + " --json" + arguments);
    ASSERT_EQ(result.code, 0) << result.errors;
    const auto json = nlohmann::json::parse(result.output);
    const double q = json["q"][0];
    EXPECT_NEAR(balance(q, u, force), 0.0, 1e-9) << arguments;
    EXPECT_EQ(json["stable"], true);
    EXPECT_NEAR(json["smallest_stiffness"], 20 + (2 * 9.81 - force) * 0.5 * std::sin(q), 1e-9) << arguments;
    EXPECT_NEAR(json["frames"]["bar.tip"]["position"][2], -0.5 * std::sin(q), 1e-12);
  }
  const Result text = run("statics " + file);
  EXPECT_THAT(text.output, HasSubstr("equilibrium found"));
  EXPECT_THAT(text.output, HasSubstr("bar.joint.q0"));
  EXPECT_THAT(text.output, HasSubstr("(stable)"));
}

TEST_F(StaticsCommand, RefusesWrongInputsAndSaysWhereThereIsNoRest) {
  const std::string file = directory_.write("spring.yaml", k_spring);
  Result result = run("statics " + file + " --input moter=1");
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.errors, "--input: found 'moter', expected one of the inputs motor; did you mean 'motor'?\n");
  result = run("statics " + file + " --input motor=strong");
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.errors, "--input: found 'motor=strong', expected NAME=NUMBER\n");
  const std::string falling = directory_.write(
      "fall.yaml",
      "cuttle: 1\nlinks: [{name: block, joint: {type: prismatic, axis: [0, 0, 1]}, body: {type: rigid, "
      "mass: 1}}]\n");
  result = run("statics " + falling);
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.errors, HasSubstr("found no equilibrium: not even a small part of gravity, inputs and loads is "
                                       "balanced: nothing holds "));
  EXPECT_THAT(result.errors, HasSubstr("(link 'block')"));
}

// A robot that cannot move has no stiffness: JSON has no word for infinity.
TEST_F(StaticsCommand, PrintsJsonForARobotWithoutCoordinates) {
  const std::string file = directory_.write("block.yaml", R"(cuttle: 1
links: [{name: block, body: {type: rigid, mass: 1}}]
)");
  const Result result = run("statics " + file + " --json");
  ASSERT_EQ(result.code, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_TRUE(json["smallest_stiffness"].is_null());
  EXPECT_EQ(json["not_finite"], nlohmann::json::array({"smallest_stiffness"}));
  EXPECT_EQ(json["stable"], true);
  const Result spring = run("statics " + directory_.write("spring.yaml", k_spring) + " --json");
  EXPECT_EQ(nlohmann::json::parse(spring.output)["not_finite"], nlohmann::json::array());
}

// a bar on a hinge that is held, with a cable that is wound: 1 N of it, and slack once paid out
TEST_F(StaticsCommand, HoldsJointsAndSaysTensions) {
  const std::string file = directory_.write("held.yaml", R"(cuttle: 1
name: held
links:
- {name: bar, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 2, com: [0, 0, -0.5], tip: {position: [0, 0, -1]}}}
actuators:
- {name: motor, type: joint, link: bar}
- {name: cable, type: tendon, drive: length, stiffness: 1000, pretension: 1, routing: [{link: base, points: [[0, 0, 1]]}, {link: bar, points: [[0, 0, -0.5]]}]}
markers: [{name: dot, link: bar, at: tip}]
)");
  for (const char* const joint : {"bar", "motor"}) {
    const auto json =
        nlohmann::json::parse(run("statics " + file + " --json --hold " + joint + "=0.4 --input cable=-1").output);
    EXPECT_EQ(json["q"][0], 0.4);
    EXPECT_NEAR(json["holding_force"][0], 2 * 9.81 * 0.5 * std::sin(0.4), 1e-10);
    EXPECT_EQ(json["elements"]["cable.tension"], 0.0);
    EXPECT_EQ(json["slack"], nlohmann::json::array({"cable"}));
    EXPECT_NEAR(json["frames"]["dot"]["position"][0], -std::sin(0.4), 1e-15);
    EXPECT_NEAR(json["frames"]["bar.base"]["rotation"][0][2], std::sin(0.4), 1e-15);
  }
  const Result taut = run("statics " + file + " --hold motor=0 --input cable=0.002");
  ASSERT_EQ(taut.code, 0) << taut.errors;
  EXPECT_THAT(taut.output, HasSubstr("cable.tension      3  N"));
  EXPECT_THAT(taut.output, HasSubstr("bar.joint.v0"));
  EXPECT_THAT(run("statics " + file + " --hold motor=0 --input cable=-1").output, HasSubstr("slack: cable"));
  const auto refuses = [&](const std::string& hold, const std::string& error) {
    const Result result = run("statics " + file + " --hold " + hold);
    EXPECT_EQ(result.code, 2) << hold;
    EXPECT_THAT(result.errors, HasSubstr(error)) << hold;
  };
  refuses("baar=1", "--hold: found 'baar=1', expected the joint of a link, or its motor: bar; did you mean 'bar'?");
  refuses("bar", "--hold: found 'bar', expected JOINT=NUMBER");
  refuses("bar=[1,2]", "expected 1 number: the coordinates of its joint");
  refuses("cable=1", "--hold: found 'cable=1'");
  refuses("bar=1 --path load", "--path");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
