#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include "algorithms/element_slopes.h"
#include "algorithms/spread_loads.h"
#include "algorithms/state_load_list.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/equation_of_motion.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/model/dissipative_load.h"
#include "spatial/lanes.h"

// EquationOfMotionT, for one robot or for packs. Included by one source for each scalar.

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
EquationOfMotionT<S>::EquationOfMotionT(const ModelT<S>& model, TimedWrenches wrenches, const StateLayout& layout,
                                        StateLoads pushes, const Model* plain)
    : model_(&model),
      wrenches_(std::move(wrenches)),
      layout_(layout),
      pushes_(std::move(pushes)),
      plain_(plain),
      data_(model),
      tau_(model.nv()),
      integrals_(layout.integrals),
      integral_rates_(layout.integrals),
      loads_(load_wrench_count(model)),
      elements_(model) {
  if (plain != nullptr) plain_elements_.emplace(*plain);
  collect_state_loads();
  state_load_wrenches_.resize(state_load_count<S>(state_loads()));
  added_.resize(state_load_wrenches_.size());
  std::size_t site_frames = 0;
  if constexpr (!k_has_lanes<S>) {  // packs have no contacts
    if (!model.site_laws().empty()) {
      sites_ = std::make_unique<SitesT<S>>(model, plain);
      site_frames = static_cast<std::size_t>(sites_->frame_count());
    }
  }
  acting_.reserve(loads_.size() + state_load_wrenches_.size() + site_frames);
  state_load_inertias<S>(state_loads(), added_);
}

template <typename S>
void EquationOfMotionT<S>::serve(const ModelT<S>& model, const TimedWrenches& wrenches) {
  model_ = &model, wrenches_ = wrenches;
  collect_state_loads();
  state_load_inertias<S>(state_loads(), added_);
  if (sites_) sites_->serve(model);
}

template <typename S>
void EquationOfMotionT<S>::collect_state_loads() {
  all_state_loads_ = model_->state_loads();
  all_state_loads_.insert(all_state_loads_.end(), pushes_.begin(), pushes_.end());
}

