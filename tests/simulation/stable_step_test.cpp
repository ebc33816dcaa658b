// How long explicit steps may be where a robot touches, against closed forms.
#include "simulation/stable_step.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/robot_system.h"
#include "cuttle/simulation/simulator.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_gravity = 9.81, k_mass = 0.5, k_radius = 0.05, k_modulus = 1e7;

const RungeKuttaTableau k_euler{{{}}, {1.0}, {0.0}};
const RungeKuttaTableau k_rk4{
    {{}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, {0.0, 0.5, 0.5, 1.0}};

std::string ball() {
  const double inertia = 0.4 * k_mass * k_radius * k_radius;
  return fmt::format(R"(cuttle: 1
gravity: [0, 0, {}]
links:
  - name: ball
    joint: {{type: free}}
    body: {{type: rigid, mass: {}, inertia: [{}, {}, {}, 0, 0, 0]}}
    contact: {{shape: sphere, radius: {}}}
obstacles: [{{name: ground, shape: plane}}]
contacts: [{{name: floor, a: ball, b: ground, friction: 0, modulus: {}, dissipation: 0}}]
)",
                     -k_gravity, k_mass, inertia, inertia, inertia, k_radius, k_modulus);
}
double stiffness() { return 4.0 / 3.0 * k_modulus * std::sqrt(k_radius); }
/// Where the weight presses it.
double depth() { return std::pow(k_mass * k_gravity / stiffness(), 2.0 / 3.0); }
/// What rk4 may take: 2 sqrt 2 on the imaginary axis.
double closed_form() { return 2.0 * std::sqrt(2.0) / std::sqrt(1.5 * stiffness() * std::sqrt(depth()) / k_mass); }

TEST(StableStep, KnowsTheRegionsOfMethods) {
  EXPECT_NEAR(stable_length(k_euler, -1.0, 0.0), 2.0, 1e-4);
  EXPECT_LT(stable_length(k_euler, 0.0, 1.0), 0.02);
  EXPECT_NEAR(stable_length(k_rk4, -1.0, 0.0), 2.78529, 1e-4);
  EXPECT_NEAR(stable_length(k_rk4, 0.0, 1.0), 2.0 * std::sqrt(2.0), 1e-4);
}

TEST(StableStep, IsThatOfABallOnTheGround) {
  const Model model(read_robot_text(ball(), "r.yaml"));
  RobotSystem system(model);
  State state;
  state.q = model.neutral(), state.v = VectorXd::Zero(model.nv());
  state.q[2] = k_radius - depth();
  state.auxiliary = start_of_auxiliary(model);
  const auto found = stable_step(system, k_rk4, state);
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(*found, closed_form(), 1e-3 * closed_form());
}

// Of the longer step it is warned before anything has grown.
TEST(StableStep, IsWarnedOf) {
  const Model model(read_robot_text(ball(), "r.yaml"));
  for (const double part : {0.9, 1.3}) {
    Scenario scenario{.duration = 3.9 * closed_form(),
                      .output_step = 3.9 * closed_form(),
                      .integrator = {.type = "rk4", .step = part * closed_form()}};
    scenario.initial["ball"] = {{0, 0, k_radius - 1.001 * depth(), 1, 0, 0, 0}, {}};
    MemoryRecorder memory;
    std::string said;
    try {
      const Outcome outcome = Simulator(model, scenario).run({&memory});
      for (const std::string& warning : outcome.warnings) said += warning;
    } catch (const Error& error) {
      said = error.what();
    }
    EXPECT_EQ(
        said.find("too long for the stiffness") != std::string::npos || said.find("unstable") != std::string::npos,
        part > 1.0)
        << said;
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
