// What [P] computes by hand or by Euler and Lagrange, with the corrections of docs/errata.md.

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <numbers>

#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "support/plain_robot.h"
#include "support/random.h"
#include "support/robot_cases.h"
#include "support/to_robot.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// [P]'s toy example: a CC cylinder of unit radius, length, density and modulus. [P] bends it towards -x for q > 0, we
/// towards +x: q of [P] is minus ours.
PlainRobot toy_example(bool floating) {
  PlainRobot plain;
  plain.floating = floating;
  PlainLink link;
  link.name = "body";
  link.rod.emplace();
  link.rod->length = 1.0;
  link.rod->shorthand = "planar_cc";
  link.rod->section.lengths["radius"] = {1.0};
  link.rod->density = 1.0, link.rod->young_modulus = 1.0, link.rod->damping_time = 1.0;
  link.rod->sections = 14;  // Gauss and Legendre on trigonometric functions of up to pi: exact to rounding
  plain.links = {link};
  return plain;
}

class ToyExampleTest : public testing::TestWithParam<double> {
 protected:
  const Model model{to_robot(toy_example(false))};
  Data data{model};
  const double q_ = GetParam(), v_ = 0.7, a_ = -1.3;  // ours
  const VectorXd q = VectorXd::Constant(1, q_), v = VectorXd::Constant(1, v_), a = VectorXd::Constant(1, a_);
  const double c = std::cos(q_), s = std::sin(q_);
  /// Powers of 1/q in the closed forms cancel: eps / q^6 for the Coriolis force.
  const double tolerance = 100 * k_eps * std::max(1.0, std::pow(std::abs(q_), -6));
};
INSTANTIATE_TEST_SUITE_P(Angles, ToyExampleTest, testing::Values(-3.0, -1.2, -0.4, 0.4, 0.8, 1.7, 3.1));

TEST_P(ToyExampleTest, MassMatrix) {
  const double q2 = q_ * q_, q4 = q2 * q2;
  const double M = std::numbers::pi * (1.0 / 12 + 1 / (3 * q2) + (2 + 2 * c) / q4 - 4 * s / (q4 * q_));
  EXPECT_NEAR(mass_matrix(model, data, q)(0, 0), M, tolerance);
}

TEST_P(ToyExampleTest, CoriolisForce) {
  // with [P]'s q = -ours the odd bracket, and with it the force, changes sign twice
  const double p = -q_, cp = std::cos(p), sp = std::sin(p);
  const double in_p =
      std::numbers::pi / 2 * v_ * v_ *
      (-2 / (3 * std::pow(p, 3)) - 2 * sp / std::pow(p, 4) - (8 + 12 * cp) / std::pow(p, 5) + 20 * sp / std::pow(p, 6));
  EXPECT_NEAR(coriolis_force(model, data, q, v)[0], -in_p, tolerance);
}

TEST_P(ToyExampleTest, GravityElasticityAndDamping) {
  const double g0 = 9.81;
  // backbone at z = sin(q s) / q: U = pi g0 (1 - cos q) / q^2
  const double U = std::numbers::pi * g0 * (1 - c) / (q_ * q_);
  EXPECT_NEAR(gravity_energy(model, data, q), U, 10 * tolerance);
  EXPECT_NEAR(gravity_force(model, data, q)[0], std::numbers::pi * g0 * (s / (q_ * q_) - 2 * (1 - c) / (q_ * q_ * q_)),
              10 * tolerance);
  EXPECT_NEAR(elastic_force(model, data, q)[0], std::numbers::pi / 4 * q_, 10 * k_eps);
  EXPECT_NEAR(damping_force(model, data, q, v)[0], std::numbers::pi / 4 * v_, 10 * k_eps);
  EXPECT_NEAR(elastic_energy(model, data, q), std::numbers::pi / 8 * q_ * q_, 10 * k_eps * q_ * q_);
}

TEST_P(ToyExampleTest, InverseDynamicsIsTheirSum) {
  const double sum = mass_matrix(model, data, q)(0, 0) * a_ + coriolis_force(model, data, q, v)[0] +
                     gravity_force(model, data, q)[0] + std::numbers::pi / 4 * (q_ + v_);
  EXPECT_NEAR(inverse_dynamics(model, data, q, v, a)[0], sum, 1000 * k_eps);
}