template <typename S>
void EquationOfMotionT<S>::read_loads(double time) {
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
void EquationOfMotionT<S>::find_forces(const Instant& at) {
  tau_.setZero();
  if (model_->nu() > 0) tau_ += actuation_force<S>(*model_, data_, at.q, at.u);
  if (layout_.works > 0) input_power_ = at.v.dot(tau_);
  if (!model_->elements().empty()) {
    element_efforts<S>(*model_, at.time, at.u, elements_);
    for (Eigen::Index k = 0; k < elements_.efforts.size(); ++k) {
      for (Eigen::Index i = 0; i < tau_.size(); ++i) tau_[i] += elements_.matrix(i, k) * elements_.efforts[k];
    }
    input_power_ += elements_.input_power;
  }
  coordinate_push_power_ = S(0.0);
  for (const auto& [q, k, law] : coordinate_pushes_) {
    const S rest(0.0);
    S effort;
    law->evaluate({at.time, &rest, at.q.data() + q, at.v.data() + k, nullptr, nullptr}, &effort, nullptr);
    tau_[k] += effort;
    coordinate_push_power_ += at.v[k] * effort;
  }
}

template <typename S>
void EquationOfMotionT<S>::apply(const Instant& at, VectorOutT<S> state_rates) {
  find_forces(at);
  if (layout_.elements > 0) layout_.elements_of(state_rates) = elements_.state_rates;
  if (layout_.works > 0) {
    state_rates[StateLayout::input] = input_power_;
    state_rates[StateLayout::dissipated] =
        at.v.dot(damping_force<S>(*model_, data_, at.q, at.v)) + elements_.lost_power;
  }
}

template <typename S>
void EquationOfMotionT<S>::rates(const Instant& at, VectorOutT<S> a, VectorOutT<S> state_rates) {
  read_loads(at.time);
  if (!model_->elements().empty()) {
    element_motion<S>(*model_, data_, at.q, at.v, elements_);
    elements_.states = layout_.elements_of(at.states);
  }
  apply(at, state_rates);
  if (!state_load_wrenches_.empty()) {
    const auto& kinematics = forward_kinematics<S>(*model_, data_, at.q, at.v);
    state_load_biases<S>(*model_, state_loads(), kinematics, at.time, layout_.integrals_of(at.states),
                         state_load_wrenches_);
    state_load_rates<S>(*model_, state_loads(), kinematics, at.time, layout_.integrals_of(state_rates));
  }
  if constexpr (!k_has_lanes<S>) {
    if (sites_) {
      sites_->take(forward_kinematics<S>(*model_, data_, at.q, at.v), at.time, layout_.sites_of(at.states));
      layout_.sites_of(state_rates) = sites_->rates();
    }
  }
  collect_acting();
  a = solve_motion(at);
  if (layout_.works > 0) {
    S& load_power = state_rates[StateLayout::load];
    load_power = power(acting_loads(), motion()) - inertia_power(added_, model_->robot().gravity, motion()) +
                 coordinate_push_power_;
    if (!driven_.empty()) load_power += at.v.dot(driven_.effort);
    const S lost = dissipated_by_loads<S>(state_loads(), state_load_wrenches_, motion());
    load_power += lost, state_rates[StateLayout::dissipated] += lost;
    book_sites(state_rates);
  }
}

template <typename S>
void EquationOfMotionT<S>::book_sites(VectorOutT<S> state_rates) const {
  if constexpr (!k_has_lanes<S>) {
    if (!sites_) return;
    state_rates[StateLayout::load] += sites_->given_power();
    state_rates[StateLayout::dissipated] += sites_->dissipated_power();
    layout_.pair_works_of(state_rates) = sites_->dissipated_by_pairs();
  }
}

template <typename S>
void EquationOfMotionT<S>::solve_element_states_at(const Instant& at, VectorInT<S> offset,
                                                   std::optional<double> factor) {
  const StateCoupling coupling{factor ? StateCoupling::Kind::step : StateCoupling::Kind::rest, factor.value_or(0.0)};
  if constexpr (std::is_same_v<S, double>) {
    solve_element_states(*model_, at.time, at.u, offset, coupling, elements_);
  } else if constexpr (std::is_same_v<S, ForwardDual>) {
    solve_element_states(*plain_, *model_, at.time, at.u, offset, coupling, *plain_elements_, elements_);
  }
}

template <typename S>
void EquationOfMotionT<S>::solve_states(const Instant& at, VectorInT<S> a) {
  if (!model_->elements().empty()) {
    element_motion<S>(*model_, data_, at.q, at.v, elements_);
    solve_element_states_at(at, layout_.elements_of(at.states), at.stiff_factor);
  }
  if constexpr (!k_has_lanes<S>) {
    if (sites_) {
      sites_->solve(forward_kinematics<S>(*model_, data_, at.q, at.v), at.time, layout_.sites_of(at.states),
                    at.stiff_factor);
    }
  }
  if (state_load_wrenches_.empty()) return;
  const auto& kinematics = forward_kinematics<S>(*model_, data_, at.q, at.v, a);
  integrals_ = layout_.integrals_of(at.states);
  if (layout_.integrals > 0) {  // their rates do not depend on them
    state_load_rates<S>(*model_, state_loads(), kinematics, at.time, integral_rates_);
    for (int i = 0; i < layout_.integrals; ++i) integrals_[i] += S(at.factor) * integral_rates_[i];
  }
  state_load_wrenches<S>(*model_, state_loads(), kinematics, at.time, integrals_, state_load_wrenches_);
}

template <typename S>
void EquationOfMotionT<S>::residual(const Instant& at, VectorInT<S> a, VectorOutT<S> r, VectorOutT<S> state_rates) {
  read_loads(at.time);
  solve_states(at, a);
  layout_.integrals_of(state_rates) = integral_rates_;
  if constexpr (!k_has_lanes<S>) {
    if (sites_) layout_.sites_of(state_rates) = sites_->rates();
  }
  apply(at, state_rates);
  collect_acting();
  r = inverse_dynamics<S>(*model_, data_, at.q, at.v, a, acting_) - tau_;
  if (layout_.works > 0) {
    const S lost = dissipated_by_loads<S>(state_loads(), state_load_wrenches_, motion());
    state_rates[StateLayout::load] = power(acting_loads(), motion()) + coordinate_push_power_ + lost;
    state_rates[StateLayout::dissipated] += lost;
    book_sites(state_rates);
  }
}

template <typename S>
const VectorXT<S>& EquationOfMotionT<S>::resting_force(const Rest& at) {
  const Instant instant{k_rest_time, at.q, at.v, at.u, at.states};
  if (!model_->elements().empty()) {
    element_motion<S>(*model_, data_, at.q, at.v, elements_);
    elements_.states = at.states;
    if (at.settle) solve_element_states_at(instant, at.states, {});
  }
  find_forces(instant);
  acting_ = at.loads;
  if (at.time && !state_load_wrenches_.empty()) {
    const auto& kinematics = forward_kinematics<S>(*model_, data_, at.q, at.v, at.a);
    state_load_wrenches<S>(*model_, state_loads(), kinematics, *at.time, VectorXT<S>(), state_load_wrenches_);
    for (const auto& [frame, wrench, axes] : state_load_wrenches_) {
      acting_.push_back({frame, S(at.part) * wrench, axes});
    }
  }
  if constexpr (!k_has_lanes<S>) {
    if (sites_) {
      sites_->rest(forward_kinematics<S>(*model_, data_, at.q, at.v), at.time.value_or(k_rest_time), at.site_start);
      sites_->append_wrenches(acting_);
    }
  }
  if (!acting_.empty()) tau_ += external_force<S>(*model_, data_, at.q, acting_);
  return tau_;
}

template <typename S>
const VectorXT<S>& EquationOfMotionT<S>::solve_motion(const Instant& at) {
  if (driven_.empty()) return forward_dynamics<S>(*model_, data_, at.q, at.v, tau_, acting_, added_);
  return driven_dynamics<S>(*model_, data_, at.q, at.v, tau_, driven_, acting_, added_);
}

template <typename S>
void EquationOfMotionT<S>::collect_acting() {
  acting_.clear();
  const bool any_load = std::any_of(loads_.begin(), loads_.end(), [](const ExternalWrenchT<S>& external) {
    for (int k = 0; k < 6; ++k) {
      if (!all(external.wrench[k] == S(0.0))) return true;
    }
    return false;
  });
  if (any_load) acting_.insert(acting_.end(), loads_.begin(), loads_.end());  // many act for a while only
  acting_.insert(acting_.end(), state_load_wrenches_.begin(), state_load_wrenches_.end());
  acting_load_count_ = acting_.size();
  if constexpr (!k_has_lanes<S>) {
    if (sites_) sites_->append_wrenches(acting_);
  }
}

template <typename S>
S EquationOfMotionT<S>::power(std::span<const ExternalWrenchT<S>> wrenches, const Motion& motion) {
  S power(0.0);
  for (const auto& wrench : wrenches) power += wrench_power(wrench, motion);
  return power;
}

template <typename S>
S EquationOfMotionT<S>::inertia_power(std::span<const AddedInertiaT<S>> inertias, const Vector3T<S>& gravity,
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
