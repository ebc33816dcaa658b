#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/model.h"
#include "cuttle/simulation/runge_kutta.h"
#include "cuttle/simulation/scenario.h"

namespace CUTTLE_API cuttle {

/// Where a simulation is.
struct State {
  double time = 0.0;     ///< [s]
  VectorXd q;            ///< configuration, nq
  VectorXd v;            ///< velocity, nv
  VectorXd auxiliary;    ///< what is integrated beside the robot: work done, later the states of controllers
  VectorXd multipliers;  ///< lambda of the loops (cuttle/algorithms/constraints.h): what b pushes on a; empty without
};

/// Energies of a state: `energy - work` stays but for errors of integration.
struct EnergyBalance {
  double kinetic = 0.0;  ///< [J]
  double energy = 0.0;   ///< kinetic + gravity + elastic [J]
  double work = 0.0;     ///< that inputs and loads gave since the start, less what damping took [J]
  // parts of these two, where they are known: of `energy` with what elements store as elastic, and of `work`
  double gravity = 0.0, elastic = 0.0;
  double dissipated = 0.0, input = 0.0, load = 0.0;
  double contacts = 0.0;  ///< of `energy`: what contacts store
};

/// The differential equation `dq/dt = N(q) v, dv/dt = a(t, q, v, x), dx/dt = r(t, q, v, x)` on the configuration
/// manifold of a model. Continuous between two calls of Integrator::restart.
class System {
 public:
  virtual ~System() = default;

  virtual const Model& model() const = 0;
  virtual int auxiliary_count() const = 0;
  /// False if no rate depends on the auxiliary states, as for integrals along the motion: implicit methods then skip
  /// their columns.
  virtual bool auxiliary_feeds_back() const { return false; }
  /// If the last auxiliary states are so many directions along which another system's (q, v, auxiliary) change, one
  /// direction after the other: implicit methods then solve with that system's matrix alone.
  struct Linearization {
    System* base = nullptr;
    int directions = 0;
  };
  virtual Linearization linearization() { return {}; }

  /// @param a, auxiliary_rate  results, sizes nv and auxiliary_count.
  /// @throws Error if the rates do not exist at this state; its text names the link.
  virtual void rates(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> auxiliary,
                     VectorOutT<double> a, VectorOutT<double> auxiliary_rate) = 0;
  /// Lets methods with error control hold the energy error to the tolerance too; nothing if the energies are not known.
  virtual std::optional<EnergyBalance> energy_balance(VectorInT<double> /*q*/, VectorInT<double> /*v*/,
                                                      VectorInT<double> /*auxiliary*/) {
    return std::nullopt;
  }
  /// The same at a time, on which energies depend where obstacles move.
  virtual std::optional<EnergyBalance> energy_balance_at(double /*time*/, VectorInT<double> q, VectorInT<double> v,
                                                         VectorInT<double> auxiliary) {
    return energy_balance(q, v, auxiliary);
  }
  /// Longest step from a motion within which nothing crosses an obstacle unseen [s].
  virtual double longest_step(double /*time*/, VectorInT<double> /*q*/, VectorInT<double> /*v*/) {
    return std::numeric_limits<double>::infinity();
  }
  /// What is wrong with where the robot was when its rates or residual were asked last, though they exist: a link that
  /// has gone through an obstacle. Empty: nothing.
  virtual std::string trouble() { return ""; }
  /// The same of a motion.
  virtual std::string trouble_at(double /*time*/, VectorInT<double> /*q*/, VectorInT<double> /*v*/) { return ""; }
  /// Another number for each set of places at which the robot touched something there; 0: none.
  virtual unsigned long touching() { return 0; }
  /// Whether an auxiliary state was zero there and stays so, whatever the motion does nearby.
  virtual bool is_idle(int /*auxiliary*/) { return false; }
  /// Coordinates of the velocity whose motion is a given function of time, ascending: the rates have it whatever they
  /// are asked for, and methods put it into the states that they reach.
  virtual std::span<const int> driven() const { return {}; }
  /// Puts this part of the motion at a time into a configuration, its velocity and, if not null, its acceleration.
  virtual void impose(double /*time*/, VectorXd& /*q*/, VectorXd& /*v*/, VectorXd* /*a*/ = nullptr) const {}
};

/// What an integrator did since it was made.
struct IntegratorStatistics {
  long steps = 0;        ///< accepted steps
  long evaluations = 0;  ///< of the system's rates, Jacobians by differences included
  long failures = 0;     ///< rejected steps: error too large, or no convergence
  long jacobians = 0;    ///< tangents of implicit methods that have the analytic one
};

/// Advances a System in time.
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

