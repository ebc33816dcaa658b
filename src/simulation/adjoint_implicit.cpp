// Discrete adjoint of implicit methods with fixed steps: reverse mode through each step's nonlinear equation.
#include <optional>
#include <utility>
#include <vector>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "simulation/adjoint_projection.h"
#include "simulation/adjoint_run.h"
#include "simulation/energy_projection.h"
#include "simulation/equation_slopes.h"
#include "simulation/implicit_step.h"
#include "simulation/impulse.h"
#include "simulation/state_adjoint.h"
#include "simulation/step_records.h"
#include "simulation/stiff_states.h"
#include "simulation/touch_downs.h"

namespace cuttle {
namespace {

/// The gradient by what a step of an implicit method begins with and ends with: the configuration, and in the
/// coordinates of StepCoordinates the rates, their rates, and the algorithmic acceleration.
struct StepGradient {
  VectorXd q, w, w_rate, A;
};

/// Backwards along the run of an implicit method. A step solves r(x; start, inputs) = 0 for its unknown x and ends in
/// F(x; start): the gradient g by the end goes to the start as F_start^T g - r_start^T f, with r_x^T f = F_x^T g, and
/// -r_u^T f = A^T f is that by the inputs. Multipliers of loops are unknowns too, and what closes them are equations;
/// a multiplier lasts for its step alone.
class AdjointImplicit final : public AdjointRun, private ImplicitFollower {
 public:
  AdjointImplicit(RobotSystem& system, const ImplicitScheme& scheme, const IntegratorOptions& options)
      : system_(system),
        model_(system.model()),
        data_(model_),
        scheme_(scheme),
        integrator_(make_implicit(system, scheme, options, this)),
        coordinates_(model_),
        slopes_(system),
        nv_(model_.nv()),
        states_(system),
        auxiliary_(VectorXd::Zero(system.auxiliary_count())),
        touches_(model_),
        records_(model_, scheme) {
    for (VectorXd* g : {&g_.q, &g_.w, &g_.w_rate, &g_.A, &by_v_}) g->setZero(nv_);
    by_states_.setZero(states_.count()), by_states_before_.setZero(states_.stiff());
    by_slow_rate_.setZero(states_.slow());
    if (scheme_.conserves_energy) projection_.emplace(system);
    follow_constraints();
  }

  void begin(const State& start, double end) override {
    integrator_->expect_end(end);
    integrator_->restart(start);
  }
  void go_on() override { integrator_->restart(integrator_->state()); }
  void advance(double target, double limit) override { integrator_->advance(target, limit); }
  const State& state() const override { return integrator_->state(); }
  std::size_t size() const override { return records_.size(); }
  std::size_t numbers_kept() const override { return records_.numbers_kept(); }

  void add(const VectorXd& q, const VectorXd& v, const VectorXd& by_q, const VectorXd& by_v) override {
    g_.q += by_q;
    if (records_.empty()) {
      by_v_ += by_v;
    } else {
      coordinates_.velocity_adjoint(q, v, by_v, g_.q, g_.w);
    }
  }

  void add_states(const VectorXd& by_states) override {
    by_states_.head(states_.slow()) += by_states.head(states_.slow());
    add_stiff(by_states.tail(states_.stiff()));
  }

  void go_back(AdjointNumbers& numbers, const Use& use) override {
    const Record& record = records_.last();
    drop_driven_parts();
    switch (record.kind) {
      case Record::Kind::step:
        back_over_step(record, numbers, use);
        break;
      case Record::Kind::start:
        back_over_start(record, numbers, use);
        break;
      case Record::Kind::impulse:
        numbers.refuse_of_robot("loops that lock while it moves");
        back_over_impulse(record);
        break;
      case Record::Kind::restart:
        back_over_restart(record, numbers, use);
        break;
    }
    drop_driven_parts();
    records_.pop();
  }
  const VectorXd& by_q() const override { return g_.q; }
  const VectorXd& by_v() const override { return by_v_; }
  const VectorXd& by_states() const override { return by_states_; }

