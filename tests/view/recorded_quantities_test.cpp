#include "cuttle/simulation/recorded_quantities.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/simulator.h"
#include "io/results/result_block.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {

namespace fs = std::filesystem;

struct Given {
  ScenarioFile file;
  Model model;
  std::vector<RecordedController> controllers;
  std::vector<RecordedMotion> motion;
  explicit Given(const std::string& path)
      : file(load_scenario_file(path)),
        model(file.robot),
        controllers(recorded_controllers(model, file.scenario.controllers)),
        motion(recorded_motion(model, file.scenario.motion)) {}
  RecordedRun run() const { return {model, controllers, motion}; }
};

std::vector<std::string> shipped_scenarios() {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(test::k_source_dir + "/models")) {
    const std::string path = entry.path().string();
    if (path.ends_with("_scenario.yaml") && path.find("fem_") == path.npos) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// How many numbers each row has, by what the model says and not by the list.
std::map<std::string, std::size_t> widths_of(const Given& given) {
  const Model& model = given.model;
  const auto rows = static_cast<std::size_t>(model.constraint_count());
  std::size_t control = 0, motion = 0;
  for (const RecordedController& controller : given.controllers) {
    control += static_cast<std::size_t>(controller.columns.size());
  }
  for (const RecordedMotion& driven : given.motion) motion += driven.efforts.size();
  return {{"q", static_cast<std::size_t>(model.nq())},
          {"v", static_cast<std::size_t>(model.nv())},
          {"u", static_cast<std::size_t>(model.nu())},
          {"y", static_cast<std::size_t>(model.nu())},
          {"element_states", static_cast<std::size_t>(model.element_start().size())},
          {"element_outputs", model.element_output_info().size()},
          {"loop_residual", rows},
          {"multipliers", rows},
          {"motion", motion},
          {"control", control}};
}

class EveryScenario : public ::testing::TestWithParam<std::string> {};

// Each number of each member of a sample is in one column of results, and each column is one number.
TEST_P(EveryScenario, ColumnsAreTheNumbersOfASample) {
  const Given given(GetParam());
  std::map<std::string, std::set<int>> places;  // of the rows, by the quantity that owns the member
  std::set<std::string> headers, paths;
  for (const RecordedQuantity& quantity : recorded_quantities()) {
    for (const RecordedDataset& dataset : quantity.datasets(given.run())) {
      EXPECT_TRUE(dataset.path == quantity.root || dataset.path.starts_with(quantity.root + "/")) << dataset.path;
      EXPECT_TRUE(paths.insert(dataset.path).second) << dataset.path << " stands twice";
      int count = 0;
      for (const RecordedDataset::Numbers& numbers : dataset.numbers) {
        count += numbers.count;
        for (const RecordedQuantity& owner : recorded_quantities()) {
          if (owner.member != numbers.member || !std::holds_alternative<VectorXd Sample::*>(owner.member)) continue;
          for (int i = numbers.first; i < numbers.first + numbers.count; ++i) {
            EXPECT_TRUE(places[owner.name].insert(i).second) << owner.name << "[" << i << "] stands twice";
          }
        }
      }
      EXPECT_EQ(static_cast<std::size_t>(count), dataset.columns.size()) << dataset.path;
      EXPECT_TRUE(!dataset.scalar || count == 1) << dataset.path;
    }
  }
  for (const auto& [name, width] : widths_of(given)) {
    EXPECT_EQ(places[name].size(), width) << name;
    EXPECT_TRUE(width == 0 || *places[name].rbegin() == static_cast<int>(width) - 1) << name;
  }
  for (const ResultBlock& block : result_blocks(given.model, given.controllers, given.motion)) {
    for (const auto& column : block.columns) EXPECT_TRUE(headers.insert(column.header).second) << column.header;
  }
}

// What a run records has the sizes of the list, and is the same again after it was written and read.
TEST_P(EveryScenario, ASampleOfARunIsReadAsItWasWritten) {
  Given given(GetParam());
  given.file.scenario.duration = given.file.scenario.output_step = 1e-4;
  MemoryRecorder memory;
  Simulator(given.model, given.file.scenario).run({&memory});
  const Sample& sample = memory.samples().front();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Sample again = sized_sample(given.run(), nan);
  const auto blocks = result_blocks(given.model, given.controllers, given.motion);
  std::vector<std::vector<double>> rows;
  for (const ResultBlock& block : blocks) {
    rows.emplace_back(block.width());
    block.read(sample, rows.back().data());
    block.restore(rows.back().data(), again);
  }
  for (const RecordedQuantity& quantity : recorded_quantities()) {
    const auto compare = [&](const auto& a, const auto& b) {
      ASSERT_EQ(a.size(), b.size()) << quantity.name;
      for (std::size_t i = 0; i < static_cast<std::size_t>(a.size()); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        EXPECT_TRUE(a[k] == b[k] || (std::isnan(a[k]) && std::isnan(b[k]))) << quantity.name << "[" << i << "]";
      }
    };
    if (const auto* const row = std::get_if<VectorXd Sample::*>(&quantity.member)) {
      compare(sample.*(*row), again.*(*row));
    } else if (const auto* const poses = std::get_if<std::vector<Pose> Sample::*>(&quantity.member)) {
      ASSERT_EQ((sample.*(*poses)).size(), (again.*(*poses)).size()) << quantity.name;
      for (std::size_t i = 0; i < (sample.*(*poses)).size(); ++i) {
        const Pose &a = (sample.*(*poses))[i], &b = (again.*(*poses))[i];
        EXPECT_EQ(a.position.x, b.position.x) << quantity.name;
        EXPECT_NEAR(a.rotation.row0.y, b.rotation.row0.y, 1e-14) << quantity.name;  // by way of a quaternion
      }
    } else if (quantity.balance == 0.0 || quantity.datasets(given.run()).size() > 0) {
      EXPECT_EQ(quantity.number(sample), quantity.number(again)) << quantity.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryScenario, ::testing::ValuesIn(shipped_scenarios()), [](const auto& given) {
  std::string name = fs::path(given.param).stem().string();
  return fs::path(given.param).parent_path().filename().string() + "_" + name.substr(0, name.find("_scenario"));
});

// Energies and works are those of which Sample::balance says that they keep their sum.
TEST(RecordedQuantities, SumOfEnergiesAndWorksIsThatOfASample) {
  Sample sample;
  double number = 1.0;
  for (const RecordedQuantity& quantity : recorded_quantities()) {
    if (quantity.sort == RecordedQuantity::Sort::energy || quantity.sort == RecordedQuantity::Sort::work) {
      quantity.number(sample) = number, number *= 3.0;
    }
  }
  double sum = 0.0;
  for (const RecordedQuantity& quantity : recorded_quantities()) {
    if (quantity.balance != 0.0) sum += quantity.balance * quantity.number(sample);
  }
  EXPECT_EQ(sum, sample.energy() - sample.balance().work);
  EXPECT_EQ(number, std::pow(3.0, 8));  // five energies, three works
}

}  // namespace cuttle::CUTTLE_FILE
