#pragma once

#include <memory>

#include "cuttle/simulation/integrator.h"

namespace cuttle {

/// The methods of make_integrator; options are checked there.
std::unique_ptr<Integrator> make_rk4(System& system, const IntegratorOptions& options);
std::unique_ptr<Integrator> make_tsit5(System& system, const IntegratorOptions& options);
std::unique_ptr<Integrator> make_bdf(System& system, const IntegratorOptions& options);
std::unique_ptr<Integrator> make_erk(System& system, const IntegratorOptions& options);
enum class ImplicitType { newmark, hht, generalized_alpha, midpoint };
std::unique_ptr<Integrator> make_implicit(System& system, ImplicitType type, const IntegratorOptions& options);

}  // namespace cuttle
