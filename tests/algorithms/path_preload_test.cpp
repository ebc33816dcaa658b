// Paths of the load of robots that are not free of stress where they begin, and paths that end where a robot ends.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cuttle/algorithms/equilibrium_path.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/elements/spring.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// A bar of length 1 on a hinge, with its center at half of it.
Link bar(const std::string& name, const std::string& parent) {
  RigidParameters p;
  p.mass = 0.3, p.com = {0, 0, 0.5}, p.inertia = {0.01, 0.01, 0.01, 0, 0, 0}, p.tip.position = {0, 0, 1};
  Link link{.name = name,
            .parent = {.link = parent},
            .joint = make_revolute_joint<double>({0, 1, 0}),
            .body = std::make_shared<RigidBody>(p)};
  return link;
}

/// Bars that lie along x in a row, the first ones in springs that are wound up.
Robot wound_chain() {
  Robot robot;
  robot.gravity = {0, 0, -9.81};
  robot.links = {bar("a", "base"), bar("b", "a"), bar("c", "b")};
  robot.links[0].joint_dynamics.stiffness = {8.0}, robot.links[0].joint_dynamics.rest = {0.9};
  robot.links[1].joint_dynamics.stiffness = {3.0}, robot.links[1].joint_dynamics.rest = {-0.5};
  return robot;
}

/// The largest force out of balance under a part of gravity, of a robot without loops.
double out_of_balance(const Robot& robot, double part, const VectorXd& q) {
  Robot lighter = robot;
  lighter.gravity = part * robot.gravity;
  const Model model(lighter);
  Data data(model);
  const VectorXd zero = VectorXd::Zero(model.nv());
  return inverse_dynamics<double>(model, data, q, zero, zero).lpNorm<Eigen::Infinity>();
}

TEST(PathPreloadTest, PointsOfALoadAreEquilibriaUnderThatLoad) {
  Robot robot = wound_chain();
  robot.links[2].joint_dynamics.stiffness = {1.0};
  const Model model(robot);
  const auto path = follow_equilibria(model, {}, model.neutral(), {});
  ASSERT_GE(path.size(), 1u);
  EXPECT_EQ(path[0].points.back().parameter, 1.0);
  ASSERT_GT(path[0].points.size(), 5u);
  const VectorXd& first = path[0].points[0].equilibrium.q;
  EXPECT_LT((first - Eigen::Vector3d(0.9, -0.5, 0.0)).norm(), 1e-11);
  for (const PathPoint& p : path[0].points) {
    EXPECT_LT(out_of_balance(robot, p.parameter, p.equilibrium.q), 1e-8) << p.parameter;
  }
  Data data(model);
  const StaticEquilibrium end = static_equilibrium(model, data, {}, first);
  EXPECT_LT((path[0].points.back().equilibrium.q - end.q).norm(), 1e-8);
}

// Without load nothing holds the last bar.
TEST(PathPreloadTest, BeginsBesideWhatIsFree) {
  const Model model(wound_chain());
  const VectorXd q0 = Eigen::Vector3d(0.1, 0.2, 2.0);
  const auto path = follow_equilibria(model, {}, q0, {});
  EXPECT_LT((path[0].points[0].equilibrium.q - Eigen::Vector3d(0.9, -0.5, 0.0)).head<2>().norm(), 1e-11);
}

// also of what elements pull at the start, with inputs, and with loops that carry a part of it
TEST(PathPreloadTest, HoldsWithElementsInputsAndLoops) {
  for (const bool looped : {false, true}) {
    Robot robot = wound_chain();
    robot.links[2].joint_dynamics.stiffness = {0.5};
    const Place support{"base", PortLocation::base(), {Matrix3::identity(), {0.5, 0, -0.7}}};
    robot.elements.push_back(
        make_spring<double>("cord", support, {"b", PortLocation::tip(), {}}, {.stiffness = 15.0, .rest_length = 0.3}));
    robot.actuators.push_back(Actuator::joint("motor", "a"));
    if (looped) {
      robot.loops.push_back({.name = "pin",
                             .type = LoopType::spherical,
                             .a = {"base", PortLocation::base(), {Matrix3::identity(), {0.4, 0, 1.9}}},
                             .b = {"c"}});
    }
    const Model model(robot);
    StaticLoads loads;
    loads.u = VectorXd::Constant(1, 1.7);
    VectorXd q0 = model.neutral();
    if (looped) q0 << 0.6, -0.7, 0.4;
    const auto path = follow_equilibria(model, loads, q0, {});
    ASSERT_GE(path.size(), 1u);
    EXPECT_EQ(path[0].points.back().parameter, 1.0) << path[0].end;
    for (const PathPoint& p : path[0].points) {
      // the same equilibrium, as statics has it with that much of all
      Robot lighter = robot;
      lighter.gravity = p.parameter * robot.gravity;
      const Model its(lighter);
      Data data(its);
      StaticLoads part;
      part.u = p.parameter * loads.u;
      const StaticEquilibrium found = static_equilibrium(its, data, part, p.equilibrium.q);
      EXPECT_LT((found.q - p.equilibrium.q).norm(), 1e-8) << p.parameter << ", looped: " << looped;
      EXPECT_LT((found.multipliers - p.equilibrium.multipliers).norm(), 1e-6) << p.parameter;
    }
  }
}

// A bar in a spring of which there is no less than nothing.
TEST(PathPreloadTest, ArrivesWhereTheRobotEnds) {
  Robot robot;
  robot.gravity = {0.2, 0, -9.81};
  robot.links = {bar("a", "base")};
  robot.links[0].joint_dynamics.stiffness = {4.0}, robot.links[0].joint_dynamics.rest = {3.0};
  const Model model(robot);
  const std::string name = "links.a.joint.stiffness";
  ASSERT_ANY_THROW(model.with(name, -1e-12));
  for (const auto& [from, to] : {std::pair{4.0, 0.0}, {0.0, 4.0}, {1e-3, 0.0}}) {
    const auto path = follow_equilibria(model, {}, model.neutral() + VectorXd::Constant(1, 2.9),
                                        {PathParameter::Kind::parameter, name, from, to});
    EXPECT_EQ(path[0].end, "the end of the range") << from;
    EXPECT_EQ(path[0].points.front().parameter, from);
    EXPECT_EQ(path[0].points.back().parameter, to);
    for (const PathPoint& p : path[0].points) {
      const double angle = p.equilibrium.q[0];
      EXPECT_NEAR(p.parameter * (angle - 3.0), 0.15 * (0.2 * std::cos(angle) + 9.81 * std::sin(angle)), 1e-9)
          << p.parameter;
    }
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
