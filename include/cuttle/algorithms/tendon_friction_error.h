#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/model.h"

namespace CUTTLE_API cuttle {

/// What the finite number of points along rods costs the friction of a tendon.
struct TendonFrictionError {
  std::string actuator;
  /// How much its force on the rods changes when the points double, over that of the tendon without friction: the norm
  /// over all coordinates of rods, each in N m, lengths counted in those of their rods. 0 if it runs along no rod.
  double force = 0.0;
};

/// One a tendon of an element of type tendon_friction, in its order; of any other element none. Each is the largest
/// over these shapes: each coordinate of a rod alone at 1 rad (bending, torsion) or 0.1 L (stretch, shear), and all of
/// the first kind together so that the rod bends to and fro. Tendons slide towards where they are pulled; whether they
/// are driven by tension or by length does not matter. Builds two models a tendon. Allocates.
/// @throws ModelError as a Model of the robot.
std::vector<TendonFrictionError> estimate_tendon_friction_error(const Robot& robot, const Element& element);

}  // namespace cuttle
