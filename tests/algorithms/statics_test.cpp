// Equilibria with known answers.

#include "cuttle/algorithms/statics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "algorithms/unit_rod.h"
#include "cuttle/algorithms/held_equilibrium.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/io/robot_file.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

TEST(StaticsTest, CantileverUnderATipForceIsTheElastica) {
  // P L^2 / EI, and the tip's deflection and shortening over L, by elliptic integrals (Mattiasson 1981, table 1)
  const double known[][3] = {
      {1.0, 0.30172, 0.05643}, {2.0, 0.49346, 0.16064}, {5.0, 0.71379, 0.38763}, {10.0, 0.81061, 0.55500}};
  const Model model(unit_rod(1.0, 8, 20));
  Data data(model);
  for (const auto& [load, across, along] : known) {
    const auto found =
        static_equilibrium(model, data, tip_load(model, {{}, {load, 0.0, 0.0}}, Axes::world), model.neutral());
    const Vector3 p = tip(model, data, found.q);
    EXPECT_NEAR(p.x, across, 1e-5) << load;
    EXPECT_NEAR(1.0 - p.z, along, 1e-5) << load;
    EXPECT_TRUE(found.stable());
    EXPECT_LT(found.residual, 1e-9);
  }
}

TEST(StaticsTest, AMomentRollsABeamIntoACircle) {
  const double length = 3.0;
  const Model model(unit_rod(length, 3, 20));
  Data data(model);
  const Wrench moment{{0.0, 2.0 * std::numbers::pi / length, 0.0}, {}};
  double done = 0.0;
  int steps = 0;
  const auto found =
      static_equilibrium(model, data, tip_load(model, moment, Axes::body), model.neutral(), [&](double part) {
        EXPECT_GT(part, done);
        done = part;
        ++steps;
      });
  EXPECT_EQ(done, 1.0);
  EXPECT_EQ(steps, found.load_steps);
  const Vector3 p = tip(model, data, found.q);
  EXPECT_NEAR(norm(p), 0.0, 1e-9);
  EXPECT_NEAR(found.q[4], 2.0 * std::numbers::pi, 1e-9);  // the constant mode of kappa_y
}

TEST(StaticsTest, TheBendOfBatheAndBolourchiTendsToThePublishedTip) {
  // an eighth of a circle of radius 100 in the y-z plane, square section 1 x 1, E = 1e7, G = E/2, pushed out of its
  // plane
  const double radius = 100.0, length = radius * std::numbers::pi / 4.0;
  const auto tip_under = [&](double force, int order, int points) {
    RodParameters p;
    p.length = length;
    p.section.shape = Section::Shape::rectangle;
    p.section.width = p.section.height = Profile(1.0);
    p.material = {.density = 1.0, .young_modulus = 1e7, .poisson_ratio = 0.0};
    p.torsion_constant = TorsionConstant::polar;  // as the published tips have it: 0.3 away otherwise
    p.quadrature_points = points;
    p.rest_strain[kappa_x] = Profile(-1.0 / radius);  // towards +y
    for (int component = 0; component < 6; ++component) {
      p.strain[component] = StrainBasis::of_order(StrainBasis::Kind::legendre, order);
    }
    p.rest_strain[sigma_z] = Profile(1.0);
    Robot robot;
    robot.gravity = {};
    robot.links.push_back({.name = "rod", .body = std::make_shared<RodBody>(p)});
    const Model model(robot);
    Data data(model);
    const auto found =
        static_equilibrium(model, data, tip_load(model, {{}, {force, 0.0, 0.0}}, Axes::world), model.neutral());
    return tip(model, data, found.q);
  };
  const Vector3 rest = tip_under(0.0, 0, 4);
  EXPECT_NEAR(rest.y, 29.29, 0.01);
  EXPECT_NEAR(rest.z, 70.71, 0.01);
  // Simo and Vu-Quoc 1986, table 5 (x, y, z there: 70.71 along, 29.29 in the plane, out of the plane)
  const double published[][4] = {
      {300.0, 40.08, 22.33, 58.84}, {450.0, 48.39, 18.62, 52.32}, {600.0, 53.37, 15.79, 47.23}};
  for (const auto& [force, x, y, z] : published) {
    const Vector3 p = tip_under(force, 5, 16);
    EXPECT_NEAR(p.x, x, 0.15) << force;
    EXPECT_NEAR(p.y, y, 0.15) << force;
    EXPECT_NEAR(p.z, z, 0.15) << force;
  }
  // modes and points refined together converge
  const Vector3 fine = tip_under(600.0, 8, 24);
  const auto distance = [&](const Vector3& p) { return norm(p - fine); };
  const double coarse_error = distance(tip_under(600.0, 2, 8)), middle_error = distance(tip_under(600.0, 4, 12));
  EXPECT_LT(middle_error, 0.2 * coarse_error);
  EXPECT_LT(middle_error, 1e-2);
}

