#pragma once

#include <Eigen/Core>
#include <vector>

namespace cuttle {

/// Least squares min |A x - b| with x >= 0 by active sets (Lawson and Hanson 1974), one column at a time, so that few
/// of x are not zero when the caller stops. The columns in use are held as Q R, which grows and shrinks with them: no
/// normal equations, which would lose half of the digits.
class NonnegativeFit {
 public:
  /// @param A  columns of unit size or so; kept by reference.
  NonnegativeFit(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

  /// Takes in the column that promises most. @return false: no column lessens the residual.
  bool advance();

  const std::vector<Eigen::Index>& columns() const { return columns_; }  ///< in use, as they came
  const std::vector<double>& values() const { return values_; }          ///< x of these, > 0
  const Eigen::VectorXd& residual() const { return residual_; }          ///< b - A x

 private:
  bool enter(Eigen::Index column);
  void leave(std::size_t place);
  Eigen::VectorXd solve() const;

  const Eigen::MatrixXd& A_;
  const Eigen::VectorXd& b_;
  Eigen::VectorXd norms_, residual_;
  Eigen::MatrixXd Q_, R_;  // their first columns_.size() columns, and rows
  std::vector<Eigen::Index> columns_;
  std::vector<double> values_;
  std::vector<bool> used_;
};

}  // namespace cuttle
