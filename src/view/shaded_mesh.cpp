#include "view/shaded_mesh.h"

#include <cmath>
#include <utility>

namespace cuttle {
namespace {

constexpr int k_sides_around = 24, k_quarter = 8;

using Vertex = std::pair<Vector3, Vector3>;  // point and normal

Vector3 around(int j, double radius, double z = 0.0) {
  const double angle = 2 * M_PI * j / k_sides_around;
  return {radius * std::cos(angle), radius * std::sin(angle), z};
}

/// Half a sphere about (0, 0, z), towards +z or -z.
void add_cap(ShadedMesh& mesh, double radius, double z, double side) {
  mesh.add_grid(k_quarter + 1, k_sides_around + 1, [&](int i, int j) {
    // from the pole for the lower half, to the pole for the upper: the triangles then look outside
    const double latitude = 0.5 * M_PI * (side > 0 ? i : i - k_quarter) / k_quarter;
    const Vector3 normal = around(j, std::cos(latitude), std::sin(latitude));
    return Vertex{radius * normal + Vector3{0, 0, z}, normal};
  });
}
void add_side(ShadedMesh& mesh, double radius, double length) {
  mesh.add_grid(2, k_sides_around + 1, [&](int i, int j) {
    return Vertex{around(j, radius, (i - 0.5) * length), around(j, 1.0)};
  });
}
void add_disc(ShadedMesh& mesh, double radius, double z, double side) {
  mesh.add_grid(2, k_sides_around + 1, [&](int i, int j) {
    const double r = (side > 0 ? i == 0 : i == 1) ? radius : 0.0;
    return Vertex{around(j, r, z), {0, 0, side}};
  });
}
void add_box(ShadedMesh& mesh, const Vector3& size) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      mesh.add_grid(2, 2, [&](int i, int j) {
        Vector3 point, normal;
        const double a = (side > 0 ? j : i) - 0.5, b = (side > 0 ? i : j) - 0.5;
        point[axis] = 0.5 * side * size[axis], point[u] = a * size[u], point[v] = b * size[v];
        normal[axis] = side;
        return Vertex{point, normal};
      });
    }
  }
}

/// Normals of triangles are those of their vertices: each triangle has vertices of its own.
void add_flat(ShadedMesh& mesh, const TriangleMesh& surface) {
  for (const auto& corners : surface.triangles) {
    const Vector3& a = surface.points[corners[0]];
    const Vector3 normal = cross(surface.points[corners[1]] - a, surface.points[corners[2]] - a);
    const double length = norm(normal);
    if (!(length > 0.0)) continue;
    for (const int corner : corners) {
      mesh.indices.push_back(static_cast<std::uint32_t>(mesh.points.size()));
      mesh.points.push_back(surface.points[corner]);
      mesh.normals.push_back(1.0 / length * normal);
    }
  }
}

}  // namespace

ShadedMesh sphere_mesh(double radius) {
  ShadedMesh mesh;
  add_cap(mesh, radius, 0.0, -1.0), add_cap(mesh, radius, 0.0, 1.0);
  return mesh;
}

ShadedMesh shape_mesh(const SceneShape& shape) {
  ShadedMesh mesh;
  const double half = 0.5 * shape.length;
  switch (shape.kind) {
    case SceneShape::Kind::box:
      add_box(mesh, shape.size);
      break;
    case SceneShape::Kind::sphere:
      return sphere_mesh(shape.radius);
    case SceneShape::Kind::cylinder:
      add_side(mesh, shape.radius, shape.length);
      add_disc(mesh, shape.radius, -half, -1.0), add_disc(mesh, shape.radius, half, 1.0);
      break;
    case SceneShape::Kind::capsule:
      add_side(mesh, shape.radius, shape.length);
      add_cap(mesh, shape.radius, -half, -1.0), add_cap(mesh, shape.radius, half, 1.0);
      break;
    case SceneShape::Kind::mesh:
      add_flat(mesh, *shape.mesh);
      break;
  }
  return mesh;
}

SectionOutline section_outline(const SceneRod& rod, std::size_t station, bool inner) {
  SectionOutline outline;
  const double a = inner ? rod.inner[station] : rod.half_x[station], b = inner ? a : rod.half_y[station];
  switch (inner ? SectionContour::Outline::circle : rod.outline) {
    case SectionContour::Outline::rectangle: {
      const double corners[4][2] = {{a, b}, {-a, b}, {-a, -b}, {a, -b}};
      const double normals[4][2] = {{0, 1}, {-1, 0}, {0, -1}, {1, 0}};  // of the edge that begins at the corner
      for (int k = 0; k < 4; ++k) {
        for (const int corner : {k, (k + 1) % 4}) {
          outline.points.push_back({corners[corner][0], corners[corner][1]});
          outline.normals.push_back({normals[k][0], normals[k][1]});
        }
      }
      break;
    }
    case SectionContour::Outline::circle:
    case SectionContour::Outline::ellipse:
      for (int k = 0; k <= k_sides_around; ++k) {
        const double c = std::cos(2 * M_PI * k / k_sides_around), s = std::sin(2 * M_PI * k / k_sides_around);
        const double length = std::max(std::hypot(c * b, s * a), 1e-300);
        outline.points.push_back({a * c, b * s});
        outline.normals.push_back({c * b / length, s * a / length});
      }
      break;
  }
  return outline;
}

}  // namespace cuttle
