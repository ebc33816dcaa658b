#pragma once

#include <array>

#include "cuttle/model/model.h"

namespace cuttle {

/// Where an implicit step begins to look for its acceleration: by a polynomial through the last ones, of the order that
/// would have served the last steps best, or zero ([B] IV). Smooth motion is foretold to a high order; vibrations that
/// are too fast for the step change sign from one step to the next, and zero is then the best that one can say.
class AccelerationGuess {
 public:
  explicit AccelerationGuess(Eigen::Index size);

  /// Nothing is known: the next guess is zero.
  void forget() { known_ = order_ = 0, scored_ = -1; }
  /// The acceleration at a time later than those before.
  void learn(double time, const VectorXd& acceleration);
  bool is_zero() const { return order_ == 0; }
  /// At a time later than those learned.
  void predict(double time, VectorXd& result) const { extrapolate(order_, time, result); }

 private:
  static constexpr int k_most = 3;
  static constexpr double k_memory = 0.7;  ///< part of the score that the steps before have
  /// Through the last `order` values.
  void extrapolate(int order, double time, VectorXd& result) const;

  int known_ = 0, order_ = 0;
  int scored_ = -1;                          // highest order that has a score
  std::array<double, k_most + 1> scores_{};  // squared errors relative to the acceleration, smoothed over steps
  std::array<double, k_most> times_{};       // latest first
  std::array<VectorXd, k_most> values_;
  VectorXd trial_;
};

}  // namespace cuttle
