// Roll-outs of a batch against the Simulator, which has every robot alone.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cuttle/model/transmissions/tendon.h"
#include "cuttle/simulation/batch.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/batch_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::arcs;
using test::arms;
using test::expect_near;
using test::k_robots;
using test::k_tolerance;
using test::Robots;

Scenario scenario_of(const RolloutOptions& options, const Model& model, const RowMatrixXd& q, const RowMatrixXd& v,
                     int robot) {
  Scenario s;
  s.duration = options.duration;
  s.output_step = options.output_step > 0.0 ? options.output_step : options.duration;
  s.integrator.type = options.method;
  s.integrator.step = options.step;
  s.inputs = options.inputs;
  for (const auto& link : model.links()) {
    const auto part = [robot](const RowMatrixXd& x, int first, int n) {
      const VectorXd values = x.row(robot).segment(first, n);
      return std::vector<double>(values.data(), values.data() + n);
    };
    s.initial[link.name] = {part(q, link.q, link.nq), part(v, link.v, link.nv)};
  }
  return s;
}

// Quaternions, inputs that jump between steps, loads that differ from robot to robot.
TEST(BatchRolloutTest, EveryRobotMovesAsAlone) {
  for (const char* method : {"rk4", "tsit5"}) {
    Robots robots(arms());
    RolloutOptions options;
    options.method = method;
    options.step = 1.3e-3;
    options.duration = 0.1;
    options.output_step = 0.03;
    options.inputs["motor"] = Signal::step(0.0417, 0.3, -0.5);
    Batch batch(robots.models);
    const Rollout rollout = batch.rollout(robots.q, 0.2 * robots.v, options);
    EXPECT_TRUE(batch.all_good());
    ASSERT_EQ(rollout.times.size(), 5u);
    for (int i = 0; i < k_robots; ++i) {
      const Model& model = robots.models[i];
      MemoryRecorder memory;
      const Scenario scenario = scenario_of(options, model, robots.q, 0.2 * robots.v, i);
      Simulator(model, scenario).run({&memory});
      ASSERT_EQ(memory.samples().size(), rollout.times.size());
      EXPECT_EQ(rollout.failure_time[i], options.duration);
      for (std::size_t k = 0; k < rollout.times.size(); ++k) {
        const Sample& sample = memory.samples()[k];
        const std::string what = std::string(method) + ", robot " + std::to_string(i) + ", sample " + std::to_string(k);
        EXPECT_EQ(sample.time, rollout.times[k]);
        expect_near(rollout.q_samples.row(i).segment(static_cast<Eigen::Index>(k) * model.nq(), model.nq()), sample.q,
                    what);
        expect_near(rollout.v_samples.row(i).segment(static_cast<Eigen::Index>(k) * model.nv(), model.nv()), sample.v,
                    what);
      }
      expect_near(rollout.q.row(i), memory.samples().back().q, "end");
    }
  }
}

// What a heartbeat throws ends what would take weeks, on one thread and on several; the next roll-out is as ever.
TEST(BatchRolloutTest, EndsWithItsHeartbeat) {
  struct Enough {};
  for (const int threads : {1, 3}) {
    Robots robots(arms());
    Batch batch(robots.models, threads);
    RolloutOptions options;
    options.duration = 0.02;
    const RowMatrixXd expected = batch.rollout(robots.q, robots.v, options).q;
    int beats = 0;
    options.heartbeat = [&beats] {
      if (++beats == 3) throw Enough();
    };
    EXPECT_EQ(batch.rollout(robots.q, robots.v, options).q, expected);
    beats = 0;
    options.duration = 1e6;
    EXPECT_THROW(batch.rollout(robots.q, 0.0 * robots.v, options), Enough);
    EXPECT_EQ(beats, 3);
    options.duration = 0.02;
    EXPECT_EQ(batch.rollout(robots.q, robots.v, options).q, expected);
  }
}

