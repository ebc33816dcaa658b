// Sites of contacts as dots of a scene.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/simulator.h"
#include "cuttle/view/scene.h"

namespace cuttle::CUTTLE_FILE {
namespace {

Robot block(const std::string& record) {
  return read_robot_text(
      "cuttle: 1\nlinks: [{name: block, joint: {type: free}, contact: {shape: box, size: [0.1, 0.06, 0.04]}, "
      "body: {type: rigid, mass: 0.2, inertia: [1.0e-4, 2.0e-4, 2.0e-4, 0, 0, 0]}}]\n"
      "obstacles: [{name: ground, shape: plane, pose: {position: [0, 0, -0.0199]}}]\n"
      "contacts: [{name: floor, a: block, b: ground, modulus: 1.0e+7, record: " +
          record + "}]\n",
      "block.yaml");
}

TEST(SceneOfSites, HasADotForEachWithWhatItDoes) {
  const Robot robot = block("sites");
  Scene scene(robot);
  const nlohmann::json json = nlohmann::json::parse(scene.json());
  ASSERT_EQ(json["dots"].size(), 8u);
  EXPECT_EQ(json["dots"][3]["name"], "floor/sites 3");
  Scenario scenario;
  scenario.duration = scenario.output_step = 1e-3;
  MemoryRecorder memory;
  Simulator(Model(robot), scenario).run({&memory});
  std::vector<double> numbers(static_cast<std::size_t>(scene.size()));
  scene.frame(memory.samples().front(), numbers);
  int low = 0;
  for (const auto& dot : json["dots"]) {
    const auto at = dot["at"].get<std::size_t>(), state = dot["state"].get<std::size_t>();
    const double z = numbers.at(at + 2);
    // a corner below the ground touches, one above is apart
    EXPECT_EQ(numbers.at(state) > 0.0, z < 0.0) << z;
    EXPECT_NEAR(std::abs(numbers.at(at)), 0.05, 1e-3);
    EXPECT_NEAR(std::abs(numbers.at(at + 1)), 0.03, 1e-3);
    low += z < 0.0 ? 1 : 0;
  }
  EXPECT_EQ(low, 4);
}

TEST(SceneOfSites, HasNoneWhereNobodyAsksForThem) {
  const nlohmann::json json = nlohmann::json::parse(Scene(block("resultant")).json());
  EXPECT_FALSE(json.contains("dots"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
