// The bodies of a robot file, a line each.
#include "io/kinds/kind_list.h"
#include "io/robot/robot_tables.h"

namespace cuttle {

// each in a source of its own
BodyKind rigid_kind();
BodyKind rod_kind();
BodyKind volume_kind();
BodyKind continuum_joint_kind();

template <>
KindList<BodyKind>& kinds() {
  static KindList<BodyKind> k_kinds("body", {
                                                rigid_kind(),
                                                rod_kind(),
                                                volume_kind(),
                                                continuum_joint_kind(),
                                            });
  return k_kinds;
}

void register_kind(BodyKind kind) { kinds<BodyKind>().add(std::move(kind)); }

const KeyVariants k_body_variants{.name = "body", .selector = "type", .registered = registered_variants<BodyKind>};

}  // namespace cuttle