 private:
  using Record = StepRecord;
  using Kind = Record::Kind;
  using Closing = AdjointInstant::Closing;

  void add_stiff(const VectorXd& by_states) {
    const bool after_step = !records_.empty() && records_.last().kind == Kind::step;
    const double beyond = after_step ? records_.last().state_beyond : 0.0;
    by_states_.tail(states_.stiff()) += (1.0 + beyond) * by_states;
    by_states_before_ -= beyond * by_states;
  }

  void drop_driven_parts() {
    for (VectorXd* gradient : {&g_.q, &g_.w, &g_.w_rate, &g_.A, &by_v_}) drop_driven(system_.driven(), *gradient);
  }

  void follow_constraints() {
    m_ = system_.constraint_count();
    by_unknowns_.setZero(nv_ + m_), by_open_.setZero(m_);
  }
  bool follows_tree() const override { return true; }

  void restart(double time) override {
    if (states_.count() == 0) return;
    Record record{Kind::restart, !records_.empty(), time, 0.0, {}, {}, {}, {}, {}, {}, {}};
    if (scheme_.midpoint && record.goes_on && last_step_ > 0.0) record.state_memory = 0.5 * last_length_ / last_step_;
    const State& at = integrator_->state();
    record.q = at.q, record.v = at.v, record.states = at.auxiliary.tail(states_.count());
    records_.push(std::move(record));
    stiff_.begin(time, at.auxiliary.tail(states_.stiff()));
    last_step_ = 0.0;
  }
  void begin(MotionStart start, const TangentSolver& /*masses*/, const VectorXd& a, const VectorXd& lambda) override {
    // the integrator has its state before it computes anything of the start
    const State& at = integrator_->state();
    const bool goes_on = start != MotionStart::anew;
    if (!goes_on) touches_.begin(at.time, at.q, at.v);
    Record record{Kind::start, goes_on, at.time, 0.0, at.q, at.v, a, {}, {}, lambda, {}};
    record.states = at.auxiliary.tail(states_.count());
    record.after_short_step = start == MotionStart::after_short_step;
    records_.push(std::move(record));
    if (!projection_ || goes_on) return;
    const auto balance = system_.energy_balance_at(at.time, at.q, at.v, at.auxiliary);
    energy_ = balance->energy - balance->work;
  }
  void accept(double /*time*/, double h, ImplicitStep& step, const VectorXd& z, const StepRates& before,
              const TangentSolver* /*tangent*/) override {
    const State& at = integrator_->state();
    records_.push({Kind::step, true, at.time, h, at.q, {}, {}, z.head(nv_), step.map, step.map.second * z.tail(m_), {}},
                  before);
    Record& record = records_.last();
    if (projection_) record.energy = energy_ + net_work(at.auxiliary + h * step.auxiliary_rate());
    if (states_.count() == 0) return;
    record.states = step.auxiliary().tail(states_.count());
    if (states_.stiff() > 0) follow_states(record);
  }

  /// States of elements and contacts over a step, as ImplicitIntegrator has them.
  void follow_states(Record& record) {
    const double h = record.h, time = time_in(record);
    record.states.tail(states_.stiff()) = stiff_.offset(time), record.state_factor = stiff_.factor(time);
    record.state_memory = stiff_.memory(time);
    VectorXd q(model_.nq()), v(nv_), a(nv_), left(nv_), rate(system_.auxiliary_count());
    motion_in(record, q, v, a);
    set_states(record);
    system_.residual(time, q, v, a, {auxiliary_, 0.5 * h, record.state_factor}, left, rate);
    last_length_ = h, last_step_ = stiff_.since(time);
    record.state_beyond = (record.time + h - time) / last_step_;
    const VectorXd found = record.states.tail(states_.stiff()) + record.state_factor * rate.tail(states_.stiff());
    if (projection_) record.end_states = stiff_.at(record.time + h, time, found);
    stiff_.accept(time, found);
    touch_downs_.keep(records_.size(), time, touches_.see(time, q, v));
  }

