#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/model.h"
#include "cuttle/simulation/scenario.h"

namespace CUTTLE_API cuttle {

/// How a function of a state and inputs changes with them. Configurations change along integrate(q, dq), so that a
/// state (q, v, s) of nq + nv + states numbers changes in n = 2 nv + states directions; where no coordinates are
/// quaternions that is by themselves.
struct DynamicsSlopes {
  MatrixXd A;  ///< by the state, n x n
  MatrixXd B;  ///< by the inputs, n x nu
  MatrixXd C;  ///< of outputs by the state, outputs x n
  MatrixXd D;  ///< of outputs by the inputs, outputs x nu
};

/// A robot with its loads, elements and contacts as functions of its state x and inputs u, in memory made once: the
/// rate dx/dt = f(t, x, u), and a step x' = F(x, u) of an integrator, in which inputs are held. x is q, then v, then
/// the states of loads, elements and contacts, where the robot has some.
/// @code
/// RobotDynamics f(model, {.type = "generalized_alpha", .step = 5e-3});
/// VectorXd x = f.start();
/// for (const VectorXd& u : inputs) x = f.step(x, u);
/// @endcode
/// A step is a function of its arguments alone: implicit methods begin each anew, with the acceleration that the
/// equation of motion has there, as a run does where inputs jump. A load that jumps at the end of a step acts in the
/// next one; one that jumps within it parts it in two.
class RobotDynamics {
 public:
  /// The model must outlive it.
  /// @param integrator  of `step`: its `step` is how long one is [s]. Without a `step` there are only rates.
  /// @throws ArgumentError as make_integrator.
  explicit RobotDynamics(const Model& model, const IntegratorOptions& integrator = {});
  ~RobotDynamics();

  int state_size() const;                ///< nq + nv + states
  int tangent_size() const;              ///< 2 nv + states: directions in which x changes
  int input_size() const;                ///< nu
  std::optional<double> length() const;  ///< of a step [s]
  /// Where runs begin that say nothing else: the neutral configuration with its loops closed, at rest.
  const VectorXd& start() const;

  /// dx/dt, state_size. Valid until the next call.
  /// @throws ArgumentError for wrong sizes, numbers that are not finite, and a robot with closed loops, which only
  /// steps hold closed; SimulationError where there is no rate.
  const VectorXd& rate(double time, VectorInT<double> x, VectorInT<double> u);
  /// The state after a step, state_size. Valid until the next call.
  /// @param time  at which it begins [s], for loads that depend on it.
  /// @throws ArgumentError for wrong sizes, numbers that are not finite, or without `step`; SimulationError as
  /// Integrator::advance.
  const VectorXd& step(VectorInT<double> x, VectorInT<double> u, double time = 0.0);

  /// How small changes of the state move on, d(dx)/dt = A dx + B du, and slopes of outputs. Valid until the next call.
  /// Without quaternions A and B are the slopes of `rate`; changes of these are in axes that turn with the motion.
  /// States of loads, elements and contacts are among the directions: bristles, which hold like springs while they
  /// stick.
  /// @param of  outputs, as `sensitivities` has them.
  /// @throws ArgumentError as `rate`, and for an output that there is not;
  /// ModelError naming a link whose body has no derivatives, or a law of a program that exists for double alone.
  const DynamicsSlopes& linearise(double time, VectorInT<double> x, VectorInT<double> u,
                                  const std::vector<std::string>& of = {});
  /// Slopes of `step`: A and B. Valid until the next call. Costs little more than the step itself. With quaternions,
  /// closed loops, states, elements that take inputs, energy_conserving, or where Newton's method needs a step in
  /// halves, it costs a step with derivatives for each eight directions.
  /// @throws ArgumentError as `step` and `linearise`.
  const DynamicsSlopes& linearise_step(VectorInT<double> x, VectorInT<double> u, double time = 0.0);
  /// The same where the step is known to end in x_next, which is then not solved for again.
  const DynamicsSlopes& linearise_step(VectorInT<double> x, VectorInT<double> u, VectorInT<double> x_next, double time);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace cuttle
