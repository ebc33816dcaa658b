#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "bodies/volume/fem/tetrahedral_element.h"

namespace cuttle {

/// Finds the tetrahedron of a mesh in which a point lies: a grid of boxes, each with the tetrahedra that may reach into
/// it.
class TetrahedronSearch {
 public:
  explicit TetrahedronSearch(std::shared_ptr<const TetrahedralMesh> mesh);
  /// The place of x in the tetrahedron that has it (on a face, in one of the two). A point beside the mesh, not further
  /// away than the mesh's radius, goes as its nearest point and the gradients there say (of the nearest face, where
  /// edges are curved: the nearest point of the triangle of its corners).
  /// @throws ModelError: the point and how far the mesh is.
  template <typename S>
  ElementPlace<S> at(const Vector3T<S>& x, std::size_t& tetrahedron) const;
  const TetrahedralMesh& mesh() const { return *mesh_; }

 private:
  struct Found {
    std::size_t tetrahedron;
    Vector3 xi;
    bool inside;
  };
  Found find(const Vector3& x) const;
  /// Barycentric coordinates of corners 1, 2 and 3 of x, also outside. @return false: none found.
  bool coordinates_of(std::size_t tetrahedron, const Vector3& x, Vector3& xi) const;
  int cell(int axis, double coordinate) const;

  std::shared_ptr<const TetrahedralMesh> mesh_;
  std::vector<bool> curved_;  // of each tetrahedron, whether it has an edge that is not straight
  Vector3 low_, size_;
  std::array<int, 3> counts_;
  std::vector<std::vector<int>> cells_;
};

}  // namespace cuttle
