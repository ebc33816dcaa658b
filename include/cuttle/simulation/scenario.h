#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/control/controller.h"
#include "cuttle/model/model.h"
#include "cuttle/model/signal.h"
#include "cuttle/simulation/driven_motion.h"

namespace CUTTLE_API cuttle {

class IntegratorMethod;  // simulation/integrator.h

/// By what a method that chooses its steps judges the error of one.
enum class StepError {
  coordinates,   ///< each coordinate and velocity, beside itself and `absolute_tolerance` in its units
  displacement,  ///< how far it moves the robot's mass, root mean square, beside the robot's size; tolerance in m
};

/// Time stepping of a scenario, docs/format.md.
struct IntegratorOptions {
  static constexpr double k_least_step = 1e-12;  ///< of steps and their limits [s]
  static constexpr double k_least_relative_tolerance = 1e-14, k_most_relative_tolerance = 0.1;

  /// bdf | erk | rk4 | tsit5 | newmark | hht | generalized_alpha | midpoint | energy_conserving; empty:
  /// generalized_alpha for a robot with closed loops or contacts (with rho_inf 0.6), bdf for one with elastic bodies,
  /// else erk.
  std::string type{};
  /// Of a step; of bdf and erk also of a run's energies: docs/accuracy.md. Not of methods with a fixed step.
  /// From 1e-14, where rounding begins, to 0.1, beyond which nothing of the motion is left.
  double relative_tolerance = 1e-6;
  double absolute_tolerance = 1e-8;  ///< of coordinates and velocities, in their units
  /// Implicit methods without `step`; bdf and erk have coordinates alone. By displacement, fast vibrations of rich
  /// bases that move next to nothing do not shorten the steps.
  StepError error = StepError::coordinates;
  std::optional<double> max_step{};  ///< bdf, erk, and the implicit methods without `step` [s]
  /// rk4, tsit5: fixed step [s], required there. implicit methods: fixed step; without it they choose their steps by
  /// the tolerances.
  std::optional<double> step{};
  std::optional<double> rho_inf{};  ///< generalized_alpha: spectral radius at infinite frequency, [0, 1]; 0.8
  std::optional<double> alpha{};    ///< hht: [-1/3, 0]; -0.05
  /// A method of a program: then `type` is empty or its name, and the options above are left as they are. Null: one of
  /// the library's.
  std::shared_ptr<const IntegratorMethod> method = nullptr;
};

/// Initial state of one link (or "base"); empty: zero, identity.
struct InitialState {
  std::vector<double> q, v;
};

/// A run that begins at rest in the equilibrium under gravity, the loads as they are just before time 0 and these
/// inputs.
struct InitialStatics {
  std::map<std::string, double> inputs;  ///< by actuator input; others are 0
  bool friction = true;  ///< of contacts, as if the robot had come straight from the zero configuration; or none
};

/// What to simulate: a robot is named beside it.
struct Scenario {
  static constexpr double k_most_steps = 1e12;  ///< of a fixed step in the duration: weeks of computing

  double duration = 1.0;      ///< [s]
  double output_step = 0.01;  ///< [s]
  long seed = 0;
  /// A run whose energy error is a larger part of the energy that came and went (EnergyExchange) ends with a warning
  /// (Outcome::warnings).
  double energy_error_limit = 0.1;
  bool strict = false;  ///< that warning is an error: the run has failed, its rows stay
  IntegratorOptions integrator{};
  std::map<std::string, InitialState> initial{};  ///< by link
  std::optional<InitialStatics> statics{};        ///< instead of `initial`
  std::map<std::string, Signal> inputs{};         ///< by actuator input
  std::vector<NamedController> controllers{};     ///< what they set is added to the inputs, in this order
  DrivenMotion motion{};                          ///< of joints and the base that are not free
};

}  // namespace cuttle
