// Discrete adjoint of explicit Runge-Kutta methods: reverse mode through the stages of each step.
#include <Eigen/LU>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "simulation/adjoint_run.h"
#include "simulation/adjoint_turns.h"
#include "simulation/diagnosis.h"
#include "simulation/runge_kutta_step.h"
#include "simulation/state_adjoint.h"
#include "simulation/touch_downs.h"

namespace cuttle {
namespace {

/// An explicit Runge-Kutta method, as RungeKuttaStepT takes its steps.
class AdjointRungeKutta final : public AdjointRun {
 public:
  AdjointRungeKutta(RobotSystem& system, RungeKuttaTableau tableau, double step)
      : system_(system),
        model_(system.model()),
        tableau_(std::move(tableau)),
        length_(step),
        step_(model_, system.auxiliary_count()),
        turns_(model_),
        states_(system),
        touches_(model_) {
    step_.reserve(tableau_.stages());
    system_.prepare_derivatives();
    stages_.resize(static_cast<std::size_t>(tableau_.stages()));
    for (Stage& stage : stages_) {
      stage.by_rate.setZero(model_.nv()), stage.by_a.setZero(model_.nv());
      stage.by_state_rate.setZero(states_.count());
    }
    by_q_.setZero(model_.nv()), by_v_.setZero(model_.nv()), by_states_.setZero(states_.count());
  }

  void begin(const State& start, double /*end*/) override {
    state_ = start;
    touches_.begin(start.time, start.q, start.v);
  }
  void go_on() override {}
  void advance(double target, double /*limit*/) override {
    for_equal_steps(state_.time, target, length_, [this](double h, double next) {
      const auto longest = [this] { return system_.longest_step(state_.time, state_.q, state_.v); };
      for_safe_parts(state_.time, h, next, longest, [this](double part, double end) {
        const Step step{state_.time, part, state_.q, state_.v, state_.auxiliary};
        keep(step);
        take(step, [](std::size_t) {});
        system_.impose(end, step_.q, step_.v);
        require_not_through(system_, state_, end, step_.q, step_.v);
        state_.time = end, state_.q = step_.q, state_.v = step_.v, state_.auxiliary = step_.auxiliary;
        touch_downs_.keep(size(), end, touches_.see(end, state_.q, state_.v));
      });
    });
  }
  const State& state() const override { return state_; }
  std::size_t size() const override { return kept_.size() / numbers_of_step(); }
  std::size_t numbers_kept() const override { return kept_.size(); }

  void add(const VectorXd& /*q*/, const VectorXd& /*v*/, const VectorXd& by_q, const VectorXd& by_v) override {
    by_q_ += by_q, by_v_ += by_v;
  }

  void add_states(const VectorXd& by_states) override { by_states_ += by_states; }

  void go_back(AdjointNumbers& numbers, const Use& use) override {
    const Step step = last();
    take(step, [this](std::size_t i) {
      stages_[i].q = step_.q, stages_[i].v = step_.v, stages_[i].auxiliary = step_.auxiliary;
      stages_[i].theta = step_.theta();
    });
    const double h = step.h;
    if (const auto* touches = touch_downs_.find(size())) back_over_touch_downs(*touches, numbers, use);
    drop_driven(system_.driven(), by_q_), drop_driven(system_.driven(), by_v_);
    VectorXd by_start = VectorXd::Zero(model_.nv()), by_theta = by_start;
    turns_.through_integrate(step.q, step_.theta(), step_.q, by_q_, by_start, by_theta);
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      stages_[i].by_rate = h * tableau_.b[i] * by_theta;
      stages_[i].by_a = h * tableau_.b[i] * by_v_;
      stages_[i].by_state_rate = h * tableau_.b[i] * by_states_;
    }
    for (std::size_t i = stages_.size(); i-- > 0;) {
      Stage& stage = stages_[i];
      const double time = step.time + tableau_.c[i] * h;
      const VectorXd rate_of = stage.v;  // driven motion is put in where forces are found, not into the rates
      system_.impose(time, stage.q, stage.v, &stage.a);
      // M a + rest(q, v) = A u: what an acceleration is worth goes to the forces by M^-1
      const DerivativeData& d =
          system_.residual_derivatives(time, stage.q, stage.v, stage.a, {stage.auxiliary}, VectorXd());
      MatrixXd mass = d.by_a;
      pin_driven(system_.driven(), mass);
      drop_driven(system_.driven(), stage.by_a);
      const VectorXd force = Eigen::PartialPivLU<MatrixXd>(mass.transpose()).solve(stage.by_a);
      VectorXd by_stage_q = -d.by_q.transpose() * force;
      VectorXd by_stage_v = -d.by_v.transpose() * force;
      AdjointInstant at{time, stage.q, stage.v, stage.a, force, no_rows_};
      if (states_.count() > 0) at.auxiliary = &stage.auxiliary, at.by_state_rate = &stage.by_state_rate;
      use(time, numbers.worth(at));
      VectorXd by_stage_states;
      if (states_.count() > 0) {
        const StateAdjoint::Instant instant{time, stage.q, stage.v, stage.a, stage.auxiliary, 0.0, 0.0};
        VectorXd by_q, by_v;
        states_.to_motion(instant, stage.by_state_rate, by_q, by_v);
        by_stage_q += by_q, by_stage_v += by_v;
        states_.to_states(instant, -force, stage.by_state_rate, by_stage_states);
        by_states_ += by_stage_states;
      }
      drop_driven(system_.driven(), by_stage_q), drop_driven(system_.driven(), by_stage_v);
      VectorXd by_stage_theta = VectorXd::Zero(model_.nv());
      turns_.through_rate(stage.theta, rate_of, stage.by_rate, by_stage_theta, by_stage_v);
      turns_.through_integrate(step.q, stage.theta, stage.q, by_stage_q, by_start, by_stage_theta);
      by_v_ += by_stage_v;
      for (std::size_t j = 0; j < i; ++j) {
        stages_[j].by_rate += h * tableau_.a[i][j] * by_stage_theta;
        stages_[j].by_a += h * tableau_.a[i][j] * by_stage_v;
        if (states_.count() > 0) stages_[j].by_state_rate += h * tableau_.a[i][j] * by_stage_states;
      }
    }
    by_q_ = by_start;
    drop_driven(system_.driven(), by_q_), drop_driven(system_.driven(), by_v_);
    kept_.resize(kept_.size() - numbers_of_step());
  }
  const VectorXd& by_q() const override { return by_q_; }
  const VectorXd& by_v() const override { return by_v_; }
  const VectorXd& by_states() const override { return by_states_; }

