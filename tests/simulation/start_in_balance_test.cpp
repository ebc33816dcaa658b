// Robots that begin in touch with what is rough: bristles in balance with matrices and along the tree, and where a
// static equilibrium with friction has them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "cuttle/algorithms/statics.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/robot_system.h"
#include "simulation/integrator_runs.h"
#include "support/meshes.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

class StartInBalance : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  Robot read(const std::string& text) const {
    std::ofstream(folder_ / "bar.msh") << msh_text(box_mesh({0.02, 0.02, 0.12}, 3, 3, 16), "2.2");
    const std::filesystem::path file = folder_ / "robot.yaml";
    std::ofstream(file) << text;
    return read_robot_file(file.string());
  }

  const std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "cuttle_start_in_balance";
};

/// Bristles with which a robot begins, as its auxiliary states have them.
VectorXd bristles_at(const Model& model, State state) {
  RobotSystem system(model, {.inputs = std::vector<Signal>(static_cast<std::size_t>(model.nu()), Signal(0.0))});
  state.auxiliary = system.with_controllers(start_of_auxiliary(model));
  system.begin_in_balance(state);
  return system.layout().sites_of(state.auxiliary);
}

// A box and a rod that lean on a slope, and a ball between them: alone, and beside a chain of rods that touches nothing
// but makes the robot large.
TEST_F(StartInBalance, IsTheSameAlongTheTree) {
  const std::string touching = R"(
cuttle: 1
gravity: [0.05, -0.1, -9]
materials: {rubber: {density: 1000, young_modulus: 1.0e+6, poisson_ratio: 0.45, damping_time: 0.02}}
obstacles: [{name: ground, shape: plane}]
links:
  - name: box
    parent: base
    attach: {pose: {position: [0, 0, 0.01]}}
    joint: {type: free}
    body: {type: rigid, mass: 0.2, inertia: [1.0e-4, 1.5e-4, 2.0e-4, 0, 0, 0]}
    contact: {shape: box, size: [0.06, 0.04, 0.0202]}
  - name: rod
    parent: base
    attach: {pose: {position: [0.3, 0, 0.103], rpy: [3.0, 0.1, 0]}}
    body:
      type: rod
      length: 0.1
      section: {shape: circle, radius: 0.005}
      material: rubber
      strain: {kappa_x: {basis: legendre, order: 2}, kappa_y: {basis: legendre, order: 2}, sigma_z: constant}
contacts:
  - {name: below, a: box, b: ground, modulus: 1.0e+6, friction: 0.5}
  - {name: tip, a: rod, b: ground, modulus: 1.0e+6, friction: {static: 0.6, kinetic: 0.4}}
)";
  std::string chain;
  for (int i = 0; i < 8; ++i) {
    chain += fmt::format(
        "  - {{name: part{}, parent: {}, body: {{type: rod, length: 0.1, section: {{shape: circle, radius: 0.005}}, "
        "material: rubber, strain: {{kappa_x: constant, kappa_y: {{basis: legendre, order: 2}}}}}}}}\n",
        i, i == 0 ? "base" : "part" + std::to_string(i - 1));
  }
  std::string beside = touching;
  beside.insert(beside.find("contacts:"), chain);
  const Model alone(read(touching)), large(read(beside));
  ASSERT_LT(alone.nv(), 32);
  ASSERT_GT(large.nv(), 40);
  for (const bool moves : {false, true}) {
    State start = start_of(alone), other = start_of(large);
    if (moves) start.v[3] = other.v[3] = 0.3;  // the box slides while the rod sticks
    const VectorXd expected = bristles_at(alone, start), found = bristles_at(large, other);
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_GT((expected.array() != 0.0).count(), 6);
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-7 * expected.cwiseAbs().maxCoeff());
  }
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
TEST_F(StartInBalance, HoldsPointsOfFullMeshes) {
  const auto bar = [&](const char* gravity) {
    return Model(read(std::string("cuttle: 1\ngravity: ") + gravity + R"(
materials: {rubber: {model: neo_hookean, density: 1000, c1: 2.0e+5, lame_lambda: 8.0e+5, damping_time: 0.05}}
obstacles:
  - {name: ground, shape: plane, pose: {position: [0, -0.0115, 0], rpy: [-1.5707963267948966, 0, 0]}}
links:
  - name: arm
    body: {type: volume, shape: {type: mesh, file: bar.msh}, material: rubber, kinematics: {type: fem, full: true}}
contacts: [{name: touch, a: arm, b: ground, modulus: 2.0e+4, friction: 3}]
)"));
  };
  const Model upright = bar("[0, -9.81, 0]"), model = bar("[0.003, -9.81, 0.002]");
  ASSERT_GT(model.nv(), 600);
  Data data(upright);
  StaticLoads loads;
  loads.u = VectorXd::Zero(0);
  loads.state_loads_at = k_rest_time, loads.friction = StaticLoads::Friction::none;
  State state = start_of(model);
  state.q = static_equilibrium(upright, data, loads, upright.neutral()).q;
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
