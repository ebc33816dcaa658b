#include "simulation/forward_integrator.h"

#include <fmt/format.h>

#include "cuttle/error.h"
#include "simulation/integrators.h"

namespace cuttle {

std::unique_ptr<ForwardIntegrator> make_forward_integrator(ForwardSystem& system, const IntegratorOptions& given) {
  const IntegratorOptions options = chosen_options(system.plain().model(), given);
  make_integrator(system.plain(), options);  // refuses what does not fit
  if (options.method) {
    if (const RungeKuttaTableau* tableau = options.method->tableau()) {
      return make_forward_runge_kutta(system, *tableau, options.method->step().value());
    }
    return make_augmented(system, options);
  }
  const std::string type = integrator_type(system.plain().model(), options);
  for (const LibraryMethod& method : library_methods()) {
    if (type == method.type && method.differentiate) return method.differentiate(system, options);
  }
  throw ArgumentError(fmt::format(
      "integrator.type: '{}' has no forward derivatives of its runs, expected another, as generalized_alpha, or a "
      "gradient backwards (--adjoint, vjp)",
      type));
}

}  // namespace cuttle
