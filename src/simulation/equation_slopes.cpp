#include "simulation/equation_slopes.h"

#include "simulation/adjoint_run.h"

namespace cuttle {

EquationSlopes::EquationSlopes(ImplicitSystem& system) : system_(system), coordinates_(system.model()) {
  if (!tree_pays(system.model()) || !system.follows_tree()) return;
  system.prepare_along_tree();
  tree_.emplace(system.model());
}

void EquationSlopes::take(double time, const VectorXd& q, const VectorXd& v, const VectorXd& a,
                          const AuxiliaryStates& auxiliary, const VectorXd& lambda) {
  if (tree_) {
    along_ = &system_.residual_along_tree(time, q, v, a, auxiliary, lambda);
  } else {
    matrices_ = &system_.residual_derivatives(time, q, v, a, auxiliary, lambda);
  }
}

void EquationSlopes::form_step(const VectorXd& x, const VectorXd& w_rate, const VectorXd& q, const VectorXd& v,
                               const StepMap& map, const MatrixXd& columns, const MatrixXd& rows) {
  if (tree_) {
    coordinates_.directions(x, w_rate, q, v, map.scale, map.rate, map.second, directions_);
    return form_along(columns, rows);
  }
  const Eigen::Index nv = v.size(), m = rows.rows();
  matrix_.resize(nv + m, nv + m);
  coordinates_.chain(x, w_rate, q, v, map.scale, map.rate, map.second, matrices_->by_q, matrices_->by_v,
                     matrices_->by_a, matrix_.topLeftCorner(nv, nv));
  factor_matrix(columns, rows);
}
void EquationSlopes::form_masses(const MatrixXd& columns, const MatrixXd& rows) {
  if (tree_) {
    coordinates_.motion_directions(0.0, 0.0, 1.0, directions_);
    return form_along(columns, rows);
  }
  const Eigen::Index nv = matrices_->by_a.rows(), m = rows.rows();
  matrix_.resize(nv + m, nv + m);
  matrix_.topLeftCorner(nv, nv) = matrices_->by_a;
  factor_matrix(columns, rows);
}
void EquationSlopes::solve_transposed(VectorXd& gradient) {
  VectorXd result;
  if (tree_) {
    tree_->solve_transposed(gradient, result);
    // once more, for what elimination without pivots across links loses
    VectorXd left, more;
    tree_->multiply_transposed(result, left);
    left = gradient - left;
    tree_->solve_transposed(left, more);
    result += more;
  } else {
    result = lu_.transpose().solve(gradient);
  }
  gradient = result;
}

void EquationSlopes::worth_of_motion(const VectorXd& worth, MatrixXd& by_q, MatrixXd& by_v, MatrixXd& by_a) {
  if (!tree_) {
    by_q = worth.transpose() * matrices_->by_q, by_v = worth.transpose() * matrices_->by_v;
    by_a = worth.transpose() * matrices_->by_a;
    return;
  }
  const auto row = [&](double of_q, double of_v, double of_a, MatrixXd& result) {
    coordinates_.motion_directions(of_q, of_v, of_a, directions_);
    along_->form(system_.model(), directions_, tree_->tree());
    VectorXd found;
    tree_->tree().multiply_transposed(worth, found);
    result = found.transpose();
  };
  row(1.0, 0.0, 0.0, by_q), row(0.0, 1.0, 0.0, by_v), row(0.0, 0.0, 1.0, by_a);
}

void EquationSlopes::form_along(const MatrixXd& columns, const MatrixXd& rows) {
  along_->form(system_.model(), directions_, tree_->tree());
  tree_->border(columns, rows);
  for (const int k : system_.driven()) tree_->pin(k);
  tree_->factor();
}
void EquationSlopes::factor_matrix(const MatrixXd& columns, const MatrixXd& rows) {
  const Eigen::Index m = rows.rows(), nv = matrix_.rows() - m;
  if (m > 0) {
    matrix_.topRightCorner(nv, m) = columns, matrix_.bottomLeftCorner(m, nv) = rows;
    matrix_.bottomRightCorner(m, m).setZero();
  }
  pin_driven(system_.driven(), matrix_);
  lu_.compute(matrix_);
}

}  // namespace cuttle
