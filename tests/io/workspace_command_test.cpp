// `cuttle workspace`: equilibria over ranges of inputs, as text, JSON, table and figure, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "cuttle/io/result_reader.h"
#include "io/command_line.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using WorkspaceCommand = CommandLine;

// A bar of 2 kg that hangs on a hinge with a spring, m g l / 2 = 9.81 N m.
const char* const k_bar = R"(cuttle: 1
name: bar
links:
- {name: bar, joint: {type: revolute, axis: [0, 1, 0], stiffness: 20}, body: {type: rigid, mass: 2, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01, 0, 0, 0], tip: {position: [0, 0, -1]}}}
markers: [{name: half, link: bar, at: tip, offset: [0, 0, 0.5]}]
actuators: [{name: motor, type: joint, link: bar}]
)";

TEST_F(WorkspaceCommand, SamplesTheInputsEvenly) {
  const std::string file = directory_.write("bar.yaml", k_bar);
  const Result result = run("workspace " + file + " --range motor=[-10,20] --samples 200 --json");
  ASSERT_EQ(result.code, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_EQ(json["frame"], "bar.tip");
  EXPECT_EQ(json["found"], 200);
  ASSERT_EQ(json["points"].size(), 200u);
  std::vector<double> torques;
  for (const auto& point : json["points"]) {
    const double torque = point["values"][0], x = point["position"][0], z = point["position"][2];
    const double q = std::atan2(-x, -z);
    EXPECT_NEAR(20 * q + 9.81 * std::sin(q), torque, 1e-8);
    EXPECT_EQ(point["stable"], true);
    torques.push_back(torque);
  }
  // no gap and no heap: a sequence of the golden ratio has gaps of three lengths, the widest 1.9 / n at most
  std::sort(torques.begin(), torques.end());
  EXPECT_LT(torques.front() + 10, 0.4);
  EXPECT_GT(torques.back(), 19.6);
  for (std::size_t i = 1; i < torques.size(); ++i) EXPECT_LT(torques[i] - torques[i - 1], 2.0 * 30 / 200);
  // the same again
  EXPECT_EQ(run("workspace " + file + " --range motor=[-10,20] --samples 200 --json").output, result.output);
}

TEST_F(WorkspaceCommand, WritesFiguresAndTables) {
  const std::string file = directory_.write("bar.yaml", k_bar);
  const std::string arguments = "workspace " + file + " --range motor=[-5,5] --samples 30 -o ";
  const std::string svg = directory_.path("cloud.svg"), h5 = directory_.path("rows.h5");
  const Result result = run(arguments + svg + " --frame half");
  ASSERT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("bar: 30 of 30 equilibria found"));
  EXPECT_THAT(result.output, HasSubstr("z of half: -0.499"));
  EXPECT_THAT(result.output, HasSubstr("written: " + svg));
  std::ifstream figure(svg);
  const std::string text(std::istreambuf_iterator<char>(figure), {});
  EXPECT_THAT(text, HasSubstr("bar: half"));
  std::size_t circles = 0;
  for (std::size_t at = text.find("<circle"); at != text.npos; at = text.find("<circle", at + 1)) ++circles;
  EXPECT_EQ(circles, 90u);  // in three views
  EXPECT_EQ(run(arguments + h5).code, 0);
  const ResultFile rows = read_result_file(h5);
  EXPECT_EQ(rows.sequence.kind, ResultSequence::Kind::table);
  EXPECT_EQ(rows.samples.size(), 30u);
  EXPECT_EQ(run("view " + h5 + " --no-open").code, 0);
}

TEST_F(WorkspaceCommand, NamesWhatIsWrong) {
  const std::string file = directory_.write("bar.yaml", k_bar);
  const auto refuses = [&](const std::string& arguments, const std::string& error) {
    const Result result = run("workspace " + file + " " + arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_EQ(result.output, "") << arguments;
    EXPECT_THAT(result.errors, HasSubstr(error)) << arguments;
  };
  refuses("", "--range");
  refuses("--range moto=[0,1]", "did you mean 'motor'?");
  refuses("--range motor=[1,0]", "--range: motor: found [1, 0], expected [lowest,highest], lowest < highest");
  refuses("--range motor=[0,1] --range motor=[0,2]", "--range: motor: found it twice");
  refuses("--range motor=[0,1] --frame bar.tp", "--frame: found 'bar.tp', expected LINK.tip or a marker");
  refuses("--range motor=[0,1] -o cloud.png", "--output");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
