#include <optional>

#include "algorithms/forward_numbers.h"
#include "simulation/energy_projection.h"
#include "simulation/forward_energy.h"
#include "simulation/forward_integrator.h"
#include "simulation/implicit_step.h"
#include "simulation/stiff_states.h"
#include "simulation/touch_downs.h"

namespace cuttle {
namespace {

/// Follows the steps of an implicit method. At a step's solution z one more iteration of Newton's method, in arithmetic
/// with derivatives and with the exact tangent, gives it the derivatives of the solution. The steps of such a run are
/// solved to rounding.
class ForwardImplicit final : public ForwardIntegrator, private ImplicitFollower {
 public:
  ForwardImplicit(ForwardSystem& system, const ImplicitScheme& scheme, const IntegratorOptions& options)
      : ForwardIntegrator(system),
        scheme_(scheme),
        integrator_(make_implicit(system.plain(), scheme, options, this)),
        coordinates_(system.plain().model()),
        nv_(system.model().nv()),
        stiff_count_(system.layout().stiff()),
        touches_(system.plain().model()),
        equations_(nv_),
        x_(nv_) {
    follow_constraints();
    for (VectorXT<ForwardDual>* x : {&v_, &a_, &w_, &w_rate_, &next_w_, &next_w_rate_, &A_, &scaled_}) x->setZero(nv_);
    q_.resize(system.model().nq()), end_.resize(system.model().nq());
    for (VectorXT<ForwardDual>* x : {&auxiliary_rate_, &next_rate_}) x->setZero(system.auxiliary_count());
    if (scheme_.conserves_energy) energy_.emplace(system.model(), system.plain());
  }

  void begin(const ForwardState& start, double end) override {
    state_ = start;
    State plain;
    plain.time = start.time, plain.q = values_of(start.q), plain.v = values_of(start.v);
    plain.auxiliary.setZero(system_.plain().auxiliary_count());
    system_.plain().layout().feeding_back_of(plain.auxiliary) = values_of(start.auxiliary);
    integrator_->expect_end(end);
    integrator_->restart(plain);
  }
  void go_on() override { integrator_->restart(integrator_->state()); }
  void advance(double target, double limit) override { integrator_->advance(target, limit); }

 private:
  bool follows_tree() const override { return !system_.is_tangent(); }
  void follow_constraints() {
    m_ = system_.constraint_count();
    z_.setZero(nv_ + m_);
  }

  void take_up_constraints(State& state) override {
    system_.plain().take_up_constraints(state);
    system_.take_up_constraints(state_.q, state.v, state_.v);
    follow_constraints();
  }

  void restart(double time) override {
    stiff_.begin(time, state_.auxiliary.tail(stiff_count_));
    // references of controllers may jump though the motion goes on in balance
    if (system_.layout().controllers == 0) return;
    system_.residual(state_.time, state_.q, state_.v, a_, state_.auxiliary, 0.0, 0.0, equations_, auxiliary_rate_);
  }

  void begin(MotionStart start, const TangentSolver& masses, const VectorXd& a, const VectorXd& lambda) override {
    if (start == MotionStart::anew) touches_.begin(state_.time, integrator_->state().q, integrator_->state().v);
    a_ = a.cast<ForwardDual>();
    if (system_.moves_driven()) {
      VectorXT<ForwardDual> q = state_.q, v = state_.v;
      system_.impose(state_.time, q, v, &a_);
    }
    z_.setZero();
    VectorXT<ForwardDual> left(nv_ + m_);
    if (system_.is_tangent()) {
      const State& at = integrator_->state();
      const DerivativeData& d =
          system_.plain().residual_derivatives(at.time, at.q, at.v, a, {at.auxiliary}, VectorXd());
      system_.tangent_residual(d, state_.time, state_.q, state_.v, a_, equations_);
    } else {
      system_.residual(state_.time, state_.q, state_.v, a_, state_.auxiliary, 0.0, 0.0, equations_, auxiliary_rate_);
    }
    left.head(nv_) = equations_;
    if (m_ > 0) {
      left.head(nv_) += system_.constraint_force(state_.q, lambda.cast<ForwardDual>());
      left.tail(m_) = system_.constraint_acceleration(state_.q, state_.v, a_);
    }
    for (const int k : system_.driven()) left[k] = ForwardDual(0.0);  // as in the matrix
    subtract_derivatives(masses.solve_columns(derivatives_of(left)).topRows(nv_), a_);
    const VectorXT<ForwardDual> before = w_rate_;
    coordinates_.rates_of(state_.q, state_.v, a_, w_, w_rate_);
    if (start == MotionStart::anew || scheme_.midpoint) {
      A_ = w_rate_;
    } else if (start == MotionStart::goes_on) {
      A_ += w_rate_ - before;
    } else {
      A_ = A_before_ + (w_rate_ - w_rate_before_);
    }
    if (auxiliary_rate_.size() > 0) {
      system_.residual(state_.time, state_.q, state_.v, a_, state_.auxiliary, 0.0, 0.0, equations_, auxiliary_rate_);
    }
    if (!energy_ || start != MotionStart::anew) return;
    const State& at = integrator_->state();
    const VectorXT<ForwardDual> stiff = state_.auxiliary.tail(stiff_count_);
    wanted_ = energy_->energy({state_.time, state_.q, state_.v, stiff}).sum;
    const auto balance = system_.plain().energy_balance_at(at.time, at.q, at.v, at.auxiliary);
    wanted_.value = wanted_at_start_ = balance->energy - balance->work;
  }

