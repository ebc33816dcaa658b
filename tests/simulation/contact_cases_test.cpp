// Robots that touch, from their files through runs, against closed forms: bounces, sliding, rolling, sticking, belts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <string>

#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/simulator.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_gravity = 9.81;

std::vector<Sample> run(const std::string& robot, Scenario scenario) {
  const Model model(read_robot_text(robot, "r.yaml"));
  MemoryRecorder memory;
  const Outcome outcome = Simulator(model, scenario).run({&memory});
  EXPECT_EQ(outcome.status, RunStatus::complete) << outcome.message;
  return memory.samples();
}

IntegratorOptions tight() { return {.type = "bdf", .relative_tolerance = 1e-8}; }
IntegratorOptions stepping(const std::string& type, double step) { return {.type = type, .step = step}; }

/// Velocity of the origin of a free joint in world axes.
Vector3 world_velocity(const Sample& s) {
  const Eigen::Quaterniond turn(s.q[3], s.q[4], s.q[5], s.q[6]);
  const Eigen::Vector3d v = turn * Eigen::Vector3d(s.v.tail<3>());
  return {v.x(), v.y(), v.z()};
}

constexpr double k_ball_mass = 0.5, k_ball_radius = 0.05, k_modulus = 1e7;
std::string ball(double friction, double dissipation, double weight) {
  const double inertia = 0.4 * k_ball_mass * k_ball_radius * k_ball_radius;
  return fmt::format(R"(cuttle: 1
gravity: [0, 0, {}]
links:
  - name: ball
    joint: {{type: free}}
    body: {{type: rigid, mass: {}, inertia: [{}, {}, {}, 0, 0, 0]}}
    contact: {{shape: sphere, radius: {}}}
obstacles: [{{name: ground, shape: plane}}]
contacts: [{{name: floor, a: ball, b: ground, friction: {}, modulus: {}, dissipation: {}}}]
)",
                     -weight, k_ball_mass, inertia, inertia, inertia, k_ball_radius, friction, k_modulus, dissipation);
}

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

TEST(ContactCases, ABallBouncesWithTheRestitutionOfTheClosedForm) {
  constexpr double k_dissipation = 0.2;
  for (const double speed : {0.3, 1.0, 3.0}) {
    Scenario scenario{.duration = 0.1 * k_ball_radius / speed + 0.05, .integrator = tight()};
    scenario.output_step = scenario.duration;
    scenario.initial["ball"] = {{0, 0, 1.05 * k_ball_radius, 1, 0, 0, 0}, {0, 0, 0, 0, 0, -speed}};
    const Sample end = run(ball(0.5, k_dissipation, 0.0), scenario).back();
    EXPECT_NEAR(world_velocity(end).z / speed, restitution(speed, k_dissipation), 1e-6) << speed;
  }
}

// It keeps 5/7 of its speed, and with backspin comes back: m (v - v0) = -f t and J (w - w0) = R f t until v = R w.
TEST(ContactCases, ABallThatSlidesRollsInTheEnd) {
  constexpr double k_friction = 0.3, k_speed = 2.0, k_time = 2.5;
  const double k = 4.0 / 3.0 * k_modulus * std::sqrt(k_ball_radius);
  const double depth = std::pow(k_ball_mass * k_gravity / k, 2.0 / 3.0);
  for (const double spin : {0.0, -150.0}) {
    Scenario scenario{.duration = k_time, .output_step = k_time, .integrator = tight()};
    scenario.initial["ball"] = {{0, 0, k_ball_radius - depth, 1, 0, 0, 0}, {0, spin, 0, k_speed, 0, 0}};
    const Sample end = run(ball(k_friction, 0.2, k_gravity), scenario).back();
    const double lost = (k_speed - spin * k_ball_radius) * 2.0 / 7.0, sliding = lost / (k_friction * k_gravity);
    EXPECT_NEAR(world_velocity(end).x, k_speed - lost, 1e-5) << spin;
    EXPECT_NEAR(end.q[0], (k_speed - 0.5 * lost) * sliding + (k_speed - lost) * (k_time - sliding), 1e-4) << spin;
  }
}

