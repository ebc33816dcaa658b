#pragma once

#include <string>

#include "cuttle/io/named_files.h"
#include "cuttle/io/visual.h"

namespace cuttle {

/// Reads a surface from a file in STL (ASCII or binary) or Wavefront OBJ, which one by the end of its name. Of OBJ the
/// vertices and faces are read; faces of more than three corners, taken as convex, are split. Points of STL at the same
/// place are one.
/// @throws FileError at FILE:LINE:COLUMN, or FILE for binary data: another format, an end too early, a vertex that does
/// not exist, no triangle.
TriangleMesh read_triangle_text(const NamedText& file);

}  // namespace cuttle
