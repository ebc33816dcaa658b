#include "bodies/volume/reduction/nonnegative_fit.h"

#include <Eigen/Jacobi>
#include <algorithm>
#include <iterator>
#include <limits>

namespace cuttle {

using Eigen::Index;

NonnegativeFit::NonnegativeFit(const Eigen::MatrixXd& A, const Eigen::VectorXd& b)
    : A_(A), b_(b), norms_(A.colwise().norm()), residual_(b), used_(static_cast<std::size_t>(A.cols()), false) {}

/// Appends a column to Q R. @return false: it depends on those that are there.
bool NonnegativeFit::enter(Index column) {
  constexpr double k_dependent = 1e-11;
  const Index m = std::ssize(columns_);
  if (m >= A_.rows()) return false;
  if (m == Q_.cols()) {  // rarely
    const Index more = std::max<Index>(64, 2 * m);
    Q_.conservativeResize(A_.rows(), more);
    R_.conservativeResize(more, more);
  }
  Eigen::VectorXd q = A_.col(column), r = Eigen::VectorXd::Zero(m);
  for (int pass = 0; pass < 2; ++pass) {  // the second makes it orthogonal to rounding
    const Eigen::VectorXd part = Q_.leftCols(m).transpose() * q;
    q.noalias() -= Q_.leftCols(m) * part;
    r += part;
  }
  const double left = q.norm();
  if (!(left > k_dependent * norms_[column])) return false;
  Q_.col(m) = q / left;
  R_.col(m).head(m) = r;
  R_.row(m).head(m).setZero();
  R_(m, m) = left;
  columns_.push_back(column), values_.push_back(0.0), used_[static_cast<std::size_t>(column)] = true;
  return true;
}

/// Takes a column out: rotations make R triangular again.
void NonnegativeFit::leave(std::size_t place) {
  const Index k = static_cast<Index>(place), m = std::ssize(columns_);
  for (Index j = k; j + 1 < m; ++j) R_.col(j).head(m) = R_.col(j + 1).head(m);
  for (Index j = k; j + 1 < m; ++j) {
    Eigen::JacobiRotation<double> rotation;
    rotation.makeGivens(R_(j, j), R_(j + 1, j));
    R_.topLeftCorner(m, m - 1).applyOnTheLeft(j, j + 1, rotation.adjoint());
    Q_.applyOnTheRight(j, j + 1, rotation);
  }
  used_[static_cast<std::size_t>(columns_[place])] = false;
  columns_.erase(columns_.begin() + k), values_.erase(values_.begin() + k);
}

Eigen::VectorXd NonnegativeFit::solve() const {
  const Index m = std::ssize(columns_);
  const Eigen::VectorXd image = Q_.leftCols(m).transpose() * b_;
  return R_.topLeftCorner(m, m).triangularView<Eigen::Upper>().solve(image);
}

bool NonnegativeFit::advance() {
  constexpr double k_no_gain = 1e-13;  // of the residual: rounding
  const Eigen::VectorXd gain = A_.transpose() * residual_;
  std::vector<bool> refused = used_;
  for (;;) {
    Index best = -1;
    double most = k_no_gain * residual_.norm();
    for (Index i = 0; i < gain.size(); ++i) {
      const double promise = gain[i] / std::max(norms_[i], std::numeric_limits<double>::min());
      if (!refused[static_cast<std::size_t>(i)] && promise > most) most = promise, best = i;
    }
    if (best < 0) return false;
    refused[static_cast<std::size_t>(best)] = true;
    if (!enter(best)) continue;
    Eigen::VectorXd found = solve();
    if (found[found.size() - 1] > 0.0) break;
    leave(columns_.size() - 1);  // its gain was rounding
  }
  for (;;) {
    const Eigen::VectorXd found = solve();
    double step = 1.0;
    std::size_t first = values_.size();  // that comes to its bound on the way to what was found
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const double at = found[static_cast<Index>(i)];
      if (at > 0.0) continue;
      const double until = values_[i] / (values_[i] - at);
      if (first == values_.size() || until < step) step = until, first = i;
    }
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] += step * (found[static_cast<Index>(i)] - values_[i]);
    }
    if (first == values_.size()) break;
    for (std::size_t i = values_.size(); i-- > 0;) {
      if (i == first || values_[i] <= 0.0) leave(i);
    }
  }
  const auto used = Q_.leftCols(std::ssize(columns_));
  residual_ = b_ - used * (used.transpose() * b_);
  return true;
}

}  // namespace cuttle
