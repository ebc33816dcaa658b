// Nothing passes an obstacle unseen: a small ball that meets a thin wall at 50 m/s turns back, or the run ends and
// names both. Steps are far longer than the ball takes through the wall.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/simulator.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_radius = 1e-3, k_wall = 1e-3, k_speed = 50.0, k_time = 0.02;

/// The wall is about x = 0.2.
std::string shot(double modulus, double friction) {
  return fmt::format(R"(cuttle: 1
gravity: [0, 0, 0]
links:
  - {{name: along, joint: {{type: prismatic, axis: [1, 0, 0]}}, body: {{type: rigid, mass: 1e-4, inertia: [1e-9, 1e-9, 1e-9, 0, 0, 0]}}}}
  - name: ball
    joint: {{type: prismatic, axis: [0, 0, 1]}}
    body: {{type: rigid, mass: 1e-3, inertia: [1e-9, 1e-9, 1e-9, 0, 0, 0]}}
    contact: {{shape: sphere, radius: {}}}
obstacles: [{{name: wall, shape: box, size: [{}, 1, 1], pose: {{position: [0.2, 0, 0]}}}}]
contacts: [{{name: stop, a: ball, b: wall, friction: {}, modulus: {}, dissipation: 0.01}}]
)",
                     k_radius, k_wall, friction, modulus);
}

class ThinWall : public testing::TestWithParam<const char*> {};

TEST_P(ThinWall, LetsNothingThrough) {
  const std::string type = GetParam();
  for (const double modulus : {1e8, 1e10, 1e12}) {
    for (const double friction : {0.0, 0.4}) {
      Scenario scenario{.duration = k_time, .output_step = 1e-4, .integrator = {.type = type}};
      if (type != "bdf" && type != "erk") scenario.integrator.step = 1e-3;  // 50 mm
      scenario.initial["along"] = {{0.0}, {k_speed}};
      scenario.initial["ball"] = {{0.0}, {3.0}};
      const Model model(read_robot_text(shot(modulus, friction), "r.yaml"));
      MemoryRecorder memory;
      std::string message;
      bool complete = false;
      try {
        const Outcome outcome = Simulator(model, scenario).run({&memory});
        complete = outcome.status == RunStatus::complete, message = outcome.message;
      } catch (const Error& error) {
        message = error.what();
      }
      for (const Sample& s : memory.samples()) EXPECT_LT(s.q[0], 0.2 + k_wall) << type << ", " << modulus;
      if (complete) {
        EXPECT_LT(memory.samples().back().v[0], 0.0) << type << ", " << modulus << ", " << friction;
      } else {
        const auto says = [&](const char* what) { return message.find(what) != std::string::npos; };
        EXPECT_TRUE(says("obstacle") || says("wall") || says("step")) << type << ": " << message;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, ThinWall,
                         testing::Values("rk4", "tsit5", "erk", "bdf", "newmark", "hht", "generalized_alpha",
                                         "midpoint", "energy_conserving"),
                         [](const auto& method) { return std::string(method.param); });

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
