// A snake of rigid links with given joint angles on anisotropic friction, against an integration of its momenta that
// shares nothing with the library: neither its dynamics nor bristles. And a thin yawed cable that is dropped level.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/simulator.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Eigen::Vector2d;

constexpr int k_links = 8;
constexpr double k_length = 0.05, k_mass = 0.02, k_inertia = 5e-6, k_radius = 0.01;
constexpr double k_amplitude = 0.5, k_frequency = 1.0, k_lag = 0.8;  // of joint angles: rad, Hz, rad a joint
constexpr double k_forward = 0.2, k_backward = 0.3, k_sideways = 0.6;

struct Angle {
  double value, rate;
};
/// Of joint i, 1 .. k_links - 1.
Angle angle(int i, double time) {
  const double phase = 2 * std::numbers::pi * k_frequency * time - k_lag * i;
  return {k_amplitude * std::sin(phase), k_amplitude * 2 * std::numbers::pi * k_frequency * std::cos(phase)};
}

/// The snake in the plane: of its mass center and the heading of its first link; linear and angular momentum.
struct PlaneSnake {
  double weight;  ///< elastic normal force of a link [N]
  Vector2d center = Vector2d::Zero(), momentum = Vector2d::Zero();
  double heading = 0.0, spin = 0.0;

  struct Rates {
    Vector2d center, momentum;
    double heading, spin;
  };
  /// Whole normal force over the elastic one: a bent bristle adds to it, by the coefficient in its direction.
  static double whole(double mu) {
    const double share = std::max(0.8, 2.2 * k_sideways * k_sideways);
    return 2.0 / (1.0 + std::sqrt(1.0 - 2.0 / (3.0 * share) * mu * mu));
  }
  static Vector2d turned(const Vector2d& x) { return {-x.y(), x.x()}; }

  Rates rates(double time) const {
    // directions and angles of links, the first at heading 0 and at rest
    std::array<Vector2d, k_links> along, place, speed;
    std::array<double, k_links> turn{};
    double sum = 0.0, sum_rate = 0.0;
    Vector2d joint = Vector2d::Zero(), joint_rate = Vector2d::Zero(), middle = Vector2d::Zero(), drift = middle;
    for (int i = 0; i < k_links; ++i) {
      if (i > 0) sum += angle(i, time).value, sum_rate += angle(i, time).rate;
      along[i] = {std::cos(sum), std::sin(sum)}, turn[i] = sum_rate;
      const Vector2d half = 0.5 * k_length * along[i], half_rate = sum_rate * turned(half);
      place[i] = joint + half, speed[i] = joint_rate + half_rate;
      joint += 2 * half, joint_rate += 2 * half_rate;
      middle += place[i] / k_links, drift += speed[i] / k_links;
    }
    double moment_of_inertia = 0.0, internal = 0.0;
    for (int i = 0; i < k_links; ++i) {
      const Vector2d arm = place[i] - middle;
      moment_of_inertia += k_mass * arm.squaredNorm() + k_inertia;
      internal += k_mass * turned(arm).dot(speed[i] - drift) + k_inertia * turn[i];
    }
    const double rate = (spin - internal) / moment_of_inertia;
    const Eigen::Matrix2d R = Eigen::Rotation2Dd(heading).toRotationMatrix();
    Rates result{momentum / (k_links * k_mass), Vector2d::Zero(), rate, 0.0};
    for (int i = 0; i < k_links; ++i) {
      const Vector2d arm = R * (place[i] - middle), axis = R * along[i];
      const Vector2d v = result.center + R * (speed[i] - drift) + rate * turned(arm);
      // most dissipation under |D f| <= N: f = -N M^2 v / |M v|, M the coefficients
      const double ahead = axis.dot(v), aside = turned(axis).dot(v), mu = ahead > 0 ? k_forward : k_backward;
      const double size = std::sqrt(std::pow(mu * ahead, 2) + std::pow(k_sideways * aside, 2) + 1e-10);
      const Vector2d part = (mu * mu * ahead * axis + k_sideways * k_sideways * aside * turned(axis)) / size;
      const Vector2d force = -weight * whole(part.norm()) * part;
      result.momentum += force, result.spin += turned(arm).dot(force);
    }
    return result;
  }
  void step(double time, double h) {
    const auto moved = [this](const Rates& r, double by) {
      PlaneSnake next = *this;
      next.center += by * r.center, next.momentum += by * r.momentum;
      next.heading += by * r.heading, next.spin += by * r.spin;
      return next;
    };
    const Rates a = rates(time), b = moved(a, h / 2).rates(time + h / 2), c = moved(b, h / 2).rates(time + h / 2),
                d = moved(c, h).rates(time + h);
    center += h / 6 * (a.center + 2 * b.center + 2 * c.center + d.center);
    momentum += h / 6 * (a.momentum + 2 * b.momentum + 2 * c.momentum + d.momentum);
    heading += h / 6 * (a.heading + 2 * b.heading + 2 * c.heading + d.heading);
    spin += h / 6 * (a.spin + 2 * b.spin + 2 * c.spin + d.spin);
  }
};

