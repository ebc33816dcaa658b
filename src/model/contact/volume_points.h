#pragma once

#include <vector>

#include "cuttle/bodies/body_surface.h"

namespace cuttle {

/// A point of a surface that stands for the area about it.
struct SurfacePoint {
  Vector3T<double> position;  ///< [m]
  double area = 0.0;          ///< [m^2]
  double edge = 0.0;          ///< mean length of the edges there [m]
};

/// The corners of the surface's triangles with a third of the area of each; where they are closer than `spacing`, or
/// more than k_most_volume_points, neighbors whose faces look the same way are one, at the corner in their middle.
/// Corners of the body, at which sharp edges meet, stand for themselves, if these are few.
inline constexpr int k_most_volume_points = 200;
std::vector<SurfacePoint> volume_points(const BodySurface& surface, double spacing);

}  // namespace cuttle
