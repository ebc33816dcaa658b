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

TEST_F(SensitivitiesCommand, GoesBackAsForward) {
  const std::string asked = "sensitivities " + scenario_ + " --json --of tip.position,energy.kinetic --at 0.3" +
                            " --set simulation.integrator='{type: generalized_alpha, step: 0.01}'" +
                            " --set simulation.inputs.motor='{type: points, time: [0, 0.2, 0.4], value: [1, 2, 0]}'";
  const Result back = run(asked + " --by inputs.motor,q --adjoint");
  ASSERT_EQ(back.code, 0) << back.errors;
  const auto found = nlohmann::json::parse(back.output);
  EXPECT_EQ(found["by"][2], "simulation.inputs.motor.value[2]");
  std::string by;
  for (const auto& path : found["by"]) by += (by.empty() ? "" : ",") + path.get<std::string>();
  const auto expected = nlohmann::json::parse(run(asked + " --by '" + by + "'").output);
  ASSERT_EQ(found["derivative"].size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(found["value"][i].get<double>(), expected["value"][i].get<double>(), 1e-12);
    for (std::size_t k = 0; k < found["by"].size(); ++k) {
      const double slope = expected["derivative"][i][k];
      EXPECT_NEAR(found["derivative"][i][k].get<double>(), slope, 1e-9 * (1.0 + std::abs(slope)));
    }
  }
  const Result all_times = run(asked + " --by q --adjoint -o " + directory_.path("all.csv"));
  EXPECT_NE(all_times.code, 0);
  EXPECT_THAT(all_times.errors, HasSubstr("--adjoint: found --output of all times, expected one time"));
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
