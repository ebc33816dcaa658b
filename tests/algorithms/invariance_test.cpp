// The same robot described differently must have the same dynamics.

#include <gtest/gtest.h>

#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/bodies/rod_body.h"
#include "support/plain_robot.h"
#include "support/random.h"
#include "support/random_body.h"
#include "support/random_state.h"
#include "support/robot_cases.h"
#include "support/to_robot.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

Pose arbitrary_pose() { return to_pose({{0.7, -1.3, 0.4}, {0.9, -0.6, 2.1}}); }

// Rotating the world and gravity together, and moving the world's origin, changes no force.
TEST(InvarianceTest, WorldAndGravityTurnedTogether) {
  for_every_robot([](const RobotCase& robot, Data& data, const RandomState& s) {
    const Pose turn = arbitrary_pose();
    Robot turned = to_robot(robot.plain);
    turned.base_pose = turn * turned.base_pose;
    turned.gravity = turn.rotation * turned.gravity;
    const Model model(turned);
    Data other(model);
    const MatrixXd M = mass_matrix(robot.model, data, s.q);
    EXPECT_LE(size_of(mass_matrix(model, other, s.q) - M), 1e4 * k_eps * size_of(M));
    const VectorXd force = inverse_dynamics(robot.model, data, s.q, s.v, s.a);
    const double scale = size_of(M.cwiseAbs() * s.a.cwiseAbs()) +
                         size_of(M.cwiseAbs() * s.v.cwiseAbs()) * size_of(s.v) +
                         size_of(gravity_force(robot.model, data, s.q)) +
                         size_of(elastic_force(robot.model, data, s.q)) + size_of(force);
    EXPECT_LE(size_of(inverse_dynamics(model, other, s.q, s.v, s.a) - force), 1e4 * k_eps * scale);
    const VectorXd a = forward_dynamics(model, other, s.q, s.v, force);
    EXPECT_LE(size_of(M * (a - s.a)), 1e4 * k_eps * (scale + M.norm() * s.a.norm()));
  });
}

/// The rigid body of the same inertia and tip as a rod that does not deform.
std::shared_ptr<RigidBody> as_rigid(const RodBody& rod, const Pose& tip) {
  const SpatialInertia I = rod.rest_inertia();
  const Vector3 com = (1.0 / I.mass) * I.moment;
  const SpatialInertia at_com = I.in_parent({Matrix3::identity(), -com});
  return std::make_shared<RigidBody>(RigidParameters{I.mass, com, at_com.rotation, tip});
}

TEST(InvarianceTest, RodWithoutStrainIsTheRigidBodyOfTheSameInertia) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    PlainRobot plain;
    plain.base = random_pose(random);
    for (int i = 0; i < 4; ++i) {
      PlainLink link;
      link.name = "link_" + std::to_string(i);
      link.parent.link = i - 1;
      link.parent.pose = random_pose(random);
      link.joint.type = i % 2 == 0 ? "revolute" : "universal";
      link.joint.axis = {0.3, -0.8, 0.5}, link.joint.axis2 = {0.9, 0.2, 0.4};
      link.rod = random_rod(random, {});
      link.rod->shorthand.clear();
      for (auto& component : link.rod->strain) component.reset();
      link.rod->hyperelastic_bend.reset(), link.rod->hyperelastic_stretch.reset();
      plain.links.push_back(link);
    }
    Robot rods = to_robot(plain), rigid = rods;
    const Model rod_model(rods);
    Data rod_data(rod_model);
    for (std::size_t i = 0; i < rigid.links.size(); ++i) {
      const auto& kinematics = forward_kinematics(rod_model, rod_data, rod_model.neutral());
      const Pose tip = kinematics.pose(rod_model.links()[i].base).inverse() * kinematics.pose(rod_model.links()[i].tip);
      rigid.links[i].body = as_rigid(dynamic_cast<const RodBody&>(*rods.links[i].body), tip);
    }
    const Model model(rigid);
    Data data(model);
    ASSERT_EQ(model.nv(), rod_model.nv());
    const RandomState s = random_state(model, random);
    const MatrixXd M = mass_matrix(model, data, s.q);
    EXPECT_LE(size_of(mass_matrix(rod_model, rod_data, s.q) - M), 1e4 * k_eps * size_of(M));
    const VectorXd force = inverse_dynamics(model, data, s.q, s.v, s.a);
    EXPECT_LE(size_of(inverse_dynamics(rod_model, rod_data, s.q, s.v, s.a) - force), 1e4 * k_eps * size_of(force));
    EXPECT_LE(size_of(forward_dynamics(rod_model, rod_data, s.q, s.v, force) - s.a), 1e6 * k_eps * size_of(s.a));
    EXPECT_NEAR(gravity_energy(rod_model, rod_data, s.q), gravity_energy(model, data, s.q),
                1e4 * k_eps * (1 + std::abs(gravity_energy(model, data, s.q))));
  }
}

