// Rods that touch rods, and a rod that touches itself, from their files through runs and statics, against closed forms
// and minimization.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/io/robot_file.h"
#include "simulation/rod_pairs.h"
#include "support/contact_run.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

double book(const std::vector<Sample>& samples) {
  const Sample &first = samples.front(), &last = samples.back();
  return last.energy() - first.energy() - last.input - last.load + last.dissipated;
}

// What one rod gets the other one gives: both momenta stay, and the book of energy closes.
TEST(RodContact, TwoFreeRodsKeepTheirMomentum) {
  for (const char* integrator :
       {"{type: bdf, relative_tolerance: 1e-8, absolute_tolerance: 1e-10}", "{type: generalized_alpha, step: 2e-5}",
        "{type: midpoint, step: 2e-5}", "{type: rk4, step: 1e-5}"}) {
    const ContactRun ran =
        run_contacts(free_rods("0.4"),
                     fmt::format("  duration: 0.04\n  output_step: 0.02\n  integrator: {}\n{}", integrator, k_meeting));
    const Sample &first = ran.samples.front(), &last = ran.samples.back();
    Data data(ran.model);
    const Wrench before = momentum<double>(ran.model, data, first.q, first.v);
    const Wrench after = momentum<double>(ran.model, data, last.q, last.v);
    const double size = norm(before.force) + 0.03;  // kg m/s that each has
    EXPECT_GT(last.dissipated, 1e-5) << integrator;
    EXPECT_LT(norm(after.force - before.force), 1e-5 * size) << integrator;
    EXPECT_LT(norm(after.torque - before.torque), 1e-5 * size * 0.1) << integrator;
    EXPECT_LT(std::abs(book(ran.samples)), 2e-4 * first.energy()) << integrator;
  }
}

/// The force of two straight rods that cross at right angles, their axes `apart`: the law's integral, by Simpson's
/// rule.
double crossing_force(double modulus, double radius, double apart) {
  const double reach = std::sqrt(4 * radius * radius - apart * apart), range = 1e-3 * radius;
  constexpr int k_parts = 20000;
  double sum = 0.0;
  for (int i = 0; i <= k_parts; ++i) {
    const double t = reach * (2.0 * i / k_parts - 1.0), d = 2 * radius - std::hypot(apart, t);
    const double h = d <= 0 ? 0.0 : (d < range ? 0.5 * d * d / range : d - 0.5 * range);
    // the part of a slice's force that points apart
    sum += (i == 0 || i == k_parts ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0)) * h * apart / std::hypot(apart, t);
  }
  return M_PI / 4 * modulus * sum * 2 * reach / (3.0 * k_parts);
}

// Two cantilevers that cross at right angles and press on each other: both bend as beams, F a^3 / (3 EI) each, and what
// is left of their overlap is the depth.
TEST(RodContact, CrossingBeamsPressAsBeamsAndLawSay) {
  constexpr double k_E = 5e6, k_radius = 0.004, k_arm = 0.16, k_length = 0.2, k_overlap = 1.5e-3;
  const double EI = k_E * M_PI / 4 * std::pow(k_radius, 4), modulus = k_E / (2 * (1 - 0.16));
  double low = 0.0, high = k_overlap;  // depth
  for (int i = 0; i < 100; ++i) {
    const double depth = 0.5 * (low + high), F = crossing_force(modulus, k_radius, 2 * k_radius - depth);
    (depth + 2 * F * std::pow(k_arm, 3) / (3 * EI) < k_overlap ? low : high) = depth;
  }
  const double expected = crossing_force(modulus, k_radius, 2 * k_radius - low);
  for (const int points : {7, 10, 15}) {
    const std::string body = fmt::format(
        "body: {{type: rod, length: {}, section: {{shape: circle, radius: {}}}, material: rubber, strain: {{kappa_x: "
        "{{basis: legendre, order: 5}}, kappa_y: {{basis: legendre, order: 5}}}}, quadrature: {{points: {}}}}}",
        k_length, k_radius, points);
    for (const char* sides : {"a: along, b: across", "a: across, b: along"}) {
      // one along x, the other along y and above it by less than both radii
      const std::string robot =
          fmt::format(
              "cuttle: 1\ngravity: [0, 0, 0]\nmaterials: {{rubber: {{density: 1000, young_modulus: {}, poisson_ratio: "
              "0.4, damping_time: 0.01}}}}\nlinks:\n  - {{name: along, parent: base, attach: {{pose: {{position: [{}, "
              "0, 0], rpy: [0, 1.5707963267948966, 0]}}}}, {}}}\n",
              k_E, -k_arm, body) +
          fmt::format(
              "  - {{name: across, parent: base, attach: {{pose: {{position: [0, {}, {}], rpy: [-1.5707963267948966, "
              "0, "
              "0]}}}}, {}}}\ncontacts: [{{name: cross, {}, friction: 0}}]\n",
              -k_arm, 2 * k_radius - k_overlap, body, sides);
      const ContactRun ran = run_contacts(robot, "  duration: 0.1\n  output_step: 0.1\n  initial: {statics: true}\n");
      const Sample &first = ran.samples.front(), &last = ran.samples.back();
      // deflections of 0.7 mm over 0.16 m: beams say their slopes' squares less
      EXPECT_NEAR(ran.at(first, "cross", "normal"), expected, 5e-3 * expected) << points << sides;
      EXPECT_NEAR(ran.at(first, "cross", "gap"), -low, 1e-2 * low) << points << sides;
      EXPECT_NEAR(ran.at(first, "cross", "force", 2), (sides[4] == 'l' ? -1 : 1) * expected, 5e-3 * expected) << sides;
      EXPECT_LT((last.q - first.q).norm(), 1e-6 * first.q.norm()) << points << sides;  // it rests
    }
  }
}

