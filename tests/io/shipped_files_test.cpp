// Every robot and scenario that is shipped goes through every command that is quick.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "io/live_command.h"

namespace cuttle::CUTTLE_FILE {
namespace {

namespace fs = std::filesystem;

class ShippedFiles : public LiveCommand {
 protected:
  static std::vector<std::string> files(bool scenarios) {
    std::vector<std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(test::k_source_dir + "/models")) {
      const std::string path = entry.path().string();
      if (path.ends_with(".yaml") && path.ends_with("_scenario.yaml") == scenarios) all.push_back(path);
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  void expect_success(const std::string& arguments) {
    const Result result = run(arguments);
    EXPECT_EQ(result.code, 0) << "cuttle " << arguments << "\n" << result.errors;
  }
};

TEST_F(ShippedFiles, RobotsGoThroughTheQuickCommands) {
  const std::vector<std::string> robots = files(false);
  EXPECT_GT(robots.size(), 30u);
  for (const std::string& robot : robots) {
    for (const std::string& command :
         {std::string("info "), std::string("eval "), "view --no-open -o " + directory_.path("r.html") + " ",
          "export --gltf " + directory_.path("r.glb") + " ", std::string("export --mjcf --allow-loss ")}) {
      expect_success(command + robot);
    }
  }
}

TEST_F(ShippedFiles, ScenariosGoThroughTheQuickCommands) {
  // paths of equilibria that are found before the first step, or a law whose first step is dear
  constexpr std::array k_slow{"simulation1_circle_scenario", "simulation1_circle_pull_scenario", "simulation1_scenario",
                              "simulation4_scenario"};
  const std::vector<std::string> scenarios = files(true);
  EXPECT_GT(scenarios.size(), 30u);
  for (const std::string& scenario : scenarios) {
    const std::string name = fs::path(scenario).stem().string();
    if (std::find(k_slow.begin(), k_slow.end(), name) != k_slow.end()) continue;
    expect_success("view --no-open -o " + directory_.path("s.html") + " " + scenario);
    expect_success("simulate --duration 0.001 -o " + directory_.path("s.h5") + " " + scenario);
  }
}

TEST_F(ShippedFiles, RobotsOfTheExamplesGoLive) {
  for (const std::string& robot : files(false)) {
    if (robot.find("/examples/") == robot.npos) continue;
    scenario_ = robot;
    start();
    EXPECT_EQ(end(SIGINT), 0) << robot;
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
