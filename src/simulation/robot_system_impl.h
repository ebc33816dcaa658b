#pragma once

#include <algorithm>
#include <limits>

#include "algorithms/spread_loads.h"
#include "algorithms/state_load_list.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/driven_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/model/dissipative_load.h"
#include "cuttle/simulation/robot_system.h"
#include "simulation/lanes.h"

// RobotSystemT, for one robot or for packs. Included by one source for each scalar.

namespace cuttle {

/// Power of a wrench on the robot.
template <typename S, typename Motion>
S wrench_power(const ExternalWrenchT<S>& external, const Motion& motion) {
  const auto& [frame, wrench, axes] = external;
  TwistT<S> V = frame.node_frame.act_inverse(motion.velocity[frame.node]);
  if (axes == Axes::world) {
    const Matrix3T<S> R = motion.poses.pose(frame).rotation;
    V = {R * V.angular, R * V.linear};
  }
  return dot(wrench, V);
}

/// What loads dissipate of the power of their wrenches, one a frame of each load.
template <typename S, typename Motion>
S dissipated_by_loads(StateLoadsRefT<S> loads, const std::vector<ExternalWrenchT<S>>& wrenches, const Motion& motion) {
  S power(0.0);
  if constexpr (!k_has_lanes<S>) {  // packs have no such loads
    std::size_t first = 0;
    for (const auto& load : loads) {
      const std::size_t count = load->frames().size();
      if (dynamic_cast<const DissipativeLoad*>(load.get()) != nullptr) {
        for (std::size_t i = first; i < first + count; ++i) power -= wrench_power(wrenches[i], motion);
      }
      first += count;
    }
  }
  return power;
}

template <typename S>
RobotSystemT<S>::RobotSystemT(const ModelT<S>& model, TimedWrenches wrenches, Accounts accounts,
                              StateLoads perturbations)
    : model_(&model),
      wrenches_(std::move(wrenches)),
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
  integrals_.resize(integral_count_), integral_rates_.resize(integral_count_);
  state_load_wrenches_.resize(state_load_count<S>(state_loads()));
  added_.resize(state_load_wrenches_.size());
  acting_.reserve(loads_.size() + state_load_wrenches_.size());
  state_load_inertias<S>(state_loads(), added_);
}

template <typename S>
void RobotSystemT<S>::serve(const ModelT<S>& model, const TimedWrenches& wrenches) {
  model_ = &model, wrenches_ = wrenches;
  collect_state_loads();
  state_load_inertias<S>(state_loads(), added_);
}

template <typename S>
void RobotSystemT<S>::collect_state_loads() {
  all_state_loads_ = model_->state_loads();
  all_state_loads_.insert(all_state_loads_.end(), perturbations_.begin(), perturbations_.end());
}

template <typename S>
void RobotSystemT<S>::signals(double time, VectorOutT<S> u) const {
  u = held_;
  for (std::size_t i = 0; i < inputs_.size(); ++i) u[static_cast<Eigen::Index>(i)] += S(inputs_[i].at(time));
}

template <typename S>
MaskT<S> RobotSystemT<S>::inputs(double time, VectorOutT<S> u) const {
  signals(time, u);
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
      const TimedWrench& own = *wrenches_[static_cast<std::size_t>(lane) * model_->loads().size() + i];
      for (int k = 0; k < 3; ++k) {
        Lanes::set(wrench.torque[k], lane, own.torque[k].at(time));
        Lanes::set(wrench.force[k], lane, own.force[k].at(time));
      }
    }
    return std::pair(wrench, wrenches_[i]->axes);
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
void RobotSystemT<S>::find_forces(double time, VectorInT<S> v) {
  tau_.setZero();
  if (model_->nu() > 0) tau_ += actuation_force<S>(*model_, data_, q_, u_);
  if (account_count_ > 0) input_power_ = v.dot(tau_);
  if (!model_->elements().empty()) {
    element_efforts<S>(*model_, signal_time(time), u_, elements_);
    for (Eigen::Index k = 0; k < elements_.efforts.size(); ++k) {
      for (Eigen::Index i = 0; i < tau_.size(); ++i) tau_[i] += elements_.matrix(i, k) * elements_.efforts[k];
    }
    input_power_ += elements_.input_power;
  }
  coordinate_perturbation_power_ = S(0.0);
  for (const auto& [q, k, law] : coordinate_perturbations_) {
    const S rest(0.0);
    S effort;
    law->evaluate({signal_time(time), &rest, q_.data() + q, v.data() + k, nullptr, nullptr}, &effort, nullptr);
    tau_[k] += effort;
    coordinate_perturbation_power_ += v[k] * effort;
  }
}

template <typename S>
void RobotSystemT<S>::apply(double time, VectorInT<S> v, VectorOutT<S> auxiliary_rate) {
  find_forces(time, v);
  if (element_state_count() > 0) auxiliary_rate.tail(element_state_count()) = elements_.state_rates;
  if (account_count_ > 0) {
    auxiliary_rate[input] = input_power_;
    auxiliary_rate[dissipated] = v.dot(damping_force<S>(*model_, data_, q_, v)) + elements_.lost_power;
  }
}

