#pragma once

#include "cuttle/model/model.h"

namespace cuttle {

/// States that may follow the motion faster than the steps of an implicit method: by the backward differentiation
/// formula of second order over the times at which the equation of motion is taken (the trapezoidal rule would let them
/// ring). The first step after a begin is backward Euler's.
template <typename S>
class StiffStatesT {
 public:
  void begin(double time, const VectorXT<S>& x) { time_ = time, x_ = x, step_ = 0.0; }

  /// x = offset + factor dx/dt at `time`.
  double factor(double time) const {
    const double h = time - time_, r = ratio(h);
    return h * (1.0 + r) / (1.0 + 2.0 * r);
  }
  auto offset(double time) const {
    const double h = time - time_, r = ratio(h);
    return x_ + S(step_ > 0.0 ? r * h / (1.0 + 2.0 * r) : 0.0) * rate_or_zero();
  }
  double since(double time) const { return time - time_; }
  /// The offset is (1 + memory) times the last states less memory times those before.
  double memory(double time) const {
    const double r = ratio(time - time_);
    return r * r / (1.0 + 2.0 * r);
  }
  /// The states at `end` >= time, where they were found at `time`.
  auto at(double end, double time, const VectorXT<S>& found) const {
    return found + S((end - time) / (time - time_)) * (found - x_);
  }
  void accept(double time, const VectorXT<S>& found) {
    rate_ = (found - x_) / S(time - time_);
    step_ = time - time_, time_ = time, x_ = found;
  }
  /// One of them, and its rate in the last step.
  S& last(Eigen::Index i) { return x_[i]; }
  S& last_rate(Eigen::Index i) { return rate_[i]; }

 private:
  double ratio(double h) const { return step_ > 0.0 ? h / step_ : 0.0; }
  const VectorXT<S>& rate_or_zero() const { return step_ > 0.0 ? rate_ : x_; }  // the factor beside it is 0 then

  double time_ = 0.0, step_ = 0.0;  // of the last states, and the step that led there
  VectorXT<S> x_, rate_;
};

}  // namespace cuttle
