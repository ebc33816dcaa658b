// Inputs held over equal intervals, by every way that they can be simulated: against closed forms of a joint of inertia
// 1 that nothing else moves, and of a pendulum against each other.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "cuttle/simulation/robot_rollouts.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/simulation_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

/// A joint of inertia 1: its acceleration is the torque.
Model joint() {
  Robot robot = test::pendulum();
  robot.gravity = {};
  robot.links[0].body = test::rigid_body(1.0, {}, {1, 1, 1}, {});
  return Model(robot);
}

/// Torques without a pattern, one an interval.
RowMatrixXd torques(int intervals) {
  RowMatrixXd u(1, intervals);
  for (int k = 0; k < intervals; ++k) u(0, k) = std::sin(1.7 * k * k + 0.3) + 0.2 * std::cos(5.0 * k);
  return u;
}

/// Where the joint is after these torques: q, v.
VectorXd closed_form(const RowMatrixXd& u, double duration) {
  const double h = duration / static_cast<double>(u.cols());
  double q = 0.0, v = 0.0;
  for (Eigen::Index k = 0; k < u.cols(); ++k) q += h * v + 0.5 * h * h * u(0, k), v += h * u(0, k);
  return VectorXd{{q, v}};
}

VectorXd end_of(const Rollout& rollout) { return VectorXd{{rollout.q(0, 0), rollout.v(0, 0)}}; }

/// The same torques as an input of a scenario: `steps`, or a table that holds.
VectorXd simulated(const Model& model, const RolloutOptions& options, bool table) {
  const Eigen::Index count = options.held_inputs.cols();
  std::vector<double> times, values;
  for (Eigen::Index k = 0; k < count; ++k) {
    if (table || k > 0) times.push_back(options.duration / static_cast<double>(count) * static_cast<double>(k));
    values.push_back(options.held_inputs(0, k));
  }
  Scenario scenario;
  scenario.duration = scenario.output_step = options.duration;
  scenario.integrator.type = options.method, scenario.integrator.step = options.step;
  scenario.inputs["motor"] = table ? Signal::table(times, values, true) : Signal::steps(times, values);
  MemoryRecorder memory;
  Simulator(model, scenario).run({&memory});
  return VectorXd{{memory.samples().back().q[0], memory.samples().back().v[0]}};
}

// Steps that divide an interval, that do not, and that are longer than one; durations with and without exact intervals.
TEST(HeldInputsTest, ActInTheirIntervals) {
  const Model model = joint();
  RolloutRobots robots;
  robots.q.setZero(1, 1), robots.v.setZero(1, 1);
  Batch batch(model, 1);
  for (int count = 2; count <= 200; ++count) {
    RolloutOptions options;
    options.duration = count % 3 == 0 ? 1.0 : count % 3 == 1 ? 0.37 : 0.6;
    options.held_inputs = torques(count);
    options.start = count % 4 == 3 ? 0.29 : 0.0;
    const double interval = options.duration / count;
    const VectorXd expected = closed_form(options.held_inputs, options.duration);
    for (const double step : {0.5 * interval, 0.7 * interval, 0.01}) {
      options.step = step;
      for (const char* method : {"rk4", "tsit5"}) {
        options.method = method;
        const std::string what = std::to_string(count) + " intervals, " + method + ", step " + std::to_string(step);
        const double tolerance = 1e-13;
        EXPECT_LT((end_of(controlled_rollout(model, robots, options).rollout) - expected).norm(), tolerance) << what;
        EXPECT_LT((end_of(batch.rollout(robots.q, robots.v, options)) - expected).norm(), tolerance) << what;
        EXPECT_LT((rollout_derivatives(model, robots, options, {}).values[0][0] - expected).norm(), tolerance) << what;
        if (count % 9 != 0) continue;
        EXPECT_LT((simulated(model, options, true) - expected).norm(), tolerance) << what;
        EXPECT_LT((simulated(model, options, false) - expected).norm(), tolerance) << what;
      }
    }
  }
}

// The roll-outs of one robot a core have implicit methods too.
TEST(HeldInputsTest, ActInTheirIntervalsWithOtherMethods) {
  const Model model = joint();
  RolloutRobots robots;
  robots.q.setZero(1, 1), robots.v.setZero(1, 1);
  for (const char* method : {"midpoint", "generalized_alpha", "newmark"}) {
    for (const int count : {3, 7, 20, 49, 100}) {
      RolloutOptions options{.method = method, .step = 0.013, .held_inputs = torques(count)};
      const VectorXd expected = closed_form(options.held_inputs, options.duration);
      EXPECT_LT((end_of(controlled_rollout(model, robots, options).rollout) - expected).norm(), 1e-9)
          << method << count;
      EXPECT_LT((rollout_derivatives(model, robots, options, {}).values[0][0] - expected).norm(), 1e-9)
          << method << count;
    }
  }
}

