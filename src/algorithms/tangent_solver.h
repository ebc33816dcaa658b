#pragma once

#include <Eigen/Core>

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
};

}  // namespace cuttle
