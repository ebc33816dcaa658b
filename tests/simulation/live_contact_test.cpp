// Robots that touch, in a simulation in which somebody interferes: as a run if nobody does, pulled against a wall and
// along the ground, and saved in the middle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/live_simulation.h"
#include "cuttle/simulation/simulator.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_radius = 0.05, k_friction = 0.4;

/// Of a body with a wall 0.2 m before it.
std::string room(const std::string& links) {
  return "cuttle: 1\n"
         "materials: {rubber: {density: 1100, young_modulus: 1.0e+6, poisson_ratio: 0.5, damping_time: 0.02}}\n"
         "links:\n" +
         links +
         "obstacles:\n"
         "  - {name: ground, shape: plane}\n"
         "  - {name: wall, shape: plane, pose: {position: [0.25, 0, 0], rpy: [0, -1.5707963267948966, 0]}}\n"
         "contacts:\n"
         "  - {name: floor, a: body, b: ground, friction: 0.4, modulus: 1.0e+6, dissipation: 20}\n"
         "  - {name: side, a: body, b: wall, friction: 0.4, modulus: 1.0e+6, dissipation: 20}\n";
}

Robot ball() {
  return read_robot_text(room("  - name: body\n"
                              "    attach: {pose: {position: [0, 0, 0.05]}}\n"
                              "    joint: {type: free}\n"
                              "    body: {type: rigid, mass: 0.5, inertia: [5.0e-4, 5.0e-4, 5.0e-4, 0, 0, 0]}\n"
                              "    contact: {shape: sphere, radius: 0.05}\n"),
                         "ball.yaml");
}

/// Stands on the ground, 0.2 m high.
Robot arm() {
  return read_robot_text(
      room("  - name: foot\n"
           "    attach: {pose: {position: [0, 0, 0.02]}}\n"
           "    body: {type: rigid, mass: 0.5, inertia: [5.0e-4, 5.0e-4, 5.0e-4, 0, 0, 0]}\n"
           "  - name: body\n"
           "    body: {type: rod, length: 0.3, section: {shape: circle, radius: 0.01}, material: rubber, strain: "
           "{kappa_x: {basis: legendre, order: 1}, kappa_y: {basis: legendre, order: 1}}}\n"),
      "arm.yaml");
}

Scenario scenario_of(double duration, const std::string& type) {
  Scenario scenario;
  scenario.duration = duration, scenario.output_step = 0.02;
  scenario.integrator.type = type;
  if (type != "bdf" && type != "erk") scenario.integrator.step = type == "rk4" ? 1e-4 : 1e-3;
  return scenario;
}

double drift(const Sample& sample) { return sample.energy() - (sample.input + sample.load - sample.dissipated); }

class LiveContact : public testing::TestWithParam<const char*> {};

TEST_P(LiveContact, IsTheRunIfNobodyInterferes) {
  Scenario scenario = scenario_of(0.2, GetParam());
  scenario.initial["body"] = {{0, 0, 0.01, 1, 0, 0, 0}, {0, 0, 2, 1, 0, 0}};  // falls, slides, meets the wall
  const Robot robot = ball();
  const Model model(robot);
  MemoryRecorder memory;
  ASSERT_EQ(Simulator(model, scenario).run({&memory}).status, RunStatus::complete);
  LiveSimulation live(robot, scenario);
  const double tolerance = scenario.integrator.step ? 1e-10 : 2e-4;
  for (const Sample& expected : memory.samples()) {
    live.advance(expected.time - live.time());
    ASSERT_EQ(live.failure(), "");
    EXPECT_LT((live.sample().q - expected.q).norm(), tolerance) << expected.time;
    EXPECT_NEAR(live.sample().contact, expected.contact, 10 * tolerance) << expected.time;
    EXPECT_NEAR(live.sample().dissipated, expected.dissipated, 10 * tolerance) << expected.time;
  }
}

TEST_P(LiveContact, ABallThatIsPulledAgainstTheWallStaysBeforeIt) {
  LiveSimulation live(ball(), scenario_of(1.0, GetParam()));
  const double start = drift(live.sample());
  live.advance(0.2);
  ASSERT_EQ(live.failure(), "");
  live.push(0, {0, 0, k_radius}, {0.6, 0, k_radius});
  for (int k = 0; k < 50; ++k) {
    live.advance(0.02);
    ASSERT_EQ(live.failure(), "");
    EXPECT_LT(live.sample().q[0], 0.25 - k_radius + 0.005);  // sinks in by a millimeter at most, or so
  }
  const double pull = live.pushing()->force.x;
  ASSERT_GT(pull, 0.5);
  // at rest between pull and wall, which presses as Hertz says; friction on the ground takes little
  const double depth = live.sample().q[0] - (0.25 - k_radius);
  EXPECT_NEAR(4.0 / 3.0 * 1e6 * std::sqrt(k_radius) * std::pow(depth, 1.5), pull, 0.05 * pull);
  EXPECT_NEAR(drift(live.sample()), start, 1e-2);  // of some J
  live.let_go();
  live.advance(0.5);
  EXPECT_EQ(live.failure(), "");
  EXPECT_GT(live.sample().q[2], -0.001);
}

TEST_P(LiveContact, ARodThatIsPulledAgainstTheWallLeansOnIt) {
  const Robot robot = arm();
  LiveSimulation live(robot, scenario_of(1.0, GetParam()));
  live.advance(0.05);
  const Vector3 tip = live.sample().tips.back().position;
  live.push(1, tip, {0.6, 0, 0.2});
  double farthest = 0.0;
  for (int k = 0; k < 40; ++k) {
    live.advance(0.02);
    ASSERT_EQ(live.failure(), "");
    farthest = std::max(farthest, live.sample().tips.back().position.x);
  }
  EXPECT_LT(farthest, 0.25);
  EXPECT_GT(farthest, 0.2);
}

// What is saved begins at rest there: bristles are in balance, not as they were.
TEST_P(LiveContact, GoesOnFromWhatWasSaved) {
  const Robot robot = ball();
  Scenario scenario = scenario_of(1.0, GetParam());
  scenario.initial["body"] = {{0, 0, 0, 1, 0, 0, 0}, {0, 0, 0, 1, 0, 0}};
  LiveSimulation live(robot, scenario);
  live.advance(0.1);
  Scenario rest = live.snapshot();
  rest.duration = 0.1, rest.output_step = 0.1;
  const Model model(robot);
  MemoryRecorder memory;
  ASSERT_EQ(Simulator(model, rest).run({&memory}).status, RunStatus::complete);
  EXPECT_LT((memory.samples().front().q - live.sample().q).norm(), 1e-12);
  live.advance(0.1);
  // it begins anew in balance, so friction is late by the way on which bristles bend
  EXPECT_NEAR(memory.samples().back().q[0], live.sample().q[0], 3e-4);
  const double rolls = 2.0 / (7.0 * k_friction * 9.81);  // from then on, at 5/7 of 1 m/s
  EXPECT_NEAR(live.sample().q[0], rolls - 0.5 * k_friction * 9.81 * rolls * rolls + 5.0 / 7.0 * (0.2 - rolls), 3e-3);
}

INSTANTIATE_TEST_SUITE_P(Methods, LiveContact, testing::Values("bdf", "erk", "rk4", "generalized_alpha", "midpoint"),
                         [](const auto& method) { return std::string(method.param); });

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
