#include "cuttle/bodies/continuum_joint.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "cuttle/bodies/rod_body.h"
#include "cuttle/error.h"
#include "cuttle/spatial/exponential.h"
#include "cuttle/testing/body_contract/evaluation.h"
#include "support/body_contract.h"
#include "support/epsilon.h"
#include "support/plain_robot.h"
#include "support/random.h"
#include "support/random_body.h"
#include "support/to_robot.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using contract::Evaluation;
using contract::State;
using contract::Vector;

ContinuumJointParameters arm_segment() { return {0.22, 0.8, 0.06, {12.0, 11.0}, 1.5, {0.4, 0.5}}; }

State<double> state_at(double u, double v) {
  State<double> state;
  state.q = Eigen::Vector2d(u, v);
  state.v = Eigen::Vector2d(1.3, -0.7);
  state.a = Eigen::Vector2d(-2.1, 3.2);
  state.V = {{0.4, -0.9, 0.7}, {0.3, 0.2, -0.6}};
  state.A = {{1.1, 0.6, -1.4}, {-0.8, 2.0, 0.5}};
  return state;
}

TEST(ContinuumJointTest, KeepsTheContractOfABody) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Random random(seed);
    BodyContractOptions options;
    options.seed = seed;
    if (seed > 2) options.coordinates = {3.0, 3.0}, options.step = 2e-3;  // up to bends of 4 rad at rates of 4 rad/s
    const ContinuumJoint joint(to_continuum_joint_parameters(random_continuum_joint(random)));
    expect_body_contract(joint, "continuum joint", options);
  }
}

TEST(ContinuumJointTest, MomentarilyRigidKeepsAllOfTheContractButThePower) {
  for (unsigned seed = 11; seed <= 13; ++seed) {
    Random random(seed);
    ContinuumJointParameters parameters = to_continuum_joint_parameters(random_continuum_joint(random));
    parameters.momentarily_rigid = true;
    const ContinuumJoint joint(parameters);
    BodyContractOptions options;
    options.seed = seed;
    options.lagrangian = false;
    expect_body_contract(joint, "momentarily rigid", options);
    options.lagrangian = true;  // and the exemption is needed
    const BodyContractReport report = check_body_contract(joint, options);
    ASSERT_FALSE(report.ok());
    for (const std::string& violation : report.violations) {
      EXPECT_TRUE(violation.find("Lagrange") != violation.npos || violation.find("power") != violation.npos)
          << violation;
    }
  }
}

TEST(ContinuumJointTest, MomentarilyRigidWarns) {
  ContinuumJointParameters parameters = arm_segment();
  EXPECT_TRUE(ContinuumJoint(parameters).warnings().empty());
  EXPECT_TRUE(ContinuumJoint(parameters).balances_power());
  parameters.momentarily_rigid = true;
  EXPECT_FALSE(ContinuumJoint(parameters).balances_power());
  const auto warnings = ContinuumJoint(parameters).warnings();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].text(), "momentarily_rigid: the inertial force of [J] (11)-(18) does not balance power");
}

TEST(ContinuumJointTest, MassMatrixIsTheSameInBothForms) {
  ContinuumJointParameters parameters = arm_segment();
  const ContinuumJoint lagrangian(parameters);
  parameters.momentarily_rigid = true;
  const ContinuumJoint rigid(parameters);
  const State<double> state = state_at(0.9, -0.6);
  const auto a = evaluate(lagrangian, state), b = evaluate(rigid, state);
  EXPECT_EQ(a.whole(), b.whole());
  EXPECT_GT((a.force - b.force).norm(), 1e-2 * a.force.norm());
  State<double> still = state;
  still.v.setZero(), still.V = {};
  EXPECT_LT((evaluate(lagrangian, still).force - evaluate(rigid, still).force).norm(), 10 * k_eps);
}