// F* and T* of [P], rederived: rates of momentum P and of angular momentum H about the fixed base,
// P = qdot d/dq int pi (x, 0, z) ds with x = (1 - cos qs)/q, z = sin(qs)/q,
// H_y = qdot pi (1/8 + [1/2 - sin q / q + (1 - cos q)/q^2] / q^2), rotary inertia included.
TEST_P(ToyExampleTest, InertialWrenchOnTheBase) {
  const Model floating(to_robot(toy_example(true)));
  Data floating_data(floating);
  VectorXd q8 = floating.neutral(), v7 = VectorXd::Zero(7), a7 = VectorXd::Zero(7);
  q8[7] = q_, v7[6] = v_, a7[6] = a_;
  const VectorXd force = inertial_inverse_dynamics(floating, floating_data, q8, v7, a7);

  // derivatives by hand would repeat the slips of the paper: differences in long double instead
  using Real = long double;
  const auto X = [](Real t) { return (t - std::sin(t)) / (t * t); };
  const auto Z = [](Real t) { return (1 - std::cos(t)) / (t * t); };
  const auto H = [](Real t) { return 1 / 8.0L + (0.5L - std::sin(t) / t + (1 - std::cos(t)) / (t * t)) / (t * t); };
  const Real h = 1e-3L;  // sixth order: 1e-18 / 140 and 1e-16 of rounding, growing with 1/q
  const auto d = [&](const auto& f, Real t) {
    return (45 * (f(t + h) - f(t - h)) - 9 * (f(t + 2 * h) - f(t - 2 * h)) + (f(t + 3 * h) - f(t - 3 * h))) / (60 * h);
  };
  const auto dd = [&](const auto& f, Real t) { return d([&](Real u) { return d(f, u); }, t); };
  const Real pi = std::numbers::pi;
  const double F_x = static_cast<double>(pi * (a_ * d(X, q_) + v_ * v_ * dd(X, q_)));
  const double F_z = static_cast<double>(pi * (a_ * d(Z, q_) + v_ * v_ * dd(Z, q_)));
  const double T_y = static_cast<double>(pi * (a_ * H(q_) + v_ * v_ * d(H, q_)));
  const double loose = 1e-11;
  EXPECT_NEAR(force[3], F_x, loose);
  EXPECT_NEAR(force[4], 0.0, loose);
  EXPECT_NEAR(force[5], F_z, loose);
  EXPECT_NEAR(force[0], 0.0, loose);
  EXPECT_NEAR(force[1], T_y, loose);
  EXPECT_NEAR(force[2], 0.0, loose);
  EXPECT_NEAR(force[6], inertial_inverse_dynamics(model, data, q, v, a)[0], 1000 * k_eps);
}

TEST(ToyExampleAtZeroTest, MassMatrix) {
  const Model model(to_robot(toy_example(false)));
  Data data(model);
  const VectorXd zero = VectorXd::Zero(1);
  EXPECT_NEAR(mass_matrix(model, data, zero)(0, 0), std::numbers::pi * (1.0 / 12 + 1.0 / 20), 10 * k_eps);
  EXPECT_EQ(coriolis_force(model, data, zero, VectorXd::Ones(1))[0], 0.0);
}

/// Energies of [P]'s Simulation 3 in closed form, long double: N planar CC bodies in series, each of which turns its
/// end by q_i. Position along a body (1 - cos qt, sin qt) L/q; nothing of the library.
class PlanarChain {
 public:
  using Real = long double;
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

  PlanarChain(Real length, Real radius, Real density) : length_(length) {
    const Real pi = 3.141592653589793238462643383279502884L;
    mass_ = density * pi * radius * radius;
    rotary_ = mass_ * radius * radius / 4;
    // 24 points of Gauss and Legendre by Newton: the integrals over one body are exact to 1e-19
    for (int i = 1; i <= k_points; ++i) {
      Real x = std::cos(pi * (i - 0.25L) / (k_points + 0.5L)), slope = 1;
      for (int step = 0; step < 12; ++step) {
        const Real p = std::legendre(k_points, x), before = std::legendre(k_points - 1, x);
        slope = k_points * (x * p - before) / (x * x - 1);
        x -= p / slope;
      }
      t_.push_back((1 + x) / 2);
      weight_.push_back(1 / ((1 - x * x) * slope * slope));
    }
  }

