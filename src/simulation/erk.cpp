#include <arkode/arkode_erkstep.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "simulation/adjoint_flow.h"
#include "simulation/forward_integrator.h"
#include "simulation/integrators.h"
#include "simulation/sundials_integrator.h"

#if SUNDIALS_VERSION_MAJOR >= 7
// what version 6 calls ERKStep.. has another name as of 7.1, and still this one
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

namespace cuttle {
namespace {

/// Of the tolerances where links touch: an impact is over before the energies are seen to be off.
constexpr double k_at_impacts = 0.1;

struct ErkDelete {
  void operator()(void* memory) const { ERKStepFree(&memory); }
};

/// Explicit Runge-Kutta pair of Dormand and Prince, orders 5(4), with error control, for robots that are not stiff:
/// SUNDIALS ARKODE. Quaternions are projected after each step. A step ends at every output.
class Erk final : public SundialsIntegrator {
 public:
  Erk(System& system, const IntegratorOptions& options)
      : SundialsIntegrator(system, options), weights_(new_vector()), errors_(new_vector()) {
    all(y_.get()).setZero();
    memory_.reset(ERKStepCreate(right_side, 0.0, y_.get(), context_.get()));
    if (!memory_) throw std::bad_alloc();
    void* memory = memory_.get();
    check(ERKStepSetUserData(memory, this), "ERKStepSetUserData");
#if SUNDIALS_VERSION_MAJOR < 7
    check(ERKStepSetErrHandlerFn(memory, ignore_message, nullptr), "ERKStepSetErrHandlerFn");
#endif
    check(ERKStepSetTableNum(memory, ARKODE_DORMAND_PRINCE_7_4_5), "ERKStepSetTableNum");
    check(ERKStepWFtolerances(memory, error_weights), "ERKStepWFtolerances");
    check(ERKStepSetMaxNumSteps(memory, -1), "ERKStepSetMaxNumSteps");
    check(ERKStepSetMaxHnilWarns(memory, -1), "ERKStepSetMaxHnilWarns");
    if (options.max_step) check(ERKStepSetMaxStep(memory, *options.max_step), "ERKStepSetMaxStep");
    if (meets_obstacles()) tightening_ = k_at_impacts;
    if (meets_obstacles()) check(ERKStepSetStabilityFn(memory, longest_step_of, this), "ERKStepSetStabilityFn");
    if (has_quaternions_) check(ERKStepSetPostprocessStepFn(memory, project), "ERKStepSetPostprocessStepFn");
  }

  void restart(const State& state) override {
    forget_trouble();
    write_state(state);
    begin_at(state.time);
  }

  void step_to(double target, double /*limit*/) override {
    void* memory = memory_.get();
    head_for(target, target);
    check(ERKStepSetMinStep(memory, least_step(state_.time)), "ERKStepSetMinStep");
    double reached = state_.time;
    while (true) {
      check(ERKStepSetStopTime(memory, target), "ERKStepSetStopTime");
      const int flag = ERKStepEvolve(memory, target, y_.get(), &reached, ARK_NORMAL);
      update_statistics();
      if (flag >= 0) break;
      if (!depends_on_tolerances(flag) || !relax_tolerances(reached)) fail_with(flag, reached);
      begin_at(reached);
    }
    read_state(target);
  }

 private:
  struct Counters {
    long steps = 0, failures = 0;
  };

  /// From y_.
  void begin_at(double time) {
    begun_ = total();
    last_ = Counters();
    check(ERKStepReInit(memory_.get(), right_side, time, y_.get()), "ERKStepReInit");
  }

  static bool depends_on_tolerances(int flag) {
    return flag == ARK_ERR_FAILURE || flag == ARK_TOO_MUCH_ACC || flag == ARK_REPTD_RHSFUNC_ERR;
  }

  static Erk& self(void* data) { return *static_cast<Erk*>(data); }
  /// Called by ARKODE before each step with the state that it has reached.
  static int error_weights(N_Vector y, N_Vector weights, void* data) {
    double time = 0.0;
    ERKStepGetCurrentTime(self(data).memory_.get(), &time);
    const int flag = self(data).weigh_errors(time, y, weights);
    if (flag == 0 && self(data).has_gone_through(time)) return -1;
    ERKStepSetMinStep(self(data).memory_.get(), self(data).least_step(time));  // it grows with the time's rounding
    if (self(data).meets_obstacles()) ERKStepSetMaxStep(self(data).memory_.get(), self(data).most_step());
    return flag;
  }
  /// Called by ARKODE with the state at the end of a step, for the next one.
  static int longest_step_of(N_Vector y, double t, double* longest, void* data) {
    return self(data).guarded([&] {
      const double found = self(data).longest_step_from(t, y);
      *longest = std::isfinite(found) ? found : -1.0;  // none
      return 0;
    });
  }
  static int right_side(double t, N_Vector y, N_Vector rate, void* data) {
    return self(data).evaluate(self(data).system_, t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate));
  }
  static int project(double, N_Vector y, void* data) {
    Erk& erk = self(data);
    return erk.guarded([&] {
      Segment q = erk.q_part(y);
      normalize<double>(erk.model_, q);
      return 0;
    });
  }

  /// Counters of ARKODE begin anew at each restart.
  Counters total() const { return {begun_.steps + last_.steps, begun_.failures + last_.failures}; }
  void update_statistics() {
    ERKStepGetNumSteps(memory_.get(), &last_.steps);
    ERKStepGetNumErrTestFails(memory_.get(), &last_.failures);
    statistics_.steps = total().steps;
    statistics_.failures = total().failures;
  }

  /// ARKODE has left its last good state, at `time`, in y_.
  [[noreturn]] void fail_with(int flag, double time) {
    void* memory = memory_.get();
    double step = 0.0;
    ERKStepGetCurrentStep(memory, &step);
    const bool with_errors = flag == ARK_ERR_FAILURE &&
                             ERKStepGetEstLocalErrors(memory, errors_.get()) == ARK_SUCCESS &&
                             ERKStepGetErrWeights(memory, weights_.get()) == ARK_SUCCESS;
    fail(time, step, reason(flag), with_errors ? errors_.get() : nullptr, weights_.get());
  }
  static std::string reason(int flag) {
    switch (flag) {
      case ARK_ERR_FAILURE:
        return "erk cannot meet the tolerances, however short the step";
      case ARK_FIRST_RHSFUNC_ERR:
      case ARK_REPTD_RHSFUNC_ERR:
      case ARK_UNREC_RHSFUNC_ERR:
      case ARK_RHSFUNC_FAIL:
        return "the dynamics cannot be evaluated";
      case ARK_TOO_MUCH_ACC:
        return "erk: the tolerances are below what double precision allows";
      default:
        return fmt::format("erk gave up (ARKODE {})", flag);
    }
  }

  std::unique_ptr<void, ErkDelete> memory_;
  SundialsVector weights_, errors_;
  Counters begun_, last_;
};

}  // namespace

LibraryMethod erk_method() {
  return {
      .type = "erk",
      .about = "Explicit Runge-Kutta, adaptive steps (ARKODE): for robots that are not stiff.",
      .example = "{type: erk, max_step: 0.01}",
      .steps = LibraryMethod::Steps::adaptive,
      .is_explicit = true,
      .goes_over_bends = true,
      .make = [](System& system, const IntegratorOptions& options) { return std::make_unique<Erk>(system, options); },
      .differentiate = make_augmented,
      .reverse =
          [](RobotSystem& system, const IntegratorOptions& options) {
            return make_adjoint_flow(system, std::make_unique<Erk>(system, options), options);
          }};
}

}  // namespace cuttle
