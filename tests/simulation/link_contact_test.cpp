// Links that touch each other, from their files through runs, against closed forms: collisions, stacks, grips, belts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <string>

#include "cuttle/io/robot_file.h"
#include "support/contact_run.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_gravity = 9.81;

constexpr double k_mass[] = {0.5, 0.2}, k_radius[] = {0.05, 0.03};
/// Two balls in free flight, the second of them a link of its own tree.
std::string balls(double friction, double dissipation) {
  const auto ball = [](const char* name, int k) {
    const double inertia = 0.4 * k_mass[k] * k_radius[k] * k_radius[k];
    return fmt::format(
        "  - {{name: {}, parent: base, joint: {{type: free}}, body: {{type: rigid, mass: {}, inertia: "
        "[{}, {}, {}, 0, 0, 0]}}, contact: {{shape: sphere, radius: {}}}}}\n",
        name, k_mass[k], inertia, inertia, inertia, k_radius[k]);
  };
  return "cuttle: 1\ngravity: [0, 0, 0]\nlinks:\n" + ball("first", 0) + ball("second", 1) +
         fmt::format("contacts: [{{name: hit, a: first, b: second, friction: {}, modulus: 1e7, dissipation: {}}}]\n",
                     friction, dissipation);
}

/// Of both balls: momentum, angular momentum about the origin, and the velocity of the second against the first.
struct Motion {
  Eigen::Vector3d momentum = Eigen::Vector3d::Zero(), angular = Eigen::Vector3d::Zero(), apart;
  explicit Motion(const Sample& s) {
    Eigen::Vector3d v[2];
    for (int k = 0; k < 2; ++k) {
      const Eigen::VectorXd q = s.q.segment(7 * k, 7), rates = s.v.segment(6 * k, 6);
      const Eigen::Quaterniond turn(q[3], q[4], q[5], q[6]);
      v[k] = turn * rates.tail<3>();
      const Eigen::Vector3d spin = turn * rates.head<3>();
      momentum += k_mass[k] * v[k];
      angular += k_mass[k] * q.head<3>().cross(v[k]) + 0.4 * k_mass[k] * k_radius[k] * k_radius[k] * spin;
    }
    apart = v[1] - v[0];
  }
};

/// Speed after over speed before: a v - ln(1 + a v) is the same, with v < 0 after.
double restitution(double speed, double a) {
  const double invariant = a * speed - std::log1p(a * speed);
  double low = 0.0, high = std::min(speed, (1.0 - 1e-12) / a);
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (-a * middle - std::log1p(-a * middle) < invariant ? low : high) = middle;
  }
  return low / speed;
}

// The invariant knows no mass, so it holds for the reduced one; momentum then says what becomes of each ball.
TEST(LinkContact, TwoBallsBounceWithTheRestitutionOfTheClosedForm) {
  constexpr double k_dissipation = 0.2;
  const Eigen::Vector3d along = Eigen::Vector3d(2, -1, 2) / 3;
  for (const double speed : {0.3, 1.0, 3.0}) {
    const Eigen::Vector3d place = (k_radius[0] + k_radius[1]) * 1.02 * along, v = -speed * along;
    const ContactRun ran = run_contacts(
        balls(0.5, k_dissipation),
        fmt::format("  duration: {0}\n  output_step: {0}\n  integrator: {{type: bdf, relative_tolerance: 1e-8}}\n"
                    "  initial:\n    second: {{q: [{1}, {2}, {3}, 1, 0, 0, 0], v: [0, 0, 0, {4}, {5}, {6}]}}\n",
                    0.01 / speed + 0.02, place[0], place[1], place[2], v[0], v[1], v[2]));
    const Motion before(ran.samples.front()), after(ran.samples.back());
    EXPECT_NEAR(after.apart.dot(along) / speed, restitution(speed, k_dissipation), 1e-6) << speed;
    EXPECT_LT((after.momentum - before.momentum).norm(), 1e-12 * before.momentum.norm()) << speed;
    EXPECT_LT(after.angular.norm(), 1e-9 * before.momentum.norm() * k_radius[0]);
  }
}

