// What roll-outs of every kind say of a robot that fails: the same.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "cuttle/control/controllers.h"
#include "cuttle/error.h"
#include "cuttle/simulation/robot_rollouts.h"
#include "simulation/simulation_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

/// Three robots alike; the input of the second is beyond all sense in the fourth of five intervals, which begins at
/// 0.06 s: its velocity then has no square.
class RolloutFailuresTest : public testing::Test {
 protected:
  RolloutFailuresTest() : model_(test::mixed_arm()), batch_(model_, 3) {
    VectorXd q = model_.neutral();
    q[0] = 0.3;
    robots_.q = q.transpose().replicate(3, 1);
    robots_.v = RowMatrixXd::Constant(3, model_.nv(), 0.1);
    options_ = {.step = 1e-3, .duration = 0.1, .output_step = 0.02};
    options_.held_inputs = RowMatrixXd::Constant(3, 5, 0.05);
    options_.held_inputs(1, 3) = 1e200;
    options_.raise_on_failure = false;
  }

  Rollout rollout() { return batch_.rollout(robots_.q, robots_.v, options_); }
  /// As they are without the robot that fails.
  Rollout others() {
    RolloutOptions options = options_;
    options.held_inputs(1, 3) = 0.05;
    return batch_.rollout(robots_.q, robots_.v, options);
  }

  Model model_;
  Batch batch_;
  RolloutRobots robots_;
  RolloutOptions options_;
};

bool unknown(const RowMatrixXd& x) { return x.array().isNaN().all(); }

TEST_F(RolloutFailuresTest, AreTheSameOfABatchAndOfControlledRobots) {
  const Rollout good = others();
  const int nq = model_.nq(), nv = model_.nv();
  const ControlledRollout controlled = controlled_rollout(model_, robots_, options_);
  for (const Rollout& found : {rollout(), controlled.rollout}) {
    ASSERT_EQ(found.times.size(), 6U);
    EXPECT_TRUE(unknown(found.q.row(1)) && unknown(found.v.row(1)));
    EXPECT_TRUE(unknown(found.q_samples.row(1).tail(2 * nq)) && unknown(found.v_samples.row(1).tail(2 * nv)));
    EXPECT_LT((found.q_samples.row(1).head(4 * nq) - good.q_samples.row(1).head(4 * nq)).norm(), 1e-10);
    EXPECT_LT((found.last_q.row(1) - good.q_samples.row(1).segment(3 * nq, nq)).norm(), 1e-10);
    EXPECT_LT((found.last_v.row(1) - good.v_samples.row(1).segment(3 * nv, nv)).norm(), 1e-9);
    EXPECT_NEAR(found.failure_time[1], 0.06, 1e-15);
    EXPECT_NE(found.failures[1], "");
    for (const int robot : {0, 2}) {
      EXPECT_EQ(found.failures[robot], "");
      EXPECT_EQ(found.failure_time[robot], 0.1);
      EXPECT_LT((found.q.row(robot) - good.q.row(robot)).norm(), 1e-10);
      EXPECT_EQ(found.last_q.row(robot), found.q.row(robot));
    }
  }
  EXPECT_TRUE(unknown(controlled.u_samples.row(1).tail(2)));
  EXPECT_EQ(controlled.u_samples(1, 2), 0.05);
}

// Ten numbers, of which eight go along at a time: all have their derivatives until the failure.
TEST_F(RolloutFailuresTest, DerivativesEndThere) {
  std::vector<std::string> by{"gravity[0]", "gravity[1]", "gravity[2]", "links.arm.body.mass", "links.ball.body.mass"};
  for (int k = 0; k < 5; ++k) by.push_back("held_inputs[" + std::to_string(k) + "].motor");
  const RolloutDerivatives found = rollout_derivatives(model_, robots_, options_, by);
  EXPECT_EQ(found.failures[0], "");
  EXPECT_NE(found.failures[1], "");
  for (std::size_t k = 0; k < found.times.size(); ++k) {
    if (k > 3) {
      EXPECT_TRUE(unknown(found.values[1][k]) && unknown(found.derivatives[1][k]));
    } else {
      EXPECT_EQ(found.values[1][k], found.values[0][k]);
      EXPECT_EQ(found.derivatives[1][k], found.derivatives[0][k]);
    }
    EXPECT_TRUE(found.derivatives[0][k].allFinite() && found.derivatives[2][k].allFinite());
  }
}

