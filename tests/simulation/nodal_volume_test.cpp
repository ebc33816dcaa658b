// Volumes that move with every node of their mesh, in a robot: O(N) forward dynamics, implicit integration, and what is
// refused above 600 coordinates.
#include "cuttle/bodies/nodal_volume.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/error.h"
#include "cuttle/simulation/simulator.h"
#include "support/meshes.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// A block of nx x ny x nz bricks that carries a mass on a hinge.
Model block(int nx, int ny, int nz) {
  NodalVolumeParameters p;
  p.mesh = std::make_shared<const TetrahedralMesh>(box_mesh({0.04, 0.04, 0.1}, nx, ny, nz));
  p.density = 1000.0;
  p.material = {.c1 = 5e4, .lame_lambda = 2e5, .damping_time = 0.01};
  p.tip_origin = {0.0, 0.0, 0.1}, p.tip_a = {0.02, 0.0, 0.1}, p.tip_b = {0.0, 0.02, 0.1};
  RigidParameters load;
  load.mass = 0.05, load.com = {0.0, 0.0, 0.03}, load.inertia = {1e-5, 1e-5, 1e-5, 0.0, 0.0, 0.0};
  Robot robot;
  robot.links.push_back({.name = "block", .body = std::make_shared<NodalVolume>(p)});
  robot.links.push_back(
      {.name = "load", .joint = make_revolute_joint<double>({1, 0, 0}), .body = std::make_shared<RigidBody>(load)});
  return Model(robot);
}

TEST(NodalVolumeRobotTest, ForwardDynamicsUndoesInverseDynamicsWithHundredsOfCoordinates) {
  const Model model = block(5, 5, 7);
  ASSERT_GT(model.nv(), 700);
  Data data(model);
  const VectorXd q = 1e-4 * VectorXd::Random(model.nv()), v = 1e-2 * VectorXd::Random(model.nv());
  const VectorXd tau = 1e-3 * VectorXd::Random(model.nv());
  const VectorXd a = forward_dynamics(model, data, q, v, tau);
  const VectorXd back = inverse_dynamics(model, data, q, v, a);
  const VectorXd passive = inverse_dynamics(model, data, q, v, VectorXd::Zero(model.nv()));
  EXPECT_LT((back - tau).norm(), 1e-11 * passive.norm());
}

TEST(NodalVolumeRobotTest, DenseMatricesAndSimulationsNameTheBody) {
  const Model model = block(5, 5, 7);
  Data data(model);
  const VectorXd zero = VectorXd::Zero(model.nv());
  const auto error = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const ArgumentError& e) {
      return e.what();
    }
    return "no error";
  };
  const std::string rest =
      ": link 'block': found a body with 756 coordinates, expected at most 600: for more nodes take kinematics of type "
      "fem with 'modes', 'derivatives' and 'attachments' instead of 'full', or a coarser mesh (statics, implicit "
      "steps, forward_dynamics and a count of lowest modes take more)";
  EXPECT_EQ(error([&] { mass_matrix(model, data, zero); }), "mass_matrix" + rest);
  EXPECT_EQ(error([&] { mass_inverse_dynamics(model, data, zero, zero, zero); }), "mass_inverse_dynamics" + rest);
  for (const char* type : {"rk4", "tsit5", "erk", "energy_conserving"}) {
    Scenario scenario;
    scenario.integrator.type = type;
    if (std::string(type) != "erk") scenario.integrator.step = 1e-6;
    EXPECT_EQ(error([&] { Simulator(model, scenario).run({}); }), type + rest);
  }
}

// Air in the hole of a block whose every node moves: work of the pressure is in the balance, and the hole grows.
TEST(NodalVolumeRobotTest, ChambersPressOnGroupsOfTheMesh) {
  for (const bool edges : {false, true}) {
    NodalVolumeParameters p;
    TetrahedralMesh mesh = ring_mesh({0.06, 0.06, 0.04}, 1);
    if (edges) mesh = with_edge_nodes(mesh);
    p.mesh = std::make_shared<const TetrahedralMesh>(mesh);
    p.density = 1000.0;
    p.material = {.c1 = 5e4, .lame_lambda = 2e5, .damping_time = 0.02};
    p.tip_origin = {0.02, 0.02, 0.04}, p.tip_a = {0.03, 0.02, 0.04}, p.tip_b = {0.02, 0.03, 0.04};
    Robot robot;
    robot.links.push_back({.name = "block", .body = std::make_shared<NodalVolume>(p)});
    robot.actuators.push_back(Actuator::chamber("air", "block", "hole"));
    const Model model(robot);
    Data data(model);
    const VectorXd rest = VectorXd::Zero(model.nv());
    const double volume = actuation_coordinates<double>(model, data, rest)[0];
    EXPECT_NEAR(volume, 0.02 * 0.02 * 0.04, 1e-15);
    const double h = 1e-7;
    const VectorXd column = actuation_matrix<double>(model, data, rest).col(0);
    const VectorXd direction = VectorXd::Random(model.nv());
    const double slope = (actuation_coordinates<double>(model, data, h * direction)[0] -
                          actuation_coordinates<double>(model, data, -h * direction)[0]) /
                         (2 * h);
    EXPECT_NEAR(column.dot(direction), slope, 1e-7 * column.norm() * direction.norm());
    if (edges) continue;
    Scenario scenario;
    scenario.duration = 0.02, scenario.output_step = 0.01;
    scenario.integrator.type = "bdf";
    scenario.inputs["air"] = Signal::ramp(0.0, 0.01, 0.0, 5e3);
    const Outcome outcome = Simulator(model, scenario).run({});
    EXPECT_EQ(outcome.status, RunStatus::complete);
    EXPECT_GT(outcome.peak_kinetic, 0.0);
    EXPECT_LT(outcome.energy_error, 20e-6 * outcome.peak_kinetic);

    robot.actuators[0] = Actuator::chamber("air", "block", "inner");
    EXPECT_THROW(Model{robot}, ModelError);
  }
}

TEST(NodalVolumeRobotTest, EnergyBalancesInAnImplicitSimulation) {
  const Model model = block(1, 1, 3);
  Scenario scenario;
  scenario.duration = 0.1, scenario.output_step = 0.01;
  scenario.integrator.type = "bdf";
  scenario.integrator.relative_tolerance = 1e-6, scenario.integrator.absolute_tolerance = 1e-9;
  const Outcome outcome = Simulator(model, scenario).run({});
  EXPECT_GT(outcome.peak_kinetic, 0.0);
  EXPECT_LT(outcome.energy_error, 20e-6 * outcome.peak_kinetic);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
