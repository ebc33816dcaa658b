#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "cuttle/simulation/integrator.h"

namespace cuttle {

/// Shortest step worth taking at a time [s]: what the time's own rounding resolves, and not nothing beside the way to
/// the next output. It does not depend on how long the run is.
inline double shortest_step(double time, double interval) {
  return std::max(16.0 * std::numeric_limits<double>::epsilon() * std::abs(time), 1e-13 * std::min(interval, 1.0));
}

/// The methods of make_integrator; options are checked there.
std::unique_ptr<Integrator> make_rk4(System& system, const IntegratorOptions& options);
std::unique_ptr<Integrator> make_tsit5(System& system, const IntegratorOptions& options);
std::unique_ptr<Integrator> make_bdf(System& system, const IntegratorOptions& options);
std::unique_ptr<Integrator> make_erk(System& system, const IntegratorOptions& options);
enum class ImplicitType { newmark, hht, generalized_alpha, midpoint };
std::unique_ptr<Integrator> make_implicit(System& system, ImplicitType type, const IntegratorOptions& options);

}  // namespace cuttle
