#include "cuttle/simulation/rest_sample.h"

#include <limits>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/constraints.h"
#include "cuttle/algorithms/elements.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/state_layout.h"
#include "cuttle/simulation/recorded_contacts.h"
#include "model/check_argument.h"
#include "sensors/sensor_suite.h"

namespace cuttle {

Sample rest_sample(const Model& model, Data& data, VectorInT<double> u, const StaticEquilibrium& equilibrium,
                   double time) {
  check_workspace(model, "rest_sample", "data", data);
  check_configuration_argument(model, "rest_sample", "equilibrium.q", equilibrium.q);
  const VectorXd& q = equilibrium.q;
  const VectorXd zero = VectorXd::Zero(model.nv());
  Sample sample;
  sample.q = q, sample.v = zero;
  sample.u = u;
  sample.y = actuation_coordinates<double>(model, data, q);
  sample.gravity = gravity_energy<double>(model, data, q);
  sample.elastic = elastic_energy<double>(model, data, q);
  sample.element_states = equilibrium.element_states;
  ElementData elements(model);
  if (!model.elements().empty()) {
    element_motion<double>(model, data, q, zero, elements);
    elements.states = equilibrium.element_states;
    element_efforts<double>(model, time, u, elements);
    element_outputs<double>(model, time, u, elements);
    sample.elements = elements.stored_energy, sample.element_outputs = elements.outputs;
  }
  if (!model.loops().empty()) {
    ConstraintData constraints(model);
    sample.loop_residual = constraint_residual<double>(model, data, constraints, q);
    sample.multipliers = equilibrium.multipliers;
  }
  if (!model.robot().sensors.empty()) {
    SensorSuite sensors(model);
    VectorXd states = start_of_auxiliary(model);
    state_layout(model).elements_of(states) = equilibrium.element_states;
    if (equilibrium.site_states.size() > 0) state_layout(model).sites_of(states) = equilibrium.site_states;
    VectorXd multipliers = equilibrium.multipliers;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    if (multipliers.size() != model.constraint_count()) multipliers.setConstant(model.constraint_count(), nan);
    sample.sensors = sensors.read({time, q, zero, zero, sample.u, states, multipliers, elements});
  }
  const auto& kinematics = forward_kinematics<double>(model, data, q, zero);
  if (!model.site_laws().empty()) {
    ContactReader contacts(model);
    const VectorXd unloaded = VectorXd::Zero(state_layout(model).sites);
    sample.contacts =
        contacts.read(kinematics, time, equilibrium.site_states.size() > 0 ? equilibrium.site_states : unloaded);
    sample.contact = contacts.stored_energy();
  }
  for (const auto& link : model.links()) sample.tips.push_back(kinematics.pose(link.tip));
  for (const Marker& marker : model.robot().markers) {
    sample.markers.push_back(kinematics.pose(model.marker_frame(marker.name)));
  }
  return sample;
}

Sample unknown_sample(const Model& model, VectorInT<double> u) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto unknown = [nan](std::size_t size) { return VectorXd::Constant(static_cast<Eigen::Index>(size), nan); };
  Sample sample;
  sample.q = unknown(static_cast<std::size_t>(model.nq())), sample.v = unknown(static_cast<std::size_t>(model.nv()));
  sample.u = u, sample.y = unknown(static_cast<std::size_t>(model.nu()));
  sample.element_states = unknown(static_cast<std::size_t>(model.element_start().size()));
  sample.element_outputs = unknown(model.element_output_info().size());
  std::size_t readings = 0, contacts = 0;
  for (const RecordedContact& contact : recorded_contacts(model)) contacts += contact.columns.size();
  sample.contacts = unknown(contacts);
  for (const RecordedSensor& sensor : recorded_sensors(model)) readings += sensor.columns.size();
  sample.sensors = unknown(readings);
  sample.loop_residual = sample.multipliers = unknown(static_cast<std::size_t>(model.constraint_count()));
  sample.kinetic = sample.gravity = sample.elastic = sample.elements = sample.contact = nan;
  const Vector3 none{nan, nan, nan};
  const Pose nowhere{{none, none, none}, none};
  sample.tips.assign(model.links().size(), nowhere);
  sample.markers.assign(model.robot().markers.size(), nowhere);
  return sample;
}

}  // namespace cuttle