/// The rod of the same length, mass and radius.
RodBody exact_segment() {
  PlainRod plain;
  plain.length = 0.22;
  plain.strain[0].emplace(), plain.strain[1].emplace();
  plain.section.lengths["radius"] = {0.06};
  plain.density = 0.8 / (0.22 * std::numbers::pi * 0.06 * 0.06), plain.young_modulus = 1e5;
  plain.sections = 20;
  return RodBody(to_rod_parameters(plain));
}

/// Tip and center of mass where the rod of the same constant curvature has them.
TEST(ContinuumJointTest, BendsAsTheRodOfConstantCurvature) {
  const RodBody rod = exact_segment();
  const ContinuumJoint joint(arm_segment());
  ASSERT_EQ(rod.coordinates()[0].name, joint.coordinates()[0].name);
  ASSERT_EQ(rod.coordinates()[1].name, joint.coordinates()[1].name);
  for (const double size : {0.0, 1e-9, 1e-4, 0.3, 1.5, 1.6, 3.1, 3.2, 5.0}) {
    const State<double> state = state_at(0.8 * size, -0.6 * size);
    const auto a = evaluate(joint, state), b = evaluate(rod, state);
    const double tolerance = 1e3 * k_eps;  // the rod's twenty steps
    const auto& p = a.ports[0];
    const auto& r = b.ports[0];
    EXPECT_LT((to_eigen(p.base_port) - to_eigen(r.base_port)).norm(), tolerance) << size;
    EXPECT_LT((to_eigen(p.velocity) - to_eigen(r.velocity)).norm(), tolerance * 10) << size;
    EXPECT_LT((to_eigen(p.acceleration) - to_eigen(r.acceleration)).norm(), tolerance * 100) << size;
    EXPECT_LT((a.jacobians[0] - b.jacobians[0]).norm(), tolerance) << size;
    EXPECT_LT((to_eigen(a.moment) - to_eigen(b.moment)).norm(), tolerance) << size;
    // for the whole body at rest in its shape, lumped or not, inertia is inertia: (19) is exact
    EXPECT_LT((to_eigen(ArticulatedInertia::from(a.base)) - to_eigen(ArticulatedInertia::from(b.base))).norm(),
              tolerance)
        << size;
    // the force that the base must give is that of the center of mass
    EXPECT_LT((a.base_wrench - b.base_wrench).tail<3>().norm(), tolerance * 100) << size;
  }
}

// Straight: com = L/6 (v, -u) to first order, the tip turns by (u, v), and I_c is a cylinder's:
// M = m (L^2/36 + r^2/4 + L^2/12); of the rod, whose discs turn by t (u, v) only: m (L^2/20 + r^2/12).
TEST(ContinuumJointTest, StraightMassMatrixInClosedForm) {
  const ContinuumJointParameters p = arm_segment();
  const auto at = evaluate(ContinuumJoint(p), state_at(0.0, 0.0));
  const double expected = p.mass * (p.length * p.length / 36 + p.radius * p.radius / 4 + p.length * p.length / 12);
  EXPECT_NEAR(at.mass(0, 0), expected, 4 * k_eps * expected);
  EXPECT_NEAR(at.mass(1, 1), expected, 4 * k_eps * expected);
  EXPECT_EQ(at.mass(0, 1), 0.0);
  const auto rod = evaluate(exact_segment(), state_at(0.0, 0.0));
  const double exact = p.mass * (p.length * p.length / 20 + p.radius * p.radius / 12);
  EXPECT_NEAR(rod.mass(0, 0), exact, 100 * k_eps * exact);
}

