// Obstacles and contact shapes in pictures.
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "cuttle/geometry/shapes.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/model/model.h"
#include "cuttle/view/gltf.h"
#include "cuttle/view/scene.h"
#include "io/io_support.h"
#include "view/obstacle_shapes.h"
#include "view/svg_obstacles.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using Json = nlohmann::json;

constexpr const char* k_text = R"(cuttle: 1
name: touching
links:
  - {name: cube, attach: {pose: {position: [0, 0, 0.5]}}, joint: {type: free}, body: {type: rigid, mass: 0.1, inertia: [1.0e-5, 1.0e-5, 1.0e-5, 0, 0, 0]}, contact: {shape: box, size: [0.04, 0.05, 0.06], pose: {position: [0, 0, 0.01]}}}
  - {name: arm, joint: {type: revolute}, body: {type: rigid, mass: 0.1, inertia: [1.0e-5, 1.0e-5, 1.0e-5, 0, 0, 0], tip: {position: [0, 0, 0.3]}, visual: {shape: sphere, radius: 0.02}}, contact: {shape: capsule, radius: 0.01, length: 0.3}}
obstacles:
  - {name: ground, shape: plane, pose: {position: [0.3, 0.4, -0.2]}}
  - {name: belt, shape: box, size: [1, 0.2, 0.1], color: teal, pose: {position: [0, 0, -1], rpy: [0, 0, 1.5707963267948966]}, motion: {position: [{type: ramp, start: 0, end: 10, to: 5}, 0, 0]}}
  - {name: tube, shape: cylinder, radius: 0.4, length: 3, inside: true}
  - {name: spike, shape: cone, angle: 0.4, length: 0.2, pose: {position: [3, 0, 0]}}
  - {name: hills, shape: height_field, cell: [0.1, 0.2], grid: [[0, 0.1, 0], [0.1, 0.2, 0.1]], pose: {position: [3, 0, 0]}}
)";

RobotFile load() {
  const TemporaryDirectory directory;
  return load_robot_file(directory.write("r.yaml", k_text));
}

Sample at_time(const Robot& robot, double time) {
  Sample sample;
  sample.time = time;
  sample.q = Model(robot).neutral();
  return sample;
}

Json shape_of(const Json& scene, const std::string& frame) {
  for (const Json& shape : scene["shapes"]) {
    if (scene["frames"][shape["frame"].get<int>()]["name"] == frame) return shape;
  }
  ADD_FAILURE() << frame;
  return {};
}

TEST(SceneOfObstacles, HasThemWithTheirShapesAndColors) {
  const RobotFile file = load();
  const Json scene = Json::parse(Scene(file.robot, file.visuals).json());
  const Json ground = shape_of(scene, "ground"), belt = shape_of(scene, "belt"), tube = shape_of(scene, "tube");
  for (const Json& shape : {ground, belt, tube}) {
    EXPECT_EQ(shape["obstacle"], true);
    EXPECT_EQ(shape["link"], -1);
  }
  EXPECT_EQ(ground["shape"], "box");
  // about the foot of the robot's base, its upper face in the plane
  EXPECT_NEAR(ground["pose"]["position"][0].get<double>(), -0.3, 1e-12);
  EXPECT_NEAR(ground["pose"]["position"][2].get<double>() + 0.5 * ground["size"][2].get<double>(), 0.0, 1e-3);
  EXPECT_EQ(belt["size"], Json({1.0, 0.2, 0.1}));
  EXPECT_EQ(belt["color"], "#008080");
  EXPECT_FALSE(belt.contains("opacity"));
  EXPECT_EQ(tube["shape"], "cylinder");
  EXPECT_LT(tube["opacity"].get<double>(), 0.5);  // else the robot in it were hidden
  EXPECT_EQ(shape_of(scene, "spike")["shape"], "mesh");
  EXPECT_EQ(shape_of(scene, "hills")["shape"], "mesh");
}

