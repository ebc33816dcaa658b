// Explicit Runge-Kutta methods with fixed steps: a tableau and an entry each.
#include "simulation/adjoint_run.h"
#include "simulation/forward_integrator.h"
#include "simulation/integrators.h"

namespace cuttle {
namespace {

// clang-format off
const RungeKuttaTableau k_rk4{
    {{}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}},
    {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
    {0.0, 0.5, 0.5, 1.0}};

/// The fifth-order solution of Tsitouras, "Runge-Kutta pairs of order 5(4) satisfying only the first column simplifying
/// assumption", Computers & Mathematics with Applications 62 (2011) 770-775; with fixed steps the seventh stage, which
/// only the error estimate uses, is left out.
const RungeKuttaTableau k_tsit5{
    {{},
     {0.161},
     {-0.008480655492356989, 0.335480655492357},
     {2.8971530571054935, -6.359448489975075, 4.3622954328695815},
     {5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525},
     {5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401, -0.028269050394068383}},
    {0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081, 2.324710524099774},
    {0.0, 0.161, 0.327, 0.9, 0.9800255409045097, 1.0}};
// clang-format on

LibraryMethod method(const char* type, const char* about, const char* example, const RungeKuttaTableau& tableau) {
  return {
      .type = type,
      .about = about,
      .example = example,
      .steps = LibraryMethod::Steps::fixed,
      .is_explicit = true,
      .make = [&tableau](System& system,
                         const IntegratorOptions& options) { return make_runge_kutta(system, tableau, *options.step); },
      .differentiate =
          [&tableau](ForwardSystem& system, const IntegratorOptions& options) {
            return make_forward_runge_kutta(system, tableau, *options.step);
          },
      .reverse =
          [&tableau](RobotSystem& system, const IntegratorOptions& options) {
            return make_adjoint_runge_kutta(system, tableau, *options.step);
          },
      .tableau = &tableau};
}

}  // namespace

std::vector<LibraryMethod> explicit_methods() {
  return {
      method("rk4", "The classical Runge-Kutta method of order 4.", "{type: rk4, step: 1.0e-3}", k_rk4),
      method("tsit5", "Tsitouras' Runge-Kutta method of order 5.", "{type: tsit5, step: 1.0e-3}", k_tsit5),
  };
}

}  // namespace cuttle
