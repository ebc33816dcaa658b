#pragma once

#include <memory>

#include "cuttle/bodies/continuum_joint.h"
#include "io/yaml_cursor.h"

namespace cuttle {

/// A continuum joint. Null if something is wrong with it; then there are errors.
template <typename S>
std::shared_ptr<const ContinuumJointT<S>> read_continuum_joint(const YamlMap& map);

}  // namespace cuttle
