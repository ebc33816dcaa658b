// Springs of joints that turn past half a turn: closed form of a ball, the integral of the torque, gradients on both
// sides, runs that go round and round.
#include "model/joint_spring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "cuttle/algorithms/derivatives.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/model/model.h"
#include "cuttle/simulation/batch.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/simulation_robots.h"
#include "support/angles.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::k_pi;
using Real = long double;
using Values = std::vector<Real>;
constexpr Real k_range = k_half_turn_range;

struct Spring {
  std::shared_ptr<const JointT<Real>> joint;
  JointDynamicsT<Real> dynamics;

  Spring(std::shared_ptr<const JointT<Real>> of, test::Random& random) : joint(std::move(of)) {
    dynamics.rest.resize(joint->nq());
    joint->neutral(dynamics.rest.data());
    dynamics.rest = moved(dynamics.rest, some(random, 1.0));
    for (int k = 0; k < joint->nv(); ++k) dynamics.stiffness.push_back(random.uniform(0.5, 3.0));
  }
  Values some(test::Random& random, double size) const {
    Values v(joint->nv());
    for (Real& x : v) x = random.uniform(-size, size);
    return v;
  }
  Values moved(const Values& q, const Values& by, Real times = 1) const {
    Values step(by), result(joint->nq());
    for (Real& x : step) x *= times;
    joint->integrate(q.data(), step.data(), result.data());
    return result;
  }
  Values turned(Real angle, const Vector3T<Real>& axis, const Values& other) const {
    Values e(other);
    for (int i = 0; i < 3; ++i) e[i] = angle * axis[i];
    return moved(dynamics.rest, e);
  }
  Real energy(const Values& q) const { return joint_spring_energy(*joint, dynamics, q.data()); }
  Values force(const Values& q) const {
    Values f(joint->nv());
    joint_spring_force(*joint, dynamics, q.data(), f.data());
    return f;
  }
};

std::vector<std::shared_ptr<const JointT<Real>>> joints() {
  return {make_spherical_joint<Real>(), make_free_joint<Real>()};
}

// Linear up to the range, then below the line, zero at half a turn, and odd about it.
TEST(JointSpring, TorqueOfABallIsTheClosedForm) {
  test::Random random(3);
  Spring spring(make_spherical_joint<Real>(), random);
  spring.dynamics.stiffness = {2, 2, 2};
  const Vector3T<Real> axis = test::random_direction<Real>(random);
  const auto torque = [&](Real angle) {
    const Values f = spring.force(spring.turned(angle, axis, Values(3)));
    return f[0] * axis.x + f[1] * axis.y + f[2] * axis.z;
  };
  for (const Real angle : {0.0L, 0.3L, 1.7L, k_pi - k_range}) EXPECT_NEAR(torque(angle), 2 * angle, 1e-16) << angle;
  EXPECT_NEAR(torque(k_pi), 0.0L, 1e-16);
  EXPECT_NEAR(spring.energy(spring.turned(k_pi, axis, Values(3))), std::pow(k_pi - 0.3125L * k_range, 2), 1e-15);
  for (const Real x : {1e-9L, 0.1L, 0.4L, 0.8L, 0.999L}) {
    const Real angle = k_pi - x * k_range, found = torque(angle);
    EXPECT_NEAR(torque(2 * k_pi - angle), -found, 1e-14) << x;
    EXPECT_GT(found, 0) << x;
    EXPECT_LT(found, 2 * angle) << x;
  }
}