// With friction and spin: what one ball gets the other one loses, also of spin and of what moves about the origin.
TEST(LinkContact, TwoBallsKeepTheirMomentumInAnObliqueBounce) {
  const std::string start =
      "  initial:\n    first: {q: [0.01, 0, 0, 0.5, 0.5, 0.5, 0.5], v: [10, -20, 5, 0.1, 0, 0]}\n"
      "    second: {q: [0.05, 0.05, 0.055, 0.6, 0.8, 0, 0], v: [-30, 10, 40, -0.2, -0.848, 0.664]}\n";
  for (const char* integrator :
       {"{type: bdf, relative_tolerance: 1e-9}", "{type: erk, relative_tolerance: 1e-9}", "{type: rk4, step: 5e-6}",
        "{type: generalized_alpha, step: 1e-5}", "{type: midpoint, step: 1e-5}"}) {
    const ContactRun ran = run_contacts(
        balls(0.4, 0.3), fmt::format("  duration: 0.04\n  output_step: 0.04\n  integrator: {}\n", integrator) + start);
    const Motion before(ran.samples.front()), after(ran.samples.back());
    EXPECT_GT((after.apart - before.apart).norm(), 0.5) << integrator;  // they met
    EXPECT_LT((after.momentum - before.momentum).norm(), 2e-5 * k_mass[1]) << integrator;
    EXPECT_LT((after.angular - before.angular).norm(), 2e-5 * k_mass[1] * k_radius[0]) << integrator;
    const Sample &first = ran.samples.front(), &last = ran.samples.back();
    EXPECT_GT(last.dissipated, 0.01 * first.energy());
    EXPECT_NEAR(last.energy() + last.dissipated, first.energy(), 1e-4 * first.energy()) << integrator;
  }
}

std::string box(const std::string& name, const std::string& place, double mass, double x, double y, double z,
                const std::string& more = "joint: {type: free}") {
  const double m = mass / 12;
  return fmt::format(
      "  - {{name: {}, parent: base, attach: {{pose: {{position: {}}}}}, {}, body: {{type: rigid, mass: {}, "
      "inertia: [{}, {}, {}, 0, 0, 0]}}, contact: {{shape: box, size: [{}, {}, {}]}}}}\n",
      name, place, more, mass, m * (y * y + z * z), m * (x * x + z * z), m * (x * x + y * y), x, y, z);
}

// A box on a box on the ground: each contact carries what is above it, and nothing creeps.
TEST(LinkContact, AStackRestsOnItself) {
  const std::string robot = "cuttle: 1\nlinks:\n" + box("lower", "[0, 0, 0.05]", 0.4, 0.1, 0.12, 0.1) +
                            box("upper", "[0.01, 0, 0.13]", 0.3, 0.06, 0.05, 0.06) +
                            "obstacles: [{name: ground, shape: plane}]\ncontacts:\n"
                            "  - {name: rest, a: lower, b: ground, modulus: 1e7}\n"
                            "  - {name: pile, a: upper, b: lower, modulus: 1e7}\n";
  const ContactRun ran = run_contacts(robot, "  duration: 1\n  output_step: 0.5\n  initial: {statics: true}\n");
  const Sample &first = ran.samples.front(), &last = ran.samples.back();
  EXPECT_NEAR(ran.last("pile", "normal"), 0.3 * k_gravity, 1e-6);
  EXPECT_NEAR(ran.last("rest", "normal"), 0.7 * k_gravity, 1e-6);
  EXPECT_NEAR(ran.last("pile", "force", 2), 0.3 * k_gravity, 1e-6);  // on a, the upper one
  EXPECT_LT((last.q - first.q).norm(), 1e-9);
  EXPECT_LT(last.v.norm(), 1e-9);
}
// The other way around, the force is that on the lower one.
TEST(LinkContact, SidesChangePlacesWithTheirForces) {
  for (const bool turned : {false, true}) {
    const std::string robot = "cuttle: 1\nlinks:\n" +
                              box("lower", "[0, 0, 0.05]", 0.4, 0.1, 0.12, 0.1,
                                  "joint: {type: prismatic, axis: [0, 0, 1], stiffness: [1e4]}") +
                              box("upper", "[0.01, 0, 0.13]", 0.3, 0.06, 0.05, 0.06) +
                              fmt::format("contacts: [{{name: pile, a: {}, b: {}, modulus: 1e7}}]\n",
                                          turned ? "lower" : "upper", turned ? "upper" : "lower");
    const ContactRun ran = run_contacts(robot, "  duration: 0.1\n  output_step: 0.1\n  initial: {statics: true}\n");
    EXPECT_NEAR(ran.last("pile", "normal"), 0.3 * k_gravity, 1e-6) << turned;
    EXPECT_NEAR(ran.last("pile", "force", 2), (turned ? -0.3 : 0.3) * k_gravity, 1e-6) << turned;
    EXPECT_NEAR(ran.samples.back().q[0], -0.7 * k_gravity / 1e4, 1e-9) << turned;
  }
}