 private:
  struct Step {
    double time, h;
    VectorXd q, v, auxiliary;
  };
  struct Stage {
    VectorXd q, v, a, auxiliary, theta;
    VectorXd by_rate, by_a, by_state_rate;  ///< gradients by what the stage gives: d theta/dt, dv/dt, rates of states
  };

  /// At the end of a step, which step_ has.
  void back_over_touch_downs(const TouchRecords::OfStep& last, AdjointNumbers& numbers, const Use& use) {
    VectorXd q = step_.q, v = step_.v;
    system_.impose(last.time, q, v);
    const VectorXd none = VectorXd::Zero(model_.nv());
    const StateAdjoint::Instant instant{last.time, q, v, none, step_.auxiliary, 0.0, 0.0};
    const auto worth =
        take_worth_of_touches(states_.site_places(), last.touches, by_states_.tail(system_.layout().sites));
    VectorXd by_q, by_v;
    states_.touches_to_motion(instant, worth, by_q, by_v);
    by_q_ += by_q, by_v_ += by_v;
    use(last.time, numbers.worth_of_touches(instant, worth));
    touch_downs_.drop_last();
  }

  std::size_t numbers_of_step() const {
    return 2 + static_cast<std::size_t>(model_.nq()) + static_cast<std::size_t>(model_.nv()) +
           static_cast<std::size_t>(system_.auxiliary_count());
  }
  void keep(const Step& step) {
    kept_.push_back(step.time), kept_.push_back(step.h);
    for (const VectorXd* part : {&step.q, &step.v, &step.auxiliary}) {
      kept_.insert(kept_.end(), part->begin(), part->end());
    }
  }
  Step last() const {
    Step step{0.0, 0.0, VectorXd(model_.nq()), VectorXd(model_.nv()), VectorXd(system_.auxiliary_count())};
    auto from = kept_.end() - static_cast<std::ptrdiff_t>(numbers_of_step());
    step.time = *from++, step.h = *from++;
    for (VectorXd* part : {&step.q, &step.v, &step.auxiliary}) {
      for (double& number : *part) number = *from++;
    }
    return step;
  }

  /// A step, into step_. @param see  is called with each stage while step_ has its state.
  template <typename See>
  void take(const Step& from, const See& see) {
    std::size_t stage = 0;
    step_.run(model_, tableau_, from.time, from.h, from.q, from.v, from.auxiliary,
              [&](double time, VectorXd& a, VectorXd& auxiliary_rate) {
                system_.rates(time, step_.q, step_.v, step_.auxiliary, a, auxiliary_rate);
                stages_[stage].a = a;
                see(stage++);
              });
  }

  RobotSystem& system_;
  const Model& model_;
  RungeKuttaTableau tableau_;
  double length_;
  RungeKuttaStepT<double> step_;
  AdjointTurns turns_;
  State state_;
  std::deque<double> kept_;  ///< steps, one after the other: nothing is moved when it grows
  std::vector<Stage> stages_;
  StateAdjoint states_;
  TouchWatch touches_;
  TouchRecords touch_downs_;
  VectorXd by_q_, by_v_, by_states_, no_rows_;
};

}  // namespace

std::unique_ptr<AdjointRun> make_adjoint_runge_kutta(RobotSystem& system, const RungeKuttaTableau& tableau,
                                                     double step) {
  return std::make_unique<AdjointRungeKutta>(system, tableau, step);
}

}  // namespace cuttle
