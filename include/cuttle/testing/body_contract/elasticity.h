#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "cuttle/bodies/body.h"
#include "cuttle/eigen_memory.h"
#include "cuttle/testing/body_contract/differences.h"
#include "cuttle/testing/body_contract/findings.h"
#include "cuttle/testing/body_contract/options.h"
#include "cuttle/testing/body_contract/state.h"

namespace cuttle::contract {

/// Elastic force and stiffness are derivatives of the energy; damping takes power, and is the gradient of the
/// dissipation where the body has one.
inline void check_elasticity(Findings& findings, const Body& body, const State<double>& state,
                             const BodyContractOptions& options, Numbers& numbers) {
  const int n = body.coordinate_count();
  const Vector<double> none = Vector<double>::Zero(n);
  const auto elastic = [&](const Vector<double>& q) {
    Vector<double> force = Vector<double>::Zero(n);
    body.add_elastic_force(q.data(), force.data());
    return force;
  };
  const auto damping = [&](const Vector<double>& v) {
    Vector<double> force = Vector<double>::Zero(n);
    body.add_damping_force(state.q.data(), v.data(), force.data());
    return force;
  };
  using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ByRows K = ByRows::Constant(n, n, nan), D = K;
  body.stiffness_matrix(state.q.data(), K.data());
  body.damping_matrix(state.q.data(), state.v.data(), D.data());
  const Vector<double> force = elastic(state.q), drag = damping(state.v);
  const double scale = size_of(force) + size_of(K) * size_of(state.q),
               drag_scale = size_of(drag) + size_of(D) * size_of(state.v);
  // elastic terms vary over the size of the coordinate, which for lengths is small
  for (int k = 0; k < n; ++k) {
    const double h = options.step * (std::abs(state.q[k]) > 0.05 ? 1.0 : 0.1);
    const auto moved = [&](double t, const Vector<double>& from) {
      Vector<double> to = from;
      to[k] += t;
      return to;
    };
    const double gradient =
        scalar_derivative([&](double t) { return body.elastic_energy(moved(t, state.q).data()); }, h);
    // a difference of energies: their rounding over the step
    const double rounding =
        1e2 * std::numeric_limits<double>::epsilon() * std::abs(body.elastic_energy(state.q.data())) / h;
    findings.near(force[k], gradient, options.tolerance * scale + rounding,
                  "elastic force " + std::to_string(k) + " and the energy's gradient");
    const Vector<double> K_column = derivative([&](double t) { return elastic(moved(t, state.q)); }, h);
    findings.near(K.col(k), K_column, options.tolerance, size_of(K) + scale / h * 1e-3,
                  "stiffness column " + std::to_string(k));
    const Vector<double> D_column = derivative([&](double t) { return damping(moved(t, state.v)); }, h);
    findings.near(D.col(k), D_column, options.tolerance, size_of(D) + drag_scale / h * 1e-3,
                  "damping column " + std::to_string(k));
    if (!body.has_dissipation()) continue;
    const auto dissipation = [&](const Vector<double>& v) { return body.dissipation(state.q.data(), v.data()); };
    const double slope = scalar_derivative([&](double t) { return dissipation(moved(t, state.v)); }, h);
    findings.near(drag[k], slope,
                  options.tolerance * drag_scale +
                      1e2 * std::numeric_limits<double>::epsilon() * std::abs(dissipation(state.v)) / h,
                  "damping force " + std::to_string(k) + " and the dissipation's gradient");
  }
  findings.near(K, K.transpose().eval(), 100 * std::numeric_limits<double>::epsilon(), size_of(K),
                "symmetry of the stiffness");
  findings.expect(state.v.dot(drag) >= 0.0, "damping gives power");
  findings.near(damping(none), none, 0.0, 0.0, "damping at rest");
  findings.expect(body.elastic_energy(state.q.data()) >= 0.0, "elastic energy is negative");

  Vector<double> sum(n);
  for (int i = 0; i < n; ++i) sum[i] = numbers();
  const Vector<double> before = sum;
  body.add_elastic_force(state.q.data(), sum.data());
  body.add_damping_force(state.q.data(), state.v.data(), sum.data());
  findings.near(sum - before, force + drag, 100 * std::numeric_limits<double>::epsilon(),
                1.0 + size_of(force) + size_of(drag), "forces are added");
}

}  // namespace cuttle::contract
