#include "control/input_null_space.h"

namespace cuttle {

bool InputNullSpace::find(const MatrixXd& G, const std::vector<char>& free) {
  free_.clear();
  for (int j = 0; j < static_cast<int>(free.size()); ++j) {
    if (free[static_cast<std::size_t>(j)] && G(j, j) > 0.0) free_.push_back(j);
  }
  count_ = 0;
  if (free_.empty()) return false;
  scaled_ = G(free_, free_);
  units_ = scaled_.diagonal().cwiseSqrt().cwiseInverse();
  scaled_ = units_.asDiagonal() * scaled_ * units_.asDiagonal();
  eigen_.compute(scaled_);
  count_ = (eigen_.eigenvalues().array() < k_none).count();
  return count_ > 0;
}

VectorXd InputNullSpace::divide(const VectorXd& y) const {
  const Eigen::Index kept = units_.size() - count_;
  return others() * (others().transpose() * y).cwiseQuotient(eigen_.eigenvalues().tail(kept));
}

void InputNullSpace::leave_out(const VectorXd& nearest, VectorXd& x) const {
  const VectorXd beyond = (x - nearest)(free_).cwiseQuotient(units_);
  const VectorXd part = directions() * (directions().transpose() * beyond);
  x(free_) -= units_.cwiseProduct(part);
}

}  // namespace cuttle