// Tendons differ from robot to robot in their numbers, and in what they ask of their inputs.
// A tableau of one's own: more stages than any of the library's methods, and the error that others cannot run.
TEST(BatchRolloutTest, TakesTableausOfItsUser) {
  const RungeKuttaTableau halves{// rk4 over two half steps
                                 {{},
                                  {0.25},
                                  {0.0, 0.25},
                                  {0.0, 0.0, 0.5},
                                  {1.0 / 12, 1.0 / 6, 1.0 / 6, 1.0 / 12},
                                  {1.0 / 12, 1.0 / 6, 1.0 / 6, 1.0 / 12, 0.25},
                                  {1.0 / 12, 1.0 / 6, 1.0 / 6, 1.0 / 12, 0.0, 0.25},
                                  {1.0 / 12, 1.0 / 6, 1.0 / 6, 1.0 / 12, 0.0, 0.0, 0.5}},
                                 {1.0 / 12, 1.0 / 6, 1.0 / 6, 1.0 / 12, 1.0 / 12, 1.0 / 6, 1.0 / 6, 1.0 / 12},
                                 {0.0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1.0}};
  const Model model(test::pendulum());
  Batch batch(model, 3);
  const RowMatrixXd q = RowMatrixXd::Constant(3, 1, 0.7), v = RowMatrixXd::Constant(3, 1, -0.2);
  RolloutOptions options{.method = "rk4", .step = 0.005, .duration = 0.5};
  const Rollout fine = batch.rollout(q, v, options);
  options.step = 0.01;
  const Rollout coarse = batch.rollout(q, v, options);
  options.tableau = halves;
  const Rollout own = batch.rollout(q, v, options);
  EXPECT_GT((coarse.q - fine.q).norm(), 1e-9);
  EXPECT_LT((own.q - fine.q).norm(), 1e-13);
  options.tableau->c[3] = 0.4;
  EXPECT_THROW(batch.rollout(q, v, options), ArgumentError);
  options.tableau.reset();
  options.method = "newmark";
  try {
    batch.rollout(q, v, options);
    ADD_FAILURE() << "no error";
  } catch (const ArgumentError& error) {
    EXPECT_EQ(std::string(error.what()),
              "Batch::rollout: method: found 'newmark', expected one of: rk4, tsit5; or a tableau of your own");
  }
}

TEST(BatchRolloutTest, TendonsPullAsAlone) {
  std::vector<Model> models;
  for (int i = 0; i < k_robots; ++i) {
    Robot robot;
    robot.links.push_back({.name = "rod1", .body = test::rod_body(0.3 + 0.004 * i, 0.02, "pcc", 0.05)});
    robot.links.push_back({.name = "plate",
                           .joint = make_universal_joint<double>({1, 0, 0}, {0, 1, 0}),
                           .joint_dynamics = test::dynamics({0.3, 0.2}, {0.002, 0.001}),
                           .body = test::rigid_body(0.05, {0, 0, 0.005}, {2e-5, 2e-5, 3e-5}, {0, 0, 0.01})});
    robot.links.push_back({.name = "rod2", .body = test::rod_body(0.2, 0.015, "kirchhoff", 0.05)});
    Routing first, second, wound;
    first.link = "rod1", first.offset = {{0.012, 0.001 * i}, {0.01, 0.0}};
    second.link = "rod2", second.offset = {{0.009, -0.0005 * i}};
    wound.link = "rod2", wound.helix = Routing::Helix{0.008 + 1e-4 * i, 1.0, -0.75};
    robot.actuators = {Actuator::tendon("through", {first, second}), Actuator::tendon("wound", {wound}, Slack::clip),
                       Actuator::chamber("pocket", "rod1", {-0.01, 1e-4 * i}, 4e-5)};
    models.emplace_back(robot);
  }
  const Model& first = models[0];
  const RowMatrixXd q = RowMatrixXd::Zero(k_robots, first.nq()), v = RowMatrixXd::Zero(k_robots, first.nv());
  RolloutOptions options;
  options.method = "rk4", options.step = 5e-4, options.duration = 0.1;
  options.inputs = {{"through", 4.0}, {"wound", Signal::sine(3.0, 13.0, 0.3, 0.0)}, {"pocket", 1e4}};
  Batch batch(models);
  EXPECT_EQ(batch.width(), Batch(Model(test::mixed_arm()), 1).width());  // side by side, not one by one
  const Rollout rollout = batch.rollout(q, v, options);
  EXPECT_TRUE(batch.all_good());
  for (int i = 0; i < k_robots; ++i) {
    MemoryRecorder memory;
    Simulator(models[i], scenario_of(options, models[i], q, v, i)).run({&memory});
    expect_near(rollout.q.row(i), memory.samples().back().q, "robot " + std::to_string(i));
    EXPECT_GT(rollout.q.row(i).norm(), 0.1);
  }

  // the robots that are told to push with what cannot fail, each alone
  options.inputs = {};
  options.held_inputs = RowMatrixXd::Constant(k_robots, 3, 1.0);
  options.held_inputs(2, 0) = -1.0, options.held_inputs(3, 1) = -1.0;
  options.raise_on_failure = false;
  const Rollout pushed = batch.rollout(q, v, options);
  for (int i = 0; i < k_robots; ++i) {
    EXPECT_EQ(batch.status()[i], i == 2 ? RobotStatus::bad_argument : RobotStatus::good) << i;
    EXPECT_EQ(pushed.q.row(i).allFinite(), i != 2) << i;
    EXPECT_EQ(pushed.failures[i], i != 2 ? "" : "after t = 0 s: a tendon of `slack: error` got a tension below 0");
  }

  models.back() = [&] {
    Robot robot = models.back().robot();
    const auto& tendon = dynamic_cast<const TendonTransmission&>(*robot.actuators[1].transmission);
    robot.actuators[1] = Actuator::tendon(robot.actuators[1].name, tendon.routing, Slack::allow);
    return Model(robot);
  }();
  EXPECT_THROW(Batch{models}, ArgumentError);
}

