#include "sensors/sensor_suite.h"

#include <limits>
#include <numeric>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/kinematics.h"

namespace cuttle {

std::vector<RecordedSensor> recorded_sensors(const Model& model) {
  std::vector<RecordedSensor> all;
  const std::vector<NamedSensor>& sensors = model.robot().sensors;
  for (std::size_t i = 0; i < sensors.size(); ++i) {
    at_place({"sensors", i}, "sensor '" + sensors[i].name + "'", [&] {
      all.push_back({sensors[i].name, sensors[i].sensor->columns(model)});
    });
  }
  return all;
}

namespace {
std::vector<std::size_t> all_sensors(const Model& model) {
  std::vector<std::size_t> all(model.robot().sensors.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}
}  // namespace

SensorSuite::SensorSuite(const Model& model) : SensorSuite(model, all_sensors(model)) {}

SensorSuite::SensorSuite(const Model& model, const std::vector<std::size_t>& which)
    : model_(model), data_(model), moving_(model) {
  const std::vector<RecordedSensor> recorded = recorded_sensors(model);
  Eigen::Index size = 0;
  for (const std::size_t i : which) {
    const Sensor& sensor = *model.robot().sensors[i].sensor;
    const auto count = static_cast<Eigen::Index>(recorded[i].columns.size());
    at_place({"sensors", i}, "sensor '" + recorded[i].name + "'", [&] {
      sensors_.push_back({sensor.bind(model, model.sensor_frames(i)), sensor.needs_acceleration(), size, count});
    });
    needs_acceleration_ = needs_acceleration_ || sensor.needs_acceleration();
    size += count;
  }
  values_.setZero(size), y_.setZero(model.nu()), efforts_.setZero(model.nu());
}

const VectorXd& SensorSuite::read(const Instant& at) {
  const bool accelerates = needs_acceleration_ && at.a.allFinite();
  const auto& kinematics = accelerates ? forward_kinematics<double>(model_, moving_, at.q, at.v, at.a)
                                       : forward_kinematics<double>(model_, moving_, at.q, at.v);
  if (model_.nu() > 0) y_ = actuation_coordinates<double>(model_, data_, at.q);
  efforts_ = at.u;
  for (const BoundElementT<double>& element : model_.elements()) {
    if (!element.drives) continue;
    const int count = element.law->transmission_count();
    efforts_.segment(element.input, count) = at.elements.efforts.segment(element.first, count);
  }
  const SensorArguments seen{model_,       at.time,        at.q,       at.v, at.a,     at.u,
                             at.auxiliary, at.multipliers, kinematics, y_,   efforts_, at.elements.stored_energy,
                             data_,        at.at_rest};
  for (AtWork& sensor : sensors_) {
    if (sensor.needs_acceleration && !accelerates) {
      values_.segment(sensor.first, sensor.count).setConstant(std::numeric_limits<double>::quiet_NaN());
    } else {
      sensor.sensor->read(seen, values_.data() + sensor.first);
    }
  }
  return values_;
}

}  // namespace cuttle
