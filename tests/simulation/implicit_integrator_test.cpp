// Newmark, HHT, generalized-alpha, the midpoint rule and its projection onto the energy: order, damping, energy, what
// they say when they fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cuttle/algorithms/energy.h"
#include "cuttle/error.h"
#include "cuttle/simulation/robot_system.h"
#include "simulation/integrator_runs.h"
#include "simulation/simulation_robots.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

const char* const k_methods[] = {"newmark", "hht", "generalized_alpha", "midpoint", "energy_conserving"};

// On SE(3).
TEST(ImplicitTest, FreeBodyConvergesWithOrderTwo) {
  const Model model(free_body({0.02, 0.035, 0.05}));
  const State start = tumbling(model);
  const auto reference = trajectory(model, fixed("tsit5", 1e-3), start, 2.0);
  for (const char* method : k_methods) expect_order(model, start, 2.0, reference, method, 2, 0.02);
}

// A table has a knot at every step: the methods start anew there, and keep their order.
TEST(ImplicitTest, SignalsWithKnotsAtEveryStepKeepTheOrder) {
  Robot robot = pendulum();
  robot.links[0].joint_dynamics = dynamics({3.0}, {0.2});
  const Model model(robot);
  State start = start_of(model);
  start.q[0] = 0.5;
  std::vector<double> times, values;
  for (int i = 0; i <= 200; ++i) {
    times.push_back(0.01 * i);
    values.push_back(8.0 * std::sin(3.0 * times.back()));
  }
  const std::vector<Signal> inputs{Signal::points(times, values)};
  const auto end_of = [&](const char* method, int parts) {
    RobotSystem system(model, {.inputs = inputs});
    const auto integrator = make_integrator(system, fixed(method, 0.01 / parts));
    integrator->restart(start);
    for (int i = 1; i <= 200; ++i) {
      system.confine(times[i - 1], times[i]);
      integrator->restart(integrator->state());
      integrator->advance(times[i], times[i]);
    }
    return integrator->state();
  };
  const State exact = end_of("tsit5", 4);
  for (const char* method : k_methods) {
    const double coarse = distance(model, end_of(method, 1), exact), fine = distance(model, end_of(method, 2), exact);
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.25) << method << " " << coarse;
  }
}

// A step of the input: the acceleration jumps.
TEST(ImplicitTest, JumpsKeepTheOrder) {
  const Model model(pendulum());
  const std::vector<Signal> inputs{Signal::step(0.5, 0.0, 20.0)};
  const auto end_of = [&](const char* method, double step) {
    RobotSystem system(model, {.inputs = inputs});
    const auto integrator = make_integrator(system, fixed(method, step));
    system.confine(0.0, 0.5);
    integrator->restart(start_of(model));
    integrator->advance(0.5, 0.5);
    system.confine(0.5, 1.0);
    integrator->restart(integrator->state());
    integrator->advance(1.0, 1.0);
    return integrator->state();
  };
  const State exact = end_of("tsit5", 1e-3);
  for (const char* method : k_methods) {
    const double coarse = distance(model, end_of(method, 0.02), exact),
                 fine = distance(model, end_of(method, 0.01), exact);
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.3) << method << " " << coarse;
  }
}

TEST(ImplicitTest, TumblingRobotWithARodConvergesWithOrderTwo) {
  Robot robot = free_body({0.02, 0.035, 0.05});
  robot.links.push_back({.name = "rod",
                         .joint = make_spherical_joint<double>(),
                         .joint_dynamics = dynamics({0.5, 0.6, 0.7}, {0.01, 0.02, 0.03}),
                         .body = rod_body(0.3, 0.03, "pcc", 0.02)});
  robot.gravity = {0.5, -0.3, -9.81};
  const Model model(robot);
  State start = start_of(model);
  start.v.setLinSpaced(-1.0, 1.3);
  const auto reference = trajectory(model, fixed("tsit5", 1e-4), start, 0.4);
  for (const char* method : k_methods) expect_order(model, start, 0.4, reference, method, 2, 4e-3);
}

// Undamped vibration with hw >> 1: what one step leaves of it.
TEST(ImplicitTest, LeavesOfFastVibrationsWhatItsNumberSays) {
  Robot robot = pendulum();
  robot.gravity = {};
  robot.links[0].joint_dynamics = dynamics({1e12}, {});  // 1e6 rad/s
  const Model model(robot);
  State start = start_of(model);
  start.q[0] = 1e-3;
  const auto amplitude = [&](IntegratorOptions options, int steps) {
    options.step = 1.0;
    RobotSystem system(model, {.inputs = {0.0}});
    const auto integrator = make_integrator(system, options);
    integrator->restart(start);
    integrator->advance(steps, steps);
    return std::abs(integrator->state().q[0]);
  };
  for (const double rho : {0.3, 0.8}) {
    IntegratorOptions options = fixed("generalized_alpha", 1.0);
    options.rho_inf = rho;
    // a double root: the ratio tends to rho like 1 + 1/n
    EXPECT_NEAR(amplitude(options, 41) / amplitude(options, 40), rho, 0.06 * rho) << rho;
  }
  EXPECT_NEAR(amplitude(fixed("newmark", 1.0), 40) / 1e-3, 1.0, 1e-6);
  EXPECT_LT(amplitude(fixed("hht", 1.0), 200) / 1e-3, 0.9);
}

