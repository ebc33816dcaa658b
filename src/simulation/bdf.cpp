#include <cvode/cvode_proj.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "model/check_argument.h"
#include "simulation/adjoint_flow.h"
#include "simulation/bdf_memory.h"
#include "simulation/dense_linear_solver.h"
#include "simulation/forward_integrator.h"
#include "simulation/integrators.h"
#include "simulation/residual_linear_solver.h"
#include "simulation/sundials_integrator.h"

namespace cuttle {
namespace {

constexpr int k_most_asked = 8;  // new matrices in one step: CVODE allows ten failures
// Steps for which a matrix serves where bristles are: they soften as sites sink in, and with the stiffer ones of before
// Newton's corrections are too small. With CVODE's 51 friction's impulse was 7 % wrong.
constexpr int k_oldest_matrix = 5;
// Part of the tolerance to which a step is solved where bristles are. What one misses when its site lifts off stays in
// the motion. With CVODE's 0.1 one run in a hundred of bodies that slide and bounce was off by 1e-3 at tolerances of
// 1e-7; this takes half as many evaluations more.
constexpr double k_part_of_tolerance = 0.01;

/// Backward differentiation formulas of orders 1-5 with error control, for stiff robots: SUNDIALS CVODE with Newton's
/// matrix from the equation's derivatives, or by differences, one for a system and its linearizations. Output between
/// steps is the formula's own polynomial, of the order of the step.
class Bdf final : public SundialsIntegrator {
 public:
  Bdf(System& system, const IntegratorOptions& options)
      : SundialsIntegrator(system, options),
        base_(system.linearization().base != nullptr ? *system.linearization().base : system),
        base_size_(nq_ + nv_ + base_.auxiliary_count()),
        residual_(make_residual_solver()),
        dense_(residual_ ? nullptr
                         : std::make_unique<DenseLinearSolver>(model_, base_size_,
                                                               1 + system.linearization().directions, context_.get())),
        memory_(make_bdf_memory({.context = context_.get(),
                                 .y = y_.get(),
                                 .solver = residual_ ? static_cast<const CvodeSolver&>(*residual_) : *dense_,
                                 .right_side = right_side,
                                 .linear_system = residual_ ? residual_linear_system : dense_linear_system,
                                 .error_weights = error_weights,
                                 .user = this})),
        weights_(new_vector()),
        errors_(new_vector()),
        columns_(nq_ + nv_ + (base_.auxiliary_feeds_back() ? base_.auxiliary_count() : 0)) {
    if (!residual_ || !residual_->follows_tree())
      require_few_coordinates(model_, &base_ == &system ? "bdf" : "derivatives of a run of bdf");
    void* const memory = memory_.get();
    if (options.max_step) check(CVodeSetMaxStep(memory, *options.max_step), "CVodeSetMaxStep");
    if (has_quaternions_) {
      check(CVodeSetProjFn(memory, project), "CVodeSetProjFn");
      check(CVodeSetProjErrEst(memory, SUNFALSE), "CVodeSetProjErrEst");
    }
    if (has_bristles()) {
      check(CVodeSetNlsRhsFn(memory, right_side_of_newton), "CVodeSetNlsRhsFn");
      check(CVodeSetJacEvalFrequency(memory, k_oldest_matrix), "CVodeSetJacEvalFrequency");
      check(CVodeSetNonlinConvCoef(memory, k_part_of_tolerance), "CVodeSetNonlinConvCoef");
    }
  }

  void restart(const State& state) override {
    forget_trouble();
    write_state(state);
    begin_at(state.time);
  }

  void step_to(double target, double limit) override {
    void* memory = memory_.get();
    head_for(target, limit);
    check(CVodeSetMinStep(memory, least_step(state_.time)), "CVodeSetMinStep");
    double reached = state_.time;
    while (true) {
      check(CVodeSetStopTime(memory, limit), "CVodeSetStopTime");
      const int flag = CVode(memory, target, y_.get(), &reached, CV_NORMAL);
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
    begun_ = read_counters(begun_);
    check(CVodeReInit(memory_.get(), time, y_.get()), "CVodeReInit");
    last_ = Counters();
  }

  static bool depends_on_tolerances(int flag) {
    return flag == CV_ERR_FAILURE || flag == CV_CONV_FAILURE || flag == CV_TOO_MUCH_ACC || flag == CV_REPTD_RHSFUNC_ERR;
  }

  static Bdf& self(void* data) { return *static_cast<Bdf*>(data); }
  /// Called by CVODE before each step with the state that it has reached.
  static int error_weights(N_Vector y, N_Vector weights, void* data) {
    double time = 0.0;
    CVodeGetCurrentTime(self(data).memory_.get(), &time);
    const int flag = self(data).weigh_errors(time, y, weights);
    self(data).asked_in_step_ = 0;
    CVodeSetMinStep(self(data).memory_.get(), self(data).least_step(time));  // it grows with the time's rounding
    if (self(data).meets_obstacles()) CVodeSetMaxStep(self(data).memory_.get(), self(data).most_step());
    return flag;
  }
  static int right_side(double t, N_Vector y, N_Vector rate, void* data) {
    if (self(data).passes_unseen(t)) return 1;
    const int flag = self(data).evaluate(self(data).system_, t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate));
    return flag == 0 && self(data).has_gone_through() ? 1 : flag;
  }

