#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "cuttle/algorithms/statics.h"

namespace cuttle {

/// Where a robot that touches obstacles comes to rest from q under all loads: it creeps as in a fluid that drags on its
/// mass, by implicit Euler steps so short that nothing passes through an obstacle, until Newton's method finds the
/// rest. Where forces have an energy each step lowers it. So it neither needs a continuous path of equilibria nor stays
/// where small motions grow: from there it goes on to one side.
/// @param held  nv: not 0 for coordinates that stay; or empty.
/// @param start  a configuration with closed loops.
/// @param why  gets what is in the way, where nothing is returned.
/// @param holding_force  with `held`: gets what holds these coordinates.
std::optional<StaticEquilibrium> settle(const Model& model, Data& data, const StaticLoads& loads,
                                        std::span<const char> held, const VectorXd& start,
                                        const std::function<void()>& heartbeat, std::string& why,
                                        VectorXd& holding_force);

/// From an equilibrium in which small motions grow, and that `settle` would not leave: along the one that is softest,
/// to either side. @return nothing if none of both sides leads to a stable one.
std::optional<StaticEquilibrium> settle_beside(const Model& model, Data& data, const StaticLoads& loads,
                                               const StaticEquilibrium& unstable,
                                               const std::function<void()>& heartbeat);

}  // namespace cuttle
