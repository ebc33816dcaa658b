// `cuttle statics --path`: all equilibria of a load, folds and branch points, and the file of the path.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/command_line.h"

namespace cuttle {
namespace {

using testing::HasSubstr;
using StaticsPath = CommandLine;

// A bar that stands on a hinge with a spring of 5 N m/rad, m g l / 2 = 9.81 N m: it tilts from a part 5 / 9.81 of its
// weight on, 5 q = part 9.81 sin q.
const char* const k_mast = R"(cuttle: 1
name: mast
links:
- name: bar
  joint: {type: revolute, axis: [0, 1, 0], damping: 0.3, stiffness: 5}
  body: {type: rigid, mass: 2, com: [0, 0, 0.5], inertia: [0.1, 0.1, 0.01, 0, 0, 0], tip: {position: [0, 0, 1]}}
actuators: [{name: motor, type: joint, link: bar}]
)";

TEST_F(StaticsPath, ListsAllEquilibriaOfALoad) {
  const std::string file = directory_.write("mast.yaml", k_mast), table = directory_.path("path.csv");
  const Result result = run("statics " + file + " --path load --json -o " + table);
  ASSERT_EQ(result.code, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  ASSERT_EQ(json["equilibria"].size(), 3u);
  for (const int k : {0, 1}) {
    const double q = json["equilibria"][static_cast<std::size_t>(k)]["q"][0];
    EXPECT_GT(std::abs(q), 0.1);
    EXPECT_NEAR(5 * q, 9.81 * std::sin(q), 1e-8);
    EXPECT_EQ(json["equilibria"][static_cast<std::size_t>(k)]["stability"], "stable");
  }
  EXPECT_NEAR(json["equilibria"][2]["q"][0], 0.0, 1e-9);
  EXPECT_EQ(json["equilibria"][2]["stability"], "unstable");
  double at = 0.0;
  for (const auto& point : json["branches"][0]["points"]) {
    if (point["kind"] == "branch point") at = point["parameter"];
  }
  EXPECT_NEAR(at, 5 / 9.81, 1e-6);
  // the file has a line a point
  std::ifstream lines(table);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(line, "branch,kind,parameter,arc_length,stability,growth_rate,bar.joint.q0,bar.tip.x,bar.tip.y,bar.tip.z");
  std::size_t count = 0, points = 0;
  while (std::getline(lines, line)) ++count;
  for (const auto& branch : json["branches"]) points += branch["points"].size();
  EXPECT_EQ(count, points);
  const Result text = run("statics " + file + " --path load");
  EXPECT_THAT(text.output, HasSubstr("branch point at load 0.50968"));
  // without a path: the stable one of them
  const auto rest = nlohmann::json::parse(run("statics " + file + " --json").output);
  EXPECT_EQ(rest["by_path"], true);
  EXPECT_EQ(rest["stable"], true);
}

TEST_F(StaticsPath, FollowsInputsAndParametersByName) {
  const std::string file = directory_.write("mast.yaml", k_mast);
  auto json = nlohmann::json::parse(run("statics " + file +
                                        " --path motor --to 4 --at 2 --json --set "
                                        "robot.links.bar.joint.stiffness=20")
                                        .output);
  ASSERT_EQ(json["equilibria"].size(), 1u);
  double q = json["equilibria"][0]["q"][0];
  EXPECT_NEAR(20 * q - 9.81 * std::sin(q), 2.0, 1e-8);
  // softer and softer: it tilts where the stiffness is 9.81
  json = nlohmann::json::parse(
      run("statics " + file + " --path 'links.bar.joint.stiffness' --from 20 --to 8 --json").output);
  ASSERT_EQ(json["equilibria"].size(), 3u);
  q = json["equilibria"][0]["q"][0];
  EXPECT_GT(std::abs(q), 0.1);
  EXPECT_NEAR(8 * q, 9.81 * std::sin(q), 1e-8);
  const Result unknown = run("statics " + file + " --path links.bar.joint.stifness --from 20 --to 8");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.errors, HasSubstr("stifness"));
  EXPECT_EQ(run("statics " + file + " --to 8").code, 2);
}

}  // namespace
}  // namespace cuttle