  /// Where in a step the equation of motion is taken, and the motion there.
  double time_in(const Record& record) const { return record.time + (scheme_.midpoint ? 0.5 : 1.0) * record.h; }
  void motion_in(const Record& record, VectorXd& q, VectorXd& v, VectorXd& a) {
    const StepMap& map = record.map;
    const VectorXd& x = record.x;
    coordinates_.motion_at<double>(record.q, map.scale * x, map.rate * x + map.rate_offset,
                                   map.second * x + map.second_offset, q, v, a);
    system_.impose(time_in(record), q, v, &a);
  }
  void set_states(const Record& record) {
    if (states_.count() > 0) auxiliary_.tail(states_.count()) = record.states;
  }

  /// What is worth to the states with which a run goes on is worth to those of the last steps. Rates of the slow ones
  /// are taken anew.
  void back_over_restart(const Record& record, AdjointNumbers& numbers, const Use& use) {
    if (!record.goes_on) return;
    if (by_slow_rate_.any()) back_over_slow_rates(record, numbers, use);
    auto of_stiff = by_states_.tail(states_.stiff());
    by_states_before_ = -record.state_memory * of_stiff;
    of_stiff *= 1.0 + record.state_memory;
  }
  void back_over_slow_rates(const Record& record, AdjointNumbers& numbers, const Use& use) {
    set_states(record);
    VectorXd by_rate = VectorXd::Zero(states_.count());
    by_rate.head(states_.slow()) = by_slow_rate_;
    const VectorXd none = VectorXd::Zero(nv_), no_lambda = VectorXd::Zero(m_);
    AdjointInstant at{record.time, record.q, record.v, none, none, no_lambda};
    at.auxiliary = &auxiliary_, at.by_state_rate = &by_rate;
    use(record.time, numbers.worth(at));
    const StateAdjoint::Instant instant{record.time, record.q, record.v, none, auxiliary_, 0.0, 0.0};
    VectorXd by_q, by_v, by_start;
    states_.to_motion(instant, by_rate, by_q, by_v);
    states_.to_states(instant, none, by_rate, by_start);
    g_.q += by_q, by_states_ += by_start;
    coordinates_.velocity_adjoint(record.q, record.v, by_v, g_.q, g_.w);
    by_slow_rate_.setZero();
  }
  void take_up_constraints(State& state) override {
    Record record{Kind::impulse, true, state.time, 0.0, state.q, state.v, {}, {}, {}, {}, system_.rows()};
    system_.take_up_constraints(state);
    record.x = state.v;
    record.lambda = impulse_at(state.q).multipliers(record.v);
    records_.push(std::move(record));
    follow_constraints();
  }

  Impulse impulse_at(const VectorXd& q) {
    return Impulse(mass_matrix<double>(model_, data_, q), system_.constraint_jacobian(q));
  }

  /// Of a function of a change of motion along coordinate k: differences of order six.
  template <typename Function>
  auto slope_along(int k, const Function& function) {
    constexpr double k_step = 5e-3;  // rad, m and their rates: errors of 1e-12 for robots of such sizes
    VectorXd change = VectorXd::Zero(nv_);
    const auto at = [&](int steps) {
      change[k] = steps * k_step;
      return function(change);
    };
    const auto across = [&](int steps) { return decltype(at(0))(at(steps) - at(-steps)); };
    return decltype(at(0))((0.75 * across(1) - 0.15 * across(2) + across(3) / 60.0) / k_step);
  }

