// Friction of what hops while it slides. Whatever the bounces are like, as long as it slides forward friction's impulse
// is mu times that of the normal force: v(T) = v(0) - mu (g T + w(T) - w(0)), w upward. What damps has no friction; its
// impulse c H over a touch that lasts is that of the stored energy, and nothing over a whole one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/simulator.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_gravity = 9.81, k_radius = 0.05, k_mass = 0.5, k_dissipation = 0.3;

Sample end_of(const std::string& robot, Scenario scenario, double* highest_energy = nullptr) {
  const Model model(read_robot_text(robot, "r.yaml"));
  MemoryRecorder memory;
  const Outcome outcome = Simulator(model, scenario).run({&memory});
  EXPECT_EQ(outcome.status, RunStatus::complete) << outcome.message;
  if (highest_energy != nullptr) {
    *highest_energy = 0.0;
    for (const Sample& s : memory.samples()) *highest_energy = std::max(*highest_energy, s.kinetic);
  }
  return memory.samples().back();
}

/// A ball that slides along x and z, and does not turn.
std::string slider(double modulus, double friction) {
  return fmt::format(R"(cuttle: 1
links:
  - {{name: along, joint: {{type: prismatic, axis: [1, 0, 0]}}, body: {{type: rigid, mass: 1e-3, inertia: [1e-6, 1e-6, 1e-6, 0, 0, 0]}}}}
  - name: ball
    joint: {{type: prismatic, axis: [0, 0, 1]}}
    body: {{type: rigid, mass: {}, inertia: [1e-3, 1e-3, 1e-3, 0, 0, 0]}}
    contact: {{shape: sphere, radius: {}}}
obstacles: [{{name: ground, shape: plane}}]
contacts: [{{name: floor, a: ball, b: ground, friction: {}, modulus: {}, dissipation: {}}}]
)",
                     k_mass, k_radius, friction, modulus, k_dissipation);
}

struct Method {
  const char* type;
  double step, tolerance;  ///< of the change of speed
};

class HoppingBall : public testing::TestWithParam<Method> {};

TEST_P(HoppingBall, LosesFrictionsImpulse) {
  constexpr double k_friction = 0.4, k_speed = 2.0, k_time = 0.2;
  const auto& [type, step, tolerance] = GetParam();
  for (const double modulus : {1e6, 1e8}) {
    for (const double fall : {0.02, 0.2}) {
      Scenario scenario{.duration = k_time, .output_step = k_time, .integrator = {.type = type}};
      if (step > 0.0) {
        scenario.integrator.step = step;
      } else {
        scenario.integrator.relative_tolerance = 1e-7, scenario.integrator.absolute_tolerance = 1e-10;
      }
      scenario.initial["along"] = {{0.0}, {k_speed}};
      scenario.initial["ball"] = {{k_radius + 1e-5}, {-fall}};
      const Sample end = end_of(slider(modulus, k_friction), scenario);
      // the mass of the link between is along x alone
      const double k = 4.0 / 3.0 * modulus * std::sqrt(k_radius), depth = std::max(0.0, k_radius - end.q[1]);
      const double damping = k_dissipation * 0.4 * k * std::pow(depth, 2.5);
      const double lost = k_friction / (k_mass + 1e-3) * (k_mass * (k_gravity * k_time + end.v[1] + fall) - damping);
      EXPECT_NEAR(k_speed - end.v[0], lost, tolerance * lost) << modulus << ", " << fall;
      EXPECT_GT(end.v[0], 0.5);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, HoppingBall,
                         testing::Values(Method{"bdf", 0.0, 1e-3}, Method{"erk", 0.0, 1e-3}, Method{"rk4", 2e-6, 1e-3},
                                         Method{"tsit5", 2e-6, 1e-2}, Method{"generalized_alpha", 1e-5, 5e-3},
                                         Method{"hht", 1e-5, 5e-3}),
                         [](const auto& method) { return std::string(method.param.type); });

// The touches are shorter than steps, or as long: friction of implicit steps is that of their normal forces all the
// same.
TEST(HoppingRod, SlidesAsFarAsCoulombSays) {
  constexpr double k_friction = 0.5, k_thick = 0.01;
  for (const auto& [modulus, step] : {std::pair{1.33e6, 1e-3}, {1e7, 1e-3}, {1e8, 1e-4}}) {
    for (const double gap : {1e-4, 1e-3}) {
      const std::string robot = fmt::format(R"(cuttle: 1
base: {{motion: floating, pose: {{position: [0, 0, {}], rpy: [0, 1.5707963267948966, 0]}}}}
materials:
  rubber: {{density: 1100, young_modulus: 1.0e6, poisson_ratio: 0.5, damping_time: 0.01}}
links:
  - name: body
    body: {{type: rod, length: 0.2, section: {{shape: circle, radius: {}}}, material: rubber, strain: pcc}}
obstacles: [{{name: ground, shape: plane}}]
contacts: [{{name: floor, a: body, b: ground, friction: {}, modulus: {}}}]
)",
                                            k_thick + gap, k_thick, k_friction, modulus);
      Scenario scenario{.duration = 0.4,
                        .output_step = 0.4,
                        .integrator = {.type = "generalized_alpha", .step = step, .rho_inf = 0.6}};
      scenario.initial["base"] = {{}, {0, 0, 0, 0, 0, 1}};
      const double way = 1.0 / (2.0 * k_friction * k_gravity);
      EXPECT_NEAR(end_of(robot, scenario).q[2], way, 0.015 * way) << modulus << ", " << gap;
    }
  }
}

// Steps up to half of what the stiffness allows: no energy from nowhere, and friction of the right size. A bristle that
// overshoots its cone in a stage comes back at most as fast as the surface slides.
TEST(HoppingBall, StaysTogetherNearTheLimitOfExplicitSteps) {
  constexpr double k_modulus = 1e7, k_friction = 0.5, k_speed = 2.0, k_time = 0.1, k_fall = 0.3;
  const double k = 4.0 / 3.0 * k_modulus * std::sqrt(k_radius);
  const double depth = std::pow(1.25 * k_mass * k_fall * k_fall / k, 0.4);  // of 0.4 k d^2.5 = m v^2 / 2
  // of the vibration, and of the way that bends a bristle to its end
  const double limit =
      std::min(1.4 / std::sqrt(1.5 * k * std::sqrt(depth) / k_mass), k_friction * depth / 1.2 / k_speed);
  for (const char* type : {"rk4", "tsit5"}) {
    for (const double part : {0.1, 0.25, 0.5}) {
      Scenario scenario{.duration = k_time, .output_step = k_time / 200, .integrator = {.type = type}};
      scenario.integrator.step = part * limit;
      scenario.initial["along"] = {{0.0}, {k_speed}};
      scenario.initial["ball"] = {{k_radius + 1e-5}, {-k_fall}};
      double most = 0.0;
      const Sample end = end_of(slider(k_modulus, k_friction), scenario, &most);
      const double first = 0.5 * k_mass * (k_speed * k_speed + k_fall * k_fall) + 0.5e-3 * k_speed * k_speed;
      EXPECT_LT(most, 1.01 * first) << type << ", " << part;
      const double lost = k_friction * (k_gravity * k_time + end.v[1] + k_fall);
      EXPECT_NEAR(k_speed - end.v[0], lost, 0.05 * lost) << type << ", " << part;
    }
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
