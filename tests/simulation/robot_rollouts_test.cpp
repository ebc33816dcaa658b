// Roll-outs of many robots alone: derivatives against differences of Batch::rollout, which is other code in other
// lanes; with controllers against the Simulator, and without against a Batch.
#include "cuttle/simulation/robot_rollouts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cuttle/error.h"
#include "cuttle/io/scenario_file.h"
#include "support/control_laws.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

class RolloutDerivativesTest : public testing::Test {
 protected:
  RolloutDerivativesTest()
      : model_(load_scenario_file(test::k_source_dir + "/models/examples/tendon_arm_scenario.yaml").robot) {
    const int count = 3;
    robots_.paths = {"materials.silicone.young_modulus", "links.disk.body.mass"};
    robots_.values.resize(count, 2);
    robots_.q.setZero(count, model_.nq()), robots_.v.setZero(count, model_.nv());
    options_.held_inputs.resize(count, 2 * model_.nu());
    for (int robot = 0; robot < count; ++robot) {
      robots_.values.row(robot) << 2.5e5 + 5e4 * robot, 0.02 + 0.005 * robot;
      for (int i = 0; i < model_.nq(); ++i) robots_.q(robot, i) = 0.05 * std::sin(1.0 + i + 3 * robot);
      for (int i = 0; i < model_.nv(); ++i) robots_.v(robot, i) = 0.2 * std::cos(2.0 + i + robot);
      for (int i = 0; i < 2 * model_.nu(); ++i) options_.held_inputs(robot, i) = 1.0 + 0.3 * i + 0.2 * robot;
    }
    options_.step = 2e-4, options_.duration = 0.01, options_.output_step = 0.004, options_.start = 0.1;
    options_.inputs["right"] = Signal::points({0.0, 0.1053, 0.5}, {1.0, 2.0, 3.0});
  }

  /// q and v of all robots at the samples, robot by robot, by a Batch.
  VectorXd rolled(const RolloutRobots& robots, const RolloutOptions& options) const {
    Batch batch(model_, robots.paths, robots.values);
    const Rollout end = batch.rollout(robots.q, robots.v, options);
    EXPECT_TRUE(batch.all_good());
    const auto samples = static_cast<Eigen::Index>(end.times.size());
    const int states = model_.nq() + model_.nv();
    VectorXd all(robots.q.rows() * samples * states);
    for (Eigen::Index robot = 0, at = 0; robot < robots.q.rows(); ++robot) {
      for (Eigen::Index k = 0; k < samples; ++k, at += states) {
        all.segment(at, model_.nq()) = end.q_samples.row(robot).segment(k * model_.nq(), model_.nq());
        all.segment(at + model_.nq(), model_.nv()) = end.v_samples.row(robot).segment(k * model_.nv(), model_.nv());
      }
    }
    return all;
  }

  Model model_;
  RolloutRobots robots_;
  RolloutOptions options_;
};

TEST_F(RolloutDerivativesTest, AreThoseOfDifferencesOfBatches) {
  const std::string held = "held_inputs[1]." + model_.input_info()[1].name;
  const std::vector<std::string> by{"materials.silicone.young_modulus", "gravity[2]", "simulation.initial.upper.q[0]",
                                    "held_inputs[0]." + model_.input_info()[0].name, held};
  const RolloutDerivatives found = rollout_derivatives(model_, robots_, options_, by);
  ASSERT_EQ(found.times.size(), 4U);
  EXPECT_NEAR(found.times[1], 0.104, 1e-15);
  EXPECT_NEAR(found.times[3], 0.11, 1e-15);
  const auto changed = [&](std::size_t number, double by_this) {
    RolloutRobots robots = robots_;
    RolloutOptions options = options_;
    const int nu = model_.nu();
    if (number == 0) robots.values.col(0).array() *= 1.0 + by_this;
    if (number == 1) {
      robots.paths.push_back("gravity[2]");
      robots.values.conservativeResize(robots.values.rows(), 3);
      robots.values.col(2).setConstant(-9.81 + by_this);
    }
    if (number == 2) robots.q.col(0).array() += by_this;
    if (number == 3) options.held_inputs.col(0).array() += by_this;
    if (number == 4) options.held_inputs.col(nu + 1).array() += by_this;
    return rolled(robots, options);
  };
  const int states = model_.nq() + model_.nv();
  const auto samples = static_cast<Eigen::Index>(found.times.size());
  const VectorXd values = rolled(robots_, options_);
  ASSERT_EQ(values.size(), robots_.q.rows() * samples * states);
  for (std::size_t number = 0; number < by.size(); ++number) {
    const double h = 2e-3;
    const VectorXd expected =
        (45.0 * (changed(number, h) - changed(number, -h)) - 9.0 * (changed(number, 2 * h) - changed(number, -2 * h)) +
         (changed(number, 3 * h) - changed(number, -3 * h))) /
        (60.0 * h);
    for (Eigen::Index robot = 0; robot < robots_.q.rows(); ++robot) {
      const double unit = number == 0 ? robots_.values(robot, 0) : 1.0;
      for (Eigen::Index k = 0; k < samples; ++k) {
        const Eigen::Index first = (robot * samples + k) * states;
        const auto r = static_cast<std::size_t>(robot), t = static_cast<std::size_t>(k);
        EXPECT_LT((found.values[r][t] - values.segment(first, states)).cwiseAbs().maxCoeff(), 1e-10);
        const VectorXd slope = unit * found.derivatives[r][t].col(static_cast<Eigen::Index>(number));
        const VectorXd wanted = expected.segment(first, states);
        EXPECT_LE((slope - wanted).cwiseAbs().maxCoeff(), 1e-8 * (wanted.cwiseAbs().maxCoeff() + 1e-3))
            << by[number] << ", robot " << robot << ", sample " << k;
      }
    }
  }
}

