#pragma once

#include "cuttle/algorithms/equation_of_motion.h"

namespace cuttle {

/// What acts on a robot beside bodies, weight and loads in time - elements, loads that depend on the motion, contacts,
/// actuators -, with derivatives, and nothing else of the equation of motion. WorthOfNumbers leaves these out.
class ActingForces : public EquationOfMotionT<ForwardDual> {
 public:
  using EquationOfMotionT::EquationOfMotionT;

  /// Its part of w . r, where r is that of `residual`: minus the work along a virtual twist w. Cost: the robot's
  /// kinematics with derivatives, and the laws.
  /// @param actuators  whether forces of inputs without laws are in it.
  /// @param state_rates  result, as of `residual`; none of controllers.
  ForwardDual work(const Instant& at, VectorInT<ForwardDual> a, const VectorXd& weights, bool actuators,
                   VectorOutT<ForwardDual> state_rates);
};

/// Whether what `ActingForces::work` says may follow derivative k of a model, by what it acts on: places of
/// transmissions, of loops. Laws are not looked at, nor where the robot's nodes are.
bool places_follow(const ModelT<ForwardDual>& variable, bool actuators, int k);

}  // namespace cuttle
