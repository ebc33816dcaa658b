// An integrator: Ralston's Runge-Kutta method of order 3, with fixed steps. A method of another sort would be a class
// derived from cuttle::IntegratorMethod.
#include <cuttle/simulation/integrator.h>

#include "own_kinds.h"

namespace {

const cuttle::RungeKuttaTableau k_ralston{
    {{}, {0.5}, {0.0, 0.75}}, {2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0}, {0.0, 0.5, 0.75}};

const cuttle::KeyTable k_keys{.keys = cuttle::fixed_step_keys()};

std::optional<cuttle::IntegratorOptions> read_ralston(const cuttle::KeyReader<double>& keys) {
  cuttle::IntegratorOptions options;
  options.method = cuttle::runge_kutta_method("ralston", k_ralston, keys.number("step"));
  return options;
}

void write_ralston(const cuttle::IntegratorOptions& options, cuttle::MapWriter& map) {
  map.number("step", *options.method->step());
}

}  // namespace

cuttle::IntegratorKind ralston_kind() {
  return {"ralston",
          &k_keys,
          "Ralston's Runge-Kutta method of order 3.",
          "{type: ralston, step: 1.0e-3}",
          read_ralston,
          nullptr,
          write_ralston};
}
