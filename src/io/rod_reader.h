#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/bodies/rod_body.h"
#include "io/yaml_cursor.h"

namespace cuttle {

/// A material of the file, as far as a rod can use it.
struct NamedMaterial {
  std::string model;     ///< linear, neo_hookean, ..
  RodMaterial material;  ///< meaningful for linear and neo_hookean
  bool good = false;     ///< read without errors
  bool used = false;
};
using NamedMaterials = std::map<std::string, NamedMaterial>;

NamedMaterial read_material(const YamlMap& map);

/// A rod, design 4.1. Null if something is wrong with it or its material; then there are errors.
/// @param warnings  gets FILE:LINE:COLUMN: key: what is odd.
std::shared_ptr<const RodBody> read_rod(const YamlMap& map, NamedMaterials& materials,
                                        std::vector<std::string>& warnings);

}  // namespace cuttle
