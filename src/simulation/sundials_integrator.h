#pragma once

#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sundials/sundials_context.h>

#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "cuttle/simulation/integrator.h"
#include "simulation/energy_control.h"
#include "simulation/integrators.h"

namespace cuttle {

/// Deletes what SUNDIALS' C functions made.
template <auto Destroy>
struct SundialsDelete {
  template <typename T>
  void operator()(T* object) const {
    Destroy(object);
  }
};
struct SundialsContextDelete {
  void operator()(SUNContext context) const { SUNContext_Free(&context); }
};
using SundialsContext = std::unique_ptr<std::remove_pointer_t<SUNContext>, SundialsContextDelete>;
using SundialsVector = std::unique_ptr<std::remove_pointer_t<N_Vector>, SundialsDelete<N_VDestroy>>;
/// One that prints nothing. @throws std::bad_alloc.
SundialsContext new_sundials_context();

/// Carries exceptions around C code: a callback keeps what is thrown in it, and who called the C code throws it on.
class ExceptionCarrier {
 public:
  /// @return what the function does; -1 if it threw.
  template <typename Function>
  int guarded(const Function& function) {
    try {
      return function();
    } catch (...) {
      kept_ = std::current_exception();
      return -1;
    }
  }
  bool holds_one() const { return kept_ != nullptr; }
  void rethrow() {
    if (kept_) std::rethrow_exception(std::exchange(kept_, nullptr));
  }

 private:
  std::exception_ptr kept_;
};

/// What the methods of SUNDIALS share: the state as one vector y = (q, v, auxiliary) with quaternions as they are
/// stored, dy/dt = (N(q) v, a, r), and C++ exceptions carried around the C code.
class SundialsIntegrator : public Integrator {
 public:
  SundialsIntegrator(System& system, const IntegratorOptions& options);

  /// To targets that are the same instant but for rounding (same_instant) the state goes without a step.
  void advance(double target, double limit) final;

  /// Called with states in which steps end, before the next one begins: also beyond the target of `advance`.
  std::function<void(double time, const VectorXd& q, const VectorXd& v, VectorInT<double> auxiliary)> on_step;

  /// @throws std::bad_alloc or SimulationError for calls that only fail on wrong use or lack of memory.
  static void check(int flag, const char* call);
#if SUNDIALS_VERSION_MAJOR < 7  // later on a context has what is printed
  static void ignore_message(int, const char*, const char*, char*, void*) {}
#endif

 protected:
  using Segment = Eigen::Map<VectorXd>;
  using ConstSegment = Eigen::Map<const VectorXd>;

  /// `advance` to a target that a step can reach.
  virtual void step_to(double target, double limit) = 0;

  int size() const { return nq_ + nv_ + n_auxiliary_; }
  Segment all(N_Vector y) const { return {N_VGetArrayPointer(y), size()}; }
  Segment q_part(N_Vector y) const { return {N_VGetArrayPointer(y), nq_}; }
  SundialsVector new_vector() const;
  void write_state(const State& state);
  /// Takes y_ as the state at a time, quaternions projected onto unit norm.
  void read_state(double time);
  /// Weights of local errors at an accepted state: one over the tolerances, tightened by the energy error so far.
  int weigh_errors(double time, N_Vector y, N_Vector weights);
  /// Says where the next steps lead: to an output, and not beyond a limit.
  void head_for(double output, double limit) { interval_ = output - state_.time, limit_ = limit; }
  /// Shortest step worth taking at a time on this way (cuttle::shortest_step), as the methods can take it.
  double least_step(double time) const;
  /// After a step that failed at a time with y_ accepted: whether looser tolerances, no looser than those given, are
  /// worth another try from there, for which a method begins anew.
  bool relax_tolerances(double time);
  /// To be called before a method steps: what was wrong and overcome before is no reason for what comes.
  void forget_trouble() { trouble_.clear(); }

  bool meets_obstacles() const { return !model_.site_laws().empty(); }
  /// Longest step from a state within which nothing crosses an obstacle unseen [s].
  double longest_step_from(double time, N_Vector y);
  /// That from the state accepted last, no longer than is wanted.
  double most_step() const;
  /// For a method that tries shorter steps: whether a step to `time` would be too long. Says so if it ends the run.
  bool passes_unseen(double time);
  /// The same of a link that has gone through an obstacle where the system was evaluated last.
  bool has_gone_through();
  /// And in the state accepted last, at its time.
  bool has_gone_through(double time);
  /// dy/dt of this system, or of the one that it linearizes. @return 0; 1 if it does not exist at y (the method may try
  /// a shorter step); -1 if the run must end.
  int evaluate(System& system, double time, const double* y, double* rate);
  /// Runs a callback of SUNDIALS, so that no exception passes through C code.
  template <typename Function>
  int guarded(const Function& function) {
    return carrier_.guarded(function);
  }
  /// After a call of SUNDIALS that returned an error `flag`: rethrows what a callback threw, else fails with the
  /// method's reason, the last trouble of the dynamics, and the coordinate with the largest weighted error, from the
  /// last state that the method accepted (in y_, at `time`).
  [[noreturn]] void fail(double time, double step, const std::string& reason, N_Vector local_errors, N_Vector weights);

  const Model& model_;
  int nq_, nv_, n_auxiliary_;
  bool has_quaternions_;
  IntegratorOptions options_;
  double tightening_ = 1.0;  ///< of the tolerances
  SundialsContext context_;
  SundialsVector y_;

 private:
  EnergyControl energy_control_;
  double interval_ = 0.0, limit_ = 0.0;  // to the next output, and the end of the way
  double stepped_ = 0.0;                 // time of y_: that of state_ but for rounding
  double longest_ = std::numeric_limits<double>::infinity(), longest_from_ = 0.0;  // longest_step, and since when
  bool started_ = false;
  VectorXd reached_q_, reached_v_;  // at an accepted state
  ExceptionCarrier carrier_;
  std::string trouble_;  // of the last evaluation that failed since forget_trouble
};

}  // namespace cuttle