/// A stiff rail along x and a short rod across, which may move along x and z and weighs on it.
std::string slider(const char* sides, const char* friction, double yaw) {
  const char* stiff =
      "section: {shape: circle, radius: 0.004}, material: steel, strain: {kappa_x: constant, kappa_y: constant}";
  return fmt::format(
             "cuttle: 1\nmaterials: {{steel: {{density: 1000, young_modulus: 2.0e11, poisson_ratio: 0.3, damping_time: "
             "1.0e-4}}}}\nlinks:\n  - {{name: rail, parent: base, attach: {{pose: {{rpy: [0, 1.5707963267948966, "
             "0]}}}}, "
             "body: {{type: rod, length: 0.3, {0}, quadrature: {{points: 9}}}}}}\n"
             "  - {{name: cart, parent: base, attach: {{pose: {{position: [0.07, 0, 0.0079985]}}}}, joint: {{type: "
             "prismatic, axis: [1, 0, 0]}}, body: {{type: rigid, mass: 0.1, inertia: [1e-4, 1e-4, 1e-4, 0, 0, 0]}}}}\n"
             "  - {{name: lift, joint: {{type: prismatic, axis: [0, 0, 1]}}, body: {{type: rigid, mass: 0.2, inertia: "
             "[1e-4, 1e-4, 1e-4, 0, 0, 0]}}}}\n",
             stiff) +
         fmt::format(
             "  - {{name: slider, attach: {{pose: {{position: [0, 0.02, 0], rpy: [1.5707963267948966, 0, {}]}}}}, "
             "body: "
             "{{type: rod, length: 0.04, {}, quadrature: {{points: 5}}}}}}\n"
             "actuators: [{{name: pull, type: joint, link: cart}}]\n"
             "contacts: [{{name: rub, {}, friction: {}, modulus: 2.0e7}}]\n",
             yaw, stiff, sides, friction);
}
constexpr double k_slider_mass = 0.2 + 1000 * M_PI * 16e-6 * 0.04, k_weight = 9.81 * k_slider_mass;

TEST(RodContact, FrictionHoldsBelowTheConeWithoutCreep) {
  for (const char* sides : {"a: slider, b: rail", "a: rail, b: slider"}) {
    const double force = 0.8 * 0.5 * k_weight;
    const ContactRun ran =
        run_contacts(slider(sides, "0.5", 0.0),
                     fmt::format("  duration: 1\n  output_step: 0.5\n  initial: {{statics: true}}\n  inputs: {{pull: "
                                 "{}}}\n",
                                 force));
    const Sample &middle = ran.samples[1], &last = ran.samples.back();
    // both are as stiff as steel and swing a little
    EXPECT_LT(std::abs(last.q[2] - middle.q[2]), 5e-8) << sides;
    EXPECT_LT(last.v.norm(), 1e-4) << sides;
    EXPECT_NEAR(ran.at(last, "rub", "friction"), force, 1e-3 * force) << sides;
    EXPECT_NEAR(ran.at(last, "rub", "normal"), k_weight, 1e-3 * k_weight) << sides;
  }
}

// Beyond the cone it slides over the stations of both rods: x'' = (F - mu N) / m all along.
TEST(RodContact, SlidesWithKineticFrictionOverStations) {
  for (const char* sides : {"a: slider, b: rail", "a: rail, b: slider"}) {
    constexpr double k_friction = 0.4;
    const double force = 2.0 * k_friction * k_weight,
                 acceleration = (force - k_friction * k_weight) / (0.1 + k_slider_mass);
    const ContactRun ran =
        run_contacts(slider(sides, "0.4", 0.0),
                     fmt::format("  duration: 0.25\n  output_step: 0.05\n  integrator: {{type: generalized_alpha, "
                                 "step: 5e-5, rho_inf: 0.6}}\n  inputs: {{pull: {}}}\n",
                                 force));
    for (const Sample& s : ran.samples) {
      EXPECT_NEAR(s.q[2], 0.5 * acceleration * s.time * s.time, 0.01 * ran.samples.back().q[2]) << sides << s.time;
    }
    EXPECT_LT(std::abs(book(ran.samples)), 1e-3 * ran.samples.back().input) << sides;
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
