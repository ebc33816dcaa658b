// What runs with what, docs/control.md: every law in `cuttle live`, and on robots with loops. What integrators do is in
// library_laws_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cuttle/error.h"
#include "cuttle/simulation/live_simulation.h"
#include "support/control_laws.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::k_reference, test::k_start, test::Law, test::run_of, test::scenario_of;
using testing::HasSubstr;

/// Those of the library on the configuration and on inputs, and the two that need more: an equilibrium, a program.
const std::vector<Law>& every_law() {
  static const std::vector<Law> k_all = [] {
    std::vector<Law> all = test::laws();
    all.push_back({"lqr", "{name: c, type: lqr, inputs: [m1, m2], state_weight: 0.02, input_weight: [5, 10]"});
    all.push_back({"external",
                   "{name: c, type: external, inputs: [m1], command: [python3, -c, \"import json, sys; "
                   "[print(json.dumps({'u': [2 * (0.3 - s['q'][0]) - 0.1 * s['v'][0]]}), flush=True) for s in "
                   "map(json.loads, sys.stdin)]\"]"});
    return all;
  }();
  return k_all;
}
bool needs_clock(const Law& law) { return std::string(law.name) == "external"; }

std::string law_name(const testing::TestParamInfo<std::size_t>& info) { return every_law()[info.param].name; }

// --- live

/// Of the arm with all that can act; of lqr of the arm alone, which has an equilibrium without inputs.
ScenarioFile live_scenario(const Law& law, const std::string& clock) {
  const std::string more = "  duration: 0.12\n  output_step: 0.03\n" + k_start;
  if (std::string(law.name) != "lqr") return scenario_of(law.text + clock, more);
  return read_scenario_text(
      "cuttle: 1\nrobot: arm.yaml\nsimulation:\n  controllers: [" + law.text + clock + "]\n" + more, "s.yaml",
      std::string(k_arm) +
          "actuators:\n  - {name: m1, type: joint, link: upper}\n  - {name: m2, "
          "type: joint, link: fore}\n");
}

class EveryLawLive : public testing::TestWithParam<std::size_t> {};

