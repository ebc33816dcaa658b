#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "cuttle/spatial/vector3.h"

namespace cuttle {

using SurfaceTriangle = std::array<int, 3>;

inline Vector3 twice_area(const std::vector<Vector3>& x, const SurfaceTriangle& t) {
  return cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]);
}

/// Triangles that have the edge from one point to another one; each edge of a closed surface has one each way.
using SurfaceEdges = std::map<std::pair<int, int>, int>;
/// @return nothing where two triangles have the same one.
inline std::optional<SurfaceEdges> surface_edges(const std::vector<SurfaceTriangle>& triangles) {
  SurfaceEdges edges;
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::pair<int, int> edge{triangles[i][k], triangles[i][(k + 1) % 3]};
      if (!edges.emplace(edge, static_cast<int>(i)).second) return std::nullopt;
    }
  }
  return edges;
}

/// How many sharp edges meet at each point: two along an edge of the body, others at its corners.
inline std::vector<int> sharp_edges(const std::vector<Vector3>& x, const std::vector<SurfaceTriangle>& triangles,
                                    const SurfaceEdges& edges) {
  constexpr double k_sharp = 0.77;  // cosine of the angle between normals at a sharp edge: 40 degrees
  std::vector<int> sharp(x.size(), 0);
  for (const auto& [edge, triangle] : edges) {
    const auto back = edges.find({edge.second, edge.first});
    bool is_sharp = back == edges.end();
    if (!is_sharp) {
      const Vector3 n = twice_area(x, triangles[triangle]), m = twice_area(x, triangles[back->second]);
      is_sharp = dot(n, m) < k_sharp * norm(n) * norm(m);
    }
    if (is_sharp) ++sharp[edge.first];
  }
  return sharp;
}

}  // namespace cuttle
