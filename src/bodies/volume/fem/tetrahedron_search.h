#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bodies/volume/fem/tetrahedral_element.h"

namespace cuttle {

/// Finds the tetrahedron of a mesh in which a point lies: a grid of boxes, each with the tetrahedra that may reach into
/// it. Those who ask ask for the same points again and again (of pockets, tendons and ports): where these were is
/// remembered, by threads together.
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
  Found search(const Vector3& x) const;
  /// x in a tetrahedron that is known to be the one that `search` finds.
  Found place_in(std::size_t tetrahedron, bool inside, const Vector3& x) const;
  /// Barycentric coordinates of corners 1, 2 and 3 of x, also outside. @return false: none found.
  bool coordinates_of(std::size_t tetrahedron, const Vector3& x, Vector3& xi) const;
  int cell(int axis, double coordinate) const;

  std::shared_ptr<const TetrahedralMesh> mesh_;
  std::vector<bool> curved_;  // of each tetrahedron, whether it has an edge that is not straight
  Vector3 low_, size_;
  std::array<int, 3> counts_;
  std::vector<std::vector<int>> cells_;

  // Two places for each point, by its hash. An entry is the rest of the hash (32 bits), the tetrahedron + 1 (31 bits),
  // and whether x is in it: one word, so that no thread sees half of it. 0: empty.
  std::size_t remembered_count_ = 0;
  std::unique_ptr<std::atomic<std::uint64_t>[]> remembered_;
};

}  // namespace cuttle
