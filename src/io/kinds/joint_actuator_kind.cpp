// A motor at a joint of a robot file.
#include "cuttle/model/transmissions/joint.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_writers.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_joint_actuator{.keys = actuator_keys({link_key("Link whose joint it drives."), index_key()})};

template <typename S>
std::optional<ActuatorT<S>> read_joint_actuator(const PartReader<S>& part) {
  const auto [link, index] = part.joint_coordinate();
  return ActuatorT<S>::joint(part.name(), link, index);
}

void write_joint_actuator(const Actuator& actuator, MapWriter& map) {
  write_joint_coordinate(transmission_of<JointTransmission>(actuator), map);
}

}  // namespace

ActuatorKind joint_actuator_kind() {
  return {"joint",
          &k_joint_actuator,
          "Force or torque [N m, N] on one coordinate of a joint.",
          "{name: motor1, type: joint, link: shoulder}",
          read_joint_actuator<double>,
          read_joint_actuator<ForwardDual>,
          write_joint_actuator};
}

}  // namespace cuttle
