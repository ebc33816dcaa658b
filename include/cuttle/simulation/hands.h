#pragma once

#include <memory>

#include "cuttle/model/signal.h"
#include "cuttle/model/state_load.h"
#include "cuttle/spatial/vector3.h"

namespace cuttle {

/// How a hand pulls: by a spring of `stiffness` to where it is and a damper against motion in the world, both together
/// limited: a pull g becomes g / sqrt(1 + |g|^2 / limit^2), which is smooth and never above the limit.
struct Grip {
  double stiffness = 0.0;  ///< [N/m, N m/rad]
  double damping = 0.0;    ///< [N s/m, N m s/rad]
  double limit = 0.0;      ///< [N, N m]
};

/// A hand that takes a coordinate of a vector space - of a revolute, prismatic or other joint without quaternions - to
/// a target.
struct CoordinateHand {
  int q = 0, v = 0;  ///< its indices in configuration and velocity
  Grip grip;
  Signal target;  ///< [rad, m]

  /// Generalized force.
  double force(double time, double position, double velocity) const;
  /// Derivative of that by the pull without limit; by_q = -stiffness slope, by_v = -damping slope.
  double slope(double time, double position, double velocity) const;

 private:
  double pull(double time, double position, double velocity) const;
};

/// A hand that pulls at a point of the robot: the origin of a frame. A load that depends on the motion, like a fluid;
/// where the hand is may change between steps of an integrator.
class PointHand : public StateLoad {
 public:
  const Grip& grip() const { return grip_; }
  /// Where the hand is [m, world].
  Vector3 at(double time) const { return {place_[0].at(time), place_[1].at(time), place_[2].at(time)}; }
  void move(const Signal& x, const Signal& y, const Signal& z) { place_[0] = x, place_[1] = y, place_[2] = z; }

  /// Goes where another hand goes.
  void follow(const PointHand& other) { move(other.place_[0], other.place_[1], other.place_[2]); }

 protected:
  explicit PointHand(const Grip& grip) : grip_(grip) {}
  Grip grip_;
  Signal place_[3];
};

std::shared_ptr<PointHand> make_point_hand(const Frame& frame, const Grip& grip);

}  // namespace cuttle
