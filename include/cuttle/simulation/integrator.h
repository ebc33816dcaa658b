#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/model/model.h"
#include "cuttle/simulation/scenario.h"

namespace cuttle {

/// Where a simulation is.
struct State {
  double time = 0.0;     ///< [s]
  VectorXd q;            ///< configuration, nq
  VectorXd v;            ///< velocity, nv
  VectorXd extra;        ///< what is integrated beside the robot: work done, later the states of controllers
  VectorXd multipliers;  ///< lambda of the loops (cuttle/algorithms/constraints.h): what b pushes on a; empty without
};

/// Energies of a state: `energy - work` stays but for errors of integration.
struct EnergyBalance {
  double kinetic = 0.0;  ///< [J]
  double energy = 0.0;   ///< kinetic + gravity + elastic [J]
  double work = 0.0;     ///< that inputs and loads gave since the start, less what damping took [J]
};

/// The differential equation `dq/dt = N(q) v, dv/dt = a(t, q, v, x), dx/dt = r(t, q, v, x)` on the configuration
/// manifold of a model. Continuous between two calls of Integrator::restart.
class System {
 public:
  virtual ~System() = default;

  virtual const Model& model() const = 0;
  virtual int extra_count() const = 0;
  /// False if no rate depends on the extra states, as for integrals along the motion: implicit methods then skip
  /// their columns.
  virtual bool extra_feeds_back() const { return false; }

  /// @param a, extra_rate  results, sizes nv and extra_count.
  /// @throws Error if the rates do not exist at this state; its text names the link.
  virtual void rates(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> extra,
                     VectorOutT<double> a, VectorOutT<double> extra_rate) = 0;
  /// Lets methods with error control hold the energy error to the tolerance too; nothing if the energies are not known.
  virtual std::optional<EnergyBalance> energy_balance(VectorInT<double> /*q*/, VectorInT<double> /*v*/,
                                                      VectorInT<double> /*extra*/) {
    return std::nullopt;
  }
};

/// What an integrator did since it was made.
struct IntegratorStatistics {
  long steps = 0;        ///< accepted steps
  long evaluations = 0;  ///< of the system's rates, Jacobians by differences included
  long failures = 0;     ///< rejected steps: error too large, or no convergence
  long jacobians = 0;    ///< tangents of implicit methods that have the analytic one
};

/// Advances a System in time. A new method is one class and one line in make_integrator.
/// @code
/// auto integrator = make_integrator(system, {.type = "tsit5", .step = 1e-3});
/// integrator->restart(start);
/// integrator->advance(1.0, 1.0);
/// @endcode
class Integrator {
 public:
  explicit Integrator(System& system);
  virtual ~Integrator() = default;
  Integrator(const Integrator&) = delete;
  Integrator& operator=(const Integrator&) = delete;

  /// Begins at a state, and again after every jump of the system or the state: nothing of the past is used
  /// but, where it goes on from state(), the energy error so far.
  virtual void restart(const State& state) = 0;
  /// Says when the run will end: errors that add up are spread until then. Without it, until the `limit` of `advance`.
  void expect_end(double time) { end_ = std::max(end_, time); }
  /// Brings the state to `target` exactly. A method whose steps end where the error control wants may look ahead, never
  /// beyond `limit` >= target, where the system may jump.
  /// @throws SimulationError with time, link and state; state() is then the last good one.
  virtual void advance(double target, double limit) = 0;

  const State& state() const { return state_; }
  const IntegratorStatistics& statistics() const { return statistics_; }

 protected:
  System& system_;
  double end_ = 0.0;  // of the run, as far as known
  State state_;
  IntegratorStatistics statistics_;
};

/// Name of the method that `options` stand for on this robot: its type, or the default.
std::string integrator_type(const Model& model, const IntegratorOptions& options);
/// @throws ArgumentError for an unknown type, tolerances or steps out of range, an option that the type does not know.
std::unique_ptr<Integrator> make_integrator(System& system, const IntegratorOptions& options);

}  // namespace cuttle
