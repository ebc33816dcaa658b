// Inputs that hold frames of bodies of full finite elements, found from rest to rest: beside the search by matrices of
// the same robots, and as round trips through static_equilibrium where there are more coordinates than matrices are
// made for.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/input_search.h"
#include "cuttle/algorithms/cartesian_path.h"
#include "cuttle/algorithms/equation_of_motion.h"
#include "cuttle/algorithms/inverse_statics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/bodies/nodal_volume.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/io/robot_file.h"
#include "support/meshes.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_length = 0.12;

/// A bar of square section along z, clamped at its root, with a string along each of its four edges, all apart.
Robot stringed(int across, int along) {
  const auto mesh = std::make_shared<const TetrahedralMesh>(box_mesh({0.02, 0.02, k_length}, across, across, along));
  const VolumeMaterial material{.c1 = 5e4, .lame_lambda = 2e5, .damping_time = 0.02};
  Robot robot;
  robot.gravity = {1.0, -2.0, -9.0};
  robot.links.push_back(
      {.name = "bar",
       .body = std::make_shared<NodalVolume>(NodalVolumeParameters{
           mesh, 1000.0, material, {0.0, 0.0, k_length}, {0.01, 0.0, k_length}, {0.0, 0.01, k_length}})});
  int number = 0;
  for (const double x : {-0.008, 0.009}) {
    for (const double y : {-0.009, 0.008}) {
      Routing string;
      string.link = "bar";
      for (int i = 0; i <= 4; ++i) string.points.push_back({x, y, 0.001 + (k_length - 0.002) * i / 4});
      robot.actuators.push_back(Actuator::tendon("string" + std::to_string(number++), {string}));
    }
  }
  return robot;
}

VectorXd pulls(double a, double b, double c, double d) {
  VectorXd u(4);
  u << a, b, c, d;
  return u;
}
StaticLoads with(const VectorXd& u) {
  StaticLoads loads;
  loads.u = u;
  return loads;
}

Pose tip_pose(const Model& model, const StaticLoads& loads) {
  Data data(model);
  const StaticEquilibrium found = static_equilibrium(model, data, loads, model.neutral());
  return forward_kinematics<double>(model, data, found.q).pose(model.links().back().tip);
}
Vector3 tip_of(const Model& model, const StaticLoads& loads) { return tip_pose(model, loads).position; }
std::vector<FrameTarget> tip_at(const Model& model, const Vector3& position) {
  return {FrameTarget::at_position(model.links().back().tip, position)};
}

/// Both searches of one robot, which has few enough coordinates for matrices.
void expect_the_same(const Model& model, const std::vector<FrameTarget>& targets, const StaticLoads& loads,
                     const InverseStaticsOptions& options, std::size_t active) {
  const auto dense = make_balance_search(model, targets, loads, options);
  const auto sparse = make_rest_search(model, targets, loads, options);
  const InverseStaticsResult& expected = dense->solve(model.neutral());
  const InverseStaticsResult& found = sparse->solve(model.neutral());
  ASSERT_TRUE(expected.converged && expected.least_inputs);
  ASSERT_TRUE(found.converged && found.least_inputs);
  EXPECT_LT(found.residual, 1e-9);
  EXPECT_LT((found.u - expected.u).norm(), 1e-6 * expected.u.norm())
      << found.u.transpose() << " against " << expected.u.transpose();
  EXPECT_LT((found.equilibrium.q - expected.equilibrium.q).norm(), 1e-6 * expected.equilibrium.q.norm());
  EXPECT_EQ(found.active_limits, expected.active_limits);
  EXPECT_EQ(found.active_limits.size(), active);
}

// Four strings hold a place, a direction or one behind the other: of all that do, both searches find the least.
TEST(RestSearch, FindsTheLeastInputsThatMatricesFind) {
  const Model model(stringed(2, 8));
  ASSERT_LT(model.nv(), 600);
  const Pose tip = tip_pose(model, with(pulls(0.2, 1.1, 0.4, 0.7)));
  expect_the_same(model, tip_at(model, tip.position), {}, {}, 0);
  const Vector3 axis = tip.rotation * Vector3{0.0, 0.0, 1.0};
  expect_the_same(model, {FrameTarget::in_direction(model.links().back().tip, {0.0, 0.0, 1.0}, axis)}, {}, {}, 2);
}

TEST(RestSearch, KeepsLimitsAndInputsThatStay) {
  const Model model(stringed(2, 8));
  const Vector3 tip = tip_of(model, with(pulls(0.5, 0.9, 0.4, 0.7)));
  const VectorXd free = make_balance_search(model, tip_at(model, tip), {}, {})->solve(model.neutral()).u;
  InverseStaticsOptions options;
  options.limits = input_limits(model);
  options.limits.upper[1] = 0.95 * free[1];
  expect_the_same(model, tip_at(model, tip), {}, options, 1);
  options = {};
  options.inputs = {0, 1, 3};
  StaticLoads loads = with(pulls(0.0, 0.0, 0.4, 0.0));
  expect_the_same(model, tip_at(model, tip), loads, options, 0);
}

