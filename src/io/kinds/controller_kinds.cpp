// The controllers of scenario files: those of the library, each as it says about itself, and those of users.
#include <deque>

#include "io/kinds/controller_keys.h"
#include "io/kinds/kind_list.h"
#include "io/scenario/scenario_tables.h"

namespace cuttle {
namespace {

std::vector<ControllerKind> library_kinds() {
  static std::deque<KeyTable> k_tables;
  std::vector<ControllerKind> all;
  for (const LibraryLaw& law : library_laws()) {
    k_tables.push_back({.keys = controller_keys(law)});
    all.push_back({law.type, &k_tables.back(), law.about, law.example,
                   [&law](const KeyReader<double>& part) { return read_controller(law, part); }});
  }
  return all;
}

}  // namespace

template <>
KindList<ControllerKind>& kinds() {
  static KindList<ControllerKind> k_kinds("controller", library_kinds());
  return k_kinds;
}

void register_kind(ControllerKind kind) { kinds<ControllerKind>().add(std::move(kind)); }

const KeyVariants k_controller_variants{
    .name = "controller", .selector = "type", .registered = registered_variants<ControllerKind>};

}  // namespace cuttle
