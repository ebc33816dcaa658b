// Loops whose frame a is driven: against a driven base, Euler's elastica, and how files say it.
#include "cuttle/simulation/driven_loops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cuttle/algorithms/constraints.h"
#include "cuttle/error.h"
#include "cuttle/io/robot_writer.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/live_simulation.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/integrator_runs.h"
#include "simulation/simulation_robots.h"
#include "support/loop_robots.h"
#include "support/paths.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::ThrowsMessage;

struct LoopRun {
  Outcome outcome;
  std::vector<Sample> samples;
};
LoopRun run_of(const Model& model, const Scenario& scenario) {
  MemoryRecorder memory;
  LoopRun result;
  result.outcome = Simulator(model, scenario).run({&memory});
  result.samples = memory.samples();
  return result;
}

/// A hub with an arm of two bars; `floating`: the base can move, else the hub is free and a loop holds it.
Robot held_arm(bool floating) {
  Robot robot;
  robot.links = {{.name = "hub", .body = rigid_body(0.7, {0.02, 0.01, 0}, {0.01, 0.02, 0.03}, {0, 0, 0.1})},
                 bar("upper", "hub", 0.4, {0, 1, 0}),
                 bar("fore", "upper", 0.3, {1, 0, 0})};
  robot.links[2].parent.at = PortLocation::tip();
  robot.floating_base = floating;
  if (floating) return robot;
  robot.links.front().joint = make_free_joint<double>();
  Loop loop;
  loop.name = "grip", loop.type = LoopType::fixed;
  loop.a.link = "base", loop.b.link = "hub", loop.b.at = PortLocation::base();
  robot.loops = {loop};
  return robot;
}

PoseMotion shaken() {
  PoseMotion motion;
  motion.position = {{Signal::sine(0.2, 0.9, 0.5 * std::numbers::pi, 0.3), 0.1, Signal::quintic(0, 1, 0, 0.4)}};
  motion.rpy = {{Signal::quintic(0, 1, 0.1, 0.8), 0.2, Signal::quintic(0, 1, -0.5, 1.9)}};
  return motion;
}

