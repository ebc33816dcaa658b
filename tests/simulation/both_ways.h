#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cuttle/simulation/motion_adjoint.h"
#include "cuttle/simulation/sensitivities.h"

namespace cuttle::test {

/// Some number of a place in a list, the same on every machine.
inline double number_at(Eigen::Index i, double time) {
  return std::sin(1.7 * static_cast<double>(i) + 3.1 * time + 0.4);
}

/// J = sum of numbers times q and v.
inline double some_term(const Model& model, double time, const VectorXd& q, const VectorXd& v, VectorXd& by_q,
                        VectorXd& by_v) {
  double value = 0.0;
  VectorXd by_coordinates(model.nq());
  for (Eigen::Index i = 0; i < q.size(); ++i) value += (by_coordinates[i] = number_at(i, time)) * q[i];
  for (Eigen::Index i = 0; i < v.size(); ++i) value += (by_v[i] = number_at(i + q.size(), time)) * v[i];
  for (const Edge& edge : model.topology().edges) {
    if (edge.nq == edge.nv) {
      by_q.segment(edge.v, edge.nv) = by_coordinates.segment(edge.q, edge.nq);
      continue;
    }
    // a turn by e changes the quaternion by half of q (0, e); a move by e the position by R e
    const bool free = edge.nv == 6;
    const int at = edge.q + (free ? 3 : 0);
    const Quaternion turn{q[at], q[at + 1], q[at + 2], q[at + 3]};
    for (int k = 0; k < 3; ++k) {
      const Quaternion rate = turn * Quaternion{0.0, k == 0 ? 0.5 : 0.0, k == 1 ? 0.5 : 0.0, k == 2 ? 0.5 : 0.0};
      by_q[edge.v + k] = rate.w * by_coordinates[at] + rate.x * by_coordinates[at + 1] +
                         rate.y * by_coordinates[at + 2] + rate.z * by_coordinates[at + 3];
      if (!free) continue;
      const Vector3 along = turn.matrix().column(k);
      for (int i = 0; i < 3; ++i) by_q[edge.v + 3 + k] += along[i] * by_coordinates[edge.q + i];
    }
  }
  return value;
}

/// A gradient backwards along a run, and the same forward along it.
struct BothWays {
  MotionGradient found;
  double value;
  VectorXd expected;
};
inline BothWays both_ways(const Model& model, const Scenario& scenario, const std::vector<double>& times,
                          const std::vector<std::string>& by) {
  BothWays both{motion_adjoint(
                    model, scenario, times,
                    [&](double time, const VectorXd& q, const VectorXd& v, VectorXd& by_q, VectorXd& by_v) {
                      return some_term(model, time, q, v, by_q, by_v);
                    },
                    by),
                0.0, VectorXd::Zero(static_cast<Eigen::Index>(by.size()))};
  const Sensitivities forward = sensitivities(model, scenario, {"q", "v"}, by, times);
  for (std::size_t t = 0; t < times.size(); ++t) {
    VectorXd weights(forward.values[t].size());
    for (Eigen::Index i = 0; i < weights.size(); ++i) weights[i] = number_at(i, times[t]);
    both.value += weights.dot(forward.values[t]);
    both.expected += forward.derivatives[t].transpose() * weights;
  }
  return both;
}

/// Both alike, each by its own size: moduli and radii differ by ten orders.
/// @param of_each  how close each number is to itself, beside how close all are to the largest.
inline void expect_alike(const BothWays& both, const std::vector<std::string>& by, double of_each, double of_largest) {
  VectorXd size(both.expected.size());
  for (Eigen::Index k = 0; k < size.size(); ++k) {
    const double own = std::abs(both.found.parameters[static_cast<std::size_t>(k)].value);
    size[k] = own > 0.0 ? own : 1.0;
  }
  const double largest = both.expected.cwiseProduct(size).cwiseAbs().maxCoeff();
  ASSERT_GT(largest, 0.0);
  for (Eigen::Index k = 0; k < size.size(); ++k) {
    const double expected = both.expected[k] * size[k];
    EXPECT_NEAR(both.found.by[k] * size[k], expected, of_each * std::abs(expected) + of_largest * largest)
        << by[static_cast<std::size_t>(k)];
  }
}

}  // namespace cuttle::test
