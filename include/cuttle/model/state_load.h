#pragma once

#include <vector>

#include "cuttle/api.h"
#include "cuttle/eigen_memory.h"
#include "cuttle/model/topology.h"
#include "cuttle/spatial/dual_eigen.h"

namespace CUTTLE_API cuttle {

/// How a frame moves: its pose in the world, and its velocity and acceleration in its own axes, gravity not inside.
template <typename S>
struct FrameMotionT {
  PoseT<S> pose;
  TwistT<S> velocity, acceleration;
};

/// Derivatives of what a state load does at one frame, 6 x 6, angular part first, all in the frame's axes. Where the
/// pose moves, to `pose exp(zeta)`, the components of velocity and acceleration stay.
template <typename S>
struct StateLoadDerivativeT {
  using Matrix = Eigen::Matrix<S, 6, 6>;
  Matrix by_pose;                         ///< of the wrench by zeta
  Matrix by_velocity;                     ///< by V
  Matrix by_acceleration;                 ///< by A: minus the added inertia
  Matrix by_integral;                     ///< by the integrals of the load; zero if it has none
  Matrix rate_by_pose, rate_by_velocity;  ///< of the rates of the integrals; zero if it has none
};

/// A load that depends on how the robot moves: wrenches at some frames as functions of their motion and, for loads with
/// memory, of integrals along the motion. Linear in the acceleration: `wrench(A) = wrench(0) - added_inertia A`.
/// LawAtFramesT (cuttle/model/state_load_law.h) makes one of a law that is written once.
template <typename S>
class StateLoadT {
 public:
  virtual ~StateLoadT() = default;

  const std::vector<FrameT<S>>& frames() const { return frames_; }
  /// Integrals that the load keeps: 0, or 6 that belong to its one frame.
  virtual int integral_count() const = 0;
  /// Symmetric 6 x 6 inertia that the load adds at frame k, frame axes; constant.
  virtual ArticulatedInertiaT<S> added_inertia(int k) const = 0;

  /// Wrench on the robot at frame k, frame axes [N m, N]. `integrals`: integral_count numbers.
  virtual WrenchT<S> wrench(int k, double time, const FrameMotionT<S>& motion, const S* integrals) const = 0;
  /// d(integrals)/dt. Not called for loads without any.
  virtual void integral_rates(double time, const FrameMotionT<S>& motion, S* rates) const = 0;
  virtual void derivatives(int k, double time, const FrameMotionT<S>& motion, const S* integrals,
                           StateLoadDerivativeT<S>& result) const = 0;

 protected:
  std::vector<FrameT<S>> frames_;
};
using StateLoad = StateLoadT<double>;

}  // namespace cuttle
