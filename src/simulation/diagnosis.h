#pragma once

#include <string>

#include "cuttle/simulation/integrator.h"

namespace cuttle {

/// `arm.joint.q0 (link 'arm')` of entry `index` of a configuration, or of a velocity.
std::string configuration_label(const Model& model, int index);
std::string velocity_label(const Model& model, int index);

/// @throws SimulationError naming the first coordinate that is not finite, and its link.
void require_finite(const Model& model, const VectorInT<double>& q, const VectorInT<double>& v);

/// @throws SimulationError: `t = TIME s: CAUSE; last good state at t = ..: q = [..], v = [..]`.
[[noreturn]] void fail_at(const State& last_good, double time, const std::string& cause);

/// @throws SimulationError, likewise, where a link is deep in what it touches after a step.
void require_not_through(System& system, const State& last_good, double time, const VectorXd& q, const VectorXd& v);

}  // namespace cuttle
