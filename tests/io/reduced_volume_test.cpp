// `quadrature: {reduce: ..}` of a volume in robot files, and the user's cache folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/parameter_gradient.h"
#include "cuttle/bodies/point_reduction.h"
#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/io/robot_writer.h"
#include "cuttle/model/model.h"
#include "io/command_line.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;

std::string robot_text(const std::string& quadrature = "{points: [12, 3, 8], reduce: 1.0e-2, strain: 0.2}") {
  return R"(cuttle: 1
name: finger
materials: {rubber: {model: mooney_rivlin, density: 1000, c1: 1.0e4, c2: 2.0e3, damping_time: 0.05}}
links:
- name: finger
  body:
    type: volume
    shape: {type: cylinder, length: 0.2, radius: 0.02}
    material: rubber
    quadrature: )" +
         quadrature + R"(
    kinematics: {type: lvp, primitives: [{type: twist, modes: [[0, 1]]}, {type: bend, x: [[1]], y: [[1]]}]}
)";
}

class ReducedVolume : public CommandLine {
 protected:
  ReducedVolume() {
    if (const char* before = std::getenv("XDG_CACHE_HOME")) before_ = before;
    setenv("XDG_CACHE_HOME", directory_.path("cache").c_str(), 1);
  }
  ~ReducedVolume() override {
    before_.empty() ? unsetenv("XDG_CACHE_HOME") : setenv("XDG_CACHE_HOME", before_.c_str(), 1);
  }
  static std::shared_ptr<const PointReduction> reduction_of(const Robot& robot) {
    return robot.links.at(0).body->part<PointReduction>();
  }
  std::vector<std::filesystem::path> cached() const {
    std::vector<std::filesystem::path> files;
    const std::string folder = directory_.path("cache/cuttle/points");
    if (!std::filesystem::exists(folder)) return files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
    return files;
  }
  std::string before_;
};

TEST_F(ReducedVolume, ReadsTheSameFromTheCacheFolder) {
  const auto first = reduction_of(read_robot_text(robot_text(), "finger.yaml"));
  ASSERT_NE(first, nullptr);
  EXPECT_LT(first->kept.size(), 144u);
  ASSERT_EQ(cached().size(), 1u);
  const auto again = reduction_of(read_robot_text(robot_text(), "finger.yaml"));
  EXPECT_EQ(again->kept, first->kept);
  EXPECT_EQ(again->factors, first->factors);
  EXPECT_EQ(again->error, first->error);
  EXPECT_EQ(cached().size(), 1u);
  // a file that says something else is what counts: it was read
  const std::string path = cached()[0].string();
  std::ofstream(path) << "cuttle points 1\n288 1 0.5\n7 288\n";
  EXPECT_EQ(reduction_of(read_robot_text(robot_text(), "finger.yaml"))->kept, std::vector<std::size_t>{7});
  // one that is damaged does not
  for (const char* text : {"", "cuttle points 1\n288 2 0.5\n7 288\n", "cuttle points 1\n288 1 0.5\n300 1\n",
                           "cuttle points 1\n288 2 0.1\n7 1\n7 1\n", "cuttle points 1\n288 1 0.5\n7 -1\n", "else"}) {
    std::ofstream(path) << text;
    EXPECT_EQ(reduction_of(read_robot_text(robot_text(), "finger.yaml"))->kept, first->kept) << text;
  }
  // other contents have files of their own
  read_robot_text(robot_text("{points: [12, 3, 8], reduce: 2.0e-2, strain: 0.2}"), "finger.yaml");
  EXPECT_EQ(cached().size(), 2u);
  read_robot_text(robot_text(), "finger.yaml", {"robot.materials.rubber.c2=3e3"});
  EXPECT_EQ(cached().size(), 3u);
}

TEST_F(ReducedVolume, NeedsNoCacheFolder) {
  directory_.write("cache", "a file where a folder is wanted");
  EXPECT_NE(reduction_of(read_robot_text(robot_text(), "finger.yaml")), nullptr);
}

