// `cuttle statics --target`: inputs that hold a frame, their limits, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/command_line.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using StaticsTarget = CommandLine;

// A bar of 2 kg that hangs on a hinge with a spring, m g l / 2 = 9.81 N m.
const char* const k_bar = R"(cuttle: 1
name: bar
links:
- {name: bar, joint: {type: revolute, axis: [0, 1, 0], stiffness: 20}, body: {type: rigid, mass: 2, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01, 0, 0, 0], tip: {position: [0, 0, -1]}}}
actuators: [{name: motor, type: joint, link: bar}, {name: helper, type: joint, link: bar}]
)";

TEST_F(StaticsTarget, PrintsTheInputsThatHoldAFrame) {
  const std::string file = directory_.write("bar.yaml", k_bar);
  const double angle = 0.4, torque = 20 * angle + 9.81 * std::sin(angle);
  char target[100];
  std::snprintf(target, sizeof target, " --target bar.tip=[%.15g,0,%.15g]", -std::sin(angle), -std::cos(angle));
  auto result = run("statics " + file + target + " --json");
  ASSERT_EQ(result.code, 0) << result.errors;
  auto json = nlohmann::json::parse(result.output);
  EXPECT_EQ(json["converged"], true);
  EXPECT_NEAR(json["q"][0], angle, 1e-8);
  EXPECT_NEAR(json["u"][0], torque / 2, 1e-6);  // the least: each takes half
  EXPECT_NEAR(json["u"][1], torque / 2, 1e-6);
  EXPECT_EQ(json["least_inputs"], true);
  EXPECT_EQ(json["stability"], "stable");
  json = nlohmann::json::parse(run("statics " + file + target + " --inputs motor --input helper=1.5 --json").output);
  EXPECT_NEAR(json["u"][0], torque - 1.5, 1e-6);
  EXPECT_EQ(json["u"][1], 1.5);
  result = run("statics " + file + target + " --limit motor=[0,4] --limit helper=[0,4]");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("bar: NOT held; the nearest equilibrium found"));
  EXPECT_THAT(result.output, HasSubstr("motor is at its limit"));
  EXPECT_THAT(run("statics " + file + target).output, HasSubstr("bar: held in "));
}

TEST_F(StaticsTarget, FollowsPosesAndSaysWhereItJumps) {
  const std::string file = directory_.write("bar.yaml", k_bar), out = directory_.path("references.csv");
  const auto path = [&](bool jumps, const char* wrong = nullptr) {
    std::string text = "time,bar.tip.x,bar.tip.y,bar.tip.z,bar.tip.qw,bar.tip.qx,bar.tip.qy,bar.tip.qz\n";
    for (int i = 0; i <= 400; ++i) {
      const double time = 0.005 * i, angle = 0.3 * time + (jumps && time > 1.002 ? 0.97 : 0.0);
      const double sign = i % 2 == 0 ? 1.0 : -1.0;  // the same rotation
      char row[200];
      std::snprintf(row, sizeof row, "%.15g,%.15g,0,%.15g,%.15g,0,%.15g,0\n", time, -std::sin(angle), -std::cos(angle),
                    sign * std::cos(0.5 * angle), sign * std::sin(0.5 * angle));
      text += row;
    }
    if (wrong != nullptr) text += wrong;
    return directory_.write("path.csv", text);
  };
  const std::string command = "statics " + file + " --inputs motor --samples 401 --follow ";
  const auto smooth = nlohmann::json::parse(run(command + path(false) + " --json").output);
  EXPECT_EQ(smooth["converged"], true);
  EXPECT_LT(smooth["residual"], 1e-7);
  EXPECT_TRUE(smooth["jumps"].empty());
  const Result broken = run(command + path(true) + " -o " + out);
  EXPECT_EQ(broken.code, 0);
  EXPECT_THAT(broken.errors, HasSubstr("jumps at t = 1 s: bar.joint.q0 by 0.97"));
  EXPECT_THAT(broken.output, HasSubstr(", but it jumps; at most "));
  const Result wrong = run(command + path(false, "2.1,0,0,-1,1.1,0,0,0\n"));
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.errors, HasSubstr("row 402: bar.tip: found a quaternion of norm 1.1, expected 1 within 0.001"));
  const Result few = run(command + directory_.write("few.csv", "time,bar.tip.x,bar.tip.qw\n0,0,1\n1,0,1\n2,0,1\n"));
  EXPECT_THAT(few.errors, HasSubstr("found no column 'bar.tip.y', expected x, y, z, qw, qx, qy and qz of a frame"));
}