/// A block on a slope, which is the plane z = 0 of axes that are turned.
class Slope {
 public:
  static constexpr double k_mass = 0.5, k_edge = 0.1, k_height = 0.04, k_rounding = 2e-4;

  Slope(double degrees, std::string friction)
      : angle_(degrees * std::numbers::pi / 180), friction_(std::move(friction)) {}

  std::string text(const std::string& motion = "") const {
    const double xx = k_mass / 12 * (k_edge * k_edge + k_height * k_height), zz = k_mass / 6 * k_edge * k_edge;
    return fmt::format(R"(cuttle: 1
gravity: [{}, 0, {}]
links:
  - name: block
    joint: {{type: free}}
    body: {{type: rigid, mass: {}, inertia: [{}, {}, {}, 0, 0, 0]}}
    contact: {{shape: box, size: [{}, {}, {}]}}
obstacles: [{{name: slope, shape: plane{}}}]
contacts: [{{name: rest, a: block, b: slope, friction: {}, modulus: {}, rounding: {}}}]
)",
                       k_gravity * std::sin(angle_), -k_gravity * std::cos(angle_), k_mass, xx, xx, zz, k_edge, k_edge,
                       k_height, motion, friction_, k_modulus, k_rounding);
  }
  /// Pressed in as its weight and friction of its bottom press its four corners.
  InitialState start(double coefficient) const {
    const double weight = k_mass * k_gravity, normal = weight * std::cos(angle_);
    const double friction = std::min(weight * std::sin(angle_), coefficient * normal);
    const double arm = k_edge / 2 - k_rounding, k = 4.0 / 3.0 * k_modulus * std::sqrt(k_rounding);
    const double more = friction * k_height / (4 * arm) / 2;
    const double below = std::pow((normal / 4 + more) / k, 2.0 / 3.0),
                 above = std::pow((normal / 4 - more) / k, 2.0 / 3.0);
    const double turn = (below - above) / (2 * arm);
    return {{0, 0, k_height / 2 - (below + above) / 2, std::cos(turn / 2), 0, std::sin(turn / 2), 0}, {}};
  }
  double acceleration(double coefficient) const {
    return k_gravity * (std::sin(angle_) - coefficient * std::cos(angle_));
  }

 private:
  double angle_;
  std::string friction_;
};

class OnASlope : public testing::TestWithParam<const char*> {
 protected:
  IntegratorOptions integrator() const {
    const std::string type = GetParam();
    if (type == "bdf" || type == "erk") return {.type = type};
    return stepping(type, type == "rk4" ? 2e-4 : 1e-3);
  }
};

TEST_P(OnASlope, ABlockSlidesAsCoulombSays) {
  for (const auto& [degrees, coefficient] : {std::pair{30.0, 0.4}, {35.0, 0.5}, {20.0, 0.3}}) {
    const Slope slope(degrees, fmt::format("{}", coefficient));
    Scenario scenario{.duration = 1.0, .output_step = 1.0, .integrator = integrator()};
    scenario.initial["block"] = slope.start(coefficient);
    const double way = 0.5 * slope.acceleration(coefficient);
    EXPECT_NEAR(run(slope.text(), scenario).back().q[0], way, 1e-3 * way) << degrees;
  }
}

TEST_P(OnASlope, ABlockBelowTheLimitStays) {
  const Slope slope(20.0, "0.5");
  Scenario scenario{.duration = 10.0, .output_step = 1.0, .integrator = integrator()};
  scenario.statics.emplace();
  const auto samples = run(slope.text(), scenario);
  for (const Sample& s : samples) {
    EXPECT_LT(std::abs(s.q[0] - samples.front().q[0]), 1e-9) << s.time;
    EXPECT_LT(s.v.norm(), 1e-8) << s.time;
  }
}

