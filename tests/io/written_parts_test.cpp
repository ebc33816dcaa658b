// Parts of robots that are written: materials, meshes, signals, visuals, and what has no text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "cuttle/bodies/fem_kinematics.h"
#include "cuttle/bodies/function_body.h"
#include "cuttle/elements/wrench_load.h"
#include "cuttle/io/yaml_tree.h"
#include "cuttle/model/transmissions/distance.h"
#include "io/written_robots.h"
#include "support/meshes.h"
#include "support/volume_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using namespace test;
using testing::HasSubstr;
namespace fs = std::filesystem;

TEST(RobotWriter, NamesWhatHasNoText) {
  FunctionParameters function;
  function.points = point_cylinder(1.0, 1.0, 1.0, 4, 1, 4);
  function.coordinates = {{"bend", "rad"}};
  function.position = [](const Vector3& x, const double* q) -> Vector3 { return {x.x + q[0] * x.z, x.y, x.z}; };
  Robot robot = robot_of(some_mass());
  robot.links.push_back({.name = "soft", .body = std::make_shared<FunctionBody>(function)});
  EXPECT_EQ(refusal(robot),
            "soft: body: found a body of type function_body, which has no text, expected rigid, rod, volume or "
            "continuum_joint");
  try {
    Model(robot).parameters();
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(error.path(), KeyPath("links[1].body"));
  }

  RodParameters rod = some_rod();
  rod.strain[kappa_y]->kind = StrainBasis::Kind::function;
  rod.strain[kappa_y]->functions = {[](const double& t) { return t; }};
  EXPECT_THAT(refusal(robot_of(std::make_shared<RodBody>(rod))),
              HasSubstr("arm: body.strain.kappa_y: found a basis of functions, which has no text, expected constant,"));
  rod = some_rod();
  rod.strain[kappa_y] = StrainBasis::of_order(StrainBasis::Kind::legendre, 101);
  rod.quadrature_points = 200;
  EXPECT_EQ(refusal(robot_of(std::make_shared<RodBody>(rod))),
            "robot 'mine': links[0].body.strain.kappa_y.order: found 101, expected an integer in [0, 100]");

  robot = robot_of(some_mass());
  robot.name = "a.b";
  EXPECT_EQ(refusal(robot), "robot 'a.b': name: found 'a.b', expected a name without any of . / [ ]");
  robot = robot_of(some_mass());
  robot.elements.push_back({"muscle", {std::make_shared<const DistanceTransmission>(on("arm"), on("base"))}, nullptr});
  EXPECT_EQ(refusal(robot),
            "elements[0]: found an element of type nothing, which has no text, expected spring, joint_limit, "
            "joint_friction, coupling, play or tendon_friction");
  robot = robot_of(some_mass());
  robot.actuators.push_back({"pull", std::make_shared<const GearTransmission<double>>()});
  EXPECT_THAT(refusal(robot),
              HasSubstr("actuators[0]: found an actuator of type gear, which has no text, expected joint,"));
  robot = robot_of(some_mass());
  robot.base_pose.rotation.row0.x += 1e-7;
  EXPECT_THAT(refusal(robot), HasSubstr("base.pose.rotation: found a matrix that is"));

  auto block = ritz_block();
  PointParameters points = block->parameters();
  points.quadrature.points[3].x += 1e-3;
  const auto moved = std::make_shared<VolumeBody>(points, block->material(),
                                                  std::make_shared<RitzKinematics>(*block->part<RitzParameters>()));
  EXPECT_EQ(refusal(robot_of(moved)),
            "arm: body.quadrature.points: found points of its own, which have no text, expected those of the shape");
}