// Simpson's rule along a turn that passes half a turn, in a direction of its own.
TEST(JointSpring, EnergyIsTheIntegralOfTheTorque) {
  test::Random random(4);
  for (const auto& joint : joints()) {
    const Spring spring(joint, random);
    const Vector3T<Real> axis = test::random_direction<Real>(random);
    const Values start = spring.turned(2.7L, axis, spring.some(random, 0.5)), way = [&] {
      Values v = spring.some(random, 0.2);
      for (int i = 0; i < 3; ++i) v[i] += axis[i];
      return v;
    }();
    constexpr int n = 20000;
    Real work = 0, most = 0;
    for (int i = 0; i <= n; ++i) {
      const Values q = spring.moved(start, way, static_cast<Real>(i) / n);  // the velocity along this is the way
      const Values f = spring.force(q);
      const Real weight = i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2;
      for (int k = 0; k < joint->nv(); ++k) work += weight / (3 * n) * f[k] * way[k];
      most = std::max(most, spring.energy(q));
    }
    const Values end = spring.moved(start, way);
    EXPECT_GT(most, spring.energy(end)) << joint->type_name();  // it went over the hill
    EXPECT_NEAR(work, spring.energy(end) - spring.energy(start), 1e-12) << joint->type_name();
  }
}

// Fourth order differences with a step that is short against the range.
TEST(JointSpring, ForceIsTheGradientOnBothSides) {
  test::Random random(5);
  for (const auto& joint : joints()) {
    const Spring spring(joint, random);
    for (const Real offset : {-1.01L, -0.99L, -0.6L, -0.3L, -1e-3L, 0.0L, 1e-3L, 0.3L, 0.6L, 0.99L, 1.01L}) {
      const Vector3T<Real> axis = test::random_direction<Real>(random);
      const Values q = spring.turned(k_pi + offset * k_range, axis, spring.some(random, 0.7));
      const Values way = spring.some(random, 1.0), f = spring.force(q);
      Real power = 0;
      for (int k = 0; k < joint->nv(); ++k) power += f[k] * way[k];
      const Real h = 1e-4L;
      const auto at = [&](int steps) { return spring.energy(spring.moved(q, way, steps * h)); };
      const Real expected = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
      EXPECT_NEAR(power, expected, 1e-9) << joint->type_name() << ", " << offset;
    }
  }
}

Robot spun(const std::shared_ptr<const Joint>& joint, std::vector<double> stiffness) {
  Robot robot;
  robot.gravity = {0, 0, 0};
  robot.links.push_back({.name = "b",
                         .joint = joint,
                         .joint_dynamics = {std::move(stiffness), {}, {}, {}},
                         .body = test::rigid_body(1.0, {0, 0, 0}, {0.01, 0.01, 0.01}, {0, 0, 0})});
  return robot;
}

// Of the force, by the columns of all coordinates, on both sides of the switch and of half a turn.
TEST(JointSpring, StiffnessIsTheDerivativeOfTheForce) {
  test::Random random(6);
  for (const bool free : {false, true}) {
    const Model model(free ? spun(make_free_joint<double>(), {0.2, 0.3, 0.5, 2.0, 1.0, 3.0})
                           : spun(make_spherical_joint<double>(), {0.2, 0.3, 0.5}));
    const ModelT<Real> precise(model.robot().cast<Real>());
    DataT<Real> data(precise);
    Data values(model);
    DerivativeData derivatives(model);
    const int nv = model.nv();
    for (const Real offset : {-1.02L, -0.98L, -0.5L, -0.05L, 0.05L, 0.5L, 0.98L, 1.02L}) {
      VectorXT<Real> dv = VectorXT<Real>::Zero(nv), q(model.nq());
      const Vector3T<Real> axis = test::random_direction<Real>(random);
      for (int i = 0; i < nv; ++i)
        dv[i] = i < 3 ? (k_pi + offset * k_range) * axis[i] : Real(random.uniform(-0.3, 0.3));
      integrate<Real>(precise, precise.neutral(), dv, q);
      const VectorXT<Real> still = VectorXT<Real>::Zero(nv);
      const VectorXd rest = VectorXd::Zero(nv), q_double = q.cast<double>();
      inverse_dynamics_derivatives(model, values, derivatives, q_double, rest, rest);
      for (int k = 0; k < nv; ++k) {
        const Real h = 2e-4L;
        const auto at = [&](int steps) {
          VectorXT<Real> there(model.nq());
          integrate<Real>(precise, q_double.cast<Real>(), steps * h * VectorXT<Real>::Unit(nv, k), there);
          return inverse_dynamics<Real>(precise, data, there, still, still);
        };
        const VectorXT<Real> two = at(2) - at(-2), one = at(1) - at(-1);
        const VectorXd expected = ((8 * one - two) / (12 * h)).cast<double>();
        EXPECT_LT((derivatives.by_q.col(k) - expected).norm(), 1e-7) << free << ", " << static_cast<double>(offset);
      }
    }
  }
}