// A straight uniform rod without strain: the inertia of a cylinder from any table.
TEST(InvarianceTest, StraightRodHasTheInertiaOfACylinder) {
  RodParameters p;
  p.length = 0.37;
  p.section.radius = 0.045;
  p.material.density = 1130.0, p.material.young_modulus = 1e5;
  p.quadrature_points = 2;  // exact for the quadratic s^2
  const SpatialInertia I = RodBody(p).rest_inertia();
  const double r = 0.045, L = 0.37, m = 1130.0 * 3.14159265358979323846 * r * r * L;
  EXPECT_NEAR(I.mass, m, 10 * k_eps * m);
  EXPECT_NEAR(I.moment.z, m * L / 2, 10 * k_eps * m);
  EXPECT_NEAR(I.rotation.xx, m * (r * r / 4 + L * L / 3), 10 * k_eps * m);
  EXPECT_NEAR(I.rotation.zz, m * r * r / 2, 10 * k_eps * m);
  EXPECT_NEAR(I.rotation.xy, 0.0, 10 * k_eps * m);
}

/// A floating chain A - revolute - rod - spherical - B, described from A or from B.
///
/// Turned round, a rod's sections look the other way: h(s') = g(L - s') Q with Q a half turn about x, so that
/// kappa_y, kappa_z, sigma_y, sigma_z keep their sign and kappa_x, sigma_x change it; a Legendre polynomial of odd
/// order changes sign besides, and what varies from base to tip varies from tip to base.
class ReRootingTest : public testing::Test {
 protected:
  static constexpr int k_rod_modes = 8;
  const Pose half_turn{{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, {}};
  Pose a_joint = to_pose({{0.1, -0.2, 0.15}, {0.3, 0.7, -0.4}});     // on A: placement of the revolute joint
  Pose rod_joint = to_pose({{-0.05, 0.03, 0.1}, {-1.1, 0.2, 0.5}});  // on the rod's tip: placement of the spherical
  Vector3 axis{0.48, -0.6, 0.64};
  RigidParameters a{1.3, {0.02, -0.05, 0.04}, {0.011, 0.013, 0.009, 0.001, -0.002, 0.0015}, {}};
  RigidParameters b{0.8, {-0.03, 0.06, 0.05}, {0.006, 0.007, 0.005, -0.001, 0.0005, 0.0007}, {}};
  RodParameters rod;

  ReRootingTest() {
    rod.length = 0.4;
    rod.section.radius = Profile(std::vector<double>{0.03, 0.02});
    rod.material.density = 1050.0, rod.material.young_modulus = 3e5, rod.material.poisson_ratio = 0.4;
    rod.material.damping_time = 0.05;
    rod.quadrature_points = 5;
    rod.strain[kappa_x] = rod.strain[kappa_y] = StrainBasis::of_order(StrainBasis::Kind::legendre, 1);
    rod.strain[kappa_z] = rod.strain[sigma_z] = StrainBasis::constant();
    rod.strain[sigma_x] = rod.strain[sigma_y] = StrainBasis::constant();
    rod.rest_strain[kappa_x] = Profile(std::vector<double>{1.0, -0.5});
    rod.rest_strain[kappa_z] = Profile(0.7);
  }
  RodParameters reversed_rod() const {
    RodParameters r = rod;
    r.section.radius = Profile(std::vector<double>{0.02, 0.03});
    r.rest_strain[kappa_x] = Profile(std::vector<double>{0.5, -1.0});
    return r;
  }
  // coordinates: kappa_x.0 .1, kappa_y.0 .1, kappa_z, sigma_x, sigma_y, sigma_z
  static VectorXd reversed_modes(const VectorXd& q) {
    VectorXd r = q;
    r[0] = -q[0], r[1] = q[1];  // sign of kappa_x, times that of the odd polynomial
    r[3] = -q[3];
    r[5] = -q[5];
    return r;
  }

  Model forwards() const {
    Robot robot;
    robot.floating_base = true;
    robot.gravity = {1.0, -2.0, -9.0};
    robot.links.resize(3);
    robot.links[0].name = "a", robot.links[0].body = std::make_shared<RigidBody>(a);
    robot.links[1].name = "rod", robot.links[1].parent = {"a", PortLocation::base(), a_joint};
    robot.links[1].joint = make_revolute_joint<double>(axis), robot.links[1].body = std::make_shared<RodBody>(rod);
    robot.links[1].joint_dynamics.stiffness = {2.0};
    robot.links[2].name = "b", robot.links[2].parent = {"rod", PortLocation::tip(), rod_joint};
    robot.links[2].joint = make_spherical_joint<double>(), robot.links[2].body = std::make_shared<RigidBody>(b);
    return Model(robot);
  }
  Model backwards() const {
    Robot robot;
    robot.floating_base = true;
    robot.gravity = {1.0, -2.0, -9.0};
    robot.links.resize(3);
    robot.links[0].name = "b", robot.links[0].body = std::make_shared<RigidBody>(b);
    // the joint's child frame is the placement on the rod's tip; from there to the turned rod's base
    robot.links[1].name = "turn", robot.links[1].parent = {"b", PortLocation::base(), {}};
    robot.links[1].joint = make_spherical_joint<double>();
    Link reversed;
    reversed.name = "rod", reversed.parent = {"turn", PortLocation::tip(), rod_joint.inverse() * half_turn};
    reversed.body = std::make_shared<RodBody>(reversed_rod());
    robot.links[2] = reversed;
    Link end;
    end.name = "hinge", end.parent = {"rod", PortLocation::tip(), half_turn};
    end.joint = make_revolute_joint<double>(-axis);
    end.joint_dynamics.stiffness = {2.0};
    robot.links.push_back(end);
    Link last;
    last.name = "a", last.parent = {"hinge", PortLocation::tip(), a_joint.inverse()};
    last.body = std::make_shared<RigidBody>(a);
    robot.links.push_back(last);
    return Model(robot);
  }
};

TEST_F(ReRootingTest, AFloatingChainHasTheSameDynamicsFromEitherEnd) {
  const Model one = forwards(), two = backwards();
  Data data1(one), data2(two);
  ASSERT_EQ(one.nv(), 6 + 1 + k_rod_modes + 3);
  ASSERT_EQ(two.nv(), one.nv());
  Random random(5);
  for (int sample = 0; sample < 5; ++sample) {
    const RandomState s = random_state(one, random);
    VectorXd tau = VectorXd::Zero(one.nv());
    for (int i = 6; i < one.nv(); ++i) tau[i] = random.uniform();  // nothing pushes the robot as a whole

    // order from A: free 7, revolute 1, rod 8, spherical 4; from B: free 7, spherical 4, rod 8, revolute 1
    const auto& k1 = forward_kinematics(one, data1, s.q, s.v);
    const Pose world_b = k1.pose(one.base_frame("b"));
    const Twist velocity_b = k1.velocity_of(one.base_frame("b"));
    const Quaternion spherical{s.q[16], s.q[17], s.q[18], s.q[19]};
    const Matrix3 R = spherical.matrix();
    VectorXd q(two.nq()), v(two.nv()), tau2 = VectorXd::Zero(two.nv());
    const Quaternion base = quaternion_from_matrix(world_b.rotation);
    q << world_b.position.x, world_b.position.y, world_b.position.z, base.w, base.x, base.y, base.z, spherical.w,
        -spherical.x, -spherical.y, -spherical.z, reversed_modes(s.q.segment(8, k_rod_modes)), s.q[7];
    const Vector3 w{s.v[15], s.v[16], s.v[17]}, torque{tau[15], tau[16], tau[17]};
    // the relative velocity from the other side, in the axes of what is now the child
    v << to_eigen(velocity_b), -to_eigen(R * w), reversed_modes(s.v.segment(7, k_rod_modes)), s.v[6];
    tau2.segment(6, 3) = -to_eigen(R * torque);
    tau2.segment(9, k_rod_modes) = reversed_modes(tau.segment(7, k_rod_modes));
    tau2[17] = tau[6];

    const auto& k2 = forward_kinematics(two, data2, q, v);
    const double tiny = 1e4 * k_eps;
    for (const char* link : {"a", "b"}) {
      EXPECT_LE(size_of(to_eigen(k2.pose(two.base_frame(link))) - to_eigen(k1.pose(one.base_frame(link)))), tiny)
          << link;
      EXPECT_LE(
          size_of(to_eigen(k2.velocity_of(two.base_frame(link))) - to_eigen(k1.velocity_of(one.base_frame(link)))),
          10 * tiny)
          << link;
    }
    const double energy = kinetic_energy(one, data1, s.q, s.v);
    EXPECT_NEAR(kinetic_energy(two, data2, q, v), energy, 10 * tiny * energy);
    EXPECT_NEAR(gravity_energy(two, data2, q), gravity_energy(one, data1, s.q), tiny * 50);  // parts of some 20 J
    EXPECT_NEAR(elastic_energy(two, data2, q), elastic_energy(one, data1, s.q),
                10 * tiny * elastic_energy(one, data1, s.q));
    const auto p = to_eigen(momentum(one, data1, s.q, s.v));
    EXPECT_LE(size_of(to_eigen(momentum(two, data2, q, v)) - p), 10 * tiny * (1 + size_of(p)));

    const VectorXd a1 = forward_dynamics(one, data1, s.q, s.v, tau);
    const VectorXd a2 = forward_dynamics(two, data2, q, v, tau2);
    // stiff modes of small inertia accelerate by 1e5 and more: errors are relative to the largest acceleration
    const double scale = size_of(a1) + size_of(a2);
    EXPECT_LE(size_of(a2.segment(9, k_rod_modes) - reversed_modes(a1.segment(7, k_rod_modes))), 1e-9 * scale);
    EXPECT_LE(std::abs(a2[17] - a1[6]), 1e-9 * scale);
    const auto& m1 = forward_kinematics(one, data1, s.q, s.v, a1);
    const auto& m2 = forward_kinematics(two, data2, q, v, a2);
    for (const char* link : {"a", "b"}) {
      EXPECT_LE(size_of(to_eigen(m2.acceleration_of(two.base_frame(link))) -
                        to_eigen(m1.acceleration_of(one.base_frame(link)))),
                1e-9 * scale)
          << link;
    }
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
