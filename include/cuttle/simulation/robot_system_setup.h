#pragma once

#include <memory>
#include <vector>

#include "cuttle/algorithms/equation_of_motion.h"
#include "cuttle/control/controller.h"

namespace cuttle {

class PrescribedMotion;  // src/simulation/prescribed_motion.h

/// What acts in a run beside the robot's own loads and elements.
struct RobotSystemSetup {
  std::vector<Signal> inputs = {};  ///< one an actuator input (nu); none: zero
  ConstraintRows rows = {};         ///< of the loops' constraints, those to hold: select_constraint_rows. Without,
                                    ///< implicit methods hold none.
  std::vector<NamedController> controllers = {};                       ///< each sees what those before it set
  long seed = 0;                                                       ///< of whatever is random in them
  std::shared_ptr<const PrescribedMotion> motion = nullptr;            ///< of driven coordinates; null: none
  std::vector<std::shared_ptr<const StateLoadT<double>>> pushes = {};  ///< as EquationOfMotionT has them
};

}  // namespace cuttle
