// Implicit steps of bodies of full nodal coordinates, whose tangents are sparse: beside runs of the same robots with
// matrices - with a wrench that nobody sets, which matrices alone have - and more coordinates than these are made for.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/algorithms/statics.h"
#include "cuttle/bodies/nodal_volume.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/elements/input_lag.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/integrator_runs.h"
#include "support/meshes.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

std::shared_ptr<NodalVolume> ring(bool edges, int nz) {
  TetrahedralMesh mesh = ring_mesh({0.06, 0.06, 0.04 * nz}, nz);
  if (edges) mesh = with_edge_nodes(mesh);
  const double L = 0.04 * nz;
  const VolumeMaterial material{.c1 = 5e4, .lame_lambda = 2e5, .damping_time = 0.02};
  return std::make_shared<NodalVolume>(NodalVolumeParameters{std::make_shared<const TetrahedralMesh>(mesh),
                                                             1000.0,
                                                             material,
                                                             {0.02, 0.02, L},
                                                             {0.03, 0.02, L},
                                                             {0.02, 0.03, L}});
}

/// A block with air in its hole and a string, which carries a weight on a hinge.
Robot blown(bool edges, int nz, bool floating) {
  RigidParameters load;
  load.mass = 0.05, load.com = {0.004, 0.0, 0.03}, load.inertia = {2e-5, 1e-5, 1.5e-5, 0.0, 2e-6, 0.0};
  Robot robot;
  robot.gravity = {3.0, -2.0, -8.0};
  robot.floating_base = floating;
  robot.links.push_back({.name = "block", .body = ring(edges, nz)});
  robot.links.push_back(
      {.name = "weight", .joint = make_revolute_joint<double>({1, 0, 0}), .body = std::make_shared<RigidBody>(load)});
  Routing string;
  string.link = "block", string.points = {{0.02, 0.0, 0.001}, {0.022, 0.004, 0.021}, {0.019, -0.003, 0.037}};
  robot.actuators = {Actuator::chamber("air", "block", "hole"), Actuator::tendon("string", {string})};
  return robot;
}

State state_of(const Robot& robot, const IntegratorOptions& options, double target, bool matrices = false,
               double speed = 0.01) {
  const Model model(robot);
  State start = start_of(model);
  for (int k = 0; k < model.nv(); ++k) start.v[k] = speed * std::sin(3.0 + 5.0 * k);
  std::vector<Signal> inputs{Signal::ramp(0.0, target, 0.0, 4e3), Signal::ramp(0.0, target, 0.5, 2.0)};
  inputs.resize(static_cast<std::size_t>(model.nu()), Signal(0.0));
  RobotSystem system(model, {.inputs = inputs});
  if (matrices) system.keep_to_matrices();
  EXPECT_EQ(system.follows_tree(), !matrices);
  start.auxiliary = system.with_controllers(start_of_auxiliary(model));
  const auto integrator = make_integrator(system, options);
  integrator->restart(start);
  integrator->advance(target, target);
  return integrator->state();
}

// Newton's method ends at the same place: what it leaves is 1e-9 of a step.
TEST(SparseSteps, AreThoseOfMatrices) {
  for (const bool floating : {false, true}) {
    const Robot robot = blown(false, 1, floating);
    const Model model(robot);
    for (const char* method : {"newmark", "hht", "generalized_alpha", "midpoint"}) {
      SCOPED_TRACE(method);
      const State sparse = state_of(robot, fixed(method, 2e-3), 0.03);
      const State dense = state_of(robot, fixed(method, 2e-3), 0.03, true);
      EXPECT_LT(distance(model, sparse, dense), 1e-7);
      EXPECT_LT((sparse.auxiliary - dense.auxiliary).norm(), 1e-7);
    }
  }
}

TEST(SparseSteps, ByTheErrorAreThoseOfMatrices) {
  const Robot robot = blown(false, 1, false);
  const IntegratorOptions options = adaptive("generalized_alpha", 1e-5);
  EXPECT_LT(distance(Model(robot), state_of(robot, options, 0.02), state_of(robot, options, 0.02, true)), 1e-6);
}