TEST(BatchRolloutTest, HeldInputsAreEachRobotsOwn) {
  const Model model(test::pendulum());
  Batch batch(model, k_robots);
  const RowMatrixXd q = RowMatrixXd::Zero(k_robots, 1), v = q;
  RolloutOptions options;
  options.duration = 0.6;
  options.step = 2e-3;
  options.held_inputs.resize(k_robots, 3);
  for (int i = 0; i < k_robots; ++i) options.held_inputs.row(i) << 0.1 * i, -0.2 * i, 0.3;
  const Rollout rollout = batch.rollout(q, v, options);
  for (int i = 0; i < k_robots; ++i) {
    Scenario s = scenario_of(options, model, q, v, i);
    s.inputs["motor"] = Signal::table({0.0, 0.2, 0.4}, {0.1 * i, -0.2 * i, 0.3}, true);
    MemoryRecorder memory;
    Simulator(model, s).run({&memory});
    EXPECT_NEAR(rollout.q(i, 0), memory.samples().back().q[0], 1e-13);
    EXPECT_NEAR(rollout.v(i, 0), memory.samples().back().v[0], 1e-12);
  }
}

// A jump belongs to what comes after it, also where the time since the start is rounded: 1.53 + (3.78 - 1.53) > 3.78.
TEST(BatchRolloutTest, AJumpIsReadByTheClock) {
  const Model model(test::pendulum());
  Batch batch(model, 3);
  const RowMatrixXd zero = RowMatrixXd::Zero(3, 1);
  for (const auto& [jump, start] : {std::pair(3.78, 1.53), std::pair(0.3, 0.1), std::pair(1.1, 0.7)}) {
    RolloutOptions options;
    options.method = "rk4";  // its last stage is at the end of a step
    options.start = start;
    options.duration = jump - start + 0.01;
    options.step = 1e-2;
    options.inputs["motor"] = Signal::step(jump, 0.0, 1e3);
    options.output_step = jump - start;
    const Rollout rollout = batch.rollout(zero, zero, options);
    ASSERT_EQ(rollout.times.size(), 3u);
    EXPECT_EQ(rollout.q_samples(0, 1), 0.0) << jump << ", " << start;  // nothing moved before the jump
    EXPECT_NEAR(rollout.v_samples(0, 2), 10.0, 0.1) << jump << ", " << start;
  }
}

