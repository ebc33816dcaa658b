// `cuttle statics --json`: stiffness of the equilibrium, compliance of tips and markers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "io/command_line.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using StaticsStiffness = CommandLine;
using Json = nlohmann::json;

// A bar of 0.5 m on a hinge with a spring of 20 N m/rad, level without its weight of 2 kg at the end.
const char* const k_spring = R"(cuttle: 1
name: spring
links:
  - name: bar
    joint: {type: revolute, axis: [0, 1, 0], stiffness: 20}
    body: {type: rigid, mass: 2, com: [0.5, 0, 0], inertia: [0, 0.01, 0.01, 0, 0, 0], tip: {position: [0.5, 0, 0]}}
markers: [{name: middle, link: bar, at: base, offset: [0.25, 0, 0]}]
)";

TEST_F(StaticsStiffness, OfAHingeWithASpring) {
  const auto result = run("statics " + directory_.write("spring.yaml", k_spring) + " --json");
  ASSERT_EQ(result.code, 0) << result.errors;
  const Json json = Json::parse(result.output);
  const double q = json["q"][0], k = 20 + 2 * 9.81 * 0.5 * std::sin(q);
  EXPECT_NEAR(json["stiffness"][0][0], k, 1e-9);
  ASSERT_EQ(json["compliance"].size(), 2u);
  for (const auto& [name, reach] : {std::pair<const char*, double>{"bar.tip", 0.5}, {"middle", 0.25}}) {
    const Json& C = json["compliance"][name];
    ASSERT_EQ(C.size(), 6u) << name;
    // about y; the frame goes by (-sin q, 0, -cos q) times its reach
    const double moves[6] = {0, 1, 0, -reach * std::sin(q), 0, -reach * std::cos(q)};
    for (std::size_t i = 0; i < 6; ++i) {
      ASSERT_EQ(C[i].size(), 6u) << name;
      for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(C[i][j], moves[i] * moves[j] / k, 1e-11) << name << i << j;
    }
  }
  EXPECT_EQ(json["not_finite"], Json::array());
}

TEST_F(StaticsStiffness, OfARobotWithLoopsAndOfOneOfRods) {
  for (const auto& [file, nv, tips] :
       {std::tuple<const char*, std::size_t, std::vector<std::string>>{
            "boyer2023/parallel_robot.yaml", 12, {"leg1.tip", "leg2.tip"}},
        {"examples/tendon_arm.yaml --input right=3", 12, {"upper.tip", "disk.tip", "lower.tip"}}}) {
    const auto result = run("statics " + model(file) + " --json");
    ASSERT_EQ(result.code, 0) << result.errors;
    const Json json = Json::parse(result.output);
    ASSERT_EQ(json["stiffness"].size(), nv) << file;
    for (const Json& row : json["stiffness"]) EXPECT_EQ(row.size(), nv) << file;
    ASSERT_EQ(json["compliance"].size(), tips.size()) << file;
    for (const std::string& tip : tips) {
      const Json& C = json["compliance"][tip];
      ASSERT_EQ(C.size(), 6u) << tip;
      for (std::size_t i = 0; i < 6; ++i) {
        for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(C[i][j], C[j][i], 1e-9) << tip << i << j;
        EXPECT_GE(C[i][i], -1e-12) << tip;
      }
    }
  }
}

// What turns freely has no compliance, and the field says so; where nothing moves it is zero.
TEST_F(StaticsStiffness, WhereSomethingMovesFreelyOrNothingDoes) {
  const std::string swivel = directory_.write("swivel.yaml", R"(cuttle: 1
links: [{name: bar, joint: {type: revolute, axis: [0, 0, 1]}, body: {type: rigid, mass: 1, com: [0.1, 0, 0]}}]
)");
  Json json = Json::parse(run("statics " + swivel + " --json").output);
  EXPECT_EQ(json["stability"], "neutral");
  EXPECT_EQ(json["stiffness"], Json::parse("[[0]]"));
  EXPECT_TRUE(json["compliance"]["bar.tip"].is_null());
  EXPECT_EQ(json["not_finite"], Json::array({"compliance"}));
  const std::string block = directory_.write("block.yaml", R"(cuttle: 1
links: [{name: block, body: {type: rigid, mass: 1}}]
)");
  json = Json::parse(run("statics " + block + " --json").output);
  EXPECT_EQ(json["stiffness"], Json::array());
  EXPECT_EQ(json["compliance"]["block.tip"], Json(std::vector<std::vector<int>>(6, std::vector<int>(6, 0))));
  EXPECT_EQ(json["not_finite"], Json::array({"smallest_stiffness"}));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