  /// Called with the energies of states in which steps end, by the methods of the library, if the system knows them.
  /// Such a state may lie beyond the target of `advance`, but not beyond its limit.
  std::function<void(const EnergyBalance&)> on_energies;

  const State& state() const { return state_; }
  const IntegratorStatistics& statistics() const { return statistics_; }

 protected:
  /// For on_energies, of a method whose step has ended in state_.
  void tell_energies();

  System& system_;
  double end_ = 0.0;  // of the run, as far as known
  State state_;
  IntegratorStatistics statistics_;
};

/// A method of integration, and its own options, of a program: what IntegratorOptions::method holds. A kind of it
/// (IntegratorKind, cuttle/io/kinds.h) makes one of the keys of a scenario file.
/// @code
/// class Leapfrog final : public IntegratorMethod { .. };
/// scenario.integrator = {.method = std::make_shared<Leapfrog>(1e-3)};
/// @endcode
class IntegratorMethod {
 public:
  virtual ~IntegratorMethod() = default;

  /// Its name in results and messages; the `type` of its kind, if it has one.
  virtual std::string type_name() const = 0;
  virtual std::unique_ptr<Integrator> make(System& system) const = 0;
  /// Longest step of a method with fixed steps [s]; nothing: it chooses its steps.
  virtual std::optional<double> step() const { return std::nullopt; }
  /// Whether it evaluates the rates alone: then robots with more coordinates than their accelerations can be had for
  /// are refused.
  virtual bool is_explicit() const { return false; }
  /// Whether closed loops stay closed: else robots that have them are refused.
  virtual bool holds_loops() const { return false; }
  /// If it is an explicit Runge-Kutta method of fixed steps: batches can run it (RolloutOptions::tableau). Else null.
  virtual const RungeKuttaTableau* tableau() const { return nullptr; }
};

/// An explicit Runge-Kutta method with fixed steps, as rk4 and tsit5 are: on the configuration manifold, of any robot.
/// @param step  longest step [s].
/// @throws ArgumentError for a step out of range, and as RungeKuttaTableau::check.
std::shared_ptr<const IntegratorMethod> runge_kutta_method(const std::string& type_name, RungeKuttaTableau tableau,
                                                           double step);

/// A method of the library, as IntegratorOptions::type names it.
struct IntegratorType {
  std::string name;
  bool takes_step;  ///< whether it can have a fixed step; else it always chooses its steps
};
std::vector<IntegratorType> integrator_types();

/// The method that `options` stand for on a robot.
struct IntegratorChoice {
  std::string type;    ///< its name
  std::string reason;  ///< why this one, where the options name none: "for closed loops"; else empty
};
IntegratorChoice choose_integrator(const Model& model, const IntegratorOptions& options);
/// Its name alone.
std::string integrator_type(const Model& model, const IntegratorOptions& options);
/// The fixed step that `options` ask for [s], if they do.
std::optional<double> integrator_step(const IntegratorOptions& options);
/// @throws ArgumentError for an unknown type, tolerances or steps out of range, an option that the type does not know.
std::unique_ptr<Integrator> make_integrator(System& system, const IntegratorOptions& options);

}  // namespace cuttle