TEST(Snake, CrawlsAsFastAsItsMomentaSay) {
  constexpr double k_modulus = 1e7, k_depth = 5e-5, k_duration = 4.0;
  const double weight = 4.0 / 3.0 * k_modulus * std::sqrt(k_radius) * std::pow(k_depth, 1.5);
  // base axes: z and x span the ground, y points down. Slides and a turn of almost no mass, then the links along z.
  std::string links =
      R"(  - {name: ahead, joint: {type: prismatic, axis: [0, 0, 1]}, body: {type: rigid, mass: 1e-9, inertia: [1e-12, 1e-12, 1e-12, 0, 0, 0]}}
  - {name: aside, joint: {type: prismatic, axis: [1, 0, 0]}, body: {type: rigid, mass: 1e-9, inertia: [1e-12, 1e-12, 1e-12, 0, 0, 0]}}
)";
  std::string names;
  for (int i = 0; i < k_links; ++i) {
    links += fmt::format(R"(  - name: l{0}
    parent: {1}
    attach: {{pose: {{position: [0, 0, {2}]}}}}
    joint: {{type: revolute, axis: [0, 1, 0]}}
    body: {{type: rigid, mass: {3}, com: [0, 0, {4}], inertia: [{5}, {5}, {5}, 0, 0, 0]}}
    contact: {{shape: sphere, radius: {6}, pose: {{position: [0, 0, {4}]}}}}
)",
                         i, i == 0 ? "aside" : fmt::format("l{}", i - 1), i == 0 ? 0.0 : k_length, k_mass, k_length / 2,
                         k_inertia, k_radius);
    names += fmt::format("{}l{}", i == 0 ? "" : ", ", i);
  }
  const std::string robot = fmt::format(R"(cuttle: 1
gravity: [0, 0, 0]
base: {{pose: {{position: [0, 0, {}], rpy: [-1.5707963267948966, 0, 0]}}}}
links:
{}obstacles: [{{name: ground, shape: plane}}]
contacts:
  - {{name: belly, a: [{}], b: ground, modulus: {}, friction: {{forward: {}, backward: {}, sideways: {}}}}}
)",
                                        k_radius - k_depth, links, names, k_modulus, k_forward, k_backward, k_sideways);
  const Model model(read_robot_text(robot, "r.yaml"));
  Scenario scenario{.duration = k_duration, .output_step = 0.01, .integrator = {.type = "generalized_alpha"}};
  scenario.integrator.step = 1e-3;
  for (int i = 1; i < k_links; ++i) {
    scenario.motion.joints[fmt::format("l{}", i)] = {Signal::sine(k_amplitude, k_frequency, -k_lag * i, 0.0)};
  }
  MemoryRecorder memory;
  Simulator(model, scenario).run({&memory});

  PlaneSnake snake{weight};
  const double h = 2e-5;
  const auto center = [&](const Sample& s) {
    // of the sample's first link, then along the joints
    double heading = s.q[2];
    Vector2d joint(s.q[0], s.q[1]), middle = Vector2d::Zero();
    for (int i = 0; i < k_links; ++i) {
      if (i > 0) heading += s.q[2 + i];
      const Vector2d along(std::cos(heading), std::sin(heading));
      middle += (joint + 0.5 * k_length * along) / k_links;
      joint += k_length * along;
    }
    return middle;
  };
  Vector2d half_way = Vector2d::Zero();
  for (int i = 0; i < static_cast<int>(std::lround(k_duration / h)); ++i) {
    if (i == static_cast<int>(std::lround(0.5 * k_duration / h))) half_way = snake.center;
    snake.step(i * h, h);
  }
  const auto at = [&](double time) {
    return center(memory.samples()[static_cast<std::size_t>(std::lround(time / 0.01))]);
  };
  const double speed = (at(k_duration) - at(0.5 * k_duration)).norm() / (0.5 * k_duration);
  const double expected = (snake.center - half_way).norm() / (0.5 * k_duration);
  EXPECT_GT(expected, 0.005);
  EXPECT_NEAR(speed, expected, 0.02 * expected);
}

// Dropped level, 30 degrees from the axes of the world: it comes to rest, straight, and stays.
TEST(YawedCable, ComesToRestAndStays) {
  constexpr double k_thin = 0.002;
  const std::string robot = fmt::format(R"(cuttle: 1
base: {{motion: floating, pose: {{position: [0, 0, {}], rpy: [0, 1.5707963267948966, 0.5235987755982988]}}}}
materials: {{rubber: {{density: 1200, young_modulus: 2.0e6, poisson_ratio: 0.5, damping_time: 0.01}}}}
links:
  - name: cable
    body:
      type: rod
      length: 0.4
      section: {{shape: circle, radius: {}}}
      material: rubber
      strain: {{kappa_x: {{basis: legendre, order: 3}}, kappa_y: {{basis: legendre, order: 3}}, kappa_z: constant}}
      quadrature: {{points: 10}}
obstacles: [{{name: ground, shape: plane}}]
contacts: [{{name: floor, a: cable, b: ground, friction: 0.5, dissipation: 5}}]
)",
                                        k_thin + 0.005, k_thin);
  const Model model(read_robot_text(robot, "r.yaml"));
  Scenario scenario{.duration = 6.0, .output_step = 0.1, .integrator = {.type = "generalized_alpha"}};
  scenario.integrator.step = 1e-3;
  MemoryRecorder memory;
  Simulator(model, scenario).run({&memory});
  const Sample& end = memory.samples().back();
  const Sample& before = memory.samples()[memory.samples().size() - 11];
  EXPECT_LT(end.v.norm(), 1e-6);
  EXPECT_LT((end.q - before.q).norm(), 1e-6);
  // it has not gone anywhere, and is as straight as it was; frame axes: z along it, x down
  EXPECT_LT(std::hypot(end.q[1], end.q[2]), 5e-5);
  EXPECT_NEAR(std::abs(end.q[0]), 0.005, 1e-4);
  EXPECT_LT(end.q.tail(9).norm(), 0.05);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
