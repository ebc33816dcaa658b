#pragma once

#include "cuttle/algorithms/equation_of_motion.h"
#include "cuttle/api.h"
#include "cuttle/simulation/implicit_system.h"

namespace CUTTLE_API cuttle {

class RobotSystem;

/// What there is to know of a state that a run has reached, at a jump as it is from then on.
class ReachedState {
 public:
  /// nu: inputs that act, clipped where a tendon is slack.
  const VectorXd& inputs() const;
  /// What the controllers record (recorded_controllers), into `numbers`.
  void record_controllers(VectorXd& numbers) const;
  /// What the sensors measure, in the order of recorded_sensors: NaN where that depends on multipliers that the state
  /// does not have.
  const VectorXd& sensors() const;
  /// Efforts on the driven coordinates, in their order; NaN as `sensors`.
  const VectorXd& motion_efforts() const;
  /// Elements: energy that they store, and their outputs.
  const ElementData& elements() const;

 private:
  friend class RobotSystem;
  ReachedState(RobotSystem& system, const State& state) : system_(system), state_(state) {}
  RobotSystem& system_;
  const State& state_;
};

}  // namespace cuttle
