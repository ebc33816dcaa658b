#include <algorithm>
#include <optional>

#include "algorithms/forward_numbers.h"
#include "simulation/forward_integrator.h"
#include "simulation/sundials_integrator.h"
#include "simulation/touch_downs.h"

namespace cuttle {
namespace {

/// A robot whose further auxiliary states are how q, v and the auxiliary states change along each direction: any
/// integrator takes them along. They are in units of the motion, by ForwardSystem::scales, as tolerances mean.
class AugmentedSystem final : public System {
 public:
  AugmentedSystem(ForwardSystem& system)
      : system_(system),
        base_(system.plain()),
        nq_(base_.model().nq()),
        nv_(base_.model().nv()),
        states_(base_.auxiliary_count()),
        block_(nq_ + nv_ + states_) {
    q_.resize(nq_), v_.resize(nv_), q_rate_.resize(nq_), a_.resize(nv_);
    auxiliary_.resize(system.auxiliary_count()), rate_.resize(system.auxiliary_count());
  }

  const Model& model() const override { return base_.model(); }
  int auxiliary_count() const override { return states_ + directions() * block_; }
  bool auxiliary_feeds_back() const override { return true; }
  Linearization linearization() override { return {&base_, directions()}; }

  void rates(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> auxiliary, VectorOutT<double> a,
             VectorOutT<double> auxiliary_rate) override {
    base_.rates(time, q, v, auxiliary.head(states_), a, auxiliary_rate.head(states_));
    take(q, v, auxiliary);
    system_.rates(time, q_, v_, auxiliary_, a_, rate_);
    configuration_rate<ForwardDual>(system_.model(), q_, v_, q_rate_);
    put(q_rate_, a_, rate_, auxiliary_rate);
  }
  std::optional<EnergyBalance> energy_balance(VectorInT<double> q, VectorInT<double> v,
                                              VectorInT<double> auxiliary) override {
    return base_.energy_balance(q, v, auxiliary.head(states_));
  }
  std::optional<EnergyBalance> energy_balance_at(double time, VectorInT<double> q, VectorInT<double> v,
                                                 VectorInT<double> auxiliary) override {
    return base_.energy_balance_at(time, q, v, auxiliary.head(states_));
  }
  double longest_step(double time, VectorInT<double> q, VectorInT<double> v) override {
    return base_.longest_step(time, q, v);
  }
  std::string trouble() override { return base_.trouble(); }
  std::string trouble_at(double time, VectorInT<double> q, VectorInT<double> v) override {
    return base_.trouble_at(time, q, v);
  }
  unsigned long touching() override { return base_.touching(); }

  std::span<const int> driven() const override { return base_.driven(); }
  void impose(double time, VectorXd& q, VectorXd& v, VectorXd* a) const override { base_.impose(time, q, v, a); }

  State plain(const ForwardState& state) const {
    State found;
    found.time = state.time, found.q = values_of(state.q), found.v = values_of(state.v);
    found.auxiliary.setZero(auxiliary_count());
    base_.layout().feeding_back_of(found.auxiliary) = values_of(state.auxiliary);
    put(state.q, state.v, state.auxiliary, found.auxiliary);
    return found;
  }
  ForwardState differentiated(const State& state) {
    take(state.q, state.v, state.auxiliary);
    if (system_.moves_driven()) system_.impose(state.time, q_, v_);
    return {state.time, q_, v_, auxiliary_};
  }
  /// Bristles of sites that have touched down begin anew in a state.
  void begin_touches(TouchWatch& touches, State& state) {
    take(state.q, state.v, state.auxiliary);
    system_.rates(state.time, q_, v_, auxiliary_, a_, rate_);
    auto states = system_.layout().sites_of(auxiliary_);
    for_each_begun(*system_.sites(), touches.with_states(values_of(VectorXT<ForwardDual>(states))), state.time,
                   [&](int i, const ForwardDual& begun) { states[i] = with_value(begun, states[i]); });
    put(q_, v_, auxiliary_, state.auxiliary);
  }

 private:
  // Blocks: q, v, works, other auxiliary states; derivatives of works are left zero, as nothing depends on them.
  int directions() const { return static_cast<int>(system_.scales().size()); }
  double scale(int k) const { return system_.scales()[static_cast<std::size_t>(k)]; }
  int first_state() const { return nq_ + nv_ + base_.layout().works; }

