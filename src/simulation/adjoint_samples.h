#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "control/held_outputs.h"
#include "simulation/adjoint_numbers.h"

namespace cuttle {

/// What laws with a clock do while a run is recorded and gone back along: which outputs they hold in each stretch
/// between two jumps, and how these follow the states that samples saw. What a stretch finds held outputs to be worth
/// is worth to the sample that said them, and with that to the state there.
class AdjointSamples {
 public:
  /// Both outlive this.
  AdjointSamples(RobotSystem& system, AdjointNumbers& numbers) : system_(system), numbers_(numbers) {}

  /// Forward: the next stretch begins; laws with a clock see the robot.
  void enter(double time, const State& state);
  /// Backward: into a stretch, with what was held there.
  void go_back_into(std::size_t stretch);
  /// What all that is held is worth in that stretch.
  void add(VectorInT<double> worth);

  /// What samples are worth: to the state that they saw, and to signals there (nu).
  struct Worth {
    const VectorXd &q, &v;
    VectorXd by_q, by_v, by_signals;
    VectorXd by_states;  ///< auxiliary ones that feed back
  };
  /// Backward: over the samples with which a stretch begins, none of which is looked at again. Empty: there are none.
  std::optional<Worth> go_back_over(std::size_t stretch);

 private:
  struct Stretch {
    VectorXd held;
    std::vector<std::vector<VectorXd>> of_copies;
    std::vector<std::int64_t> given_out, taken;        ///< of each holder, counts of samples
    std::vector<LawSlopes> laws;                       ///< of controllers up to the last that sampled
    std::vector<std::vector<HeldOutputs::Gets>> gets;  ///< if any sampled, of each holder
    VectorXd q, v;                                     ///< what samples saw, if any
  };
  /// Of a holder's sample by its number; zeros if nothing was added.
  VectorXd& worth_of(std::size_t holder, std::int64_t sample);

  /// Over a sample of a law with memory. @param by_output  what that sample said is worth.
  void go_back_over_memory(std::size_t holder, const LawSlopes& law, const VectorXd& by_output, Worth& worth);

  RobotSystem& system_;
  AdjointNumbers& numbers_;
  std::vector<Stretch> stretches_;
  std::size_t in_ = 0;
  std::map<std::pair<std::size_t, std::int64_t>, VectorXd> worths_;
  std::map<std::size_t, VectorXd> memory_worths_;  ///< of each holder, what its memory after a sample is worth
};

}  // namespace cuttle