// The same motion of a hub, once as the base of a tree, once held by a loop: other coordinates, other equations.
TEST(DrivenLoops, HoldAHubAsADrivenBaseDoes) {
  Scenario by_base;
  by_base.duration = 1.0, by_base.output_step = 0.1, by_base.integrator = adaptive("bdf", 1e-9);
  by_base.motion.base = shaken();
  Robot held = held_arm(false);
  held.loops[0].drive = shaken();
  Scenario by_loop;
  by_loop.duration = 1.0, by_loop.output_step = 0.1;
  drive_loops(held, by_loop.motion);
  EXPECT_THAT(by_loop.motion.joints, ElementsAre(Key("grip_drive_pitch"), Key("grip_drive_roll"), Key("grip_drive_x"),
                                                 Key("grip_drive_y"), Key("grip_drive_yaw"), Key("grip_drive_z")));
  const Model base(held_arm(true)), loop(held);
  const LoopRun reference = run_of(base, by_base);
  for (const char* type : {"newmark", "hht", "generalized_alpha", "midpoint", "energy_conserving"}) {
    SCOPED_TRACE(type);
    by_loop.integrator = fixed(type, 1e-3);
    LoopRun found;
    ASSERT_NO_THROW(found = run_of(loop, by_loop));
    ASSERT_EQ(found.samples.size(), reference.samples.size());
    for (std::size_t i = 0; i < found.samples.size(); ++i) {
      const Sample &s = found.samples[i], &r = reference.samples[i];
      EXPECT_LT((s.q.segment<2>(7) - r.q.tail<2>()).norm(), std::string(type) == "hht" ? 2e-3 : 2e-4);
      EXPECT_LT(s.loop_residual.cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_NEAR(s.load, r.load, 2e-3) << "what moves the frame does the work that moves the base";
      EXPECT_LT(norm(s.tips[0].position - r.tips[0].position), 1e-8);
    }
    EXPECT_GT(std::abs(found.samples.back().load), 0.1);
  }
}

// A drive moves frame a from where it is, in a run and before one.
TEST(DrivenLoops, StartWhereTheDriveDoesAndKeepTheRest) {
  Robot robot = held_arm(false);
  robot.loops[0].a.pose.position = {0.3, 0.2, 0.1};
  robot.loops[0].a.pose.rotation = quaternion_exponential(Vector3{0.4, -0.3, 0.2}).matrix();
  const auto residual_of = [](const Robot& some) {
    const Model model(some);
    Data data(model);
    ConstraintData constraints(model);
    return VectorXd(constraint_residual<double>(model, data, constraints, model.neutral()));
  };
  for (const bool moves : {true, false}) {
    SCOPED_TRACE(moves ? "position" : "rpy");
    Robot driven = robot;
    (moves ? driven.loops[0].drive.position : driven.loops[0].drive.rpy) = (moves ? shaken().position : shaken().rpy);
    const VectorXd open = residual_of(driven);
    Scenario scenario;
    scenario.duration = 0.01, scenario.integrator = fixed("midpoint", 1e-3);
    drive_loops(driven, scenario.motion);
    EXPECT_EQ(scenario.motion.joints.size(), 3U);
    const Sample first = run_of(Model(driven), scenario).samples.front();
    Robot placed = robot;
    Pose& a = placed.loops[0].a.pose;
    if (moves) {
      a.position = a.position + a.rotation * Vector3{0.5, 0.1, 0.0};
    } else {
      a.rotation = a.rotation * quaternion_exponential(Vector3{0, 0, -0.5}).matrix() *
                   quaternion_exponential(Vector3{0, 0.2, 0}).matrix() *
                   quaternion_exponential(Vector3{0.1, 0, 0}).matrix();
    }
    EXPECT_LT((residual_of(placed) - open).norm(), 1e-14);
    EXPECT_GT((residual_of(robot) - open).norm(), 0.1);
    EXPECT_LT(first.loop_residual.norm(), 1e-9);
  }
}

// A cable that is pushed together: Euler's elastica between two clamps. L = 4 K / sqrt(P / EI), d = L (2 E / K - 1).
TEST(DrivenLoops, PushACableIntoAnElastica) {
  ScenarioFile file = load_scenario_file(test::k_source_dir + "/models/examples/gripped_rod_scenario.yaml",
                                         {"simulation.duration=4", "robot.links.cable.body.rest_strain.kappa_y=0.002"});
  const LoopRun found = run_of(Model(file.robot), file.scenario);
  double k = 0.5;
  for (int i = 0; i < 200; ++i) {  // d / L falls with k
    const double distance = 2 * std::comp_ellint_2(k) / std::comp_ellint_1(k) - 1;
    k += 0.2 * (distance - 0.3 / 0.5);
  }
  const double K = std::comp_ellint_1(k), EI = 5e7 * std::numbers::pi / 4 * std::pow(0.003, 4);
  const double push = 16 * K * K * EI / 0.25;
  const Sample& last = found.samples.back();
  const auto recorded = recorded_motion(Model(file.robot), file.scenario.motion);
  ASSERT_EQ(recorded[2].name, "grip_drive_z");
  EXPECT_NEAR(-last.motion[2], push, 0.01 * push);
  EXPECT_LT(found.outcome.energy_error, 1e-3 * found.outcome.peak_energy);
  // in the middle the arch is highest: 2 k L / (2 K) from the line between the clamps
  const auto middle = std::abs(last.markers.front().position.x);
  EXPECT_NEAR(middle, k * 0.5 / K, 0.002);
}

TEST(DrivenLoops, AreWrittenAndReadAgain) {
  Robot robot = held_arm(false);
  robot.loops[0].drive = shaken();
  const std::string text = write_robot(robot).yaml;
  const ScenarioFile plain = read_scenario_text("cuttle: 1\nrobot: r.yaml\nsimulation: {}\n", "s.yaml", text);
  EXPECT_EQ(plain.robot.links.size(), robot.links.size() + 6);
  EXPECT_EQ(plain.scenario.motion.joints.at("grip_drive_x"), std::vector<Signal>{(*shaken().position)[0]});
  EXPECT_EQ(plain.scenario.motion.joints.at("grip_drive_yaw"), std::vector<Signal>{(*shaken().rpy)[2]});
  Robot driven = robot;
  DrivenMotion motion;
  drive_loops(driven, motion);
  EXPECT_TRUE(driven.loops[0].drive.empty());
  EXPECT_EQ(motion.joints, plain.scenario.motion.joints);
}

TEST(DrivenLoops, AreRefusedWhereNothingMovesThem) {
  Robot robot = held_arm(false);
  robot.loops[0].drive = shaken();
  const Model model(robot);
  const auto refused = ThrowsMessage<ArgumentError>(
      HasSubstr("loops.grip.drive: found a frame that moves in time, expected one that stays"));
  EXPECT_THAT([&] { Simulator(model, Scenario{}); }, refused);
  EXPECT_THAT([&] { LiveSimulation(robot, Scenario{}); }, refused);
  Robot jumping = robot;
  (*jumping.loops[0].drive.position)[1] = Signal::step(0.5, 0, 1);
  Scenario scenario;
  drive_loops(jumping, scenario.motion);
  EXPECT_THAT([&] { Simulator(Model(jumping), scenario); },
              ThrowsMessage<ArgumentError>(HasSubstr("motion.grip_drive_y[0]: found a signal whose value jumps")));
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
