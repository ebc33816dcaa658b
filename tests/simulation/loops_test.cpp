// Closed loops in time: drift, multipliers, another cut, redundant rows, order, a rod between two joints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/error.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/integrator_runs.h"
#include "simulation/simulation_robots.h"
#include "support/loop_robots.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

Scenario scenario_of(const std::string& type, double step, double duration) {
  Scenario scenario;
  scenario.duration = duration, scenario.output_step = duration / 20;
  scenario.integrator = fixed(type, step);
  return scenario;
}

struct Result {
  Outcome outcome;
  std::vector<Sample> samples;
};
Result simulated(const Model& model, const Scenario& scenario) {
  MemoryRecorder memory;
  Result result;
  result.outcome = Simulator(model, scenario).run({&memory});
  result.samples = memory.samples();
  return result;
}

/// A closed configuration of a four-bar linkage near the given angles.
VectorXd closed(const Model& model, const VectorXd& near) {
  Data data(model);
  ConstraintData constraints(model);
  VectorXd q = near;
  close_loops(model, data, constraints, q);
  return q;
}

void start_at(const Model& model, const VectorXd& q, Scenario& scenario) {
  for (const auto& link : model.links()) {
    scenario.initial[link.name].q.assign(q.data() + link.q, q.data() + link.q + link.nq);
  }
}

TEST(LoopSimulationTest, FourBarStaysClosedAndKeepsItsEnergy) {
  const Model model(FourBar().robot());
  for (const char* method : {"generalized_alpha", "newmark", "hht", "midpoint"}) {
    Scenario scenario = scenario_of(method, 1e-3, 2.0);
    start_at(model, closed(model, Eigen::Vector3d(0.9, -0.5, 1.2)), scenario);
    const auto [outcome, samples] = simulated(model, scenario);
    EXPECT_EQ(outcome.status, RunStatus::complete);
    EXPECT_THAT(outcome.redundant_rows, testing::SizeIs(3)) << "a spatial pin in a planar linkage";
    for (const Sample& s : samples) EXPECT_LT(s.loop_residual.cwiseAbs().maxCoeff(), 1e-9) << method;
    EXPECT_LT(outcome.energy_error, 2e-4 * outcome.peak_kinetic) << method;
    EXPECT_GT(outcome.peak_kinetic, 0.1);
  }
}

// [B] Remark 1: where the loop is cut does not matter.
TEST(LoopSimulationTest, AnotherCutMovesTheSame) {
  const FourBar bars;
  const Model first(bars.robot());
  const VectorXd q = closed(first, Eigen::Vector3d(0.9, -0.5, 1.2));
  Robot other = bars.robot();
  other.links[1].parent.link = "rocker";
  std::swap(other.links[1], other.links[2]);  // a parent stands before its child
  other.loops[0].a.link = "crank", other.loops[0].b.link = "coupler";
  const Model second(other);
  // the coupler now begins at the rocker's end and points back
  const double absolute = q[0] + q[1];
  const Eigen::Vector3d q_other(q[0], q[2], absolute + M_PI - q[2]);
  // other coordinates have other errors of integration: they go like the step's square
  double last = 0.0;
  for (const double step : {2e-3, 1e-3, 5e-4}) {
    Scenario scenario = scenario_of("generalized_alpha", step, 1.0);
    start_at(first, q, scenario);
    const auto one = simulated(first, scenario);
    scenario.initial.clear();
    start_at(second, q_other, scenario);
    const auto two = simulated(second, scenario);
    double largest = 0.0;
    for (std::size_t i = 0; i < one.samples.size(); ++i) {
      largest = std::max({largest, std::abs(one.samples[i].q[0] - two.samples[i].q[0]),
                          std::abs(one.samples[i].q[2] - two.samples[i].q[1])});
    }
    EXPECT_GT(std::abs(one.samples.back().q[0] - q[0]), 0.05);
    if (last > 0.0) {
      EXPECT_NEAR(last / largest, 4.0, 0.6) << step;
    }
    last = largest;
  }
  EXPECT_LT(last, 2e-4);
}