TEST(SceneOfObstacles, MovesThoseThatMove) {
  const RobotFile file = load();
  Scene scene(file.robot, file.visuals);
  const Json json = Json::parse(scene.json());
  const int at = json["frames"][shape_of(json, "belt")["frame"].get<int>()]["at"];
  std::vector<double> numbers(static_cast<std::size_t>(scene.size()));
  scene.frame(at_time(file.robot, 4.0), numbers);
  // 2 m along its own x axis, which is the world's y axis
  EXPECT_NEAR(numbers[at], 0.0, 1e-12);
  EXPECT_NEAR(numbers[at + 1], 2.0, 1e-12);
  EXPECT_NEAR(numbers[at + 2], -1.0, 1e-12);
  EXPECT_NEAR(std::abs(numbers[at + 3]), std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(std::abs(numbers[at + 6]), std::sqrt(0.5), 1e-12);
}

TEST(SceneOfObstacles, DrawsContactShapesOfWhatLooksOtherwiseOnlyIfAsked) {
  const RobotFile file = load();
  const Json scene = Json::parse(Scene(file.robot, file.visuals).json());
  const Json cube = shape_of(scene, "cube contact"), arm = shape_of(scene, "arm contact");
  EXPECT_FALSE(cube.contains("contact"));  // it has no other looks
  EXPECT_EQ(cube["size"], Json({0.04, 0.05, 0.06}));
  EXPECT_EQ(cube["pose"]["position"], Json({0.0, 0.0, 0.01}));
  EXPECT_EQ(arm["contact"], true);
  for (const Json& frame : scene["frames"]) EXPECT_NE(frame.value("marker", ""), "mass");
}

TEST(SceneOfObstacles, LeavesOtherRobotsAsTheyWere) {
  RobotFile file = load();
  file.robot.obstacles.clear();
  for (Link& link : file.robot.links) link.contact = {};
  const std::string json = Scene(file.robot).json();
  EXPECT_EQ(json.find("obstacle"), std::string::npos);
  EXPECT_EQ(json.find("contact"), std::string::npos);
}

/// Volume within a closed mesh, by the divergence theorem.
double volume_of(const TriangleMesh& mesh) {
  double volume = 0.0;
  for (const auto& [a, b, c] : mesh.triangles) {
    volume += dot(mesh.points[a], cross(mesh.points[b], mesh.points[c])) / 6.0;
  }
  return volume;
}
void expect_closed(const TriangleMesh& mesh) {
  std::map<std::pair<int, int>, int> edges;
  for (const auto& corners : mesh.triangles) {
    for (int k = 0; k < 3; ++k) ++edges[{corners[k], corners[(k + 1) % 3]}];
  }
  for (const auto& [edge, count] : edges) {
    EXPECT_EQ(count, 1);
    EXPECT_EQ(edges.count({edge.second, edge.first}), 1u);
  }
}

TEST(DistanceMesh, LiesOnTheSurfaceAndIsClosed) {
  const double radius = 0.3, length = 0.4;
  const Capsule capsule(radius, length);
  double last = 1.0;
  for (const int cells : {12, 24, 48}) {
    const TriangleMesh mesh = distance_mesh(capsule, 0.6, cells);
    for (const Vector3& p : mesh.points) EXPECT_NEAR(capsule.at(p).value, 0.0, 1e-12);
    expect_closed(mesh);
    const double exact = M_PI * radius * radius * (length + 4.0 / 3.0 * radius);
    const double error = std::abs(volume_of(mesh) / exact - 1.0);
    EXPECT_LT(error, 0.35 * last);  // chords: a fourth with each halving
    last = error;
  }
  EXPECT_LT(last, 2e-3);
}

TEST(DistanceMesh, OfAConeIsClosedAndLooksOutside) {
  const Cone cone(0.4, 0.2);
  const SceneShape drawn = drawn_shape(cone, 1.0, {});
  ASSERT_EQ(drawn.kind, SceneShape::Kind::mesh);
  expect_closed(*drawn.mesh);
  const double radius = 0.2 * std::tan(0.4);
  EXPECT_NEAR(volume_of(*drawn.mesh), M_PI * radius * radius * 0.2 / 3.0, 0.01 * M_PI * radius * radius * 0.2 / 3.0);
  for (const Vector3& p : drawn.mesh->points) {
    EXPECT_NEAR(cone.at(p).value, 0.0, p.x * p.x + p.y * p.y > 0.0 || p.z > 0.0 ? 1e-12 : 1.0);
  }
}

double area_of(const std::vector<SvgPoint>& polygon) {
  double area = 0.0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const SvgPoint &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    area += 0.5 * (a.x * b.y - a.y * b.x);
  }
  return area;
}

TEST(SvgObstacles, HullsHoldTheirPointsAndNothingMore) {
  const std::vector<SvgPoint> hull = convex_hull({{0, 0}, {1, 1}, {2, 0}, {2, 2}, {0, 2}, {1, 0.5}, {1, 0}});
  EXPECT_EQ(hull.size(), 4u);
  EXPECT_DOUBLE_EQ(area_of(hull), 4.0);
}

TEST(SvgObstacles, AreCutAtTheFrame) {
  const SvgPanel::Frame frame{0.0, 0.0, 10.0, 5.0};
  EXPECT_DOUBLE_EQ(std::abs(area_of(clipped({{-5, -5}, {20, -5}, {20, 20}, {-5, 20}}, frame))), 50.0);
  EXPECT_DOUBLE_EQ(std::abs(area_of(clipped({{8, 1}, {12, 1}, {12, 3}, {8, 3}}, frame))), 4.0);
  EXPECT_TRUE(clipped({{20, 20}, {30, 20}, {30, 30}}, frame).empty());
}

TEST(SvgObstacles, AreWhereTheyAreAtTheTime) {
  const RobotFile file = load();
  const Obstacle& belt = file.robot.obstacles[1];
  const SvgPanel::Frame frame{-100.0, -100.0, 200.0, 200.0};
  const auto polygons = obstacle_polygons(obstacle_surface(belt, 4.0, 1.0, {}), frame, [](const Vector3& p) {
    return SvgPoint{p.y, p.z};
  });
  ASSERT_EQ(polygons.size(), 1u);
  // seen along the world's x axis: 1 m along y about y = 2, 0.1 m high about z = -1
  EXPECT_NEAR(area_of(polygons[0]), 0.1, 1e-12);
  for (const SvgPoint& p : polygons[0]) {
    EXPECT_NEAR(std::abs(p.x - 2.0), 0.5, 1e-12);
    EXPECT_NEAR(std::abs(p.y + 1.0), 0.05, 1e-12);
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
