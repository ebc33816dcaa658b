// Shapes by which robots of other formats touch: distances of random points against those of the shapes that the files
// say, written here by hand; what such robots rest on; and there and back through the exporters.
#include <algorithm>
#include <cmath>

#include "cuttle/algorithms/statics.h"
#include "cuttle/geometry/shapes.h"
#include "cuttle/io/robot_export.h"
#include "cuttle/io/robot_file.h"
#include "io/import_support.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::Contains;
using testing::HasSubstr;

class ImportContact : public RobotImport {
 protected:
  /// Distance of a point of the world to the shapes of a link at rest.
  static double distance(const Robot& robot, const std::string& link, const Vector3& world) {
    const Model model(robot);
    Data data(model);
    const Pose base = forward_kinematics<double>(model, data, model.neutral()).pose(model.base_frame(link));
    const auto owner =
        std::find_if(robot.links.begin(), robot.links.end(), [&](const Link& l) { return l.name == link; });
    double least = std::numeric_limits<double>::infinity();
    for (const ContactShape& touching : owner->contact.shapes) {
      least = std::min(least, touching.shape->at((base * touching.pose).inverse().act(world)).value);
    }
    return least;
  }
  template <typename Expected>
  static void expect_distances(const Robot& robot, const std::string& link, const Expected& expected) {
    test::Random random(5);
    for (int i = 0; i < 40; ++i) {
      const Vector3 x{random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
      EXPECT_NEAR(distance(robot, link, x), expected(x), 1e-13) << link;
    }
  }
};

double to_box(const Vector3& x, const Vector3& half) {  // outside and inside
  const Vector3 d{std::abs(x.x) - half.x, std::abs(x.y) - half.y, std::abs(x.z) - half.z};
  const Vector3 out{std::max(d.x, 0.0), std::max(d.y, 0.0), std::max(d.z, 0.0)};
  return norm(out) + std::min(std::max({d.x, d.y, d.z}), 0.0);
}
double to_cylinder(double across, double along, double radius, double half) {
  const double a = across - radius, b = std::abs(along) - half;
  return std::hypot(std::max(a, 0.0), std::max(b, 0.0)) + std::min(std::max(a, b), 0.0);
}
double to_segment(const Vector3& x, const Vector3& a, const Vector3& b) {
  const Vector3 way = b - a;
  return norm(x - a - std::clamp(dot(x - a, way) / dot(way, way), 0.0, 1.0) * way);
}

TEST_F(ImportContact, UrdfCollisionsAreShapesOfTheirLinks) {
  // the joint is at (0, 0, 0.3); a quarter turn about y leads x to -z, z to x
  const ImportedRobot imported = import("r.urdf", R"(<robot name="r"><link name="ground"/>
    <joint name="j" type="revolute"><parent link="ground"/><child link="arm"/><origin xyz="0 0 0.3"/><axis xyz="0 1 0"/>
      <limit effort="1" velocity="1" lower="-1" upper="1"/></joint>
    <link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><origin xyz="0.1 0 0" rpy="0 1.5707963267948966 0"/><geometry><box size="0.2 0.4 0.6"/></geometry></collision>
      <collision><origin xyz="0 0 0.5" rpy="0 1.5707963267948966 0"/><geometry><cylinder radius="0.1" length="0.3"/></geometry></collision>
      <collision><geometry><mesh filename="a.stl"/></geometry></collision>
      <collision><geometry><sphere radius="0"/></geometry></collision>
      <collision/></link>
    <joint name="p" type="planar"><parent link="arm"/><child link="puck"/><axis xyz="1 0 0"/></joint>
    <link name="puck"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><origin xyz="0 0.2 0"/><geometry><sphere radius="0.05"/></geometry></collision></link></robot>)");
  EXPECT_EQ(imported.robot.links[1].contact.shapes.size(), 2U);
  expect_distances(imported.robot, "arm", [](const Vector3& x) {
    const Vector3 to{x.x - 0.1, x.y, x.z - 0.3};
    const double box = to_box(to, {0.3, 0.2, 0.1}), z = x.z - 0.8;
    return std::min(box, to_cylinder(std::hypot(x.y, z), x.x, 0.1, 0.15));
  });
  // the plane's axis is x, so the frame of the joint is turned and the link's is not
  expect_distances(imported.robot, "puck", [](const Vector3& x) { return norm(x - Vector3{0.0, 0.2, 0.3}) - 0.05; });
  const std::vector<std::string> said = whats(imported);
  EXPECT_THAT(said, Contains("mesh of a collision: left out; `contact` of a link has shapes that touch"));
  EXPECT_THAT(said, Contains("sphere of a collision without a size: left out"));
  EXPECT_THAT(said, Contains("collision without a geometry: left out"));
}

TEST_F(ImportContact, SdfCollisionsAreShapesOfTheirLinks) {
  const ImportedRobot imported =
      import("r.sdf", R"(<sdf version="1.9"><model name="r"><link name="a"><pose>0 0 0.2 0 0 0</pose>
    <inertial><mass>1</mass></inertial>
    <collision name="c"><pose>0.1 0 0 0 0 0</pose><geometry><capsule><radius>0.1</radius><length>0.4</length></capsule></geometry></collision>
    <collision name="d"><pose>0 0 0.6 0 0 0</pose><geometry><cone><radius>0.2</radius><length>0.3</length></cone></geometry></collision>
    <collision name="e"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision>
    </link></model></sdf>)");
  ASSERT_EQ(imported.robot.links[0].contact.shapes.size(), 2U);
  EXPECT_THAT(whats(imported), Contains("plane of a collision: left out; `contact` of a link has shapes that touch"));
  const Vector3 base{0.0, 0.0, 0.2};
  const auto at = [&](const Vector3& x) { return distance(imported.robot, "a", base + x); };
  EXPECT_NEAR(at({0.1, 0.0, 0.35}), 0.05, 1e-14);  // over the end of the capsule: 0.2 and its radius
  EXPECT_NEAR(at({-0.3, 0.0, 0.0}), 0.3, 1e-14);
  EXPECT_NEAR(at({0.0, 0.0, 0.80}), 0.05, 1e-14);   // over the apex, at 0.6 + 0.15
  EXPECT_NEAR(at({0.25, 0.0, 0.45}), 0.05, 1e-14);  // beside the rim of its base
}

TEST_F(ImportContact, MjcfGeomsAreShapesOfTheirBodies) {
  const ImportedRobot imported = import("r.xml", R"(<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
    <body name="a" pos="0.1 0 0"><joint type="slide" axis="0 0 1"/><geom type="capsule" fromto="0 0 0  0.2 0.1 0.3" size="0.05"/>
      <geom type="box" pos="0 0 -0.5" size="0.1 0.2 0.3"/><geom type="sphere" size="0.4" contype="0" conaffinity="0"/>
      <geom type="ellipsoid" size="0.1 0.2 0.3" name="egg"/></body></worldbody></mujoco>)");
  ASSERT_EQ(imported.robot.links[0].contact.shapes.size(), 2U);
  expect_distances(imported.robot, "a", [](const Vector3& world) {
    const Vector3 x = world - Vector3{0.1, 0.0, 0.0};
    return std::min(to_segment(x, {}, {0.2, 0.1, 0.3}) - 0.05, to_box(x + Vector3{0.0, 0.0, 0.5}, {0.1, 0.2, 0.3}));
  });
  const std::vector<std::string> said = whats(imported);
  EXPECT_THAT(said,
              Contains("contact of a geom of type ellipsoid: left out; `contact` of a link has shapes that touch"));
  EXPECT_THAT(said, Contains("contact of a geom of the world: left out; `obstacles` of a robot file are touched"));
}

// The shapes go through the text of a robot file, which says what touches.
TEST_F(ImportContact, IncludedRobotsRestOnTheirCollisions) {
  directory_.write("drop.urdf", R"(<robot name="drop"><link name="rail"/><link name="ball">
    <inertial><mass value="0.4"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 -0.05"/><geometry><sphere radius="0.02"/></geometry></collision></link>
    <joint name="fall" type="prismatic"><parent link="rail"/><child link="ball"/><axis xyz="0 0 1"/>
    <limit lower="-1e16" upper="1e16" effort="1" velocity="1"/></joint></robot>)");
  const std::string file = directory_.write("drop.yaml", R"(cuttle: 1
include: {urdf: drop.urdf}
obstacles: [{name: ground, shape: plane}]
contacts: [{name: floor, a: ball, b: ground, modulus: 1.0e+6}]
)");
  const Model model(read_robot_file(file));
  Data data(model);
  const double height = static_equilibrium(model, data, {}, VectorXd::Constant(1, 0.069)).q[0];
  // N = 4/3 E* sqrt(r) depth^(3/2)
  const double depth = std::pow(0.4 * 9.81 / (4.0 / 3.0 * 1e6 * std::sqrt(0.02)), 2.0 / 3.0);
  EXPECT_NEAR(height, 0.07 - depth, 1e-9);
}

TEST_F(ImportContact, ExportedShapesAreReadAgain) {
  const Robot robot = read_robot_text(R"(cuttle: 1
links:
  - name: a
    joint: {type: revolute, axis: [0, 1, 0]}
    body: {type: rigid, mass: 1, inertia: [1, 1, 1, 0, 0, 0], tip: {position: [0, 0, 0.3], rpy: [0.1, 0.2, 0.3]}}
    contact:
      - {shape: box, size: [0.1, 0.2, 0.3], pose: {position: [0.1, 0, 0], rpy: [0.3, -0.2, 0.5]}}
      - {shape: capsule, radius: 0.05, length: 0.2, pose: {position: [0, 0.4, 0], rpy: [1, 0, 0]}}
  - name: b
    joint: {type: prismatic, axis: [0, 1, 0]}
    body: {type: rigid, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}
    contact:
      - {shape: cylinder, radius: 0.1, length: 0.2, pose: {position: [0, 0, 0.1], rpy: [0, 0.4, 0]}}
      - {shape: sphere, radius: 0.07, pose: {position: [0.3, 0, 0]}}
      - {shape: cone, angle: 0.4, length: 0.2}
)",
                                      "r.yaml");
  Robot known = robot;  // what both formats have
  known.links[1].contact.shapes.pop_back();
  for (const ExportFormat format : {ExportFormat::urdf, ExportFormat::mjcf}) {
    const ExportedRobot exported = export_robot(robot, format, {}, {});
    const bool urdf = format == ExportFormat::urdf;
    const Robot again = import(urdf ? "out.urdf" : "out.xml", exported.text).robot;
    for (const char* link : {"a", "b"}) {
      expect_distances(again, link, [&](const Vector3& x) { return distance(known, link, x); });
    }
    bool said = false;
    for (const ExportNote& note : exported.notes) said |= note.text() == "contact shape of type cone: left out (b)";
    EXPECT_TRUE(said) << exported.text;
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