  /// As right_side, but fails, to ask for a new matrix, where other sites push than when the matrix was made. While a
  /// site slides off its bristle is stiff without limit. With that matrix Newton's corrections are so small that any
  /// extrapolation passes for the solution.
  static int right_side_of_newton(double t, N_Vector y, N_Vector rate, void* data) {
    const int flag = right_side(t, y, rate, data);
    return flag == 0 && self(data).wants_matrix() ? 1 : flag;
  }
  bool wants_matrix() {
    if (asked_ || asked_in_step_ >= k_most_asked || base_.touching() == touching_) return false;
    ++asked_in_step_;
    return asked_ = true;
  }

  /// Columns by forward differences with CVODE's own increments, but none below what the tolerances resolve: at rest
  /// CVODE's vanish with the rate, and the differences would be those of rounding. Integrals along the motion have
  /// none.
  int take_jacobian(double t, N_Vector y_vector, N_Vector rate_vector, N_Vector trial) {
    const double eps = std::numeric_limits<double>::epsilon();
    check(CVodeGetErrWeights(memory_.get(), weights_.get()), "CVodeGetErrWeights");
    double h = 0.0;
    check(CVodeGetCurrentStep(memory_.get(), &h), "CVodeGetCurrentStep");
    const int n = base_size_;
    auto y = all(y_vector).head(n), trial_rate = all(trial).head(n);
    const auto rate = all(rate_vector).head(n), weights = all(weights_.get()).head(n);
    const double norm = std::sqrt(rate.cwiseProduct(weights).squaredNorm() / n);
    const double smallest = norm > 0.0 ? 1000.0 * std::abs(h) * eps * n * norm : 1.0;
    dense_->clear();
    find_idle(t, y.data(), trial_rate.data());
    asked_ = false;
    for (int j = 0; j < columns_; ++j) {
      if (idle_[static_cast<std::size_t>(j)]) continue;
      const double kept = y[j];
      y[j] = kept + std::max(std::sqrt(eps) * std::abs(kept), std::max(smallest, 1.0) / weights[j]);
      const double increment = y[j] - kept;
      const int flag = evaluate(base_, t, y.data(), trial_rate.data());
      y[j] = kept;
      if (flag != 0) return flag;
      dense_->add_column(j) = (trial_rate - rate) / increment;
    }
    return 0;
  }
  static int dense_linear_system(double t, N_Vector y, N_Vector rate, SUNMatrix, booleantype keep, booleantype* current,
                                 double gamma, void* data, N_Vector trial, N_Vector, N_Vector) {
    Bdf& bdf = self(data);
    return bdf.guarded([&] {
      *current = keep != 0 ? SUNFALSE : SUNTRUE;
      if (keep == 0) {
        const int flag = bdf.take_jacobian(t, y, rate, trial);
        if (flag != 0) return flag;
      }
      return bdf.dense_->factor(gamma) ? 0 : 1;
    });
  }

  static int residual_linear_system(double t, N_Vector y, N_Vector rate, SUNMatrix, booleantype keep,
                                    booleantype* current, double gamma, void* data, N_Vector, N_Vector, N_Vector) {
    Bdf& bdf = self(data);
    return bdf.guarded([&] {
      try {
        const bool anew = bdf.residual_->set_up(t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate), keep != 0, gamma);
        *current = anew ? SUNTRUE : SUNFALSE;
      } catch (const Error&) {  // a shorter step may lead elsewhere
        return 1;
      }
      bdf.touching_ = bdf.base_.touching();
      bdf.asked_ = false;
      return 0;
    });
  }

  /// Null: a matrix of differences is cheaper, or a body has no derivatives. With bristles it is not: they come in
  /// hundreds, and the matrix serves for a few steps.
  std::unique_ptr<ResidualLinearSolver> make_residual_solver() {
    auto* const system = dynamic_cast<ImplicitSystem*>(&system_);
    if (system == nullptr || system->constraint_count() > 0) return nullptr;
    if (!has_bristles() && !(tree_pays(model_) && system->follows_tree())) return nullptr;
    try {
      return std::make_unique<ResidualLinearSolver>(*system, system_.auxiliary_feeds_back(), context_.get());
    } catch (const ModelError&) {
      return nullptr;
    }
  }

