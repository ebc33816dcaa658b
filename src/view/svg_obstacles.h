#pragma once

#include <functional>
#include <vector>

#include "cuttle/model/contact.h"
#include "view/svg_canvas.h"

namespace cuttle {

/// Convex polygons that an obstacle fills in a picture, cut at the frame of a panel.
/// @param reach, middle  of the robot, as drawn_shape has them, `middle` in the world.   @param project  to pixels.
std::vector<std::vector<SvgPoint>> obstacle_polygons(const Obstacle& obstacle, double time, double reach,
                                                     const Vector3& middle, const SvgPanel::Frame& frame,
                                                     const std::function<SvgPoint(const Vector3&)>& project);

/// The convex hull of points, counterclockwise where y goes up.
std::vector<SvgPoint> convex_hull(std::vector<SvgPoint> points);
/// The part of a convex polygon that lies in a frame; empty: none.
std::vector<SvgPoint> clipped(std::vector<SvgPoint> polygon, const SvgPanel::Frame& frame);

}  // namespace cuttle
