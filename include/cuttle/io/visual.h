#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/geometry/triangle_mesh.h"
#include "cuttle/spatial/pose.h"

namespace CUTTLE_API cuttle {

/// Each from 0 to 1.
struct Color {
  double red = 0.0, green = 0.0, blue = 0.0, opacity = 1.0;
};

/// One rigid shape of `visual:` in a robot file.
struct Visual {
  enum class Shape { box, cylinder, sphere, mesh };
  Shape shape = Shape::box;
  Vector3 size;                              ///< box: edges along x, y and z, centered [m]
  double radius = 0.0;                       ///< cylinder, sphere [m]
  double length = 0.0;                       ///< cylinder: along z, centered [m]
  std::shared_ptr<const TriangleMesh> mesh;  ///< mesh: scaled; null for others
  std::optional<Color> color;                ///< nothing: whoever draws it chooses
  Pose pose;                                 ///< of the shape, in the frame that it hangs on
};

/// A shape and what it hangs on.
struct LinkVisual {
  enum class Frame {
    world,     ///< `visual` of the robot: what stands still around it
    base,      ///< `visual` of the base: moves with a floating base
    joint,     ///< `visual` of a joint: the joint's frame at the parent, before the joint's motion
    body,      ///< `visual` of a link or of its body: base frame of the body, after the joint's motion
    obstacle,  ///< an obstacle of the robot, which has a shape of its own: of `visual` its color alone
  };
  std::string link;  ///< "base" for frames `world` and `base`; the name of an obstacle
  Frame frame = Frame::body;
  Visual visual;
};

}  // namespace cuttle
