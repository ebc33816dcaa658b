#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/model/model.h"
#include "cuttle/model/signal.h"

namespace cuttle {

/// Time stepping of a scenario, docs/format.md.
struct IntegratorOptions {
  /// bdf | erk | rk4 | tsit5; empty: generalized_alpha for a robot with loops, bdf for one with elastic bodies, else
  /// erk
  std::string type;
  double relative_tolerance = 1e-6;  ///< bdf, erk: of a step, and of a run's energies: docs/accuracy.md
  double absolute_tolerance = 1e-8;  ///< bdf, erk: of coordinates and velocities, in their units
  std::optional<double> max_step;    ///< bdf, erk [s]
  std::optional<double> step;        ///< rk4, tsit5: fixed step [s], required there
};

/// Initial state of one link (or "base"); empty: zero, identity.
struct InitialState {
  std::vector<double> q, v;
};

/// What to simulate: a robot is named beside it.
struct Scenario {
  double duration = 1.0;      ///< [s]
  double output_step = 0.01;  ///< [s]
  long seed = 0;
  IntegratorOptions integrator;
  std::map<std::string, InitialState> initial;  ///< by link
  std::map<std::string, Signal> inputs;         ///< by actuator input
};

}  // namespace cuttle
