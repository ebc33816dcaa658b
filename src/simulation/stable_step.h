#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cuttle/simulation/integrator.h"

namespace cuttle {

/// What an integrator has to say of its steps when a run ends, ready to print: one that is none of those that choose
/// their steps.
class StepWarnings {
 public:
  virtual ~StepWarnings() = default;
  virtual std::vector<std::string> warnings() const = 0;
};

/// Longest step of an explicit Runge-Kutta method near a state that lets nothing grow that does not grow by itself: of
/// the eigenvalues of the equation linearized there by differences, the first to leave the method's region of
/// stability. On the imaginary axis, of vibrations without damping, rk4 reaches 2.83 and tsit5 only 0.48. Bristles of
/// contacts are held unloaded: at touch-down theirs are beyond any step, and over at once.
/// @return nothing where the rates do not exist; infinity without limit.
std::optional<double> stable_step(System& system, const RungeKuttaTableau& tableau, const State& state);

/// Largest s for which the method lets nothing grow along all of (0, s] direction, |direction| = 1, up to a limit.
double stable_length(const RungeKuttaTableau& tableau, double real, double imaginary);

}  // namespace cuttle
