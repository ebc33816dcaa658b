// The book of energy of robots that hit, slide and roll: methods with error control close it within their tolerance.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/simulator.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_radius = 0.05;

std::string ball(double friction) {
  return fmt::format(R"(cuttle: 1
links:
  - name: ball
    joint: {{type: free}}
    body: {{type: rigid, mass: 0.5, inertia: [5e-4, 5e-4, 5e-4, 0, 0, 0]}}
    contact: {{shape: sphere, radius: {}}}
obstacles: [{{name: ground, shape: plane}}]
contacts: [{{name: floor, a: ball, b: ground, friction: {}, modulus: 1e7, dissipation: 0.5}}]
)",
                     k_radius, friction);
}

/// Falls on its tip, then flat.
constexpr const char* k_rod = R"(cuttle: 1
base: {motion: floating, pose: {position: [0, 0, 0.12], rpy: [0, 1.9, 0]}}
materials: {rubber: {density: 1200, young_modulus: 1.0e6, poisson_ratio: 0.5, damping_time: 0.01}}
links:
  - name: rod
    body:
      type: rod
      length: 0.3
      section: {shape: circle, radius: 0.005}
      material: rubber
      strain: {kappa_x: constant, kappa_y: {basis: legendre, order: 2}}
      quadrature: {points: 12}
obstacles: [{name: ground, shape: plane}]
contacts: [{name: floor, a: rod, b: ground, friction: 0.5, dissipation: 1.0}]
)";

/// Largest error of the book over the energy that moves.
double book(const std::string& robot, const Scenario& scenario) {
  const Model model(read_robot_text(robot, "r.yaml"));
  MemoryRecorder memory;
  const Outcome outcome = Simulator(model, scenario).run({&memory});
  EXPECT_EQ(outcome.status, RunStatus::complete) << outcome.message;
  const auto left = [](const Sample& s) { return s.energy() - s.input - s.load + s.dissipated; };
  double error = 0.0, moved = 0.0;
  const Sample& first = memory.samples().front();
  for (const Sample& s : memory.samples()) {
    error = std::max(error, std::abs(left(s) - left(first)));
    moved = std::max({moved, s.kinetic, s.dissipated});
  }
  EXPECT_GT(memory.samples().back().dissipated, 1e-3 * moved);
  return error / moved;
}

class BookOf : public testing::TestWithParam<const char*> {};

TEST_P(BookOf, ABallThatBouncesWithSpin) {
  for (const double tolerance : {1e-5, 1e-7}) {
    for (const double friction : {0.0, 0.4}) {
      Scenario scenario{
          .duration = 0.3, .output_step = 0.002, .integrator = {.type = GetParam(), .relative_tolerance = tolerance}};
      scenario.initial["ball"] = {{0, 0, k_radius + 0.01, 1, 0, 0, 0}, {3, 2, 0, 1, 0.3, -1}};
      EXPECT_LT(book(ball(friction), scenario), 20 * tolerance) << tolerance << ", " << friction;
    }
  }
}

TEST_P(BookOf, ARodThatFalls) {
  constexpr double k_tolerance = 1e-5;
  const Scenario scenario{
      .duration = 0.25,
      .output_step = 0.002,
      .integrator = {.type = GetParam(), .relative_tolerance = k_tolerance, .absolute_tolerance = 1e-7}};
  EXPECT_LT(book(k_rod, scenario), 20 * k_tolerance);
}

INSTANTIATE_TEST_SUITE_P(Methods, BookOf, testing::Values("bdf", "erk"),
                         [](const auto& method) { return std::string(method.param); });

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