// Of more coordinates than matrices are made for: the account of energy closes as the step goes to zero, by its square.
TEST(SparseSteps, KeepTheAccountOfEnergyOfThousandsOfCoordinates) {
  const Model model(blown(true, 4, false));
  ASSERT_GT(model.nv(), 1000);
  double last = 0.0;
  for (const double step : {1e-3, 5e-4}) {
    Scenario scenario;
    scenario.duration = 0.01, scenario.output_step = 0.01;
    scenario.integrator.type = "newmark", scenario.integrator.step = step;
    scenario.inputs["air"] = Signal::ramp(0.0, 0.01, 0.0, 3e3);
    const Outcome outcome = Simulator(model, scenario).run({});
    EXPECT_EQ(outcome.status, RunStatus::complete);
    EXPECT_GT(outcome.peak_kinetic, 0.0);
    if (last > 0.0) {
      EXPECT_LT(outcome.energy_error, 0.4 * last);
    }
    last = outcome.energy_error;
    EXPECT_LT(outcome.energy_error, 0.05 * outcome.peak_kinetic);
  }
}

// A step that is far longer than all vibrations, of a method that damps them at once, ends at rest: in the equilibrium,
// which statics find.
TEST(SparseSteps, EndInTheEquilibriumOfStatics) {
  Robot robot = blown(true, 4, false);
  robot.links.pop_back();
  const Model model(robot);
  ASSERT_GT(model.nv(), 1000);
  Data data(model);
  StaticLoads loads;
  loads.u.resize(2);
  loads.u << 2e3, 1.0;
  const StaticEquilibrium rest = static_equilibrium(model, data, loads, model.neutral());
  RobotSystem system(model, {.inputs = {Signal(2e3), Signal(1.0)}});
  IntegratorOptions options = fixed("generalized_alpha", 0.2);
  options.rho_inf = 0.0;
  const auto integrator = make_integrator(system, options);
  integrator->restart(start_of(model));
  integrator->advance(6.0, 6.0);
  EXPECT_LT((integrator->state().q - rest.q).cwiseAbs().maxCoeff(), 1e-6 * rest.q.cwiseAbs().maxCoeff());
}

/// A soft block above the ground, nx x ny x nz bricks.
Robot falling_block(int nx, int ny, int nz, double friction) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / fmt::format("cuttle_sparse_steps_{}_{}", nx, friction);
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "block.msh") << msh_text(box_mesh({0.06, 0.05, 0.04}, nx, ny, nz), "2.2");
  const std::filesystem::path file = folder / "block.yaml";
  std::ofstream(file) << R"(cuttle: 1
base: {motion: floating, pose: {position: [0, 0, 0.0402], rpy: [3.141592653589793, 0, 0]}}
materials: {rubber: {model: neo_hookean, density: 1000, c1: 2.0e+4, lame_lambda: 8.0e+4, damping_time: 0.02}}
obstacles: [{name: ground, shape: plane}]
links:
  - name: block
    body:
      type: volume
      shape: {type: mesh, file: block.msh}
      material: rubber
      kinematics: {type: fem, full: true}
contacts: [{name: touch, a: block, b: ground, modulus: 2.0e+4, friction: )"
                      << friction << "}]\n";
  Robot robot = read_robot_file(file.string());
  std::filesystem::remove_all(folder);
  return robot;
}

// A soft block that falls on the ground and slides there, by the points of its surface.
TEST(SparseSteps, OnTheGroundAreThoseOfMatrices) {
  const auto state_after = [&](bool matrices, const char* method) {
    const Model model(falling_block(2, 2, 1, 0.4));
    State start = start_of(model);
    start.v[3] = 0.3;
    RobotSystem system(model, {.inputs = std::vector<Signal>(static_cast<std::size_t>(model.nu()), Signal(0.0))});
    if (matrices) system.keep_to_matrices();
    EXPECT_EQ(system.follows_tree(), !matrices);
    start.auxiliary = system.with_controllers(start_of_auxiliary(model));
    const auto integrator = make_integrator(system, fixed(method, 5e-4));
    integrator->restart(start);
    integrator->advance(0.03, 0.03);
    EXPECT_GT(system.touching(), 0);
    return integrator->state();
  };
  for (const char* method : {"newmark", "generalized_alpha"}) {
    const State sparse = state_after(false, method);
    const State dense = state_after(true, method);
    EXPECT_LT((sparse.q - dense.q).norm() + 0.03 * (sparse.v - dense.v).norm(), 1e-6);
  }
}

