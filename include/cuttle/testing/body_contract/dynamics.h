#pragma once

// before anything else of Eigen
// clang-format off
#include "cuttle/eigen_memory.h"
// clang-format on

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "cuttle/bodies/body.h"
#include "cuttle/spatial/eigen.h"
#include "cuttle/testing/body_contract/differences.h"
#include "cuttle/testing/body_contract/evaluation.h"
#include "cuttle/testing/body_contract/findings.h"
#include "cuttle/testing/body_contract/options.h"
#include "cuttle/testing/body_contract/state.h"

namespace cuttle::contract {

/// Affine in (a, A_0, wrenches), with the matrices of inertia_blocks and the port Jacobians as slopes.
inline void check_blocks(Findings& findings, const Body& body, const State<double>& state, Numbers& numbers) {
  const int n = body.coordinate_count();
  const Evaluation<double> at = evaluate(body, state);
  const Matrix<double> M = at.whole();
  State<double> rest = state;
  rest.a.setZero(), rest.A = {};
  const Evaluation<double> bias = evaluate(body, rest);
  const double rounding = 1e4 * std::numeric_limits<double>::epsilon();  // n-fold sums, and a difference of two forces
  const double scale = size_of(M) + size_of(bias.force) + size_of(bias.base_wrench);

  const auto column = [&](const State<double>& unit) {
    const Evaluation<double> moved = evaluate(body, unit);
    Vector<double> force(6 + n);
    force << moved.base_wrench - bias.base_wrench, moved.force - bias.force;
    return force;
  };
  for (int j = 0; j < 6 + n; ++j) {
    State<double> unit = rest;
    if (j < 6) {
      unit.A[j] = 1.0;
    } else {
      unit.a[j - 6] = 1.0;
    }
    findings.near(column(unit), M.col(j), rounding, scale, "column " + std::to_string(j) + " of the inertia");
  }
  Vector<double> acceleration(6 + n);
  acceleration << to_eigen(state.A), state.a;
  findings.near(column(state), M * acceleration, rounding, scale * (1 + size_of(acceleration)), "affinity");

  findings.near(M, M.transpose().eval(), 0.0, 0.0, "both halves of the inertia");
  findings.expect(Eigen::LLT<Matrix<double>>(at.mass).info() == Eigen::Success, "M_BB is not positive definite");
  // with the base it is singular for a point mass: shifted by rounding
  const Matrix<double> shifted = M + rounding * size_of(M) * Matrix<double>::Identity(6 + n, 6 + n);
  findings.expect(Eigen::LLT<Matrix<double>>(shifted).info() == Eigen::Success, "the inertia is not semidefinite");

  for (int k = 0; k < body.port_count(); ++k) {
    const std::string port = " of port " + std::to_string(k);
    const Pose& g = at.ports[k].base_port;
    findings.near(to_eigen(at.ports[k].velocity), to_eigen(g.act_inverse(state.V)) + at.jacobians[k] * state.v,
                  rounding, 1.0 + size_of(at.jacobians[k]), "J v" + port);
    findings.near(to_eigen(at.ports[k].acceleration),
                  to_eigen(bias.ports[k].acceleration) + to_eigen(g.act_inverse(state.A)) + at.jacobians[k] * state.a,
                  rounding, 1.0 + size_of(at.jacobians[k]) + size_of(to_eigen(bias.ports[k].acceleration)),
                  "X A + J a + b" + port);
    std::vector<Wrench> wrenches(body.port_count());
    wrenches[k] = numbers.wrench();
    const Evaluation<double> loaded = evaluate(body, rest, wrenches);
    findings.near(loaded.force - bias.force, at.jacobians[k].transpose() * to_eigen(wrenches[k]), rounding, scale + 1.0,
                  "J^T w" + port);
    findings.near(loaded.base_wrench - bias.base_wrench, to_eigen(g.act(wrenches[k])), rounding, scale + 1.0,
                  "X^T w" + port);
  }
}

/// Kinetic energy, and the bias forces that follow from it: d/dt (M V) - dT/dq, with ad^T on the base.
inline void check_lagrange(Findings& findings, const Body& body, const State<double>& state,
                           const BodyContractOptions& options) {
  const int n = body.coordinate_count();
  const Evaluation<double> at = evaluate(body, state);
  const auto velocity = [&](const State<double>& s) {
    Vector<double> v(6 + n);
    v << to_eigen(s.V), s.v;
    return v;
  };
  const Matrix<double> M = at.whole();
  const double energy = 0.5 * velocity(state).dot(M * velocity(state));
  const double scale = size_of(M) * (1.0 + velocity(state).squaredNorm());
  findings.near(at.kinetic_energy, energy, 1e4 * std::numeric_limits<double>::epsilon() * scale, "kinetic energy");
  findings.expect(at.kinetic_energy >= 0.0, "kinetic energy is negative");

  const auto momentum = [&](double t) -> Vector<double> {
    const State<double> later = state.after(t);
    return evaluate(body, later).whole() * velocity(later);
  };
  Vector<double> expected = derivative(momentum, options.step);
  const Vector<double> p = momentum(0.0);
  const Wrench p0{{p[0], p[1], p[2]}, {p[3], p[4], p[5]}};
  expected.head(6) += to_eigen(gyroscopic_wrench(state.V, p0));
  for (int k = 0; k < n; ++k) {
    expected[6 + k] -= scalar_derivative(
        [&](double t) {
          State<double> moved = state;
          moved.q[k] += t;
          return 0.5 * velocity(state).dot(evaluate(body, moved).whole() * velocity(state));
        },
        options.step);
  }
  findings.expect(options.lagrangian || !body.balances_power(),
                  "exempt from the power test, but balances_power: found true");
  if (options.lagrangian) {
    Vector<double> found(6 + n);
    found << at.base_wrench, at.force;
    findings.near(found, expected, options.tolerance, scale + size_of(expected), "inertial force against Lagrange's");
    const double power =
        scalar_derivative([&](double t) { return evaluate(body, state.after(t)).kinetic_energy; }, options.step);
    findings.near(velocity(state).dot(found), power, options.tolerance * (scale + std::abs(power)), "power");
  }

  // mass moment: first moment of M_00, and its rate is the momentum that deformation makes
  findings.near(to_eigen(at.moment), to_eigen(at.base.moment), 1e3 * std::numeric_limits<double>::epsilon(),
                at.base.mass + size_of(to_eigen(at.moment)), "mass moment");
  State<double> still = state;
  still.V = {}, still.A = {};
  const Eigen::Vector3d rate = derivative(
      [&](double t) -> Eigen::Vector3d { return to_eigen(evaluate(body, still.after(t)).moment); }, options.step);
  findings.near((at.coupling * state.v).tail(3).eval(), rate, options.tolerance, scale, "rate of the mass moment");
}

}  // namespace cuttle::contract
