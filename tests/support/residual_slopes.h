#pragma once

#include <gtest/gtest.h>

#include <string>

#include "cuttle/simulation/robot_system.h"

namespace cuttle::test {

/// Derivatives of a closed loop's residual by displacements of q and by v against central differences of sixth order.
/// @param step  where nothing bends within three of it: the error is of its sixth power, and rounding by its inverse.
inline void expect_residual_slopes(RobotSystem& system, double time, const VectorXd& q, const VectorXd& v,
                                   const VectorXd& a, const AuxiliaryStates& auxiliary, const std::string& what,
                                   double tolerance, double step = 2e-5) {
  const Eigen::Index nv = v.size();
  VectorXd near(q.size()), r(nv), rates(auxiliary.offset.size());
  const auto residual = [&](const VectorXd& dq, const VectorXd& dv) -> VectorXd {
    integrate<double>(system.model(), q, dq, near);
    system.residual(time, near, v + dv, a, auxiliary, r, rates);
    return r;
  };
  const VectorXd zero = VectorXd::Zero(nv);
  residual(zero, zero);
  const DerivativeData& d = system.residual_derivatives(time, q, v, a, auxiliary, VectorXd());
  const MatrixXd by_q = d.by_q, by_v = d.by_v;
  for (Eigen::Index k = 0; k < nv; ++k) {
    const VectorXd e = step * VectorXd::Unit(nv, k);
    const auto slope = [&](auto&& at) -> VectorXd {
      return (45.0 * (at(1.0) - at(-1.0)) - 9.0 * (at(2.0) - at(-2.0)) + (at(3.0) - at(-3.0))) / (60.0 * step);
    };
    const VectorXd q_slope = slope([&](double t) { return residual(t * e, zero); });
    const VectorXd v_slope = slope([&](double t) { return residual(zero, t * e); });
    EXPECT_LT((by_q.col(k) - q_slope).norm(), tolerance * (1.0 + by_q.norm())) << what << ", q " << k;
    EXPECT_LT((by_v.col(k) - v_slope).norm(), tolerance * (1.0 + by_v.norm())) << what << ", v " << k;
  }
}

}  // namespace cuttle::test
