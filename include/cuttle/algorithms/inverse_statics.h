#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/algorithms/inverse_kinematics.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// Lowest and highest values of the inputs, nu each in their units, infinite where there is none.
struct InputLimits {
  VectorXd lower, upper;
};
/// Zero and infinity for tendons, unless they may push (`slack: allow`); no limits for other inputs.
InputLimits input_limits(const Model& model);

struct InverseStaticsOptions {
  InputLimits limits = {};       ///< empty: input_limits(model)
  std::vector<int> inputs = {};  ///< that may change; empty: all. The others stay as the loads have them
  double tolerance = 1e-9;       ///< of angles [rad], and of lengths beside the robot's reach; > 0
  int most_iterations = 60;      ///< from one start
  int most_starts = 4;           ///< the inputs of the loads, then others around them
  /// Called in each iteration. What it throws ends the search, and comes out.
  std::function<void()> heartbeat = {};
};

struct InverseStaticsResult {
  bool converged = false;         ///< an equilibrium with all frames at their targets, inputs within their limits
  VectorXd u;                     ///< inputs, nu; not converged: of the nearest equilibrium found
  StaticEquilibrium equilibrium;  ///< under u, with its stability
  double residual = 0.0;          ///< largest of all errors, m and rad alike
  std::vector<TargetError> errors = {};  ///< one a target
  int iterations = 0;                    ///< steps that were tried, from all starts
  std::vector<int> active_limits = {};   ///< inputs at one of their limits
  bool least_inputs = false;             ///< of the inputs that hold the frames there, these are least
};

/// Inverse statics: inputs u within their limits and a configuration q of rest with x_i(q) = x_i*,
/// `g(q) + s(q, 0) = A(q) u + elements + loads - G^T lambda`: [P] (49), with the sign of A u that its (1) asks for.
/// Of the inputs that do so it takes the least, by the sum of their squares; inputs of different units are compared by
/// how far they move the robot, so that neither newton nor pascal counts for more.
///
/// Damped Newton methods on (q, lambda, u) together, as InverseKinematics: the balance of forces and the loops are
/// constraints that every step keeps to first order, the targets are reached along these, then the squares of the
/// inputs are lowered. So a path of targets passes the folds where q is no function of u: an arm on motors alone,
/// raised past the horizontal, or a truss that is pushed through. Jacobians are exact, from the tangent stiffness.
/// Limits by an active set. Above 600 coordinates of a body steps move the inputs alone, from rest to rest: the same
/// inputs, but folds are not passed.
/// @code
/// InverseStatics hold(model, {FrameTarget::at_position(model.tip_frame("arm"), {0.05, 0.0, 0.28})});
/// const InverseStaticsResult& found = hold.solve(model.neutral());
/// @endcode
class InverseStatics {
 public:
  /// @param loads  what acts besides; loads.u are the inputs to start from, and to keep of those that do not change.
  /// @throws ArgumentError as InverseKinematics and static_equilibrium, and for limits of inputs that contradict each
  /// other or have another size, and for inputs that do not exist.
  InverseStatics(const Model& model, std::vector<FrameTarget> targets, StaticLoads loads = {},
                 InverseStaticsOptions options = {});
  InverseStatics(InverseStatics&&) noexcept;
  InverseStatics& operator=(InverseStatics&&) noexcept;
  ~InverseStatics();

  /// As of InverseKinematics.
  void set_goal(int target, const Pose& world_frame);
  void set_direction(int target, const Vector3& world_direction);

  /// @param q0  where the search starts, nq, if the inputs can hold the robot there; else from where static_equilibrium
  /// looks for the equilibrium of the first inputs.
  /// @return valid until the next call. That a target is out of reach is no error: `converged` says it.
  /// @throws StaticsError if no equilibrium was found at all; SimulationError if loops cannot be closed; ArgumentError
  /// for q0.
  const InverseStaticsResult& solve(VectorInT<double> q0);
  /// From the equilibrium that the last call found, which a target that moved a little needs: a few steps.
  /// @throws ArgumentError before the first call of `solve`.
  const InverseStaticsResult& solve_from_last();

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

/// The same once.
InverseStaticsResult inverse_statics(const Model& model, const std::vector<FrameTarget>& targets,
                                     const StaticLoads& loads, VectorInT<double> q0,
                                     const InverseStaticsOptions& options = {});

}  // namespace cuttle