TEST(RobotWriter, MaterialsKeepTheirNames) {
  Robot robot;
  robot.materials["rubber"] = {
      .model = Material::Model::neo_hookean, .density = 1100.0, .c1 = 7.1e4, .lame_lambda = 3e5, .damping_time = 0.03};
  const Material rubber = robot.materials["rubber"];
  RodParameters rod = some_rod();
  rod.material = rubber.of_rod();
  const PointParameters points = ritz_block()->parameters();
  const auto ritz = [&](const VolumeMaterial& material, double density) {
    PointParameters heavy = points;
    heavy.density = density;
    return std::make_shared<VolumeBody>(heavy, material,
                                        std::make_shared<RitzKinematics>(*ritz_block()->part<RitzParameters>()));
  };
  robot.links.push_back({.name = "rod", .body = std::make_shared<RodBody>(rod), .material = "rubber"});
  robot.links.push_back({.name = "block", .body = ritz(rubber.of_volume(), 1100.0), .material = "rubber"});
  robot.links.push_back({.name = "foam", .body = ritz({.c1 = 3e4, .lame_lambda = 6e4}, 800.0)});
  expect_round_trip(robot);

  // one number for all that are made of it
  const Model softer = Model(robot).with("materials.rubber.c1", 2e4);
  EXPECT_EQ(dynamic_cast<const RodBody&>(*softer.robot().links[0].body).parameters().material.young_modulus, 6.0 * 2e4);
  EXPECT_EQ(dynamic_cast<const VolumeBody&>(*softer.robot().links[1].body).material().c1, 2e4);
  EXPECT_EQ(dynamic_cast<const VolumeBody&>(*softer.robot().links[2].body).material().c1, 3e4);
  EXPECT_EQ(softer.robot().materials.at("rubber").c1, 2e4);
  const Model lighter = softer.with("links.foam.body.material.density", 300.0);
  EXPECT_EQ(dynamic_cast<const VolumeBody&>(*lighter.robot().links[2].body).parameters().density, 300.0);

  robot.materials["rubber"].damping_time = 0.1;
  EXPECT_EQ(
      refusal(robot),
      "rod: body.material: found 'rubber', of which the body is not made, expected the name of the material that it "
      "is made of, or none");
  robot.links[0].material = "ruber";
  EXPECT_EQ(refusal(robot), "rod: body.material: found 'ruber', expected rubber; did you mean 'rubber'?");
  robot.links = {{.name = "arm", .body = some_mass(), .material = "rubber"}};
  EXPECT_EQ(refusal(robot), "arm: body.material: found 'rubber' of a body that has none, expected no name");
}

TEST(RobotWriter, MeshesAndNetworksAreFiles) {
  TetrahedralMesh mesh = mapped(box_mesh({0.03, 0.02, 0.1}, 1, 1, 3), [](const Vector3& x) {
    return Vector3{x.x * (1.0 + x.z), x.y + x.z / 3, x.z};
  });
  mesh.groups = {{"side", {boundary_faces(mesh)[0], boundary_faces(mesh)[5]}}, {"the top", {boundary_faces(mesh)[7]}}};
  const auto shared = std::make_shared<const TetrahedralMesh>(mesh);
  const VolumeMaterial material{.c1 = 3e4, .lame_lambda = 6e4};
  PointParameters points;
  points.quadrature = mesh_quadrature<double>(mesh, 1);
  points.density = 1000.0;
  points.tip_origin = {0, 0, 0.1}, points.tip_a = {0.01, 0, 0.1}, points.tip_b = {0, 0.01, 0.1};
  const auto basis = std::make_shared<const FemBasis>(fem_modes(shared, material, 1000.0, 3, false));
  Robot robot = robot_of(std::make_shared<VolumeBody>(points, material, std::make_shared<FemKinematics>(basis), shared),
                         "finger");
  const Robot read = expect_round_trip(robot);
  const auto other = read.links[0].body->part<TetrahedralMesh>();
  EXPECT_EQ(other->nodes, mesh.nodes);
  EXPECT_EQ(other->tetrahedra, mesh.tetrahedra);
  ASSERT_EQ(other->groups.size(), 2u);
  EXPECT_EQ(other->groups[1].name, "the top");
  EXPECT_EQ(other->groups[0].triangles, mesh.groups[0].triangles);

  // ten-node tetrahedra with curved edges, and what their modes are made of
  TetrahedralMesh edged = with_edge_nodes(ring_mesh({0.03, 0.03, 0.1}, 2));
  for (Vector3& x : edged.nodes) x.x *= 1.0 + 30.0 * x.y * x.y;
  const auto ten = std::make_shared<const TetrahedralMesh>(edged);
  points.quadrature = mesh_quadrature<double>(edged, 14);
  FemAttachment tip{.kind = FemAttachment::Kind::frame, .points = {points.tip_origin, points.tip_a, points.tip_b}};
  const std::vector<FemAttachment> attachments{
      tip, {.points = {Vector3{0.01, 0, 0.05}}}, {.kind = FemAttachment::Kind::surface, .surface = "hole"}};
  const auto attached = std::make_shared<const FemBasis>(fem_modes(ten, material, 1000.0, 2, true, attachments));
  const Robot second = expect_round_trip(
      robot_of(std::make_shared<VolumeBody>(points, material, std::make_shared<FemKinematics>(attached), ten), "ring"));
  EXPECT_EQ(second.links[0].body->part<TetrahedralMesh>()->edge_nodes, edged.edge_nodes);
  EXPECT_EQ(second.links[0].body->part<FemBasis>()->attachment_modes, 10u);
  EXPECT_EQ(second.links[0].body->coordinate_count(), std::ssize(attached->modes));

  // two links of one mesh have one file, and no file is replaced
  robot.links.push_back(robot.links[0]);
  robot.links[1].name = "thumb";
  robot.loads.push_back(make_wrench_load(
      {.link = "finger"},
      {.force = {Signal::table({0.0, 0.1, 1.0 / 3}, {1.0, -1.0, 0.5}, true), 0.0, 0.0}, .torque = {}}));
  const TemporaryDirectory directory;
  directory.write("finger.msh", "mine");
  write_robot_file(robot, directory.path("hand.yaml"));
  EXPECT_EQ(read_text_file(directory.path("finger.msh"), "it"), "mine");
  EXPECT_TRUE(fs::exists(directory.path("finger_2.msh")));
  EXPECT_TRUE(fs::exists(directory.path("thumb.msh")));
  expect_same(robot, read_robot_file(directory.path("hand.yaml")));
  EXPECT_THAT(
      message<FileError>([&] { write_robot_file(robot, directory.path("hand.yaml")); }),
      HasSubstr("hand.yaml: found a file of this name, expected none; --force (in Python replace=True) replaces it"));
  write_robot_file(robot, directory.path("hand.yaml"), true);
  const auto count = std::distance(fs::directory_iterator(directory.path("")), fs::directory_iterator());
  EXPECT_EQ(count, 5);  // the robot, a mesh each, a table, and what was there
}

