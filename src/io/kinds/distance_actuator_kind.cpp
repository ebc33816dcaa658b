// A line between two places of a robot file.
#include "cuttle/model/transmissions/distance.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_writers.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_distance_actuator{
    .keys = actuator_keys({frame_key("a", "Origin of this frame: one end."),
                           frame_key("b", "Origin of this frame: the other end, which can move against that.")})};

template <typename S>
std::optional<ActuatorT<S>> read_distance_actuator(const PartReader<S>& part) {
  const PlaceT<S> a = part.frame("a"), b = part.frame("b");
  return ActuatorT<S>::distance(part.name(), a, b);
}

void write_distance_actuator(const Actuator& actuator, MapWriter& map) {
  write_ends(transmission_of<DistanceTransmission>(actuator), map);
}

}  // namespace

ActuatorKind distance_actuator_kind() {
  return {"distance",
          &k_distance_actuator,
          "A force u [N] that pulls two places towards each other, along the line through them: a linear motor, a "
          "cylinder; y = l(0) - l(q), how much shorter it is than in the neutral configuration.",
          "{name: cylinder, type: distance, a: {link: base, pose: {position: [0.1, 0, 0]}}, b: {link: finger}}",
          read_distance_actuator<double>,
          read_distance_actuator<ForwardDual>,
          write_distance_actuator};
}

}  // namespace cuttle
