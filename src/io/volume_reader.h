#pragma once

#include <memory>
#include <string>

#include "cuttle/bodies/volume_body.h"
#include "io/named_files.h"
#include "io/rod_reader.h"

namespace cuttle {

/// Where a volume gets what stands in other files.
struct VolumeFiles {
  NamedFiles& named;
  const Body* before = nullptr;  ///< the body that was read from the same tree: it has it all. Null: read the files
};

/// A soft volume. Null if something is wrong with it or its material; then there are errors.
template <typename S>
std::shared_ptr<const BodyT<S>> read_volume(const YamlMap& map, NamedMaterialsT<S>& materials,
                                            const VolumeFiles& files);

}  // namespace cuttle
