#pragma once

#include <string>

#include "cuttle/bodies/tetrahedral_mesh.h"

namespace cuttle::test {

/// A box as below, of 3 x 3 x nz bricks without the middle ones: a hole along z, whose walls are the group `hole`.
TetrahedralMesh ring_mesh(const Vector3& size, int nz);
/// A box as the shape `box` has it: x and y centered, z from 0; nx ny nz bricks of six tetrahedra each.
TetrahedralMesh box_mesh(const Vector3& size, int nx, int ny, int nz);

/// The points of a mesh moved by f(x).
template <typename F>
TetrahedralMesh mapped(TetrahedralMesh mesh, const F& f) {
  for (Vector3& x : mesh.nodes) x = f(x);
  return mesh;
}

/// A mesh as a file of Gmsh.
/// @param version  "2.2" or "4.1".
std::string msh_text(const TetrahedralMesh& mesh, const std::string& version);

}  // namespace cuttle::test
