// An elastic rod that flies into a wall end on. The wave theory of rods: the wall pushes with E A v / c until the wave
// is back at 2 L / c, then the rod leaves with its speed. Beside it a chain of masses and springs with the same end,
// integrated here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/simulator.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_length = 0.5, k_radius = 0.01, k_density = 1200, k_young = 1e7, k_speed = 0.5, k_modulus = 1e9;
const double k_area = std::numbers::pi * k_radius * k_radius, k_wave = std::sqrt(k_young / k_density);
const double k_mass = k_density * k_area * k_length;

struct Impact {
  double impulse = 0.0, end = 0.0;  ///< [N s], [s]
};

/// A chain of n masses: its end is a half sphere at the wall.
Impact chain_impact(int n, double duration) {
  const double h = 2e-7, m = k_mass / n, k = k_young * k_area * n / k_length;
  const double stiff = 4.0 / 3.0 * k_modulus * std::sqrt(k_radius);
  std::vector<double> x(n, 0.0), v(n, -k_speed);
  Impact result;
  for (double time = 0.0; time < duration; time += h) {
    double push = x[0] < 0.0 ? stiff * std::pow(-x[0], 1.5) : 0.0;
    result.impulse += h * push;
    if (push > 0.0) result.end = time;
    for (int i = 0; i < n; ++i) {
      const double left = i == 0 ? push : -k * (x[i] - x[i - 1]), right = i + 1 < n ? k * (x[i + 1] - x[i]) : 0.0;
      v[i] += h * (left + right) / m;
    }
    for (int i = 0; i < n; ++i) x[i] += h * v[i];
  }
  return result;
}

TEST(AxialImpact, LastsAsLongAsTheWaveTravels) {
  const double travel = 2.0 * k_length / k_wave, force = k_young * k_area * k_speed / k_wave;
  // its z axis looks away from the wall x = 0
  const std::string robot = fmt::format(R"(cuttle: 1
gravity: [0, 0, 0]
base: {{motion: floating, pose: {{position: [{}, 0, 0], rpy: [0, 1.5707963267948966, 0]}}}}
materials: {{m: {{density: {}, young_modulus: {}, poisson_ratio: 0, damping_time: 0}}}}
links:
  - name: rod
    body:
      type: rod
      length: {}
      section: {{shape: circle, radius: {}}}
      material: m
      strain: {{sigma_z: {{basis: legendre, order: 16}}}}
      quadrature: {{points: 24}}
obstacles: [{{name: wall, shape: plane, pose: {{rpy: [0, 1.5707963267948966, 0]}}}}]
contacts: [{{name: hit, a: rod, b: wall, friction: 0, modulus: {}, dissipation: 0}}]
)",
                                        k_radius + 1e-4, k_density, k_young, k_length, k_radius, k_modulus);
  const Model model(read_robot_text(robot, "r.yaml"));
  Scenario scenario{.duration = 1e-4 / k_speed + 1.3 * travel, .output_step = 1e-5, .integrator = {.type = "bdf"}};
  scenario.integrator.relative_tolerance = 1e-7, scenario.integrator.absolute_tolerance = 1e-9;
  scenario.initial["base"] = {{}, {0, 0, 0, 0, 0, -k_speed}};
  MemoryRecorder memory;
  Simulator(model, scenario).run({&memory});
  Impact found;
  for (const Sample& s : memory.samples()) {
    const double push = s.contacts[0];  // force on the rod along x
    found.impulse += 1e-5 * push;
    if (push > 0.02 * force) found.end = s.time - 1e-4 / k_speed;
  }

  const Impact chain = chain_impact(400, 1.3 * travel);
  // the closed form, less what the half sphere's give takes: both show it
  EXPECT_NEAR(chain.impulse, 2 * k_mass * k_speed, 0.03 * k_mass * k_speed);
  EXPECT_NEAR(found.impulse, 2 * k_mass * k_speed, 0.03 * k_mass * k_speed);
  EXPECT_NEAR(found.impulse, chain.impulse, 0.01 * chain.impulse);
  EXPECT_NEAR(found.end, travel, 0.06 * travel);
  EXPECT_NEAR(chain.end, travel, 0.06 * travel);
  EXPECT_NEAR(found.impulse / travel, force, 0.03 * force);  // mean of the push
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