  void accept(double time, double h, ImplicitStep& step, const VectorXd& z, const StepRates& /*before*/,
              const TangentSolver* factor) override {
    next_time_ = time;
    map_.set(scheme_, h, w_, w_rate_, A_);
    at_ = state_.time + (scheme_.midpoint ? 0.5 * h : h);
    offset_ = state_.auxiliary;
    if (!scheme_.midpoint) flat(offset_) += 0.5 * h * flat(auxiliary_rate_);
    if (stiff_count_ > 0) offset_.tail(stiff_count_) = stiff_.offset(at_);
    z_ = z.cast<ForwardDual>();
    std::optional<FactoredMatrix> matrix;
    if (factor == nullptr) factor = step.factored(z);
    if (factor == nullptr) {
      tangent_.resize(nv_ + m_, nv_ + m_);
      step.tangent(z, tangent_);
      factor = &matrix.emplace(tangent_);
    }
    // slopes of some laws are differences: what their errors leave goes with another iteration
    const bool differs = system_.has_controllers() && !system_.is_tangent();
    for (int i = 0; i < (differs ? 2 : 1); ++i) {
      subtract_numbers(factor->solve_columns(numbers_of(equations_at_z(h, step))), z_);
    }
    move();
    if (next_rate_.size() > 0) {
      system_.residual(at_, q_, v_, a_, offset_, 0.5 * h, stiff_.factor(at_), equations_, next_rate_);
    }
    if (energy_) {
      add_power(h);
      wanted_.value = wanted_at_start_ + net_work(integrator_->state().auxiliary + h * step.auxiliary_rate());
    }
    finish(time, h);
  }

  void drift(double time) override { state_.time = time; }

  /// The motion at z_.
  void move() {
    x_ = z_.head(nv_);
    flat(next_w_) = map_.rate * flat(x_) + flat(map_.rate_offset);
    flat(next_w_rate_) = map_.second * flat(x_) + flat(map_.second_offset);
    flat(scaled_) = map_.scale * flat(x_);
    coordinates_.motion_at(state_.q, scaled_, next_w_, next_w_rate_, q_, v_, a_);
    system_.impose(at_, q_, v_, &a_);
  }

  /// As ImplicitStep::equations. @param step  at z_.
  VectorXT<ForwardDual> equations_at_z(double h, const ImplicitStep& step) {
    move();
    if (system_.is_tangent()) {
      system_.tangent_residual(step.derivatives(), at_, q_, v_, a_, equations_);
    } else {
      system_.residual(at_, q_, v_, a_, offset_, 0.5 * h, stiff_.factor(at_), equations_, next_rate_);
    }
    VectorXT<ForwardDual> all(nv_ + m_);
    flat(equations_) *= 1.0 / map_.second;
    all.head(nv_) = equations_;
    if (m_ > 0) {
      all.head(nv_) += system_.constraint_force(q_, z_.tail(m_));
      coordinates_.configuration_at(state_.q, x_, end_);
      VectorXT<ForwardDual> trash = v_;
      system_.impose(next_time_, end_, trash);
      all.tail(m_) = system_.constraints(end_);
    }
    for (const int k : system_.driven()) all[k] = x_[k];
    return all;
  }

  /// Of the middle of a step, to the energy that is wanted after it.
  void add_power(double h) {
    VectorXT<ForwardDual> states = offset_.tail(stiff_count_);
    const VectorXT<ForwardDual> rates = next_rate_.tail(stiff_count_).head(system_.layout().elements);
    flat(states).head(flat(rates).size()) += stiff_.factor(at_) * flat(rates);
    VectorXT<ForwardDual> multipliers = z_.tail(m_);
    flat(multipliers) *= map_.second;
    wanted_ += ForwardDual(h) * energy_->power({at_, q_, v_, a_, states, rates, multipliers, stiff_.factor(at_)});
  }

