// What actuators have: their lengths, or volumes of chambers, with rates, and their forces.
#include <utility>

#include "algorithms/actuation_info.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/error.h"
#include "cuttle/sensors/sensors.h"

namespace cuttle {
namespace {

/// Inputs of an actuator.
struct Range {
  int first = 0, count = 0;
};
Range inputs_of(const Model& model, const std::string& name) {
  Range range;
  for (const Actuator& actuator : model.robot().actuators) {
    range.count = static_cast<int>(actuator.inputs().size());
    if (actuator.name == name) return range;
    range.first += range.count;
  }
  throw ModelError("actuator", "actuator '" + name + "'", "the name of an actuator");
}

class BoundLength final : public BoundSensor {
 public:
  explicit BoundLength(Range inputs) : inputs_(inputs) {}
  void read(const SensorArguments& at, double* values) override {
    const MatrixXd& A = actuation_matrix<double>(at.model, at.data, at.q);
    for (int k = 0; k < inputs_.count; ++k) {
      values[2 * k] = at.y[inputs_.first + k];
      values[2 * k + 1] = A.col(inputs_.first + k).dot(at.v);
    }
  }

 private:
  Range inputs_;
};

class BoundForce final : public BoundSensor {
 public:
  explicit BoundForce(Range inputs) : inputs_(inputs) {}
  void read(const SensorArguments& at, double* values) override {
    for (int k = 0; k < inputs_.count; ++k) values[k] = at.efforts[inputs_.first + k];
  }

 private:
  Range inputs_;
};

/// "" of an actuator's only input, else ".0", ".tx", ..
std::string ending(const Model& model, const std::string& actuator, int input) {
  return model.input_info()[static_cast<std::size_t>(input)].name.substr(actuator.size());
}

class LengthSensor : public OfActuator {
 public:
  using OfActuator::OfActuator;
  std::string type_name() const override { return "actuator_length"; }
  std::vector<CoordinateInfo> columns(const Model& model) const override { return named(model, "length"); }
  std::unique_ptr<BoundSensor> bind(const Model& model, const std::vector<Frame>& /*frames*/) const override {
    return std::make_unique<BoundLength>(inputs_of(model, actuator()));
  }

 protected:
  std::vector<CoordinateInfo> named(const Model& model, const char* what) const {
    std::vector<CoordinateInfo> columns;
    const std::vector<CoordinateInfo> y = actuation_info(model);
    const Range inputs = inputs_of(model, actuator());
    for (int k = inputs.first; k < inputs.first + inputs.count; ++k) {
      const std::string end = ending(model, actuator(), k), unit = y[static_cast<std::size_t>(k)].unit;
      columns.push_back({what + end, unit});
      columns.push_back({"rate" + end, unit.empty() ? "1/s" : unit + "/s"});
    }
    return columns;
  }
};

class VolumeSensor final : public LengthSensor {
 public:
  using LengthSensor::LengthSensor;
  std::string type_name() const override { return "chamber_volume"; }
  std::vector<CoordinateInfo> columns(const Model& model) const override {
    std::vector<CoordinateInfo> columns = named(model, "volume");
    if (columns.size() == 2 && columns.front().unit == "m^3") return columns;
    throw ModelError("actuator", "'" + actuator() + "', which has no volume", "the name of a chamber");
  }
};

class ForceSensor final : public OfActuator {
 public:
  using OfActuator::OfActuator;
  std::string type_name() const override { return "actuator_force"; }
  std::vector<CoordinateInfo> columns(const Model& model) const override {
    std::vector<CoordinateInfo> columns;
    const Range inputs = inputs_of(model, actuator());
    for (int k = inputs.first; k < inputs.first + inputs.count; ++k) {
      columns.push_back({"force" + ending(model, actuator(), k), model.actuation().units[static_cast<std::size_t>(k)]});
    }
    return columns;
  }
  std::unique_ptr<BoundSensor> bind(const Model& model, const std::vector<Frame>& /*frames*/) const override {
    return std::make_unique<BoundForce>(inputs_of(model, actuator()));
  }
};

}  // namespace

std::shared_ptr<const Sensor> make_actuator_length_sensor(std::string actuator) {
  return std::make_shared<const LengthSensor>(std::move(actuator));
}
std::shared_ptr<const Sensor> make_actuator_force_sensor(std::string actuator) {
  return std::make_shared<const ForceSensor>(std::move(actuator));
}
std::shared_ptr<const Sensor> make_chamber_volume_sensor(std::string actuator) {
  return std::make_shared<const VolumeSensor>(std::move(actuator));
}

}  // namespace cuttle
