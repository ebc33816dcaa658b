#include "cuttle/bodies/tetrahedral_mesh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "bodies/volume/fem/mesh_fault.h"
#include "bodies/volume/fem/tetrahedral_element.h"
#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

using Place = MeshFault::Place;

/// A face of a tetrahedron, outward.
struct Face {
  std::array<int, 3> sorted;
  bool even;  ///< whether its outward nodes are an even permutation of the sorted ones
  std::size_t tetrahedron;
  int side;
};

// opposite to each node, counterclockwise seen from outside
constexpr int k_sides[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

std::array<int, 3> outward(const TetrahedralMesh& mesh, std::size_t tetrahedron, int side) {
  const std::array<int, 4>& corners = mesh.tetrahedra[tetrahedron];
  return {corners[k_sides[side][0]], corners[k_sides[side][1]], corners[k_sides[side][2]]};
}

/// All faces; those with the same nodes stand together, in the order of their tetrahedra.
std::vector<Face> sorted_faces(const TetrahedralMesh& mesh) {
  std::vector<Face> faces;
  faces.reserve(4 * mesh.tetrahedra.size());
  for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i) {
    for (int side = 0; side < 4; ++side) {
      const auto [a, b, c] = outward(mesh, i, side);
      std::array<int, 3> nodes{a, b, c};
      std::sort(nodes.begin(), nodes.end());
      const int descents = (a > b) + (b > c) + (a > c);
      faces.push_back({nodes, descents % 2 == 0, i, side});
    }
  }
  std::stable_sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) { return a.sorted < b.sorted; });
  return faces;
}

double six_volumes(const TetrahedralMesh& mesh, const std::array<int, 4>& corners) {
  const Vector3 a = mesh.nodes[corners[0]];
  return dot(cross(mesh.nodes[corners[1]] - a, mesh.nodes[corners[2]] - a), mesh.nodes[corners[3]] - a);
}

double longest_edge(const TetrahedralMesh& mesh, const std::array<int, 4>& corners) {
  double longest = 0.0;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < i; ++j) longest = std::max(longest, norm(mesh.nodes[corners[i]] - mesh.nodes[corners[j]]));
  }
  return longest;
}

std::string element_text(const TetrahedralMesh& mesh, std::size_t tetrahedron) {
  return "element " + std::to_string(mesh.element_number(tetrahedron));
}

using Edge = std::pair<int, int>;
Edge sorted_edge(int a, int b) { return {std::min(a, b), std::max(a, b)}; }
/// The node of each edge between two corners, of ten-node tetrahedra.
std::map<Edge, int> nodes_of_edges(const TetrahedralMesh& mesh) {
  std::map<Edge, int> nodes;
  for (std::size_t i = 0; i < mesh.edge_nodes.size(); ++i) {
    for (int e = 0; e < 6; ++e) {
      const auto [a, b] = k_tetrahedron_edges[e];
      nodes.insert({sorted_edge(mesh.tetrahedra[i][a], mesh.tetrahedra[i][b]), mesh.edge_nodes[i][e]});
    }
  }
  return nodes;
}

std::optional<MeshFault> fault_of_nodes(const TetrahedralMesh& mesh) {
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    const Vector3& x = mesh.nodes[i];
    if (std::isfinite(x.x) && std::isfinite(x.y) && std::isfinite(x.z)) continue;
    return MeshFault{Place::node, i, 0, "the coordinates " + vector_text(x), "finite ones"};
  }
  std::vector<bool> used(mesh.nodes.size());
  if (!mesh.edge_nodes.empty() && mesh.edge_nodes.size() != mesh.tetrahedra.size()) {
    return MeshFault{Place::mesh, 0, 0,
                     "nodes of the edges of " + std::to_string(mesh.edge_nodes.size()) + " tetrahedra",
                     "of none or of all " + std::to_string(mesh.tetrahedra.size())};
  }
  for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i) {
    for (const int node : ElementNodes(mesh, i)) {
      if (node >= 0 && static_cast<std::size_t>(node) < mesh.nodes.size()) {
        used[node] = true;
        continue;
      }
      return MeshFault{Place::tetrahedron, i, 0, "the node of index " + std::to_string(node),
                       "an index below " + std::to_string(mesh.nodes.size()) + ", the number of nodes"};
    }
  }
  const auto unused = std::find(used.begin(), used.end(), false);
  if (unused == used.end()) return std::nullopt;
  return MeshFault{Place::node, static_cast<std::size_t>(unused - used.begin()), 0, "no tetrahedron with it",
                   "only nodes of tetrahedra"};
}

