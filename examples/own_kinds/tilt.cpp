// A sensor: how far the z axis of a place leans from the vertical, as an inclinometer says.
#include <cuttle/sensors/sensors.h>

#include <cmath>

#include "own_kinds.h"

namespace {

class BoundTilt final : public cuttle::BoundSensor {
 public:
  explicit BoundTilt(const cuttle::Frame& frame) : frame_(frame) {}
  void read(const cuttle::SensorArguments& at, double* values) override {
    const cuttle::Matrix3 R = at.kinematics.pose(frame_).rotation;
    values[0] = std::atan2(std::hypot(R.row0.z, R.row1.z), R.row2.z);
  }

 private:
  cuttle::Frame frame_;
};

class Tilt final : public cuttle::PlacedSensor {
 public:
  using cuttle::PlacedSensor::PlacedSensor;
  std::string type_name() const override { return "tilt"; }
  std::vector<cuttle::CoordinateInfo> columns(const cuttle::Model&) const override { return {{"angle", "rad"}}; }
  std::unique_ptr<cuttle::BoundSensor> bind(const cuttle::Model&,
                                            const std::vector<cuttle::Frame>& frames) const override {
    return std::make_unique<BoundTilt>(frames.front());
  }
};

const cuttle::KeyTable k_keys{
    .keys = cuttle::sensor_keys({cuttle::link_key("Link that it sits on."), cuttle::place_key()})};

void write_tilt(const cuttle::Sensor& sensor, cuttle::MapWriter& map) {
  cuttle::write_material_place(dynamic_cast<const Tilt&>(sensor).place(), map);
}

}  // namespace

cuttle::SensorKind tilt_kind() {
  return {"tilt",
          &k_keys,
          "How far the z axis of a place leans from the vertical.",
          "{name: level, type: tilt, link: finger}",
          [](const cuttle::PartReader<double>& part) { return std::make_shared<const Tilt>(part.place()); },
          nullptr,  // no derivatives by numbers of the file: no motion depends on it
          write_tilt};
}
