#include "control/sensor_readings.h"

#include <algorithm>
#include <limits>

#include "algorithms/element_slopes.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/error.h"
#include "cuttle/model/spelling.h"

namespace cuttle {
namespace {

std::vector<std::size_t> places_of_sensors(const Model& model, const std::vector<std::string>& names) {
  const std::vector<NamedSensor>& sensors = model.robot().sensors;
  std::vector<std::string> known;
  known.reserve(sensors.size());
  for (const NamedSensor& sensor : sensors) known.push_back(sensor.name);
  std::vector<std::size_t> places;
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      throw ArgumentError("sensors: found no sensor '" + name + "', expected " +
                          (known.empty() ? "none: the robot has no sensors" : "one" + did_you_mean(name, known)));
    }
    const auto place = static_cast<std::size_t>(found - known.begin());
    if (sensors[place].sensor->needs_acceleration()) {
      throw ArgumentError("sensors: found '" + name + "', of type " + sensors[place].sensor->type_name() +
                          ", which depends on accelerations, expected one that does not: a law with a clock has all "
                          "sensors at its samples");
    }
    places.push_back(place);
  }
  return places;
}

VectorXd unknown(int size) { return VectorXd::Constant(size, std::numeric_limits<double>::quiet_NaN()); }

}  // namespace

SensorReadings::SensorReadings(const Model& model, const std::vector<std::string>& names)
    : model_(model),
      suite_(model, places_of_sensors(model, names)),
      layout_(state_layout(model)),
      data_(model),
      elements_(model),
      differences_(model),
      u_(VectorXd::Zero(model.nu())),
      states_(start_of_auxiliary(model)),
      values_(VectorXd::Zero(suite_.size())),
      no_acceleration_(unknown(model.nv())),
      no_multipliers_(unknown(model.constraint_count())) {}

const VectorXd& SensorReadings::read(const ControlArguments& at) {
  u_ = at.u;
  clip_slack<double>(model_, u_);
  states_ = at.robot_state;
  if (!model_.elements().empty()) {
    element_motion<double>(model_, data_, at.q, at.v, elements_);
    solve_element_states(model_, at.time, u_, layout_.elements_of(at.robot_state),
                         {StateCoupling::Kind::step, at.stiff_factor}, elements_);
    layout_.elements_of(states_) = elements_.states;
    element_efforts<double>(model_, at.time, u_, elements_);
  }
  return suite_.read({at.time, at.q, at.v, no_acceleration_, u_, states_, no_multipliers_, elements_});
}

void SensorReadings::differentiate(ControlArguments& at, const InputSlopes& before) {
  by_q_.setZero(suite_.size(), model_.nv()), by_v_.setZero(suite_.size(), model_.nv());
  differences_(
      at, before, [this](const ControlArguments& near, VectorXd& value) { value = read(near); }, by_q_, by_v_);
  values_ = read(at);
  at.readings = &values_, at.readings_by_q = &by_q_, at.readings_by_v = &by_v_;
}

}  // namespace cuttle
