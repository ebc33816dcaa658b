#pragma once

#include "cuttle/model/robot.h"
#include "view/scene_items.h"

namespace cuttle {

/// Surface of a chamber in a volume, its points in the rest shape; normals point out of the cavity.
DrawnSurface chamber_surface(const Actuator& chamber, const Body& body);

}  // namespace cuttle