// A spherical loop between a free body and the world is a spherical joint; the multiplier is the joint's force.
TEST(LoopSimulationTest, FreeBodyHeldAtAPointIsASphericalPendulum) {
  const auto body = rigid_body(1.3, {0.1, 0.05, -0.3}, {0.02, 0.035, 0.05}, {});
  Robot joint;
  joint.links.push_back({.name = "block", .joint = make_spherical_joint<double>(), .body = body});
  Loop pin;
  pin.name = "pin", pin.type = LoopType::spherical;
  pin.a.link = "base", pin.a.at = PortLocation::base();
  pin.b.link = "block", pin.b.at = PortLocation::base();
  Robot tree;
  tree.links.push_back({.name = "block", .joint = make_free_joint<double>(), .body = body});
  tree.loops = {pin};
  const Model pendulum(joint), held(tree);
  Scenario scenario = scenario_of("generalized_alpha", 1e-3, 1.0);
  scenario.initial["block"].v = {0.5, -0.7, 1.1};
  const auto one = simulated(pendulum, scenario);
  scenario.initial["block"].v = {0.5, -0.7, 1.1, 0.0, 0.0, 0.0};
  const auto two = simulated(held, scenario);
  for (std::size_t i = 0; i < one.samples.size(); ++i) {
    VectorXd turned(4);
    turned << two.samples[i].q.tail(4);
    EXPECT_LT((turned - one.samples[i].q).norm(), 1e-6) << one.samples[i].time;
    EXPECT_LT(two.samples[i].q.head(3).norm(), 1e-9);
  }
  // what b, the block, pushes on a, the world: weight at rest
  Scenario rest = scenario_of("newmark", 1e-2, 0.1);
  Robot hanging = tree;
  hanging.links[0].body = rigid_body(1.3, {0.0, 0.0, -0.3}, {0.02, 0.035, 0.05}, {});
  const Model weight(hanging);
  const auto three = simulated(weight, rest);
  EXPECT_NEAR(three.samples.back().multipliers[2], -1.3 * 9.81, 1e-9);
  EXPECT_NEAR(three.samples.back().multipliers.head(2).norm(), 0.0, 1e-9);
}

TEST(LoopSimulationTest, PositionsConvergeWithOrderTwo) {
  const Model model(FourBar().robot());
  const VectorXd q = closed(model, Eigen::Vector3d(0.9, -0.5, 1.2));
  const auto crank = [&](const char* method, double step) {
    Scenario scenario = scenario_of(method, step, 0.8);
    start_at(model, q, scenario);
    return simulated(model, scenario).samples.back().q[0];
  };
  const double exact = crank("generalized_alpha", 2.5e-4);
  for (const char* method : {"generalized_alpha", "hht", "newmark", "midpoint"}) {
    const double coarse = std::abs(crank(method, 8e-3) - exact), fine = std::abs(crank(method, 4e-3) - exact);
    EXPECT_GT(std::log2(coarse / fine), 1.7) << method;
    EXPECT_LT(std::log2(coarse / fine), 2.4) << method;
  }
}

// A rod clamped to the world at one end and pinned at the other to a hinged bar: statics under a torque, and a start
// from there stays where it is.
TEST(LoopSimulationTest, ARodInALoopRestsInItsEquilibrium) {
  Robot robot;
  robot.links.push_back({.name = "rod", .body = rod_body(0.4, 0.02, "pac", 0.05)});
  robot.links.push_back(bar("bar", "base", 0.3, {0, -1, 0}));
  robot.links[1].parent.pose.position = {0.45, 0, 0.3};
  robot.gravity = {0.3, 0.0, -0.5};
  Loop pin;
  pin.name = "pin", pin.type = LoopType::spherical, pin.a.link = "rod", pin.b.link = "bar";
  robot.loops = {pin};
  const Model model(robot);
  Data data(model);
  VectorXd q0 = VectorXd::Zero(model.nq());
  q0[2] = 1.0, q0[model.nq() - 1] = M_PI;
  const auto found = static_equilibrium(model, data, {}, q0);
  EXPECT_LT(found.residual, 1e-9);
  EXPECT_TRUE(found.stable());
  Scenario scenario = scenario_of("generalized_alpha", 1e-2, 1.0);
  start_at(model, found.q, scenario);
  const auto result = simulated(model, scenario);
  EXPECT_LT((result.samples.back().q - found.q).norm(), 1e-6);
  EXPECT_LT((result.samples.back().multipliers - found.multipliers).norm(), 1e-5 * (1.0 + found.multipliers.norm()));
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
