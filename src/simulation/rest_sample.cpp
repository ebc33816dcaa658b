#include "cuttle/simulation/rest_sample.h"

#include <limits>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/constraints.h"
#include "cuttle/algorithms/elements.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/state_layout.h"
#include "cuttle/simulation/recorded_contacts.h"
#include "cuttle/simulation/recorded_quantities.h"
#include "model/check_argument.h"
#include "sensors/sensor_suite.h"
#include "simulation/sampler.h"

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
    sample.sensors = sensors.read({time, q, zero, zero, sample.u, states, multipliers, elements, true});
  }
  const auto& kinematics = forward_kinematics<double>(model, data, q, zero);
  if (!model.site_laws().empty()) {
    ContactReader contacts(model);
    const VectorXd unloaded = VectorXd::Zero(state_layout(model).sites);
    sample.contacts = contacts.read_at_rest(kinematics, time,
                                            equilibrium.site_states.size() > 0 ? equilibrium.site_states : unloaded);
    sample.contact = contacts.stored_energy();
  }
  sample_frames(model, kinematics, sample);
  return sample;
}

Sample unknown_sample(const Model& model, VectorInT<double> u) {
  Sample sample = sized_sample({model, {}, {}}, std::numeric_limits<double>::quiet_NaN());
  sample.u = u;
  return sample;
}

}  // namespace cuttle
