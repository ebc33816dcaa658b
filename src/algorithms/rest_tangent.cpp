#include "algorithms/rest_tangent.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cuttle {
namespace {

/// Whether a solution with this tangent has no digit left.
bool has_no_digits_left(const BorderedTangent& tangent, int size) {
  const double grows = column_sum_estimate(
      size, [&](const VectorXd& x, VectorXd& y) { tangent.solve(x, y); },
      [&](const VectorXd& x, VectorXd& y) { tangent.solve_transposed(x, y); });
  const double its = column_sum_estimate(
      size, [&](const VectorXd& x, VectorXd& y) { tangent.multiply(x, y); },
      [&](const VectorXd& x, VectorXd& y) { tangent.multiply_transposed(x, y); });
  return !(std::numeric_limits<double>::epsilon() * size * grows * its < 1.0);
}

}  // namespace

double column_sum_estimate(int size, const std::function<void(const VectorXd&, VectorXd&)>& apply,
                           const std::function<void(const VectorXd&, VectorXd&)>& apply_transposed) {
  constexpr int k_most_steps = 5;
  constexpr double k_none = std::numeric_limits<double>::infinity();
  if (size == 0) return 0.0;
  double estimate = 0.0;
  VectorXd x = VectorXd::Constant(size, 1.0 / size), y, slope;
  for (int step = 0; step < k_most_steps; ++step) {
    apply(x, y);
    if (!y.allFinite()) return k_none;
    const double found = y.lpNorm<1>();
    if (step > 0 && found <= estimate) break;
    estimate = found;
    apply_transposed(y.unaryExpr([](double value) { return value < 0.0 ? -1.0 : 1.0; }), slope);
    if (!slope.allFinite()) return k_none;
    Eigen::Index steepest = 0;
    if (slope.cwiseAbs().maxCoeff(&steepest) <= slope.dot(x)) break;
    x = VectorXd::Unit(size, steepest);
  }
  // of other maps, whose columns cancel where the steps look
  for (int i = 0; i < size; ++i) x[i] = (i % 2 == 0 ? 1.0 : -1.0) * (1.0 + i / std::max(1.0, size - 1.0));
  apply(x, y);
  if (!y.allFinite()) return k_none;
  return std::max(estimate, 2.0 * y.lpNorm<1>() / (3.0 * size));
}

RestTangent::RestTangent(const Model& model, Data& data, const StaticLoads& loads, const StaticEquilibrium& equilibrium)
    : nv_(model.nv()), problem_(model, data, loads_of(loads, equilibrium), equilibrium.q, Stepping::imbalance) {
  const bool sparse = needs_sparse_tangent(model);
  if (sparse) problem_.require_tree();
  problem_.begin(equilibrium.q, 1.0);
  const int kept = problem_.kept();
  const VectorXd lambda = problem_.kept_of(equilibrium.multipliers);
  if (nv_ == 0) return;
  if (problem_.follows_tree()) {
    VectorXd z = VectorXd::Zero(nv_ + kept);
    z.tail(kept) = lambda;
    tree_ = &problem_.formed(z, {});
    tree_->factor();
    singular_ = has_no_digits_left(*tree_, size());
    if (sparse || !singular_) return;
    tree_ = nullptr;  // which has no pivots where matrices may still have some
  }
  require_few_coordinates(model, "the tangent of an equilibrium");
  MatrixXd tangent = MatrixXd::Zero(nv_ + kept, nv_ + kept);
  if (kept > 0) {
    tangent.topRightCorner(nv_, kept) = problem_.jacobian().transpose();
    tangent.bottomLeftCorner(kept, nv_) = problem_.jacobian();
  }
  tangent.topLeftCorner(nv_, nv_) = problem_.stiffness(lambda);
  matrix_.compute(tangent);
  singular_ = !matrix_.isInvertible();
}

MatrixXd RestTangent::solve(const MatrixXd& right) const {
  if (nv_ == 0) return MatrixXd(0, right.cols());
  if (tree_ == nullptr) return matrix_.solve(right);
  return tree_->solve_columns(right);
}

MatrixXd RestTangent::solve_transposed(const MatrixXd& right) const {
  if (nv_ == 0) return MatrixXd(0, right.cols());
  if (tree_ == nullptr) return matrix_.transpose().solve(right);
  MatrixXd result(right.rows(), right.cols());
  VectorXd solution;
  for (Eigen::Index k = 0; k < right.cols(); ++k) {
    tree_->solve_transposed(VectorXd(right.col(k)), solution);
    result.col(k) = solution;
  }
  return result;
}

}  // namespace cuttle
