#include "cuttle/bodies/rigid_body.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "cuttle/error.h"
#include "cuttle/spatial/exponential.h"
#include "support/angles.h"
#include "support/epsilon.h"

namespace cuttle::CUTTLE_FILE {
namespace {

RigidParameters sample() {
  RigidParameters p;
  p.mass = 1.3;
  p.com = {0.1, -0.2, 0.3};
  p.inertia = {0.03, 0.04, 0.05, 0.001, -0.002, 0.003};
  p.tip = exponential(Twist{{0.3, -0.5, 0.8}, {0.2, 0.1, 0.4}});
  return p;
}
std::string message(const RigidParameters& p) {
  try {
    const RigidBody body(p);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}
double distance(const Wrench& a, const Wrench& b) { return norm(a.torque - b.torque) + norm(a.force - b.force); }
double distance(const Twist& a, const Twist& b) { return norm(a.angular - b.angular) + norm(a.linear - b.linear); }

class RigidBodySweeps : public testing::Test {
 protected:
  RigidParameters parameters = sample();
  RigidBody body{parameters};
  std::vector<double> elimination = std::vector<double>(body.workspace_size().elimination);
  WorkspaceT<double> workspace{nullptr, nullptr, elimination.data()};
  test::Random random{5};
  BodyStateT<double> state{nullptr, nullptr, nullptr, test::random_twist<double>(random),
                           test::random_twist<double>(random)};
};

// Newton and Euler about the center of mass, in the base frame's instantaneous axes.
TEST_F(RigidBodySweeps, BackwardIsNewtonEuler) {
  PortMotionT<double> tip;
  body.forward(MotionLevel::acceleration, state, workspace, &tip);
  const Wrench tip_wrench = test::random_wrench<double>(random);
  Wrench base_wrench;
  body.backward(state, &tip_wrench, workspace, base_wrench, nullptr);

  const Vector3 &w = state.base_velocity.angular, &v = state.base_velocity.linear, &c = parameters.com;
  const Vector3& dw = state.base_acceleration.angular;
  const Vector3 a_origin = state.base_acceleration.linear + cross(w, v);  // classical acceleration
  const Vector3 a_com = a_origin + cross(dw, c) + cross(w, cross(w, c));
  const Vector3 force = parameters.mass * a_com;
  const Vector3 spin = parameters.inertia * dw + cross(w, parameters.inertia * w);
  const Wrench expected = Wrench{spin + cross(c, force), force} + parameters.tip.act(tip_wrench);
  EXPECT_LT(distance(base_wrench, expected), 50 * test::k_eps);
  EXPECT_NEAR(body.kinetic_energy(state, workspace),
              0.5 * parameters.mass * dot(v + cross(w, c), v + cross(w, c)) + 0.5 * dot(w, parameters.inertia * w),
              20 * test::k_eps);
  EXPECT_LT(norm(body.mass_moment(workspace) - parameters.mass * c), test::k_eps);
}

TEST_F(RigidBodySweeps, TipFollowsTheBase) {
  PortMotionT<double> tip;
  body.forward(MotionLevel::acceleration, state, workspace, &tip);
  EXPECT_LT(distance(tip.velocity, parameters.tip.act_inverse(state.base_velocity)), 10 * test::k_eps);
  EXPECT_LT(distance(tip.acceleration, parameters.tip.act_inverse(state.base_acceleration)), 10 * test::k_eps);
  EXPECT_LT(norm(tip.base_port.position - parameters.tip.position), test::k_eps);
}

// The default elimination with no coordinates only adds what hangs at the tip.
TEST_F(RigidBodySweeps, EliminationAddsWhatHangsAtTheTip) {
  ArticulatedLoadT<double> child, base;
  child.inertia = ArticulatedInertia::from(RigidBody(sample()).rest_inertia());
  child.bias = test::random_wrench<double>(random);
  const ArticulatedLoadT<double>* ports[1] = {&child};
  PortMotionT<double> tip;
  const Twist A = state.base_acceleration;
  state.base_acceleration = Twist::zero();
  body.forward(MotionLevel::acceleration, state, workspace, &tip);
  ASSERT_TRUE(body.eliminate(state, nullptr, ports, &tip, workspace, base));
  body.back_substitute(A, workspace, nullptr, &tip);
  EXPECT_LT(distance(tip.acceleration, parameters.tip.act_inverse(A)), 10 * test::k_eps);

  state.base_acceleration = A;
  Wrench expected;
  const Wrench tip_wrench = child.inertia * tip.acceleration + child.bias;
  body.backward(state, &tip_wrench, workspace, expected, nullptr);
  EXPECT_LT(distance(base.inertia * A + base.bias, expected), 100 * test::k_eps);
}

TEST(RigidBody, ClonesKeepEverything) {
  const RigidBody body(sample());
  const std::unique_ptr<BodyT<long double>> wide = body.clone_as(ScalarTag<long double>{});
  EXPECT_EQ(wide->rest_inertia().mass, body.rest_inertia().mass);
  EXPECT_NEAR(static_cast<double>(wide->rest_inertia().rotation.xy), body.rest_inertia().rotation.xy, test::k_eps);
  EXPECT_EQ(body.clone()->rest_inertia().rotation.zz, body.rest_inertia().rotation.zz);
  EXPECT_EQ(body.clone_as(ScalarTag<double>{})->type_name(), "rigid");
}

TEST(RigidBody, AcceptsSemidefiniteInertia) {
  RigidParameters p = sample();
  p.inertia = {};  // point mass
  EXPECT_EQ(message(p), "");
  p.mass = 0;
  EXPECT_EQ(message(p), "");
  // a thin rod turned anywhere: rounding makes the zero moment slightly negative
  test::Random random(6);
  for (int trial = 0; trial < 50; ++trial) {
    const Matrix3 R = rotation_exponential(test::random_vector<double>(random, 3.0));
    p.inertia = SymmetricMatrix3::diagonal(0.2, 0.2, 0.0).rotated(R);
    EXPECT_EQ(message(p), "") << "trial " << trial;
    EXPECT_FALSE(RigidBody(p).warning()) << "trial " << trial;
  }
}

TEST(RigidBody, RefusesWhatNoBodyHas) {
  RigidParameters p = sample();
  p.mass = -1;
  EXPECT_EQ(message(p), "mass: found -1, expected a number >= 0 [kg]");
  p = sample();
  p.mass = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message(p), "");
  p = sample();
  p.com.y = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message(p), "com: found [0.1, inf, 0.3], expected finite numbers [m]");
  p = sample();
  p.inertia = {1, 1, 1, 2, 0, 0};
  EXPECT_EQ(message(p), "inertia: found principal moments [-1, 1, 3], expected none below 0 [kg m^2]");
  p.inertia = {-1, -1, -1, 0, 0, 0};
  EXPECT_NE(message(p), "");
  p.inertia = {1, 1, std::numeric_limits<double>::quiet_NaN(), 0, 0, 0};
  EXPECT_NE(message(p), "");
}

TEST(RigidBody, WarnsOfPrincipalMomentsThatNoBodyHas) {
  RigidParameters p = sample();
  EXPECT_FALSE(RigidBody(p).warning());
  p.inertia = SymmetricMatrix3::diagonal(0.1, 0.2, 0.3);  // flat: allowed
  EXPECT_FALSE(RigidBody(p).warning());
  p.inertia = SymmetricMatrix3::diagonal(0.1, 0.2, 0.30025);  // as files round to three digits
  EXPECT_FALSE(RigidBody(p).warning());
  p.inertia = SymmetricMatrix3::diagonal(0.1, 0.2, 0.3005);
  EXPECT_TRUE(RigidBody(p).warning());
  p.inertia = SymmetricMatrix3::diagonal(0.1, 0.2, 0.4);
  ASSERT_TRUE(RigidBody(p).warning());
  EXPECT_EQ(RigidBody(p).warning()->text(),
            "inertia: found principal moments [0.1, 0.2, 0.4] kg m^2, expected none above the sum of the other two; no "
            "real body has such an inertia");
}

TEST(RigidBody, HasNoPortButItsTip) {
  RigidBody body(sample());
  EXPECT_EQ(body.add_port(PortLocation::tip()), 0);
  EXPECT_EQ(body.port_count(), 1);
  const auto refusal = [&](const PortLocation& location) -> std::string {
    try {
      body.add_port(location);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(PortLocation::section(0.1)),
            "found {s: 0.1}, expected base or tip: a rigid body has no cross-sections");
  EXPECT_EQ(refusal({PortLocation::Kind::point, 0.0, {1, 2, 3}}),
            "found {point: [1, 2, 3]}, expected base or tip: a rigid body has no material points, give a pose from "
            "its base instead");
  EXPECT_NE(refusal(PortLocation::base()), "");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
