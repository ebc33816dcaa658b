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

/// Runs, and sees that it stays before `most` and is on its way back at the end: by the first coordinate.
void expect_stopped(const Model& model, const Scenario& scenario, double most) {
  MemoryRecorder memory;
  std::string message;
  bool complete = false;
  try {
    const Outcome outcome = Simulator(model, scenario).run({&memory});
    complete = outcome.status == RunStatus::complete, message = outcome.message;
  } catch (const Error& error) {
    message = error.what();
  }
  for (const Sample& s : memory.samples()) EXPECT_LT(s.q[0], most);
  if (complete) {
    EXPECT_LT(memory.samples().back().q[0], most - 2 * k_wall);
  } else {
    const auto says = [&](const char* what) { return message.find(what) != std::string::npos; };
    EXPECT_TRUE(says("obstacle") || says("wall") || says("step") || says("finite")) << message;
  }
}

TEST_P(ThinWall, LetsNothingThrough) {
  const std::string type = GetParam();
  for (const double modulus : {1e8, 1e10, 1e12}) {
    for (const double friction : {0.0, 0.4}) {
      SCOPED_TRACE(fmt::format("{}, {}, {}", type, modulus, friction));
      Scenario scenario{.duration = k_time, .output_step = 1e-4, .integrator = {.type = type}};
      if (type != "bdf" && type != "erk") scenario.integrator.step = 1e-4;  // 5 mm
      scenario.initial["along"] = {{0.0}, {k_speed}};
      scenario.initial["ball"] = {{0.0}, {3.0}};
      expect_stopped(Model(read_robot_text(shot(modulus, friction), "r.yaml")), scenario, 0.2 + k_wall);
    }
  }
}

// Outputs end steps: with one output steps are as long as they are asked for. What comes back from a touch leaves when
// a step begins and when it ends, and yet the memory of accelerations threw it through.
TEST_P(ThinWall, LetsNothingThroughInLongSteps) {
  const std::string type = GetParam();
  if (type == "bdf" || type == "erk") GTEST_SKIP() << "has no steps of its own";
  for (const double modulus : {1e7, 1e8, 1e10, 3.2e11, 1e12}) {
    for (const double friction : {0.0, 0.4}) {
      const Model model(read_robot_text(shot(modulus, friction), "r.yaml"));
      for (const double step : {2e-3, 1e-3, 5e-4, 2e-4}) {
        for (const double rho : {-1.0, 0.6, 0.0}) {
          if (rho >= 0.0 && type != "generalized_alpha") continue;
          SCOPED_TRACE(fmt::format("{}, {}, {}, {} s, rho {}", type, modulus, friction, step, rho));
          Scenario scenario{.duration = k_time, .output_step = k_time, .integrator = {.type = type}};
          scenario.integrator.step = step;
          if (rho >= 0.0) scenario.integrator.rho_inf = rho;
          scenario.initial["along"] = {{0.0}, {k_speed}};
          scenario.initial["ball"] = {{0.0}, {3.0}};
          expect_stopped(model, scenario, 0.2 + k_wall);
        }
      }
    }
  }
}

/// A thin rod that flies on its side; the wall is about x = 0.3.
std::string flying_rod(double modulus) {
  return fmt::format(R"(cuttle: 1
gravity: [0, 0, 0]
base: {{motion: floating}}
materials: {{m: {{density: 1200, young_modulus: 1.0e+7, poisson_ratio: 0.4, damping_time: 0.001}}}}
links:
  - name: rod
    body: {{type: rod, length: 0.1, section: {{shape: circle, radius: 0.001}}, material: m, strain: {{kappa_y: {{basis: legendre, order: 1}}, sigma_z: constant}}, quadrature: {{points: 8}}}}
obstacles: [{{name: wall, shape: box, size: [0.001, 1, 1], pose: {{position: [0.3, 0, 0]}}}}]
contacts: [{{name: stop, a: rod, b: wall, friction: 0.3, modulus: {}, dissipation: 0.01}}]
)",
                     modulus);
}

TEST_P(ThinWall, LetsNoRodThrough) {
  const std::string type = GetParam();
  for (const double modulus : {1e8, 1e10}) {
    const Model model(read_robot_text(flying_rod(modulus), "r.yaml"));
    for (const double step : {1e-3, 2e-4}) {
      if ((type == "bdf" || type == "erk") && step < 1e-3) continue;
      SCOPED_TRACE(fmt::format("{}, {}, {} s", type, modulus, step));
      Scenario scenario{.duration = k_time, .output_step = 1e-3, .integrator = {.type = type}};
      if (type != "bdf" && type != "erk") scenario.integrator.step = step;
      scenario.initial["base"] = {{}, {0, 0, 0, k_speed, 0, 0}};
      expect_stopped(model, scenario, 0.3 + k_wall);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, ThinWall,
                         testing::Values("rk4", "tsit5", "erk", "bdf", "newmark", "hht", "generalized_alpha",
                                         "midpoint", "energy_conserving"),
                         [](const auto& method) { return std::string(method.param); });

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
