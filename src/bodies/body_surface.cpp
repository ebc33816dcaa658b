#include "cuttle/bodies/body_surface.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "cuttle/bodies/point_body_base.h"
#include "cuttle/bodies/tetrahedral_mesh.h"

namespace cuttle {
namespace {

constexpr int k_along = 20, k_around = 28, k_across = 3;  // faces

/// A grid of points and the faces between them; columns may close to a ring.
template <typename Point>
void add_grid(BodySurface& surface, int rows, int columns, bool ring, const Point& point) {
  const int first = static_cast<int>(surface.points.size()), width = ring ? columns : columns + 1;
  for (int i = 0; i <= rows; ++i) {
    for (int j = 0; j < width; ++j) {
      surface.points.push_back(point(static_cast<double>(i) / rows, static_cast<double>(j) / columns));
    }
  }
  const auto index = [&](int i, int j) { return first + i * width + j % width; };
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      surface.faces.push_back({index(i, j), index(i, j + 1), index(i + 1, j + 1), index(i + 1, j)});
    }
  }
}

void add_cylinder(BodySurface& surface, const PointShape& shape) {
  const double outer = shape.half_x, inner = shape.inner_radius, L = shape.length;
  const auto at = [&](double r, double turn, double z) {
    return Vector3{r * std::cos(2 * M_PI * turn), r * std::sin(2 * M_PI * turn), z};
  };
  const auto add = [&](int rows, const auto& point) { add_grid(surface, rows, k_around, true, point); };
  add(k_along, [&](double t, double turn) { return at(outer, turn, t * L); });
  if (inner > 0.0) add(k_along, [&](double t, double turn) { return at(inner, -turn, t * L); });
  const double center = inner > 0.0 ? inner : 0.1 * outer;  // the rest of a solid one's ends is a fan
  add(k_across, [&](double t, double turn) { return at(outer + t * (center - outer), turn, L); });
  add(k_across, [&](double t, double turn) { return at(outer + t * (center - outer), -turn, 0.0); });
  if (inner > 0.0) return;
  for (const double z : {L, 0.0}) {
    const int middle = static_cast<int>(surface.points.size());
    surface.points.push_back({0.0, 0.0, z});
    for (int j = 0; j < k_around; ++j) surface.points.push_back(at(center, static_cast<double>(j) / k_around, z));
    for (int j = 0; j < k_around; ++j) {
      const int a = middle + 1 + j, b = middle + 1 + (j + 1) % k_around;
      surface.faces.push_back(z > 0.0 ? BodySurface::Face{middle, a, b, -1} : BodySurface::Face{middle, b, a, -1});
    }
  }
}

void add_box(BodySurface& surface, const PointShape& shape) {
  const double x = shape.half_x, y = shape.half_y, L = shape.length;
  const auto mix = [](double half, double t) { return half * (2.0 * t - 1.0); };
  const auto sides = [&](const auto& point) { add_grid(surface, k_along, k_across, false, point); };
  const auto ends = [&](const auto& point) { add_grid(surface, k_across, k_across, false, point); };
  sides([&](double t, double s) { return Vector3{x, mix(y, s), t * L}; });
  sides([&](double t, double s) { return Vector3{-x, mix(y, 1.0 - s), t * L}; });
  sides([&](double t, double s) { return Vector3{mix(x, 1.0 - s), y, t * L}; });
  sides([&](double t, double s) { return Vector3{mix(x, s), -y, t * L}; });
  ends([&](double t, double s) { return Vector3{mix(x, s), mix(y, t), L}; });
  ends([&](double t, double s) { return Vector3{mix(x, s), mix(y, 1.0 - t), 0.0}; });
}

/// One point where several grids meet.
void merge_points(BodySurface& surface, double size) {
  std::map<std::array<long, 3>, int> places;
  std::vector<Vector3> points;
  std::vector<int> index;
  for (const Vector3& x : surface.points) {
    const auto rounded = [&](double v) { return std::lround(v / (1e-7 * size)); };
    const auto [place, is_new] =
        places.insert({{rounded(x.x), rounded(x.y), rounded(x.z)}, static_cast<int>(points.size())});
    if (is_new) points.push_back(x);
    index.push_back(place->second);
  }
  surface.points = std::move(points);
  for (auto& face : surface.faces) {
    for (int& corner : face) corner = corner < 0 ? corner : index[corner];
  }
}

}  // namespace

std::vector<std::array<int, 3>> BodySurface::triangles() const {
  std::vector<std::array<int, 3>> triangles;
  for (const Face& face : faces) {
    triangles.push_back({face[0], face[1], face[2]});
    if (face[3] >= 0) triangles.push_back({face[0], face[2], face[3]});
  }
  return triangles;
}

BodySurface shape_surface(const PointShape& shape) {
  BodySurface surface;
  if (shape.kind == PointShape::Kind::cylinder) add_cylinder(surface, shape);
  if (shape.kind == PointShape::Kind::box) add_box(surface, shape);
  merge_points(surface, shape.length);
  return surface;
}

BodySurface boundary_surface(const TetrahedralMesh& mesh) {
  BodySurface surface;
  std::vector<int> index(mesh.nodes.size(), -1);  // of the nodes on the boundary
  for (const std::array<int, 3>& face : node_triangles(mesh, boundary_faces(mesh))) {
    BodySurface::Face corners{-1, -1, -1, -1};
    for (int k = 0; k < 3; ++k) {
      int& place = index[face[k]];
      if (place < 0) {
        place = static_cast<int>(surface.points.size());
        surface.points.push_back(mesh.nodes[face[k]]);
      }
      corners[k] = place;
    }
    surface.faces.push_back(corners);
  }
  return surface;
}

}  // namespace cuttle
