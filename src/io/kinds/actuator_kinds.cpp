// The actuators of a robot file, a line each.
#include "io/kinds/kind_list.h"
#include "io/robot/robot_tables.h"

namespace cuttle {

// each in a source of its own
ActuatorKind joint_actuator_kind();
ActuatorKind linear_actuator_kind();
ActuatorKind tendon_kind();
ActuatorKind chamber_kind();
ActuatorKind wrench_actuator_kind();
ActuatorKind distance_actuator_kind();

template <>
KindList<ActuatorKind>& kinds() {
  static KindList<ActuatorKind> k_kinds("actuator", {
                                                        joint_actuator_kind(),
                                                        linear_actuator_kind(),
                                                        tendon_kind(),
                                                        chamber_kind(),
                                                        wrench_actuator_kind(),
                                                        distance_actuator_kind(),
                                                    });
  return k_kinds;
}

void register_kind(ActuatorKind kind) { kinds<ActuatorKind>().add(std::move(kind)); }

const KeyVariants k_actuator_variants{
    .name = "actuator", .selector = "type", .registered = registered_variants<ActuatorKind>};

}  // namespace cuttle
