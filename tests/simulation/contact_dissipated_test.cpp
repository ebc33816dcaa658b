// What a contact has dissipated, in results: of a bounce by its closed form, of sliding by friction times the way, and
// in sum what the robot has dissipated.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cuttle/io/robot_file.h"
#include "support/contact_run.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_mass = 0.5, k_radius = 0.05;

std::string ball(double gravity, const std::string& obstacles, const std::string& contact) {
  const double inertia = 0.4 * k_mass * k_radius * k_radius;
  return fmt::format(R"(cuttle: 1
gravity: [0, 0, {}]
links:
  - name: ball
    joint: {{type: free}}
    body: {{type: rigid, mass: {}, inertia: [{}, {}, {}, 0, 0, 0]}}
    contact: {{shape: sphere, radius: {}}}
obstacles: [{}]
contacts: [{{name: floor, a: ball, modulus: 1e7, {}}}]
)",
                     -gravity, k_mass, inertia, inertia, inertia, k_radius, obstacles, contact);
}

Sample last(const Model& model, const InitialState& start, double duration, const IntegratorOptions& integrator) {
  Scenario scenario{.duration = duration, .output_step = duration, .integrator = integrator};
  scenario.initial["ball"] = start;
  MemoryRecorder memory;
  Simulator(model, scenario).run({&memory});
  return memory.samples().back();
}

double dissipated(const Model& model, const Sample& sample, const std::string& name) {
  return contact_number(model, sample, name, "dissipated");
}

class Dissipated : public testing::TestWithParam<const char*> {
 protected:
  IntegratorOptions integrator() const {
    const std::string type = GetParam();
    if (type == "bdf" || type == "erk") return {.type = type, .relative_tolerance = 1e-8};
    return {.type = type, .step = 2e-5};
  }
};

TEST_P(Dissipated, OfABounceIsWhatTheBallLost) {
  constexpr double k_speed = 1.0, k_dissipation = 0.2;
  const Model model(read_robot_text(
      ball(0.0, "{name: ground, shape: plane}", fmt::format("b: ground, dissipation: {}", k_dissipation)), "r.yaml"));
  const Sample end = last(model, {{0, 0, 1.02 * k_radius, 1, 0, 0, 0}, {0, 0, 0, 0, 0, -k_speed}}, 0.02, integrator());
  // a v - ln(1 + a v) is the same before and after
  const double invariant = k_dissipation * k_speed - std::log1p(k_dissipation * k_speed);
  double low = 0.0, high = k_speed;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (-k_dissipation * middle - std::log1p(-k_dissipation * middle) < invariant ? low : high) = middle;
  }
  const double lost = 0.5 * k_mass * (k_speed * k_speed - low * low);
  EXPECT_NEAR(dissipated(model, end, "floor"), lost, 1e-3 * lost);
}

// Two walls of a corner: each pair has its part, and both are the robot's.
TEST_P(Dissipated, OfPairsAddsUpToTheRobots) {
  const Model model(
      read_robot_text(ball(9.81,
                           "{name: ground, shape: plane}, {name: wall, shape: plane, pose: {position: [0.06, 0, 0], "
                           "rpy: [0, -1.5707963267948966, 0]}}",
                           "b: [ground, wall], friction: 0.3"),
                      "r.yaml"));
  const Sample end = last(model, {{0, 0, 1.01 * k_radius, 1, 0, 0, 0}, {0, 0, 0, 0.5, 0.2, 0}}, 0.1, integrator());
  const double ground = dissipated(model, end, "floor/ball-ground"), wall = dissipated(model, end, "floor/ball-wall");
  EXPECT_GT(ground, 1e-4);
  EXPECT_GT(wall, 1e-4);
  EXPECT_NEAR(dissipated(model, end, "floor"), ground + wall, 1e-12);
  EXPECT_NEAR(end.dissipated, ground + wall, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Methods, Dissipated, testing::Values("bdf", "erk", "rk4", "generalized_alpha"),
                         [](const auto& method) { return std::string(method.param); });

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
