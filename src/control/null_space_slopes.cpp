#include "control/null_space_slopes.h"

namespace cuttle {

// With D = diag(units), S = D G D and N its null space: N^T y = 0 for y = D^-1 (x - nearest), and so for every motion
//   N^T dy = -dN^T y = N^T dS t,  S t = y,  where  N^T dS t = N^T (D^-1 dD y + D d(B)^T M^-1 B D t)
// since B D N = 0; and D^-1 d(x - nearest) = dy + D^-1 dD y, with D^-1 dD = -d(G_jj) / (2 G_jj).
bool NullSpaceSlopes::read(Plant& plant, const ControlArguments& at, const std::vector<char>& free,
                           const VectorXd& beyond) {
  if (!null_.find(plant.Gb(), free)) return false;
  const auto& inputs = null_.free();
  const auto n = static_cast<Eigen::Index>(inputs.size()), nv = plant.M.rows();
  beyond_ = beyond(inputs).cwiseQuotient(null_.units());
  pushed_ = plant.Rb()(Eigen::all, inputs) * null_.units().cwiseProduct(null_.divide(beyond_));
  by_q_.setZero(n, nv), by_v_.setZero(n, nv);
  const MatrixXd rest = plant.motion_slopes(at, VectorXd::Zero(nv), nullptr, nullptr).by_q;
  for (Eigen::Index k = 0; k < n; ++k) {
    if (beyond_[k] == 0.0) continue;
    // G_jj = B_j^T R_j, R_j = M^-1 B_j
    const VectorXd R = plant.Rb().col(inputs[static_cast<std::size_t>(k)]);
    by_q_.row(k) = -R.transpose() * (plant.motion_slopes(at, R, nullptr, nullptr).by_q - rest);
    for (const bool of_q : {true, false}) {
      MatrixXd columns = MatrixXd::Zero(free.size(), nv);
      plant.subtract_column_slopes(R, of_q, columns);
      (of_q ? by_q_ : by_v_).row(k) -= 2.0 * columns.row(inputs[static_cast<std::size_t>(k)]);
    }
    const double square = null_.units()[k] * null_.units()[k];
    by_q_.row(k) *= square, by_v_.row(k) *= square;
  }
  return true;
}

void NullSpaceSlopes::complete(const Plant& plant, bool by_q, const MatrixXd& nearest, MatrixXd& rows) const {
  const auto& inputs = null_.free();
  const auto N = null_.directions();
  const MatrixXd& of_square = by_q ? by_q_ : by_v_;
  MatrixXd columns = MatrixXd::Zero(rows.rows(), rows.cols());
  plant.subtract_column_slopes(pushed_, by_q, columns);
  const MatrixXd wanted =
      -(beyond_.asDiagonal() * of_square) - null_.units().asDiagonal() * columns(inputs, Eigen::all);
  const MatrixXd there = null_.units().cwiseInverse().asDiagonal() * (rows - nearest)(inputs, Eigen::all);
  rows(inputs, Eigen::all) += null_.units().asDiagonal() * (N * (N.transpose() * (wanted - there)));
}

}  // namespace cuttle
