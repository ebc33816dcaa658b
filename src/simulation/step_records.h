#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/step_coordinates.h"
#include "cuttle/algorithms/loop_closure.h"
#include "simulation/implicit_scheme.h"

namespace cuttle {

/// What the adjoint of an implicit method keeps of a step, or of what lies between two steps.
struct StepRecord {
  enum class Kind { start, step, impulse, restart };
  Kind kind = Kind::start;
  bool goes_on = false;        ///< a start from where the run was
  double time = 0.0, h = 0.0;  ///< where it begins, and how long it is
  VectorXd q, v, a;            ///< where it begins; of a step q alone
  VectorXd x;                  ///< of a step: the solution; of an impulse: the velocity after it
  StepMap map;                 ///< of a step: what it makes of its solution
  VectorXd lambda;             ///< multipliers of the loops [N m, N], of an impulse times s
  ConstraintRows rows;         ///< of an impulse: those held before
  VectorXd states = {};        ///< that feed back: at a start, of a step their offset
  VectorXd end_states = {};    ///< of a step of energy_conserving: those of elements and contacts at its end
  double state_factor = 0.0;   ///< of a step as StiffStates has it
  double state_memory = 0.0;   ///< the same; of a restart how far beyond the last step's time its states are, in such
                               ///< steps
  double state_beyond = 0.0;   ///< of a step: the same of its end
  double energy = 0.0;         ///< of a step: what the projection wants [J]
  bool after_short_step = false;  ///< of a start
};

/// The records of a run, of which the last is taken first. Of the older ones only what does not follow from the steps
/// before is kept: the solution of each step, nv numbers, and eight more; where each few dozen steps begin, all of it.
/// From that the steps between are made again by the arithmetic of the integrator, not by solving them. A step that
/// did not begin bit for bit where this says, as with driven motion, is kept with its beginning: records come back as
/// they were put in.
class StepRecords {
 public:
  /// @param model  outlives this.
  StepRecords(const Model& model, const ImplicitScheme& scheme);

  void push(StepRecord record);
  /// A step. @param before  what it began with.
  void push(StepRecord record, const StepRates& before);
  /// Forgets the last.
  void pop();
  StepRecord& last() { return open_.back().record; }
  const StepRecord& last() const { return open_.back().record; }
  std::size_t size() const { return closed_size_ + open_.size(); }
  bool empty() const { return size() == 0; }
  /// Of the older ones.
  std::size_t numbers_kept() const { return numbers_kept_; }

 private:
  struct Kept {
    StepRecord record;
    VectorXd w, w_rate, A;  ///< of a step, where it begins: StepRates
  };
  /// Some records that follow each other.
  struct Block {
    std::vector<std::uint8_t> forms;  ///< of each record: bits of Form
    std::vector<double> numbers;
    std::vector<StepRecord> whole;  ///< those that are no steps
  };
  enum Form : std::uint8_t { is_whole = 1, has_q = 2, has_rates = 4 };
  static constexpr std::size_t k_block = 64;

  void close();
  void open();
  /// Where a step ends, and with which rates, as the integrator finds them.
  void end_of(const Kept& step, Kept& next) const;

  const Model& model_;
  ImplicitScheme scheme_;
  StepCoordinates coordinates_;
  std::vector<Block> closed_;
  std::vector<Kept> open_;
  std::size_t closed_size_ = 0, numbers_kept_ = 0;  ///< of the blocks
};

}  // namespace cuttle