  /// As ImplicitIntegrator::try_step and accept, from the motion at z_ to the next state.
  void finish(double time, double h) {
    const VectorXT<ForwardDual> stiff_found =
        offset_.tail(stiff_count_) + ForwardDual(stiff_.factor(at_)) * next_rate_.tail(stiff_count_);
    for (const int k : system_.driven()) x_[k] = ForwardDual(h) * w_[k];
    const VectorXT<ForwardDual> q = q_, v = v_, a = a_;  // where the equation of motion is taken
    w_rate_before_ = w_rate_, A_before_ = A_;
    if (scheme_.midpoint) {
      flat(state_.auxiliary) += h * flat(next_rate_);
      coordinates_.configuration_at(state_.q, x_, end_);
      flat(w_) = (2.0 / h) * flat(x_) - flat(w_);
      coordinates_.motion_at(state_.q, x_, w_, next_w_rate_, q_, v_, a_);
      A_ = next_w_rate_;
    } else {
      flat(state_.auxiliary) += 0.5 * h * (flat(auxiliary_rate_) + flat(next_rate_));
      VectorXT<ForwardDual> next_of_scheme;
      StepMapT<ForwardDual>::next_acceleration(scheme_, h, x_, w_, A_, next_of_scheme);
      A_ = next_of_scheme;
      w_ = next_w_;
    }
    follow_drive(time, q, v, a);
    if (stiff_count_ > 0) {
      state_.auxiliary.tail(stiff_count_) = stiff_.at(time, at_, stiff_found);
      stiff_.accept(at_, stiff_found);
      if (touches_.watches()) follow_touch_downs(q, v);
    }
    if (energy_) {
      const VectorXT<ForwardDual> stiff = state_.auxiliary.tail(stiff_count_);
      v_ = energy_->projected({time, q_, v_, stiff}, wanted_);
      VectorXT<ForwardDual> trash;
      coordinates_.rates_of(q_, v_, next_w_rate_, w_, trash);
    }
    state_.time = time, state_.q = q_, state_.v = v_;
    w_rate_ = next_w_rate_, auxiliary_rate_ = next_rate_;
  }

  /// Bristles of sites that have touched down in the step begin anew, as if they had been so before it.
  /// @param q, v  where the equation of motion is taken.
  void follow_touch_downs(const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v) {
    const std::vector<TouchDown>& found = touches_.see(at_, values_of(q), values_of(v));
    if (found.empty()) return;
    auto states = system_.layout().sites_of(state_.auxiliary);
    const int first = stiff_count_ - system_.layout().sites;
    for_each_begun(*system_.sites(), found, at_, [&](int i, const ForwardDual& begun) {
      states[i] = with_value(begun, states[i]);
      stiff_.last(first + i) = with_value(begun, stiff_.last(first + i));
      stiff_.last_rate(first + i) = ForwardDual(stiff_.last_rate(first + i).value);
    });
  }

  /// As ImplicitIntegrator::follow_drive. @param q, v, a  where the equation of motion is taken.
  void follow_drive(double time, const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v,
                    const VectorXT<ForwardDual>& a) {
    if (system_.driven().empty()) return;
    system_.impose(time, q_, v_);
    VectorXT<ForwardDual> w, w_rate;
    coordinates_.rates_of(q, v, a, w, w_rate);
    for (const int k : system_.driven()) next_w_rate_[k] = w_rate[k];
    coordinates_.rates_of(q_, v_, next_w_rate_, w, w_rate);
    for (const int k : system_.driven()) {
      w_[k] = w[k];
      A_[k] = next_w_rate_[k];
    }
  }

  ImplicitScheme scheme_;
  std::unique_ptr<Integrator> integrator_;
  StepCoordinates coordinates_;
  int nv_, m_ = 0, stiff_count_;
  double next_time_ = 0.0;  // of the step's end
  double at_ = 0.0;         // where in the step the equation of motion is taken
  StiffStatesT<ForwardDual> stiff_;
  TouchWatch touches_;
  StepMapT<ForwardDual> map_;
  MatrixXd tangent_;
  VectorXT<ForwardDual> equations_, x_, scaled_, z_, q_, v_, a_, w_, w_rate_, next_w_, next_w_rate_, A_, end_;
  VectorXT<ForwardDual> offset_, auxiliary_rate_, next_rate_;
  std::optional<ForwardEnergy> energy_;  // of energy_conserving
  ForwardDual wanted_{};                 // by its projection
  double wanted_at_start_ = 0.0;
  VectorXT<ForwardDual> w_rate_before_, A_before_;  // where the last step began
};

}  // namespace

std::unique_ptr<ForwardIntegrator> make_forward_implicit(ForwardSystem& system, const ImplicitScheme& scheme,
                                                         const IntegratorOptions& options) {
  return std::make_unique<ForwardImplicit>(system, scheme, options);
}

}  // namespace cuttle