TEST(RestSearch, HoldsBodiesOfMoreCoordinatesThanMatricesAreMadeFor) {
  const Model model(stringed(3, 16));
  ASSERT_GT(model.nv(), 600);
  const Vector3 goal = tip_of(model, with(pulls(0.2, 1.1, 0.4, 0.7)));
  const InverseStaticsResult found = inverse_statics(model, tip_at(model, goal), {}, model.neutral());
  ASSERT_TRUE(found.converged);
  EXPECT_TRUE(found.least_inputs);
  EXPECT_EQ(found.equilibrium.stability, Stability::stable);
  EXPECT_LT(norm(tip_of(model, with(found.u)) - goal), 1e-9 * k_length);
  // three rows, four strings: another set that holds the tip there costs more
  EXPECT_LT(found.u.squaredNorm(), pulls(0.2, 1.1, 0.4, 0.7).squaredNorm());
  const InverseStaticsResult beyond = inverse_statics(model, tip_at(model, {0.3, 0.0, 0.1}), {}, model.neutral());
  EXPECT_FALSE(beyond.converged);
  EXPECT_GT(beyond.residual, 0.1);
}

TEST(RestSearch, FollowsAPathOfTargets) {
  const Model model(stringed(3, 16));
  const Vector3 first = tip_of(model, with(pulls(0.2, 1.1, 0.4, 0.7)));
  const Vector3 last = tip_of(model, with(pulls(0.8, 0.5, 0.6, 0.2)));
  FramePath path;
  path.name = "tip", path.frame = model.links().back().tip;
  const auto part = [&](double a, double b) { return Signal::ramp(0.0, 1.0, a, b); };
  path.position = {part(first.x, last.x), part(first.y, last.y), part(first.z, last.z)};
  EquilibriumPathOptions options;
  options.begin = 0.0, options.end = 1.0, options.samples = 5;
  const EquilibriumPath found = equilibrium_path(model, {path}, {}, model.neutral(), options);
  EXPECT_TRUE(found.converged);
  EXPECT_TRUE(found.stable);
  EXPECT_LT(found.deviation, 1e-3 * k_length);
  for (const InverseStaticsResult& sample : found.samples) EXPECT_TRUE(sample.least_inputs);
}

// A rod on a hinge at the end of the bar, whose far end is pinned to the world.
TEST(RestSearch, KeepsLoopsClosed) {
  Robot robot = stringed(3, 16);
  RigidParameters rod;
  rod.mass = 0.01, rod.com = {0.0, 0.0, 0.02}, rod.inertia = {1e-6, 1e-6, 1e-7, 0.0, 0.0, 0.0};
  rod.tip.position = {0.0, 0.0, 0.04};
  robot.links.push_back(
      {.name = "rod", .joint = make_revolute_joint<double>({1, 0, 0}), .body = std::make_shared<RigidBody>(rod)});
  Loop loop;
  loop.name = "pin", loop.type = LoopType::spherical;
  loop.a.link = "rod";
  loop.b = {"base", PortLocation::base(), {Matrix3::identity(), {0.0, 0.0, k_length + 0.04}}};
  robot.loops = {loop};
  const Model model(robot);
  ASSERT_GT(model.nv(), 600);
  Data data(model);
  const StaticEquilibrium known = static_equilibrium(model, data, with(pulls(0.2, 0.5, 0.4, 0.9)), model.neutral());
  const Frame tip = model.links()[0].tip;
  const Vector3 goal = forward_kinematics<double>(model, data, known.q).pose(tip).position;
  const InverseStaticsResult found = inverse_statics(model, {FrameTarget::at_position(tip, goal)}, {}, model.neutral());
  ASSERT_TRUE(found.converged);
  EXPECT_LT(norm(forward_kinematics<double>(model, data, found.equilibrium.q).pose(tip).position - goal), 1e-9);
  const auto& poses = forward_kinematics<double>(model, data, found.equilibrium.q);
  EXPECT_LT(norm(poses.pose(model.links()[1].tip).position - Vector3{0.0, 0.0, k_length + 0.04}), 1e-9);
}

// The bar is pulled down to the ground, with friction and without, and held there.
TEST(RestSearch, HoldsWhatTouches) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "cuttle_rest_search";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "bar.msh") << msh_text(box_mesh({0.02, 0.02, k_length}, 3, 3, 16), "2.2");
  for (const char* friction : {"0", "0.5"}) {
    SCOPED_TRACE(friction);
    std::ofstream(folder / "robot.yaml") << std::string(R"(cuttle: 1
gravity: [0, -9.81, 0]
materials: {rubber: {model: neo_hookean, density: 1000, c1: 2.0e+5, lame_lambda: 8.0e+5}}
obstacles:
  - {name: ground, shape: plane, pose: {position: [0, -0.0115, 0], rpy: [-1.5707963267948966, 0, 0]}}
links:
  - {name: arm, body: {type: volume, shape: {type: mesh, file: bar.msh}, material: rubber, kinematics: {type: fem, full: true}}}
actuators:
  - {name: side, type: tendon, routing: [{link: arm, points: [[0.009, 0, 0.001], [0.009, 0, 0.06], [0.009, 0, 0.119]]}]}
contacts: [{name: touch, a: arm, b: ground, modulus: 2.0e+4, friction: )") +
                                                friction + "}]\n";
    const Model model(read_robot_file((folder / "robot.yaml").string()));
    ASSERT_GT(model.nv(), 600);
    StaticLoads loads = with(VectorXd::Constant(1, 1.5));
    loads.state_loads_at = k_rest_time;
    Data data(model);
    const StaticEquilibrium known = static_equilibrium(model, data, loads, model.neutral());
    const Vector3 goal = forward_kinematics<double>(model, data, known.q).pose(model.links().back().tip).position;
    loads.u.setZero();
    const InverseStaticsResult found = inverse_statics(model, tip_at(model, goal), loads, model.neutral());
    ASSERT_TRUE(found.converged);
    EXPECT_NEAR(found.u[0], 1.5, 1e-6);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
