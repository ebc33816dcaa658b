#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/bodies/rod_body.h"
#include "cuttle/bodies/volume_material.h"
#include "io/yaml_cursor.h"

namespace cuttle {

/// A material of the file, as rods and as volumes can use it.
template <typename S>
struct NamedMaterialT {
  std::string model;          ///< linear, neo_hookean, ..
  RodMaterialT<S> material;   ///< for linear and neo_hookean; density, damping_time and viscosity of every model
  VolumeMaterialT<S> volume;  ///< for every model but linear
  bool good = false;          ///< read without errors
  bool used = false;
};
template <typename S>
using NamedMaterialsT = std::map<std::string, NamedMaterialT<S>>;

template <typename S>
NamedMaterialT<S> read_material(const YamlMap& map);

/// The material that a body names, now used; null, with an error, if there is none of that name (without error if the
/// body has no such key).
template <typename S>
NamedMaterialT<S>* find_material(const YamlMap& map, NamedMaterialsT<S>& materials);

/// A rod. Null if something is wrong with it or its material; then there are errors.
/// @param warnings  gets FILE:LINE:COLUMN: key: what is odd.
template <typename S>
std::shared_ptr<const RodBodyT<S>> read_rod(const YamlMap& map, NamedMaterialsT<S>& materials,
                                            std::vector<std::string>& warnings);

}  // namespace cuttle
