#pragma once

#include <vector>

#include "cuttle/simulation/implicit_system.h"

namespace cuttle {

/// Judges a step by the way that it went. Where it begins, its length was judged by the velocities there. Accelerations
/// from before a touch may throw what comes back from it through the obstacle, though it leaves when the step begins
/// and when it ends.
class StepWay {
 public:
  explicit StepWay(const Model& model);

  /// Longest step by the mean velocity of one of length h; no limit without obstacles that have another side, or where
  /// velocities are nearly those at its start [s].
  double longest_along(ImplicitSystem& system, const State& start, const VectorXd& end_q, double h);

 private:
  /// Each as beside the fastest of its unit.
  bool goes_on(const VectorXd& v, const VectorXd& before) const;

  const Model& model_;
  bool meets_thin_;                   ///< obstacles that have another side
  std::vector<std::size_t> unit_of_;  ///< of each velocity: which of the units that there are
  VectorXd mean_;
};

}  // namespace cuttle
