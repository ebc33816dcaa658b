#pragma once

#include <memory>

#include "cuttle/model/joint.h"
#include "io/yaml_cursor.h"

namespace cuttle {

/// A joint and its springs; null, with errors, if something is wrong.
template <typename S>
std::shared_ptr<const JointT<S>> read_joint(const YamlMap& map, JointDynamicsT<S>& dynamics);

}  // namespace cuttle
