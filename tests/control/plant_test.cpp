// The robot as laws know it, against sweeps of their own for each of its terms.
#include "control/plant.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/simulation/robot_system.h"
#include "support/control_laws.h"
#include "support/paths.h"
#include "support/random_state.h"

namespace cuttle::CUTTLE_FILE {
namespace {

Robot shipped(const std::string& file) {
  return read_robot_file(fmt::format("{}/models/{}", test::k_source_dir, file));
}
/// Tendons along rods and through points, chambers, wrenches, tendons driven by their length.
std::vector<Robot> robots() {
  return {test::scenario_of("").robot, shipped("pustina2025/simulation1.yaml"),
          shipped("pustina2025/simulation2_controlled.yaml"), shipped("examples/drone_arm.yaml"),
          shipped("examples/servo_finger.yaml")};
}

/// What a plant is asked with.
struct Instant {
  Instant(const Model& model, test::Random& random)
      : auxiliary(start_of_auxiliary(model)), u(VectorXd::Zero(model.nu())) {
    const auto state = test::random_state(model, random);
    v = 0.3 * state.v, q = model.neutral();
    const VectorXd start = q;
    VectorXd step = 0.02 * state.a;
    for (Eigen::Index i = 0; i < step.size(); ++i) {
      const bool area =
          model.velocity_info()[static_cast<std::size_t>(i)].unit == "m^2/s";  // a source's: its bore is small
      if (area) step[i] *= 1e-3, v[i] *= 1e-3;
    }
    integrate<double>(model, start, step, q);
    for (Eigen::Index i = 0; i < u.size(); ++i) u[i] = random.uniform(0.0, 0.01);
  }
  ControlArguments arguments() const { return {0.2, q, v, u, no_state, auxiliary, 0.01, 0.02}; }
  VectorXd q, v, auxiliary, u, no_state;
};

std::vector<int> all_inputs(const Model& model) {
  int count = 0;
  for (const Actuator& actuator : model.robot().actuators) count += static_cast<int>(actuator.inputs().size());
  std::vector<int> inputs(static_cast<std::size_t>(count));
  std::iota(inputs.begin(), inputs.end(), 0);
  return inputs;
}

// (A^T)' v along the motion is v^T d(A)/dq v, which the slopes give.
TEST(Plant, BiasOfInputsIsThatOfTheirSlopes) {
  test::Random random(6);
  int bend = 0;
  for (const Robot& robot : robots()) {
    const Model model(robot);
    Plant plant(model, all_inputs(model));
    VectorXd bias;
    const Instant at(model, random);
    plant.read_inputs(at.arguments());
    plant.read_slopes(at.arguments());
    plant.input_bias(at.arguments(), bias);
    for (std::size_t j = 0; j < plant.slopes.size(); ++j) {
      // column k of a slope is how A_j changes with displacement k
      const double expected = at.v.dot(plant.slopes[j] * at.v);
      EXPECT_NEAR(bias[static_cast<Eigen::Index>(j)], expected, 1e-11 * (1e-3 + plant.slopes[j].norm()))
          << model.name() << " input " << j;
      bend += std::abs(expected) > 1e-6;
    }
  }
  EXPECT_GT(bend, 8);
}

TEST(Plant, OneSweepIsTheSweepsOfEachTerm) {
  test::Random random(9);
  for (const Robot& robot : robots()) {
    const Model model(robot);
    Data data(model);
    Plant plant(model, all_inputs(model)), other(model, all_inputs(model));
    RobotSystem system(model, {});
    const VectorXd none = VectorXd::Zero(model.nv());
    const Instant at(model, random);
    plant.read_motion(at.arguments());
    other.read_inertia(at.arguments());
    EXPECT_LT((plant.M - other.M).norm(), 1e-12 * other.M.norm()) << model.name();
    VectorXd residual(model.nv()), rate(at.auxiliary.size());
    system.held_inputs() = at.u;
    system.residual(0.2, at.q, at.v, none, {at.auxiliary, 0.01, 0.02}, residual, rate);
    EXPECT_LT((plant.rest - residual).norm(), 1e-11 * (1e-6 + residual.norm())) << model.name();
    EXPECT_LT((plant.M * plant.free_acceleration + residual).norm(), 1e-9 * (1e-6 + residual.norm())) << model.name();
    EXPECT_LT((plant.y - actuation_coordinates<double>(model, data, at.q).head(plant.y.size())).norm(), 1e-14)
        << model.name();
    plant.read_held(at.arguments());
    const VectorXd held = inverse_dynamics<double>(model, data, at.q, none, none);
    EXPECT_LT((plant.held - held).norm(), 1e-12 * (1e-6 + held.norm())) << model.name();
    EXPECT_LT((plant.M - other.M).norm(), 1e-12 * other.M.norm()) << model.name();
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
