#include "simulation/forward_integrator.h"

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
  return find_method(system.plain().model(), options)->differentiate(system, options);
}

}  // namespace cuttle
