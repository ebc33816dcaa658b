#pragma once

#include <algorithm>
#include <limits>

#include "algorithms/spread_loads.h"
#include "algorithms/state_load_list.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/simulation/robot_system.h"
#include "simulation/lanes.h"

// RobotSystemT, for one robot or for packs. Included by one source for each scalar.

namespace cuttle {

template <typename S>
RobotSystemT<S>::RobotSystemT(const ModelT<S>& model, LoadsOfLanes lanes, Accounts accounts, StateLoads perturbations)
    : model_(&model),
      lanes_(std::move(lanes)),
      perturbations_(std::move(perturbations)),
      account_count_(accounts == Accounts::work ? k_account_count : 0),
      data_(model),
      first_(-std::numeric_limits<double>::infinity()),
      last_(std::numeric_limits<double>::infinity()),
      held_(VectorXT<S>::Zero(model.nu())),
      q_(model.nq()),
      u_(model.nu()),
      tau_(model.nv()),
      loads_(load_wrench_count(model)),
      elements_(model) {
  collect_state_loads();
  integral_count_ = load_integral_count<S>(state_loads());
  state_load_wrenches_.resize(state_load_count<S>(state_loads()));
  added_.resize(state_load_wrenches_.size());
  acting_.reserve(loads_.size() + state_load_wrenches_.size());
  state_load_inertias<S>(state_loads(), added_);
}

template <typename S>
void RobotSystemT<S>::serve(const ModelT<S>& model, const LoadsOfLanes& lanes) {
  model_ = &model, lanes_ = lanes;
  collect_state_loads();
  state_load_inertias<S>(state_loads(), added_);
}

template <typename S>
void RobotSystemT<S>::collect_state_loads() {
  all_state_loads_ = model_->state_loads();
  all_state_loads_.insert(all_state_loads_.end(), perturbations_.begin(), perturbations_.end());
}

template <typename S>
MaskT<S> RobotSystemT<S>::inputs(double time, VectorOutT<S> u) const {
  u = held_;
  for (std::size_t i = 0; i < inputs_.size(); ++i) u[static_cast<Eigen::Index>(i)] += S(inputs_[i].at(time));
  return clip_slack<S>(*model_, u);
}

template <typename S>
double RobotSystemT<S>::signal_time(double time) const {
  return std::clamp(time, first_, last_);
}

template <typename S>
void RobotSystemT<S>::read_loads(double time) {
  using Lanes = LaneAccess<S>;
  const auto whole = [&](std::size_t i) {
    WrenchT<S> wrench;
    for (int lane = 0; lane < Lanes::k_width; ++lane) {
      const Load& own = (*lanes_[static_cast<std::size_t>(lane)])[i];
      for (int k = 0; k < 3; ++k) {
        Lanes::set(wrench.torque[k], lane, own.torque[k].at(time));
        Lanes::set(wrench.force[k], lane, own.force[k].at(time));
      }
    }
    return std::pair(wrench, (*lanes_[0])[i].axes);
  };
  spread_loads<S>(*model_, whole, loads_);
}

template <typename S>
MaskT<S> RobotSystemT<S>::read_signals(double time, VectorInT<S> q) {
  q_ = q;
  normalize<S>(*model_, q_);  // trial states of the integrators leave the manifold by their tolerance
  read_loads(signal_time(time));
  if (model_->nu() == 0) return S(1.0) < S(0.0);
  return inputs(signal_time(time), u_);
}

template <typename S>
void RobotSystemT<S>::apply(double time, VectorInT<S> v, VectorOutT<S> extra_rate) {
  tau_.setZero();
  if (model_->nu() > 0) tau_ += actuation_force<S>(*model_, data_, q_, u_);
  if (account_count_ > 0) extra_rate[input] = v.dot(tau_);
  if (!model_->elements().empty()) {
    element_efforts<S>(*model_, signal_time(time), u_, elements_);
    for (Eigen::Index k = 0; k < elements_.efforts.size(); ++k) {
      for (Eigen::Index i = 0; i < tau_.size(); ++i) tau_[i] += elements_.matrix(i, k) * elements_.efforts[k];
    }
    if (account_count_ > 0) extra_rate[input] += elements_.input_power;
    if (element_state_count() > 0) extra_rate.tail(element_state_count()) = elements_.state_rates;
  }
  coordinate_hand_power_ = S(0.0);
  if constexpr (!k_has_lanes<S>) {
    for (const CoordinateHand& hand : coordinate_hands_) {
      const double force = hand.force(time, q_[hand.q], v[hand.v]);
      tau_[hand.v] += force;
      coordinate_hand_power_ += v[hand.v] * force;
    }
  }
  if (account_count_ > 0) {
    extra_rate[dissipated] = v.dot(damping_force<S>(*model_, data_, q_, v)) + elements_.lost_power;
  }
}

template <typename S>
void RobotSystemT<S>::rates(double time, VectorInT<S> v, VectorInT<S> extra, VectorOutT<S> a,
                            VectorOutT<S> extra_rate) {
  if (!model_->elements().empty()) {
    element_motion<S>(*model_, data_, q_, v, elements_);
    elements_.states = extra.tail(element_state_count());
  }
  apply(time, v, extra_rate);
  if (!state_load_wrenches_.empty()) {
    const auto& kinematics = forward_kinematics<S>(*model_, data_, q_, v);
    state_load_biases<S>(*model_, state_loads(), kinematics, signal_time(time),
                         extra.segment(account_count_, integral_count_), state_load_wrenches_);
    state_load_rates<S>(*model_, state_loads(), kinematics, signal_time(time),
                        extra_rate.segment(account_count_, integral_count_));
  }
  collect_acting();
  a = forward_dynamics<S>(*model_, data_, q_, v, tau_, acting_, added_);
  if (account_count_ > 0) extra_rate[load] = power(acting_loads_) + state_load_power() + coordinate_hand_power_;
}

template <typename S>
void RobotSystemT<S>::collect_acting() {
  acting_.clear();
  const bool any_load = std::any_of(loads_.begin(), loads_.end(), [](const ExternalWrenchT<S>& external) {
    for (int k = 0; k < 6; ++k) {
      if (!all(external.wrench[k] == S(0.0))) return true;
    }
    return false;
  });
  if (any_load) acting_.insert(acting_.end(), loads_.begin(), loads_.end());  // many act for a while only
  acting_loads_ = acting_.size();
  acting_.insert(acting_.end(), state_load_wrenches_.begin(), state_load_wrenches_.end());
}

template <typename S>
S RobotSystemT<S>::power(std::size_t count) const {
  S power(0.0);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [frame, wrench, axes] = acting_[i];
    TwistT<S> V = frame.node_frame.act_inverse(data_.velocity[frame.node]);
    if (axes == Axes::world) {
      const Matrix3T<S> R = data_.kinematics.pose(frame).rotation;
      V = {R * V.angular, R * V.linear};
    }
    power += dot(wrench, V);
  }
  return power;
}

template <typename S>
S RobotSystemT<S>::state_load_power() const {
  // forward_dynamics leaves twists of the nodes and their accelerations with gravity inside; the poses are those of
  // the forward_kinematics before it
  S power(0.0);
  for (std::size_t i = 0; i < added_.size(); ++i) {
    const auto& [frame, inertia] = added_[i];
    const TwistT<S> V = frame.node_frame.act_inverse(data_.velocity[frame.node]);
    TwistT<S> A = frame.node_frame.act_inverse(data_.acceleration[frame.node]);
    A.linear += data_.kinematics.pose(frame).rotation.transpose_times(model_->robot().gravity);
    power += dot(state_load_wrenches_[i].wrench - inertia * A, V);
  }
  return power;
}

}  // namespace cuttle
