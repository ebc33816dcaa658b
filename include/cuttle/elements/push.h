#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "cuttle/api.h"
#include "cuttle/model/effort_law.h"
#include "cuttle/model/signal.h"
#include "cuttle/model/state_load_law.h"

namespace CUTTLE_API cuttle {

/// How a push pulls: by a spring of `stiffness` towards its target and a damper against motion in the world,
/// both together limited: a pull g becomes g / sqrt(1 + |g|^2 / limit^2), which is smooth and never above the limit.
struct PushSpring {
  double stiffness = 0.0;  ///< [N/m, N m/rad]
  double damping = 0.0;    ///< [N s/m, N m s/rad]
  double limit = 0.0;      ///< [N, N m]
};

/// The law of a push at a point of the robot, the origin of a frame: it pulls the point to a place in the
/// world. Where that is may change between steps of an integrator.
class PointPushLaw {
 public:
  explicit PointPushLaw(const PushSpring& spring) : spring_(spring) {}

  const PushSpring& spring() const { return spring_; }
  /// Where it pulls to [m, world].
  Vector3 target(double time) const { return {target_[0].at(time), target_[1].at(time), target_[2].at(time)}; }
  void move(const Signal& x, const Signal& y, const Signal& z) { target_[0] = x, target_[1] = y, target_[2] = z; }
  /// Pulls to where another one pulls.
  void follow(const PointPushLaw& other) { move(other.target_[0], other.target_[1], other.target_[2]); }

  template <typename T>
  WrenchT<T> law(int /*k*/, double time, const FrameMotionT<T>& motion, const T* /*integrals*/) const {
    using std::sqrt;
    const Vector3 goal = target(time);
    const Vector3T<T> way = Vector3T<T>{T(goal.x), T(goal.y), T(goal.z)} - motion.pose.position;
    const Vector3T<T> pull =
        T(spring_.stiffness) * motion.pose.rotation.transpose_times(way) - T(spring_.damping) * motion.velocity.linear;
    const T size = dot(pull, pull) * T(1.0 / (spring_.limit * spring_.limit));
    return {{}, T(1.0) / sqrt(T(1.0) + size) * pull};
  }

 private:
  PushSpring spring_;
  Signal target_[3];
};
using PointPush = LawAtFramesT<double, PointPushLaw>;

/// The law of a push of one coordinate of a joint: it takes the coordinate to a target [rad, m].
template <typename S>
class CoordinatePushLaw final : public EffortLaw<CoordinatePushLaw, S, 1> {
 public:
  CoordinatePushLaw(const PushSpring& spring, Signal target) : spring_(spring), target_(std::move(target)) {}
  std::string type_name() const override { return "push"; }

  template <typename T>
  void law(const EffortArgumentsT<T>& at, T* efforts, T* /*state_rates*/) const {
    using std::sqrt;
    const T pull = T(spring_.stiffness) * (T(target_.at(at.time)) - at.y[0]) - T(spring_.damping) * at.rate[0];
    efforts[0] = pull / sqrt(T(1.0) + pull * pull * T(1.0 / (spring_.limit * spring_.limit)));
  }

 private:
  PushSpring spring_;
  Signal target_;
};

}  // namespace cuttle
