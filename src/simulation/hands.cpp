#include "cuttle/simulation/hands.h"

#include <cmath>

#include "model/state_load_law.h"

namespace cuttle {
namespace {

class PointHandLaw final : public StateLoadLaw<double, PointHandLaw, PointHand> {
 public:
  static constexpr int k_integrals = 0;

  PointHandLaw(const Frame& frame, const Grip& grip) : StateLoadLaw(grip) { this->frames_ = {frame}; }

  ArticulatedInertia added_inertia(int) const override { return {}; }

  template <typename T>
  WrenchT<T> law(int /*k*/, double time, const FrameMotionT<T>& motion, const T* /*integrals*/) const {
    using std::sqrt;
    const Vector3 hand = at(time);
    const Vector3T<T> way = Vector3T<T>{T(hand.x), T(hand.y), T(hand.z)} - motion.pose.position;
    const Vector3T<T> pull =
        T(grip_.stiffness) * motion.pose.rotation.transpose_times(way) - T(grip_.damping) * motion.velocity.linear;
    const T size = dot(pull, pull) * T(1.0 / (grip_.limit * grip_.limit));
    return {{}, T(1.0) / sqrt(T(1.0) + size) * pull};
  }
};

}  // namespace

double CoordinateHand::pull(double time, double position, double velocity) const {
  return grip.stiffness * (target.at(time) - position) - grip.damping * velocity;
}

double CoordinateHand::force(double time, double position, double velocity) const {
  const double g = pull(time, position, velocity);
  return g / std::sqrt(1.0 + g * g / (grip.limit * grip.limit));
}

double CoordinateHand::slope(double time, double position, double velocity) const {
  const double g = pull(time, position, velocity);
  return std::pow(1.0 + g * g / (grip.limit * grip.limit), -1.5);
}

std::shared_ptr<PointHand> make_point_hand(const Frame& frame, const Grip& grip) {
  return std::make_shared<PointHandLaw>(frame, grip);
}

}  // namespace cuttle
