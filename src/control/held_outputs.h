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

  /// What a sample hangs on beside that: states of the law, and what it said last where a limit of the rate holds it.
  virtual int memory_count() const = 0;
  /// How the memory after the last sample follows what it saw, a number a row; after `slopes` of the same arguments.
  /// @param output_by_q, output_by_v  what these have found.
  virtual void memory_slopes(const ControlArguments& at, const MatrixXd& output_by_q, const MatrixXd& output_by_v,
                             MatrixXd& by_q, MatrixXd& by_v) = 0;
  /// How what the last sample said, and the memory after it, follow the memory before it.
  virtual void slopes_of_memory(const ControlArguments& at, MatrixXd& outputs, MatrixXd& memory) = 0;
  /// What the last sample would have said with other states of the robot, and then the memory after it.
  virtual VectorXd said_with(const ControlArguments& at, const VectorXd& robot_state) = 0;
};

/// How what a controller sets at an instant follows the motion and the inputs before it: nu x nv, nu x nv, nu x nu.
struct LawSlopes {
  MatrixXd by_q, by_v, by_u;
  MatrixXd by_state;  ///< by auxiliary states that feed back, nu x states; empty: it looks at none
  // Of a sample with memory: what it says by the memory before it, an input of its own a row; and the memory after it.
  MatrixXd by_memory, memory_by_q, memory_by_v, memory_by_u, memory_by_memory, memory_by_state;
};

}  // namespace cuttle