// A torque in an interval moves the joint by h to the end: dv = h, dq = h (time left from the middle of the interval).
TEST(HeldInputsTest, EachHasItsDerivatives) {
  const Model model = joint();
  RolloutRobots robots;
  robots.q.setZero(1, 1), robots.v.setZero(1, 1);
  for (const int count : {2, 3, 6, 13, 20, 41, 100}) {
    RolloutOptions options{.duration = count % 2 == 0 ? 1.0 : 0.7, .held_inputs = torques(count)};
    const double h = options.duration / count;
    options.step = 0.4 * h, options.start = count % 3 == 0 ? 0.17 : 0.0;
    std::vector<std::string> by;
    for (int k = 0; k < count; ++k) by.push_back("held_inputs[" + std::to_string(k) + "].motor");
    for (const char* method : {"rk4", "tsit5"}) {
      options.method = method;
      const MatrixXd slopes = rollout_derivatives(model, robots, options, by).derivatives[0][0];
      for (int k = 0; k < count; ++k) {
        EXPECT_NEAR(slopes(0, k), h * (options.duration - (k + 0.5) * h), 1e-13)
            << method << ", " << k << " of " << count;
        EXPECT_NEAR(slopes(1, k), h, 1e-13) << method << ", " << k << " of " << count;
      }
    }
  }
}

// Where an interval ends at a sample, the input that acts there is the next one, however the times are rounded.
TEST(HeldInputsTest, SamplesSeeWhatBegins) {
  const Model model = joint();
  RolloutRobots robots;
  robots.q.setZero(1, 1), robots.v.setZero(1, 1);
  for (int count = 2; count <= 60; ++count) {
    for (const double duration : {1.0, 0.6, 0.7, 0.37}) {
      RolloutOptions options{.step = 0.1, .duration = duration, .held_inputs = torques(count)};
      options.output_step = options.duration / count;
      const ControlledRollout found = controlled_rollout(model, robots, options);
      ASSERT_EQ(found.rollout.times.size(), static_cast<std::size_t>(count) + 1);
      EXPECT_EQ(found.u_samples.leftCols(count), options.held_inputs) << count << ", " << duration;
    }
  }
}

// Beside signals with jumps of their own, after a start that is not 0; the pendulum swings, so that all is nonlinear.
TEST(HeldInputsTest, AddToSignals) {
  const Model model(test::pendulum());
  RolloutRobots robots;
  robots.q = RowMatrixXd::Constant(1, 1, 0.4), robots.v = RowMatrixXd::Constant(1, 1, -0.3);
  Batch batch(model, 1);
  const std::vector<Signal> signals{Signal(0.7), Signal::step(0.45, 0.2, -0.6), Signal::sine(0.5, 1.3, 0.2, 0.1),
                                    Signal::points({0.2, 0.5, 0.9}, {0.1, 1.0, -0.5}),
                                    Signal::spline({0.0, 0.4, 0.8, 1.5}, {0.0, 1.0, 0.5, -0.5})};
  for (const Signal& signal : signals) {
    for (const int count : {1, 5, 16, 35}) {
      RolloutOptions options{.step = 0.011, .duration = 0.9, .start = 0.3, .held_inputs = torques(count)};
      options.inputs["motor"] = signal;
      const VectorXd expected = end_of(batch.rollout(robots.q, robots.v, options));
      EXPECT_LT((end_of(controlled_rollout(model, robots, options).rollout) - expected).norm(), 1e-12) << count;
      EXPECT_LT((rollout_derivatives(model, robots, options, {}).values[0][0] - expected).norm(), 1e-12) << count;
    }
  }
}

// By the numbers of a signal as it was given, whatever is held beside it and whenever the roll-out begins.
TEST(HeldInputsTest, SignalsKeepTheirNumbers) {
  const Model model(test::pendulum());
  RolloutRobots robots;
  robots.q = RowMatrixXd::Constant(1, 1, 0.1), robots.v = RowMatrixXd::Zero(1, 1);
  Batch batch(model, 1);
  const auto sine = [](const std::vector<double>& x) { return Signal::sine(x[0], x[1], x[2], x[3]); };
  const auto points = [](const std::vector<double>& x) { return Signal::points({0.1, 0.5, 0.9}, x); };
  const auto constant = [](const std::vector<double>& x) { return Signal(x[0]); };
  struct Case {
    std::function<Signal(const std::vector<double>&)> make;
    std::vector<double> numbers;
    std::vector<std::string> keys;
  };
  const std::vector<Case> cases{
      {sine, {0.4, 2.0, 0.3, 0.1}, {".amplitude", ".frequency", ".phase", ".offset"}},
      {points, {0.3, -0.2, 0.5}, {".value[0]", ".value[1]", ".value[2]"}},
      {constant, {0.4}, {""}},
  };
  for (const Case& c : cases) {
    for (const double start : {0.0, 0.35}) {
      for (const int count : {0, 1, 2, 7}) {
        RolloutOptions options{.step = 5e-3, .duration = 0.5, .start = start};
        if (count > 0) options.held_inputs = torques(count);
        options.inputs["motor"] = c.make(c.numbers);
        std::vector<std::string> by;
        for (const std::string& key : c.keys) by.push_back("simulation.inputs.motor" + key);
        const MatrixXd slopes = rollout_derivatives(model, robots, options, by).derivatives[0][0];
        const auto moved = [&](std::size_t number, double step) {
          std::vector<double> numbers = c.numbers;
          numbers[number] += step;
          RolloutOptions other = options;
          other.inputs["motor"] = c.make(numbers);
          return end_of(batch.rollout(robots.q, robots.v, other));
        };
        for (std::size_t i = 0; i < c.numbers.size(); ++i) {
          const double h = 1e-3;
          const VectorXd expected =
              (8.0 * (moved(i, h) - moved(i, -h)) - (moved(i, 2 * h) - moved(i, -2 * h))) / (12.0 * h);
          EXPECT_LT((slopes.col(static_cast<Eigen::Index>(i)) - expected).norm(), 1e-9) << by[i] << start << count;
        }
      }
    }
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
