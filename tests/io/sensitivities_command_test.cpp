// `cuttle sensitivities` as a user runs it; what it computes is tested in tests/simulation.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "io/command_line.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;

class SensitivitiesCommand : public CommandLine {
 protected:
  std::string scenario_ = model("examples/pendulum_scenario.yaml");
};

TEST_F(SensitivitiesCommand, PrintsJsonOfTheEndOrOfATime) {
  const std::string asked = " --of tip.position,q --by links.arm.body.mass,gravity[2] --json";
  const Result end = run("sensitivities " + scenario_ + asked);
  ASSERT_EQ(end.code, 0) << end.errors;
  const auto json = nlohmann::json::parse(end.output);
  EXPECT_EQ(json["of"], nlohmann::json({"tip.x", "tip.y", "tip.z", "arm.joint.q0"}));
  EXPECT_EQ(json["by"], nlohmann::json({"links.arm.body.mass", "gravity[2]"}));
  EXPECT_EQ(json["by_values"][1], -9.81);
  ASSERT_EQ(json["derivative"].size(), 4U);
  EXPECT_EQ(json["derivative"][0].size(), 2U);
  EXPECT_EQ(json["value"].size(), 4U);
  const auto early = nlohmann::json::parse(run("sensitivities " + scenario_ + asked + " --at 0.25").output);
  EXPECT_EQ(early["time"], 0.25);
  EXPECT_NE(early["derivative"], json["derivative"]);
}

TEST_F(SensitivitiesCommand, WritesAllOutputTimes) {
  const std::string table = directory_.path("new/slopes.csv");
  const Result result = run("sensitivities " + scenario_ + " --of q --by gravity[2] --at 0.1 -o " + table);
  ASSERT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("written: " + table));
  std::ifstream file(table);
  std::string header, line, last;
  std::getline(file, header);
  int rows = 0;
  for (; std::getline(file, line); ++rows) last = line;
  EXPECT_THAT(header, HasSubstr("gravity[2]"));
  EXPECT_GT(rows, 2);
  EXPECT_TRUE(last.starts_with("0.1")) << last;
}

TEST_F(SensitivitiesCommand, TakesNumbersOfControllers) {
  const std::string controlled = directory_.write(
      "held_scenario.yaml",
      "cuttle: 1\nrobot: " + model("examples/pendulum.yaml") +
          "\nsimulation:\n  duration: 0.2\n  initial: {arm: {q: [0.3]}}\n  controllers:\n    - {name: hold, type: pid, "
          "reference: [{type: cubic, start: 0, end: 0.1, from: 0.3, to: 0.5}], kp: 20, kd: 2}\n");
  const Result result =
      run("sensitivities " + controlled +
          " --of q,u --by simulation.controllers.hold.kp,simulation.controllers.hold.reference[0].to --json");
  ASSERT_EQ(result.code, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_EQ(json["by_values"], nlohmann::json({20.0, 0.5}));
  EXPECT_GT(json["derivative"][0][1], 0.5) << "the arm follows where it is told to go";
  const Result wrong = run("sensitivities " + controlled + " --of q --by simulation.controllers.hold.kpp");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.errors, HasSubstr("did you mean 'kp'"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
