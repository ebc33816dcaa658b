#pragma once

#include <optional>
#include <vector>

#include "cuttle/io/named_files.h"
#include "cuttle/io/visual.h"
#include "cuttle/io/yaml_cursor.h"

namespace cuttle {

/// The shapes under the key `visual` of a mapping, one or a list; none if there is no such key. What is wrong is
/// reported and left out.
/// @param files  from which meshes come.
std::vector<Visual> read_visuals(const YamlMap& map, NamedFiles& files);

/// A color by name or numbers (color_key); nothing, reported, if it is wrong.
std::optional<Color> read_color(const YamlCursor& cursor, const Key& rule);

}  // namespace cuttle