// If nobody interferes it is the run, clock or not; and it goes on while somebody does.
TEST_P(EveryLawLive, IsTheRunAndGoesOnUnderHands) {
  const Law& law = every_law()[GetParam()];
  for (const bool sampled : {false, true}) {
    if (!sampled && needs_clock(law)) continue;
    const std::string clock = sampled ? ", rate: 100, delay: 0.004, window: [0.005, 0.3]}" : ", window: [0.02, 0.3]}";
    for (const char* integrator : {"bdf", "generalized_alpha"}) {
      ScenarioFile file = live_scenario(law, clock);
      const std::vector<Sample> expected = run_of(file, integrator);
      file.scenario.integrator.type = integrator;
      if (file.scenario.integrator.type == "bdf") {
        file.scenario.integrator.relative_tolerance = 1e-9, file.scenario.integrator.absolute_tolerance = 1e-11;
      } else {
        file.scenario.integrator.step = 1e-3;
      }
      LiveSimulation live(file.robot, file.scenario);
      for (std::size_t i = 1; i < expected.size(); ++i) {
        live.advance(expected[i].time - live.time());
        ASSERT_EQ(live.failure(), "") << integrator;
        // a run and a live simulation end at other times: bdf's steps differ
        const Sample& found = live.sample();
        EXPECT_LT((found.q - expected[i].q).lpNorm<Eigen::Infinity>(), 1e-6) << integrator << " at " << found.time;
        EXPECT_LT((found.u - expected[i].u).lpNorm<Eigen::Infinity>(), 1e-3 * (1.0 + expected[i].u.norm()))
            << integrator << " at " << found.time;
      }
      EXPECT_GT(expected.back().u.norm(), 1e-6) << "the law does nothing";
      const Vector3 tip = live.sample().tips.back().position;
      live.push(2, tip, tip + Vector3{0.02, 0.0, 0.0});
      live.advance(0.03);
      live.let_go();
      live.set_gravity(false);
      live.advance(0.03);
      EXPECT_EQ(live.failure(), "") << integrator;
      EXPECT_NEAR(live.time(), 0.18, 1e-9);
      live.reset();
      live.advance(expected[1].time);
      EXPECT_EQ(live.failure(), "") << integrator;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Laws, EveryLawLive, testing::Range(std::size_t{0}, every_law().size()), law_name);

// Constant references are set-points that somebody moves; others are not. A moved one is a run with that reference.
TEST(LiveSetPoints, MoveTheReference) {
  const auto of = [](const std::string& first) {
    return scenario_of("{name: hold, type: pd_plus, inputs: [m1, m2, bend], reference: [" + first +
                           ", {type: sine, amplitude: 0.2, frequency: 1}, 0.3, -0.1, 0.005], kp: [2, 1, 0.1, 0.1, 10], "
                           "kd: 0.05}",
                       "  duration: 0.3\n  output_step: 0.1\n  integrator: {type: generalized_alpha, step: 1.0e-3}\n");
  };
  const ScenarioFile file = of("0.1");
  LiveSimulation live(file.robot, file.scenario);
  ASSERT_EQ(live.set_points().size(), 4u);
  EXPECT_EQ(live.set_points()[0].name, "hold: upper.joint.q0");
  EXPECT_EQ(live.set_points()[0].unit, "rad");
  EXPECT_NEAR(live.set_points()[0].max - live.set_points()[0].min, 2.0 * M_PI, 1e-12);
  EXPECT_EQ(live.set_points()[1].name, "hold: soft.kappa_x.0");
  EXPECT_EQ(live.set_points()[3].unit, "m");
  EXPECT_EQ(live.set_point(0), 0.1);
  EXPECT_EQ(live.set_point(3), 0.005);
  live.move_set_point(0, 0.6);
  EXPECT_EQ(live.set_point(0), 0.6);
  const std::vector<Sample> expected = run_of(of("0.6"), "generalized_alpha"),
                            unmoved = run_of(of("0.1"), "generalized_alpha");
  live.advance(0.1);
  live.set_gravity(true);  // as it is: nothing is made anew
  live.advance(0.1);
  EXPECT_LT((live.sample().q - expected[2].q).lpNorm<Eigen::Infinity>(), 1e-9);
  EXPECT_GT((live.sample().q - unmoved[2].q).lpNorm<Eigen::Infinity>(), 1e-2);
  live.set_gravity(false);  // a new system
  EXPECT_EQ(live.set_point(0), 0.6);
  live.set_gravity(true);
  live.advance(0.1);
  EXPECT_LT((live.sample().q - expected[3].q).lpNorm<Eigen::Infinity>(), 1e-6);
  live.reset();
  EXPECT_EQ(live.set_point(0), 0.1);
  live.advance(0.2);
  EXPECT_LT((live.sample().q - unmoved[2].q).lpNorm<Eigen::Infinity>(), 1e-9);
  EXPECT_THROW(live.move_set_point(4, 0.0), ArgumentError);
  EXPECT_THROW(live.move_set_point(0, std::nan("")), ArgumentError);
}

// --- loops

/// Where the tip of the straight arm is.
const std::string k_loop =
    "loops:\n  - {name: held, type: spherical, a: {link: base, pose: {position: [0.02, 0, 0.57]}}, b: {link: soft}}\n";

class EveryLawWithALoop : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryLawWithALoop, RunsOrIsRefused) {
  const Law& law = every_law()[GetParam()];
  const std::string name = law.name;
  const std::string more = "  duration: 0.15\n  output_step: 0.05\n  inputs: {m2: 0.05}\n";
  for (const bool sampled : {false, true}) {
    if (!sampled && needs_clock(law)) continue;
    const std::string text = law.text + (sampled ? ", rate: 100, window: [0, 0.12]}" : ", window: [0.02, 0.12]}");
    const bool solves_the_motion = name.starts_with("computed_torque") ||
                                   name.starts_with("partial_feedback_linearization") || name.starts_with("pfbl") ||
                                   name == "operational_space" || name == "lqr";
    if (solves_the_motion) {
      try {
        scenario_of(text, more, "allow", k_loop);
        ADD_FAILURE() << "no error";
      } catch (const FileError& error) {
        EXPECT_THAT(error.what(), HasSubstr("type: found a robot with closed loops, expected one without"));
      }
      continue;
    }
    const ScenarioFile file = scenario_of(text, more, "allow", k_loop);
    const std::vector<Sample> expected = run_of(file, "midpoint", 2.5e-4);
    for (const char* integrator : {"newmark", "hht", "generalized_alpha", "energy_conserving"}) {
      const std::vector<Sample> found = run_of(file, integrator);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        // as without loops
        EXPECT_LT((found[i].q - expected[i].q).lpNorm<Eigen::Infinity>(), 2e-3) << integrator << found[i].time;
        EXPECT_LT(found[i].loop_residual.lpNorm<Eigen::Infinity>(), 1e-8) << integrator << found[i].time;
      }
    }
    // what the law does is seen: without it the robot is elsewhere
    ScenarioFile without = file;
    without.scenario.controllers.clear();
    EXPECT_GT((run_of(without, "midpoint").back().q - expected.back().q).lpNorm<Eigen::Infinity>(), 1e-4);
    EXPECT_NE(expected[1].u.norm(), 0.05);
    EXPECT_GT(expected.back().multipliers.norm(), 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Laws, EveryLawWithALoop, testing::Range(std::size_t{0}, every_law().size()), law_name);

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
