// `cuttle statics --path` says where a robot that rests on a branch jumps, and to where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/command_line.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using PathJumps = CommandLine;

// 5 q = 9.81 sin q + motor: folds where cos q = 5 / 9.81.
TEST_F(PathJumps, AreNamedAtFolds) {
  const std::string file = directory_.write("mast.yaml", R"(cuttle: 1
name: mast
links:
- name: bar
  joint: {type: revolute, axis: [0, 1, 0], damping: 0.3, stiffness: 5}
  body: {type: rigid, mass: 2, com: [0, 0, 0.5], inertia: [0.1, 0.1, 0.01, 0, 0, 0], tip: {position: [0, 0, 1]}}
actuators: [{name: motor, type: joint, link: bar}]
)");
  const std::string command = "statics " + file + " --path motor --from 4 --to -4 --at -4";
  const Result text = run(command);
  ASSERT_EQ(text.code, 0) << text.errors;
  const double fold = std::acos(5 / 9.81), torque = 5 * fold - 9.81 * std::sin(fold);
  double beyond = -2.2;  // the other stable equilibrium under that torque, by Newton's method
  for (int k = 0; k < 20; ++k) {
    beyond -= (5 * beyond - 9.81 * std::sin(beyond) - torque) / (5 - 9.81 * std::cos(beyond));
  }
  const auto json = nlohmann::json::parse(run(command + " --json").output);
  ASSERT_EQ(json["jumps"].size(), 2u);
  for (const auto& jump : json["jumps"]) {
    const double at = jump["parameter"], change = jump["change"];
    EXPECT_NEAR(std::abs(at), -torque, 1e-6);
    EXPECT_NEAR(std::abs(change), fold - beyond, 0.01);  // 1e-6 of the range beyond the fold
    EXPECT_EQ(change > 0.0, at > 0.0);                   // the way in which the motor pushes
    EXPECT_EQ(jump["coordinate"], "bar.joint.v0");
    EXPECT_EQ(jump["to_branch"], 0);
  }
  EXPECT_THAT(text.output, testing::ContainsRegex("fold at motor -3.26[0-9]*; jumps from there to branch 0: "
                                                  "bar.joint.v0 by -3.2[0-9]* rad"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
