// Hybrid dynamics: some accelerations given, the efforts that this takes found.
#include "cuttle/algorithms/driven_dynamics.h"

#include <gtest/gtest.h>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/error.h"
#include "support/epsilon.h"
#include "support/random.h"
#include "support/random_state.h"
#include "support/robot_cases.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// Some joints of a robot, at random; its floating base too.
DrivenJoints some_joints(const Model& model, Random& random) {
  DrivenJoints joints;
  joints.driven.assign(static_cast<std::size_t>(model.nv()), 0);
  for (const Edge& edge : model.topology().edges) {
    if (edge.kind == EdgeKind::body || random.uniform() < 0.0) continue;
    for (int k = 0; k < edge.nv; ++k) joints.driven[static_cast<std::size_t>(edge.v + k)] = 1;
  }
  return joints;
}

// The reference is inverse dynamics, which knows nothing of articulated bodies: what its forces lack of tau and the
// wrench are the efforts, and nothing at coordinates that are free.
TEST(DrivenDynamicsTest, LeavesEffortsOnDrivenCoordinatesAlone) {
  double worst = 0.0;
  int driven = 0, free = 0;
  for_every_robot([&](const RobotCase& robot, Data& data, const RandomState& s) {
    const Model& model = robot.model;
    Random random(robot.seed + 57);
    DrivenJoints joints = some_joints(model, random);
    joints.a = s.a;
    VectorXd tau(model.nv());
    for (int i = 0; i < model.nv(); ++i) tau[i] = random.uniform();
    const std::vector<ExternalWrench> wrenches{
        {model.links().back().tip, {{0.1, 0.2, -0.3}, {0.4, -0.5, 0.6}}, Axes::world}};
    const VectorXd a = driven_dynamics<double>(model, data, s.q, s.v, tau, joints, wrenches);
    const MatrixXd M = mass_matrix(model, data, s.q);
    const VectorXd force = inverse_dynamics<double>(model, data, s.q, s.v, a, wrenches);
    const double scale = M.norm() * a.norm() + force.norm() + tau.norm();
    const VectorXd off = force - tau - joints.effort;
    worst = std::max(worst, off.norm() / scale);
    EXPECT_LT(off.norm(), 1e-10 * scale) << "seed " << robot.seed;
    for (int k = 0; k < model.nv(); ++k) {
      if (joints.driven[static_cast<std::size_t>(k)] != 0) {
        EXPECT_EQ(a[k], s.a[k]);
        ++driven;
      } else {
        EXPECT_EQ(joints.effort[k], 0.0);
        ++free;
      }
    }
  });
  EXPECT_GT(driven, 200);
  EXPECT_GT(free, 200);
  RecordProperty("worst", std::to_string(worst));
}

// Nothing driven is forward dynamics, to the last bit.
TEST(DrivenDynamicsTest, IsForwardDynamicsWithoutDrive) {
  for_every_robot([&](const RobotCase& robot, Data& data, const RandomState& s) {
    const Model& model = robot.model;
    DrivenJoints joints;
    joints.driven.assign(static_cast<std::size_t>(model.nv()), 0);
    joints.a = s.a;
    const VectorXd expected = forward_dynamics(model, data, s.q, s.v, VectorXd::Ones(model.nv()));
    EXPECT_EQ(driven_dynamics<double>(model, data, s.q, s.v, VectorXd::Ones(model.nv()), joints), expected)
        << "seed " << robot.seed;
  });
}

/// Two links that move, neither with mass, and one that has some.
Model massless_slider() {
  Robot robot;
  robot.name = "slider";
  robot.links.push_back({.name = "rail", .joint = make_prismatic_joint<double>({1, 0, 0})});
  robot.links.push_back({.name = "turn", .joint = make_universal_joint<double>({1, 0, 0}, {0, 1, 0})});
  return Model(robot);
}

TEST(DrivenDynamicsTest, NeedsNoMassBehindTheDrive) {
  const Model model = massless_slider();
  Data data(model);
  const VectorXd zero = VectorXd::Zero(3);
  EXPECT_THROW(forward_dynamics(model, data, zero, zero, zero), SingularMassError);
  DrivenJoints joints;
  joints.driven = {1, 1, 1};
  joints.a = Eigen::Vector3d(1, 2, 3);
  EXPECT_EQ(driven_dynamics<double>(model, data, zero, zero, zero, joints), joints.a);
  EXPECT_EQ(joints.effort, zero);
}

TEST(DrivenDynamicsTest, RefusesAJointThatIsDrivenInPart) {
  const Model model = massless_slider();
  Data data(model);
  const VectorXd zero = VectorXd::Zero(3);
  DrivenJoints joints;
  joints.driven = {1, 0, 1};
  joints.a = zero;
  try {
    driven_dynamics<double>(model, data, zero, zero, zero, joints);
    FAIL();
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(error.what(),
                 "driven_dynamics: joints.driven: found 1 of 2 coordinates from turn.joint.v0 on, expected all of a "
                 "joint or none, and none of a body");
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
