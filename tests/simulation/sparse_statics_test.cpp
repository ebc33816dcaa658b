// Equilibria of bodies of more nodes than matrices are made for, which touch, whose loops are closed or of which
// coordinates are held: beside long runs that come to rest, and beside robots that need neither loops nor holding. Also
// what they begin with where they touch.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "algorithms/newton_solver.h"
#include "algorithms/static_problem.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/equilibrium_path.h"
#include "cuttle/algorithms/held_equilibrium.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/loop_closure.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/bodies/nodal_volume.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/integrator_runs.h"
#include "support/meshes.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// A bar of square section along z, clamped at z = 0, with a tip at its end.
std::shared_ptr<NodalVolume> bar(double L, int across, int along, double damping_time = 0.05) {
  const auto mesh = std::make_shared<const TetrahedralMesh>(box_mesh({0.02, 0.02, L}, across, across, along));
  const VolumeMaterial material{.c1 = 5e4, .lame_lambda = 2e5, .damping_time = damping_time};
  return std::make_shared<NodalVolume>(
      NodalVolumeParameters{mesh, 1000.0, material, {0.01, 0.01, L}, {0.02, 0.01, L}, {0.01, 0.02, L}});
}

/// At rest after long steps of a method that damps every vibration at once.
VectorXd rest_of_run(const Model& model, double step, double duration) {
  RobotSystem system(model, {.inputs = std::vector<Signal>(static_cast<std::size_t>(model.nu()), Signal(0.0))});
  IntegratorOptions options = fixed("generalized_alpha", step);
  options.rho_inf = 0.0;
  State start = start_of(model);
  if (!model.loops().empty()) {
    Data data(model);
    ConstraintData constraints(model);
    close_loops(model, data, constraints, start.q);
    system.hold_rows(select_constraint_rows(model, data, constraints, start.q));
  }
  start.auxiliary = system.with_controllers(start_of_auxiliary(model));
  const auto integrator = make_integrator(system, options);
  integrator->restart(start);
  integrator->advance(duration, duration);
  return integrator->state().q;
}

Vector3 model_tip(const Model& model, Data& data, const VectorXd& q) {
  return forward_kinematics<double>(model, data, q).pose(model.links()[0].tip).position;
}

class SparseStatics : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  Robot read(const std::string& text) const {
    std::ofstream(folder_ / "bar.msh") << msh_text(box_mesh({0.02, 0.02, 0.12}, 3, 3, 16), "2.2");
    const std::filesystem::path file = folder_ / "robot.yaml";
    std::ofstream(file) << text;
    return read_robot_file(file.string());
  }

  const std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "cuttle_sparse_statics";
};

constexpr const char* k_materials =
    "materials: {rubber: {model: neo_hookean, density: 1000, c1: 2.0e+5, lame_lambda: 8.0e+5, damping_time: 0.05}}\n";
constexpr const char* k_body = R"(
    body:
      type: volume
      shape: {type: mesh, file: bar.msh}
      material: rubber
      kinematics: {type: fem, full: true}
)";

StaticLoads at_rest(const Model& model, bool friction) {
  StaticLoads loads;
  loads.u = VectorXd::Zero(model.nu());
  loads.external = loads_at(model, k_rest_time);
  loads.state_loads_at = k_rest_time;
  loads.friction = friction ? StaticLoads::Friction::from_start : StaticLoads::Friction::none;
  return loads;
}

// A bar that bends down to the ground: without friction as a run that comes to rest. Friction, which hangs on the way
// there, keeps its tip from sliding along.
TEST_F(SparseStatics, LeanOnWhatTheyTouch) {
  double slid = 0.0;
  for (const double friction : {0.0, 0.5}) {
    SCOPED_TRACE(friction);
    const Model model(read(std::string("cuttle: 1\ngravity: [0, -9.81, 0]\n") + k_materials + R"(
obstacles:
  - {name: ground, shape: plane, pose: {position: [0, -0.0115, 0], rpy: [-1.5707963267948966, 0, 0]}}
links:
  - name: arm)" + k_body + "contacts: [{name: touch, a: arm, b: ground, modulus: 2.0e+4, friction: " +
                           std::to_string(friction) + "}]\n"));
    ASSERT_GT(model.nv(), 600);
    Data data(model);
    const StaticEquilibrium found = static_equilibrium(model, data, at_rest(model, friction > 0.0), model.neutral());
    EXPECT_EQ(found.stability, Stability::stable);
    EXPECT_LT(found.residual, 1e-9);
    EXPECT_GT(found.smallest_stiffness, 0.0);
    const double along = model_tip(model, data, found.q).z - model_tip(model, data, model.neutral()).z;
    if (friction > 0.0) {
      EXPECT_LT(std::abs(along), 0.5 * slid);
      continue;
    }
    slid = std::abs(along);
    const VectorXd rest = rest_of_run(model, 0.02, 3.0);
    EXPECT_GT(rest.cwiseAbs().maxCoeff(), 1e-3);
    EXPECT_LT((found.q - rest).cwiseAbs().maxCoeff(), 1e-5 * rest.cwiseAbs().maxCoeff());
  }
}

// A loose bar on the ground, which nothing holds but what it touches: it settles there, and the ground carries it.
TEST_F(SparseStatics, LieOnTheGround) {
  const Model model(read(std::string("cuttle: 1\n") + k_materials + R"(
base: {motion: floating, pose: {position: [0, 0, 0.002], rpy: [1.5707963267948966, 0, 0]}}
obstacles: [{name: ground, shape: plane}]
links:
  - name: bar)" + k_body +
                         "contacts: [{name: touch, a: bar, b: ground, modulus: 2.0e+4, friction: 0.5}]\n"));
  ASSERT_GT(model.nv(), 600);
  Data data(model);
  const StaticEquilibrium found = static_equilibrium(model, data, at_rest(model, true), model.neutral());
  EXPECT_EQ(found.stability, Stability::stable);
  const double sunk = found.q[6];
  EXPECT_LT(found.q[2], 0.002);
  EXPECT_LT(std::abs(sunk), 1.0);
}

