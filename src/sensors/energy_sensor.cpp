// Energies of the whole robot.
#include "cuttle/algorithms/energy.h"
#include "cuttle/sensors/sensors.h"

namespace cuttle {
namespace {

class BoundEnergy final : public BoundSensor {
 public:
  void read(const SensorArguments& at, double* values) override {
    values[0] = kinetic_energy<double>(at.model, at.data, at.q, at.v);
    values[1] = gravity_energy<double>(at.model, at.data, at.q);
    values[2] = elastic_energy<double>(at.model, at.data, at.q);
    values[3] = at.element_energy;
  }
};

class EnergySensor final : public Sensor {
 public:
  std::string type_name() const override { return "energy"; }
  std::vector<CoordinateInfo> columns(const Model& /*model*/) const override {
    return {{"kinetic", "J"}, {"gravity", "J"}, {"elastic", "J"}, {"elements", "J"}};
  }
  std::unique_ptr<BoundSensor> bind(const Model& /*model*/, const std::vector<Frame>& /*frames*/) const override {
    return std::make_unique<BoundEnergy>();
  }
};

}  // namespace

std::shared_ptr<const Sensor> make_energy_sensor() { return std::make_shared<const EnergySensor>(); }

}  // namespace cuttle
