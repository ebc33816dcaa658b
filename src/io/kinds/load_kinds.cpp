// The loads of a robot file, a line each.
#include "io/kinds/kind_list.h"
#include "io/robot/robot_tables.h"

namespace cuttle {

// each in a source of its own
LoadKind wrench_load_kind();
LoadKind distributed_load_kind();
LoadKind fluid_kind();
LoadKind drone_kind();
LoadKind mass_damping_kind();

template <>
KindList<LoadKind>& kinds() {
  static KindList<LoadKind> k_kinds("load", {
                                                wrench_load_kind(),
                                                distributed_load_kind(),
                                                fluid_kind(),
                                                drone_kind(),
                                                mass_damping_kind(),
                                            });
  return k_kinds;
}

void register_kind(LoadKind kind) { kinds<LoadKind>().add(std::move(kind)); }

const KeyVariants k_load_variants{.name = "load", .selector = "type", .registered = registered_variants<LoadKind>};

}  // namespace cuttle
