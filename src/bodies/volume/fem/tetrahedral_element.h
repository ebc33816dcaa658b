#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "cuttle/bodies/tetrahedral_mesh.h"

// The element of a mesh of tetrahedra: what is of degree 1 (four nodes) or 2 (ten) in it, and the points that integrate
// it. Whoever sums over a mesh asks here and never for the number of nodes.

namespace cuttle {

inline constexpr int k_most_element_nodes = 10;

/// The edges of a tetrahedron, as pairs of corners, in the order of their nodes (that of Gmsh).
inline constexpr int k_tetrahedron_edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {2, 3}, {1, 3}};

/// The nodes of one tetrahedron: its four corners and, if it has ten, those of its edges.
class ElementNodes {
 public:
  ElementNodes(const TetrahedralMesh& mesh, std::size_t tetrahedron);
  int count() const { return count_; }
  int operator[](int i) const { return nodes_[i]; }
  const int* begin() const { return nodes_.data(); }
  const int* end() const { return nodes_.data() + count_; }

 private:
  std::array<int, k_most_element_nodes> nodes_;
  int count_;
};

/// What a tetrahedron is at one place, given by the barycentric coordinates xi of its corners 1, 2 and 3 (of corner 0:
/// what is missing to 1). Between its nodes everything goes as sum of N_i(xi), also the rest position: isoparametric.
template <typename S>
struct ElementPlace {
  int count = 0;                                              ///< of nodes
  std::array<S, k_most_element_nodes> values{};               ///< shape functions N_i
  std::array<Vector3T<S>, k_most_element_nodes> gradients{};  ///< dN_i/dx [1/m]
  std::array<Vector3T<S>, 3> local{};                         ///< dxi_k/dx [1/m]
  Vector3T<S> position{};                                     ///< x at rest [m]
  S determinant{};                                            ///< det(dx/dxi) [m^3]: 6 volumes, if edges are straight
};
template <typename S>
ElementPlace<S> element_place(const TetrahedralMesh& mesh, std::size_t tetrahedron, const Vector3T<S>& xi);

/// A point of a rule of quadrature; the weights have the sum 1, that is of a volume of 1/6 in xi.
struct ElementPoint {
  Vector3T<long double> xi;
  long double weight;
};
/// The rule of so many points, all weights positive: 1 of degree 1, 4 of degree 2, 14 of degree 5 (Walkington 2000).
/// Empty: there is none.
const std::vector<ElementPoint>& element_rule(int points);
/// The rule that integrates the products of two shape functions exactly, and so the consistent mass, where edges are
/// straight.
int mass_rule(const TetrahedralMesh& mesh);
/// The rules for what strains make: the fewest points that are exact to second order in the displacements, and those
/// that are exact to the fourth, as the energy of St. Venant-Kirchhoff material; where edges are straight.
int strain_rule(const TetrahedralMesh& mesh);
int exact_strain_rule(const TetrahedralMesh& mesh);

/// Calls use(ElementPlace, volume of the point) for all points of a rule in one tetrahedron.
template <typename S, typename Use>
void each_point_of(const TetrahedralMesh& mesh, std::size_t tetrahedron, int points, const Use& use) {
  for (const ElementPoint& point : element_rule(points)) {
    const ElementPlace<S> place = element_place<S>(mesh, tetrahedron, point.xi.template cast<S>());
    use(place, place.determinant * S(point.weight / 6));
  }
}
/// Calls use(tetrahedron, ElementPlace, volume of the point) for all points of a rule in all tetrahedra.
template <typename S, typename Use>
void each_element_point(const TetrahedralMesh& mesh, int points, const Use& use) {
  for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
    each_point_of<S>(mesh, t, points, [&](const ElementPlace<S>& place, const S& volume) { use(t, place, volume); });
  }
}
template <typename S>
ElementPlace<S> element_centre(const TetrahedralMesh& mesh, std::size_t tetrahedron) {
  return element_place<S>(mesh, tetrahedron, {S(0.25), S(0.25), S(0.25)});
}
/// Calls use(tetrahedron, ElementPlace of its centre, its volume) for all tetrahedra.
template <typename S, typename Use>
void each_element_centre(const TetrahedralMesh& mesh, const Use& use) {
  for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
    S whole(0.0);
    each_point_of<S>(mesh, t, strain_rule(mesh), [&](const ElementPlace<S>&, const S& volume) { whole += volume; });
    use(t, element_centre<S>(mesh, t), whole);
  }
}

}  // namespace cuttle
