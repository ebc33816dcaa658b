#include "cuttle/simulation/robot_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "algorithms/robot_states.h"
#include "control/control_loop.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/loop_closure.h"
#include "simulation/diagnosis.h"
#include "simulation/prescribed_motion.h"
#include "simulation/robot_senses.h"

namespace cuttle {
namespace {

/// How inputs change with the motion, nu x nv each; null without controllers.
struct InputSlopesByMotion {
  const MatrixXd *by_q = nullptr, *by_v = nullptr;
};
/// Of an instant whose inputs were the controllers' last; the matrices are for these.
InputSlopesByMotion control_slopes(ControlLoop& control, const EquationOfMotion::Instant& at, const VectorXd& q,
                                   const VectorXd& v, MatrixXd& by_q, MatrixXd& by_v) {
  if (control.empty()) return {};
  control.slopes({at.time, q, v, at.states, at.factor, at.stiff_factor}, by_q, by_v);
  return {&by_q, &by_v};
}

}  // namespace

RobotSystem::RobotSystem(const Model& model, Setup setup)
    : balances_power_(std::all_of(model.robot().links.begin(), model.robot().links.end(),
                                  [](const Link& link) { return !link.body || link.body->balances_power(); })),
      control_(std::make_unique<ControlLoop>(model, setup.controllers, setup.seed)),
      equation_(model, control_->layout(), std::move(setup.rows), std::move(setup.pushes)),
      motion_(std::move(setup.motion)),
      first_(-std::numeric_limits<double>::infinity()),
      last_(std::numeric_limits<double>::infinity()),
      inputs_(std::move(setup.inputs)),
      held_(VectorXd::Zero(model.nu())),
      q_(model.nq()),
      v_(model.nv()),
      u_(model.nu()),
      no_inputs_(VectorXd::Zero(model.nu())) {
  if (!motion_) return;
  DrivenJoints& driven = equation_.driven();
  driven.driven.assign(static_cast<std::size_t>(model.nv()), 0);
  for (const int k : motion_->coordinates()) driven.driven[static_cast<std::size_t>(k)] = 1;
  driven.a.setZero(model.nv()), driven.effort.setZero(model.nv());
}
RobotSystem::~RobotSystem() = default;

VectorXd RobotSystem::with_controllers(const VectorXd& robot_states) const {
  VectorXd states(layout().size());
  copy_robot_states(layout().of_robot(), robot_states, layout(), states);
  control_->start(layout().controllers_of(states));
  return states;
}

void RobotSystem::begin_in_balance(State& state) {
  if (equation_.sites() == nullptr) return;
  sample(state.time, state);  // laws with a clock act from here on
  const VectorXd before = state.auxiliary;
  if (motion_) impose(state.time, state.q, state.v, &equation_.driven().a);
  equation_.begin_in_balance(instant(state.time, state.q, state.v, {before}), state.auxiliary);
}

double RobotSystem::signal_time(double time) const { return std::clamp(time, first_, last_); }

void RobotSystem::confine(double begin, double end) {
  first_ = begin;
  last_ = std::max(begin, std::nextafter(end, begin));
}

void RobotSystem::enter(double begin, double end, const State& state) {
  confine(begin, end);
  sample(begin, state);
}

namespace {

/// Adds what is in the future.
void add_times(const std::vector<double>& found, std::vector<double>& times) {
  std::copy_if(found.begin(), found.end(), std::back_inserter(times), [](double time) { return time > 0.0; });
}

void sort_once(std::vector<double>& times) {
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
}

}  // namespace

std::vector<double> RobotSystem::discontinuities(double until) const {
  std::vector<double> times = jumps(until);
  for (const Signal& signal : inputs_) add_times(signal.discontinuities(), times);
  sort_once(times);
  return times;
}

std::vector<double> RobotSystem::jumps(double until) const {
  std::vector<double> times;
  for (const Signal& signal : inputs_) {
    if (signal.bends().empty()) add_times(signal.discontinuities(), times);
  }
  for (const Load& given : model().robot().loads) add_times(given.law->discontinuities(), times);
  for (const auto& element : model().elements()) add_times(element.law->discontinuities(), times);
  if (motion_) add_times(motion_->discontinuities(), times);
  control_->add_discontinuities(until, times);
  sort_once(times);
  return times;
}

void RobotSystem::signals(double time, VectorXd& u) const {
  u = held_;
  for (std::size_t i = 0; i < inputs_.size(); ++i) u[static_cast<Eigen::Index>(i)] += inputs_[i].at(time);
}

void RobotSystem::act(double time, const VectorXd& q, const VectorXd& v, const AuxiliaryStates& auxiliary,
                      VectorXd& u) {
  signals(time, u);
  control_->add_inputs({time, q, v, auxiliary.offset, auxiliary.factor, auxiliary.stiff_factor}, u);
  try {
    apply_slack<double>(model(), u);
  } catch (const ArgumentError& error) {
    throw SimulationError(fmt::format("at t = {:.9g} s: {}", time, error.what()));
  }
}

void RobotSystem::inputs(double time, const VectorXd& q, const VectorXd& v, const VectorXd& auxiliary, VectorXd& u) {
  // a state at a jump may have a time that is rounded to before it
  act(std::max(time, first_), q, v, {auxiliary}, u);
}

void RobotSystem::input_slopes(double time, const VectorXd& q, const VectorXd& v, const AuxiliaryStates& auxiliary,
                               MatrixXd& by_signals, MatrixXd& by_held) {
  const double at = signal_time(time);
  signals(at, u_);
  if (!control_->empty()) {
    const ControlLoop::Instant instant{at, q, v, auxiliary.offset, auxiliary.factor, auxiliary.stiff_factor};
    control_->add_inputs(instant, u_);
    control_->input_slopes(instant, by_signals, by_held);
    return;
  }
  by_signals.setIdentity(u_.size(), u_.size()), by_held.resize(u_.size(), 0);
  for (const auto& tendon : model().tendons()) {
    if (tendon.slack == Slack::clip && u_[tendon.input] < 0.0) by_signals(tendon.input, tendon.input) = 0.0;
  }
}

void RobotSystem::actuation(const VectorInT<double>& q, VectorOutT<double> y) {
  y = actuation_coordinates<double>(model(), equation_.data(), q);
}

EquationOfMotion::Instant RobotSystem::instant(double time, VectorInT<double> q, VectorInT<double> v,
                                               const AuxiliaryStates& auxiliary) {
  q_ = q, v_ = v;
  normalize<double>(model(), q_);  // trial states of the integrators leave the manifold by their tolerance
  const double at = signal_time(time);
  if (model().nu() > 0 || !control_->empty()) act(at, q_, v_, auxiliary, u_);
  return {at, q_, v_, u_, auxiliary.offset, auxiliary.factor, auxiliary.stiff_factor};
}

void RobotSystem::rates(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> auxiliary,
                        VectorOutT<double> a, VectorOutT<double> auxiliary_rate) {
  if (heartbeat) heartbeat(time);
  auxiliary_ = auxiliary;
  if (motion_) {
    driven_q_ = q, driven_v_ = v;
    impose(time, driven_q_, driven_v_, &equation_.driven().a);
    require_finite(model(), driven_q_, driven_v_);
    equation_.rates(instant(time, driven_q_, driven_v_, {auxiliary_}), a, auxiliary_rate);
  } else {
    require_finite(model(), q, v);
    equation_.rates(instant(time, q, v, {auxiliary_}), a, auxiliary_rate);
  }
  layout().controllers_of(auxiliary_rate) = control_->rates();
}

void RobotSystem::residual(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> a,
                           const AuxiliaryStates& auxiliary, VectorOutT<double> r, VectorOutT<double> auxiliary_rate) {
  if (heartbeat) heartbeat(time);
  require_finite(model(), q, v);
  const EquationOfMotion::Instant at = instant(time, q, v, auxiliary);
  layout().controllers_of(auxiliary_rate) = control_->rates();
  equation_.residual(at, a, r, auxiliary_rate);
}

const DerivativeData& RobotSystem::residual_derivatives(double time, VectorInT<double> q, VectorInT<double> v,
                                                        VectorInT<double> a, const AuxiliaryStates& auxiliary,
                                                        VectorInT<double> lambda) {
  const EquationOfMotion::Instant at = instant(time, q, v, auxiliary);
  const auto [by_q, by_v] = control_slopes(*control_, at, q_, v_, control_by_q_, control_by_v_);
  return equation_.residual_derivatives(at, a, lambda, by_q, by_v);
}

bool RobotSystem::follows_tree() const { return !keeps_to_matrices_ && equation_.follows_tree(!control_->empty()); }

TreeDerivatives& RobotSystem::residual_along_tree(double time, VectorInT<double> q, VectorInT<double> v,
                                                  VectorInT<double> a, const AuxiliaryStates& auxiliary,
                                                  VectorInT<double> lambda) {
  const EquationOfMotion::Instant at = instant(time, q, v, auxiliary);
  const auto [by_q, by_v] = control_slopes(*control_, at, q_, v_, control_by_q_, control_by_v_);
  return equation_.residual_along_tree(at, a, lambda, by_q, by_v);
}

void RobotSystem::constraints(VectorInT<double> q, VectorOutT<double> phi) {
  phi = equation_.rows().residual(equation_.data(), q);
}

const MatrixXd& RobotSystem::constraint_jacobian(VectorInT<double> q) {
  return equation_.rows().jacobian(equation_.data(), q);
}

void RobotSystem::constraint_bias(VectorInT<double> q, VectorInT<double> v, VectorOutT<double> bias) {
  bias = equation_.rows().bias(equation_.data(), q, v);
}

void RobotSystem::spread_multipliers(VectorInT<double> lambda, VectorXd& all) { all = equation_.rows().spread(lambda); }

std::optional<double> RobotSystem::appeared_constraints(VectorInT<double> q) {
  if (rows().dropped.empty()) return std::nullopt;
  return appeared_rows(model(), equation_.data(), equation_.rows().data(), rows(), q);
}

void RobotSystem::take_up_constraints(State& state) {
  Data& data = equation_.data();
  ConstraintData& constraints = equation_.rows().data();
  const std::vector<int> before = rows().kept;
  hold_rows(rows_with_appeared(model(), data, constraints, rows(), state.q));
  const double kinetic = kinetic_energy<double>(model(), data, state.q, state.v);
  const VectorXd v = state.v;
  close_velocities(model(), data, constraints, rows(), state.q, state.v, equation_.driven().driven);
  const double lost = kinetic - kinetic_energy<double>(model(), data, state.q, state.v);
  layout().works_of(state.auxiliary)[dissipated] += lost;
  std::string names;
  for (const int row : rows().kept) {
    if (std::binary_search(before.begin(), before.end(), row)) continue;
    names += (names.empty() ? "" : ", ") + model().constraint_info()[static_cast<std::size_t>(row)].name;
  }
  for (const int k : driven()) {
    if (std::abs(state.v[k] - v[k]) <= 1e-9 * (1.0 + std::abs(v[k]))) continue;
    throw SimulationError(
        fmt::format("loops: rows that no longer follow from the others would stop the driven motion of {}: {}",
                    velocity_label(model(), k), names));
  }
  taken_up_.push_back(fmt::format(
      "t = {:.9g} s: the loops were closed in a singular place; held from here on, as they no longer follow "
      "from the other rows: {}; the impulse that stops their opening takes {:.3g} J",
      state.time, names, lost));
}

void RobotSystem::require_closed_loops(double time, VectorInT<double> q) {
  const std::string opened = opened_loop(q);
  if (!opened.empty()) throw SimulationError(fmt::format("t = {:.9g} s: {}", time, opened));
}

std::optional<EnergyBalance> RobotSystem::energy_balance(VectorInT<double> q, VectorInT<double> v,
                                                         VectorInT<double> auxiliary) {
  return energy_balance_at(0.0, q, v, auxiliary);
}

std::optional<EnergyBalance> RobotSystem::energy_balance_at(double time, VectorInT<double> q, VectorInT<double> v,
                                                            VectorInT<double> auxiliary) {
  if (!balances_power_) return std::nullopt;
  q_ = q;
  normalize<double>(model(), q_);
  // energy is a function of the motion, transmissions, states and obstacles alone
  const double at = equation_.sites() != nullptr ? signal_time(time) : 0.0;
  const RobotEnergy found = equation_.energy({at, q_, v, no_inputs_, auxiliary});
  EnergyBalance balance;
  balance.kinetic = found.kinetic, balance.gravity = found.gravity, balance.elastic = found.elastic;
  balance.contacts = found.contacts;
  balance.energy = balance.kinetic + balance.gravity + balance.elastic + balance.contacts;
  const auto works = layout().works_of(auxiliary);
  balance.dissipated = works[dissipated], balance.input = works[input], balance.load = works[load];
  balance.work = balance.input + balance.load - balance.dissipated;
  return balance;
}

double RobotSystem::longest_step(double time, VectorInT<double> q, VectorInT<double> v) {
  if (equation_.sites() == nullptr) return std::numeric_limits<double>::infinity();
  q_ = q;
  normalize<double>(model(), q_);
  return equation_.longest_step(signal_time(time), q_, v);
}

std::string RobotSystem::trouble_at(double time, VectorInT<double> q, VectorInT<double> v) {
  if (equation_.sites() == nullptr) return "";
  q_ = q;
  normalize<double>(model(), q_);
  return equation_.trouble_at(signal_time(time), q_, v);
}

bool RobotSystem::is_idle(int auxiliary) {
  if (auxiliary < layout().works) return true;
  const int state = auxiliary - (layout().size() - layout().sites);
  return state >= 0 && !equation_.sites()->acts(state);
}

std::span<const int> RobotSystem::driven() const {
  return motion_ ? std::span<const int>(motion_->coordinates()) : std::span<const int>();
}

void RobotSystem::impose(double time, VectorXd& q, VectorXd& v, VectorXd* a) const {
  if (motion_) motion_->impose(signal_time(time), q, v, a);
}

void RobotSystem::book_efforts(VectorInT<double> effort, VectorInT<double> v, VectorOutT<double> auxiliary_rate) {
  auxiliary_rate[load] += effort.dot(v);
}

std::vector<ControllerSetPoint> RobotSystem::set_points() const { return control_->set_points(); }
void RobotSystem::move_set_point(int controller, int index, double value) {
  control_->move_set_point(controller, index, value);
}

RobotSenses& RobotSystem::senses() {
  if (!senses_) senses_ = std::make_unique<RobotSenses>(model());
  return *senses_;
}

void RobotSystem::sample(double time, const State& state) {
  if (control_->empty()) return;
  q_ = state.q;
  normalize<double>(model(), q_);
  const VectorXd* sensors = nullptr;
  if (!model().robot().sensors.empty()) {
    State now = state;
    now.time = time;
    signals(time, u_);
    control_->add_inputs({time, q_, state.v, state.auxiliary}, u_);  // what is held until now
    clip_slack<double>(model(), u_);
    sensors = &senses().read(equation_, motion_.get(), now, u_);
  }
  signals(time, u_);
  control_->sample({time, q_, state.v, state.auxiliary}, sensors, heartbeat, u_);
}

ReachedState RobotSystem::evaluate(const State& state) {
  reached_.resize(model().nu());
  inputs(state.time, state.q, state.v, state.auxiliary, reached_);
  return {*this, state};
}

const VectorXd& ReachedState::inputs() const { return system_.reached_; }

void ReachedState::record_controllers(VectorXd& numbers) const {
  system_.control_->record({state_.time, state_.q, state_.v, state_.auxiliary}, numbers);
}

const VectorXd& ReachedState::sensors() const {
  return system_.senses().read(system_.equation_, system_.motion_.get(), state_, system_.reached_);
}

const VectorXd& ReachedState::motion_efforts() const {
  return system_.senses().motion_efforts(system_.equation_, system_.motion_.get(), state_, system_.reached_);
}

const ElementData& ReachedState::elements() const {
  system_.q_ = state_.q;
  normalize<double>(system_.model(), system_.q_);
  return system_.equation_.elements({state_.time, system_.q_, state_.v, system_.reached_, state_.auxiliary});
}

}  // namespace cuttle
