#pragma once

#include <array>
#include <string>
#include <vector>

#include "cuttle/spatial/vector3.h"

namespace cuttle {

/// Mesh of four-node tetrahedra: the shape of a volume at rest, in the base frame of its body, z from 0 to max z.
struct TetrahedralMesh {
  std::string source;                          ///< file it was read from, for messages; empty: made in memory
  std::vector<Vector3T<double>> nodes;         ///< rest positions [m]
  std::vector<std::array<int, 4>> tetrahedra;  ///< indices of nodes; (b - a) x (c - a) . (d - a) > 0
  std::vector<long> node_numbers;              ///< of the file, for messages; empty: index + 1
  std::vector<long> element_numbers;           ///< of the file, for messages; empty: index + 1

  /// Named part of the surface.
  struct Group {
    std::string name;
    std::vector<std::array<int, 3>> triangles;  ///< as in the file
  };
  std::vector<Group> groups;

  /// Number of a tetrahedron in the file.
  long element_number(std::size_t i) const { return element_numbers.empty() ? long(i) + 1 : element_numbers[i]; }
  /// @throws ModelError that names the first bad element by its number: fewer than one tetrahedron, a node that does
  /// not exist or is used by no tetrahedron, an inverted or flat tetrahedron, one that appears twice, parts that share
  /// no face, a coordinate that is not finite.
  void check() const;
};

}  // namespace cuttle