/// Of tetrahedra one by one, whose nodes exist.
std::optional<MeshFault> fault_of_tetrahedra(const TetrahedralMesh& mesh) {
  // rounding of the coordinates moves the volume by some eps edge^2 times the distance from the origin
  constexpr double k_flat = 1e-10;
  for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i) {
    const std::array<int, 4>& corners = mesh.tetrahedra[i];
    const double six = six_volumes(mesh, corners), flat = k_flat * std::pow(longest_edge(mesh, corners), 3);
    if (six > flat) continue;
    const std::string kind = six < -flat ? "an inverted" : "a flat";
    return MeshFault{Place::tetrahedron, i, 0, kind + " tetrahedron (volume " + number_text(six / 6) + " m^3)",
                     "nodes a, b, c, d with (b - a) x (c - a) . (d - a) > 0"};
  }
  return std::nullopt;
}

/// Of ten-node tetrahedra, whose corners are good: of how edges meet, and of folds.
std::optional<MeshFault> fault_of_edges(const TetrahedralMesh& mesh) {
  if (mesh.edge_nodes.empty()) return std::nullopt;
  std::map<Edge, int> node_of;
  std::map<int, Edge> edge_of;
  std::set<int> corners;
  for (const auto& tetrahedron : mesh.tetrahedra) corners.insert(tetrahedron.begin(), tetrahedron.end());
  for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i) {
    for (int e = 0; e < 6; ++e) {
      const auto [a, b] = k_tetrahedron_edges[e];
      const Edge edge = sorted_edge(mesh.tetrahedra[i][a], mesh.tetrahedra[i][b]);
      const int node = mesh.edge_nodes[i][e];
      const auto name = [&mesh](int number) { return "node " + std::to_string(mesh.node_number(number)); };
      if (corners.count(node) > 0) {
        return MeshFault{Place::tetrahedron, i, 0, name(node) + ", a corner, as node of an edge", "a node of its own"};
      }
      const int known = node_of.insert({edge, node}).first->second;
      if (known != node) {
        return MeshFault{Place::tetrahedron, i, 0, name(node) + " on an edge that has " + name(known) + " already",
                         "one node at each edge, which all of its tetrahedra share"};
      }
      if (edge_of.insert({node, edge}).first->second != edge) {
        return MeshFault{Place::tetrahedron, i, 0, name(node) + " on two edges", "a node for each edge"};
      }
    }
  }
  for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i) {
    const auto fold = [&](const Vector3& xi) { return !(element_place<double>(mesh, i, xi).determinant > 0.0); };
    const MeshFault folded{Place::tetrahedron, i, 0, "a tetrahedron that its curved edges fold",
                           "nodes of edges nearer to their middles"};
    for (const ElementPoint& point : element_rule(14)) {
      if (fold(point.xi.cast<double>())) return folded;
    }
    const Vector3 at[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b <= a; ++b) {  // corners and middles of edges
        if (fold(0.5 * (at[a] + at[b]))) return folded;
      }
    }
  }
  return std::nullopt;
}

