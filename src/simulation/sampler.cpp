#include "simulation/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/kinematics.h"

namespace cuttle {

Sampler::Sampler(const Model& model) : model_(model), data_(model) {
  sample_.u.resize(model.nu()), sample_.y.resize(model.nu());
  if (!model.loops().empty()) constraints_.emplace(model);
}

const Sample& Sampler::take(const State& state, RobotSystem& system) {
  Sample& s = sample_;
  s.time = state.time, s.q = state.q, s.v = state.v;
  system.inputs(state.time, s.q, s.v, state.auxiliary, s.u);
  system.record_controllers(state.time, s.q, s.v, s.control);
  if (!model_.robot().sensors.empty()) {
    s.sensors = system.sense(state.time, s.q, s.v, state.auxiliary, state.multipliers, s.u);
  }
  if (!system.driven().empty()) {
    s.motion = system.motion_efforts(state.time, s.q, s.v, state.auxiliary, state.multipliers, s.u);
  }
  system.actuation(state.q, s.y);
  s.kinetic = kinetic_energy<double>(model_, data_, state.q, state.v);
  s.gravity = gravity_energy<double>(model_, data_, state.q);
  s.elastic = elastic_energy<double>(model_, data_, state.q);
  const ElementData& elements = system.elements(state.time, state.q, state.v, state.auxiliary, s.u);
  s.elements = elements.stored_energy;
  s.element_outputs = elements.outputs;
  s.element_states = state.auxiliary.tail(model_.element_start().size());
  if (constraints_) {
    s.loop_residual = constraint_residual<double>(model_, data_, *constraints_, state.q);
    s.multipliers = state.multipliers;
    if (s.multipliers.size() == 0) {
      s.multipliers.setConstant(model_.constraint_count(), std::numeric_limits<double>::quiet_NaN());
    }
  }
  s.dissipated = state.auxiliary[RobotSystem::dissipated];
  s.input = state.auxiliary[RobotSystem::input];
  s.load = state.auxiliary[RobotSystem::load];
  const auto& kinematics = forward_kinematics<double>(model_, data_, state.q);
  s.tips.resize(model_.links().size());
  for (std::size_t i = 0; i < s.tips.size(); ++i) s.tips[i] = kinematics.pose(model_.links()[i].tip);
  const std::vector<Marker>& markers = model_.robot().markers;
  s.markers.resize(markers.size());
  for (std::size_t i = 0; i < markers.size(); ++i) {
    s.markers[i] = kinematics.pose(model_.marker_frame(markers[i].name));
  }
  return s;
}

void account_energy(const Sample& sample, double start_energy, Outcome& outcome) {
  outcome.peak_kinetic = std::max(outcome.peak_kinetic, sample.kinetic);
  outcome.peak_energy = std::max(outcome.peak_energy, std::abs(sample.energy()));
  const double work = sample.input + sample.load - sample.dissipated;
  outcome.energy_error = std::max(outcome.energy_error, std::abs(sample.energy() - start_energy - work));
}

}  // namespace cuttle
