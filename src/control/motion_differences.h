#pragma once

#include "control/output_law.h"

namespace cuttle {

/// Derivatives of a vector that is a function of the motion, by central differences: for what has no derivatives of
/// its own, the readings of sensors. Newton's method may take an iteration more with them; what it converges to is the
/// same.
class MotionDifferences {
 public:
  explicit MotionDifferences(const Model& model)
      : model_(&model), step_(VectorXd::Zero(model.nv())), q_(model.nq()), v_(model.nv()), u_(model.nu()) {}

  /// @param f        f(const ControlArguments&, VectorXd& value)
  /// @param before   how at.u changes with the motion.
  /// @param by_q, by_v  of the size of the values x nv.
  template <typename F>
  void operator()(const ControlArguments& at, const InputSlopes& before, const F& f, MatrixXd& by_q, MatrixXd& by_v) {
    low_.resize(by_q.rows()), high_.resize(by_q.rows());
    for (Eigen::Index k = 0; k < by_q.cols(); ++k) {
      for (const bool velocity : {false, true}) {
        const MatrixXd& inputs = (velocity ? before.by_v : before.by_q).inputs;
        for (const double h : {-k_step, k_step}) {
          q_ = at.q, v_ = at.v;
          u_ = at.u + h * inputs.col(k);
          if (velocity) {
            v_[k] += h;
          } else {
            step_.setZero(), step_[k] = h;
            integrate<double>(*model_, at.q, step_, q_);
          }
          f(ControlArguments{at.time, q_, v_, u_, at.state, at.robot_state, at.factor, at.stiff_factor},
            h < 0.0 ? low_ : high_);
        }
        (velocity ? by_v : by_q).col(k) = (high_ - low_) / (2.0 * k_step);
      }
    }
  }

 private:
  static constexpr double k_step = 1e-5;  // error of differences about 1e-10 of what changes

  const Model* model_;
  VectorXd step_, q_, v_, u_, low_, high_;
};

}  // namespace cuttle