/// Of how tetrahedra meet.
std::optional<MeshFault> fault_of_faces(const TetrahedralMesh& mesh, const std::vector<Face>& faces) {
  std::vector<std::size_t> part(mesh.tetrahedra.size());  // parents in a forest whose trees are connected parts
  std::iota(part.begin(), part.end(), std::size_t{0});
  const auto root = [&part](std::size_t i) {
    while (part[i] != i) i = part[i] = part[part[i]];
    return i;
  };
  for (std::size_t first = 0, end = 0; first < faces.size(); first = end) {
    while (end < faces.size() && faces[end].sorted == faces[first].sorted) ++end;
    if (end - first == 1) continue;
    const std::string other = element_text(mesh, faces[first].tetrahedron);
    const std::size_t second = faces[first + 1].tetrahedron, last = faces[end - 1].tetrahedron;
    const auto set = [&mesh](std::size_t i) {
      std::array<int, 4> corners = mesh.tetrahedra[i];
      std::sort(corners.begin(), corners.end());
      return corners;
    };
    for (std::size_t k = first + 1; k < end; ++k) {
      for (std::size_t j = first; j < k; ++j) {
        if (set(faces[k].tetrahedron) != set(faces[j].tetrahedron)) continue;
        return MeshFault{Place::tetrahedron, faces[k].tetrahedron, 0,
                         "the nodes of " + element_text(mesh, faces[j].tetrahedron) + " again",
                         "each tetrahedron once (also if it is in several physical groups)"};
      }
    }
    if (end - first > 2) {
      return MeshFault{Place::tetrahedron, last, 0,
                       "a face that " + other + " and " + element_text(mesh, second) + " share already",
                       "at most two tetrahedra at a face"};
    }
    if (faces[first].even == faces[first + 1].even) {
      return MeshFault{Place::tetrahedron, second, 0, "a place on the same side of a face as " + other,
                       "tetrahedra that do not overlap"};
    }
    part[std::max(root(faces[first].tetrahedron), root(second))] =
        std::min(root(faces[first].tetrahedron), root(second));
  }
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (root(i) == 0) continue;
    return MeshFault{Place::tetrahedron, i, 0,
                     "a part of the body that shares no face with the part of " + element_text(mesh, 0),
                     "one connected body (with one node, not two, where its parts meet)"};
  }
  return std::nullopt;
}

std::optional<MeshFault> fault_of_groups(const TetrahedralMesh& mesh, const std::vector<Face>& faces) {
  for (std::size_t g = 0; g < mesh.groups.size(); ++g) {
    std::vector<std::array<int, 3>> seen;
    const auto& triangles = mesh.groups[g].triangles;
    for (std::size_t i = 0; i < triangles.size(); ++i) {
      std::array<int, 3> nodes = triangles[i];
      std::sort(nodes.begin(), nodes.end());
      const auto face = std::lower_bound(faces.begin(), faces.end(), nodes,
                                         [](const Face& a, const std::array<int, 3>& b) { return a.sorted < b; });
      if (face == faces.end() || face->sorted != nodes) {
        return MeshFault{Place::triangle, i, g, "a triangle that is no face of a tetrahedron",
                         "a part of the body's surface"};
      }
      seen.push_back(nodes);
    }
    std::sort(seen.begin(), seen.end());
    const auto twice = std::adjacent_find(seen.begin(), seen.end());
    if (twice == seen.end()) continue;
    std::size_t last = triangles.size();
    for (std::array<int, 3> nodes; last-- > 0;) {
      nodes = triangles[last];
      std::sort(nodes.begin(), nodes.end());
      if (nodes == *twice) break;
    }
    return MeshFault{Place::triangle, last, g, "a triangle again", "each once"};
  }
  return std::nullopt;
}

std::optional<MeshFault> fault_of_extent(const TetrahedralMesh& mesh) {
  const auto lowest = std::min_element(mesh.nodes.begin(), mesh.nodes.end(),
                                       [](const Vector3& a, const Vector3& b) { return a.z < b.z; });
  const double length = mesh.length();
  if (std::abs(lowest->z) <= 1e-9 * length) return std::nullopt;
  return MeshFault{Place::node, static_cast<std::size_t>(lowest - mesh.nodes.begin()), 0,
                   "z from " + number_text(lowest->z) + " to " + number_text(length) + " m",
                   "z from 0 on: the body's base lies in the plane z = 0, its far end at z = L"};
}

}  // namespace

double TetrahedralMesh::length() const {
  double greatest = nodes.empty() ? 0.0 : -std::numeric_limits<double>::infinity();
  for (const Vector3& x : nodes) greatest = std::max(greatest, x.z);
  return greatest;
}

double TetrahedralMesh::radius() const {
  double greatest = 0.0;
  for (const Vector3& x : nodes) greatest = std::max(greatest, std::hypot(x.x, x.y));
  return greatest;
}

double TetrahedralMesh::volume() const {
  double sum = 0.0;
  for (const std::array<int, 4>& corners : tetrahedra) sum += six_volumes(*this, corners) / 6;
  if (edge_nodes.empty()) return sum;
  sum = 0.0;  // edges may be curved; det(dx/dxi) is of degree 3
  each_element_point<double>(*this, 14, [&](std::size_t, const auto&, double part) { sum += part; });
  return sum;
}