// A block on a belt, a link that a motor moves at even speed: friction takes it along, m v' = mu m g until it has the
// belt's speed.
TEST(LinkContact, ABeltTakesABlockAlong) {
  constexpr double k_friction = 0.3, k_speed = 0.5;
  const std::string robot =
      "cuttle: 1\nlinks:\n" +
      box("belt", "[0, 0, -0.02]", 1.0, 2.0, 0.2, 0.04, "joint: {type: prismatic, axis: [1, 0, 0]}") +
      box("block", "[0, 0, 0.0199986]", 0.5, 0.1, 0.1, 0.04) +
      fmt::format("contacts: [{{name: ride, a: block, b: belt, friction: {}, modulus: 1e7, rounding: 2e-4}}]\n",
                  k_friction);
  const double sliding = k_speed / (k_friction * k_gravity);
  const ContactRun ran = run_contacts(
      robot,
      fmt::format(
          "  duration: 0.3\n  output_step: 0.01\n  integrator: {{type: generalized_alpha, step: 5e-4, rho_inf: 0.6}}\n"
          "  motion:\n    belt: [{{type: ramp, start: 0, end: 1, from: 0, to: {}}}]\n",
          k_speed));
  for (const Sample& s : ran.samples) {
    const double t = std::min(s.time, sliding),
                 expected = 0.5 * k_friction * k_gravity * t * t + k_speed * (s.time - t);
    EXPECT_NEAR(s.q[1], expected, 2e-4) << s.time;
  }
  EXPECT_NEAR(ran.samples.back().v[4], k_speed, 1e-4);
  const Sample& last = ran.samples.back();  // the motor's work is the block's energy and as much again in friction
  EXPECT_NEAR(last.dissipated, 0.25 * k_speed * k_speed, 0.01 * 0.25 * k_speed * k_speed);
}

/// A box between two flat fingers of a hand that goes up and down, each pressed on it by a force. It stands on a table
/// that goes away.
class Grip {
 public:
  static constexpr double k_mass = 0.1, k_friction = 0.4, k_amplitude = 0.02, k_frequency = 3.0;
  static double shake() { return k_amplitude * std::pow(2 * M_PI * k_frequency, 2); }  ///< largest acceleration
  static double least(double acceleration) { return k_mass * (k_gravity + acceleration) / (2 * k_friction); }

  /// How far the box moves up against the hand in the last second.
  static double slipped(double force, bool shaken) {
    const auto finger = [](const char* name, double side) {
      return fmt::format(
          "  - {{name: {}, parent: hand, attach: {{pose: {{position: [{}, 0, 0]}}}}, joint: {{type: prismatic, axis: "
          "[1, 0, "
          "0], damping: [20]}}, body: {{type: rigid, mass: 0.02, inertia: [1e-5, 1e-5, 1e-5, 0, 0, 0]}}, contact: "
          "{{shape: box, size: [0.01, 0.03, 0.03]}}}}\n",
          name, side * 0.026);
    };
    const std::string robot =
        "cuttle: 1\nlinks:\n"
        "  - {name: hand, parent: base, joint: {type: prismatic, axis: [0, 0, 1]}, body: {type: rigid, mass: 0.3, "
        "inertia: [1e-4, 1e-4, 1e-4, 0, 0, 0]}}\n" +
        finger("left", -1) + finger("right", 1) + box("cube", "[0, 0, 0]", k_mass, 0.04, 0.05, 0.06) +
        "actuators: [{name: push, type: joint, link: left}, {name: pull, type: joint, link: right}]\n"
        "obstacles: [{name: table, shape: plane, pose: {position: [0, 0, -0.03]}, motion: {position: [0, 0, {type: "
        "cubic, start: 0.2, end: 0.3, from: 0, to: -0.2}]}}]\n" +
        fmt::format(
            "contacts:\n  - {{name: grip, a: [left, right], b: cube, friction: {}, modulus: 1e6}}\n"
            "  - {{name: rest, a: cube, b: table, modulus: 1e6}}\n",
            k_friction);
    const ContactRun ran = run_contacts(
        robot,
        fmt::format(
            "  duration: 1.5\n  output_step: 0.1\n  integrator: {{type: generalized_alpha, step: 1e-3, rho_inf: 0.6}}\n"
            "  inputs: {{push: {0}, pull: -{0}}}\n"
            "  motion:\n    hand: [{1}]\n",
            force,
            shaken ? fmt::format("{{type: sine, amplitude: {}, frequency: {}, phase: 0}}", k_amplitude, k_frequency)
                   : "0"));
    const auto apart = [](const Sample& sample) { return sample.q[5] - sample.q[0]; };
    return apart(ran.samples.back()) - apart(ran.samples[5]);  // the table is gone
  }
};

TEST(LinkContact, AGripHoldsFromTheLeastSqueezeOn) {
  EXPECT_NEAR(Grip::slipped(1.02 * Grip::least(0.0), false), 0.0, 1e-3);
  EXPECT_LT(Grip::slipped(0.97 * Grip::least(0.0), false), -0.01);
  const double shaken = Grip::least(Grip::shake());
  EXPECT_NEAR(Grip::slipped(1.05 * shaken, true), 0.0, 1e-3);
  EXPECT_LT(Grip::slipped(0.85 * shaken, true), -0.005);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
