// `cuttle ik`: what it prints, as text and as JSON, targets that are out of reach, limits, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/command_line.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using IkCommand = CommandLine;

/// Two bars of 0.4 and 0.3 m in the xz plane, the second with a stop, and a frame at its end.
const char* const k_bars = R"(cuttle: 1
name: bars
links:
- {name: upper, joint: {type: revolute, axis: [0, -1, 0]}, body: {type: rigid, mass: 1, inertia: [1, 1, 1, 0, 0, 0], tip: {position: [0.4, 0, 0]}}}
- {name: fore, joint: {type: revolute, axis: [0, -1, 0]}, body: {type: rigid, mass: 1, inertia: [1, 1, 1, 0, 0, 0], tip: {position: [0.3, 0, 0]}}}
markers: [{name: hand, link: fore, at: tip, offset: [0, 0, 0.1]}]
elements: [{name: stop, type: joint_limit, link: fore, lower: -2.5, upper: 0.3, stiffness: 100, range: 0.01}]
)";

TEST_F(IkCommand, PrintsTheConfigurationAsJson) {
  const std::string file = directory_.write("bars.yaml", k_bars);
  const Result result = run("ik " + file + " --target fore.tip=[0.35,0,0.25] --q '[0.2,-0.3]' --json");
  ASSERT_EQ(result.code, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_EQ(json["converged"], true);
  EXPECT_LT(json["residual"], 1e-9);
  EXPECT_GT(json["iterations"], 0);
  EXPECT_EQ(json["active_limits"], nlohmann::json::array());
  const double shoulder = json["q"][0], elbow = json["q"][1];
  EXPECT_LT(elbow, 0.0);  // the stop forbids the other one
  EXPECT_NEAR(0.4 * std::cos(shoulder) + 0.3 * std::cos(shoulder + elbow), 0.35, 1e-9);
  EXPECT_NEAR(0.4 * std::sin(shoulder) + 0.3 * std::sin(shoulder + elbow), 0.25, 1e-9);
  EXPECT_NEAR(json["frames"]["fore.tip"]["position"][2], 0.25, 1e-9);
  EXPECT_EQ(json["targets"][0]["target"], "fore.tip");
}

TEST_F(IkCommand, TakesPosesDirectionsAndMarkers) {
  const std::string file = directory_.write("bars.yaml", k_bars);
  // turned by -0.7 rad about -y in all, from its shape with q = (0.1, -0.8)
  const double half = -0.35;
  const double x = 0.4 * std::cos(0.1) + 0.3 * std::cos(-0.7), z = 0.4 * std::sin(0.1) + 0.3 * std::sin(-0.7);
  char target[200];
  std::snprintf(target, sizeof target, "fore.tip.pose=[%.15g,0,%.15g,%.15g,0,%.15g,0]", x, z, std::cos(half),
                -std::sin(half));
  auto json = nlohmann::json::parse(run("ik " + file + " --json --q '[0,-0.5]' --target " + target).output);
  EXPECT_EQ(json["converged"], true);
  EXPECT_NEAR(json["q"][0], 0.1, 1e-8);
  EXPECT_NEAR(json["q"][1], -0.8, 1e-8);
  // the marker's offset lies across the bar
  json = nlohmann::json::parse(
      run("ik " + file + " --json --target hand=[0.3,0,0.4] --target upper.tip.x=[1,0,1]").output);
  EXPECT_EQ(json["converged"], false);  // three conditions on two joints
  EXPECT_EQ(json["targets"].size(), 2u);
  json = nlohmann::json::parse(run("ik " + file + " --json --target upper.tip.x=[1,0,1] --q '[0.1,0.1]'").output);
  EXPECT_EQ(json["converged"], true);
  EXPECT_NEAR(json["q"][0], std::atan(1.0), 1e-9);
}

TEST_F(IkCommand, SaysHowFarOffItIs) {
  const std::string file = directory_.write("bars.yaml", k_bars);
  auto result = run("ik " + file + " --target fore.tip=[0.6,0,0.8] --q '[0.5,-0.2]'");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("bars: NOT reached; the nearest configuration found"));
  EXPECT_THAT(result.output, HasSubstr("fore.tip: 0.3 m off"));
  result = run("ik " + file + " --target fore.tip=[0.1,0,0.65] --q '[0.9,-0.2]' --limit upper.joint.q0=[-1,1.2]");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("upper.joint.q0 is at its limit"));
  EXPECT_THAT(run("ik " + file + " --target fore.tip=[0.5,0,0.2]").output, HasSubstr("bars: reached in "));
}

TEST_F(IkCommand, NamesWhatIsWrong) {
  const std::string file = directory_.write("bars.yaml", k_bars);
  const auto refuses = [&](const std::string& arguments, const std::string& error) {
    const Result result = run("ik " + file + " " + arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_EQ(result.output, "") << arguments;
    EXPECT_THAT(result.errors, HasSubstr(error)) << arguments;
  };
  refuses("", "--target");
  refuses("--target for.tip=[1,2,3]", "--target: found 'for.tip', expected LINK.tip, LINK.base or a marker");
  refuses("--target for.tip=[1,2,3]", "did you mean 'fore.tip'?");
  refuses("--target fore.tip=[1,2]", "--target: fore.tip: found 2 numbers, expected 3: x, y, z [m]");
  refuses("--target fore.tip.pose=[1,2,3]", "expected 7: x, y, z [m], and a quaternion w, x, y, z");
  refuses("--target fore.tip.pose=[1,2,3,1,1,0,0]", "found a quaternion of norm 1.41421, expected 1");
  refuses("--target fore.tip.z=[0,0,0]", "fore.tip.z: found a direction of length 0");
  refuses("--target fore.tip=1", "--target: found 'fore.tip=1', expected FRAME=[x,y,z]");
  refuses("--target fore.tip=[1,0,0] --limit elbow=[0,1]", "--limit: found 'elbow', expected a coordinate of 'bars'");
  refuses("--target fore.tip=[1,0,0] --limit fore.joint.q0=[1,0]", "found [1, 0], expected [lowest,highest]");
  refuses("--target fore.tip=[1,0,0] --q '[0]'", "--q: found 1 value, expected a JSON array of 2");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