// docs/accuracy.md: the energy stays within 20 tolerances of the peak kinetic energy. A free body on springs of its
// place too spends them in bursts, at each turn: three times as much.
TEST(JointSpring, EnergyOfABallThatSpinsIsKept) {
  for (const bool free : {false, true}) {
    const Model model(free ? spun(make_free_joint<double>(), {0.2, 0.2, 0.2, 5.0, 8.0, 3.0})
                           : spun(make_spherical_joint<double>(), {0.2, 0.2, 0.2}));
    for (const char* type : {"bdf", "erk"}) {
      for (const double tolerance : {1e-4, 1e-6}) {
        for (const double output_step : {0.001, 0.05}) {
          std::array<double, 5>
              errors{};  // of spins that are nearly one: which steps are taken is a matter of rounding
          for (std::size_t k = 0; k < errors.size(); ++k) {
            const double spin = 20.0 + 2e-6 * static_cast<double>(k);
            Scenario s;
            s.duration = 5.0, s.output_step = output_step;
            s.integrator = {.type = type, .relative_tolerance = tolerance, .absolute_tolerance = 1e-2 * tolerance};
            s.initial["b"].v = free ? std::vector<double>{0, 3, spin, 0.1, 0, 0} : std::vector<double>{0, 0, spin};
            if (free) s.initial["b"].q = {0.05, -0.02, 0.03, 1, 0, 0, 0};
            MemoryRecorder found;
            const Outcome outcome = Simulator(model, s).run({&found});
            ASSERT_EQ(outcome.status, RunStatus::complete) << type << ": " << outcome.message;
            errors[k] = outcome.energy_error / outcome.peak_kinetic;
          }
          std::sort(errors.begin(), errors.end());
          EXPECT_LT(errors[2], (free ? 60 : 20) * tolerance)
              << type << ", " << tolerance << ", " << output_step << ", " << free;
        }
      }
    }
  }
}

// Lanes that are near half a turn beside lanes that are not.
TEST(JointSpring, RobotsOfABatchTurnAsAlone) {
  const Model model(spun(make_spherical_joint<double>(), {0.2, 0.3, 0.5}));
  constexpr int n = 9;
  Batch batch(std::vector<Model>(n, model));
  RowMatrixXd q(n, 4), v(n, 3);
  for (int i = 0; i < n; ++i) q.row(i) << 1, 0, 0, 0, v.row(i) << 0.1 * i, -0.2 * i, 12.0 + i;
  RolloutOptions options;
  options.method = "rk4", options.step = 1e-3, options.duration = 0.4, options.output_step = 0.05;
  const Rollout rollout = batch.rollout(q, v, options);
  for (int i = 0; i < n; ++i) {
    Scenario s;
    s.duration = options.duration, s.output_step = options.output_step;
    s.integrator.type = "rk4", s.integrator.step = options.step;
    s.initial["b"].v = std::vector<double>(v.row(i).data(), v.row(i).data() + 3);
    MemoryRecorder found;
    Simulator(model, s).run({&found});
    for (std::size_t k = 0; k < found.samples().size(); ++k) {
      const VectorXd alone = found.samples()[k].q;
      const VectorXd beside = rollout.q_samples.row(i).segment(static_cast<Eigen::Index>(k) * 4, 4);
      EXPECT_LT((alone - beside).norm(), 1e-10) << i << ", " << k;
    }
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
