#pragma once

#include <type_traits>

#include "cuttle/bodies/body.h"

namespace cuttle {

/// The constant tables of a discretized rod, as its kernels read them. A **step** is one Magnus step; its end is a
/// **stop**. Main steps go 0 -> s_1 -> .. -> L in order, the last ending at the tip; port steps leave a main stop for a
/// port between two stops. Every table over steps has `stride` entries (padded with zeros), structure of arrays.
template <typename S>
struct RodGrid {
  int coordinates = 0;  ///< n_B
  int columns = 0;      ///< n_B padded
  int steps = 0, main_steps = 0;
  int stride = 0;  ///< steps padded to the widest vector
  /// How the strain varies along the rod, for all coordinates. Where it does not vary within a step, the Magnus step
  /// has no Lie bracket; where it is the same everywhere, it is computed once.
  enum class Variation { none, between_steps, within_steps };
  Variation variation = Variation::within_steps;
  int component_start[7] = {};       ///< coordinates of component c: [component_start[c], component_start[c + 1])
  const int* predecessor = nullptr;  ///< of each step: the stop it leaves; -1 for the base
  const S* length = nullptr;         ///< h of each step [m]
  const S* shape1 = nullptr;         ///< phi_k / L at the first Magnus point, n_B x stride
  const S* shape2 = nullptr;         ///< and at the second
  /// The same, steps x columns, for derivatives: empty for scalars that have none.
  const S *shape1_by_step = nullptr, *shape2_by_step = nullptr;
  const S* rest1 = nullptr;  ///< xi_0, 6 x stride
  const S* rest2 = nullptr;
  const S* mass = nullptr;    ///< weight times mass per length at each stop [kg]; 0 at the tip, breaks and ports
  const S* rotary = nullptr;  ///< weight times rotary inertia, 3 x stride [kg m^2]
  int ports = 0;
  const int* port_step = nullptr;  ///< step at whose stop each port is
};

/// Fields of the kept workspace of a rod, each `stride` scalars a component.
struct RodFields {
  static constexpr int k_step_rotation = 0;  ///< 9: rotation of the step's end in its start
  static constexpr int k_step_position = 9;  ///< 3
  static constexpr int k_omega = 12;         ///< 6: Magnus vector Omega
  static constexpr int k_stumpff = 18;       ///< 4: c_2 .. c_5
  static constexpr int k_force = 22;         ///< 6: inertial wrench of the section at the step's end
  static constexpr int k_strain1 = 28;       ///< 6: strain at the first Magnus point
  static constexpr int k_strain2 = 34;       ///< 6
  // what the way back does not need: the motion of the stop at the step's end
  static constexpr int k_motion = 40;
  static constexpr int k_base_rotation = 40;  ///< 9: in the base frame
  static constexpr int k_base_position = 49;  ///< 3
  static constexpr int k_velocity = 52;       ///< 6
  static constexpr int k_acceleration = 58;   ///< 6
  static constexpr int k_count = 64;
};

/// Where a field of a stop lies. Neighboring steps are lanes for double, so each component has its own row of stops.
/// Other scalars take steps one by one: there each stop has its fields together, at offsets that the compiler knows.
template <typename S>
struct RodLayout {
  static constexpr bool k_by_component = std::is_same_v<S, double>;
  static CUTTLE_INLINE int stride(const RodGrid<S>& grid) { return k_by_component ? grid.stride : 1; }
  /// First component of the field of stop j; the others follow at `stride`.
  template <typename T>
  static CUTTLE_INLINE T* at(T* kept, int field, int j, const RodGrid<S>& grid) {
    return k_by_component ? kept + field * grid.stride + j : kept + j * RodFields::k_count + field;
  }
  /// The same for an array of `count` components a stop.
  template <typename T>
  static CUTTLE_INLINE T* in(T* array, int count, int j) {
    return k_by_component ? array + j : array + j * count;
  }
};

/// The sweeps of a rod; one table for each instruction set.
template <typename S>
struct RodKernels {
  void (*forward)(const RodGrid<S>&, MotionLevel, const BodyStateT<S>&, S* kept, S* scratch, PortMotionT<S>*);
  void (*backward)(const RodGrid<S>&, const WrenchT<S>* port_wrenches, S* kept, S* scratch, WrenchT<S>& base_wrench,
                   S* force);
  void (*inertia_blocks)(const RodGrid<S>&, S* kept, S* scratch, InertiaBlocksT<S>&, S* port_jacobians);
};

/// The fastest kernels that this CPU runs (for double; chosen once).
template <typename S>
const RodKernels<S>& rod_kernels();
template <>
const RodKernels<double>& rod_kernels();
template <>
const RodKernels<long double>& rod_kernels();
template <>
const RodKernels<ForwardDual>& rod_kernels();
#if defined(CUTTLE_ISA_WIDTH)
template <>
const RodKernels<Pack<CUTTLE_ISA_WIDTH>>& rod_kernels();
#endif

}  // namespace cuttle
