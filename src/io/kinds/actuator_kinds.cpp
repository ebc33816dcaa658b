// The actuators of a robot file, a line each.
#include "io/kinds/library_kinds.h"
#include "io/robot/robot_tables.h"

namespace cuttle {

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
