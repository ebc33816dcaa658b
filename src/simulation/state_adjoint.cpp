#include "simulation/state_adjoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "algorithms/acting_forces.h"
#include "algorithms/forward_numbers.h"
#include "control/control_loop.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/error.h"

namespace cuttle {

struct StateAdjoint::Memory {
  explicit Memory(RobotSystem& system)
      : variable(system.model().robot().cast<ForwardDual>()),
        equation(variable, timed_wrenches(variable), system.layout().without_works(), {}, &system.model()),
        u(system.model().nu()) {
    const int nv = variable.nv(), states = equation.layout().size();
    q.resize(variable.nq()), change.setZero(nv), rate.setZero(states), residual.setZero(nv);
    plain_rate.setZero(system.auxiliary_count()), plain_residual.setZero(nv);
  }
  ModelT<ForwardDual> variable;
  ActingForces equation;
  VectorXT<ForwardDual> q, v, a, u_dual, change, offset, rate, residual;
  ForwardDual work;  ///< the part of weights . r that follows states and inputs
  VectorXd u, plain_rate, plain_residual;
};

StateAdjoint::StateAdjoint(RobotSystem& system)
    : system_(system),
      layout_(system.layout().without_works()),
      stiff_(layout_.stiff()),
      own_(layout_.integrals + stiff_),
      elements_take_inputs_(std::any_of(system.model().elements().begin(), system.model().elements().end(),
                                        [](const auto& element) { return element.law->input_count() > 0; })),
      data_(system.model()),
      u_(system.model().nu()) {
  for (const Element& element : system.model().robot().elements) {
    if (element.law->state_count() + element.law->input_count() == 0) continue;
    if (element.law->clone_as(ScalarTag<ForwardDual>{})) continue;
    throw ArgumentError(
        fmt::format("elements: found '{}', whose law '{}' has states or inputs and exists for double alone, expected "
                    "one with a cast: others have no adjoint",
                    element.name, element.law->type_name()));
  }
  if (own_ > 0 || elements_take_inputs_) memory_ = std::make_unique<Memory>(system);
}
StateAdjoint::~StateAdjoint() = default;

const VectorXd& StateAdjoint::act(const Instant& at) {
  q_ = at.q;
  normalize<double>(system_.model(), q_);
  const double time = system_.signal_time(at.time);
  system_.signals(time, signals_);
  u_ = signals_;
  system_.control().add_inputs({time, q_, at.v, at.offset, at.factor, at.stiff_factor}, u_);
  return signals_;
}

template <typename Use>
void StateAdjoint::along(const Instant& at, const std::vector<int>& directions, const VectorXd* weights,
                         const Use& use) {
  Memory& m = *memory_;
  const int nv = m.variable.nv();
  act(at);
  m.u = u_;
  clip_slack<double>(system_.model(), m.u);
  const double time = system_.signal_time(at.time);
  m.a = at.a.cast<ForwardDual>();
  const VectorXT<ForwardDual> q = at.q.cast<ForwardDual>(), v = at.v.cast<ForwardDual>(),
                              offset = system_.layout().feeding_back_of(at.offset).cast<ForwardDual>();
  for (std::size_t done = 0; done < directions.size(); done += k_forward_width) {
    const std::size_t count = std::min<std::size_t>(k_forward_width, directions.size() - done);
    m.change.setZero(), m.v = v, m.offset = offset, m.u_dual = m.u.cast<ForwardDual>();
    for (std::size_t k = 0; k < count; ++k) {
      const int direction = directions[done + k];
      ForwardDual& number = direction < nv              ? m.change[direction]
                            : direction < 2 * nv        ? m.v[direction - nv]
                            : direction < 2 * nv + own_ ? m.offset[place(direction - 2 * nv)]
                                                        : m.u_dual[direction - 2 * nv - own_];
      number.derivative[k] = 1.0;
    }
    integrate<ForwardDual>(m.variable, q, m.change, m.q);
    const ActingForces::Instant instant{time, m.q, m.v, m.u_dual, m.offset, at.factor, at.stiff_factor};
    if (weights != nullptr) {
      m.work = m.equation.work(instant, m.a, *weights, true, m.rate);
    } else {
      m.equation.residual(instant, m.a, m.residual, m.rate);
    }
    for (std::size_t k = 0; k < count; ++k) use(directions[done + k], k);
  }
}

double StateAdjoint::worth_along(const VectorXd& by_rate, std::size_t k) const {
  double worth = 0.0;
  for (int i = 0; i < own_; ++i) worth += by_rate[place(i)] * memory_->rate[place(i)].derivative[k];
  return worth;
}

void StateAdjoint::to_motion(const Instant& at, const VectorXd& by_rate, VectorXd& by_q, VectorXd& by_v) {
  const int nv = system_.model().nv();
  by_q.setZero(nv), by_v.setZero(nv);
  const VectorXd of_controllers = layout_.controllers_of(by_rate);
  if (of_controllers.any()) {
    act(at);
    const ControlLoop::Instant instant{system_.signal_time(at.time), q_, at.v, at.offset, at.factor, at.stiff_factor};
    system_.control().rate_slopes(instant, rates_by_q_, rates_by_v_);
    by_q += rates_by_q_.transpose() * of_controllers, by_v += rates_by_v_.transpose() * of_controllers;
  }
  if (!layout_.integrals_of(by_rate).any() && !by_rate.tail(stiff_).any()) return;
  std::vector<int> directions(2 * static_cast<std::size_t>(nv));
  std::iota(directions.begin(), directions.end(), 0);
  const VectorXd nothing = VectorXd::Zero(nv);
  along(at, directions, &nothing, [&](int direction, std::size_t k) {
    (direction < nv ? by_q[direction] : by_v[direction - nv]) += worth_along(by_rate, k);
  });
  if (!elements_take_inputs_ || system_.control().empty()) return;
  // controllers may move the inputs that these rates follow
  VectorXd rates_alone = by_rate;
  layout_.controllers_of(rates_alone).setZero();
  const VectorXd by_inputs = before_slack(to_inputs(at, VectorXd::Zero(nv), rates_alone));
  const ControlLoop::Instant instant{system_.signal_time(at.time), q_, at.v, at.offset, at.factor, at.stiff_factor};
  system_.control().slopes(instant, rates_by_q_, rates_by_v_);
  by_q += rates_by_q_.transpose() * by_inputs, by_v += rates_by_v_.transpose() * by_inputs;
}

void StateAdjoint::touches_to_motion(const Instant& at, const std::vector<WorthOfTouch>& touches, VectorXd& by_q,
                                     VectorXd& by_v) {
  const int nv = system_.model().nv();
  by_q.setZero(nv), by_v.setZero(nv);
  std::vector<int> directions(2 * static_cast<std::size_t>(nv));
  std::iota(directions.begin(), directions.end(), 0);
  const VectorXd nothing = VectorXd::Zero(nv);
  along(at, directions, &nothing, [&](int direction, std::size_t k) {
    double& worth = direction < nv ? by_q[direction] : by_v[direction - nv];
    for (const WorthOfTouch& touch : touches) {
      worth += touch.along(begun_states(*memory_->equation.sites(), touch.touch, at.time), static_cast<int>(k));
    }
  });
}

const std::vector<SitePlace>& StateAdjoint::site_places() const { return memory_->equation.sites()->places(); }

void StateAdjoint::to_states(const Instant& at, const VectorXd& by_residual, const VectorXd& by_rate,
                             VectorXd& by_offset) {
  const int nv = system_.model().nv(), first = system_.auxiliary_count() - stiff_;
  by_offset.setZero(count());
  if (own_ > 0) {
    along(at, states_at_work(at), &by_residual, [&](int direction, std::size_t k) {
      by_offset[place(direction - 2 * nv)] += worth_along(by_rate, k) + memory_->work.derivative[k];
    });
  }
  if (system_.control().empty()) return;
  const VectorXd by_inputs = before_slack(to_inputs(at, by_residual, by_rate));
  const VectorXd signals = act(at);
  const ControlLoop::Instant instant{system_.signal_time(at.time), q_, at.v, at.offset, at.factor, at.stiff_factor};
  const auto rests = [&](int state) { return state >= first && system_.is_idle(state); };
  by_offset += system_.layout().feeding_back_of(
      system_.control().worth_of_states(instant, signals, by_inputs, layout_.controllers_of(by_rate), rests));
}

VectorXd StateAdjoint::to_inputs(const Instant& at, const VectorXd& by_residual, const VectorXd& by_rate) {
  act(at);
  const int nv = system_.model().nv(), nu = system_.model().nu();
  if (!elements_take_inputs_) return -actuation_matrix<double>(system_.model(), data_, q_).transpose() * by_residual;
  std::vector<int> directions(static_cast<std::size_t>(nu));
  std::iota(directions.begin(), directions.end(), 2 * nv + own_);
  VectorXd worth = VectorXd::Zero(nu);
  along(at, directions, &by_residual, [&](int direction, std::size_t k) {
    worth[direction - 2 * nv - own_] += worth_along(by_rate, k) + memory_->work.derivative[k];
  });
  return worth;
}

StateAdjoint::InputSlopes StateAdjoint::input_slopes(const Instant& at) {
  act(at);
  const int nv = system_.model().nv(), nu = system_.model().nu();
  InputSlopes slopes{MatrixXd::Zero(nv, nu), MatrixXd::Zero(stiff_, nu)};
  if (!elements_take_inputs_) {
    slopes.forces = actuation_matrix<double>(system_.model(), data_, q_);
    return slopes;
  }
  std::vector<int> directions(static_cast<std::size_t>(nu));
  std::iota(directions.begin(), directions.end(), 2 * nv + own_);
  along(at, directions, nullptr, [&](int direction, std::size_t k) {
    const int input = direction - 2 * nv - own_;
    const auto rates = memory_->rate.tail(stiff_);
    for (int i = 0; i < nv; ++i) slopes.forces(i, input) = -memory_->residual[i].derivative[k];
    for (int i = 0; i < stiff_; ++i) slopes.rates(i, input) = rates[i].derivative[k];
  });
  return slopes;
}

StateAdjoint::StateSlopes StateAdjoint::state_slopes(const Instant& at) {
  const int nv = system_.model().nv();
  StateSlopes slopes{MatrixXd::Zero(nv, count()), MatrixXd::Zero(count(), nv), MatrixXd::Zero(count(), nv),
                     MatrixXd::Zero(count(), count())};
  if (own_ > 0) add_own_slopes(at, slopes);
  if (system_.control().empty()) return slopes;
  InputSlopes by_inputs = input_slopes(at);
  const VectorXd signals = act(at);
  drop_slack(by_inputs.forces), drop_slack(by_inputs.rates);
  const ControlLoop::Instant instant{system_.signal_time(at.time), q_, at.v, at.offset, at.factor, at.stiff_factor};
  if (elements_take_inputs_) {
    system_.control().slopes(instant, rates_by_q_, rates_by_v_);
    slopes.by_q.bottomRows(stiff_) += by_inputs.rates * rates_by_q_;
    slopes.by_v.bottomRows(stiff_) += by_inputs.rates * rates_by_v_;
  }
  system_.control().rate_slopes(instant, rates_by_q_, rates_by_v_);
  slopes.by_q.middleRows(layout_.integrals, layout_.controllers) = rates_by_q_;
  slopes.by_v.middleRows(layout_.integrals, layout_.controllers) = rates_by_v_;
  MatrixXd of_inputs, of_rates;
  system_.control().state_slopes(instant, signals, of_inputs, of_rates);
  slopes.forces += by_inputs.forces * of_inputs;
  slopes.by_state.middleRows(layout_.integrals, layout_.controllers) += of_rates;
  slopes.by_state.bottomRows(stiff_) += by_inputs.rates * of_inputs;
  return slopes;
}

void StateAdjoint::add_own_slopes(const Instant& at, StateSlopes& slopes) {
  Memory& m = *memory_;
  const int nv = system_.model().nv();
  along(at, states_at_work(at), nullptr, [&](int direction, std::size_t k) {
    const int state = place(direction - 2 * nv);
    for (int i = 0; i < nv; ++i) slopes.forces(i, state) = -m.residual[i].derivative[k];
    for (int i = 0; i < own_; ++i) slopes.by_state(place(i), state) = m.rate[place(i)].derivative[k];
  });
  std::vector<int> directions(2 * static_cast<std::size_t>(nv));
  std::iota(directions.begin(), directions.end(), 0);
  const VectorXd nothing = VectorXd::Zero(nv);
  along(at, directions, &nothing, [&](int direction, std::size_t k) {
    auto column = direction < nv ? slopes.by_q.col(direction) : slopes.by_v.col(direction - nv);
    for (int i = 0; i < own_; ++i) column[place(i)] = m.rate[place(i)].derivative[k];
  });
}

std::vector<int> StateAdjoint::states_at_work(const Instant& at) {
  Memory& m = *memory_;
  const int nv = system_.model().nv(), first = system_.auxiliary_count() - stiff_;
  std::vector<int> directions(static_cast<std::size_t>(layout_.integrals));
  std::iota(directions.begin(), directions.end(), 2 * nv);
  if (stiff_ == 0) return directions;
  system_.residual(at.time, at.q, at.v, at.a, {at.offset, at.factor, at.stiff_factor}, m.plain_residual, m.plain_rate);
  for (int k = 0; k < stiff_; ++k) {
    if (!system_.is_idle(first + k)) directions.push_back(2 * nv + layout_.integrals + k);
  }
  return directions;
}

void StateAdjoint::drop_slack(MatrixXd& by_inputs) const {
  for (const auto& tendon : system_.model().tendons()) {
    if (tendon.slack == Slack::clip && u_[tendon.input] < 0.0) by_inputs.col(tendon.input).setZero();
  }
}

VectorXd StateAdjoint::before_slack(VectorXd by_inputs) const {
  for (const auto& tendon : system_.model().tendons()) {
    if (tendon.slack == Slack::clip && u_[tendon.input] < 0.0) by_inputs[tendon.input] = 0.0;
  }
  return by_inputs;
}

}  // namespace cuttle
