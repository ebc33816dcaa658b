// Bodies of a user's own that answer as the library's do are drawn as they are.
#include "support/own_body.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cuttle/bodies/continuum_joint.h"
#include "cuttle/bodies/fem_kinematics.h"
#include "cuttle/bodies/nodal_volume.h"
#include "cuttle/view/svg_plot.h"
#include "support/meshes.h"
#include "support/toy_bodies.h"
#include "view/energy_density.h"
#include "view/scene_items.h"
#include "view/view_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

/// Also a continuum joint, a rod with a law for the whole link, and volumes of meshes.
Robot robot_of_all_bodies() {
  Robot robot = test::robot_of_all_kinds();
  robot.links.push_back({.name = "joint",
                         .body = std::make_shared<ContinuumJoint>(ContinuumJointParameters{
                             .length = 0.2, .mass = 0.8, .radius = 0.06, .stiffness = {12.0, 9.0}})});
  RodParameters law;
  law.length = 0.25;
  law.section.shape = Section::Shape::rectangle;
  law.section.width = Profile(0.02), law.section.height = Profile(0.03);
  law.material.density = 1000, law.material.young_modulus = 1e5;
  law.strain[kappa_x].emplace(), law.strain[kappa_y].emplace();
  law.hyperelastic_bend = HyperelasticLawT<double>{.polynomial = {0.2, 0.1}, .tanh = {}};
  robot.links.push_back({.name = "law", .body = std::make_shared<RodBody>(law)});
  const auto mesh = std::make_shared<const TetrahedralMesh>(test::box_mesh({0.05, 0.04, 0.1}, 1, 1, 2));
  const VolumeMaterial foam{.c1 = 3e4, .lame_lambda = 6e4};
  const Vector3 o{0, 0, 0.1}, a{0.025, 0, 0.1}, b{0, 0.02, 0.1};
  robot.links.push_back(
      {.name = "nodes", .body = std::make_shared<NodalVolume>(NodalVolumeParameters{mesh, 900.0, foam, o, a, b})});
  PointParameters points;
  points.quadrature = mesh_quadrature<double>(*mesh, 4);
  points.density = 900.0;
  points.tip_origin = o, points.tip_a = a, points.tip_b = b;
  const auto basis = std::make_shared<const FemBasis>(fem_modes(mesh, foam, 900.0, 3, false));
  robot.links.push_back(
      {.name = "modes",
       .body = std::make_shared<VolumeBody>(points, foam, std::make_shared<FemKinematics>(basis), mesh)});
  return robot;
}

TEST(OwnBodyTest, ScenesAndFiguresAreThoseOfTheLibrarysBodies) {
  const Robot robot = robot_of_all_bodies(), own = test::with_own_bodies(robot);
  Scene scene(robot), own_scene(own);
  EXPECT_EQ(own_scene.json(), scene.json());
  ASSERT_EQ(own_scene.size(), scene.size());
  const std::vector<Sample> samples = [&] {
    std::vector<Sample> all = test::invented_motion(Model(robot), 3);
    const Model model(robot);
    for (const char* const meshed : {"nodes", "modes"}) {  // whose nodes are close together
      const LinkInfoT<double>& info = model.links()[model.link_index(meshed)];
      for (Sample& sample : all) sample.q.segment(info.q, info.nq) *= 0.05;
    }
    return all;
  }();
  for (const Sample& sample : samples) {
    std::vector<double> numbers(scene.size()), own_numbers(scene.size());
    scene.frame(sample, numbers), own_scene.frame(sample, own_numbers);
    EXPECT_EQ(own_numbers, numbers);
  }
  EXPECT_EQ(svg_plot(own, {samples.front(), samples.back()}), svg_plot(robot, {samples.front(), samples.back()}));
}

