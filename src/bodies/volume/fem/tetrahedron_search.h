#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "cuttle/bodies/tetrahedral_mesh.h"

namespace cuttle {

/// Gradients of the four functions that are linear in a tetrahedron, 1 at one corner and 0 at the others.
struct CornerFunctions {
  std::array<Vector3, 4> gradients;
  double volume;
};
CornerFunctions corner_functions(const TetrahedralMesh& mesh, std::size_t tetrahedron);

/// Finds the tetrahedron of a mesh in which a point lies: a grid of boxes, each with the tetrahedra that may reach into
/// it.
class TetrahedronSearch {
 public:
  explicit TetrahedronSearch(std::shared_ptr<const TetrahedralMesh> mesh);
  /// The tetrahedron with x, or the nearest if that is not further away than the mesh's radius. On a face, one of the
  /// two.
  /// @throws ModelError: the point and how far the mesh is.
  std::size_t find(const Vector3& x) const;
  const CornerFunctions& functions(std::size_t tetrahedron) const { return functions_[tetrahedron]; }
  const TetrahedralMesh& mesh() const { return *mesh_; }

 private:
  /// Least of the four corner functions: 0 or more inside.
  double depth(std::size_t tetrahedron, const Vector3& x) const;
  double distance(std::size_t tetrahedron, const Vector3& x) const;
  int cell(int axis, double coordinate) const;

  std::shared_ptr<const TetrahedralMesh> mesh_;
  std::vector<CornerFunctions> functions_;
  Vector3 low_, size_;
  std::array<int, 3> counts_;
  std::vector<std::vector<int>> cells_;
};

}  // namespace cuttle
