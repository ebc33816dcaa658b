#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "cuttle/simulation/integrator.h"

namespace cuttle {

class ForwardIntegrator;
class ForwardSystem;
class AdjointRun;
class RobotSystem;

/// Shortest step worth taking at a time [s]: what the time's own rounding resolves, and not nothing beside the way to
/// the next output. It does not depend on how long the run is.
inline double shortest_step(double time, double interval) {
  return std::max(16.0 * std::numeric_limits<double>::epsilon() * std::abs(time), 1e-13 * std::min(interval, 1.0));
}

/// Whether a method is to take a target after a time for the same instant, apart but by rounding: no method of error
/// control can step so little. Every caller may come with such targets: sums of output steps, jumps of two signals,
/// clocks on the wall.
inline bool same_instant(double time, double target) {
  return !(target - time > 64.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(time), std::abs(target)));
}

/// A method of the library, by the options of all of them. It lies in one source file, which says everything about it:
/// scenario files and their documentation have it from here.
struct LibraryMethod {
  enum class Steps { fixed, adaptive, either };
  /// An option that no other method has.
  struct Option {
    const char* name;
    std::optional<double> IntegratorOptions::*value;
    double min, max, usual;
    const char* about;  ///< for users
  };
  const char* type;
  const char* about;    ///< for users
  const char* example;  ///< YAML
  Steps steps;
  bool is_explicit = false, holds_loops = false;
  /// Has a past, which it keeps where the slope of an input jumps: it only ends a step there.
  bool goes_over_bends = false;
  bool takes_sparse_bodies = false;  ///< with more than k_most_dense_coordinates, where their tangents are sparse
  /// Options have been checked but for `option`.
  std::function<std::unique_ptr<Integrator>(System&, const IntegratorOptions&)> make;
  /// Runs with derivatives (simulation/forward_integrator.h), of options as `make` has them.
  std::function<std::unique_ptr<ForwardIntegrator>(ForwardSystem&, const IntegratorOptions&)> differentiate;
  /// Runs along which gradients go back (simulation/adjoint_run.h).
  std::function<std::unique_ptr<AdjointRun>(RobotSystem&, const IntegratorOptions&)> reverse;
  const RungeKuttaTableau* tableau = nullptr;  ///< as IntegratorMethod::tableau
  std::optional<Option> option = {};
};

LibraryMethod bdf_method();
LibraryMethod erk_method();
std::vector<LibraryMethod> explicit_methods();
std::vector<LibraryMethod> implicit_methods();

/// All of them.
const std::vector<LibraryMethod>& library_methods();
/// The one that options choose for a robot; null: none, but one of a program, or an unknown one.
const LibraryMethod* find_method(const Model& model, const IntegratorOptions& options);
/// The tableau of an explicit method of fixed steps, also of a program; null: the method is another one.
const RungeKuttaTableau* find_tableau(const Model& model, const IntegratorOptions& options);

/// The options of a method that is chosen for a robot's contacts, where they name none; else as they are.
IntegratorOptions chosen_options(const Model& model, const IntegratorOptions& options);

/// @throws ArgumentError about option `key` unless it is a step that one can take.
void require_step(const char* key, double step);

/// A run of an explicit Runge-Kutta method with fixed steps.
std::unique_ptr<Integrator> make_runge_kutta(System& system, const RungeKuttaTableau& tableau, double step);

}  // namespace cuttle
