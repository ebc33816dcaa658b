// Frequencies, damping and stability of small motions against closed forms.

#include "cuttle/algorithms/modes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include "algorithms/first_order_motion.h"
#include "algorithms/unit_rod.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_turn = 2.0 * std::numbers::pi;

std::vector<Mode> modes_at_rest(const Model& model, const StaticLoads& loads = {}) {
  Data data(model);
  return modes(linearized_motion(model, data, loads, static_equilibrium(model, data, loads, model.neutral())));
}

/// A mass on a slide, or a bar of unit mass and length about its end, on a spring with a damper.
Robot oscillator(const std::shared_ptr<const Joint>& joint, double stiffness, double damping) {
  RigidParameters p;
  p.mass = 1.0, p.com = {0, 0, 0.5}, p.inertia = SymmetricMatrix3::diagonal(1.0 / 12, 1.0 / 12, 1e-3);
  Robot robot;
  robot.links.push_back({.name = "bar", .joint = joint, .body = std::make_shared<RigidBody>(p)});
  robot.links[0].joint_dynamics.stiffness = {stiffness};
  robot.links[0].joint_dynamics.damping = {damping};
  return robot;
}

TEST(ModesTest, ADampedOscillatorHasItsClosedForm) {
  const double k = 30.0;
  for (const double d : {0.0, 0.8, 2.0 * std::sqrt(k) * 0.99}) {
    const auto all = modes_at_rest(Model(oscillator(make_prismatic_joint<double>({1, 0, 0}), k, d)));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_NEAR(all[0].frequency(), std::sqrt(k) / k_turn, 1e-12);
    EXPECT_NEAR(all[0].damping_ratio(), d / (2.0 * std::sqrt(k)), 1e-12);
    EXPECT_EQ(all[0].shape[0], 1.0);
  }
  // creeping back without turning: two real modes
  const auto slow = modes_at_rest(Model(oscillator(make_prismatic_joint<double>({1, 0, 0}), 3.0, 4.0)));
  ASSERT_EQ(slow.size(), 2u);
  EXPECT_NEAR(slow[0].eigenvalue.real(), -1.0, 1e-12);
  EXPECT_NEAR(slow[1].eigenvalue.real(), -3.0, 1e-12);
  EXPECT_EQ(slow[0].damping_ratio(), 1.0);
}

TEST(ModesTest, AStandingBarFallsAndAFreeBodyDrifts) {
  // I = 1/3 about the end, m g l/2 = 4.905
  const double growth = std::sqrt(0.5 * 9.81 * 3.0);
  const Model standing(oscillator(make_revolute_joint<double>({0, 1, 0}), 0.0, 0.0));
  Data data(standing);
  const auto found = static_equilibrium(standing, data, {}, standing.neutral());
  EXPECT_EQ(found.stability, Stability::unstable);
  EXPECT_NEAR(found.growth_rate, growth, 1e-12);
  const Model held(oscillator(make_revolute_joint<double>({0, 1, 0}), 5.0, 0.0));
  Data held_data(held);
  EXPECT_TRUE(static_equilibrium(held, held_data, {}, held.neutral()).stable());

  Robot free = oscillator(make_prismatic_joint<double>({1, 0, 0}), 0.0, 0.0);
  free.gravity = {};
  const Model drifting(free);
  Data drift_data(drifting);
  const auto rest = static_equilibrium(drifting, drift_data, {}, drifting.neutral());
  EXPECT_EQ(rest.stability, Stability::neutral);
  EXPECT_FALSE(rest.stable());
}

/// Two masses of 1 kg on one rail: the second on the first by a spring of 30 N/m.
Robot two_on_a_rail(double ground_damping) {
  Robot robot = oscillator(make_prismatic_joint<double>({1, 0, 0}), 0.0, ground_damping);
  robot.gravity = {};
  Link second = oscillator(make_prismatic_joint<double>({1, 0, 0}), 30.0, 0.0).links[0];
  second.name = "second", second.parent.link = "bar";
  robot.links.push_back(second);
  return robot;
}