  /// M (x - v) + G^T lambda = 0, G x = 0 gives the velocity x after it from v, and rows stay as open as they are.
  void back_over_impulse(const Record& record) {
    const VectorXd& q = record.q;
    VectorXd right = VectorXd::Zero(nv_ + m_);
    right.head(nv_) = by_v_;
    const VectorXd worth = impulse_at(q).solve(right);
    by_v_ = mass_matrix<double>(model_, data_, q) * worth.head(nv_);
    g_.q += system_.constraint_jacobian(q).transpose() * by_open_;
    VectorXd moved(model_.nq());
    for (int k = 0; k < nv_; ++k) {
      g_.q[k] -= slope_along(k, [&](const VectorXd& change) {
        integrate<double>(model_, q, change, moved);
        const MatrixXd& M = mass_matrix<double>(model_, data_, moved);
        const double of_mass = worth.head(nv_).dot(M * (record.x - record.v));
        const MatrixXd& G = system_.constraint_jacobian(moved);
        return of_mass + worth.head(nv_).dot(G.transpose() * record.lambda) + worth.tail(m_).dot(G * record.x);
      });
    }
    g_.w.setZero();
    coordinates_.velocity_adjoint(q, record.v, by_v_, g_.q, g_.w);
    system_.hold_rows(record.rows);
    follow_constraints();
  }

  /// How the loops' accelerations G a + (dG/dt) v change with q and v, at a start: differences of order six.
  void acceleration_slopes(const Record& at, MatrixXd& by_q, MatrixXd& by_v) {
    by_q.setZero(m_, nv_), by_v.setZero(m_, nv_);
    VectorXd q(model_.nq()), bias(m_);
    for (int k = 0; k < nv_; ++k) {
      by_q.col(k) = slope_along(k, [&](const VectorXd& change) {
        integrate<double>(model_, at.q, change, q);
        system_.constraint_bias(q, at.v, bias);
        return VectorXd(system_.constraint_jacobian(q) * at.a + bias);
      });
      by_v.col(k) = slope_along(k, [&](const VectorXd& change) {
        system_.constraint_bias(at.q, at.v + change, bias);
        return bias;
      });
    }
  }

