// Velocities that close loops at the start follow the masses where what is given leaves a choice: derivatives by
// masses, forward and backward, against differences of runs.

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "cuttle/simulation/simulator.h"
#include "simulation/both_ways.h"
#include "support/loop_robots.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// q and v at the end of a run that is solved to rounding.
VectorXd end_of(const Model& model, const Scenario& scenario) {
  return sensitivities(model, scenario, {"q", "v"}, {}, {scenario.duration}).values.back();
}

/// @param following  of the masses below, those that the start follows.
void expect_derivatives(const Robot& robot, Scenario scenario, const std::array<bool, 3>& following) {
  const Model model(robot);
  scenario.duration = 0.1, scenario.output_step = 0.1;
  scenario.integrator.step = 2e-3;
  const std::vector<std::string> by{"links.crank.body.mass", "links.rocker.body.mass", "links.coupler.body.inertia[1]"};
  const auto begins = [&](const Model& its) { return Simulator(its, scenario).initial_state().v; };
  for (const char* type : {"newmark", "hht", "generalized_alpha", "midpoint"}) {
    scenario.integrator.type = type;
    const Sensitivities found = sensitivities(model, scenario, {"q", "v"}, by, {0.0, 0.1});
    for (std::size_t k = 0; k < by.size(); ++k) {
      const double at = found.parameters[k].value, step = 1e-3 * at;
      const Model more = model.with(by[k], at + step), less = model.with(by[k], at - step);
      const VectorXd start = (begins(more) - begins(less)) / (2.0 * step);
      EXPECT_EQ(start.norm() > 1e-3, following[k]) << by[k];
      const auto column = [&](std::size_t time) {
        return VectorXd(found.derivatives[time].col(static_cast<Eigen::Index>(k)));
      };
      EXPECT_LT((column(0).tail(model.nv()) - start).norm(), 1e-6 * (1.0 + start.norm())) << type << ", " << by[k];
      const VectorXd end = (end_of(more, scenario) - end_of(less, scenario)) / (2.0 * step);
      EXPECT_LT((column(1) - end).norm(), 1e-4 * end.norm()) << type << ", " << by[k];
    }
    expect_alike(both_ways(model, scenario, {0.0, 0.05, 0.1}, by), by, 1e-8, 1e-8);
  }
}

TEST(ClosedStart, VelocitiesFollowTheMasses) {
  Scenario scenario;
  scenario.initial["crank"].q = {0.9};
  scenario.initial["crank"].v = {3.0}, scenario.initial["coupler"].v = {1.0}, scenario.initial["rocker"].v = {-2.0};
  expect_derivatives(FourBar().robot(), scenario, {true, true, true});
}

// two ways to move, one of which is given
TEST(ClosedStart, VelocitiesFollowTheMassesWhereSomeAreHeld) {
  Robot robot = FourBar().robot();
  robot.links[2].parent.link = "slide", robot.links[2].parent.pose.position = {};
  Link slide = bar("slide", "base", 0.1, {0, 0, 1});
  slide.joint = make_prismatic_joint<double>({1, 0, 0});
  slide.parent.pose.position = {FourBar().ground - 0.1, 0, 0};
  robot.links.insert(robot.links.begin() + 2, slide);
  Scenario scenario;
  scenario.initial["crank"].q = {0.9};
  scenario.initial["crank"].v = {3.0};
  expect_derivatives(robot, scenario, {false, true, true});
}

// the loop alone says how the others move
TEST(ClosedStart, VelocitiesOfAMechanismDoNot) {
  Scenario scenario;
  scenario.initial["crank"].q = {0.9}, scenario.initial["crank"].v = {3.0};
  expect_derivatives(FourBar().robot(), scenario, {false, false, false});
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
