#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "cuttle/model/contact.h"
#include "view/svg_canvas.h"

namespace cuttle {

/// The surface of an obstacle where it is at a time, in the world.
struct ObstacleSurface {
  std::vector<Vector3> points;
  std::vector<std::uint32_t> triangles;  ///< three points each
  bool convex;                           ///< what it fills is the hull of its points
};
/// @param reach, middle  of the robot, as drawn_shape has them, `middle` in the world.
ObstacleSurface obstacle_surface(const Obstacle& obstacle, double time, double reach, const Vector3& middle);

/// Convex polygons that an obstacle fills in a picture, cut at the frame of a panel.   @param project  to pixels.
std::vector<std::vector<SvgPoint>> obstacle_polygons(const ObstacleSurface& surface, const SvgPanel::Frame& frame,
                                                     const std::function<SvgPoint(const Vector3&)>& project);

/// The convex hull of points, counterclockwise where y goes up.
std::vector<SvgPoint> convex_hull(std::vector<SvgPoint> points);
/// The part of a convex polygon that lies in a frame; empty: none.
std::vector<SvgPoint> clipped(std::vector<SvgPoint> polygon, const SvgPanel::Frame& frame);

}  // namespace cuttle
