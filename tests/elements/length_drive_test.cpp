// Tendons driven by their length: against their formula, the tension-driven tendon, the tendon of fixed length, and no
// tendon at all.
#include "cuttle/elements/length_drive.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/elements.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/error.h"
#include "cuttle/model/transmissions/tendon.h"
#include "cuttle/simulation/robot_system.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/simulation_robots.h"
#include "support/random_state.h"

namespace cuttle::CUTTLE_FILE {
namespace {

const LengthDrive k_drive{.stiffness = 3e3, .pretension = 2.0, .range = 0.05};

/// From the ground through an eyelet of the arm, then along the rod: a tendon with straight stretches and one in a
/// body.
std::vector<Routing> routing() {
  Routing ground, eyelet, along;
  ground.link = "base", ground.points = {{0.05, 0.0, -0.05}};
  eyelet.link = "arm", eyelet.points = {{0.03, 0.005, 0.1}};
  along.link = "rod", along.offset = {{0.012, 0.003}};
  return {ground, eyelet, along};
}
Robot arm_without_tendon() {
  Robot robot;
  robot.links.push_back({.name = "arm",
                         .joint = make_revolute_joint<double>({0, 1, 0}),
                         .joint_dynamics = {{3.0}, {0.05}, {}, {}},
                         .body = test::rigid_body(0.4, {0.05, 0.01, 0.1}, {2e-3, 2e-3, 1e-3}, {0, 0, 0.2})});
  robot.links.push_back({.name = "rod", .body = test::rod_body(0.3, 0.02, "pcs", 0.05)});
  robot.actuators.push_back(Actuator::joint("motor", "arm"));
  return robot;
}
/// The driven tendon stands before the motor in u.
Robot driven_arm(const LengthDrive& drive = k_drive) {
  Robot robot = arm_without_tendon();
  robot.actuators.insert(robot.actuators.begin(), make_length_driven_tendon<double>("cable", routing(), drive));
  return robot;
}
Robot pulled_arm() {
  Robot robot = arm_without_tendon();
  robot.actuators.insert(robot.actuators.begin(), Actuator::tendon("cable", routing()));
  return robot;
}

VectorXd shortening(const Model& model, Data& data, const VectorXd& q) {
  return actuation_coordinates<double>(model, data, q);
}

TEST(LengthDrive, IsAnInputInFileOrderWithCoordinateAndTension) {
  const Model model(driven_arm()), pulled(pulled_arm());
  ASSERT_EQ(model.nu(), 2);
  EXPECT_EQ(model.input_info()[0].name + " " + model.input_info()[0].unit, "cable m");
  EXPECT_EQ(model.input_info()[1].name + " " + model.input_info()[1].unit, "motor N m");
  ASSERT_EQ(model.element_output_info().size(), 1u);
  EXPECT_EQ(model.element_output_info()[0].name + " " + model.element_output_info()[0].unit, "cable.tension N");
  Data data(model), other(pulled);
  test::Random random(3);
  const auto state = test::random_state(model, random);
  EXPECT_EQ(shortening(model, data, state.q), shortening(pulled, other, state.q));
  EXPECT_EQ(actuation_matrix<double>(model, data, state.q), actuation_matrix<double>(pulled, other, state.q));
  // wound length is no force
  const VectorXd u = Eigen::Vector2d(0.3, 0.7), motor = Eigen::Vector2d(0.0, 0.7);
  EXPECT_EQ(actuation_force<double>(model, data, state.q, u), actuation_force<double>(pulled, other, state.q, motor));
}

// The formula at both sides of both ends of the rounding: exact beyond them, value and slope continuous.
TEST(LengthDrive, TensionIsItsFormulaAndNeverBelowZero) {
  const Model model(driven_arm());
  Data data(model);
  const VectorXd q = 0.1 * VectorXd::Ones(model.nq()), v = VectorXd::Zero(model.nv());
  ElementData elements(model);
  element_motion<double>(model, data, q, v, elements);
  const double y = shortening(model, data, q)[0], k = k_drive.stiffness, r = k_drive.range;
  for (const double taut : {-7.0, -r - 1e-9, -r + 1e-9, -0.5 * r, 0.0, 0.3 * r, r - 1e-9, r + 1e-9, 4.0}) {
    const VectorXd u = Eigen::Vector2d(y + (taut - k_drive.pretension) / k, 0.0);
    element_efforts<double>(model, 0.0, u, elements);
    element_outputs<double>(model, 0.0, u, elements);
    const double expected = taut >= r ? taut : taut <= -r ? 0.0 : (taut + r) * (taut + r) / (4.0 * r);
    EXPECT_NEAR(elements.efforts[0], expected, 1e-12 * (1.0 + k)) << taut;
    EXPECT_EQ(elements.outputs[0], elements.efforts[0]);
    EXPECT_GE(elements.efforts[0], 0.0);
    EXPECT_LE(elements.efforts[0] - std::max(taut, 0.0), 0.25 * r + 1e-9);  // how far the rounding goes
    double slopes[3];
    model.elements()[0].law->derivatives(
        {0.0, elements.rest.data(), elements.y.data(), elements.rate.data(), u.data(), nullptr}, slopes);
    const double slope = taut >= r ? k : taut <= -r ? 0.0 : k * (taut + r) / (2.0 * r);
    EXPECT_NEAR(slopes[2], slope, 1e-7 * k) << taut;
    EXPECT_NEAR(slopes[0], -slope, 1e-7 * k) << taut;
    double back = 0.0;
    ASSERT_TRUE(model.elements()[0].law->inputs_for(
        {0.0, elements.rest.data(), elements.y.data(), elements.rate.data(), u.data(), nullptr}, &elements.efforts[0],
        &back));
    if (taut > -r) {
      EXPECT_NEAR(back, u[0], 1e-7) << taut;
    }
  }
}

// At equal tension it is the tension-driven tendon: in statics ..
TEST(LengthDrive, RestsWhereTheSameTensionRests) {
  const Model model(driven_arm()), pulled(pulled_arm());
  Data data(model), other(pulled);
  for (const double wound : {0.026, 0.03, 0.036}) {
    StaticLoads loads;
    loads.u = Eigen::Vector2d(wound, 0.1);
    const StaticEquilibrium found = static_equilibrium(model, data, loads, model.neutral());
    const double tension = k_drive.pretension + k_drive.stiffness * (wound - shortening(model, data, found.q)[0]);
    ASSERT_GT(tension, k_drive.range) << wound;
    loads.u[0] = tension;
    const StaticEquilibrium expected = static_equilibrium(pulled, other, loads, pulled.neutral());
    EXPECT_LT((found.q - expected.q).norm(), 1e-7) << wound;
    // its stiffness resists what moves it: the tangent has k a a^T more
    EXPECT_GT(found.smallest_stiffness, expected.smallest_stiffness);
  }
}

// .. and in motion, at any state.
TEST(LengthDrive, AcceleratesAsTheSameTension) {
  const Model model(driven_arm()), pulled(pulled_arm());
  Data data(model);
  RobotSystem system(model, {}), same(pulled, {});
  test::Random random(11);
  for (int trial = 0; trial < 5; ++trial) {
    const auto state = test::random_state(model, random);
    const VectorXd q = 0.2 * state.q, none = start_of_auxiliary(model);
    const double y = shortening(model, data, q)[0];
    const double wound = y + 0.002 * trial, tension = k_drive.pretension + k_drive.stiffness * (wound - y);
    system.held_inputs() = Eigen::Vector2d(wound, 0.2), same.held_inputs() = Eigen::Vector2d(tension, 0.2);
    VectorXd a(model.nv()), expected(model.nv()), rate(none.size()), expected_rate(none.size());
    system.rates(0.0, q, state.v, none, a, rate);
    same.rates(0.0, q, state.v, none, expected, expected_rate);
    EXPECT_LT((a - expected).norm(), 1e-10 * expected.norm()) << trial;
    EXPECT_NEAR(rate[RobotSystem::input], expected_rate[RobotSystem::input], 1e-10 * expected_rate.norm());
  }
}

// Stiffer and stiffer it is a tendon of given length: the equilibrium under the constraint y(q) = u, whose multiplier
// is the tension. The difference is tension / stiffness, so that it falls like 1 / k.
TEST(LengthDrive, StiffLimitIsTheConstrainedEquilibrium) {
  const Model free_model(pulled_arm());
  Data data(free_model);
  const int n = free_model.nv();
  const double wound = 0.03;
  VectorXd q = VectorXd::Zero(n);
  double lambda = 0.0;
  const auto residual = [&](const VectorXd& x, double force) -> VectorXd {
    VectorXd r(n + 1);
    const VectorXd held = elastic_force<double>(free_model, data, x);
    const VectorXd weight = gravity_force<double>(free_model, data, x);
    r.head(n) = held + weight - force * actuation_matrix<double>(free_model, data, x).col(0);
    r[n] = shortening(free_model, data, x)[0] - wound;
    return r;
  };
  for (int iteration = 0; iteration < 30; ++iteration) {  // Newton's method with differences: nothing of the library's
    const VectorXd r = residual(q, lambda);
    MatrixXd J(n + 1, n + 1);
    for (int k = 0; k <= n; ++k) {
      VectorXd low = q, high = q;
      const double h = 1e-6;
      if (k < n) low[k] -= h, high[k] += h;
      J.col(k) = (residual(high, lambda + (k == n ? h : 0.0)) - residual(low, lambda - (k == n ? h : 0.0))) / (2.0 * h);
    }
    const VectorXd step = J.fullPivLu().solve(r);
    q -= step.head(n), lambda -= step[n];
    if (step.norm() < 1e-12) break;
  }
  ASSERT_LT(residual(q, lambda).norm(), 1e-8);
  ASSERT_GT(lambda, 1.0);
  double last = 0.0;
  for (const double stiffness : {1e5, 1e6, 1e7}) {
    const Model model(driven_arm({.stiffness = stiffness, .pretension = 0.0}));
    Data own(model);
    StaticLoads loads;
    loads.u = Eigen::Vector2d(wound, 0.0);
    const StaticEquilibrium found = static_equilibrium(model, own, loads, model.neutral());
    const double tension = stiffness * (wound - shortening(model, own, found.q)[0]);
    const double error = (found.q - q).norm();
    EXPECT_NEAR(tension, lambda, 30.0 * lambda * 1e3 / stiffness) << stiffness;
    if (last > 0.0) {
      EXPECT_NEAR(last / error, 10.0, 0.5) << stiffness;
    }
    last = error;
  }
  EXPECT_LT(last, 1e-4 * q.norm());
}

// Slack it does nothing: rest, motion and energies are those of the robot without it.
TEST(LengthDrive, SlackDoesNothing) {
  const Model model(driven_arm({.stiffness = 3e3, .pretension = -500.0})), bare(arm_without_tendon());
  Data data(model), other(bare);
  StaticLoads loads, without;
  loads.u = Eigen::Vector2d(0.01, 0.3), without.u = VectorXd::Constant(1, 0.3);
  const VectorXd rest = static_equilibrium(model, data, loads, model.neutral()).q;
  EXPECT_LT((rest - static_equilibrium(bare, other, without, bare.neutral()).q).norm(), 1e-9);
  for (const char* type : {"bdf", "erk", "newmark"}) {
    Scenario s;
    s.duration = 0.3, s.output_step = 0.05, s.integrator.type = type;
    s.initial["arm"] = {{0.2}, {0.5}};
    Scenario driven = s;
    driven.inputs = {{"cable", Signal(0.01)}};
    MemoryRecorder found, expected;
    Simulator(model, driven).run({&found}), Simulator(bare, s).run({&expected});
    ASSERT_EQ(found.samples().size(), expected.samples().size());
    for (std::size_t i = 0; i < found.samples().size(); ++i) {
      EXPECT_LT((found.samples()[i].q - expected.samples()[i].q).norm(), 1e-12) << type;
      EXPECT_EQ(found.samples()[i].element_outputs[0], 0.0);
      EXPECT_NEAR(found.samples()[i].input, expected.samples()[i].input, 1e-12);
    }
  }
}

// A winch winds and pays out through slack: all methods agree, and the account of energy closes.
TEST(LengthDrive, RunsThroughSlackWithEveryMethod) {
  const Model model(driven_arm());
  Scenario s;
  s.duration = 0.6, s.output_step = 0.02;
  s.inputs = {{"cable", Signal::sine(0.01, 2.0, 0.0, 0.0)}};
  MemoryRecorder reference;
  s.integrator.type = "bdf", s.integrator.relative_tolerance = 1e-10, s.integrator.absolute_tolerance = 1e-12;
  Simulator(model, s).run({&reference});
  double least = 1.0, most = 0.0;
  for (const Sample& sample : reference.samples()) {
    least = std::min(least, sample.element_outputs[0]), most = std::max(most, sample.element_outputs[0]);
    Data data(model);
    EXPECT_NEAR(sample.y[0], shortening(model, data, sample.q)[0], 1e-14);
  }
  EXPECT_EQ(least, 0.0);
  EXPECT_GT(most, 3.0);
  for (const char* type : {"erk", "bdf", "newmark", "hht", "generalized_alpha", "midpoint", "energy_conserving"}) {
    Scenario other = s;
    other.integrator = {.type = type, .relative_tolerance = 1e-6, .absolute_tolerance = 1e-8};
    MemoryRecorder found;
    const Outcome outcome = Simulator(model, other).run({&found});
    ASSERT_EQ(outcome.status, RunStatus::complete) << type << ": " << outcome.message;
    double error = 0.0;
    for (std::size_t i = 0; i < found.samples().size(); ++i) {
      error = std::max(error, (found.samples()[i].q - reference.samples()[i].q).norm());
    }
    EXPECT_LT(error, 2e-3) << type;
    EXPECT_LT(outcome.energy_error, 0.02 * (outcome.peak_kinetic + std::abs(found.samples().back().input))) << type;
  }
}

// Derivatives of the residual, taut, within the rounding and slack, by central differences.
TEST(LengthDrive, ResidualHasItsDerivatives) {
  const Model model(driven_arm({.stiffness = 3e3, .pretension = 0.0, .range = 2.0}));
  Data data(model);
  RobotSystem system(model, {});
  test::Random random(5);
  for (const double taut : {20.0, 0.7, -20.0}) {
    const auto state = test::random_state(model, random);
    const VectorXd q = 0.2 * state.q, start = start_of_auxiliary(model);
    system.held_inputs() = Eigen::Vector2d(shortening(model, data, q)[0] + taut / 3e3, 0.1);
    const DerivativeData& d = system.residual_derivatives(0.0, q, state.v, state.a, {start}, VectorXd());
    const MatrixXd by_q = d.by_q, by_v = d.by_v;
    VectorXd low(model.nv()), high(model.nv()), rate(start.size());
    const double h = 1e-6;
    for (int k = 0; k < model.nv(); ++k) {
      const VectorXd e = h * VectorXd::Unit(model.nv(), k);
      system.residual(0.0, q - e, state.v, state.a, {start}, low, rate);
      system.residual(0.0, q + e, state.v, state.a, {start}, high, rate);
      EXPECT_LT(((high - low) / (2.0 * h) - by_q.col(k)).norm(), 2e-6 * by_q.norm()) << taut << ", coordinate " << k;
      system.residual(0.0, q, state.v - e, state.a, {start}, low, rate);
      system.residual(0.0, q, state.v + e, state.a, {start}, high, rate);
      EXPECT_LT(((high - low) / (2.0 * h) - by_v.col(k)).norm(), 2e-6 * (by_v.norm() + 1.0)) << taut << ", " << k;
    }
  }
}

TEST(LengthDrive, RefusesNumbersAndCombinationsThatMeanNothing) {
  const auto trouble = [](const LengthDrive& drive) -> std::string {
    try {
      make_length_driven_tendon<double>("cable", routing(), drive);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(trouble({.stiffness = 0.0}), "stiffness: found 0, expected a number > 0 [N/m]");
  EXPECT_EQ(trouble({.stiffness = 1.0, .range = -1.0}), "range: found -1, expected a number > 0 [N]");
  EXPECT_EQ(trouble({.stiffness = 1.0, .pretension = std::nan("")}), "pretension: found nan, expected a number [N]");
  Robot robot = driven_arm();
  robot.actuators[1].law = robot.actuators[0].law;  // a motor on a spring is fine
  EXPECT_EQ(Model(robot).input_info()[1].unit, "m");
  robot.actuators[1] = Actuator::wrench("jets", {"rod"});
  robot.actuators[1].law = robot.actuators[0].law;
  try {
    const Model refused(robot);
    FAIL() << "accepted";
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), "actuator 'jets': law.inputs: found 1 names, expected 6, one an effort of a wrench");
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