  Real kinetic_energy(const Vector& q, const Vector& v) const {
    Real theta = 0, theta_rate = 0, x_rate = 0, z_rate = 0, energy = 0;
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      const Real c = std::cos(theta), s = std::sin(theta);
      Real px = 0, pz = 0, dx = 0, dz = 0;
      const auto at = [&](Real t) {  // in the body's base axes: position, and its derivative by q
        const Real half = std::sin(q[i] * t / 2), sn = std::sin(q[i] * t), cs = std::cos(q[i] * t);
        px = length_ * 2 * half * half / q[i], pz = length_ * sn / q[i];
        dx = length_ * t * sn / q[i] - px / q[i], dz = length_ * t * cs / q[i] - pz / q[i];
      };
      // x to the side, z along: turning by theta about y takes z to x
      const auto rates = [&] {
        const Real wx = c * px + s * pz, wz = -s * px + c * pz;
        return std::pair<Real, Real>{x_rate + theta_rate * wz + v[i] * (c * dx + s * dz),
                                     z_rate - theta_rate * wx + v[i] * (-s * dx + c * dz)};
      };
      for (int k = 0; k < k_points; ++k) {
        at(t_[k]);
        const auto [vx, vz] = rates();
        const Real w = theta_rate + t_[k] * v[i];
        energy += length_ * weight_[k] * (mass_ * (vx * vx + vz * vz) + rotary_ * w * w) / 2;
      }
      at(1);
      const auto [vx, vz] = rates();
      x_rate = vx, z_rate = vz;
      theta += q[i], theta_rate += v[i];
    }
    return energy;
  }

  /// d/dt dT/dv - dT/dq by sixth-order differences: dT/dv exactly, as T is quadratic in v.
  Vector force(const Vector& q, const Vector& v, const Vector& a) const {
    const Real h = 2e-3L;  // 6e-17 / 140 of the seventh derivative, 1e-16 of rounding
    const auto d = [&](const auto& f) {
      return (45 * (f(h) - f(-h)) - 9 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))) / (60 * h);
    };
    Vector result(q.size());
    for (Eigen::Index k = 0; k < q.size(); ++k) {
      const Vector unit = Vector::Unit(q.size(), k);
      // along the path scaled to rates of 1: v and a are large
      const Real speed = v.norm();
      const auto momentum = [&](Real t) {
        const Vector at = q + t / speed * v, rate = v + t / speed * a;
        return (kinetic_energy(at, rate + unit) - kinetic_energy(at, rate - unit)) / 2;
      };
      result[k] = speed * d(momentum) - d([&](Real t) { return kinetic_energy(q + t * unit, v); });
    }
    return result;
  }

 private:
  static constexpr int k_points = 24;
  Real length_, mass_, rotary_;
  std::vector<Real> t_, weight_;
};

// [P] figure 11(d): relative difference of the inertial inverse dynamics to Euler and Lagrange, 100 random triplets,
// q in [-pi, pi], v in [-10, 10], a in [-100, 100], N = 1 .. 6 bodies of radius 0.03, length 0.3, density 1000.
TEST(Simulation3Test, InverseDynamicsAgreesWithEulerAndLagrange) {
  const PlanarChain chain(0.3L, 0.03L, 1000.0L);
  Random random(2025);
  for (int n = 1; n <= 6; ++n) {
    PlainRobot plain;
    for (int i = 0; i < n; ++i) {
      PlainLink link;
      link.name = "body_" + std::to_string(i);
      link.parent.link = i - 1;
      link.rod.emplace();
      link.rod->length = 0.3, link.rod->shorthand = "planar_cc";
      link.rod->section.lengths["radius"] = {0.03};
      link.rod->density = 1000.0, link.rod->young_modulus = 1e5;
      plain.links.push_back(link);
    }
    const Model model(to_robot(plain));
    Data data(model);
    double sum = 0.0, squares = 0.0, worst = 0.0;
    constexpr int samples = 100;
    for (int sample = 0; sample < samples; ++sample) {
      VectorXd q(n), v(n), a(n);
      for (int i = 0; i < n; ++i) {
        q[i] = random.uniform(-std::numbers::pi, std::numbers::pi), v[i] = random.uniform(-10.0, 10.0),
        a[i] = random.uniform(-100.0, 100.0);
      }
      const VectorXd expected =
          chain.force(q.cast<long double>(), v.cast<long double>(), a.cast<long double>()).cast<double>();
      const VectorXd found = inertial_inverse_dynamics(model, data, q, v, a);
      const double difference = (found - expected).norm() / expected.norm();
      sum += difference, squares += difference * difference, worst = std::max(worst, difference);
    }
    const double mean = sum / samples;
    std::cout << "N = " << n << ": relative difference " << mean << " +- "
              << std::sqrt(std::max(0.0, squares / samples - mean * mean)) << ", largest " << worst << '\n';
    // ten Gauss points integrate the velocities of an arc of pi to 1e-12; the rest is rounding
    EXPECT_LE(worst, 1e-10) << "N = " << n;
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