TEST(RobotWriter, SignalsReadBackEqual) {
  std::vector<double> times, values;
  for (int i = 0; i < 100; ++i) times.push_back(0.1 * i), values.push_back(std::sin(0.3 * i));
  const std::vector<Signal> signals{1.5,
                                    Signal::step(1.0, 0.5, 2.0),
                                    Signal::ramp(0.1, 1.0 / 3, 0.0, 2.0),
                                    Signal::sine(0.3, 2.0, 0.1, 1.0),
                                    Signal::sine(0.3, 2.0, 0.0, 0.0),
                                    Signal::points({1.0}, {2.0}),
                                    Signal::points({0.0, 1.0, 3.0}, {2.0, 1.0, 5.0}),
                                    Signal::table({0.0, 1.0}, {2.0, 1.0}, true),
                                    Signal::points(times, values)};
  Robot robot = robot_of(some_mass());
  for (const Signal& signal : signals) {
    robot.loads.push_back(
        make_wrench_load({"arm", PortLocation::base(), {}}, {.force = {0.0, signal, 0.0}, .torque = {}}));
    EXPECT_EQ(signal, signal);
  }
  expect_round_trip(robot);
  EXPECT_FALSE(Signal::step(1.0, 0.5, 2.0) == Signal::step(1.0, 0.5, 2.5));
  EXPECT_FALSE(Signal::step(1.0, 0.5, 2.0) == Signal(2.0));
  EXPECT_TRUE(Signal::step(1.0, 0.5, 2.0) == Signal::step(1.0, 0.5, 2.0));
}

TEST(RobotWriter, VisualsStayWithTheFile) {
  const TemporaryDirectory directory;
  directory.write("part.obj", "v 0 0 0\nv 0.1 0 0\nv 0 0.3 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n");
  const char* const text = R"(cuttle: 1
visual: {shape: box, size: [1, 1, 0.1]}
base: {visual: {shape: sphere, radius: 0.2, color: tomato}}
links:
  - name: a
    joint: {type: fixed, visual: {shape: cylinder, radius: 0.1, length: 0.3, color: [0.1, 0.2, 0.3]}}
    body: {type: rigid, mass: 1, visual: [{shape: mesh, file: part.obj, scale: 0.1}, {shape: sphere, radius: 1, pose: {rpy: [0.3, 0, 0]}}]}
)";
  const RobotFile file = load_robot_file(directory.write("r.yaml", text));
  write_robot_file(file.robot, directory.path("w.yaml"), false, file.visuals);
  const RobotFile read = load_robot_file(directory.path("w.yaml"));
  ASSERT_EQ(read.visuals.size(), file.visuals.size());
  std::size_t found = 0;
  for (const LinkVisual& a : file.visuals) {
    for (const LinkVisual& b : read.visuals) {
      if (a.frame != b.frame || a.visual.shape != b.visual.shape) continue;
      ++found;
      EXPECT_EQ(a.link, b.link);
      EXPECT_EQ(a.visual.radius, b.visual.radius);
      EXPECT_EQ(a.visual.size, b.visual.size);
      EXPECT_EQ(a.visual.length, b.visual.length);
      EXPECT_EQ(a.visual.color.has_value(), b.visual.color.has_value());
      expect_same(a.visual.pose, b.visual.pose);
      if (!a.visual.mesh) continue;
      EXPECT_EQ(a.visual.mesh->points, b.visual.mesh->points);
      EXPECT_EQ(a.visual.mesh->triangles, b.visual.mesh->triangles);
    }
  }
  EXPECT_EQ(found, 5u);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
