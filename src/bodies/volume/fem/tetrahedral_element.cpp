#include "bodies/volume/fem/tetrahedral_element.h"

#include <algorithm>
#include <cmath>

#include "cuttle/spatial/scalars.h"

namespace cuttle {

namespace {

using Precise = long double;

/// Adds the four points toward the corners, or away from them, whose other three coordinates are a.
void add_corner_points(std::vector<ElementPoint>& rule, Precise a, Precise weight) {
  for (int corner = 0; corner < 4; ++corner) {
    Precise all[4] = {a, a, a, a};
    all[corner] = 1 - 3 * a;
    rule.push_back({{all[1], all[2], all[3]}, weight});
  }
}
/// Adds the six points toward the edges, with a at the two corners that are not of the edge.
void add_edge_points(std::vector<ElementPoint>& rule, Precise a, Precise weight) {
  for (const auto& edge : k_tetrahedron_edges) {
    Precise all[4] = {a, a, a, a};
    all[edge[0]] = all[edge[1]] = Precise(0.5) - a;
    rule.push_back({{all[1], all[2], all[3]}, weight});
  }
}

}  // namespace

ElementNodes::ElementNodes(const TetrahedralMesh& mesh, std::size_t tetrahedron)
    : nodes_{}, count_(mesh.nodes_per_tetrahedron()) {
  std::copy_n(mesh.tetrahedra[tetrahedron].begin(), 4, nodes_.begin());
  if (count_ > 4) std::copy_n(mesh.edge_nodes[tetrahedron].begin(), 6, nodes_.begin() + 4);
}

template <typename S>
ElementPlace<S> element_place(const TetrahedralMesh& mesh, std::size_t tetrahedron, const Vector3T<S>& xi) {
  const ElementNodes nodes(mesh, tetrahedron);
  const S zero(0.0), one(1.0), four(4.0);
  const std::array<S, 4> L{one - xi.x - xi.y - xi.z, xi.x, xi.y, xi.z};
  const std::array<Vector3T<S>, 4> L_slope{Vector3T<S>{-one, -one, -one}, Vector3T<S>{one, zero, zero},
                                           Vector3T<S>{zero, one, zero}, Vector3T<S>{zero, zero, one}};
  ElementPlace<S> place;
  place.count = nodes.count();
  std::array<Vector3T<S>, k_most_element_nodes> slopes;  // dN_i/dxi
  for (int i = 0; i < 4; ++i) {
    place.values[i] = L[i], slopes[i] = L_slope[i];
    if (place.count == 4) continue;
    place.values[i] = L[i] * (S(2.0) * L[i] - one);
    slopes[i] = (four * L[i] - one) * L_slope[i];
  }
  for (int e = 0; e < place.count - 4; ++e) {
    const auto [a, b] = k_tetrahedron_edges[e];
    place.values[4 + e] = four * L[a] * L[b];
    slopes[4 + e] = four * (L[a] * L_slope[b] + L[b] * L_slope[a]);
  }
  // columns of dx/dxi, from differences to the first corner: the sum of all slopes is 0
  const Vector3T<S> origin = mesh.nodes[nodes[0]].template cast<S>();
  std::array<Vector3T<S>, 3> columns{};
  place.position = origin;
  for (int i = 1; i < place.count; ++i) {
    const Vector3T<S> from = mesh.nodes[nodes[i]].template cast<S>() - origin;
    place.position += place.values[i] * from;
    for (int k = 0; k < 3; ++k) columns[k] += slopes[i][k] * from;
  }
  place.determinant = dot(cross(columns[0], columns[1]), columns[2]);
  const S inverse = one / place.determinant;
  for (int k = 0; k < 3; ++k) place.local[k] = inverse * cross(columns[(k + 1) % 3], columns[(k + 2) % 3]);
  for (int i = 0; i < place.count; ++i) {
    for (int k = 0; k < 3; ++k) place.gradients[i] += slopes[i][k] * place.local[k];
  }
  return place;
}

const std::vector<ElementPoint>& element_rule(int points) {
  static const std::vector<ElementPoint> k_none,
      k_one =
          [] {
            return std::vector<ElementPoint>{{{0.25L, 0.25L, 0.25L}, 1.0L}};
          }(),
      k_four =
          [] {
            // point p lies toward corner p: the sums over the points of its barycentric coordinates' squares and
            // products are 4 times their means, 1/10 and 1/20
            std::vector<ElementPoint> rule;
            add_corner_points(rule, (5 - std::sqrt(5.0L)) / 20, 0.25L);
            return rule;
          }(),
      k_fourteen = [] {
        // Walkington, Quadrature on simplices of arbitrary dimension (2000); here to 22 digits, by Newton's method on
        // the equations of moments
        std::vector<ElementPoint> rule;
        add_corner_points(rule, 0.3108859192633006097973L, 0.1126879257180158507992L);
        add_corner_points(rule, 0.0927352503108912264023L, 0.0734930431163619495437L);
        add_edge_points(rule, 0.0455037041256496494919L, 0.0425460207770814664381L);
        return rule;
      }();
  return points == 1 ? k_one : points == 4 ? k_four : points == 14 ? k_fourteen : k_none;
}
int mass_rule(const TetrahedralMesh& mesh) { return mesh.nodes_per_tetrahedron() == 4 ? 4 : 14; }
int strain_rule(const TetrahedralMesh& mesh) { return mesh.nodes_per_tetrahedron() == 4 ? 1 : 4; }
int exact_strain_rule(const TetrahedralMesh& mesh) { return mesh.nodes_per_tetrahedron() == 4 ? 1 : 14; }

#define CUTTLE_INSTANTIATE(S) \
  template ElementPlace<S> element_place(const TetrahedralMesh&, std::size_t, const Vector3T<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
