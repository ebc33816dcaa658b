#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/io/part_reader.h"
#include "cuttle/model/joint.h"

namespace cuttle {

/// A joint and its springs; null, with errors, if something is wrong.
template <typename S>
std::shared_ptr<const JointT<S>> read_joint(const PartReader<S>& part, JointDynamicsT<S>& dynamics);

/// A number for all coordinates, or one each, under a key of `map`; empty if the file leaves it out.
/// @param units  of the coordinates, one each.   @param whose  for messages: "a revolute joint".
template <typename S>
std::vector<S> read_coordinates(const YamlMap& map, const std::string& name, const std::vector<std::string>& units,
                                const std::string& whose);

}  // namespace cuttle
