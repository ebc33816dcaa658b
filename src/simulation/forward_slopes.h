#pragma once

#include <functional>
#include <limits>

#include "cuttle/simulation/robot_dynamics.h"
#include "simulation/forward_integrator.h"

namespace cuttle {

/// Slopes of a robot as a function in arithmetic with derivatives, eight directions at a time: where states beside q
/// and v feed back - integrals of loads, states of elements, bristles of contacts -, where elements take inputs, and of
/// steps with quaternions, closed loops or other methods. Directions are along integrate(q, dq), by v, by the states,
/// by the inputs.
class ForwardSlopes {
 public:
  /// @param system  whose inputs are held, without signals and controllers; outlives this.
  /// @throws ModelError for a law that exists for double alone.
  explicit ForwardSlopes(RobotSystem& system);

  /// Of the rates of (q, v, states), of a robot without quaternions: A and B. @param at  with works in front.
  void of_rates(const State& at, DynamicsSlopes& slopes);
  /// Between two jumps of loads.
  struct Stretch {
    double begin = -std::numeric_limits<double>::infinity(), end = std::numeric_limits<double>::infinity();
  };
  /// Of a step within a stretch. @throws ArgumentError for a method that has no derivatives, SimulationError as
  /// Integrator::advance.
  void of_step(const State& at, double length, const Stretch& stretch, const IntegratorOptions& options,
               DynamicsSlopes& slopes);

 private:
  /// Where the derivatives of the next (q, v, states) along eight directions go: columns of a matrix of 2 nv + states
  /// rows.
  using Follow = std::function<void(ForwardSystem& system, const ForwardState& start, Eigen::Ref<MatrixXd> columns)>;
  void along_all(const State& at, DynamicsSlopes& slopes, const Follow& follow);

  RobotSystem& system_;
  ModelT<ForwardDual> variable_;
  int nv_, states_;
};

}  // namespace cuttle
