#include "cuttle/simulation/robot_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "algorithms/element_slopes.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/state_loads.h"
#include "simulation/diagnosis.h"
#include "simulation/robot_system_impl.h"

namespace cuttle {

template class RobotSystemT<double>;

RobotSystem::RobotSystem(const Model& model, std::vector<Signal> inputs, ConstraintRows rows, StateLoads perturbations)
    : Engine(model, {&model.robot().loads}, Accounts::work, std::move(perturbations)),
      balances_power_(std::all_of(model.robot().links.begin(), model.robot().links.end(),
                                  [](const Link& link) { return !link.body || link.body->balances_power(); })),
      integrals_(integral_count_),
      integral_rates_(integral_count_),
      rows_(std::move(rows)) {
  set_inputs(std::move(inputs));
  if (!model.loops().empty()) constraints_.emplace(model);
  jacobian_.resize(constraint_count(), model.nv());
}
RobotSystem::~RobotSystem() = default;

VectorXd RobotSystem::start_of_extra(const Model& model) {
  const int works_and_integrals = k_account_count + load_integral_count(model);
  VectorXd extra(works_and_integrals + model.element_start().size());
  extra << VectorXd::Zero(works_and_integrals), model.element_start();
  return extra;
}

std::vector<double> RobotSystem::discontinuities() const {
  std::vector<double> times;
  const auto add = [&times](const Signal& signal) {
    for (const double time : signal.discontinuities()) {
      if (time > 0.0) times.push_back(time);
    }
  };
  for (const Signal& signal : inputs_) add(signal);
  for (const Load& given : model_->robot().loads) {
    for (const Signal& signal : given.signals()) add(signal);
  }
  for (const auto& element : model_->elements()) {
    for (const double time : element.law->discontinuities()) {
      if (time > 0.0) times.push_back(time);
    }
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

void RobotSystem::enter(double begin, double end) {
  first_ = begin;
  last_ = std::max(begin, std::nextafter(end, begin));
}

void RobotSystem::inputs(double time, VectorOutT<double> u) const {
  if (!Engine::inputs(time, u)) return;
  try {
    apply_slack<double>(*model_, u);  // names the tendon
  } catch (const ArgumentError& error) {
    throw SimulationError(fmt::format("at t = {:.9g} s: {}", time, error.what()));
  }
}

void RobotSystem::actuation(const VectorInT<double>& q, VectorOutT<double> y) {
  y = actuation_coordinates<double>(*model_, data_, q);
}

void RobotSystem::begin(double time, VectorInT<double> q, VectorInT<double> v) {
  if (heartbeat) heartbeat(time);
  require_finite(*model_, q, v);
  if (read_signals(time, q)) inputs(signal_time(time), u_);  // throws
}

void RobotSystem::rates(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> extra,
                        VectorOutT<double> a, VectorOutT<double> extra_rate) {
  begin(time, q, v);
  Engine::rates(time, v, extra, a, extra_rate);
}

struct RobotSystem::Derivatives {
  Derivatives(const Model& model, std::size_t state_loads)
      : dynamics(model),
        frame(model),
        loads(state_loads),
        external(load_wrench_count(model) + state_loads + 2 * model.loops().size()),
        change(6, model.nv()),
        elements(model) {}
  DerivativeData dynamics;
  FrameDerivatives frame;
  std::vector<StateLoadDerivativeT<double>> loads;
  std::vector<ExternalWrench> external;
  MatrixXd change;
  ElementSlopes elements;
};

void RobotSystem::solve_extra(double time, VectorInT<double> v, const KinematicsT<double>* kinematics,
                              const ExtraStates& extra) {
  integrals_ = extra.offset.segment(k_account_count, integral_count_);
  if (integral_count_ > 0) {  // their rates do not depend on them
    state_load_rates<double>(*model_, state_loads(), *kinematics, signal_time(time), integral_rates_);
    integrals_ += extra.factor * integral_rates_;
  }
  if (model_->elements().empty()) return;
  element_motion<double>(*model_, data_, q_, v, elements_);
  solve_element_states(*model_, signal_time(time), u_, extra.offset.tail(element_state_count()),
                       {StateCoupling::Kind::step, extra.stiff_factor}, elements_);
}

void RobotSystem::residual(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> a,
                           const ExtraStates& extra, VectorOutT<double> r, VectorOutT<double> extra_rate) {
  begin(time, q, v);
  const bool loads_move = !state_load_wrenches_.empty();
  const auto* kinematics = loads_move ? &forward_kinematics<double>(*model_, data_, q_, v, a) : nullptr;
  solve_extra(time, v, kinematics, extra);
  if (loads_move) {
    if (!model_->elements().empty()) kinematics = &forward_kinematics<double>(*model_, data_, q_, v, a);
    state_load_wrenches<double>(*model_, state_loads(), *kinematics, signal_time(time), integrals_,
                                state_load_wrenches_);
    extra_rate.segment(k_account_count, integral_count_) = integral_rates_;
  }
  apply(time, v, extra_rate);
  collect_acting();
  r = inverse_dynamics<double>(*model_, data_, q_, v, a, acting_) - tau_;
  extra_rate[load] = power(acting_.size()) + coordinate_hand_power_;
}

void RobotSystem::prepare_derivatives() {
  if (!derivatives_) derivatives_ = std::make_unique<Derivatives>(*model_, state_load_wrenches_.size());
}

const DerivativeData& RobotSystem::residual_derivatives(double time, VectorInT<double> q, VectorInT<double> v,
                                                        VectorInT<double> a, const ExtraStates& extra,
                                                        VectorInT<double> lambda) {
  prepare_derivatives();
  if (read_signals(time, q)) inputs(signal_time(time), u_);  // throws
  if (!model_->elements().empty()) {
    solve_extra(time, v, state_load_wrenches_.empty() ? nullptr : &forward_kinematics<double>(*model_, data_, q_, v, a),
                extra);
    element_efforts<double>(*model_, signal_time(time), u_, elements_);
  }
  if (!state_load_wrenches_.empty()) {
    const auto& kinematics = forward_kinematics<double>(*model_, data_, q_, v, a);
    if (model_->elements().empty()) solve_extra(time, v, &kinematics, extra);
    state_load_wrenches<double>(*model_, state_loads(), kinematics, signal_time(time), integrals_,
                                state_load_wrenches_);
    state_load_derivatives<double>(*model_, state_loads(), kinematics, signal_time(time), integrals_,
                                   derivatives_->loads);
  }
  std::vector<ExternalWrench>& external = derivatives_->external;
  std::copy(loads_.begin(), loads_.end(), external.begin());
  std::copy(state_load_wrenches_.begin(), state_load_wrenches_.end(),
            external.begin() + static_cast<std::ptrdiff_t>(loads_.size()));
  const bool loops = !rows_.kept.empty();
  if (loops) {
    // what the loops push is a load on the other side of the equation
    const std::span<ExternalWrench> reactions = std::span(external).last(2 * model_->loops().size());
    spread_multipliers(lambda, multipliers_);
    constraint_wrenches<double>(*model_, data_, *constraints_, q_, multipliers_, reactions);
    for (ExternalWrench& reaction : reactions) reaction.wrench = -1.0 * reaction.wrench;
  }
  inverse_dynamics_derivatives(*model_, data_, derivatives_->dynamics, q_, v, a, {&u_, external});
  subtract_state_load_slopes(extra.factor);
  if (!model_->elements().empty()) {
    subtract_element_slopes(*model_, derivatives_->dynamics, signal_time(time), q_, v, u_,
                            {StateCoupling::Kind::step, extra.stiff_factor}, elements_, derivatives_->elements);
  }
  for (const CoordinateHand& hand : coordinate_hands_) {
    const double slope = hand.slope(time, q_[hand.q], v[hand.v]);
    derivatives_->dynamics.by_q(hand.v, hand.v) += hand.grip.stiffness * slope;
    derivatives_->dynamics.by_v(hand.v, hand.v) += hand.grip.damping * slope;
  }
  if (loops) {
    derivatives_->dynamics.by_q +=
        constraint_wrench_derivative<double>(*model_, data_, *constraints_, q_, multipliers_);
  }
  return derivatives_->dynamics;
}

void RobotSystem::subtract_state_load_slopes(double coupling) {
  // the wrenches' turning with their frames is in already
  DerivativeData& d = derivatives_->dynamics;
  FrameDerivatives& frame = derivatives_->frame;
  MatrixXd& change = derivatives_->change;
  const Vector3& gravity = model_->robot().gravity;
  for (std::size_t i = 0; i < state_load_wrenches_.size(); ++i) {
    StateLoadDerivativeT<double>& slopes = derivatives_->loads[i];
    // integrals follow the motion in the step: x = offset + coupling dx/dt
    slopes.by_pose += coupling * slopes.by_integral * slopes.rate_by_pose;
    slopes.by_velocity += coupling * slopes.by_integral * slopes.rate_by_velocity;
    frame_derivatives(*model_, d, state_load_wrenches_[i].frame, frame);
    // true accelerations: gravity, which they lack, turns against the frame
    const Vector3 g = data_.kinematics.pose(state_load_wrenches_[i].frame).rotation.transpose_times(gravity);
    for (Eigen::Index k = 0; k < change.cols(); ++k) {
      const Vector3 turned = cross(g, {frame.jacobian(0, k), frame.jacobian(1, k), frame.jacobian(2, k)});
      for (int r = 0; r < 3; ++r) frame.acceleration_by_q(3 + r, k) += turned[r];
    }
    const auto add = [&](MatrixXd& to) { to.noalias() -= frame.jacobian.transpose() * change; };
    change.noalias() = slopes.by_pose * frame.jacobian + slopes.by_velocity * frame.velocity_by_q +
                       slopes.by_acceleration * frame.acceleration_by_q;
    add(d.by_q);
    change.noalias() = slopes.by_velocity * frame.jacobian + slopes.by_acceleration * frame.acceleration_by_v;
    add(d.by_v);
    change.noalias() = slopes.by_acceleration * frame.jacobian;
    add(d.by_a);
  }
}

void RobotSystem::constraints(VectorInT<double> q, VectorOutT<double> phi) {
  const VectorXd& all = constraint_residual<double>(*model_, data_, *constraints_, q);
  for (std::size_t i = 0; i < rows_.kept.size(); ++i) phi[static_cast<Eigen::Index>(i)] = all[rows_.kept[i]];
}

const MatrixXd& RobotSystem::constraint_jacobian(VectorInT<double> q) {
  if (rows_.kept.empty()) return jacobian_;
  const MatrixXd& all = cuttle::constraint_jacobian<double>(*model_, data_, *constraints_, q);
  for (std::size_t i = 0; i < rows_.kept.size(); ++i) {
    jacobian_.row(static_cast<Eigen::Index>(i)) = all.row(rows_.kept[i]);
  }
  return jacobian_;
}

void RobotSystem::constraint_bias(VectorInT<double> q, VectorInT<double> v, VectorOutT<double> bias) {
  const VectorXd& all = cuttle::constraint_bias<double>(*model_, data_, *constraints_, q, v);
  for (std::size_t i = 0; i < rows_.kept.size(); ++i) bias[static_cast<Eigen::Index>(i)] = all[rows_.kept[i]];
}

void RobotSystem::spread_multipliers(VectorInT<double> lambda, VectorXd& all) const {
  all.setZero(model_->constraint_count());
  for (std::size_t i = 0; i < rows_.kept.size(); ++i) all[rows_.kept[i]] = lambda[static_cast<Eigen::Index>(i)];
}

double RobotSystem::stored_energy(VectorInT<double> q, VectorInT<double> v, VectorInT<double> extra) {
  if (model_->elements().empty()) return 0.0;
  q_ = q;
  normalize<double>(*model_, q_);
  element_motion<double>(*model_, data_, q_, v, elements_);
  elements_.states = extra.tail(element_state_count());
  u_.setZero();  // energy is a function of transmissions and states alone
  element_efforts<double>(*model_, 0.0, u_, elements_);
  return elements_.stored_energy;
}

std::optional<EnergyBalance> RobotSystem::energy_balance(VectorInT<double> q, VectorInT<double> v,
                                                         VectorInT<double> extra) {
  if (!balances_power_) return std::nullopt;
  q_ = q;
  normalize<double>(*model_, q_);
  EnergyBalance balance;
  balance.kinetic = kinetic_energy<double>(*model_, data_, q_, v);
  balance.energy =
      balance.kinetic + gravity_energy<double>(*model_, data_, q_) + elastic_energy<double>(*model_, data_, q_);
  if (!model_->elements().empty()) {
    balance.energy += stored_energy(q, v, extra);
  }
  balance.work = extra[input] + extra[load] - extra[dissipated];
  return balance;
}

}  // namespace cuttle