TEST(ModesTest, WhatMovesFreelyIsOneMode) {
  // without a damper the pair drifts, and swings with sqrt(2 k / m)
  const auto free = modes_at_rest(Model(two_on_a_rail(0.0)));
  ASSERT_EQ(free.size(), 2u);
  EXPECT_EQ(free[0].eigenvalue, 0.0);
  EXPECT_EQ(free[0].frequency(), 0.0);
  EXPECT_EQ(free[0].damping_ratio(), 0.0);
  EXPECT_EQ(free[0].shape[0], 1.0);
  EXPECT_NEAR(std::abs(free[0].shape[1]), 0.0, 1e-14);  // of the joint between them
  EXPECT_NEAR(free[1].frequency(), std::sqrt(60.0) / k_turn, 1e-13);
  EXPECT_EQ(free[1].damping_ratio(), 0.0);
  EXPECT_NEAR(free[1].shape[0].real() / free[1].shape[1].real(), -0.5, 1e-13);
  // a damper to the ground at the first: s (s^3 + d s^2 + 2 k s + k d) = 0, and the place is free still
  const double d = 3.0, k = 30.0;
  const auto damped = modes_at_rest(Model(two_on_a_rail(d)));
  ASSERT_EQ(damped.size(), 3u);
  EXPECT_EQ(damped[0].eigenvalue, 0.0);
  for (std::size_t i = 1; i < 3; ++i) {
    const std::complex<double> s = damped[i].eigenvalue;
    EXPECT_LT(std::abs(s * s * s + d * s * s + 2 * k * s + k * d), 1e-11) << i;
    // of the second mass: s^2 (x1 + x2) + k x2 = 0
    EXPECT_LT(std::abs(s * s * (damped[i].shape[0] + damped[i].shape[1]) + k * damped[i].shape[1]), 1e-11) << i;
  }
  EXPECT_EQ(damped[1].eigenvalue.imag(), 0.0);
  // a mass on a damper alone: it stays where it is, or slows down
  Robot slider = oscillator(make_prismatic_joint<double>({1, 0, 0}), 0.0, 4.0);
  const auto slows = modes_at_rest(Model(slider));
  ASSERT_EQ(slows.size(), 2u);
  EXPECT_EQ(slows[0].eigenvalue, 0.0);
  EXPECT_NEAR(slows[1].eigenvalue.real(), -4.0, 1e-13);
  EXPECT_EQ(slows[1].shape[0], 1.0);
}

TEST(ModesTest, AFreeRodHasSixRigidMotionsAndTheFrequenciesOfEulerAndBernoulli) {
  // roots of cos(b) cosh(b) = 1
  const double roots[] = {4.730040744862704, 7.853204624095838};
  const double length = 1.5;
  Robot robot = unit_rod(length, 10, 40, 1e-8);
  robot.floating_base = true, robot.gravity = {};
  const auto all = modes_at_rest(Model(robot));
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(all[i].eigenvalue, 0.0) << i;
    EXPECT_NEAR(all[i].shape.tail(all[i].shape.size() - 6).norm(), 0.0, 1e-12) << i;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t plane = 0; plane < 2; ++plane) {
      const double omega = all[6 + 2 * i + plane].frequency() * k_turn;
      EXPECT_NEAR(omega * length * length, roots[i] * roots[i], 1e-4 * roots[i] * roots[i]) << i;
    }
  }
}

TEST(ModesTest, ACantileverHasTheFrequenciesOfEulerAndBernoulli) {
  // roots of cos(b) cosh(b) = -1; omega = b^2 sqrt(EI / (m L^4)), in both planes
  const double roots[] = {1.8751040687119611, 4.6940911329741746, 7.8547574382376126};
  const double length = 1.5;
  const auto all = modes_at_rest(Model(unit_rod(length, 9, 40, 1e-8)));
  for (int i = 0; i < 3; ++i) {
    for (const int plane : {0, 1}) {
      const auto& mode = all[static_cast<std::size_t>(2 * i + plane)];
      EXPECT_NEAR(mode.frequency() * k_turn * length * length, roots[i] * roots[i], 1e-5 * roots[i] * roots[i]) << i;
      EXPECT_EQ(mode.damping_ratio(), 0.0);
    }
  }
  // material damping tau: eta = omega tau / 2
  RodParameters damped = unit_rod_parameters(length, 9, 40, 1e-8);
  damped.material.damping_time = 0.02;
  const auto some = modes_at_rest(Model(rod_robot(damped)));
  EXPECT_NEAR(some[0].frequency(), all[0].frequency(), 1e-6);
  EXPECT_NEAR(some[0].damping_ratio(), 0.01 * k_turn * some[0].frequency(), 1e-6);
}

/// Load P L^2 / EI of a tip force that follows the rod at which it ceases to be stable, between two others.
double flutter_load(const Model& model, double stable, double unstable) {
  Data data(model);
  while (unstable - stable > 1e-3) {
    const double load = 0.5 * (stable + unstable);
    const auto found =
        static_equilibrium(model, data, tip_load(model, {{}, {0, 0, -load}}, Axes::body), model.neutral());
    EXPECT_NE(found.stability, Stability::unknown);
    (found.stable() ? stable : unstable) = load;
  }
  return 0.5 * (stable + unstable);
}