  /// M a + rest(q, v) + G^T lambda = A u, with the loops' accelerations zero, gives the acceleration, and with it the
  /// method its w' and A.
  void back_over_start(const Record& record, AdjointNumbers& numbers, const Use& use) {
    const VectorXd by_w_rate = g_.w_rate + g_.A;
    VectorXd by_a = VectorXd::Zero(nv_);
    by_v_.setZero();
    coordinates_.rates_adjoint(record.q, record.v, record.a, g_.w, by_w_rate, g_.q, by_v_, by_a);
    set_states(record);
    slopes_.take(record.time, record.q, record.v, record.a, {auxiliary_}, record.lambda);
    by_unknowns_.head(nv_) = by_a;
    MatrixXd loops, loops_by_q, loops_by_v;
    if (m_ > 0) {
      loops = system_.constraint_jacobian(record.q);
      by_unknowns_.tail(m_).setZero();
      acceleration_slopes(record, loops_by_q, loops_by_v);
    }
    drop_driven(system_.driven(), by_unknowns_);
    slopes_.form_masses(loops.transpose(), loops);
    slopes_.solve_transposed(by_unknowns_);
    const VectorXd force = by_unknowns_.head(nv_);
    MatrixXd of_q, of_v, of_a;
    slopes_.worth_of_motion(force, of_q, of_v, of_a);
    g_.q -= of_q.transpose();
    by_v_ -= of_v.transpose();
    if (m_ > 0) {
      g_.q -= loops_by_q.transpose() * by_unknowns_.tail(m_);
      by_v_ -= loops_by_v.transpose() * by_unknowns_.tail(m_);
    }
    const VectorXd worth_of_rows = by_unknowns_.tail(m_);
    AdjointInstant at{record.time,   record.q,      record.v, record.a,     force,
                      record.lambda, Closing::none, record.q, worth_of_rows};
    if (m_ > 0) at.closing = Closing::acceleration;
    VectorXd by_rate = VectorXd::Zero(states_.count());
    by_rate.head(states_.slow()) = by_slow_rate_;
    if (states_.count() > 0) at.auxiliary = &auxiliary_, at.by_state_rate = &by_rate;
    use(record.time, numbers.worth(at));
    if (states_.count() > 0) {
      const StateAdjoint::Instant instant{record.time, record.q, record.v, record.a, auxiliary_, 0.0, 0.0};
      VectorXd by_q, by_v, by_start;
      states_.to_motion(instant, by_rate, by_q, by_v);
      states_.to_states(instant, -force, by_rate, by_start);
      g_.q += by_q, by_v_ += by_v, by_states_ += by_start;
      by_slow_rate_.setZero();
    }
    if (projection_ && !record.goes_on) {
      follow_numbers(numbers);
      const VectorXd stiff = record.states.tail(states_.stiff());
      const auto worth = projection_->of_energy({record.time, record.q, record.v, stiff}, by_energy_);
      g_.q += worth.q, by_v_ += worth.v, by_states_.tail(states_.stiff()) += worth.states;
      by_robot_ = worth.numbers, by_energy_ = 0.0;
      if (numbers.moves_driven()) {
        use(record.time, numbers.worth_of_driven(record.time, worth.q, worth.v, VectorXd::Zero(nv_)));
      }
      use_by_robot(record.time, numbers, use);
    }
    g_.w.setZero();
    if (record.goes_on) coordinates_.velocity_adjoint(record.q, record.v, by_v_, g_.q, g_.w);
    if (record.goes_on && !scheme_.midpoint && !record.after_short_step) {
      g_.w_rate = -g_.A;  // A + (w' - w' before)
    } else {
      if (record.after_short_step && !scheme_.midpoint) passed_over_ = g_.A;
      g_.w_rate.setZero(), g_.A.setZero();
    }
  }

  void follow_numbers(AdjointNumbers& numbers) {
    projection_->follow(numbers.robot_paths());
    by_robot_.setZero(static_cast<Eigen::Index>(numbers.robot_paths().size()));
  }
  void use_by_robot(double time, AdjointNumbers& numbers, const Use& use) {
    if (by_robot_.size() == 0) return;
    VectorXd worth = VectorXd::Zero(numbers.count());
    worth.segment(model_.nu(), by_robot_.size()) = by_robot_;
    use(time, worth);
  }

  /// From the gradient by the end of a step to that by what it was before its velocity was projected. @return what the
  /// projection adds to it.
  ProjectionAdjoint::Gradient back_over_projection(const Record& record, const VectorXd& end) {
    const double h = record.h;
    const VectorXd w_rate = record.map.second * record.x + record.map.second_offset;
    const VectorXd w_start = -0.5 * h * record.map.second_offset, w_end = (2.0 / h) * record.x - w_start;
    VectorXd q(model_.nq()), before(nv_), trash(nv_);
    coordinates_.motion_at<double>(record.q, record.x, w_end, w_rate, q, before, trash);
    q = end;
    system_.impose(record.time + h, q, before);
    const ProjectionAdjoint::State at{record.time + h, end, before, record.end_states};
    const VectorXd after = projection_->projected(at, record.energy);
    VectorXd by_v = VectorXd::Zero(nv_), by_a = by_v;
    coordinates_.rates_adjoint(end, after, w_rate, g_.w, VectorXd::Zero(nv_), g_.q, by_v, by_a);
    auto worth = projection_->of_projected(at, record.energy, by_v);
    g_.q += worth.q, by_energy_ += worth.energy[0], by_robot_ += worth.numbers;
    if (states_.stiff() > 0) add_stiff(worth.states);
    g_.w.setZero();
    coordinates_.velocity_adjoint(end, before, worth.v, g_.q, g_.w);
    drop_driven_parts();
    return worth;
  }