// [J] (11)-(18) as printed, but for (12), which needs alpha_rel, and (14), which needs a_c,rel; everything in the tip's
// axes, the closed forms (2), (4), (5), (9) of the paper, and (19) summed over discs at (22).
struct Printed {
  Eigen::Matrix3d R;  // (2), tip to base
  Eigen::Vector3d r_e, r_c;
  Eigen::Matrix<double, 6, 2> J_e, J_c;  // (5), (6): linear rows first
};
Printed printed_kinematics(double h, double u, double v) {
  const double phi = std::hypot(u, v), S = std::sin(phi), C = std::cos(phi), sigma = C - 1;
  const double ut = u / phi, vt = v / phi;
  Printed k;
  k.R << sigma * vt * vt + 1, -sigma * ut * vt, vt * S, -sigma * ut * vt, sigma * ut * ut + 1, -ut * S, -vt * S, ut * S,
      C;
  const Eigen::Vector3d rho = h / (phi * phi) * Eigen::Vector3d(v, -u, 0.0);
  k.r_e << -rho.x() * sigma, -rho.y() * sigma, rho.norm() * S;
  k.r_c << h / (phi * phi) * (phi - S) * vt, -h / (phi * phi) * (phi - S) * ut, h / (phi * phi) * (1 - C);
  Eigen::Matrix<double, 6, 2> spatial;
  const double p2 = phi * phi, p3 = p2 * phi;
  spatial << 0, sigma * h / p2, -sigma * h / p2, 0, h * ut * (phi - S) / p2, h * vt * (phi - S) / p2,
      (phi * u * u + S * v * v) / p3, ut * vt * (phi - S) / phi, ut * vt * (phi - S) / phi,
      (phi * v * v + S * u * u) / p3, sigma * vt / phi, -sigma * ut / phi;
  k.J_e = spatial;
  for (int j = 0; j < 2; ++j) {
    const Eigen::Vector3d w = spatial.col(j).tail<3>();
    k.J_e.col(j).head<3>() += w.cross(k.r_e);
  }
  return k;
}
/// J of the center of mass by differences of (9): the paper gives only the recipe.
Printed with_com_jacobian(double h, double u, double v) {
  Printed k = printed_kinematics(h, u, v);
  const auto slope = [&](auto f) -> Eigen::Vector3d { return contract::derivative(f, 1e-2); };
  k.J_c = k.J_e;
  k.J_c.col(0).head<3>() = slope([&](double t) -> Eigen::Vector3d { return printed_kinematics(h, u + t, v).r_c; });
  k.J_c.col(1).head<3>() = slope([&](double t) -> Eigen::Vector3d { return printed_kinematics(h, u, v + t).r_c; });
  return k;
}
Eigen::Matrix3d printed_inertia(const ContinuumJointParameters& p, const Printed& k, double u, double v) {
  const int count = 4000;  // midpoints: error 1 / count^2
  const double phi = std::hypot(u, v), mu = p.mass / p.length;
  Eigen::Matrix3d I = Eigen::Matrix3d::Zero();
  for (int i = 0; i < count; ++i) {
    const double part = (i + 0.5) / count, dl = p.length / count;
    const Printed disc = printed_kinematics(part * p.length, part * u, part * v);
    const Eigen::Matrix3d turn = k.R.transpose() * disc.R;
    const Eigen::Vector3d r = k.R.transpose() * (disc.r_e - k.r_c);  // (21), (22)
    const Eigen::Vector3d thin(0.25, 0.25, 0.5);
    I += dl * mu * p.radius * p.radius * turn * thin.asDiagonal() * turn.transpose();
    I += dl * mu * (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose());
  }
  EXPECT_GT(phi, 0.0);
  return I;
}

