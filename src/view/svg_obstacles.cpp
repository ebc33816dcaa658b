#include "view/svg_obstacles.h"

#include <algorithm>
#include <utility>

#include "model/pose_at.h"
#include "view/obstacle_shapes.h"
#include "view/shaded_mesh.h"

namespace cuttle {
namespace {

/// Twice the area of a triangle, positive if it is counterclockwise.
double area(const SvgPoint& a, const SvgPoint& b, const SvgPoint& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// Cuts off what lies where `depth` is negative.
template <typename Depth>
std::vector<SvgPoint> cut(const std::vector<SvgPoint>& polygon, const Depth& depth) {
  std::vector<SvgPoint> rest;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const SvgPoint &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    const double from = depth(a), to = depth(b);
    if (from >= 0.0) rest.push_back(a);
    if ((from >= 0.0) != (to >= 0.0)) {
      const double part = from / (from - to);
      rest.push_back({a.x + part * (b.x - a.x), a.y + part * (b.y - a.y)});
    }
  }
  return rest;
}

}  // namespace

std::vector<SvgPoint> convex_hull(std::vector<SvgPoint> points) {
  std::sort(points.begin(), points.end(),
            [](const SvgPoint& a, const SvgPoint& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  std::vector<SvgPoint> hull;
  for (const bool back : {false, true}) {  // the lower side, then the upper one
    const std::size_t least = hull.size() + 1;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const SvgPoint& p = back ? points[points.size() - 1 - i] : points[i];
      while (hull.size() > least && area(hull[hull.size() - 2], hull.back(), p) <= 0.0) hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();  // begins the other side
  }
  return hull;
}

std::vector<SvgPoint> clipped(std::vector<SvgPoint> polygon, const SvgPanel::Frame& frame) {
  polygon = cut(polygon, [&](const SvgPoint& p) { return p.x - frame.left; });
  polygon = cut(polygon, [&](const SvgPoint& p) { return frame.left + frame.width - p.x; });
  polygon = cut(polygon, [&](const SvgPoint& p) { return p.y - frame.top; });
  return cut(polygon, [&](const SvgPoint& p) { return frame.top + frame.height - p.y; });
}

ObstacleSurface obstacle_surface(const Obstacle& obstacle, double time, double reach, const Vector3& middle) {
  const SceneShape shape = drawn_shape(*obstacle.shape, reach, obstacle.pose.inverse().act(middle));
  const Pose place = obstacle.pose * pose_at(obstacle.motion, time, Pose()) * shape.pose;
  ShadedMesh mesh = shape_mesh(shape);
  for (Vector3& p : mesh.points) p = place.act(p);
  return {std::move(mesh.points), std::move(mesh.indices), shape.kind != SceneShape::Kind::mesh};
}

std::vector<std::vector<SvgPoint>> obstacle_polygons(const ObstacleSurface& surface, const SvgPanel::Frame& frame,
                                                     const std::function<SvgPoint(const Vector3&)>& project) {
  std::vector<SvgPoint> points;
  points.reserve(surface.points.size());
  for (const Vector3& p : surface.points) points.push_back(project(p));
  std::vector<std::vector<SvgPoint>> polygons;
  const auto add = [&](std::vector<SvgPoint> polygon) {
    polygon = clipped(std::move(polygon), frame);
    if (polygon.size() > 2) polygons.push_back(std::move(polygon));
  };
  if (surface.convex) {
    add(convex_hull(std::move(points)));
    return polygons;
  }
  const std::vector<std::uint32_t>& corners = surface.triangles;
  for (std::size_t i = 0; i + 2 < corners.size(); i += 3) {
    add({points[corners[i]], points[corners[i + 1]], points[corners[i + 2]]});
  }
  return polygons;
}

}  // namespace cuttle
