// Robots of full finite elements that begin in touch with what is rough: their bristles in balance.

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
