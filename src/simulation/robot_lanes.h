#pragma once

#include <compare>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/model/model.h"
#include "cuttle/model/signal.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/robot_pack.h"

// What robots must share to be computed side by side, and the steps that they take together.

namespace cuttle {

/// Why two robots cannot lie side by side; empty if they can.
std::string difference_of(const Model& a, const Model& b);

/// What robots must share to lie in one pack and to use one workspace: the arrangement of their bodies, the memory that
/// their bodies need, and the times at which their loads jump.
struct Arrangement {
  std::vector<std::size_t> structure;
  std::vector<double> load_jumps;  ///< of loads and elements, ascending
  auto operator<=>(const Arrangement&) const = default;
};
Arrangement arrangement_of(const Model& model);

/// Times at which inputs jump: since the start of the roll-out, and by the clock.
using Jumps = std::set<std::pair<double, double>>;

/// Every time at which steps end, as the Simulator would have it for each robot alone.
/// @param held  begins of the intervals of held inputs after the first; they are jumps too.
void add_targets(const Jumps& jumps, const std::vector<double>& held, const OutputTimes& outputs, bool samples,
                 RolloutPlan& plan);

}  // namespace cuttle
