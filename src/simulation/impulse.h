#pragma once

#include <Eigen/LU>

#include "cuttle/model/model.h"

namespace cuttle {

/// The impulse that makes velocities fit constraints: M (after - before) + G^T mu = 0, G after = 0.
class Impulse {
 public:
  Impulse(const MatrixXd& M, const MatrixXd& G) : M_(M) {
    const Eigen::Index nv = M.cols(), m = G.rows();
    MatrixXd matrix = MatrixXd::Zero(nv + m, nv + m);
    matrix.topLeftCorner(nv, nv) = M, matrix.topRightCorner(nv, m) = G.transpose(), matrix.bottomLeftCorner(m, nv) = G;
    lu_.compute(matrix);
  }
  /// mu. @param before  velocity, nv.
  VectorXd multipliers(const VectorXd& before) const {
    VectorXd right = VectorXd::Zero(lu_.cols());
    right.head(before.size()) = M_ * before;
    return lu_.solve(right).tail(right.size() - before.size());
  }
  /// Of the symmetric matrix of both equations.
  MatrixXd solve(const MatrixXd& right) const { return lu_.solve(right); }

 private:
  MatrixXd M_;
  Eigen::FullPivLU<MatrixXd> lu_;
};

}  // namespace cuttle
