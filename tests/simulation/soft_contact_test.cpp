// A run warns of contacts that are too soft for the shapes that touch.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/simulator.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// Of a ball that lies on a plane by a part of its radius, after a run.
std::vector<std::string> warnings_of(double part) {
  constexpr double k_radius = 0.05, k_mass = 0.5, k_gravity = 9.81;
  // m g = 4/3 E sqrt(r) d^(3/2)
  const double depth = part * k_radius,
               modulus = k_mass * k_gravity / (4.0 / 3.0 * std::sqrt(k_radius) * std::pow(depth, 1.5));
  const Model model(read_robot_text(fmt::format(R"(cuttle: 1
links:
  - name: ball
    joint: {{type: prismatic, axis: [0, 0, 1]}}
    body: {{type: rigid, mass: {}, inertia: [1e-3, 1e-3, 1e-3, 0, 0, 0]}}
    contact: {{shape: sphere, radius: {}}}
obstacles: [{{name: ground, shape: plane}}]
contacts: [{{name: floor, a: ball, b: ground, friction: 0, modulus: {}}}]
)",
                                                k_mass, k_radius, modulus),
                                    "r.yaml"));
  Scenario scenario{.duration = 0.02, .output_step = 0.01, .integrator = {.type = "bdf"}};
  scenario.initial["ball"] = {{k_radius - depth}, {0.0}};
  MemoryRecorder memory;
  return Simulator(model, scenario).run({&memory}).warnings;
}

TEST(SoftContact, IsWarnedOf) {
  EXPECT_THAT(warnings_of(0.6), Contains(HasSubstr("contacts.floor: found it pressed in by 0.03 m at t = 0 s, 0.6 of "
                                                   "half of what is thinner there, expected less than 0.5")));
  EXPECT_THAT(warnings_of(0.4), Not(Contains(HasSubstr("pressed in by"))));
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
