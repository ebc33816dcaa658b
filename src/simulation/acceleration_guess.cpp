#include "simulation/acceleration_guess.h"

#include <algorithm>

namespace cuttle {

AccelerationGuess::AccelerationGuess(Eigen::Index size) : trial_(VectorXd::Zero(size)) {
  values_.fill(VectorXd::Zero(size));
}

void AccelerationGuess::extrapolate(int order, double time, VectorXd& result) const {
  result.setZero(trial_.size());
  for (int j = 0; j < order; ++j) {
    double weight = 1.0;
    for (int m = 0; m < order; ++m) {
      if (m != j) weight *= (time - times_[m]) / (times_[j] - times_[m]);
    }
    result += weight * values_[j];
  }
}

void AccelerationGuess::learn(double time, const VectorXd& acceleration) {
  order_ = 0;
  if (known_ > 0) {
    const double size = acceleration.squaredNorm();
    for (int order = 0; order <= known_; ++order) {
      extrapolate(order, time, trial_);
      const double error = size > 0.0 ? (trial_ - acceleration).squaredNorm() / size : 0.0;
      scores_[order] = order > scored_ ? error : k_memory * scores_[order] + (1.0 - k_memory) * error;
      if (scores_[order] < scores_[order_]) order_ = order;
    }
    scored_ = known_;
  }
  std::rotate(times_.begin(), times_.end() - 1, times_.end());
  for (int j = k_most - 1; j > 0; --j) values_[j].swap(values_[j - 1]);
  times_[0] = time, values_[0] = acceleration;
  known_ = std::min(known_ + 1, k_most);
}

}  // namespace cuttle
