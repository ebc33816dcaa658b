#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/robot.h"
#include "cuttle/model/state_load_law.h"

namespace CUTTLE_API cuttle {

/// Parameters of a drone that follows a desired velocity by a PI controller, [B] (68)-(69).
template <typename S>
struct DroneT {
  Signal angular_velocity[3];                  ///< desired [rad/s], in `axes`
  Signal linear_velocity[3];                   ///< desired [m/s], in `axes`
  Matrix3T<S> axes = Matrix3T<S>::identity();  ///< in the world
  std::array<S, 6> proportional{};             ///< k_P, angular [N m s/rad], then linear [N s/m]
  std::array<S, 6> integral{};                 ///< k_I, angular [N m/rad], then linear [N/m]

  bool operator==(const DroneT&) const = default;
  template <typename T>
  DroneT<T> cast() const {
    DroneT<T> other;
    for (int i = 0; i < 3; ++i) {
      other.angular_velocity[i] = angular_velocity[i], other.linear_velocity[i] = linear_velocity[i];
    }
    other.axes = axes.template cast<T>();
    for (int i = 0; i < 6; ++i) {
      other.proportional[i] = scalar_cast<T>(proportional[i]), other.integral[i] = scalar_cast<T>(integral[i]);
    }
    return other;
  }
};
using Drone = DroneT<double>;

/// [B] (68)-(69): F = k_P e + k_I int e dt, e = Ad(g^-1 g^d) eta^d - eta, in the axes of the place where the drone
/// pulls. The desired frame g^d keeps its axes and goes with the place, so Ad only turns eta^d: where the desired
/// motion does not turn, as in [B], that is (69) for any g^d.
template <typename S>
class DroneLawT final : public StateLoadLaw<DroneLawT, S, 6> {
 public:
  explicit DroneLawT(DroneT<S> parameters) : parameters_(std::move(parameters)) {}
  const DroneT<S>& parameters() const { return parameters_; }

  std::string type_name() const override { return "drone"; }
  std::vector<Signal> signals() const override;
  std::vector<LoadDetail> details() const override;
  void check() const;

  template <typename T>
  WrenchT<T> law(int /*k*/, double time, const FrameMotionT<T>& motion, const T* integrals) const {
    const TwistT<T> e = error(time, motion);
    WrenchT<T> result;
    for (int i = 0; i < 6; ++i) {
      result[i] = T(parameters_.proportional[i]) * e[i] + T(parameters_.integral[i]) * integrals[i];
    }
    return result;
  }
  template <typename T>
  void rates_law(double time, const FrameMotionT<T>& motion, T* rates) const {
    const TwistT<T> e = error(time, motion);
    for (int i = 0; i < 6; ++i) rates[i] = e[i];
  }
  template <typename T>
  DroneLawT<T> cast() const {
    return DroneLawT<T>(parameters_.template cast<T>());
  }

 private:
  template <typename T>
  TwistT<T> error(double time, const FrameMotionT<T>& motion) const {
    const auto in_frame = [&](const Signal(&desired)[3]) {
      const Vector3T<S> world =
          parameters_.axes * Vector3T<S>{S(desired[0].at(time)), S(desired[1].at(time)), S(desired[2].at(time))};
      return motion.pose.rotation.transpose_times(Vector3T<T>{T(world.x), T(world.y), T(world.z)});
    };
    return TwistT<T>{in_frame(parameters_.angular_velocity), in_frame(parameters_.linear_velocity)} - motion.velocity;
  }

  DroneT<S> parameters_;
};
using DroneLaw = DroneLawT<double>;

/// A drone at a place.
template <typename S>
LoadT<S> make_drone_load(PlaceT<S> place, DroneT<S> drone) {
  return {std::move(place), std::make_shared<const DroneLawT<S>>(std::move(drone))};
}
inline Load make_drone_load(Place place, Drone drone) {
  return make_drone_load<double>(std::move(place), std::move(drone));
}

}  // namespace cuttle
