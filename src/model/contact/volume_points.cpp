#include "model/contact/volume_points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "model/contact/surface_edges.h"

namespace cuttle {
namespace {

constexpr std::ptrdiff_t k_most_sharp_points = k_most_volume_points / 4;

struct Corner {
  SurfacePoint point;
  Vector3 normal;  ///< times twice the area
  int edges = 0;
  bool is_sharp = false;  ///< a corner of the body: it stands for itself
};

/// Points in cells of a size: those whose normals have the same largest component are one.
std::vector<SurfacePoint> merged(const std::vector<Corner>& corners, double cell) {
  std::map<std::array<long, 4>, std::vector<const Corner*>> cells;
  std::vector<SurfacePoint> points;
  for (const Corner& corner : corners) {
    if (corner.is_sharp) {
      points.push_back(corner.point);
      continue;
    }
    int side = 0;
    for (int i = 1; i < 3; ++i) {
      if (std::abs(corner.normal[i]) > std::abs(corner.normal[side]) * (1 + 1e-9)) side = i;
    }
    const auto number = [&](double x) { return std::lround(std::floor(x / cell)); };
    const Vector3& x = corner.point.position;
    cells[{number(x.x), number(x.y), number(x.z), corner.normal[side] < 0 ? side + 3 : side}].push_back(&corner);
  }
  for (const auto& [key, members] : cells) {
    SurfacePoint all;
    Vector3 middle;
    for (const Corner* member : members) {
      all.area += member->point.area, middle += member->point.area * member->point.position;
      all.edge += member->point.area * member->point.edge;
    }
    middle = (1.0 / all.area) * middle, all.edge /= all.area;
    double nearest = INFINITY;
    for (const Corner* member : members) {
      const double distance = norm(member->point.position - middle);
      if (distance < nearest) nearest = distance, all.position = member->point.position;
    }
    points.push_back(all);
  }
  return points;
}

}  // namespace

std::vector<SurfacePoint> volume_points(const BodySurface& surface, double spacing) {
  std::vector<Corner> corners(surface.points.size());
  for (std::size_t i = 0; i < corners.size(); ++i) corners[i].point.position = surface.points[i];
  const std::vector<SurfaceTriangle> triangles = surface.triangles();
  double whole = 0.0;
  for (const SurfaceTriangle& triangle : triangles) {
    const Vector3 &a = surface.points[triangle[0]], &b = surface.points[triangle[1]], &c = surface.points[triangle[2]];
    const Vector3 twice = cross(b - a, c - a);
    const double area = 0.5 * norm(twice);
    whole += area;
    for (int k = 0; k < 3; ++k) {
      Corner& corner = corners[triangle[k]];
      corner.point.area += area / 3.0, corner.normal += twice;
      corner.point.edge += norm(surface.points[triangle[(k + 1) % 3]] - surface.points[triangle[k]]);
      ++corner.edges;
    }
  }
  if (const auto edges = surface_edges(triangles)) {
    const std::vector<int> sharp = sharp_edges(surface.points, triangles, *edges);
    const auto is_corner = [](int count) { return count != 0 && count != 2; };
    const bool are_few = std::count_if(sharp.begin(), sharp.end(), is_corner) <= k_most_sharp_points;
    for (std::size_t i = 0; are_few && i < corners.size(); ++i) corners[i].is_sharp = is_corner(sharp[i]);
  }
  std::vector<Corner> used;
  for (Corner& corner : corners) {
    if (!(corner.point.area > 0.0)) continue;
    corner.point.edge /= corner.edges;
    used.push_back(corner);
  }
  double cell = spacing;
  if (static_cast<int>(used.size()) > k_most_volume_points && !(spacing > 0.0)) {
    cell = std::sqrt(whole / k_most_volume_points);
  }
  if (!(cell > 0.0)) {
    std::vector<SurfacePoint> points;
    points.reserve(used.size());
    for (const Corner& corner : used) points.push_back(corner.point);
    return points;
  }
  std::vector<SurfacePoint> points = merged(used, cell);
  while (!(spacing > 0.0) && static_cast<int>(points.size()) > k_most_volume_points) {
    cell *= 1.1;
    points = merged(used, cell);
  }
  return points;
}

}  // namespace cuttle