TEST(StaticsTest, AColumnBuckles) {
  // clamped and free: pi^2/4 EI / L^2
  const Model model(unit_rod(1.0, 6, 16));
  Data data(model);
  const double critical = std::numbers::pi * std::numbers::pi / 4.0;
  const auto rest_under = [&](double part) {
    return static_equilibrium(model, data, tip_load(model, {{}, {0.0, 0.0, -part * critical}}, Axes::world),
                              model.neutral());
  };
  const auto straight = rest_under(0.99);
  EXPECT_LT(straight.q.norm(), 1e-9);
  EXPECT_TRUE(straight.stable());
  // beyond, the column aside: to any side, so that it moves freely about its axis
  const auto bent = rest_under(1.5);
  EXPECT_EQ(bent.stability, Stability::neutral);
  EXPECT_TRUE(bent.by_path);
  const Vector3 p = tip(model, data, bent.q);
  // of the elastica: K(k) = pi/2 sqrt(1.5) for k = 0.758541, x = 2 k / K, z = 2 E(k) / K - 1
  const double k = 0.758541, K = std::comp_ellint_1(k);
  EXPECT_NEAR(K, 0.5 * std::numbers::pi * std::sqrt(1.5), 1e-5);
  EXPECT_NEAR(std::hypot(p.x, p.y), 2.0 * k / K, 1e-5);
  EXPECT_NEAR(p.z, 2.0 * std::comp_ellint_2(k) / K - 1.0, 1e-5);
}

TEST(StaticsTest, SaysHowFarItGotAndWhere) {
  // a tip that is pushed without end has no equilibrium: nothing holds the slide
  Robot robot = unit_rod(1.0, 1, 4);
  robot.links[0].joint = make_prismatic_joint<double>({0, 0, 1});
  const Model model(robot);
  Data data(model);
  try {
    static_equilibrium(model, data, tip_load(model, {{}, {0.0, 0.0, 1.0}}, Axes::world), model.neutral());
    FAIL();
  } catch (const StaticsError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("not even a small part of gravity, inputs and loads is balanced: "));
    EXPECT_THAT(error.what(), testing::HasSubstr("link 'rod'"));
  }
}

const char* const k_held_arm = R"(cuttle: 1
name: arm
links:
- {name: upper, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 2, com: [0, 0, -0.5], tip: {position: [0, 0, -1]}}}
- {name: fore, joint: {type: revolute, axis: [0, 1, 0], stiffness: 5}, body: {type: rigid, mass: 1, com: [0, 0, -0.3], tip: {position: [0, 0, -0.6]}}}
actuators: [{name: motor, type: joint, link: upper}]
)";

