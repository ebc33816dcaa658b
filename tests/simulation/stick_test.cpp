// What sticks does not creep: a block on a slope from starts off its balance, whose vibration dies out, and a block on
// a shaker, which is back at its place after every period.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/simulator.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_gravity = 9.81, k_mass = 0.5, k_modulus = 1e7, k_rounding = 2e-4, k_height = 0.04;

std::string block(double degrees, const std::string& motion = "") {
  const double angle = degrees * std::numbers::pi / 180;
  return fmt::format(R"(cuttle: 1
gravity: [{}, 0, {}]
links:
  - name: block
    joint: {{type: free}}
    body: {{type: rigid, mass: {}, inertia: [4.83e-4, 4.83e-4, 8.33e-4, 0, 0, 0]}}
    contact: {{shape: box, size: [0.1, 0.1, {}]}}
obstacles: [{{name: ground, shape: plane{}}}]
contacts: [{{name: rest, a: block, b: ground, friction: 0.5, modulus: {}, rounding: {}}}]
)",
                     k_gravity * std::sin(angle), -k_gravity * std::cos(angle), k_mass, k_height, motion, k_modulus,
                     k_rounding);
}

std::vector<Sample> run(const std::string& robot, const Scenario& scenario) {
  const Model model(read_robot_text(robot, "r.yaml"));
  MemoryRecorder memory;
  const Outcome outcome = Simulator(model, scenario).run({&memory});
  EXPECT_EQ(outcome.status, RunStatus::complete) << outcome.message;
  return memory.samples();
}

class Sticks : public testing::TestWithParam<const char*> {
 protected:
  IntegratorOptions integrator() const {
    const std::string type = GetParam();
    IntegratorOptions options{.type = type};
    if (type == "bdf") {
      options.relative_tolerance = 1e-7, options.absolute_tolerance = 1e-10;
    } else {
      options.step = 1e-3;
    }
    return options;
  }
};

// Pressed in by a third too much, or too little: it vibrates, each site now and then near its cone, until 1 s. Then
// its place is its place.
TEST_P(Sticks, AfterAStartOffItsBalance) {
  constexpr double k_degrees = 15.0;
  const double normal = k_mass * k_gravity * std::cos(k_degrees * std::numbers::pi / 180);
  const double depth = std::pow(normal / 4 / (4.0 / 3.0 * k_modulus * std::sqrt(k_rounding)), 2.0 / 3.0);
  for (const double off : {0.3, -0.3}) {
    Scenario scenario{.duration = 10.0, .output_step = 0.5, .integrator = integrator()};
    scenario.initial["block"] = {{0, 0, k_height / 2 - (1.0 + off) * depth, 1, 0, 0, 0}, {}};
    const auto samples = run(block(k_degrees), scenario);
    for (const Sample& s : samples) {
      if (s.time < 2.9) continue;
      EXPECT_LT(s.v.norm(), 1e-6) << off << ", " << s.time;
      EXPECT_NEAR(s.q[0], samples.back().q[0], 1e-8) << off << ", " << s.time;
    }
  }
}

// 5 Hz and 0.6 of the cone. Where it is relative to the shaker changes by the bristles alone, and returns.
TEST_P(Sticks, OnAShaker) {
  constexpr double k_period = 0.2, k_part = 0.6;
  const double rate = 2 * std::numbers::pi / k_period, amplitude = k_part * 0.5 * k_gravity / (rate * rate);
  const std::string motion = fmt::format(", motion: {{position: [{{type: sine, amplitude: {}, frequency: {}}}, 0, 0]}}",
                                         amplitude, 1.0 / k_period);
  Scenario scenario{.duration = 10.0, .output_step = k_period, .integrator = integrator()};
  scenario.initial["block"] = {{0, 0, k_height / 2 - 3.4e-4, 1, 0, 0, 0}, {0, 0, 0, amplitude * rate, 0, 0}};
  const auto samples = run(block(0.0, motion), scenario);
  const auto at = [&](double time) { return samples[static_cast<std::size_t>(std::lround(time / k_period))].q[0]; };
  EXPECT_LT(std::abs(at(10.0) - at(4.0)) / 6.0, 1e-8);
  EXPECT_LT(std::abs(at(10.0)), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Methods, Sticks, testing::Values("bdf", "generalized_alpha", "hht"),
                         [](const auto& method) { return std::string(method.param); });

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
