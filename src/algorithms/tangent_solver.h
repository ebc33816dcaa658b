#pragma once

#include <Eigen/Core>
#include <Eigen/LU>

namespace cuttle {

/// A matrix that somebody has factored.
class TangentSolver {
 public:
  TangentSolver() = default;
  TangentSolver(const TangentSolver&) = delete;
  TangentSolver& operator=(const TangentSolver&) = delete;
  virtual ~TangentSolver() = default;
  /// matrix result = right.
  virtual void solve(const Eigen::VectorXd& right, Eigen::VectorXd& result) const = 0;
  /// The same for each column.
  Eigen::MatrixXd solve_columns(const Eigen::MatrixXd& right) const {
    Eigen::MatrixXd result(right.rows(), right.cols());
    Eigen::VectorXd column, solution;
    for (Eigen::Index k = 0; k < right.cols(); ++k) {
      column = right.col(k);
      solve(column, solution);
      result.col(k) = solution;
    }
    return result;
  }
};

/// A matrix of all coordinates.
class FactoredMatrix final : public TangentSolver {
 public:
  explicit FactoredMatrix(const Eigen::MatrixXd& matrix) : lu_(matrix) {}
  /// With room for one of that size, to be computed.
  explicit FactoredMatrix(Eigen::Index size) : lu_(size) {}
  void compute(const Eigen::MatrixXd& matrix) { lu_.compute(matrix); }
  void solve(const Eigen::VectorXd& right, Eigen::VectorXd& result) const override { result = lu_.solve(right); }

 private:
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

}  // namespace cuttle
