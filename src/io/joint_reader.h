#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/model/joint.h"
#include "io/yaml_cursor.h"

namespace cuttle {

/// The key `axis` of a joint or loop; z where it is missing or wrong (then with an error).
template <typename S>
Vector3T<S> read_axis(const YamlMap& map);

/// A joint and its springs; null, with errors, if something is wrong.
template <typename S>
std::shared_ptr<const JointT<S>> read_joint(const YamlMap& map, JointDynamicsT<S>& dynamics);

/// A number for all coordinates, or one each, under a key of `map`; empty if the file leaves it out.
/// @param units  of the coordinates, one each.   @param whose  for messages: "a revolute joint".
template <typename S>
std::vector<S> read_coordinates(const YamlMap& map, const std::string& name, const std::vector<std::string>& units,
                                const std::string& whose);

}  // namespace cuttle
