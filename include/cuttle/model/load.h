#pragma once

#include <array>

#include "cuttle/bodies/strain_basis.h"
#include "cuttle/model/signal.h"
#include "cuttle/spatial/vector3.h"

namespace cuttle {

/// Parameters of a fluid at rest around a slender link: Lighthill's large-amplitude elongated-body theory with
/// quadratic drag (src/model/fluid_load.cpp has the law). The link's outline is a row of ellipses with half axes along
/// x and y of its sections: a rod's own, or along z of a rigid body from its base frame.
template <typename S>
struct FluidT {
  S density{};                     ///< rho_f [kg/m^3]
  ProfileT<S> radius_x, radius_y;  ///< half axes of the outline [m]; both empty: those of the rod's section
  S length{};                      ///< of a rigid body's outline [m]; not for rods
  int sections = 10;               ///< Gauss-Legendre points along a rigid body; a rod has its own
  S normal_drag{};                 ///< C of 1/2 rho_f C (2 radius) |v_perp| v_perp a length
  S tangential_drag{};             ///< C of 1/2 rho_f C (perimeter) |v_z| v_z a length
  bool wake = false;               ///< the far end sheds the water's momentum

  bool operator==(const FluidT&) const = default;
  template <typename T>
  FluidT<T> cast() const {
    return {scalar_cast<T>(density),
            radius_x.template cast<T>(),
            radius_y.template cast<T>(),
            scalar_cast<T>(length),
            sections,
            scalar_cast<T>(normal_drag),
            scalar_cast<T>(tangential_drag),
            wake};
  }
};
using Fluid = FluidT<double>;

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

}  // namespace cuttle
