#pragma once

#include <array>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/body_surface.h"
#include "cuttle/spatial/vector3.h"

namespace CUTTLE_API cuttle {

/// Mesh of tetrahedra with four nodes each, or with ten: the shape of a volume at rest, in the base frame of its body,
/// z from 0 to max z. What is interpolated in it is of degree 1 with four nodes, of degree 2 with ten; also the shape,
/// so that edges of ten-node tetrahedra may be parabolas.
struct TetrahedralMesh {
  std::string source;                   ///< file it was read from, for messages; empty: made in memory
  std::vector<Vector3T<double>> nodes;  ///< rest positions [m]
  std::vector<std::array<int, 4>>
      tetrahedra;  ///< corners a, b, c, d, indices of nodes; (b - a) x (c - a) . (d - a) > 0
  /// Of each tetrahedron the nodes of its edges ab, bc, ac, ad, cd, bd (the order of Gmsh); empty: four nodes each.
  std::vector<std::array<int, 6>> edge_nodes;
  std::vector<long> node_numbers;     ///< of the file, for messages; empty: index + 1
  std::vector<long> element_numbers;  ///< of the file, for messages; empty: index + 1

  /// Named part of the surface.
  struct Group {
    std::string name;
    std::vector<std::array<int, 3>>
        triangles;  ///< corners of faces of tetrahedra, each once; orientation as in the file
  };
  std::vector<Group> groups;

  int nodes_per_tetrahedron() const { return edge_nodes.empty() ? 4 : 10; }
  /// Number of a tetrahedron in the file.
  long element_number(std::size_t i) const { return element_numbers.empty() ? long(i) + 1 : element_numbers[i]; }
  /// Number of a node in the file.
  long node_number(std::size_t i) const { return node_numbers.empty() ? long(i) + 1 : node_numbers[i]; }
  double length() const;  ///< greatest z [m]; 0 without nodes
  double radius() const;  ///< greatest distance of a node from the z axis [m]
  double volume() const;  ///< [m^3]
  /// @throws ModelError that names the first bad element by its number: fewer than one tetrahedron, a node that does
  /// not exist or is used by no tetrahedron, an inverted or flat tetrahedron, one that appears twice, a face of more
  /// than two or of two on the same side, parts that share no face, a coordinate that is not finite, a least z that is
  /// not 0 (within 1e-9 of the greatest), a triangle of a group that is no face or appears twice; with ten nodes an
  /// edge of two nodes, a node of two edges, a tetrahedron that folds between its nodes.
  void check() const;
};

/// The same with a node in the middle of each edge that is straight: ten-node tetrahedra of the same shape. The new
/// nodes come behind the others; their numbers go on from the greatest.
CUTTLE_API TetrahedralMesh with_edge_nodes(const TetrahedralMesh& mesh);

/// The surface of a mesh that passes `check`: corners of faces of one tetrahedron, counterclockwise seen from outside;
/// in the order of the tetrahedra.
std::vector<std::array<int, 3>> boundary_faces(const TetrahedralMesh& mesh);
/// Triangles of corners as triangles of nodes that lie on them: with ten-node tetrahedra four of each, by the nodes of
/// its edges.
std::vector<std::array<int, 3>> node_triangles(const TetrahedralMesh& mesh,
                                               const std::vector<std::array<int, 3>>& corner_triangles);
/// The surface as node_triangles, with its points alone.
BodySurface boundary_surface(const TetrahedralMesh& mesh);

}  // namespace cuttle
