// A wrench at a place of a robot file, its six components inputs.
#include "cuttle/model/transmissions/wrench.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_writers.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_wrench_actuator{
    .keys = {required(name("name")).about("Unique name; the inputs are NAME.tx, .ty, .tz, .fx, .fy, .fz."),
             link_key("Link that it acts on."), place_key(),
             choice("frame", {"body", "world"})
                 .about("Axes of torque and force: of the place, or of the world.")
                 .by_default("body")}};

template <typename S>
std::optional<ActuatorT<S>> read_wrench_actuator(const PartReader<S>& part) {
  const Axes axes = part.text("frame") == "world" ? Axes::world : Axes::body;
  return ActuatorT<S>::wrench(part.name(), part.place(false), axes);
}

void write_wrench_actuator(const Actuator& actuator, MapWriter& map) {
  const auto& wrench = transmission_of<WrenchTransmission>(actuator);
  write_material_place(wrench.place, map);
  map.text("frame", wrench.axes == Axes::world ? "world" : "body", "body");
}

}  // namespace

ActuatorKind wrench_actuator_kind() {
  return {"wrench",
          &k_wrench_actuator,
          "Torque and force at a place, six inputs: propellers, a hand. They turn no coordinate into a number: y is 0.",
          "{name: propellers, type: wrench, link: finger, at: tip}",
          read_wrench_actuator<double>,
          read_wrench_actuator<ForwardDual>,
          write_wrench_actuator};
}

}  // namespace cuttle