TEST(ContinuumJointTest, MomentarilyRigidIsThePrintedRecursion) {
  ContinuumJointParameters p = arm_segment();
  p.momentarily_rigid = true;
  const ContinuumJoint joint(p);
  for (const auto& bend : {std::pair(0.7, -0.5), std::pair(-0.2, 1.9), std::pair(2.0, 1.1)}) {
    const double u = bend.first, v = bend.second;
    const State<double> s = state_at(u, v);
    const Printed k = with_com_jacobian(p.length, u, v);
    const Eigen::Vector2d dq = s.v, ddq = s.a;
    const auto rate_of = [&](auto jacobian) -> Eigen::Matrix<double, 6, 1> {  // (8)
      return contract::derivative(
          [&](double t) -> Eigen::Matrix<double, 6, 1> {
            return jacobian(with_com_jacobian(p.length, u + t * dq[0], v + t * dq[1])) * dq;
          },
          1e-2);
    };
    const Eigen::Matrix<double, 6, 1> rel = k.J_e * dq, c_rel = k.J_c * dq;
    const Eigen::Matrix<double, 6, 1> rel_rate = k.J_e * ddq + rate_of([](const Printed& x) { return x.J_e; });
    const Eigen::Matrix<double, 6, 1> c_rel_rate = k.J_c * ddq + rate_of([](const Printed& x) { return x.J_c; });
    const Eigen::Vector3d w0 = to_eigen(s.V.angular), v0 = to_eigen(s.V.linear), alpha0 = to_eigen(s.A.angular);
    const Eigen::Vector3d a0 = to_eigen(s.A.linear) + w0.cross(v0);  // classical, of the base's origin
    const Eigen::Matrix3d Rt = k.R.transpose();
    const Eigen::Vector3d w = Rt * (w0 + rel.tail<3>());                                             // (11)
    const Eigen::Vector3d alpha = Rt * (alpha0 + rel_rate.tail<3>()) + w.cross(Rt * rel.tail<3>());  // (12)
    const Eigen::Vector3d a_c = Rt * (a0 + c_rel_rate.head<3>() + alpha0.cross(k.r_c) +              // (14)
                                      w0.cross(w0.cross(k.r_c)) + 2 * w0.cross(c_rel.head<3>()));
    const Eigen::Vector3d a_e = Rt * (a0 + rel_rate.head<3>() + alpha0.cross(k.r_e) +  // (15)
                                      w0.cross(w0.cross(k.r_e)) + 2 * w0.cross(rel.head<3>()));
    const Eigen::Matrix3d I = printed_inertia(p, k, u, v);
    const Eigen::Vector3d H_rate = I * alpha + w.cross(I * w);  // (18)
    const Wrench tip{{0.3, -0.2, 0.5}, {0.7, 1.1, -0.4}};
    const Eigen::Vector3d f_next = to_eigen(tip.force), torque_next = to_eigen(tip.torque);
    const Eigen::Vector3d f = f_next + p.mass * a_c;  // (16)
    const Eigen::Vector3d torque = torque_next - f.cross(Rt * k.r_c) + f_next.cross(Rt * (k.r_c - k.r_e)) + H_rate;

    const auto found = evaluate(joint, s, {tip});
    const double tolerance = 1e-6;  // of the sum over discs
    EXPECT_LT((found.base_wrench.head<3>() - k.R * torque).norm(), tolerance * torque.norm()) << "(17)";
    EXPECT_LT((found.base_wrench.tail<3>() - k.R * f).norm(), 1e-9 * f.norm()) << "(16)";
    const Eigen::Vector2d projected = k.J_c.topRows<3>().transpose() * (k.R * (p.mass * a_c)) +
                                      k.J_e.bottomRows<3>().transpose() * (k.R * (H_rate + torque_next)) +
                                      k.J_e.topRows<3>().transpose() * (k.R * f_next);
    EXPECT_LT((found.force - projected).norm(), tolerance * projected.norm());
    // the tip's motion
    const Eigen::Vector3d tip_velocity = Rt * (v0 + rel.head<3>() + w0.cross(k.r_e));  // (13)
    EXPECT_LT((to_eigen(found.ports[0].velocity.linear) - tip_velocity).norm(), 1e-9);
    EXPECT_LT((to_eigen(found.ports[0].velocity.angular) - w).norm(), 1e-9);
    EXPECT_LT((to_eigen(found.ports[0].acceleration.angular) - alpha).norm(), 1e-9);
    EXPECT_LT((to_eigen(found.ports[0].acceleration.linear) + w.cross(tip_velocity) - a_e).norm(), 1e-9);
  }
}