// A bar whose tip a ball joint holds to the world, bent by its weight: as a run that comes to rest.
TEST_F(SparseStatics, HangInLoops) {
  Robot robot;
  robot.gravity = {-9.81, 0.0, 0.0};
  robot.links.push_back({.name = "bar", .body = bar(0.2, 2, 24)});
  Loop loop;
  loop.name = "pin", loop.type = LoopType::spherical;
  loop.a.link = "bar";
  loop.b = {"base", PortLocation::base(), {Matrix3::identity(), {0.01, 0.01, 0.199}}};
  robot.loops = {loop};
  const Model model(robot);
  ASSERT_GT(model.nv(), 600);
  Data data(model);
  const StaticEquilibrium found = static_equilibrium(model, data, {}, model.neutral());
  EXPECT_EQ(found.stability, Stability::stable);
  const VectorXd rest = rest_of_run(model, 0.02, 3.0);
  EXPECT_GT(rest.cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_LT((found.q - rest).cwiseAbs().maxCoeff(), 1e-6 * rest.cwiseAbs().maxCoeff());
}

// A hinge that is held carries what a joint without coordinates would, and the bar hangs as it does there.
TEST_F(SparseStatics, AreHeldAtAJoint) {
  const double angle = 0.3;
  Robot hinged;
  hinged.gravity = {-9.81, 0.0, 0.0};
  hinged.links.push_back({.name = "bar", .joint = make_revolute_joint<double>({0, 1, 0}), .body = bar(0.2, 2, 24)});
  Robot fixed_robot = hinged;
  fixed_robot.links[0].joint = make_fixed_joint<double>();
  fixed_robot.links[0].parent.pose.rotation = rotation_exponential(Vector3{0.0, angle, 0.0});
  const Model model(hinged), reference(fixed_robot);
  ASSERT_GT(model.nv(), 600);
  Data data(model), reference_data(reference);
  VectorXd q0 = model.neutral();
  q0[0] = angle;
  std::vector<char> held(static_cast<std::size_t>(model.nv()), 0);
  held[0] = 1;
  const HeldEquilibrium found = held_equilibrium(model, data, {}, q0, held);
  const StaticEquilibrium expected = static_equilibrium(reference, reference_data, {}, reference.neutral());
  EXPECT_NEAR(found.equilibrium.q[0], angle, 1e-12);
  EXPECT_LT((found.equilibrium.q.tail(reference.nq()) - expected.q).cwiseAbs().maxCoeff(),
            1e-9 * expected.q.cwiseAbs().maxCoeff());
  EXPECT_EQ(found.equilibrium.stability, Stability::stable);
  EXPECT_NEAR(found.equilibrium.smallest_stiffness, expected.smallest_stiffness, 1e-6 * expected.smallest_stiffness);
  // the torque of its weight about the hinge, from the energy of gravity by sixth-order differences
  const auto energy = [&](double at) {
    VectorXd q = found.equilibrium.q;
    q[0] = at;
    return gravity_energy<double>(model, data, q);
  };
  const double h = 1e-2;
  const double slope =
      (45.0 * (energy(angle + h) - energy(angle - h)) - 9.0 * (energy(angle + 2 * h) - energy(angle - 2 * h)) +
       (energy(angle + 3 * h) - energy(angle - 3 * h))) /
      (60.0 * h);
  EXPECT_NEAR(std::abs(found.holding_force[0]), std::abs(slope), 1e-8 * std::abs(slope));
}

// Gravity grows along a path, which ends where statics end.
TEST_F(SparseStatics, LieOnPathsOfEquilibria) {
  Robot robot;
  robot.gravity = {-9.81, 0.0, 0.0};
  robot.links.push_back({.name = "bar", .body = bar(0.2, 2, 24)});
  const Model model(robot);
  ASSERT_GT(model.nv(), 600);
  Data data(model);
  const std::vector<PathBranch> path = follow_equilibria(model, {}, model.neutral(), PathParameter{});
  ASSERT_EQ(path.size(), 1u);
  const StaticEquilibrium expected = static_equilibrium(model, data, {}, model.neutral());
  const PathPoint& last = path[0].points.back();
  EXPECT_EQ(last.parameter, 1.0);
  EXPECT_EQ(last.equilibrium.stability, Stability::stable);
  EXPECT_GT(expected.q.cwiseAbs().maxCoeff(), 0.01);
  EXPECT_LT((last.equilibrium.q - expected.q).cwiseAbs().maxCoeff(), 1e-8 * expected.q.cwiseAbs().maxCoeff());
}

// A stiff bar that stands on a hinge falls as a rigid one does, and as its modes say.
TEST_F(SparseStatics, FallFromWhereTheyStand) {
  constexpr double k_length = 0.2, k_width = 0.02, k_gravity = 9.81;
  Robot robot;
  robot.gravity = {0.0, 0.0, -k_gravity};
  robot.links.push_back(
      {.name = "bar", .joint = make_revolute_joint<double>({0, 1, 0}), .body = bar(k_length, 2, 24, 1e-3)});
  const Model model(robot);
  ASSERT_GT(model.nv(), 600);
  Data data(model);
  StaticProblem problem(model, data, {}, model.neutral(), Stepping::imbalance);
  problem.begin(model.neutral(), 1.0);
  NewtonSolver newton(model.nv(), model.nv(), false);
  VectorXd z = VectorXd::Zero(model.nv());
  ASSERT_TRUE(newton.solve(problem, z)) << newton.trouble();
  StaticEquilibrium found;
  ASSERT_EQ(problem.describe({}, found), "");
  EXPECT_EQ(found.stability, Stability::unstable);
  EXPECT_LT(found.smallest_stiffness, 0.0);
  double fastest = 0.0;
  for (const Mode& mode : problem.modes_along_tree({}, 4)) fastest = std::max(fastest, mode.eigenvalue.real());
  EXPECT_NEAR(found.growth_rate, fastest, 1e-7 * fastest);
  // m g L / 2 over m (4 L^2 + w^2) / 12
  const double rigid = std::sqrt(6.0 * k_gravity * k_length / (4.0 * k_length * k_length + k_width * k_width));
  EXPECT_NEAR(found.growth_rate, rigid, 0.03 * rigid);
}

/// a of M a + r = 0, where `residual(a)` is M a + r: by conjugate gradients.
template <typename Residual>
VectorXd acceleration_of(const Residual& residual, Eigen::Index nv) {
  const VectorXd r = residual(VectorXd::Zero(nv));
  VectorXd a = VectorXd::Zero(nv), left = -r, way = left;
  for (int i = 0; i < 500 && left.norm() > 1e-9 * r.norm(); ++i) {
    const VectorXd product = residual(way) - r;
    const double along = left.squaredNorm() / way.dot(product);
    const VectorXd next = left - along * product;
    a += along * way;
    way = next + next.squaredNorm() / left.squaredNorm() * way;
    left = next;
  }
  return a;
}

// A bar of full finite elements lies on the ground as if nothing rubbed. As it begins its weight pulls along the ground
// too: points that touch stay, and what nothing holds falls aside.
TEST_F(SparseStatics, BeginWithBristlesInBalance) {
  const auto lying =
      [&](const char* gravity) {
        return Model(read(std::string("cuttle: 1\ngravity: ") + gravity + "\n" + k_materials + R"(
obstacles:
  - {name: ground, shape: plane, pose: {position: [0, -0.0115, 0], rpy: [-1.5707963267948966, 0, 0]}}
links:
  - name: arm)" + k_body + "contacts: [{name: touch, a: arm, b: ground, modulus: 2.0e+4, friction: 3}]\n"));
      };
  const Model upright = lying("[0, -9.81, 0]"), model = lying("[0.003, -9.81, 0.002]");
  ASSERT_GT(model.nv(), 600);
  Data data(upright);
  State state = start_of(model);
  state.q = static_equilibrium(upright, data, at_rest(upright, false), upright.neutral()).q;
  RobotSystem system(model, {.inputs = {}});
  state.auxiliary = system.with_controllers(start_of_auxiliary(model));
  VectorXd unheld, held, rates(state.auxiliary.size());
  const auto residual = [&](const VectorXd& a) {
    VectorXd r(model.nv());
    system.residual(0.0, state.q, state.v, a, {state.auxiliary, 0.0, 0.0}, r, rates);
    return r;
  };
  unheld = acceleration_of(residual, model.nv());
  system.begin_in_balance(state);
  const VectorXd bristles = system.layout().sites_of(state.auxiliary);
  ASSERT_GT((bristles.array() != 0.0).count(), 4);
  held = acceleration_of(residual, model.nv());
  int points = 0;
  for (Eigen::Index k = 0; k < model.nv(); k += 3) {  // nodes, each with its three displacements
    const VectorXd before = unheld.segment(k, 3), after = held.segment(k, 3);
    if (before.isApprox(after, 1e-6)) continue;
    if (after.cwiseAbs().maxCoeff() < 1e-3 * before.cwiseAbs().maxCoeff()) ++points;
  }
  EXPECT_EQ(points, (bristles.array() != 0.0).count() / 2);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
