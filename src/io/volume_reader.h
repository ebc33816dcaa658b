#pragma once

#include <memory>
#include <string>

#include "cuttle/bodies/volume_body.h"
#include "io/rod_reader.h"

namespace cuttle {

/// Where a volume gets the files that it names.
struct VolumeFiles {
  std::string directory;         ///< that their paths are relative to
  const Body* before = nullptr;  ///< the body that was read from the same tree: it has them. Null: read them
};

/// A soft volume. Null if something is wrong with it or its material; then there are errors.
template <typename S>
std::shared_ptr<const BodyT<S>> read_volume(const YamlMap& map, NamedMaterialsT<S>& materials,
                                            const VolumeFiles& files);

}  // namespace cuttle
