#pragma once

#include <memory>

#include "cuttle/bodies/volume_body.h"
#include "io/rod_reader.h"

namespace cuttle {

/// A soft volume. Null if something is wrong with it or its material; then there are errors.
template <typename S>
std::shared_ptr<const VolumeBodyT<S>> read_volume(const YamlMap& map, NamedMaterialsT<S>& materials);

}  // namespace cuttle
