#include "simulation/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/simulation/energy_account.h"

namespace cuttle {

Sampler::Sampler(const Model& model) : model_(model), data_(model) {
  sample_.u.resize(model.nu()), sample_.y.resize(model.nu());
  if (!model.loops().empty()) constraints_.emplace(model);
  if (!model.site_laws().empty()) contacts_.emplace(model);
}

const Sample& Sampler::take(const State& state, RobotSystem& system) {
  Sample& s = sample_;
  s.time = state.time, s.q = state.q, s.v = state.v;
  const ReachedState reached = system.evaluate(state);
  s.u = reached.inputs();
  reached.record_controllers(s.control);
  if (!model_.robot().sensors.empty()) s.sensors = reached.sensors();
  if (!system.driven().empty()) s.motion = reached.motion_efforts();
  system.actuation(state.q, s.y);
  s.kinetic = kinetic_energy<double>(model_, data_, state.q, state.v);
  s.gravity = gravity_energy<double>(model_, data_, state.q);
  s.elastic = elastic_energy<double>(model_, data_, state.q);
  const ElementData& elements = reached.elements();
  s.elements = elements.stored_energy;
  s.element_outputs = elements.outputs;
  s.element_states = system.layout().elements_of(state.auxiliary);
  if (constraints_) {
    s.loop_residual = constraint_residual<double>(model_, data_, *constraints_, state.q);
    s.multipliers = state.multipliers;
    if (s.multipliers.size() == 0) {
      s.multipliers.setConstant(model_.constraint_count(), std::numeric_limits<double>::quiet_NaN());
    }
  }
  const auto works = system.layout().works_of(state.auxiliary);
  s.dissipated = works[StateLayout::dissipated], s.input = works[StateLayout::input], s.load = works[StateLayout::load];
  const auto& kinematics = contacts_ ? forward_kinematics<double>(model_, data_, state.q, state.v)
                                     : forward_kinematics<double>(model_, data_, state.q);
  if (contacts_) {
    s.contacts = contacts_->read(kinematics, state.time, system.layout().sites_of(state.auxiliary),
                                 system.layout().pair_works_of(state.auxiliary));
    s.contact = contacts_->stored_energy();
  }
  sample_frames(model_, kinematics, s);
  return s;
}

void sample_frames(const Model& model, const KinematicsT<double>& kinematics, Sample& sample) {
  sample.tips.clear(), sample.markers.clear();
  for (const auto& link : model.links()) sample.tips.push_back(kinematics.pose(link.tip));
  for (const Marker& marker : model.robot().markers) {
    sample.markers.push_back(kinematics.pose(model.marker_frame(marker.name)));
  }
}

namespace {
/// Of 1 kg at 1 m [1/s^2]: what 1e-13 of is the energy of 1e-11 m/s, which rounding leaves of rest without any energy.
constexpr double k_still = 1e-9;
}  // namespace

double Sampler::energy_terms(const State& state, RobotSystem& system) {
  double mass = 0.0, reach = norm(model_.robot().base_pose.position), terms = 0.0;
  for (const auto& link : model_.links()) mass += link.rest_inertia.mass;
  for (const Pose& tip : sample_.tips) reach = std::max(reach, norm(tip.position));
  terms += mass * reach * (norm(model_.robot().gravity) + k_still * reach);
  const VectorXd& force = elastic_force<double>(model_, data_, state.q);
  for (const auto& link : model_.links()) {
    for (int k = 0; k < link.nv; ++k) {
      const bool turns = k < link.joint_nv && link.joint_nv != link.joint_nq;  // by at most half a turn
      terms += std::abs(force[link.v + k]) * (turns ? M_PI : std::abs(state.q[link.q + link.nq - link.nv + k]));
    }
  }
  const ElementData& elements = system.evaluate(state).elements();
  return terms + elements.efforts.cwiseAbs().dot(elements.y.cwiseAbs());
}

void EnergyExchange::add(const EnergyBalance& state) {
  const std::array<double, k_count> values{state.kinetic, state.gravity, state.elastic, state.dissipated,
                                           state.input,   state.load,    state.contacts};
  if (!begun_) {
    begun_ = true;
    least_ = most_ = values;
    least_[0] = 0.0;
  }
  for (std::size_t i = 0; i < k_count; ++i) {
    least_[i] = std::min(least_[i], values[i]), most_[i] = std::max(most_[i], values[i]);
  }
}

EnergyExchange::Amount EnergyExchange::largest() const {
  static constexpr std::array<const char*, k_count> k_names{"the peak kinetic energy",
                                                            "the change of the gravity energy",
                                                            "the change of the elastic energy",
                                                            "the dissipated energy",
                                                            "the work of the inputs",
                                                            "the work of the loads",
                                                            "the change of the energy of contacts"};
  Amount largest{0.0, k_names[0]};
  for (std::size_t i = 0; i < k_count; ++i) {
    if (most_[i] - least_[i] > largest.value) largest = {most_[i] - least_[i], k_names[i]};
  }
  return largest;
}

double Outcome::energy_rounding() const {
  return 1e-13 * (peak_energy + peak_kinetic + energy_terms + exchange.largest().value) + loop_energy;
}

void EnergyAccount::add(const Sample& sample, Outcome& outcome) {
  outcome.exchange.add(sample.balance());
  if (!start_) {
    start_ = sample.energy();
    loop_start_.setConstant(sample.loop_residual.size(), std::numeric_limits<double>::quiet_NaN());
  }
  double loops = 0.0;  // multipliers may be unknown
  for (Eigen::Index i = 0; i < std::min(sample.multipliers.size(), loop_start_.size()); ++i) {
    if (!std::isfinite(sample.multipliers[i]) || sample.multipliers[i] == 0.0) continue;
    if (std::isnan(loop_start_[i])) loop_start_[i] = sample.loop_residual[i];
    const double worth = std::abs(sample.multipliers[i] * (sample.loop_residual[i] - loop_start_[i]));
    if (std::isfinite(worth)) loops += worth;
  }
  outcome.loop_energy = std::max(outcome.loop_energy, loops);
  outcome.peak_kinetic = std::max(outcome.peak_kinetic, sample.kinetic);
  outcome.peak_energy = std::max(outcome.peak_energy, std::abs(sample.energy()));
  const double work = sample.input + sample.load - sample.dissipated;
  outcome.energy_error = std::max(outcome.energy_error, std::abs(sample.energy() - *start_ - work));
}

}  // namespace cuttle
