#pragma once

#include <vector>

#include "cuttle/bodies/body_surface.h"

namespace cuttle {

/// Surface of a body at rest with its edges, for drawings.
struct VolumeSurface : BodySurface {
  struct Edge {
    int a, b;          ///< its ends
    int first, other;  ///< its faces
    bool sharp;        ///< the faces meet at an angle
  };
  std::vector<Edge> edges;

  VolumeSurface() = default;
  explicit VolumeSurface(BodySurface surface);
};

}  // namespace cuttle
