#include "cuttle/simulation/robot_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/state_loads.h"
#include "simulation/diagnosis.h"

namespace cuttle {
namespace {

/// Many loads act for a while only.
bool any_force(const std::vector<ExternalWrench>& loads) {
  return std::any_of(loads.begin(), loads.end(), [](const ExternalWrench& external) {
    for (int k = 0; k < 6; ++k) {
      if (!(external.wrench[k] == 0.0)) return true;
    }
    return false;
  });
}

}  // namespace

RobotSystem::RobotSystem(const Model& model, std::vector<Signal> inputs, ConstraintRows rows,
                         std::vector<std::shared_ptr<const PointHand>> hands)
    : model_(model),
      inputs_(std::move(inputs)),
      data_(model),
      balances_power_(std::all_of(model.robot().links.begin(), model.robot().links.end(),
                                  [](const Link& link) { return !link.body || link.body->balances_power(); })),
      first_(-std::numeric_limits<double>::infinity()),
      last_(std::numeric_limits<double>::infinity()),
      q_(model.nq()),
      u_(model.nu()),
      tau_(model.nv()),
      loads_(load_wrench_count(model)),
      state_loads_(state_load_count(model) + hands.size()),
      acting_(loads_.size() + state_loads_.size()),
      added_(state_load_count(model)),
      hands_(std::move(hands)),
      rows_(std::move(rows)) {
  state_load_inertias<double>(model, added_);
  if (!model.loops().empty()) constraints_.emplace(model);
  jacobian_.resize(constraint_count(), model.nv());
}

int RobotSystem::extra_count(const Model& model) { return k_extra_count + load_integral_count(model); }

std::vector<double> RobotSystem::discontinuities() const {
  std::vector<double> times;
  const auto add = [&times](const Signal& signal) {
    for (const double time : signal.discontinuities()) {
      if (time > 0.0) times.push_back(time);
    }
  };
  for (const Signal& signal : inputs_) add(signal);
  for (const Load& given : model_.robot().loads) {
    for (const Signal& signal : given.signals()) add(signal);
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
  for (std::size_t i = 0; i < inputs_.size(); ++i) u[i] = inputs_[i].at(time);
  try {
    apply_slack<double>(model_, u);
  } catch (const ArgumentError& error) {
    throw SimulationError(fmt::format("at t = {:.9g} s: {}", time, error.what()));
  }
}

void RobotSystem::actuation(const VectorInT<double>& q, VectorOutT<double> y) {
  y = actuation_coordinates<double>(model_, data_, q);
}

double RobotSystem::apply(double time, VectorInT<double> q, VectorInT<double> v, VectorOutT<double> extra_rate) {
  if (heartbeat) heartbeat(time);
  require_finite(model_, q, v);
  const double signal_time = std::clamp(time, first_, last_);
  q_ = q;
  normalize<double>(model_, q_);  // trial states of the integrators leave the manifold by their tolerance
  tau_.setZero();
  if (!inputs_.empty()) {
    inputs(signal_time, u_);
    tau_ += actuation_force<double>(model_, data_, q_, u_);
  }
  extra_rate[input] = v.dot(tau_);
  coordinate_hand_power_ = 0.0;
  for (const CoordinateHand& hand : coordinate_hands_) {
    const double force = hand.force(time, q_[hand.q], v[hand.v]);
    tau_[hand.v] += force;
    coordinate_hand_power_ += v[hand.v] * force;
  }
  if (!loads_.empty()) load_wrenches<double>(model_, signal_time, loads_);
  extra_rate[dissipated] = v.dot(damping_force<double>(model_, data_, q_, v));
  return signal_time;
}

void RobotSystem::rates(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> extra,
                        VectorOutT<double> a, VectorOutT<double> extra_rate) {
  const double signal_time = apply(time, q, v, extra_rate);
  if (!state_loads_.empty()) {
    const int integrals = extra_count() - k_extra_count;
    const auto& kinematics = forward_kinematics<double>(model_, data_, q_, v);
    const auto own = std::span(state_loads_).first(own_count());
    state_load_biases<double>(model_, kinematics, signal_time, extra.tail(integrals), own);
    state_load_rates<double>(model_, kinematics, signal_time, extra_rate.tail(integrals));
    add_hands(time);
  }
  collect_acting();
  a = forward_dynamics<double>(model_, data_, q_, v, tau_, acting_, added_);
  extra_rate[load] = power(0, acting_loads_) + state_load_power() + power(acting_loads_ + own_count(), acting_.size()) +
                     coordinate_hand_power_;
}

void RobotSystem::collect_acting() {
  acting_.clear();
  if (any_force(loads_)) acting_.insert(acting_.end(), loads_.begin(), loads_.end());
  acting_loads_ = acting_.size();
  acting_.insert(acting_.end(), state_loads_.begin(), state_loads_.end());
}

FrameMotionT<double> RobotSystem::motion_at(const Frame& frame) const {
  return {data_.kinematics.pose(frame), data_.kinematics.velocity_of(frame), {}};
}

void RobotSystem::add_hands(double time) {
  for (std::size_t i = 0; i < hands_.size(); ++i) {
    const Frame& frame = hands_[i]->frames().front();
    state_loads_[own_count() + i] = {frame, hands_[i]->wrench(0, time, motion_at(frame), nullptr), Axes::body};
  }
}

double RobotSystem::power(std::size_t first, std::size_t last) const {
  double power = 0.0;
  for (std::size_t i = first; i < last; ++i) {
    const auto& [frame, wrench, axes] = acting_[i];
    Twist V = frame.node_frame.act_inverse(data_.velocity[frame.node]);
    if (axes == Axes::world) {
      const Matrix3 R = data_.kinematics.pose(frame).rotation;
      V = {R * V.angular, R * V.linear};
    }
    power += dot(wrench, V);
  }
  return power;
}

double RobotSystem::state_load_power() const {
  // forward_dynamics leaves twists of the nodes, accelerations with gravity inside, and their poses
  double power = 0.0;
  for (std::size_t i = 0; i < added_.size(); ++i) {
    const auto& [frame, inertia] = added_[i];
    const Twist V = frame.node_frame.act_inverse(data_.velocity[frame.node]);
    Twist A = frame.node_frame.act_inverse(data_.acceleration[frame.node]);
    A.linear += data_.kinematics.pose(frame).rotation.transpose_times(model_.robot().gravity);
    power += dot(state_loads_[i].wrench - inertia * A, V);
  }
  return power;
}

RobotSystem::Derivatives::Derivatives(const Model& model, std::size_t state_loads)
    : dynamics(model),
      frame(model),
      loads(state_loads),
      external(load_wrench_count(model) + state_loads + 2 * model.loops().size()),
      change(6, model.nv()) {}

void RobotSystem::residual(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> a,
                           VectorInT<double> extra, VectorOutT<double> r, VectorOutT<double> extra_rate) {
  const double signal_time = apply(time, q, v, extra_rate);
  if (!state_loads_.empty()) {
    const int integrals = extra_count() - k_extra_count;
    const auto own = std::span(state_loads_).first(own_count());
    state_load_wrenches<double>(model_, data_, signal_time, q_, v, a, extra.tail(integrals), own);
    state_load_rates<double>(model_, data_.kinematics, signal_time, extra_rate.tail(integrals));
    add_hands(time);
  }
  collect_acting();
  r = inverse_dynamics<double>(model_, data_, q_, v, a, acting_) - tau_;
  extra_rate[load] = power(0, acting_.size()) + coordinate_hand_power_;
}

void RobotSystem::prepare_derivatives() {
  if (!derivatives_) derivatives_.emplace(model_, state_loads_.size());
}

const DerivativeData& RobotSystem::residual_derivatives(double time, VectorInT<double> q, VectorInT<double> v,
                                                        VectorInT<double> a, VectorInT<double> extra,
                                                        VectorInT<double> lambda) {
  prepare_derivatives();
  const double signal_time = std::clamp(time, first_, last_);
  q_ = q;
  normalize<double>(model_, q_);
  if (!inputs_.empty()) inputs(signal_time, u_);
  if (!loads_.empty()) load_wrenches<double>(model_, signal_time, loads_);
  if (!state_loads_.empty()) {
    const auto integrals = extra.tail(extra_count() - k_extra_count);
    state_load_wrenches<double>(model_, data_, signal_time, q_, v, a, integrals,
                                std::span(state_loads_).first(own_count()));
    state_load_derivatives<double>(model_, data_.kinematics, signal_time, integrals,
                                   std::span(derivatives_->loads).first(own_count()));
    add_hands(time);
    for (std::size_t i = 0; i < hands_.size(); ++i) {
      hands_[i]->derivatives(0, time, motion_at(hands_[i]->frames().front()), nullptr,
                             derivatives_->loads[own_count() + i]);
    }
  }
  std::vector<ExternalWrench>& external = derivatives_->external;
  std::copy(loads_.begin(), loads_.end(), external.begin());
  std::copy(state_loads_.begin(), state_loads_.end(), external.begin() + static_cast<std::ptrdiff_t>(loads_.size()));
  const bool loops = !rows_.kept.empty();
  if (loops) {
    // what the loops push is a load on the other side of the equation
    const std::span<ExternalWrench> reactions = std::span(external).last(2 * model_.loops().size());
    spread_multipliers(lambda, multipliers_);
    constraint_wrenches<double>(model_, data_, *constraints_, q_, multipliers_, reactions);
    for (ExternalWrench& reaction : reactions) reaction.wrench = -1.0 * reaction.wrench;
  }
  inverse_dynamics_derivatives(model_, data_, derivatives_->dynamics, q_, v, a, {&u_, external});
  subtract_state_load_slopes();
  for (const CoordinateHand& hand : coordinate_hands_) {
    const double slope = hand.slope(time, q_[hand.q], v[hand.v]);
    derivatives_->dynamics.by_q(hand.v, hand.v) += hand.grip.stiffness * slope;
    derivatives_->dynamics.by_v(hand.v, hand.v) += hand.grip.damping * slope;
  }
  if (loops) {
    derivatives_->dynamics.by_q += constraint_wrench_derivative<double>(model_, data_, *constraints_, q_, multipliers_);
  }
  return derivatives_->dynamics;
}

void RobotSystem::subtract_state_load_slopes() {
  // the wrenches' turning with their frames is in already
  DerivativeData& d = derivatives_->dynamics;
  FrameDerivatives& frame = derivatives_->frame;
  MatrixXd& change = derivatives_->change;
  const Vector3& gravity = model_.robot().gravity;
  for (std::size_t i = 0; i < state_loads_.size(); ++i) {
    const auto& slopes = derivatives_->loads[i];
    frame_derivatives(model_, d, state_loads_[i].frame, frame);
    // true accelerations: gravity, which they lack, turns against the frame
    const Vector3 g = data_.kinematics.pose(state_loads_[i].frame).rotation.transpose_times(gravity);
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
  const VectorXd& all = constraint_residual<double>(model_, data_, *constraints_, q);
  for (std::size_t i = 0; i < rows_.kept.size(); ++i) phi[static_cast<Eigen::Index>(i)] = all[rows_.kept[i]];
}

const MatrixXd& RobotSystem::constraint_jacobian(VectorInT<double> q) {
  if (rows_.kept.empty()) return jacobian_;
  const MatrixXd& all = cuttle::constraint_jacobian<double>(model_, data_, *constraints_, q);
  for (std::size_t i = 0; i < rows_.kept.size(); ++i) {
    jacobian_.row(static_cast<Eigen::Index>(i)) = all.row(rows_.kept[i]);
  }
  return jacobian_;
}

void RobotSystem::constraint_bias(VectorInT<double> q, VectorInT<double> v, VectorOutT<double> bias) {
  const VectorXd& all = cuttle::constraint_bias<double>(model_, data_, *constraints_, q, v);
  for (std::size_t i = 0; i < rows_.kept.size(); ++i) bias[static_cast<Eigen::Index>(i)] = all[rows_.kept[i]];
}

void RobotSystem::spread_multipliers(VectorInT<double> lambda, VectorXd& all) const {
  all.setZero(model_.constraint_count());
  for (std::size_t i = 0; i < rows_.kept.size(); ++i) all[rows_.kept[i]] = lambda[static_cast<Eigen::Index>(i)];
}

std::optional<EnergyBalance> RobotSystem::energy_balance(VectorInT<double> q, VectorInT<double> v,
                                                         VectorInT<double> extra) {
  if (!balances_power_) return std::nullopt;
  q_ = q;
  normalize<double>(model_, q_);
  EnergyBalance balance;
  balance.kinetic = kinetic_energy<double>(model_, data_, q_, v);
  balance.energy =
      balance.kinetic + gravity_energy<double>(model_, data_, q_) + elastic_energy<double>(model_, data_, q_);
  balance.work = extra[input] + extra[load] - extra[dissipated];
  return balance;
}

}  // namespace cuttle