TEST_F(RolloutFailuresTest, RaiseUnlessTheyAreNotTo) {
  options_.raise_on_failure = true;
  const auto message = [](const auto& run) -> std::string {
    try {
      run();
      return "";
    } catch (const SimulationError& error) {
      return error.what();
    }
  };
  for (const std::string& text :
       {message([&] { rollout(); }), message([&] { controlled_rollout(model_, robots_, options_); }),
        message([&] { rollout_derivatives(model_, robots_, options_, {"gravity[2]"}); })}) {
    EXPECT_NE(text.find(": 1 of 3 robots failed: robot 1: "), std::string::npos) << text;
    EXPECT_NE(text.find("raise_on_failure = false"), std::string::npos) << text;
  }
}

// Where a robot begins is its own too; what all have in common is an argument.
TEST_F(RolloutFailuresTest, StatesThatAreNoneFailAlone) {
  options_.held_inputs(1, 3) = 0.05;
  robots_.q(1, 0) = k_nan;
  robots_.v(2, 3) = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn < 2; ++turn) {
    const ControlledRollout controlled = controlled_rollout(model_, robots_, options_);
    const RolloutDerivatives slopes = rollout_derivatives(model_, robots_, options_, {"gravity[2]"});
    for (const Rollout& found : {rollout(), controlled.rollout}) {
      EXPECT_EQ(found.failures[0], "");
      for (const int robot : {1, 2}) {
        EXPECT_EQ(found.failures[robot].find("initial"), 0U) << found.failures[robot];
        EXPECT_TRUE(unknown(found.q.row(robot)) && unknown(found.q_samples.row(robot)));
        EXPECT_EQ(found.failure_time[robot], 0.0);
      }
      EXPECT_EQ(found.last_q.row(2), robots_.q.row(2));
    }
    EXPECT_EQ(slopes.failures[0], "");
    EXPECT_EQ(slopes.failures[1].find("initial"), 0U) << slopes.failures[1];
    EXPECT_TRUE(unknown(slopes.values[2][0]) && unknown(slopes.derivatives[2][0]));
    robots_.q(1, 0) = 0.3;
    robots_.q(1, 1) = 2.0;  // of a quaternion
  }
  robots_.q = model_.neutral().transpose().replicate(3, 1);
  options_.held_inputs(0, 0) = k_nan;
  EXPECT_THROW(rollout(), ArgumentError);
  EXPECT_THROW(controlled_rollout(model_, robots_, options_), ArgumentError);
  EXPECT_THROW(rollout_derivatives(model_, robots_, options_, {}), ArgumentError);
  options_.held_inputs(0, 0) = 0.0;
  options_.start = 0.4;  // the wind of this arm blows by the clock of the run
  EXPECT_THROW(controlled_rollout(model_, robots_, options_), ArgumentError);
}

// References of controllers count from the begin of the run: a start that is not 0 would move the inputs alone.
TEST(RolloutStartTest, IsRefusedWithControllers) {
  const Model model(test::pendulum());
  RolloutRobots robots;
  robots.q = RowMatrixXd::Constant(2, 1, 0.4), robots.v = RowMatrixXd::Zero(2, 1);
  RolloutOptions options{.step = 1e-2, .duration = 0.1, .start = 0.3};
  EXPECT_NO_THROW(controlled_rollout(model, robots, options));
  PidSettings motor;
  motor.inputs = {"motor"}, motor.reference = {Signal::ramp(0.0, 0.5, 0.0, 1.0)}, motor.kp = {8};
  robots.controllers = {{"motor", make_pid(motor)}};
  const auto refused = [&](const auto& run) {
    try {
      run();
    } catch (const ArgumentError& error) {
      return std::string(error.what()).find("start: found 0.3 s and controllers") != std::string::npos;
    }
    return false;
  };
  EXPECT_TRUE(refused([&] { controlled_rollout(model, robots, options); }));
  EXPECT_TRUE(refused([&] { rollout_derivatives(model, robots, options, {}); }));
  options.start = 0.0;
  EXPECT_NO_THROW(controlled_rollout(model, robots, options));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