// two cables beside a hinge, whose difference turns it: the least that hold are slack on one side
TEST_F(StaticsTarget, TendonsMayBeKeptTaut) {
  const std::string file = directory_.write("pair.yaml", R"(cuttle: 1
name: pair
gravity: [0, 0, 0]
links:
- {name: bar, joint: {type: revolute, axis: [0, 1, 0], stiffness: 2}, body: {type: rigid, mass: 1, tip: {position: [0, 0, -1]}}}
actuators:
- {name: front, type: tendon, routing: [{link: base, points: [[0.2, 0, 0.1]]}, {link: bar, points: [[0.1, 0, -0.5]]}]}
- {name: back, type: tendon, routing: [{link: base, points: [[-0.2, 0, 0.1]]}, {link: bar, points: [[-0.1, 0, -0.5]]}]}
)");
  const std::string target = " --target bar.tip=[-0.19866933079506122,0,-0.98006657784124163] --json";
  const auto inputs = [&](const std::string& more) {
    const auto json = nlohmann::json::parse(run("statics " + file + target + more).output);
    EXPECT_EQ(json["converged"], true);
    EXPECT_NEAR(json["q"][0], 0.2, 1e-8);
    return std::pair<double, double>(json["u"][0], json["u"][1]);
  };
  const auto least = inputs(""), taut = inputs(" --least-tension 3");
  EXPECT_EQ(least.first, 0.0);
  EXPECT_EQ(taut.first, 3.0);
  EXPECT_GT(taut.second, least.second + 1.0);
  const Result high = run("statics " + file + target + " --least-tension 3 --limit back=[0,2]");
  EXPECT_EQ(high.code, 2);
  EXPECT_THAT(high.errors, HasSubstr("--least-tension: found 3 N, expected at most 2 N, which is the limit of 'back'"));
  EXPECT_THAT(
      run("statics " + directory_.write("bar.yaml", k_bar) + " --target bar.tip=[0,0,-1] --least-tension 3").errors,
      HasSubstr("--least-tension: found no tendon of 'bar' that a tension drives, expected one"));
}

TEST_F(StaticsTarget, FollowsAPath) {
  const std::string file = directory_.write("bar.yaml", k_bar), out = directory_.path("references.csv");
  const auto angle_at = [](double time) { return 0.3 + 0.2 * time; };
  std::string path = "time,bar.tip.x,bar.tip.y,bar.tip.z\n";
  for (int i = 0; i <= 40; ++i) {
    const double time = 0.05 * i, angle = angle_at(time);
    char row[100];
    std::snprintf(row, sizeof row, "%.15g,%.15g,0,%.15g\n", time, -std::sin(angle), -std::cos(angle));
    path += row;
  }
  const std::string given = directory_.write("path.csv", path);
  const Result result = run("statics " + file + " --follow " + given + " --samples 11 --inputs motor -o " + out);
  ASSERT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("written: " + out));
  std::ifstream csv(out);
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "time,bar.joint.q0,motor,helper,motor.y,helper.y,residual,stable");
  int rows = 0;
  for (; std::getline(csv, line); ++rows) {
    double time = 0, q = 0, motor = 0, helper = 0, y = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%lf,%lf,%lf,%lf,%lf", &time, &q, &motor, &helper, &y), 5) << line;
    EXPECT_NEAR(time, 0.2 * rows, 1e-12);
    EXPECT_NEAR(q, angle_at(time), 1e-5);  // the splines of the given rows leave the circle a little: it is nearest
    EXPECT_NEAR(motor, 20 * q + 9.81 * std::sin(q), 1e-7);
    EXPECT_EQ(helper, 0.0);
    EXPECT_NEAR(y, q, 1e-12);
  }
  EXPECT_EQ(rows, 11);
  const auto refuses = [&](const std::string& text, const std::string& error) {
    const Result refused = run("statics " + file + " --follow " + directory_.write("wrong.csv", text));
    EXPECT_EQ(refused.code, 2) << text;
    EXPECT_THAT(refused.errors, HasSubstr(error)) << text;
  };
  refuses("time,bar.tip.x,bar.tip.y\n0,0,0\n1,0,0\n2,0,0\n", "found no column 'bar.tip.z'");
  refuses("time,br.tip.x\n0,0\n1,0\n2,0\n", "--follow: found 'br.tip', expected LINK.tip, LINK.base or a marker");
  refuses("time,force\n0,0\n1,0\n2,0\n", "found the column 'force', expected time, or FRAME.x");
  refuses("time,bar.tip.x\n0,0\n2,0\n1,0\n", "row 3: found the time 1 after 2, expected times that ascend");
}

TEST_F(StaticsTarget, NamesWhatIsWrong) {
  const std::string file = directory_.write("bar.yaml", k_bar);
  const auto refuses = [&](const std::string& arguments, const std::string& error) {
    const Result result = run("statics " + file + " " + arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_EQ(result.output, "") << arguments;
    EXPECT_THAT(result.errors, HasSubstr(error)) << arguments;
  };
  refuses("--inputs motor", "--inputs: found no --target and no --follow");
  refuses("--target bar.tip=[0,0,-1] --inputs moto",
          "--inputs: found 'moto', expected one of the inputs motor, helper");
  refuses("--target bar.tip=[0,0,-1] --inputs motor,", "--inputs: found ''");
  refuses("--target bar.tip=[0,0,-1] --limit motr=[0,1]", "did you mean 'motor'?");
  refuses("--target bar.tip=[0,0,-1] --limit motor=[1,0]", "--limit: motor: found [1, 0], expected [lowest,highest]");
  refuses("--target bar.tip=[0,0,-1] --path load", "--path");
  refuses("--target br.tip=[0,0,-1]", "--target: found 'br.tip'");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
