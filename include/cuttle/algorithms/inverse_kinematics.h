#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/data.h"

namespace CUTTLE_API cuttle {

/// Where one frame of a robot is to be: its origin, its whole pose, or the direction of one of its axes.
struct FrameTarget {
  enum class Kind { position, pose, direction };
  Frame frame;
  Kind kind = Kind::position;
  Pose goal;              ///< of the frame in the world; a target of positions has its position alone
  Vector3 axis{};         ///< of a direction: unit vector in the frame's axes
  Vector3 direction{};    ///< where it is to point: unit vector in the world's axes
  double weight = 1.0;    ///< > 0; weighs against other targets where not all can be reached
  std::string name = {};  ///< in messages; empty: "target 0"

  static FrameTarget at_position(const Frame& frame, const Vector3& world_position);
  static FrameTarget at_pose(const Frame& frame, const Pose& world_frame);
  /// @throws ArgumentError if one of the vectors is zero; they need not be of unit length.
  static FrameTarget in_direction(const Frame& frame, const Vector3& axis, const Vector3& world_direction);
};

/// Lowest and highest values of the coordinates of a configuration, nq each in their units; infinite where there is
/// none, as for quaternions and whatever stands beside one. Empty: no limits.
struct CoordinateLimits {
  VectorXd lower, upper;
};
/// Those of the robot's elements of type `joint_limit`; infinite where there is none.
CoordinateLimits joint_limits(const Model& model);

struct InverseKinematicsOptions {
  CoordinateLimits limits = {};
  /// Of the configurations that reach the targets take one in which bodies and joint springs store least energy;
  /// without it, one that is near to the start.
  bool least_energy = true;
  double tolerance = 1e-9;    ///< of angles [rad], and of lengths beside the robot's reach; > 0
  int most_iterations = 200;  ///< from one start
  int most_starts = 10;       ///< the given one, then others around it
  /// Called in each iteration. What it throws ends the search, and comes out.
  std::function<void()> heartbeat = {};
};

/// How far one frame is from its target.
struct TargetError {
  double position = 0.0;  ///< [m]
  double angle = 0.0;     ///< [rad]
};

struct InverseKinematicsResult {
  bool converged = false;           ///< all targets are reached, within limits and with closed loops
  VectorXd q;                       ///< configuration, nq; not converged: the nearest one found, with closed loops
  double residual = 0.0;            ///< largest of all errors, m and rad alike
  std::vector<TargetError> errors;  ///< one a target
  int iterations = 0;               ///< of Newton's method, from all starts
  int starts = 0;                   ///< that were tried
  std::vector<int> active_limits;   ///< coordinates of q at one of their limits
  bool least_energy = false;        ///< the stored energy is stationary among the configurations that reach
  double elastic_energy = 0.0;      ///< of bodies and joint springs [J]
};

/// Inverse kinematics: finds q with x_i(q) = x_i* for several frames, loops closed (Phi(q) = 0), lower <= q <= upper,
/// and of these configurations one with least elastic energy.
///
/// First a damped Newton (Levenberg-Marquardt) method on the targets, with loops as constraints that every step keeps
/// to first order; then Newton's method on the stationarity of the energy,
/// `s(q, 0) + J^T lambda + G^T mu = 0`, with the exact tangent: the forces that hold the frames at their targets turn
/// with the robot as loads do. Limits by an active set. Jacobians are analytic. Coordinates of quaternions move along
/// the exponential map (integrate).
///
/// The object owns all memory and remembers the tangent of its last solution, so that a call from nearby takes two or
/// three iterations; then nothing is allocated. One a thread. It refers to the model, which must outlive it.
/// @code
/// InverseKinematics reach(model, {FrameTarget::at_position(model.tip_frame("arm"), {0.1, 0.0, 0.3})});
/// VectorXd q = reach.solve(model.neutral()).q;
/// reach.set_goal(0, {Matrix3::identity(), {0.1, 0.01, 0.3}});
/// q = reach.solve(q).q;  // from nearby
/// @endcode
class InverseKinematics {
 public:
  /// @throws ArgumentError, with the target or option, for what was found and expected: no target, a frame of another
  /// model, a rotation that is none, a weight or tolerance that is not positive, limits that contradict each other, or
  /// limits on a quaternion; also for bodies with too many coordinates for dense matrices. ModelError as
  /// DerivativeData.
  InverseKinematics(const Model& model, std::vector<FrameTarget> targets, InverseKinematicsOptions options = {});
  InverseKinematics(InverseKinematics&&) noexcept;
  InverseKinematics& operator=(InverseKinematics&&) noexcept;
  ~InverseKinematics();

  const std::vector<FrameTarget>& targets() const;
  /// Another pose for a target of a position or pose. @throws ArgumentError if there is none.
  void set_goal(int target, const Pose& world_frame);
  /// Another direction. @throws ArgumentError
  void set_direction(int target, const Vector3& world_direction);

  /// Looks for a configuration near q0 with all frames at their targets.
  /// @param q0  where to start, nq; moved into the limits, and loops are closed first.
  /// @return what it found; valid until the next call. That a target is out of reach is no error: `converged` says it.
  /// @throws ArgumentError if q0 has another size, or is not finite; SimulationError if the loops cannot be closed.
  const InverseKinematicsResult& solve(VectorInT<double> q0);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

/// The same once.
InverseKinematicsResult inverse_kinematics(const Model& model, const std::vector<FrameTarget>& targets,
                                           VectorInT<double> q0, const InverseKinematicsOptions& options = {});

}  // namespace cuttle
