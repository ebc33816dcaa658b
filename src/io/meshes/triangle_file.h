#pragma once

#include <array>
#include <optional>
#include <string>

#include "cuttle/geometry/triangle_mesh.h"
#include "cuttle/io/named_files.h"

namespace cuttle {

/// Reads a surface from a file in STL (ASCII or binary) or Wavefront OBJ, which one by the end of its name. Of OBJ the
/// vertices and faces are read; faces of more than three corners, taken as convex, are split. Points of STL at the same
/// place are one.
/// @throws FileError at FILE:LINE:COLUMN, or FILE for binary data: another format, an end too early, a vertex that does
/// not exist, no triangle.
TriangleMesh read_triangle_text(const NamedText& file);

/// The mesh of the key `file`, as it stands there. Nothing, reported, if there is none.
std::optional<TriangleMesh> read_triangles(const YamlMap& map, NamedFiles& files);
/// The factors of the key `scale` on x, y and z, 1 if it is missing. Nothing, reported, if they are wrong.
template <typename S>
std::optional<std::array<S, 3>> read_scale(const YamlMap& map);

/// The text of a Wavefront OBJ file.
std::string obj_text(const TriangleMesh& mesh);

}  // namespace cuttle