TEST(HeldEquilibriumTest, TheOthersRestAndTheForceThatHoldsIsSaid) {
  const Model arm(read_robot_text(k_held_arm, "arm.yaml"));
  Data data(arm);
  VectorXd q0(2);
  q0 << 0.7, 0.0;
  const std::vector<char> held{1, 0};
  const double g = 9.81;
  for (const double u : {0.0, 3.0}) {
    StaticLoads loads;
    loads.u = VectorXd::Constant(1, u);
    const HeldEquilibrium found = held_equilibrium(arm, data, loads, q0, held);
    const VectorXd& q = found.equilibrium.q;
    EXPECT_EQ(q[0], 0.7);
    EXPECT_NEAR(5.0 * q[1] + 0.3 * g * std::sin(q[0] + q[1]), 0.0, 1e-9);
    const double torque = 2.0 * g * 0.5 * std::sin(0.7) + g * (std::sin(0.7) + 0.3 * std::sin(0.7 + q[1]));
    EXPECT_NEAR(found.holding_force[0], torque - u, 1e-9);
    EXPECT_EQ(found.holding_force[1], 0.0);
    EXPECT_TRUE(found.equilibrium.stable());
    // of the one motion that is left
    EXPECT_NEAR(found.equilibrium.smallest_stiffness, 5.0 + 0.3 * g * std::cos(q[0] + q[1]), 1e-9);
    EXPECT_LT(found.equilibrium.residual, 1e-9);
  }
  EXPECT_THAT([&] { held_equilibrium(arm, data, {}, q0, std::vector<char>{1}); },
              testing::ThrowsMessage<ArgumentError>(testing::HasSubstr("held: found size 1, expected 2")));
}

// a parallelogram: one side is held, the loop holds the rest
TEST(HeldEquilibriumTest, LoopsCloseAroundWhatIsHeld) {
  const Model bars(read_robot_text(R"(cuttle: 1
name: bars
links:
- {name: a, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 2, com: [0, 0, -0.5], tip: {position: [0, 0, -1]}}}
- {name: b, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 1, com: [0.25, 0, 0], tip: {position: [0.5, 0, 0]}}}
- {name: c, parent: base, attach: {pose: {position: [0.5, 0, 0]}}, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 2, com: [0, 0, -0.5], tip: {position: [0, 0, -1]}}}
loops: [{name: pin, type: revolute, axis: [0, 1, 0], a: {link: b, at: tip}, b: {link: c, at: tip}}]
)",
                                   "bars.yaml"));
  Data data(bars);
  VectorXd q0(3);
  q0 << 0.4, -0.4, 0.4;
  const HeldEquilibrium found = held_equilibrium(bars, data, {}, q0, std::vector<char>{1, 0, 0});
  EXPECT_LT((found.equilibrium.q - q0).norm(), 1e-9);
  EXPECT_NEAR(found.holding_force[0], (2.0 * 0.5 + 1.0 * 1.0 + 2.0 * 0.5) * 9.81 * std::sin(0.4), 1e-8);
  EXPECT_TRUE(found.equilibrium.stable());  // nothing can move
  VectorXd apart(3);
  apart << 0.4, -0.4, 0.9;
  EXPECT_THAT(
      [&] {
        held_equilibrium(bars, data, {}, apart, std::vector<char>{1, 0, 1});
      },
      testing::ThrowsMessage<StaticsError>(testing::HasSubstr("held where the loops of 'bars' cannot be closed")));
}

TEST(StaticsTest, SaysWhatNothingHolds) {
  const Model loose(read_robot_text(R"(cuttle: 1
name: loose
links:
- {name: bar, joint: {type: revolute, axis: [0, 1, 0], stiffness: 1}, body: {type: rigid, mass: 2, com: [0, 0, -0.5]}}
- {name: slide, parent: base, joint: {type: prismatic, axis: [0, 0, 1]}, body: {type: rigid, mass: 2}}
)",
                                    "loose.yaml"));
  Data data(loose);
  EXPECT_THAT([&] { static_equilibrium(loose, data, {}, loose.neutral()); },
              testing::ThrowsMessage<StaticsError>(testing::HasSubstr(
                  "nothing holds slide.joint.v0 (link 'slide'); the largest force out of balance is ")));
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
