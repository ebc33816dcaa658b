// Rods that touch rods, in a simulation in which somebody interferes: as a run if nobody does, pushed onto each other,
// and saved in the middle.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/live_simulation.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/rod_pairs.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

Robot rods() { return read_robot_text(free_rods("0.4", 5), "r.yaml"); }

/// They meet at 0.6 m/s and slide and spin.
Scenario meeting(const std::string& type) {
  Scenario scenario{.duration = 0.04, .output_step = 0.01};
  scenario.integrator.type = type, scenario.integrator.step = type == "rk4" ? 4e-5 : 1e-4;
  scenario.initial["first"] = {{0, 0, 0, 1, 0, 0, 0, 0, 0, 0}, {0.5, -1, 2, 0.3, 0.05, 0.1, 0, 0, 0}};
  scenario.initial["second"] = {{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}, {1, 0, -1, -0.3, 0.05, 0, 0, 0, 0, 0}};
  return scenario;
}

class RodPairLive : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Methods, RodPairLive, testing::Values("rk4", "generalized_alpha", "energy_conserving"));

TEST_P(RodPairLive, IsTheRunIfNobodyInterferes) {
  const Robot robot = rods();
  const Model model(robot);
  MemoryRecorder memory;
  ASSERT_EQ(Simulator(model, meeting(GetParam())).run({&memory}).status, RunStatus::complete);
  LiveSimulation live(robot, meeting(GetParam()));
  for (const Sample& expected : memory.samples()) {
    live.advance(expected.time - live.time());
    ASSERT_EQ(live.failure(), "");
    EXPECT_LT((live.sample().q - expected.q).norm(), 1e-10) << expected.time;
    EXPECT_NEAR(live.sample().contact, expected.contact, 1e-9) << expected.time;
    EXPECT_NEAR(live.sample().dissipated, expected.dissipated, 1e-10) << expected.time;
  }
  EXPECT_GT(memory.samples().back().dissipated, 1e-5);  // they met
}

// The second rod is pulled through the first one, which goes with it: they stay two radii apart, less what they give.
TEST_P(RodPairLive, WhatIsPulledTakesTheOtherOneAlong) {
  Scenario scenario = meeting(GetParam());
  scenario.initial.clear();
  LiveSimulation live(rods(), scenario);
  const Vector3 from{0.0101, 0.0, 0.004};
  live.push(1, from, {-0.15, 0, 0.004});
  double given = 0.0;
  for (int k = 0; k < 30; ++k) {
    live.advance(0.01);
    ASSERT_EQ(live.failure(), "");
    given = std::max(given, live.sample().contact);
  }
  live.let_go();
  EXPECT_GT(given, 1e-7);
  EXPECT_LT(live.sample().q[4], -0.01);  // the first one has gone along -x
  const double start = live.sample().energy() - live.sample().input - live.sample().load + live.sample().dissipated;
  live.advance(0.1);
  ASSERT_EQ(live.failure(), "");
  const double end = live.sample().energy() - live.sample().input - live.sample().load + live.sample().dissipated;
  EXPECT_NEAR(end, start, 1e-3 * live.sample().kinetic);

  Scenario rest = live.snapshot();  // which may begin anew from there
  rest.duration = 0.02, rest.output_step = 0.02;
  LiveSimulation again(rods(), rest);
  EXPECT_LT((again.sample().q - live.sample().q).norm(), 1e-12);
  again.advance(0.02), live.advance(0.02);
  EXPECT_LT((again.sample().q - live.sample().q).norm(), 1e-4);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