  /// Of what a step adds to the energy that is wanted after it.
  ProjectionAdjoint::Gradient worth_of_power(const Record& record, const VectorXd& q, const VectorXd& v,
                                             const VectorXd& a) {
    const int elements = system_.layout().elements;
    VectorXd states = record.states.tail(states_.stiff()), rates(elements);
    if (elements > 0) {
      VectorXd left(nv_), all_rates(system_.auxiliary_count());
      system_.residual(time_in(record), q, v, a, {auxiliary_, 0.5 * record.h, record.state_factor}, left, all_rates);
      rates = system_.layout().elements_of(all_rates);
      states.head(elements) += record.state_factor * rates;
    }
    return projection_->of_power({time_in(record), q, v, a, states, rates, record.lambda, record.state_factor},
                                 record.h * by_energy_);
  }

  /// Of the last step: what states of sites that have touched down are worth, now and before, is worth to the motion
  /// and to numbers alone.
  void back_over_touch_downs(const std::vector<TouchDown>& touches, const StateAdjoint::Instant& instant,
                             MatrixXd& states_by_q, MatrixXd& states_by_v, AdjointNumbers& numbers, const Use& use) {
    const int sites = system_.layout().sites;
    auto worth = take_worth_of_touches(states_.site_places(), touches, by_states_.tail(sites));
    const auto before = take_worth_of_touches(states_.site_places(), touches, by_states_before_.tail(sites));
    for (std::size_t i = 0; i < worth.size(); ++i) worth[i].by_states += before[i].by_states;
    VectorXd by_q, by_v;
    states_.touches_to_motion(instant, worth, by_q, by_v);
    states_by_q += by_q.transpose(), states_by_v += by_v.transpose();
    use(instant.time, numbers.worth_of_touches(instant, worth));
    touch_downs_.drop_last();
  }