// K = D C D of coordinates whose units differ by 1e14: beside 2e16 the smallest eigenvalue, det K / trace K, is
// rounding.
TEST(ModesTest, TheSmallestStiffnessHasTheSignOfTheVerdict) {
  const VectorXd D = Eigen::Vector2d(1e8, 1e-6);
  const auto smallest = [&](double first, double coupling) {
    Eigen::Matrix2d C;
    C << first, coupling, coupling, 1.0;
    LinearizedMotion motion;
    motion.motions = MatrixXd::Identity(2, 2), motion.damping = MatrixXd::Zero(2, 2);
    motion.stiffness = D.asDiagonal() * C * D.asDiagonal(), motion.mass = D.cwiseAbs2().asDiagonal();
    motion.state_force.resize(2, 0), motion.state_by_x.resize(0, 2), motion.state_by_rate.resize(0, 2);
    return std::pair(smallest_stiffness(motion.stiffness, motion.mass), stability_of(motion).stability);
  };
  const auto [firm, stable] = smallest(2.0, 1.0);
  EXPECT_NEAR(firm, 1e4 / 2e16, 1e-12 * firm);
  EXPECT_EQ(stable, Stability::stable);
  const auto [soft, unstable] = smallest(2.0, 1.6);
  EXPECT_NEAR(soft, -0.56e4 / 2e16, 1e-12 * std::abs(soft));
  EXPECT_EQ(unstable, Stability::unstable);
  const auto [none, neutral] = smallest(1.0, 1.0);
  EXPECT_EQ(none, 0.0);
  EXPECT_EQ(neutral, Stability::neutral);
}

// A rod that hangs on an axis along it, which nothing holds: by rounding it had -7e-35.
TEST(ModesTest, ARodThatTurnsFreelyHasNoStiffnessAgainstIt) {
  for (const double modulus : {1e4, 1e6, 1e9}) {
    const Model model(read_robot_text(fmt::format(R"(cuttle: 1
base: {{pose: {{rpy: [3.141592653589793, 0, 0]}}}}
materials: {{silicone: {{density: 1100, young_modulus: {}}}}}
links:
- {{name: axis, joint: {{type: revolute, axis: [0, 0, 1]}}}}
- name: rod
  body: {{type: rod, length: 0.1, material: silicone, section: {{shape: circle, radius: 0.005}}, strain: {{kappa_x: constant, kappa_y: {{basis: legendre, order: 2}}, sigma_z: constant}}}}
)",
                                                  modulus),
                                      "robot.yaml"));
    Data data(model);
    const auto found = static_equilibrium(model, data, {}, model.neutral());
    EXPECT_EQ(found.stability, Stability::neutral) << modulus;
    EXPECT_EQ(found.smallest_stiffness, 0.0) << modulus;
  }
}

TEST(ModesTest, BecksColumnFlutters) {
  // Beck 1952: 20.05 without damping, although the symmetric part of the stiffness is indefinite long before
  const Model undamped(unit_rod(1.0, 6, 16, 1e-7));
  Data data(undamped);
  const auto found =
      static_equilibrium(undamped, data, tip_load(undamped, {{}, {0, 0, -15.0}}, Axes::body), undamped.neutral());
  EXPECT_TRUE(found.stable());
  EXPECT_LT(found.smallest_stiffness, 0.0);
  EXPECT_NEAR(flutter_load(undamped, 15.0, 25.0), 20.05, 0.01);
  // the least internal damping takes half of it (Ziegler's paradox): 10.94
  RodParameters damped = unit_rod_parameters(1.0, 6, 16, 1e-7);
  damped.material.damping_time = 1e-4;
  EXPECT_NEAR(flutter_load(Model(rod_robot(damped)), 5.0, 20.0), 10.94, 0.01);
}

TEST(ModesTest, ARobotWithoutCoordinatesHasNone) {
  Robot robot = oscillator(make_prismatic_joint<double>({1, 0, 0}), 3.0, 0.0);
  robot.links[0].joint = make_fixed_joint<double>(), robot.links[0].joint_dynamics = {};
  const Model model(robot);
  Data data(model);
  ASSERT_EQ(model.nv(), 0);
  EXPECT_TRUE(modes(linearized_motion(model, data, {}, static_equilibrium(model, data, {}, model.neutral()))).empty());
}

TEST(ModesTest, CoordinatesWithoutMassHaveNoModes) {
  Robot robot = oscillator(make_prismatic_joint<double>({1, 0, 0}), 3.0, 0.0);
  robot.links[0].body = nullptr;
  const Model model(robot);
  Data data(model);
  const auto found = static_equilibrium(model, data, {}, model.neutral());
  EXPECT_TRUE(found.stable());  // of an energy, which is least there
  EXPECT_THROW(modes(linearized_motion(model, data, {}, found)), SingularMassError);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
