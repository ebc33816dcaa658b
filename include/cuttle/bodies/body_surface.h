#pragma once

#include <array>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/spatial/vector3.h"

namespace CUTTLE_API cuttle {

/// Surface of a body at rest: flat faces between material points, which the body carries along.
struct BodySurface {
  /// Corners counterclockwise seen from outside; triangles have -1 last.
  using Face = std::array<int, 4>;
  std::vector<Vector3T<double>> points;  ///< rest positions, base frame [m]
  std::vector<Face> faces;

  bool empty() const { return faces.empty(); }
  /// The faces as triangles: quadrilaterals are cut from their first corner to the third.
  std::vector<std::array<int, 3>> triangles() const;
};

}  // namespace cuttle
