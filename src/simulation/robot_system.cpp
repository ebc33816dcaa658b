#include "cuttle/simulation/robot_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/state_loads.h"
#include "simulation/diagnosis.h"

namespace cuttle {

RobotSystem::RobotSystem(const Model& model, std::vector<Signal> inputs)
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
      state_loads_(state_load_count(model)),
      added_(state_load_count(model)) {
  state_load_inertias<double>(model, added_);
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

void RobotSystem::rates(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> extra,
                        VectorOutT<double> a, VectorOutT<double> extra_rate) {
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
  extra_rate[load] = 0.0;
  if (!loads_.empty()) {
    load_wrenches<double>(model_, signal_time, loads_);
    const VectorXd& force = external_force<double>(model_, data_, q_, loads_);
    extra_rate[load] = v.dot(force);
    tau_ += force;
  }
  extra_rate[dissipated] = v.dot(damping_force<double>(model_, data_, q_, v));
  if (state_loads_.empty()) {
    a = forward_dynamics<double>(model_, data_, q_, v, tau_);
  } else {
    const int integrals = extra_count() - k_extra_count;
    const auto& kinematics = forward_kinematics<double>(model_, data_, q_, v);
    state_load_biases<double>(model_, kinematics, signal_time, extra.tail(integrals), state_loads_);
    state_load_rates<double>(model_, kinematics, signal_time, extra_rate.tail(integrals));
    a = forward_dynamics<double>(model_, data_, q_, v, tau_, state_loads_, added_);
    extra_rate[load] += state_load_power();
  }
  require_finite_acceleration(model_, v, a);
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
