#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cuttle/spatial/vector3.h"
#include "view/scene_items.h"

namespace cuttle {

/// Triangles with a normal at each vertex, counterclockwise seen from outside.
struct ShadedMesh {
  std::vector<Vector3> points, normals;
  std::vector<std::uint32_t> indices;

  /// A grid of rows x columns vertices and the triangles between them.
  template <typename Vertex>
  void add_grid(int rows, int columns, const Vertex& vertex) {
    const auto first = static_cast<std::uint32_t>(points.size());
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        const auto [point, normal] = vertex(i, j);
        points.push_back(point), normals.push_back(normal);
      }
    }
    for (int i = 0; i + 1 < rows; ++i) {
      for (int j = 0; j + 1 < columns; ++j) {
        const std::uint32_t a = first + i * columns + j, b = a + 1, c = a + columns, d = c + 1;
        indices.insert(indices.end(), {a, b, d, a, d, c});
      }
    }
  }
};

/// Of a box, cylinder, sphere or capsule of a scene, in its own axes.
ShadedMesh shape_mesh(const SceneShape& shape);
/// A sphere about the origin.
ShadedMesh sphere_mesh(double radius);

/// Outline of a section: points (x, y) and normals, counterclockwise, the first again at the end. Corners of a
/// rectangle stand twice.
struct SectionOutline {
  std::vector<std::array<double, 2>> points, normals;
};
/// @param inner  the bore of an annulus instead of its outside.
SectionOutline section_outline(const SceneRod& rod, std::size_t station, bool inner = false);

}  // namespace cuttle