  void take(VectorInT<double> q, VectorInT<double> v, VectorInT<double> auxiliary) {
    const auto fill = [&](auto&& values, int first, VectorXT<ForwardDual>& x) {
      for (Eigen::Index i = 0; i < x.size(); ++i) {
        x[i].value = values[i];
        for (int k = 0; k < directions(); ++k) {
          x[i].derivative[k] = auxiliary[states_ + k * block_ + first + i] / scale(k);
        }
      }
    };
    fill(q, 0, q_), fill(v, nq_, v_);
    fill(base_.layout().feeding_back_of(auxiliary), first_state(), auxiliary_);
  }
  void put(const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v, const VectorXT<ForwardDual>& auxiliary,
           VectorOutT<double> all) const {
    all.tail(directions() * block_).setZero();
    const auto store = [&](const VectorXT<ForwardDual>& x, int first) {
      for (Eigen::Index i = 0; i < x.size(); ++i) {
        for (int k = 0; k < directions(); ++k) {
          all[states_ + k * block_ + first + i] = scale(k) * x[i].derivative[k];
        }
      }
    };
    store(q, 0), store(v, nq_), store(auxiliary, first_state());
  }

  ForwardSystem& system_;
  RobotSystem& base_;
  int nq_, nv_, states_, block_;
  VectorXT<ForwardDual> q_, v_, q_rate_, a_, auxiliary_, rate_;
};

/// Methods of the library say where their steps end. One in which a site has touched down is gone to once more, and
/// derivatives go on from there with what they lack for that.
class Augmented final : public ForwardIntegrator {
 public:
  Augmented(ForwardSystem& system, const IntegratorOptions& options)
      : ForwardIntegrator(system),
        augmented_(system),
        integrator_(make_integrator(augmented_, options)),
        touches_(augmented_.model()) {
    auto* const method = dynamic_cast<SundialsIntegrator*>(integrator_.get());
    if (method == nullptr || !touches_.watches()) return;
    method->on_step = [this](double time, const VectorXd& q, const VectorXd& v, VectorInT<double> /*auxiliary*/) {
      if (!begun_ || touch_down_) return;
      length_ = time - step_began_, step_began_ = time;
      if (!touches_.see(time, normal(q), v).empty()) touch_down_ = time;
    };
  }

  void begin(const ForwardState& start, double end) override {
    state_ = start;
    integrator_->expect_end(end);
    touches_.begin(start.time, values_of(start.q), values_of(start.v));
    begun_ = true, step_began_ = start.time;
    integrator_->restart(augmented_.plain(start));
  }
  void go_on() override { integrator_->restart(integrator_->state()); }
  void advance(double target, double limit) override {
    while (true) {
      const State before = integrator_->state();
      if (!touch_down_) {
        integrator_->advance(target, limit);
        if (!touch_down_ || *touch_down_ > target) break;  // steps go beyond targets
        integrator_->restart(before);
      } else if (*touch_down_ > target) {
        integrator_->advance(target, limit);
        break;
      }
      integrator_->advance(*touch_down_, limit);
      State state = integrator_->state();
      const double length = std::max(length_, state.time - before.time);  // an output may lie within the step
      touches_.see_again(state.time, state.q, state.v, length);
      augmented_.begin_touches(touches_, state);
      touch_down_.reset();
      integrator_->restart(state);
    }
    state_ = augmented_.differentiated(integrator_->state());
  }

 private:
  VectorXd normal(VectorXd q) const {
    normalize<double>(augmented_.model(), q);
    return q;
  }

  AugmentedSystem augmented_;
  std::unique_ptr<Integrator> integrator_;
  TouchWatch touches_;
  bool begun_ = false;
  double step_began_ = 0.0, length_ = 0.0;
  std::optional<double> touch_down_;  ///< end of a step in which sites have touched down, of that length
};

}  // namespace

std::unique_ptr<ForwardIntegrator> make_augmented(ForwardSystem& system, const IntegratorOptions& options) {
  return std::make_unique<Augmented>(system, options);
}

}  // namespace cuttle