  void back_over_step(const Record& record, AdjointNumbers& numbers, const Use& use) {
    const double h = record.h, time = time_in(record);
    const StepMap& map = record.map;
    const VectorXd& x = record.x;
    const VectorXd scaled = map.scale * x, w_rate = map.second * x + map.second_offset;
    VectorXd q(model_.nq()), v(nv_), a(nv_);
    motion_in(record, q, v, a);
    set_states(record);

    // the end, by x and by the start
    VectorXd end = q;
    if (scheme_.midpoint) {
      coordinates_.configuration_at(record.q, x, end);
      VectorXd trash = v;
      system_.impose(record.time + h, end, trash);
    }
    if (projection_) {
      follow_numbers(numbers);
      const auto worth = back_over_projection(record, end);
      if (numbers.moves_driven()) {
        use(record.time + h, numbers.worth_of_driven(record.time + h, worth.q, worth.v, VectorXd::Zero(nv_)));
      }
    }
    VectorXd moved = g_.q;  // by the displacement of the end
    coordinates_.displacement_adjoint(x, end, moved);
    const double rate = scheme_.midpoint ? 2.0 / h : map.rate;
    VectorXd by_x = moved + rate * g_.w;
    if (scheme_.midpoint) {
      by_x += map.second * (g_.w_rate + g_.A);
    } else {
      by_x += map.second * g_.w_rate + 1.0 / (scheme_.beta * h * h) * g_.A;
    }

    // states = offset + factor rate follow the motion: what they are worth is worth to it
    const StateAdjoint::Instant instant{time, q, v, a, auxiliary_, 0.5 * h, record.state_factor};
    MatrixXd states_by_q = MatrixXd::Zero(1, nv_), states_by_v = states_by_q, states_by_a = states_by_q;
    const auto* touched = touch_downs_.find(records_.size());
    const bool touches_down = touched != nullptr;
    if (touches_down) back_over_touch_downs(touched->touches, instant, states_by_q, states_by_v, numbers, use);
    VectorXd by_state_rate = record.state_factor * by_states_;
    by_state_rate.head(states_.slow()) =
        (scheme_.midpoint ? h : 0.5 * h) * by_states_.head(states_.slow()) + by_slow_rate_;
    VectorXd by_lambda = VectorXd::Zero(m_), by_offset_of_power = VectorXd::Zero(states_.stiff());
    if (projection_) {
      const auto worth = worth_of_power(record, q, v, a);
      states_by_q += worth.q.transpose(), states_by_v += worth.v.transpose(), states_by_a += worth.a.transpose();
      by_lambda += worth.multipliers, by_offset_of_power += worth.states, by_robot_ += worth.numbers;
      const auto elements = worth.rates.size();
      by_state_rate.segment(states_.slow(), elements) +=
          worth.rates + record.state_factor * worth.states.head(elements);
      use_by_robot(time, numbers, use);
      if (numbers.moves_driven()) use(time, numbers.worth_of_driven(time, worth.q, worth.v, worth.a));
    }
    if (by_state_rate.any()) {
      VectorXd by_q, by_v;
      states_.to_motion(instant, by_state_rate, by_q, by_v);
      states_by_q += by_q.transpose(), states_by_v += by_v.transpose();
    }
    if (by_state_rate.any() || touches_down || projection_) {
      MatrixXd row(1, nv_);
      coordinates_.chain(scaled, w_rate, q, v, map.scale, map.rate, map.second, states_by_q, states_by_v, states_by_a,
                         row);
      by_x += row.transpose();
    }

    // f: what the solution is worth to the equations
    slopes_.take(time, q, v, a, {auxiliary_, 0.5 * h, record.state_factor}, record.lambda);
    by_unknowns_.head(nv_) = by_x;
    MatrixXd pushing, closing, rows;  // of the loops: by the end, and by its displacement
    if (m_ > 0) {
      pushing = system_.constraint_jacobian(q).transpose();
      closing = system_.constraint_jacobian(end);
      rows.resize(m_, nv_);
      coordinates_.chain(x, end, 1.0, closing, rows);
      by_unknowns_.tail(m_) = by_lambda;
    }
    drop_driven(system_.driven(), by_unknowns_);
    slopes_.form_step(scaled, w_rate, q, v, map, pushing, rows);
    slopes_.solve_transposed(by_unknowns_);
    const VectorXd force = by_unknowns_.head(nv_);
    if (m_ > 0) {
      VectorXd held = closing.transpose() * by_unknowns_.tail(m_);
      coordinates_.displacement_adjoint(x, end, held);
      moved -= held;
      by_open_ += by_unknowns_.tail(m_);
    }
    const VectorXd worth_of_rows = by_unknowns_.tail(m_);
    AdjointInstant at{time, q, v, a, force, record.lambda, Closing::none, end, worth_of_rows};
    if (m_ > 0) at.closing = Closing::position, at.closed_time = record.time + h;
    if (states_.count() > 0) {
      at.auxiliary = &auxiliary_, at.by_state_rate = &by_state_rate;
      at.factor = instant.factor, at.stiff_factor = instant.stiff_factor;
    }
    use(time, numbers.worth(at));

    // the equations by the start: its configuration, and through the offsets its rates
    MatrixXd by_q, by_v, by_a;
    slopes_.worth_of_motion(force, by_q, by_v, by_a);
    by_q -= states_by_q, by_v -= states_by_v, by_a -= states_by_a;
    if (states_.count() > 0) {
      VectorXd by_offset;
      states_.to_states(instant, -force, by_state_rate, by_offset);
      by_offset += by_states_;
      by_offset.tail(states_.stiff()) += by_offset_of_power;
      const auto of_stiff = by_offset.tail(states_.stiff());
      by_states_.head(states_.slow()) = by_offset.head(states_.slow());
      by_states_.tail(states_.stiff()) = by_states_before_ + (1.0 + record.state_memory) * of_stiff;
      by_states_before_ = -record.state_memory * of_stiff;
      by_slow_rate_ = (scheme_.midpoint ? 0.0 : 0.5 * h) * by_offset.head(states_.slow());
    }
    const auto chained = [&](double of_x, double of_w, double of_w_rate) {
      MatrixXd row(1, nv_);
      coordinates_.chain(scaled, w_rate, q, v, of_x, of_w, of_w_rate, by_q, by_v, by_a, row);
      return VectorXd(row.transpose());
    };
    VectorXd placed = chained(1.0, 0.0, 0.0);
    coordinates_.start_adjoint(record.q, scaled, placed);
    coordinates_.start_adjoint(record.q, x, moved);
    g_.q = moved - placed;
    const VectorXd by_second = (scheme_.midpoint ? g_.w_rate + g_.A : g_.w_rate) - chained(0.0, 0.0, 1.0);
    if (scheme_.midpoint) {
      g_.w = -g_.w - (2.0 / h) * by_second;
      g_.w_rate.setZero(), g_.A.setZero();
      return;
    }
    back_over_offsets(h, g_.w - chained(0.0, 1.0, 0.0), by_second);
  }