TEST(ImplicitTest, StepsByTheErrorFollowTheTolerance) {
  Robot robot = pendulum();
  const Model model(robot);
  State start = start_of(model);
  start.q[0] = 2.0;
  const auto reference = trajectory(model, fixed("tsit5", 1e-3), start, 3.0);
  for (const char* method : k_methods) {
    double last = 1.0;
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      const auto states = trajectory(model, adaptive(method, tolerance), start, 3.0);
      double error = 0.0;
      for (std::size_t i = 0; i < states.size(); ++i) error = std::max(error, distance(model, states[i], reference[i]));
      EXPECT_LT(error, 1000.0 * tolerance) << method;
      EXPECT_LT(error, 0.1 * last) << method;
      last = error;
    }
  }
}

// Linear and undamped: the average-acceleration method keeps the energy to rounding, with any step.
TEST(ImplicitTest, NewmarkKeepsTheEnergyOfALinearVibration) {
  Robot robot = pendulum();
  robot.gravity = {};
  robot.links[0].joint_dynamics = dynamics({7.0}, {});
  const Model model(robot);
  Data data(model);
  State start = start_of(model);
  start.q[0] = 0.3;
  for (const char* method : {"newmark", "midpoint"}) {
    const State end = run(model, fixed(method, 0.5), start, 200.0, {0.0});
    const double energy =
        kinetic_energy<double>(model, data, end.q, end.v) + elastic_energy<double>(model, data, end.q);
    EXPECT_NEAR(energy, 0.5 * 7.0 * 0.09, 1e-9) << method;
  }
}

/// A mass whose force does not exist beyond a place.
class Cliff final : public ImplicitSystem {
 public:
  Cliff() : model_(pendulum()), derivatives_(model_) { derivatives_.by_a(0, 0) = 1.0; }
  const Model& model() const override { return model_; }
  int auxiliary_count() const override { return 0; }
  void rates(double, VectorInT<double>, VectorInT<double>, VectorInT<double>, VectorOutT<double>,
             VectorOutT<double>) override {}
  void residual(double, VectorInT<double> q, VectorInT<double>, VectorInT<double> a, const AuxiliaryStates&,
                VectorOutT<double> r, VectorOutT<double>) override {
    if (q[0] > 0.5) throw ConfigurationError("arm: the rope is too short");
    r = a;
  }
  const DerivativeData& residual_derivatives(double, VectorInT<double>, VectorInT<double>, VectorInT<double>,
                                             const AuxiliaryStates&, VectorInT<double>) override {
    return derivatives_;
  }
  const MatrixXd& constraint_jacobian(VectorInT<double>) override { return none_; }

 private:
  Model model_;
  DerivativeData derivatives_;
  MatrixXd none_;
};

TEST(ImplicitTest, GivesUpWithReasonAndLastGoodState) {
  for (const bool with_step : {true, false}) {
    Cliff system;
    IntegratorOptions options = adaptive("newmark", 1e-4);
    if (with_step) options.step = 0.1;
    const auto integrator = make_integrator(system, options);
    State start;
    start.q = VectorXd::Zero(1), start.v = VectorXd::Ones(1), start.auxiliary.resize(0);
    integrator->restart(start);
    try {
      integrator->advance(2.0, 2.0);
      FAIL();
    } catch (const SimulationError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("newmark: no step, however short"));
      EXPECT_THAT(error.what(), testing::HasSubstr("arm: the rope is too short"));
    }
    EXPECT_NEAR(integrator->state().time, 0.5, 1e-3);
    EXPECT_GT(integrator->statistics().failures, 0);
  }
}

TEST(ImplicitTest, RefusesNumbersOutOfRangeAndOptionsOfOthers) {
  IntegratorOptions options = fixed("generalized_alpha", 0.1);
  options.rho_inf = 1.2;
  EXPECT_EQ(refusal(options), "integrator.rho_inf: found 1.2, expected a number in [0, 1]");
  options = fixed("hht", 0.1);
  options.alpha = -0.5;
  EXPECT_EQ(refusal(options), "integrator.alpha: found -0.5, expected a number in [-1/3, 0]");
  options = fixed("newmark", 0.1);
  options.alpha = -0.1;
  EXPECT_EQ(refusal(options), "integrator.alpha: 'newmark' has none, only 'hht'");
  options = fixed("newmark", 0.0);
  EXPECT_EQ(refusal(options), "integrator.step: found 0, expected a number >= 1e-12 [s]");
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
