#include "simulation/sundials_integrator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

#include "cuttle/error.h"
#include "simulation/diagnosis.h"

namespace cuttle {
namespace {

constexpr double k_finest = 1e3 * std::numeric_limits<double>::epsilon();  // of the largest number of the state

}  // namespace

SundialsContext new_sundials_context() {
  SUNContext context = nullptr;
#if SUNDIALS_VERSION_MAJOR >= 7
  if (SUNContext_Create(SUN_COMM_NULL, &context) != 0) throw std::bad_alloc();
  SUNContext_ClearErrHandlers(context);  // what fails becomes an exception: nothing is printed
#else
  if (SUNContext_Create(nullptr, &context) != 0) throw std::bad_alloc();
#endif
  return SundialsContext(context);
}

SundialsIntegrator::SundialsIntegrator(System& system, const IntegratorOptions& options)
    : Integrator(system),
      model_(system.model()),
      nq_(model_.nq()),
      nv_(model_.nv()),
      n_auxiliary_(system.auxiliary_count()),
      has_quaternions_(nq_ != nv_),
      options_(options),
      context_(new_sundials_context()),
      y_(new_vector()),
      energy_control_(system, options.relative_tolerance) {
  state_.q.resize(nq_), state_.v.resize(nv_), state_.auxiliary.resize(n_auxiliary_);
}

SundialsVector SundialsIntegrator::new_vector() const {
  SundialsVector vector(N_VNew_Serial(size(), context_.get()));
  if (!vector) throw std::bad_alloc();
  return vector;
}

int SundialsIntegrator::weigh_errors(double time, N_Vector y_vector, N_Vector weights) {
  return guarded([&] {
    const Segment y = all(y_vector);
    reached_q_ = y.head(nq_), reached_v_ = y.segment(nq_, nv_);
    system_.impose(time, reached_q_, reached_v_);
    if (on_step) on_step(time, reached_q_, reached_v_, y.tail(n_auxiliary_));
    if (meets_obstacles()) longest_ = system_.longest_step(time, reached_q_, reached_v_), longest_from_ = time;
    const double factor =
        tightening_ * energy_control_.factor(time, end_, reached_q_, reached_v_, y.tail(n_auxiliary_));
    if (on_energies && energy_control_.last()) on_energies(*energy_control_.last());
    // what one coordinate loses to rounding reaches the others through the dynamics: no error may be asked below that
    const double finest = std::min(k_finest * y.cwiseAbs().maxCoeff(), options_.absolute_tolerance);
    all(weights) = (factor * options_.relative_tolerance * y.array().abs() +
                    std::max(factor * options_.absolute_tolerance, finest))
                       .inverse();
    return 0;
  });
}

bool SundialsIntegrator::relax_tolerances(double time) {
  const bool worth_it = !carrier_.holds_one() && std::isfinite(time) && all(y_.get()).allFinite() && time >= stepped_ &&
                        energy_control_.relax();
  if (worth_it) {
    read_state(time);
    all(y_.get()) << state_.q, state_.v, state_.auxiliary;
    forget_trouble();
  }
  return worth_it;
}

void SundialsIntegrator::advance(double target, double limit) {
  if (!(target > state_.time)) return;
  forget_trouble();
  expect_end(limit);
  if (!same_instant(stepped_, target)) {
    step_to(target, limit);
    return;
  }
  state_.time = target;
  system_.impose(target, state_.q, state_.v);
}

void SundialsIntegrator::write_state(const State& state) {
  const bool goes_on = started_ && state.time == state_.time && state.q == state_.q && state.v == state_.v &&
                       state.auxiliary == state_.auxiliary;
  if (!goes_on) energy_control_.restart(state.time, state.q, state.v, state.auxiliary);
  started_ = true;
  state_ = state;
  stepped_ = state.time;
  all(y_.get()) << state.q, state.v, state.auxiliary;
}

void SundialsIntegrator::read_state(double time) {
  const Segment y = all(y_.get());
  state_.time = stepped_ = time;
  state_.q = y.head(nq_);
  state_.v = y.segment(nq_, nv_);
  state_.auxiliary = y.tail(n_auxiliary_);
  if (has_quaternions_) normalize<double>(model_, state_.q);
  system_.impose(time, state_.q, state_.v);
}

double SundialsIntegrator::longest_step_from(double time, N_Vector y) {
  reached_q_ = q_part(y), reached_v_ = all(y).segment(nq_, nv_);
  system_.impose(time, reached_q_, reached_v_);
  return system_.longest_step(time, reached_q_, reached_v_);
}

double SundialsIntegrator::most_step() const {
  return std::min(longest_, options_.max_step.value_or(std::numeric_limits<double>::max()));
}

bool SundialsIntegrator::has_gone_through() {
  std::string trouble = system_.trouble();
  if (trouble.empty()) return false;
  trouble_ = std::move(trouble);
  return true;
}

bool SundialsIntegrator::has_gone_through(double time) {
  std::string trouble = system_.trouble_at(time, reached_q_, reached_v_);
  if (trouble.empty()) return false;
  trouble_ = std::move(trouble);
  return true;
}

bool SundialsIntegrator::passes_unseen(double time) {
  if (!(time - longest_from_ > longest_)) return false;
  trouble_ = fmt::format("a link would pass an obstacle unseen in a step above {:.3g} s", longest_);
  return true;
}

double SundialsIntegrator::least_step(double time) const {
  const double longest = options_.max_step.value_or(std::numeric_limits<double>::infinity());
  return std::max(0.0, std::min({shortest_step(time, interval_), limit_ - time, longest, longest_}));
}

int SundialsIntegrator::evaluate(System& system, double time, const double* y, double* rate) {
  return guarded([&] {
    const int n_auxiliary = system.auxiliary_count();
    const ConstSegment q(y, nq_), v(y + nq_, nv_), auxiliary(y + nq_ + nv_, n_auxiliary);
    Segment q_rate(rate, nq_), a(rate + nq_, nv_), auxiliary_rate(rate + nq_ + nv_, n_auxiliary);
    ++statistics_.evaluations;
    try {
      system.rates(time, q, v, auxiliary, a, auxiliary_rate);  // first: it names the link of what is not finite
      configuration_rate<double>(model_, q, v, q_rate);
    } catch (const Error& error) {
      trouble_ = error.what();
      return 1;
    }
    return 0;
  });
}

void SundialsIntegrator::fail(double time, double step, const std::string& reason, N_Vector local_errors,
                              N_Vector weights) {
  carrier_.rethrow();
  // after an overflow there is nothing good but the last output
  if (std::isfinite(time) && all(y_.get()).allFinite()) {
    read_state(time);
  } else {
    time = state_.time;
  }
  std::string cause = std::isfinite(step) ? fmt::format("{} (step {:.3g} s)", reason, step) : reason;
  if (!trouble_.empty()) {
    cause += "; " + trouble_;
  } else if (local_errors != nullptr) {
    const VectorXd error = all(local_errors).cwiseProduct(all(weights)).cwiseAbs().head(nq_ + nv_);
    Eigen::Index worst = 0;
    if (error.maxCoeff(&worst) > 0.0) {
      const int index = static_cast<int>(worst);
      cause += "; the largest error is at " + (index < nq_ ? configuration_label(model_, index)
                                                           : "the velocity of " + velocity_label(model_, index - nq_));
    }
  }
  fail_at(state_, time, cause);
}

void SundialsIntegrator::check(int flag, const char* call) {
  if (flag < 0) throw SimulationError(fmt::format("{} failed with {}", call, flag));
}

}  // namespace cuttle
