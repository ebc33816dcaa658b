// The elements of a robot file, a line each.
#include "io/kinds/kind_list.h"
#include "io/robot/robot_tables.h"

namespace cuttle {

// each in a source of its own
ElementKind spring_kind();
ElementKind joint_limit_kind();
ElementKind joint_friction_kind();
ElementKind coupling_kind();
ElementKind play_kind();
ElementKind tendon_friction_kind();

template <>
KindList<ElementKind>& kinds() {
  static KindList<ElementKind> k_kinds("element", {
                                                      spring_kind(),
                                                      joint_limit_kind(),
                                                      joint_friction_kind(),
                                                      coupling_kind(),
                                                      play_kind(),
                                                      tendon_friction_kind(),
                                                  });
  return k_kinds;
}

void register_kind(ElementKind kind) { kinds<ElementKind>().add(std::move(kind)); }

const KeyVariants k_element_variants{
    .name = "element", .selector = "type", .registered = registered_variants<ElementKind>};

}  // namespace cuttle