/// A cuboid of two triangles a side, half widths x and y, from z = 0 to L.
std::shared_ptr<const BodySurface> cuboid(double x, double y, double L) {
  auto surface = std::make_shared<BodySurface>();
  for (const double z : {0.0, L}) {
    for (const auto& [u, v] : {std::pair(-x, -y), std::pair(x, -y), std::pair(x, y), std::pair(-x, y)}) {
      surface->points.push_back({u, v, z});
    }
  }
  surface->faces = {{3, 2, 1, 0}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
  return surface;
}

TEST(OwnBodyTest, PointBodiesAreDrawnByTheSurfaceThatTheyAreGiven) {
  PointParameters points = test::blob_points();
  points.surface = cuboid(0.05, 0.03, 0.3);
  const auto blob = std::make_shared<PointBody<test::Blob>>(points);
  Robot robot;
  robot.links.push_back({.name = "blob", .body = blob});
  SceneItems items(robot, {});
  ASSERT_EQ(items.surfaces.size(), 1u);
  const SceneSurface& surface = items.surfaces[0];
  EXPECT_EQ(surface.shape.points.size(), 8u);
  EXPECT_EQ(surface.shape.triangles.size(), 12u);
  EXPECT_EQ(surface.shape.edges.size(), 12u);
  ASSERT_GE(items.field_places[0][0], 0);
  EXPECT_EQ(items.field_places[0][1], -1);

  Sample sample;
  sample.q = (VectorXd(3) << 0.02, 0.3, -0.01).finished(), sample.v = VectorXd::Zero(3);
  std::vector<double> numbers(items.size);
  items.fill(sample, numbers);
  const test::Blob kinematics;
  for (std::size_t k = 0; k < 8; ++k) {
    const Vector3& x = surface.shape.points[k];
    const Vector3 moved = kinematics.position(x, sample.q.data());
    const double* drawn = numbers.data() + surface.at + 3 * k;
    EXPECT_LT(norm(Vector3{drawn[0], drawn[1], drawn[2]} - moved), 1e-15);
    double F[3][3];  // by differences
    constexpr double k_step = 1e-5;
    for (int axis = 0; axis < 3; ++axis) {
      Vector3 ahead = x, behind = x;
      ahead[axis] += k_step, behind[axis] -= k_step;
      const Vector3 change = kinematics.position(ahead, sample.q.data()) - kinematics.position(behind, sample.q.data());
      for (int i = 0; i < 3; ++i) F[i][axis] = change[i] / (2 * k_step);
    }
    const Matrix3 gradient{{F[0][0], F[0][1], F[0][2]}, {F[1][0], F[1][1], F[1][2]}, {F[2][0], F[2][1], F[2][2]}};
    const double density = kinematics.energy_density(gradient);
    EXPECT_NEAR(numbers[items.field_places[0][0] + k], density, 1e-6 * density);
  }
}

TEST(OwnBodyTest, EnergyDensitiesAddUpToTheEnergy) {
  const PointBody<test::Blob> blob(test::blob_points());
  const PointBody<test::ToyBody> toy(test::toy_points());
  const FunctionBody function(test::toy_function());
  const auto finger = test::lvp_finger();
  for (const PointBodyBaseT<double>* body :
       std::initializer_list<const PointBodyBaseT<double>*>{&blob, &toy, &function, finger.get()}) {
    ASSERT_TRUE(body->has_energy_density());
    const Quadrature& at = body->parameters().quadrature;
    std::vector<double> q, density(at.points.size());
    for (int j = 0; j < body->coordinate_count(); ++j) q.push_back(0.02 * (j + 1));
    body->energy_density(q.data(), at.points.data(), at.points.size(), density.data());
    double sum = 0.0;
    for (std::size_t i = 0; i < density.size(); ++i) sum += at.weights[i] * density[i];
    const double energy = body->elastic_energy(q.data());
    EXPECT_GT(energy, 0.0);
    EXPECT_NEAR(sum, energy, 1e-11 * energy) << body->type_name();
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
