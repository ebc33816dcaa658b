// What scenes draw is where the robot is.
#include "cuttle/view/scene.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cuttle/algorithms/kinematics.h"
#include "cuttle/spatial/logarithm.h"
#include "view/packed_numbers.h"
#include "view/view_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using Json = nlohmann::json;

class SceneTest : public testing::Test {
 protected:
  SceneTest() {
    robot_.markers.push_back({"half", {"rod", PortLocation::section(0.1), {}}});
    robot_.markers.push_back({"corner", {"block", PortLocation::at_point({0.03, 0.025, 0.15}), {}}});
    for (const Sample& sample : test::invented_motion(model_, 40)) {
      numbers_.resize(scene_.size());
      scene_.frame(sample, numbers_);
      last_ = sample;
    }
  }
  Vector3 point(int at) const { return {numbers_[at], numbers_[at + 1], numbers_[at + 2]}; }
  Pose pose(int at) const {
    return {Quaternion{numbers_[at + 3], numbers_[at + 4], numbers_[at + 5], numbers_[at + 6]}.matrix(), point(at)};
  }
  static void expect_near(const Pose& a, const Pose& b) {
    EXPECT_LT(norm(a.position - b.position), 1e-12);
    EXPECT_LT(norm(rotation_logarithm(a.rotation.transpose() * b.rotation)), 1e-7);
  }

  Robot robot_ = test::robot_of_all_kinds();
  Model model_{robot_};
  Scene scene_{robot_};
  Json json_ = Json::parse(scene_.json());
  std::vector<double> numbers_;
  Sample last_;
};

TEST_F(SceneTest, EveryNumberOfTheFrameVectorBelongsToOneRange) {
  int next = 0;
  for (const SceneRange& range : scene_.ranges()) {
    EXPECT_EQ(range.at, next);
    next += range.size;
  }
  EXPECT_EQ(next, scene_.size());
  EXPECT_EQ(json_["size"], scene_.size());
  for (const double value : numbers_) EXPECT_TRUE(std::isfinite(value));
}

TEST_F(SceneTest, FramesAndRodsAreWhereTheRobotIs) {
  const Model model(robot_);
  Data data(model);
  const auto& kinematics = forward_kinematics(model, data, last_.q);
  for (std::size_t i = 0; i < robot_.links.size(); ++i) {
    const Json& link = json_["links"][i];
    EXPECT_EQ(link["name"], robot_.links[i].name);
    expect_near(pose(json_["frames"][link["tip"].get<int>()]["at"]), kinematics.pose(model.links()[i].tip));
  }
  const Json& rod = json_["rods"][0];
  const std::size_t half = rod["s"].size() / 2;
  EXPECT_NEAR(rod["s"][half], 0.1, 1e-12);
  expect_near(pose(rod["at"].get<int>() + 7 * static_cast<int>(half)), kinematics.pose(model.marker_frame("half")));
  EXPECT_NEAR(rod["halfX"][half], 0.5 * (0.02 + 0.012), 1e-9);
  // the corner of the block is a point of its surface
  const Json& surface = json_["surfaces"][1];
  double nearest = 1.0;
  for (int k = 0; k < surface["points"]; ++k) {
    const Vector3 corner = kinematics.pose(model.marker_frame("corner")).position;
    nearest = std::min(nearest, norm(point(surface["at"].get<int>() + 3 * k) - corner));
  }
  EXPECT_LT(nearest, 1e-12);
}

TEST_F(SceneTest, SurfacesOfVolumesAreClosed) {
  for (const Json& surface : json_["surfaces"]) {
    std::map<std::pair<int, int>, int> edges;
    const auto corners = test::unpacked(surface["triangles"]);
    ASSERT_EQ(corners.size() % 3, 0u);
    for (std::size_t t = 0; t < corners.size(); t += 3) {
      for (std::size_t k = 0; k < 3; ++k) {
        ++edges[{static_cast<int>(corners[t + k]), static_cast<int>(corners[t + (k + 1) % 3])}];
      }
    }
    for (const auto& [edge, count] : edges) {
      EXPECT_EQ(count, 1);
      EXPECT_TRUE(edges.contains({edge.second, edge.first}));
      EXPECT_LT(edge.first, surface["points"].get<int>());
    }
  }
}

TEST_F(SceneTest, TendonsChambersAndLoadsFollow) {
  const Model model(robot_);
  Data data(model);
  const auto& kinematics = forward_kinematics(model, data, last_.q);
  const Json& tendon = json_["tendons"][0];
  EXPECT_EQ(tendon["name"], "cable");
  EXPECT_EQ(numbers_[tendon["tension"]], last_.u[1]);
  EXPECT_LT(norm(point(tendon["at"]) - kinematics.pose(model.base_frame()).act(Vector3{0.03, 0, -0.01})), 1e-12);
  const Json &tube = json_["chambers"][0], &bore = json_["chambers"][1];
  EXPECT_EQ(numbers_[tube["pressure"]], last_.u[2]);
  EXPECT_EQ(numbers_[bore["pressure"]], last_.u[3]);
  EXPECT_LT(norm(point(tube["tube"]["at"]) - kinematics.pose(model.base_frame("rod")).act(Vector3{0.004, -0.002, 0})),
            1e-12);
  EXPECT_NEAR(tube["tube"]["radius"], std::sqrt(3e-5 / M_PI), 1e-7);
  // the bore's surface encloses the bore's volume at rest
  const auto corners = test::unpacked(bore["cavity"]["triangles"]);
  Sample rest = last_;
  rest.q = model_.neutral();
  scene_.frame(rest, numbers_);
  double volume = 0.0;
  for (std::size_t t = 0; t < corners.size(); t += 3) {
    const auto corner = [&](std::size_t k) {
      return point(bore["cavity"]["at"].get<int>() + 3 * static_cast<int>(corners[t + k]));
    };
    volume += dot(corner(0), cross(corner(1), corner(2))) / 6;
  }
  const double exact = M_PI * test::k_tube_bore * test::k_tube_bore * test::k_tube_length;
  EXPECT_NEAR(volume, exact, 0.03 * exact);  // a polygon of 20 corners
  EXPECT_LT(volume, exact);

  const Json& push = json_["arrows"][0];
  EXPECT_EQ(push["unit"], "N");
  EXPECT_EQ(json_["arrows"][1]["unit"], "N/m");
  EXPECT_EQ(json_["arrows"].size(), 1u + 9u);
  scene_.frame(last_, numbers_);
  const double force = 0.1 + 0.2 * std::sin(2 * M_PI * 0.5 * last_.time);
  const Vector3 expected = kinematics.pose(model.tip_frame("weight")).rotation * Vector3{force, 0, 0};
  EXPECT_LT(norm(point(push["at"].get<int>() + 3) - expected), 1e-12);
}

TEST_F(SceneTest, QuaternionsDoNotJump) {
  Robot robot;
  robot.links.push_back({.name = "wheel",
                         .joint = make_revolute_joint<double>({0.6, 0, 0.8}),
                         .body = test::rigid_body(1.0, {}, {1, 1, 1}, {0, 0, 0.1})});
  Scene scene(robot);
  std::vector<double> before, numbers(scene.size());
  Sample sample;
  sample.q.resize(1);
  for (int k = 0; k < 300; ++k) {
    sample.q[0] = 0.05 * k;
    scene.frame(sample, numbers);
    for (std::size_t i = 0; k > 0 && i < numbers.size(); ++i) EXPECT_NEAR(numbers[i], before[i], 0.06);
    before = numbers;
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
