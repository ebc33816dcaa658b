#pragma once

#include <string>

#include "cuttle/bodies/tetrahedral_mesh.h"

namespace cuttle {

/// Reads the mesh of a body from a file of Gmsh, MSH version 2.2 or 4.1, ASCII: all its tetrahedra, of four nodes or
/// all of ten, whatever volume they belong to, and the triangles of each physical group of surfaces that has a name.
/// Points, lines, other triangles, and nodes that no tetrahedron has, are left out. The result passes
/// TetrahedralMesh::check.
///
/// Our own, since Debian 12 has no library for it that we may link: Gmsh's is under the GPL, others (deal.II) come with
/// gigabytes and refuse less.
///
/// @throws FileError at FILE:LINE:COLUMN, with the number of the element or node: no such file, another version,
/// binary, an element of another kind or order, two orders, a node that does not exist, a number twice, an end too
/// early, and all that `check` refuses.
TetrahedralMesh read_gmsh_file(const std::string& path);
/// The same from its text. @param path  name of the file in messages.
TetrahedralMesh read_gmsh_text(const std::string& text, const std::string& path);

/// A mesh as text of version 2.2, which reads back equal: numbers of nodes and elements, and groups, too.
std::string gmsh_text(const TetrahedralMesh& mesh);

}  // namespace cuttle
