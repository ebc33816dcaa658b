#pragma once

#include <cstdint>
#include <vector>

#include "control/output_law.h"

namespace cuttle {

/// What a law with a clock holds between its samples, and how it follows what the samples saw: gradients go back along
/// runs through these.
class HeldOutputs {
 public:
  virtual ~HeldOutputs() = default;
  /// Of the model: those that it sets.
  virtual const std::vector<int>& inputs() const = 0;
  /// An input a number.
  virtual const VectorXd& held() const = 0;
  virtual void hold(const VectorXd& held) = 0;
  /// What an input gets at a time, while others set u.
  enum class Gets {
    held,          ///< what is held for it
    nothing,       ///< outside the window
    what_is_left,  ///< minus u: of a tendon that would push
  };
  virtual Gets gets(int input, double time, const VectorXd& u) const = 0;
  /// Counts of the samples that were taken, and of those whose outputs have been held so far: with a delay fewer.
  virtual std::int64_t taken() const = 0;
  virtual std::int64_t given_out() const = 0;
  /// Derivatives of what the last sample said by the displacement and velocity that it saw, an input a row, nv columns.
  /// @param at  of that sample.
  virtual void slopes(const ControlArguments& at, const InputSlopes& before, MatrixXd& by_q, MatrixXd& by_v) = 0;
};

/// How what a controller sets at an instant follows the motion and the inputs before it: nu x nv, nu x nv, nu x nu.
struct LawSlopes {
  MatrixXd by_q, by_v, by_u;
};

}  // namespace cuttle