// (14) prints a_e,rel for the center of mass: then the force would be that of the tip's acceleration.
TEST(ContinuumJointTest, TipDoesNotAccelerateAsTheCenterOfMass) {
  const ContinuumJointParameters p = arm_segment();
  State<double> s = state_at(0.7, -0.5);
  s.V = {}, s.A = {}, s.v.setZero();
  const auto at = evaluate(ContinuumJoint(p), s);
  const Printed k = with_com_jacobian(p.length, 0.7, -0.5);
  const Eigen::Vector3d com = k.J_c.topRows<3>() * s.a, tip = k.J_e.topRows<3>() * s.a;
  EXPECT_LT((at.base_wrench.tail<3>() - p.mass * com).norm(), 1e-10);
  EXPECT_GT((com - tip).norm(), 0.5 * tip.norm());
}

// [J] says "the resulting torques at each of the defined frames" and not which force works on u and v. The torque at
// the joint's base is not it: for a straight joint it would give m (L^2/12 + ..) where virtual work has m (L^2/36 +
// ..).
TEST(ContinuumJointTest, TorqueAtTheBaseIsNotTheGeneralizedForce) {
  const ContinuumJointParameters p = arm_segment();
  State<double> s = state_at(0.0, 0.0);
  s.V = {}, s.A = {}, s.v.setZero(), s.a = Eigen::Vector2d(1.0, 0.0);
  const auto at = evaluate(ContinuumJoint(p), s);
  const double turning = p.mass * (p.radius * p.radius / 4 + p.length * p.length / 12);
  EXPECT_NEAR(at.base_wrench[0], turning + p.mass * p.length * p.length / 12, 1e-15);
  EXPECT_NEAR(at.force[0], turning + p.mass * p.length * p.length / 36, 1e-15);
}

void expect_error(const ContinuumJointParameters& parameters, const std::string& text) {
  try {
    const ContinuumJoint joint(parameters);
    ADD_FAILURE() << "no error, expected: " << text;
  } catch (const ModelError& error) {
    EXPECT_EQ(error.what(), text);
  }
}

TEST(ContinuumJointTest, RefusesWrongParameters) {
  ContinuumJointParameters p = arm_segment();
  p.length = 0.0;
  expect_error(p, "length: found 0, expected a number > 0 [m]");
  p = arm_segment(), p.mass = -1.0;
  expect_error(p, "mass: found -1, expected a number > 0 [kg]");
  p = arm_segment(), p.radius = std::numeric_limits<double>::infinity();
  expect_error(p, "radius: found inf, expected a number > 0 [m]");
  p = arm_segment(), p.stiffness = {-1.0, 4.0};
  expect_error(p, "stiffness: found [-1, 4], expected two numbers >= 0 [N m/rad]");
  p = arm_segment(), p.stiffness = {1.0, 4.0}, p.coupling_stiffness = -2.5;
  expect_error(p,
               "coupling_stiffness: found -2.5, expected a number whose square is at most 4, the product of the two of "
               "stiffness [N m/rad]");
  p.coupling_stiffness = -2.0;
  EXPECT_NO_THROW(ContinuumJoint{p});
  p = arm_segment(), p.damping = {0.1, -0.2};
  expect_error(p, "damping: found [0.1, -0.2], expected two numbers >= 0 [N m s/rad]");
}

TEST(ContinuumJointTest, HasNoPortsButItsTip) {
  ContinuumJoint joint(arm_segment());
  EXPECT_EQ(joint.add_port(PortLocation::tip()), 0);
  EXPECT_EQ(joint.port_count(), 1);
  const auto refused = [&](const PortLocation& at) {
    try {
      joint.add_port(at);
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(refused(PortLocation::section(0.1)),
            "found {s: 0.1}, expected base or tip: a continuum joint is lumped, a rod has cross-sections");
  EXPECT_EQ(refused({PortLocation::Kind::point, 0.0, {0.0, 0.01, 0.1}}),
            "found {point: [0, 0.01, 0.1]}, expected base or tip: a continuum joint has no material points");
  EXPECT_EQ(refused(PortLocation::base()), "found base, which is a body's own frame and not one of its ports");
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
