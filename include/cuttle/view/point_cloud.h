#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/spatial/vector3.h"

namespace CUTTLE_API cuttle {

/// Where something is, in the world [m].
struct CloudPoint {
  Vector3 position;
  bool stable = true;  ///< else it is drawn in another color
};

/// Draws points in space as one figure: from the side along y and along x, and from above, all with one scale.
/// @param title  above the figure.   @return an SVG document.
/// @throws ArgumentError if there is no point, or one that is not finite.
std::string point_cloud_svg(const std::string& title, const std::vector<CloudPoint>& points);

}  // namespace cuttle