template <typename S>
void RobotSystemT<S>::rates(double time, VectorInT<S> v, VectorInT<S> auxiliary, VectorOutT<S> a,
                            VectorOutT<S> auxiliary_rate) {
  if (!model_->elements().empty()) {
    element_motion<S>(*model_, data_, q_, v, elements_);
    elements_.states = auxiliary.tail(element_state_count());
  }
  apply(time, v, auxiliary_rate);
  if (!state_load_wrenches_.empty()) {
    const auto& kinematics = forward_kinematics<S>(*model_, data_, q_, v);
    state_load_biases<S>(*model_, state_loads(), kinematics, signal_time(time),
                         auxiliary.segment(account_count_, integral_count_), state_load_wrenches_);
    state_load_rates<S>(*model_, state_loads(), kinematics, signal_time(time),
                        auxiliary_rate.segment(account_count_, integral_count_));
  }
  collect_acting();
  a = solve_motion(v);
  if (account_count_ > 0) {
    auxiliary_rate[load] = power(acting_, motion()) - inertia_power(added_, model_->robot().gravity, motion()) +
                           coordinate_perturbation_power_;
    if (!driven_joints_.empty()) auxiliary_rate[load] += v.dot(driven_joints_.effort);
    const S lost = dissipated_by_loads<S>(state_loads(), state_load_wrenches_, motion());
    auxiliary_rate[load] += lost, auxiliary_rate[dissipated] += lost;
  }
}

template <typename S>
template <typename SolveStates>
void RobotSystemT<S>::solve_auxiliary(double time, VectorInT<S> v, VectorInT<S> a, VectorInT<S> integral_offset,
                                      double factor, const SolveStates& solve_states) {
  if (!model_->elements().empty()) {
    element_motion<S>(*model_, data_, q_, v, elements_);
    solve_states();
  }
  if (state_load_wrenches_.empty()) return;
  const auto& kinematics = forward_kinematics<S>(*model_, data_, q_, v, a);
  integrals_ = integral_offset;
  if (integral_count_ > 0) {  // their rates do not depend on them
    state_load_rates<S>(*model_, state_loads(), kinematics, signal_time(time), integral_rates_);
    for (int i = 0; i < integral_count_; ++i) integrals_[i] += S(factor) * integral_rates_[i];
  }
  state_load_wrenches<S>(*model_, state_loads(), kinematics, signal_time(time), integrals_, state_load_wrenches_);
}

template <typename S>
template <typename SolveStates>
void RobotSystemT<S>::residual(double time, VectorInT<S> v, VectorInT<S> a, VectorInT<S> integral_offset, double factor,
                               const SolveStates& solve_states, VectorOutT<S> r, VectorOutT<S> auxiliary_rate) {
  solve_auxiliary(time, v, a, integral_offset, factor, solve_states);
  auxiliary_rate.segment(account_count_, integral_count_) = integral_rates_;
  apply(time, v, auxiliary_rate);
  collect_acting();
  r = inverse_dynamics<S>(*model_, data_, q_, v, a, acting_) - tau_;
  if (account_count_ > 0) {
    const S lost = dissipated_by_loads<S>(state_loads(), state_load_wrenches_, motion());
    auxiliary_rate[load] = power(acting_, motion()) + coordinate_perturbation_power_ + lost;
    auxiliary_rate[dissipated] += lost;
  }
}

template <typename S>
const VectorXT<S>& RobotSystemT<S>::solve_motion(VectorInT<S> v) {
  if (driven_joints_.empty()) return forward_dynamics<S>(*model_, data_, q_, v, tau_, acting_, added_);
  return driven_dynamics<S>(*model_, data_, q_, v, tau_, driven_joints_, acting_, added_);
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
  acting_.insert(acting_.end(), state_load_wrenches_.begin(), state_load_wrenches_.end());
}

template <typename S>
S RobotSystemT<S>::power(std::span<const ExternalWrenchT<S>> wrenches, const Motion& motion) {
  S power(0.0);
  for (const auto& wrench : wrenches) power += wrench_power(wrench, motion);
  return power;
}

template <typename S>
S RobotSystemT<S>::inertia_power(std::span<const AddedInertiaT<S>> inertias, const Vector3T<S>& gravity,
                                 const Motion& motion) {
  S power(0.0);
  for (const auto& [frame, inertia] : inertias) {
    const TwistT<S> V = frame.node_frame.act_inverse(motion.velocity[frame.node]);
    TwistT<S> A = frame.node_frame.act_inverse(motion.acceleration[frame.node]);
    A.linear += motion.poses.pose(frame).rotation.transpose_times(gravity);
    power += dot(inertia * A, V);
  }
  return power;
}

}  // namespace cuttle
