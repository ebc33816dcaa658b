#pragma once

#include "cuttle/algorithms/equation_of_motion.h"
#include "cuttle/simulation/integrator.h"
#include "sensors/sensor_suite.h"

namespace cuttle {

class PrescribedMotion;

/// What sensors measure in a state of a run, and the efforts of driven motion: both hang on accelerations, which are
/// those of the equation of motion and not of an integrator. Memory is made once.
class RobotSenses {
 public:
  explicit RobotSenses(const Model& model);

  /// Of all sensors. @param motion  of driven coordinates, or null.   @param u  inputs that act.
  /// @return valid until the next call.
  const VectorXd& read(EquationOfMotion& equation, const PrescribedMotion* motion, const State& state,
                       const VectorXd& u);
  /// Of the driven coordinates, in their order.
  const VectorXd& motion_efforts(EquationOfMotion& equation, const PrescribedMotion* motion, const State& state,
                                 const VectorXd& u);

 private:
  /// Into a_; efforts into equation.driven().
  void find_acceleration(EquationOfMotion& equation, const PrescribedMotion* motion, const State& state,
                         const VectorXd& u);

  const Model& model_;
  SensorSuite suite_;
  VectorXd q_, v_, a_, robot_states_, efforts_;
  VectorXd unknown_;  ///< multipliers
};

}  // namespace cuttle