  /// StepMap::set and next_acceleration, backwards: from the gradients by the offsets and the next A to those by the
  /// start's w, w' and A.
  void back_over_offsets(double h, const VectorXd& by_rate, const VectorXd& by_second) {
    const double b = 1.0 / (scheme_.beta * h * h), c = 0.5 / scheme_.beta - 1.0, f = 1.0 / (1.0 - scheme_.alpha_f);
    // by the A that x = 0 would give
    const VectorXd by_history = h * scheme_.gamma * by_rate + (1.0 - scheme_.alpha_m) * f * by_second + g_.A;
    g_.w = by_rate - h * b * by_history;
    g_.A = h * (1.0 - scheme_.gamma) * by_rate + scheme_.alpha_m * f * by_second - c * by_history;
    g_.w_rate = -scheme_.alpha_f * f * by_second;
    if (passed_over_.size() == 0) return;
    g_.A += passed_over_, g_.w_rate -= passed_over_;
    passed_over_.resize(0);
  }

  RobotSystem& system_;
  const Model& model_;
  Data data_;
  ImplicitScheme scheme_;
  std::unique_ptr<Integrator> integrator_;
  StepCoordinates coordinates_;
  EquationSlopes slopes_;
  int nv_, m_ = 0;  ///< coordinates, and rows of loops
  StateAdjoint states_;
  VectorXd auxiliary_;  ///< states that feed back, behind works, which do not act on the motion
  StiffStatesT<double> stiff_;
  TouchWatch touches_;
  TouchRecords touch_downs_;
  double last_step_ = 0.0, last_length_ = 0.0;   ///< of the last step: between the times of its states, and its own
  VectorXd by_states_;                           ///< by the states of the last step
  VectorXd by_states_before_;                    ///< by those of elements and contacts of the step before
  VectorXd by_slow_rate_;                        ///< by the rates of the slow ones, with which a step begins
  std::optional<ProjectionAdjoint> projection_;  ///< of energy_conserving
  double energy_ = 0.0;                          ///< at the start, less the works until then [J]
  double by_energy_ = 0.0;                       ///< by what the projection wants
  VectorXd by_robot_;                            ///< by numbers of the robot, through projections
  StepRecords records_;
  StepGradient g_;
  VectorXd by_v_, by_unknowns_;
  VectorXd passed_over_;  ///< by the A with which a short step begins, beside what that step makes of it; empty: none
  VectorXd by_open_;      ///< by what held rows stay open by
};

}  // namespace

std::unique_ptr<AdjointRun> make_adjoint_implicit(RobotSystem& system, const ImplicitScheme& scheme,
                                                  const IntegratorOptions& options) {
  return std::make_unique<AdjointImplicit>(system, scheme, options);
}

}  // namespace cuttle