// bdf solves by the tree in residual form, and by a Jacobian of differences: both stay within their tolerances.
TEST(SparseSteps, OfBdfAreThoseOfMatrices) {
  for (const bool floating : {false, true}) {
    SCOPED_TRACE(floating);
    const Robot robot = blown(false, 1, floating);
    const State sparse = state_of(robot, adaptive("bdf", 1e-7), 0.02);
    const State dense = state_of(robot, adaptive("bdf", 1e-7), 0.02, true);
    EXPECT_LT(distance(Model(robot), sparse, dense), 1e-4 * sparse.v.norm());
    EXPECT_LT((sparse.auxiliary - dense.auxiliary).norm(), 1e-4 * dense.auxiliary.norm());
  }
}

// Of more coordinates than matrices are made for, with air, a string, a weight on a hinge, and air that lags behind its
// input: a state that acts on the motion. Implicit steps come nearer by the square of their length.
TEST(SparseSteps, OfBdfAreTheLimitOfShortStepsWithThousandsOfCoordinates) {
  for (const bool lags : {false, true}) {
    SCOPED_TRACE(lags);
    Robot robot = blown(true, 3, false);
    if (lags) robot.actuators[0] = with_input_lag(robot.actuators[0], 0.002, "Pa");
    ASSERT_GT(Model(robot).nv(), 600);
    const State found = state_of(robot, adaptive("bdf", 1e-7), 0.003, false, 0.0);
    const auto off = [&](double step) {
      return (state_of(robot, fixed("generalized_alpha", step), 0.003, false, 0.0).q - found.q).norm() / found.q.norm();
    };
    const double whole = off(2.5e-4), half = off(1.25e-4);
    EXPECT_LT(whole, 2e-2);
    EXPECT_NEAR(half / whole, 0.25, 0.05);
  }
}

TEST(SparseSteps, OfBdfCloseTheAccountOfEnergy) {
  const Model model(blown(true, 3, false));
  ASSERT_GT(model.nv(), 600);
  Scenario scenario;
  scenario.duration = 0.006, scenario.output_step = 0.003;
  scenario.integrator = adaptive("bdf", 1e-6);
  scenario.inputs["air"] = Signal::ramp(0.0, 0.006, 0.0, 3e3);
  const Outcome outcome = Simulator(model, scenario).run({});
  EXPECT_EQ(outcome.status, RunStatus::complete);
  EXPECT_GT(outcome.peak_kinetic, 0.0);
  EXPECT_LT(outcome.energy_error, 1e-4 * outcome.peak_kinetic);
}

/// A block that sinks to the ground and slides there, after 3 ms.
State touching_state(const Robot& robot, const IntegratorOptions& options, bool matrices) {
  const Model model(robot);
  State start = start_of(model);
  start.v[3] = 0.3, start.v[5] = 0.1;  // z of its base looks down
  RobotSystem system(model, {.inputs = {}});
  if (matrices) system.keep_to_matrices();
  EXPECT_EQ(system.follows_tree(), !matrices);
  start.auxiliary = system.with_controllers(start_of_auxiliary(model));
  const auto integrator = make_integrator(system, options);
  integrator->restart(start);
  integrator->advance(0.003, 0.003);
  EXPECT_GT(system.touching(), 0);
  return integrator->state();
}

// Without friction and with it: as with matrices, and, of hundreds of nodes, as short implicit steps.
TEST(SparseSteps, OfBdfTouchTheGround) {
  for (const double friction : {0.0, 0.4}) {
    SCOPED_TRACE(friction);
    const Robot small = falling_block(2, 2, 1, friction);
    const State sparse = touching_state(small, adaptive("bdf", 1e-6), false);
    const State dense = touching_state(small, adaptive("bdf", 1e-6), true);
    EXPECT_LT((sparse.q - dense.q).norm(), 1e-4 * (dense.q - Model(small).neutral()).norm());
    EXPECT_LT((sparse.v - dense.v).norm(), 1e-3 * dense.v.norm());
  }
  const Robot large = falling_block(7, 6, 4, 0.4);
  const Model model(large);
  ASSERT_GT(model.nv(), 600);
  const State found = touching_state(large, adaptive("bdf", 1e-5), false);
  const State steps = touching_state(large, fixed("generalized_alpha", 1e-4), false);
  EXPECT_LT((found.q - steps.q).norm(), 2e-3 * (steps.q - model.neutral()).norm());
  EXPECT_LT((found.v - steps.v).norm(), 5e-3 * steps.v.norm());
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
