#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/testing/body_contract/tangent.h"

// What holds a body's own derivatives (BodyTangentT) against others.

namespace cuttle::test {

using namespace contract;

/// Derivatives of a body's sweeps with ForwardDual as the scalar, which are exact.
class Automatic {
 public:
  Automatic(const Body& body, const State<double>& state, const std::vector<PortLoad>& loads)
      : body_(body.clone_as(ScalarTag<ForwardDual>{})), state_(state), loads_(loads) {
    const WorkspaceSize size = body_->workspace_size();
    persistent_.resize(size.persistent), scratch_.resize(size.scratch);
  }
  Vector<double> operator()(const Direction& direction) const {
    const Vector<ForwardDual> outputs = loaded_outputs(*body_, state_, direction, loads_, ForwardDual::variable(0.0, 0),
                                                       {persistent_.data(), scratch_.data(), nullptr});
    return outputs.unaryExpr([](const ForwardDual& x) { return x.derivative[0]; });
  }

 private:
  std::unique_ptr<BodyT<ForwardDual>> body_;
  const State<double>& state_;
  const std::vector<PortLoad>& loads_;
  mutable std::vector<ForwardDual> persistent_, scratch_;
};

/// Central differences of sixth order in long double.
inline Vector<double> wide_slope(const BodyT<long double>& body, const State<double>& state, const Direction& direction,
                                 const std::vector<PortLoad>& loads) {
  Workspace<long double> workspace(body.workspace_size());
  const auto at = [&](long double t) {
    return loaded_outputs<long double>(body, state, direction, loads, t, workspace.get());
  };
  const long double h = 2e-3L;
  const Vector<long double> difference =
      45.0L * (at(h) - at(-h)) - 9.0L * (at(2 * h) - at(-2 * h)) + (at(3 * h) - at(-3 * h));
  return (difference / (60 * h)).cast<double>();
}

/// The body's own derivatives against automatic differentiation of its sweeps.
inline void expect_exact(const Body& body, unsigned seed, const std::string& name,
                         const BodyContractOptions& options = {}, double tolerance = 1e-12) {
  ASSERT_NE(body.tangent(), nullptr) << name;
  Numbers numbers(seed);
  const State<double> state = random_state(body, options, numbers);
  const std::vector<PortLoad> loads = random_loads(body.port_count(), body.rest_inertia().mass, numbers);
  const TangentEvaluation<double> found = evaluate_tangent(body, state, loads);
  Findings findings;
  check_tangent(findings, found, state, Automatic(body, state, loads), tolerance);
  for (const std::string& text : findings.texts()) ADD_FAILURE() << name << ": " << text;
}

/// Derivatives of elastic and damping force by ForwardDual, one column of by_q and by_v after the other.
inline void expect_internal_derivatives(const Body& body, const State<double>& state, const std::string& name) {
  const int n = body.coordinate_count();
  ASSERT_TRUE(body.tangent()->has_internal_derivatives()) << name;
  Workspace<double> memory({body.tangent()->tangent_memory_size(), 0, 0});
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Rows by_q = Rows::Constant(n, n, NAN), by_v = by_q, expected_q(n, n), expected_v(n, n);
  body.tangent()->internal_derivatives(state.q.data(), state.v.data(), memory.get().persistent, by_q.data(),
                                       by_v.data());
  memory.finish_call();
  const auto differentiated = body.clone_as(ScalarTag<ForwardDual>{});
  for (int k = 0; k < n; ++k) {
    Vector<ForwardDual> q(n), v(n), force(n);
    for (int i = 0; i < n; ++i) q[i] = state.q[i], v[i] = state.v[i], force[i] = 0.0;
    q[k].derivative[0] = 1.0, v[k].derivative[1] = 1.0;
    differentiated->add_elastic_force(q.data(), force.data());
    differentiated->add_damping_force(q.data(), v.data(), force.data());
    for (int i = 0; i < n; ++i) expected_q(i, k) = force[i].derivative[0], expected_v(i, k) = force[i].derivative[1];
  }
  EXPECT_LT((by_q - expected_q).cwiseAbs().maxCoeff(), 1e-11 * expected_q.cwiseAbs().maxCoeff()) << name;
  EXPECT_LE((by_v - expected_v).cwiseAbs().maxCoeff(), 1e-11 * expected_v.cwiseAbs().maxCoeff()) << name;
}

}  // namespace cuttle::test
