#pragma once

#include "cuttle/io/named_files.h"
#include "cuttle/io/visual.h"

namespace cuttle {

/// Triangles of a mesh file in STL, OBJ, Collada (DAE), glTF (GLB) or MuJoCo's MSH, which one by the end of its name.
/// Of scenes the shapes are taken where their nodes put them, z up and in metres if the file says how; colors are left
/// out.
/// @throws FileError if it is none of these, or not as its format wants it.
TriangleMesh read_scene_mesh(const NamedText& file);

}  // namespace cuttle
