#pragma once

#include "simulation/integrators.h"

namespace cuttle {

/// A one-step method for second-order equations. Of the generalized-alpha family (Newmark and HHT are members):
/// x = h w + h^2 ((1/2 - beta) A_n + beta A_n+1), w_n+1 = w_n + h ((1 - gamma) A_n + gamma A_n+1), and the motion's own
/// acceleration follows from (1 - alpha_m) A_n+1 + alpha_m A_n = (1 - alpha_f) w'_n+1 + alpha_f w'_n, so that the
/// equation of motion holds at the end of the step (Arnold and Bruels 2007). Or the implicit midpoint rule, where it
/// holds in the middle.
struct ImplicitScheme {
  const char* name = "";
  bool midpoint = false;
  bool conserves_energy = false;  ///< velocities are projected onto the energy balance after each step
  double alpha_m = 0.0, alpha_f = 0.0, beta = 0.25, gamma = 0.5;
};

/// What a step from (w, w', A) of length h makes of its unknown x: the motion is taken at scale x, with rates
/// rate x + rate_offset and second x + second_offset. Of double, or of ForwardDual.
template <typename S>
struct StepMapT {
  double scale = 1.0, rate = 0.0, second = 0.0;
  VectorXT<S> rate_offset, second_offset;

  void set(const ImplicitScheme& scheme, double h, const VectorXT<S>& w, const VectorXT<S>& w_rate,
           const VectorXT<S>& A);
  /// The A at the step's end.
  static void next_acceleration(const ImplicitScheme& scheme, double h, const VectorXT<S>& x, const VectorXT<S>& w,
                                const VectorXT<S>& A, VectorXT<S>& result);
};
using StepMap = StepMapT<double>;

/// The one that options name; nothing for a method of another kind. @throws ArgumentError for an option out of range.
std::optional<ImplicitScheme> find_implicit_scheme(const Model& model, const IntegratorOptions& options);

class TangentSolver;
class ImplicitStep;

/// The rates with which a step begins, nv each, as StepMap::set has them.
struct StepRates {
  const VectorXd &w, &w_rate, &A;
};

/// How a motion begins.
enum class MotionStart {
  anew,              ///< in a state of which nothing before is known
  goes_on,           ///< under inputs that jump: A jumps as w' does
  after_short_step,  ///< it goes on with longer ones: since the begin of that step A has changed as w' has
};

/// Is told of what a run of such a method does, in order to differentiate it.
class ImplicitFollower {
 public:
  virtual ~ImplicitFollower() = default;
  /// Whether tangents may follow the tree: it asks for no matrix then, and `begin` gives none.
  virtual bool follows_tree() const { return false; }
  /// A restart: what follows the motion faster than the steps begins anew; the motion itself if `begin` comes next.
  virtual void restart(double time) = 0;
  /// @param masses  and constraints, with which accelerations and multipliers were found.
  virtual void begin(MotionStart start, const TangentSolver& masses, const VectorXd& a, const VectorXd& lambda) = 0;
  /// A step of length h to `time` is accepted; nothing of the state before it has been given up.
  /// @param step  at its solution z.
  /// @param tangent  of the step there, as `step.derivatives()`, to rounding; null: there is none.
  virtual void accept(double time, double h, ImplicitStep& step, const VectorXd& z, const StepRates& before,
                      const TangentSolver* tangent) = 0;
  /// No step leads to `time`: it is the same instant but for rounding.
  virtual void drift(double /*time*/) {}
  /// Constraints have appeared in the state in which that step has ended: has the system take them up. A restart and a
  /// begin come next.
  virtual void take_up_constraints(State& state) = 0;
};

/// A run of such a method (implicit_integrator.cpp). @param follower  or null; outlives the run.
std::unique_ptr<Integrator> make_implicit(System& system, const ImplicitScheme& scheme,
                                          const IntegratorOptions& options, ImplicitFollower* follower = nullptr);

}  // namespace cuttle