TEST_F(ReducedVolume, KeepsItsPointsWhenNumbersAreVaried) {
  const Model model(read_robot_text(robot_text(), "finger.yaml"));
  const auto points = reduction_of(model.robot());
  const Model other = model.with("materials.rubber.c2", 4e3);
  EXPECT_EQ(reduction_of(other.robot()), points) << "the same object";

  // derivatives by numbers of the file are those of these points: against differences of the varied robot
  VectorXd q(3), v(3), a(3);
  q << 0.3, 0.5, -0.4;
  v << 0.5, -1.0, 0.2;
  a << 1.0, 2.0, -0.5;
  for (const std::string path : {"materials.rubber.c1", "links.finger.body.shape.radius", "materials.rubber.density"}) {
    const double value = model.parameter(path).value, step = 1e-4 * value;
    const auto at = [&](double number) {
      const Model changed = model.with(path, number);
      Data data(changed);
      return VectorXd(inverse_dynamics(changed, data, q, v, a));
    };
    const VectorXd differences =
        (8.0 * (at(value + step) - at(value - step)) - (at(value + 2 * step) - at(value - 2 * step))) / (12.0 * step);
    const MatrixXd exact = inverse_dynamics_gradient(model, {path}, q, v, a);
    EXPECT_LT((exact.col(0) - differences).norm(), 1e-9 * differences.norm()) << path;
  }
}

TEST_F(ReducedVolume, IsWrittenAsItWasRead) {
  const Robot robot = read_robot_text(robot_text(), "finger.yaml");
  const std::string text = write_robot(robot).yaml;
  EXPECT_THAT(text, HasSubstr("reduce"));
  const Robot again = read_robot_text(text, "again.yaml");
  EXPECT_EQ(reduction_of(again)->kept, reduction_of(robot)->kept);
  EXPECT_EQ(reduction_of(again)->factors, reduction_of(robot)->factors);
}

TEST_F(ReducedVolume, InfoSaysHowManyAndHowWell) {
  directory_.write("finger.yaml", robot_text());
  const Result text = run("info " + directory_.path("finger.yaml"));
  EXPECT_THAT(text.output, HasSubstr(" of 288"));
  EXPECT_THAT(text.output, HasSubstr("up to strains of 0.2"));
  const auto json = nlohmann::json::parse(run("info --json " + directory_.path("finger.yaml")).output);
  const auto& volume = json["volumes"][0];
  EXPECT_EQ(volume["reduction"]["points"], 288);
  EXPECT_LT(volume["points"], 144);
  EXPECT_LE(volume["reduction"]["error"], 1e-2);
  EXPECT_GT(volume["reduction"]["error"], 0.0);
}

TEST_F(ReducedVolume, ErrorsNameTheKey) {
  const auto message = [](const std::string& quadrature) {
    try {
      read_robot_text(robot_text(quadrature), "finger.yaml");
    } catch (const FileError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_THAT(message("{reduce: 0}"), HasSubstr("finger.yaml:10:26: links[0].body.quadrature.reduce: found 0"));
  EXPECT_THAT(message("1e-4"), HasSubstr("finger.yaml:10:17: links[0].body.quadrature: found 1e-4"));
}

TEST_F(ReducedVolume, KeepsAllPointsWithoutATolerance) {
  const RobotFile file = [this] {
    directory_.write("finger.yaml", robot_text("{points: [12, 3, 8], strain: 0.3}"));
    return load_robot_file(directory_.path("finger.yaml"));
  }();
  EXPECT_EQ(reduction_of(file.robot), nullptr);
  EXPECT_EQ(file.robot.links[0].body->part<Quadrature>()->weights.size(), 288u);
  ASSERT_EQ(file.warnings.size(), 1u);
  EXPECT_THAT(file.warnings[0], HasSubstr("links[0].body.quadrature.strain: has no effect without reduce"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
