#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/bodies/rod_body.h"
#include "io/yaml_cursor.h"

namespace cuttle {

/// A material of the file, as far as a rod can use it.
template <typename S>
struct NamedMaterialT {
  std::string model;         ///< linear, neo_hookean, ..
  RodMaterialT<S> material;  ///< meaningful for linear and neo_hookean
  bool good = false;         ///< read without errors
  bool used = false;
};
template <typename S>
using NamedMaterialsT = std::map<std::string, NamedMaterialT<S>>;

template <typename S>
NamedMaterialT<S> read_material(const YamlMap& map);

/// A rod. Null if something is wrong with it or its material; then there are errors.
/// @param warnings  gets FILE:LINE:COLUMN: key: what is odd.
template <typename S>
std::shared_ptr<const RodBodyT<S>> read_rod(const YamlMap& map, NamedMaterialsT<S>& materials,
                                            std::vector<std::string>& warnings);

}  // namespace cuttle
