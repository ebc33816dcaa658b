#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cuttle/bodies/tetrahedral_mesh.h"

namespace cuttle {

/// What is wrong with a mesh, for messages that also know the file.
struct MeshFault {
  enum class Place { mesh, node, tetrahedron, triangle } place = Place::mesh;
  std::size_t index = 0;  ///< of the node, tetrahedron or, in its group, triangle
  std::size_t group = 0;  ///< of the triangle
  std::string found, expected;
};

/// The first thing that TetrahedralMesh::check refuses; none: the mesh is good.
std::optional<MeshFault> find_fault(const TetrahedralMesh& mesh);

/// What a fault is about: "element 17", "node 3", "group 'skin'"; empty for the mesh as a whole.
std::string subject(const TetrahedralMesh& mesh, const MeshFault& fault);

}  // namespace cuttle