  bool has_bristles() const { return base_.auxiliary_feeds_back() && !model_.site_laws().empty(); }
  /// Which auxiliary states are idle: they need no column. And which sites push.
  void find_idle(double t, const double* y, double* trial_rate) {
    idle_.assign(static_cast<std::size_t>(base_size_), 0);
    if (!has_bristles() || evaluate(base_, t, y, trial_rate) != 0) return;
    touching_ = base_.touching();
    for (int j = nq_ + nv_; j < base_size_; ++j) idle_[static_cast<std::size_t>(j)] = base_.is_idle(j - nq_ - nv_);
  }

  /// Correction that brings quaternions back to unit norm.
  static int project(double, N_Vector y, N_Vector correction, double, N_Vector, void* data) {
    Bdf& bdf = self(data);
    return bdf.guarded([&] {
      bdf.all(correction).setZero();
      Segment q_correction = bdf.q_part(correction);
      const Segment q = bdf.q_part(y);
      q_correction = q;
      normalize<double>(bdf.model_, q_correction);
      q_correction -= q;
      return 0;
    });
  }

  /// Counters of CVODE begin anew at each restart.
  Counters read_counters(Counters before) const {
    return {before.steps + last_.steps, before.failures + last_.failures};
  }
  void update_statistics() {
    long steps = 0, error_failures = 0, solver_failures = 0;
    CVodeGetNumSteps(memory_.get(), &steps);
    CVodeGetNumErrTestFails(memory_.get(), &error_failures);
    CVodeGetNumStepSolveFails(memory_.get(), &solver_failures);
    last_ = {steps, error_failures + solver_failures};
    const Counters total = read_counters(begun_);
    statistics_.steps = total.steps;
    statistics_.failures = total.failures;
  }

  /// CVODE has left its last good state, at `time`, in y_.
  [[noreturn]] void fail_with(int flag, double time) {
    void* memory = memory_.get();
    double step = 0.0;
    CVodeGetCurrentStep(memory, &step);
    const bool with_errors = flag == CV_ERR_FAILURE && CVodeGetEstLocalErrors(memory, errors_.get()) == CV_SUCCESS &&
                             CVodeGetErrWeights(memory, weights_.get()) == CV_SUCCESS;
    fail(time, step, reason(flag), with_errors ? errors_.get() : nullptr, weights_.get());
  }
  static std::string reason(int flag) {
    switch (flag) {
      case CV_ERR_FAILURE:
        return "bdf cannot meet the tolerances, however short the step";
      case CV_CONV_FAILURE:
      case CV_LSETUP_FAIL:
      case CV_LSOLVE_FAIL:
        return "the implicit step of bdf does not converge, however short";
      case CV_FIRST_RHSFUNC_ERR:
      case CV_REPTD_RHSFUNC_ERR:
      case CV_UNREC_RHSFUNC_ERR:
      case CV_RHSFUNC_FAIL:
        return "the dynamics cannot be evaluated";
      case CV_TOO_MUCH_ACC:
        return "bdf: the tolerances are below what double precision allows";
      default:
        return fmt::format("bdf gave up (CVODE {})", flag);
    }
  }

  System& base_;  ///< of which the matrix is
  int base_size_;
  std::unique_ptr<ResidualLinearSolver> residual_;  ///< null: dense_
  std::unique_ptr<DenseLinearSolver> dense_;
  CvodeMemory memory_;
  SundialsVector weights_, errors_;
  int columns_;
  std::vector<char> idle_;      ///< of the last matrix: no column
  unsigned long touching_ = 0;  ///< of the last matrix
  bool asked_ = false;          ///< for another one since
  int asked_in_step_ = 0;
  Counters begun_, last_;
};

}  // namespace

LibraryMethod bdf_method() {
  return {
      .type = "bdf",
      .about = "Implicit, adaptive steps and order (CVODE): for stiff robots, as those with rods.",
      .example = "{type: bdf, relative_tolerance: 1.0e-6, absolute_tolerance: 1.0e-8}",
      .steps = LibraryMethod::Steps::adaptive,
      .goes_over_bends = true,
      .takes_sparse_bodies = true,
      .make = [](System& system, const IntegratorOptions& options) { return std::make_unique<Bdf>(system, options); },
      .differentiate = make_augmented,
      .reverse =
          [](RobotSystem& system, const IntegratorOptions& options) {
            return make_adjoint_flow(system, std::make_unique<Bdf>(system, options), options);
          }};
}

}  // namespace cuttle