// A roll-out may be cut anywhere where a step ends.
TEST(BatchRolloutTest, GoesOnFromAStart) {
  Robots robots(arms());
  Batch batch(robots.models);
  RolloutOptions options;
  options.step = 1e-3;
  options.duration = 0.04;
  options.output_step = 0.02;  // steps end there in both
  options.inputs["motor"] = Signal::sine(0.5, 7.0, 0.1, 0.0);
  const Rollout whole = batch.rollout(robots.q, robots.v, options);
  options.duration = 0.02;
  const Rollout half = batch.rollout(robots.q, robots.v, options);
  options.start = 0.02;
  const Rollout rest = batch.rollout(half.q, half.v, options);
  for (int i = 0; i < k_robots; ++i) expect_near(rest.q.row(i), whole.q.row(i), "robot " + std::to_string(i));
}

// It is NaN from its failure on; its last good state, the time of that and the reason stand beside.
TEST(BatchRolloutTest, AFailedRobotIsUnknown) {
  Robots robots(arms());
  Batch batch(robots.models);
  RolloutOptions options;
  options.step = 2e-3;
  options.duration = 0.05;
  const Rollout good = batch.rollout(robots.q, 0.1 * robots.v, options);
  ASSERT_TRUE(batch.all_good());
  RowMatrixXd q = robots.q, v = 0.1 * robots.v;
  const int rod = robots.models[0].links()[3].v;
  v(5, rod) = 1e9;  // beyond what the step can follow
  q(8, 0) = std::numeric_limits<double>::quiet_NaN();
  options.output_step = 0.05;
  try {
    batch.rollout(q, v, options);
    ADD_FAILURE() << "no error";
  } catch (const SimulationError& error) {
    EXPECT_EQ(std::string(error.what()).find("Batch::rollout: 2 of 11 robots failed: robot 5: after t = 0"), 0U)
        << error.what();
  }
  options.raise_on_failure = false;
  const Rollout found = batch.rollout(q, v, options);
  for (int i = 0; i < k_robots; ++i) {
    if (i == 5) {
      EXPECT_EQ(batch.status()[i], RobotStatus::not_finite);
      EXPECT_LT(found.failure_time[i], options.duration);
      EXPECT_TRUE(found.q.row(i).array().isNaN().all() && found.v.row(i).array().isNaN().all());
      EXPECT_TRUE(found.last_q.row(i).allFinite() && found.last_v.row(i).allFinite());
      EXPECT_TRUE(found.q_samples.row(i).head(batch.nq()).allFinite());
      EXPECT_TRUE(found.q_samples.row(i).tail(batch.nq()).array().isNaN().all());
      EXPECT_NE(found.failures[i].find("beyond all numbers"), std::string::npos) << found.failures[i];
    } else if (i == 8) {
      EXPECT_EQ(batch.status()[i], RobotStatus::bad_argument);
      EXPECT_TRUE(found.q.row(i).array().isNaN().all());
      EXPECT_EQ(found.last_q.row(i).tail(batch.nq() - 1), q.row(i).tail(batch.nq() - 1));  // as it was given
      EXPECT_EQ(found.failures[i].find("initial: q"), 0U) << found.failures[i];
      EXPECT_TRUE(found.q_samples.row(i).array().isNaN().all());
      EXPECT_EQ(found.failure_time[i], 0.0);
    } else {
      EXPECT_EQ(batch.status()[i], RobotStatus::good);
      EXPECT_EQ(found.failures[i], "");
      EXPECT_EQ(found.last_q.row(i), found.q.row(i));
      expect_near(found.q.row(i), good.q.row(i), "robot " + std::to_string(i));
    }
  }
}

TEST(BatchRolloutTest, BodiesOfOneScalarMoveOneByOne) {
  Robots robots(arcs());
  Batch batch(robots.models);
  RolloutOptions options;
  options.duration = 0.01;
  options.step = 1e-3;
  RowMatrixXd v = 0.1 * robots.v;
  v(4, batch.nv() - 1) = 1e9;
  options.raise_on_failure = false;
  const Rollout rollout = batch.rollout(robots.q, v, options);
  for (int i = 0; i < k_robots; ++i) {
    if (i == 4) {
      EXPECT_NE(batch.status()[i], RobotStatus::good);
      EXPECT_LT(rollout.failure_time[i], options.duration);
      continue;
    }
    MemoryRecorder memory;
    const Scenario scenario = scenario_of(options, robots.models[i], robots.q, v, i);
    Simulator(robots.models[i], scenario).run({&memory});
    expect_near(rollout.q.row(i), memory.samples().back().q, "robot " + std::to_string(i));
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
