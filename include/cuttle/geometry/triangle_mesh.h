#pragma once

#include <array>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/spatial/vector3.h"

namespace CUTTLE_API cuttle {

/// A surface of triangles, to draw or to touch.
struct TriangleMesh {
  std::vector<Vector3> points;                ///< [m]
  std::vector<std::array<int, 3>> triangles;  ///< indices of points, counterclockwise seen from outside
};

}  // namespace cuttle