std::optional<MeshFault> find_fault(const TetrahedralMesh& mesh) {
  if (mesh.tetrahedra.empty()) return MeshFault{Place::mesh, 0, 0, "no tetrahedra", "at least one"};
  if (auto fault = fault_of_nodes(mesh)) return fault;
  if (auto fault = fault_of_tetrahedra(mesh)) return fault;
  const std::vector<Face> faces = sorted_faces(mesh);
  if (auto fault = fault_of_faces(mesh, faces)) return fault;
  if (auto fault = fault_of_groups(mesh, faces)) return fault;
  if (auto fault = fault_of_edges(mesh)) return fault;
  return fault_of_extent(mesh);
}

std::string subject(const TetrahedralMesh& mesh, const MeshFault& fault) {
  switch (fault.place) {
    case Place::node:
      return "node " + std::to_string(mesh.node_number(fault.index));
    case Place::tetrahedron:
      return element_text(mesh, fault.index);
    case Place::triangle:
      return "group '" + mesh.groups[fault.group].name + "'";
    case Place::mesh:
      break;
  }
  return "";
}

void TetrahedralMesh::check() const {
  const auto fault = find_fault(*this);
  if (!fault) return;
  throw ModelError(
      Diagnostic({}, fault->found, fault->expected).place_in({}, subject(*this, *fault)).place_in("mesh", source));
}

std::vector<std::array<int, 3>> boundary_faces(const TetrahedralMesh& mesh) {
  const std::vector<Face> faces = sorted_faces(mesh);
  std::vector<std::pair<std::size_t, int>> open;  // tetrahedron and side
  for (std::size_t first = 0, end = 0; first < faces.size(); first = end) {
    while (end < faces.size() && faces[end].sorted == faces[first].sorted) ++end;
    if (end - first == 1) open.emplace_back(faces[first].tetrahedron, faces[first].side);
  }
  std::sort(open.begin(), open.end());
  std::vector<std::array<int, 3>> surface;
  surface.reserve(open.size());
  for (const auto& [tetrahedron, side] : open) surface.push_back(outward(mesh, tetrahedron, side));
  return surface;
}

std::vector<std::array<int, 3>> node_triangles(const TetrahedralMesh& mesh,
                                               const std::vector<std::array<int, 3>>& corner_triangles) {
  if (mesh.edge_nodes.empty()) return corner_triangles;
  const std::map<Edge, int> nodes = nodes_of_edges(mesh);
  std::vector<std::array<int, 3>> triangles;
  triangles.reserve(4 * corner_triangles.size());
  for (const auto& [a, b, c] : corner_triangles) {
    const int ab = nodes.at(sorted_edge(a, b)), bc = nodes.at(sorted_edge(b, c)), ca = nodes.at(sorted_edge(c, a));
    for (const std::array<int, 3>& part : {std::array{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}}) {
      triangles.push_back(part);
    }
  }
  return triangles;
}

TetrahedralMesh with_edge_nodes(const TetrahedralMesh& mesh) {
  if (!mesh.edge_nodes.empty()) return mesh;
  TetrahedralMesh other = mesh;
  long last = static_cast<long>(mesh.nodes.size());
  for (const long number : mesh.node_numbers) last = std::max(last, number);
  std::map<Edge, int> node_of;
  for (const std::array<int, 4>& corners : mesh.tetrahedra) {
    std::array<int, 6> edges{};
    for (int e = 0; e < 6; ++e) {
      const auto [i, j] = k_tetrahedron_edges[e];
      const int a = corners[i], b = corners[j];
      const auto [entry, is_new] = node_of.insert({sorted_edge(a, b), static_cast<int>(other.nodes.size())});
      edges[e] = entry->second;
      if (!is_new) continue;
      other.nodes.push_back(0.5 * (mesh.nodes[a] + mesh.nodes[b]));
      if (!mesh.node_numbers.empty()) other.node_numbers.push_back(++last);
    }
    other.edge_nodes.push_back(edges);
  }
  return other;
}

}  // namespace cuttle
