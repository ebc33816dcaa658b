#include <cmath>

#include "cuttle/error.h"
#include "model/state_load_law.h"
#include "model/state_loads.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

/// [B] (68)-(69): F = k_P e + k_I int e dt, e = Ad(g^-1 g^d) eta^d - eta, in the axes of the place where the drone
/// pulls. The desired frame g^d keeps its axes and goes with the place, so Ad only turns eta^d: where the desired
/// motion does not turn, as in [B], that is (69) for any g^d.
template <typename S>
class DroneLoad final : public StateLoadLaw<S, DroneLoad<S>> {
 public:
  static constexpr int k_integrals = 6;

  DroneLoad(const DroneT<S>& drone, const FrameT<S>& frame) : drone_(drone) {
    this->frames_ = {frame};
    const auto check = [](const std::array<S, 6>& gains, const char* key) {
      for (const S& gain : gains) {
        using std::isfinite;
        if (isfinite(gain) && !any(gain < S(0.0))) continue;
        throw ModelError(key, number_text(gain), "numbers >= 0");
      }
    };
    check(drone.proportional, "proportional");
    check(drone.integral, "integral");
  }

  ArticulatedInertiaT<S> added_inertia(int) const override { return {}; }

  template <typename T>
  WrenchT<T> law(int /*k*/, double time, const FrameMotionT<T>& motion, const T* integrals) const {
    const TwistT<T> e = error(time, motion);
    WrenchT<T> result;
    for (int i = 0; i < 6; ++i) result[i] = T(drone_.proportional[i]) * e[i] + T(drone_.integral[i]) * integrals[i];
    return result;
  }
  template <typename T>
  void rates_law(double time, const FrameMotionT<T>& motion, T* rates) const {
    const TwistT<T> e = error(time, motion);
    for (int i = 0; i < 6; ++i) rates[i] = e[i];
  }

 private:
  template <typename T>
  TwistT<T> error(double time, const FrameMotionT<T>& motion) const {
    const auto in_frame = [&](const Signal(&desired)[3]) {
      const Vector3T<S> world =
          drone_.axes * Vector3T<S>{S(desired[0].at(time)), S(desired[1].at(time)), S(desired[2].at(time))};
      return motion.pose.rotation.transpose_times(Vector3T<T>{T(world.x), T(world.y), T(world.z)});
    };
    return TwistT<T>{in_frame(drone_.angular_velocity), in_frame(drone_.linear_velocity)} - motion.velocity;
  }

  DroneT<S> drone_;
};

}  // namespace

template <typename S>
std::shared_ptr<const StateLoadT<S>> make_drone_load(const DroneT<S>& drone, const FrameT<S>& frame) {
  return std::make_shared<const DroneLoad<S>>(drone, frame);
}

#define CUTTLE_INSTANTIATE(S) \
  template std::shared_ptr<const StateLoadT<S>> make_drone_load(const DroneT<S>&, const FrameT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
