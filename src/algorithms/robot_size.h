#pragma once

#include "cuttle/model/model.h"

namespace cuttle {

struct RobotSize {
  double mass = 0.0;  ///< of what moves [kg]
  /// Radius of gyration [m]: root mean square distance of the mass from the base, or from the center of mass of a robot
  /// whose base floats. 0 where all mass is there.
  double length = 0.0;
};

/// Of a robot in a configuration, with its bodies undeformed.
/// @param q  configuration, size nq.   @throws ArgumentError for a robot without mass.
RobotSize robot_size(const Model& model, const VectorXd& q);

}  // namespace cuttle
