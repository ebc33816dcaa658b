#pragma once

#include <memory>

#include "cuttle/model/joint.h"
#include "io/yaml_cursor.h"

namespace cuttle {

/// A joint and its springs; null, with errors, if something is wrong.
std::shared_ptr<const Joint> read_joint(const YamlMap& map, JointDynamicsT<double>& dynamics);

}  // namespace cuttle