TEST_P(OnASlope, TheLimitIsTheCoefficient) {  // atan 0.5 = 26.57 degrees
  for (const double degrees : {26.3, 26.8}) {
    const Slope slope(degrees, "0.5");
    Scenario scenario{.duration = 1.0, .output_step = 1.0, .integrator = integrator()};
    scenario.initial["block"] = slope.start(0.5);
    const double speed = world_velocity(run(slope.text(), scenario).back()).x;
    if (degrees < 26.5) {
      EXPECT_LT(std::abs(speed), 1e-4) << degrees;  // at 0.99 of the cone bristles creep until loads have settled
    } else {
      EXPECT_GT(speed, 0.5 * slope.acceleration(0.5)) << degrees;
    }
  }
}

TEST_P(OnASlope, ABeltTakesABlockAlong) {
  constexpr double k_friction = 0.3, k_belt = 0.6;
  const Slope level(0.0, fmt::format("{}", k_friction));
  Scenario scenario{.duration = 1.0, .output_step = 1.0, .integrator = integrator()};
  scenario.initial["block"] = level.start(0.0);
  const Sample end =
      run(level.text(", motion: {position: [{type: ramp, start: 0, end: 10, from: 0, to: 6}, 0, 0]}"), scenario).back();
  const double sliding = k_belt / (k_friction * k_gravity);
  EXPECT_NEAR(world_velocity(end).x, k_belt, 1e-3 * k_belt);
  EXPECT_NEAR(end.q[0], k_belt * (1.0 - 0.5 * sliding), 2e-3 * k_belt);
}

INSTANTIATE_TEST_SUITE_P(Methods, OnASlope, testing::Values("bdf", "generalized_alpha", "hht", "midpoint"),
                         [](const auto& method) { return std::string(method.param); });

TEST(ContactCases, StaticFrictionHoldsAndKineticFrictionSlides) {
  for (const double degrees : {28.0, 31.5}) {  // atan 0.6 = 30.96 degrees
    const Slope slope(degrees, "{static: 0.6, kinetic: 0.4}");
    Scenario scenario{.duration = 1.0, .output_step = 1.0, .integrator = {.type = "bdf"}};
    scenario.initial["block"] = slope.start(0.6);
    const double speed = world_velocity(run(slope.text(), scenario).back()).x;
    if (degrees < 30.0) {
      EXPECT_LT(std::abs(speed), 1e-3);
    } else {
      EXPECT_NEAR(speed, slope.acceleration(0.4), 0.03 * slope.acceleration(0.4));
    }
  }
}

// A rod along y is pulled along its axis, with less and with more than friction holds.
TEST(ContactCases, ARodIsPulledAlongItsAxis) {
  constexpr double k_radius = 0.02, k_length = 0.5, k_friction = 0.4, k_density = 1200;
  const double area = std::numbers::pi * k_radius * k_radius, mass = k_density * area * k_length;
  // pressed in by its weight: of a force k (d - range / 2) a length, range 1e-3 of the radius
  const double depth = k_density * area * k_gravity / (std::numbers::pi / 4 * 1e6) + 0.5e-3 * k_radius;
  for (const double part : {0.3, 2.0}) {
    const double pull = part * k_friction * mass * k_gravity;
    const std::string text = fmt::format(R"(cuttle: 1
base: {{motion: floating, pose: {{position: [0, 0, {}], rpy: [-1.5707963267948966, 0, 0]}}}}
materials: {{m: {{density: {}, young_modulus: 1e9, poisson_ratio: 0.3, damping_time: 0.001}}}}
links:
  - {{name: rod, body: {{type: rod, length: {}, section: {{shape: circle, radius: {}}}, material: m, strain: {{kappa_x: constant}}, quadrature: {{points: 8}}}}}}
obstacles: [{{name: ground, shape: plane}}]
loads: [{{type: distributed, link: rod, force: [0, {}, 0]}}]
contacts: [{{name: floor, a: rod, b: ground, friction: {}, modulus: 1e6}}]
)",
                                         k_radius - depth, k_density, k_length, k_radius, pull / k_length, k_friction);
    const Scenario scenario{.duration = 1.0, .output_step = 0.5, .integrator = {.type = "bdf"}};
    const double way = part < 1.0 ? 0.0 : 0.5 * (pull / mass - k_friction * k_gravity);
    EXPECT_NEAR(run(text, scenario).back().q[2], way, part < 1.0 ? 1e-5 : 2e-3 * way) << part;
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
