#include "simulation/adjoint_run.h"

#include <fmt/format.h>

#include "cuttle/error.h"
#include "simulation/integrators.h"

namespace cuttle {

void pin_driven(std::span<const int> driven, MatrixXd& matrix) {
  for (const int k : driven) {
    matrix.row(k).setZero(), matrix.col(k).setZero();
    matrix(k, k) = 1.0;
  }
}

void drop_driven(std::span<const int> driven, VectorXd& gradient) {
  for (const int k : driven) gradient[k] = 0.0;
}

std::unique_ptr<AdjointRun> make_adjoint_run(RobotSystem& system, const IntegratorOptions& given) {
  const IntegratorOptions options = chosen_options(system.model(), given);
  make_integrator(system, options);  // refuses what does not fit
  if (options.method) {
    if (const RungeKuttaTableau* tableau = options.method->tableau()) {
      return make_adjoint_runge_kutta(system, *tableau, options.method->step().value());
    }
  }
  if (const LibraryMethod* method = find_method(system.model(), options)) return method->reverse(system, options);
  throw ArgumentError(
      fmt::format("integrator.type: '{}' has no adjoint, expected a method of the library, as generalized_alpha, or a "
                  "Runge-Kutta method with a tableau",
                  options.method->type_name()));
}

}  // namespace cuttle