TEST_F(RolloutDerivativesTest, SayWhoFailedAndWhatDoesNotFit) {
  robots_.v(1, 0) = 1e200;
  EXPECT_THROW(rollout_derivatives(model_, robots_, options_, {"gravity[2]"}), SimulationError);
  options_.raise_on_failure = false;
  const RolloutDerivatives found = rollout_derivatives(model_, robots_, options_, {"gravity[2]"});
  EXPECT_TRUE(found.failures[0].empty());
  EXPECT_FALSE(found.failures[1].empty());
  EXPECT_TRUE(found.derivatives[1].back().array().isNaN().all());
  EXPECT_TRUE(found.derivatives[2].back().allFinite());
  const auto message = [&](const std::vector<std::string>& by) -> std::string {
    try {
      rollout_derivatives(model_, robots_, options_, by);
      return "";
    } catch (const ArgumentError& error) {
      return error.what();
    }
  };
  EXPECT_NE(message({"held_inputs[7].right"}).find("expected held_inputs[0] .. held_inputs[1]"), std::string::npos);
  EXPECT_NE(message({"held_inputs[0].rihgt"}).find("no such input 'rihgt'"), std::string::npos);
  robots_.q.conservativeResize(3, 1);
  EXPECT_NE(message({"gravity[2]"}).find("q: found 3 x 1"), std::string::npos);
}

TEST_F(RolloutDerivativesTest, EndWithTheirHeartbeat) {
  struct Enough {};
  options_.duration = 1e5, options_.output_step = 0.0;
  options_.heartbeat = [] { throw Enough(); };
  EXPECT_THROW(rollout_derivatives(model_, robots_, options_, {"gravity[2]"}), Enough);
  EXPECT_THROW(controlled_rollout(model_, robots_, options_), Enough);
}

TEST_F(RolloutDerivativesTest, OfNoControllersAreThoseOfABatch) {
  const ControlledRollout found = controlled_rollout(model_, robots_, options_);
  Batch batch(model_, robots_.paths, robots_.values);
  const Rollout expected = batch.rollout(robots_.q, robots_.v, options_);
  EXPECT_EQ(found.rollout.times, expected.times);
  EXPECT_EQ(found.rollout.failure_time, expected.failure_time);
  EXPECT_LT((found.rollout.q_samples - expected.q_samples).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((found.rollout.v - expected.v).cwiseAbs().maxCoeff(), 1e-9);
}

// Every law of the library, continuous and with a clock, on robots that differ: each as the Simulator has it.
class EveryLawInABatch : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Laws, EveryLawInABatch, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const auto& law : test::laws()) names.emplace_back(law.name);
                           return names;
                         }()),
                         [](const auto& test) { return test.param; });

TEST_P(EveryLawInABatch, RunsAsAlone) {
  for (const char* clock : {"", ", rate: 250, noise: {q: 0.001}"}) {
    const ScenarioFile file = test::scenario_of(test::law(GetParam()).text + clock + "}", test::k_start);
    const Model model(file.robot);
    RolloutRobots robots;
    robots.paths = {"links.fore.body.mass"};
    robots.values = VectorXd{{0.25, 0.35}};
    robots.q.setZero(2, model.nq()), robots.v.setZero(2, model.nv());
    robots.q(0, 0) = 0.4, robots.q(1, 1) = -0.3;
    robots.controllers = file.scenario.controllers, robots.seed = 5;
    RolloutOptions options;
    options.step = 5e-4, options.duration = 0.02, options.output_step = 0.01;
    const ControlledRollout found = controlled_rollout(model, robots, options, 2);
    for (int robot = 0; robot < 2; ++robot) {
      ASSERT_EQ(found.rollout.failures[static_cast<std::size_t>(robot)], "");
      Scenario alone = file.scenario;
      alone.duration = options.duration, alone.output_step = options.output_step, alone.seed = 5 + robot;
      alone.integrator = {};
      alone.integrator.type = "tsit5", alone.integrator.step = options.step;
      alone.initial = {};
      if (robot == 0) alone.initial["upper"].q = {0.4};
      if (robot == 1) alone.initial["fore"].q = {-0.3};
      MemoryRecorder memory;
      const Model own = model.with(robots.paths[0], robots.values(robot, 0));
      Simulator(own, alone).run({&memory});
      const Sample& end = memory.samples().back();
      EXPECT_EQ((found.rollout.q.row(robot).transpose() - end.q).cwiseAbs().maxCoeff(), 0.0) << robot << clock;
      EXPECT_EQ((found.u_samples.row(robot).tail(model.nu()).transpose() - end.u).cwiseAbs().maxCoeff(), 0.0);
    }
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
