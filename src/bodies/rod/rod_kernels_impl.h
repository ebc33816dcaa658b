#pragma once

#include "bodies/rod/rod_inertia_impl.h"

// Written once for lanes P of scalar S. Work that is independent from step to step runs with steps as lanes; what one
// stop hands to the next is a thin scalar recursion between.

namespace cuttle::CUTTLE_ISA::rod {

/// Strain and its rates at one Magnus point.
template <typename P>
struct Strain {
  TwistT<P> value, rate, second;
};

/// sum_k shape_k x_k for each component, x the coordinates, their rates and accelerations up to the level.
template <typename P, MotionLevel Level, typename S>
CUTTLE_INLINE Strain<P> strain_at(const RodGrid<S>& grid, const S* shape, const S* rest, const BodyStateT<S>& state) {
  using L = Lanes<P, S>;
  P value[6], rate[6], second[6];
#pragma GCC unroll 6
  for (int c = 0; c < 6; ++c) {
    value[c] = L::load(rest + c * grid.stride);
    rate[c] = second[c] = P(0.0);
    for (int k = grid.component_start[c]; k < grid.component_start[c + 1]; ++k) {
      const P phi = L::load(shape + k * grid.stride);
      value[c] += phi * P(state.q[k]);
      if constexpr (Level >= MotionLevel::velocity) rate[c] += phi * P(state.v[k]);
      if constexpr (Level >= MotionLevel::acceleration) second[c] += phi * P(state.a[k]);
    }
  }
  const auto twist = [](const P* x) __attribute__((always_inline)) {
    return TwistT<P>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
  };
  return {twist(value), twist(rate), twist(second)};
}

/// Magnus vector Omega of a step of length h across which the strain does not vary, and its rates.
template <MotionLevel Level, typename P>
CUTTLE_INLINE Strain<P> magnus_vector(const P& h, const Strain<P>& x) {
  Strain<P> omega;
  omega.value = h * x.value;
  if constexpr (Level >= MotionLevel::velocity) omega.rate = h * x.rate;
  if constexpr (Level >= MotionLevel::acceleration) omega.second = h * x.second;
  return omega;
}
/// The same from the strains at both Magnus points, of fourth order:
/// Omega = h/2 (xi_1 + xi_2) + (sqrt(3)/12) h^2 [xi_1, xi_2]; rates by the product rule.
template <MotionLevel Level, typename P>
CUTTLE_INLINE Strain<P> magnus_vector(const P& h, const Strain<P>& first, const Strain<P>& other) {
  const P half = P(0.5) * h;
  const P k = constant<P>(k_bracket_factor) * h * h;
  const TwistT<P>&x1 = first.value, &x2 = other.value, &dx1 = first.rate, &dx2 = other.rate;
  Strain<P> omega;
  omega.value = half * (x1 + x2) + k * bracket(x1, x2);
  if constexpr (Level >= MotionLevel::velocity) {
    omega.rate = half * (dx1 + dx2) + k * (bracket(dx1, x2) + bracket(x1, dx2));
  }
  if constexpr (Level >= MotionLevel::acceleration) {
    omega.second = half * (first.second + other.second) +
                   k * (bracket(first.second, x2) + bracket(x1, other.second) + P(2.0) * bracket(dx1, dx2));
  }
  return omega;
}

/// The twist and acceleration that the strain's rates make across a step.
template <typename P>
struct Increment {
  TwistT<P> velocity, acceleration;
};

/// The increment of steps j, j + 1, .., from the strain and its rates; keeps the pose across them and what the way back
/// needs.
/// @param first  the strain at the first Magnus point.
template <typename P, Variation<double> V, MotionLevel Level, typename S>
CUTTLE_INLINE Increment<P> increment(const RodGrid<S>& grid, const BodyStateT<S>& state, const Stops<P, S>& stops,
                                     int j, const Strain<P>& first) {
  using L = Lanes<P, S>;
  const P h = L::load(grid.length + j);
  Strain<P> magnus;
  if constexpr (V != Variation<double>::within_steps) {
    magnus = magnus_vector<Level>(h, first);
  } else {
    const Strain<P> other = strain_at<P, Level>(grid, grid.shape2 + j, grid.rest2 + j, state);
    stops.store(RodFields::k_strain1, j, first.value);
    stops.store(RodFields::k_strain2, j, other.value);
    magnus = magnus_vector<Level>(h, first, other);
  }
  const TwistT<P>&omega = magnus.value, &omega_rate = magnus.rate, &omega_second = magnus.second;
  stops.store(RodFields::k_omega, j, omega);
  const auto c = stumpff<7>(dot(omega.angular, omega.angular));
  for (int i = 0; i < 4; ++i) L::store(stops.at(RodFields::k_stumpff + i, j), c[2 + i]);
  const PoseT<P> step = exponential(omega, c);
  stops.store(RodFields::k_step_rotation, j, step.rotation);
  stops.store(RodFields::k_step_position, j, step.position);
  Increment<P> r;
  if constexpr (Level == MotionLevel::velocity) r.velocity = right_tangent(omega, c) * omega_rate;
  if constexpr (Level >= MotionLevel::acceleration) {
    exponential_rates(omega, omega_rate, omega_second, c, r.velocity, r.acceleration);
  }
  return r;
}

/// Motion of every stop from that of the stop before, [B] (39) within the rod.
template <MotionLevel Level, typename S>
CUTTLE_INLINE void recursion(const RodGrid<S>& grid, const BodyStateT<S>& state, const Stops<S, S>& stops,
                             const StopValues<S, S>& relative_velocities,
                             const StopValues<S, S>& relative_accelerations) {
  PoseT<S> base_stop;
  TwistT<S> V = state.base_velocity, A = state.base_acceleration;
  for (int j = 0; j < grid.steps; ++j) {
    if (j >= grid.main_steps) {  // a port step leaves some earlier stop
      const int i = grid.predecessor[j];
      base_stop = PoseT<S>{};
      V = state.base_velocity, A = state.base_acceleration;
      if (i >= 0) {
        base_stop = stops.base_stop(i);
        if constexpr (Level >= MotionLevel::velocity) V = stops.twist(RodFields::k_velocity, i);
        if constexpr (Level >= MotionLevel::acceleration) A = stops.twist(RodFields::k_acceleration, i);
      }
    }
    const PoseT<S> step = stops.step(j);
    base_stop = base_stop * step;
    stops.store(RodFields::k_base_rotation, j, base_stop.rotation);
    stops.store(RodFields::k_base_position, j, base_stop.position);
    if constexpr (Level >= MotionLevel::velocity) {
      const TwistT<S> relative = relative_velocities.twist(j);
      V = step.act_inverse(V) + relative;
      stops.store(RodFields::k_velocity, j, V);
      if constexpr (Level >= MotionLevel::acceleration) {
        A = step.act_inverse(A) + bracket(V, relative) + relative_accelerations.twist(j);
        stops.store(RodFields::k_acceleration, j, A);
      }
    }
  }
}

/// Inertial wrench of every section: M A - ad_V^T M V, [B] (44) for one section.
template <typename P, typename S>
CUTTLE_INLINE void section_forces(const RodGrid<S>& grid, const Stops<P, S>& stops) {
  using L = Lanes<P, S>;
  for (int j = 0; j < grid.main_steps; j += L::k_width) {
    const TwistT<P> V = stops.twist(RodFields::k_velocity, j);
    const TwistT<P> A = stops.twist(RodFields::k_acceleration, j);
    const P m = L::load(grid.mass + j);
    const Vector3T<P> I = Field<P, S>::vector(grid.rotary + j, grid.stride);
    const Vector3T<P> Iw{I.x * V.angular.x, I.y * V.angular.y, I.z * V.angular.z};
    const Vector3T<P> Ia{I.x * A.angular.x, I.y * A.angular.y, I.z * A.angular.z};
    stops.store(RodFields::k_force, j,
                WrenchT<P>{Ia + cross(V.angular, Iw), m * (A.linear + cross(V.angular, V.linear))});
  }
}

template <typename P, Variation<double> V, MotionLevel Level, typename S>
void forward_at(const RodGrid<S>& grid, const BodyStateT<S>& state, S* kept, S* scratch, PortMotionT<S>* ports) {
  using L = Lanes<P, S>;
  const std::size_t size = 6 * static_cast<std::size_t>(grid.stride);
  S *relative_velocities = scratch, *relative_accelerations = scratch != nullptr ? scratch + size : nullptr;
  S* motion = kept + RodFields::k_motion * grid.stride;
  // a third of what a rod would write: long chains leave the cache
  if (Level == MotionLevel::acceleration && state.backward_alone) motion = scratch + 2 * size;
  const Stops<P, S> stops{kept, grid, motion};
  const Stops<S, S> stop{kept, grid, motion};
  Strain<P> strain = strain_at<P, Level>(grid, grid.shape1, grid.rest1, state);
  for (int j = 0; j < grid.steps; j += L::k_width) {
    if constexpr (V != Variation<double>::none) {
      strain = strain_at<P, Level>(grid, grid.shape1 + j, grid.rest1 + j, state);
    }
    const Increment<P> r = increment<P, V, Level>(grid, state, stops, j, strain);
    if constexpr (Level >= MotionLevel::velocity) StopValues<P, S>{relative_velocities, grid}.store(j, r.velocity);
    if constexpr (Level >= MotionLevel::acceleration) {
      StopValues<P, S>{relative_accelerations, grid}.store(j, r.acceleration);
    }
  }
  recursion<Level, S>(grid, state, stop, {relative_velocities, grid}, {relative_accelerations, grid});
  for (int k = 0; k < grid.ports; ++k) {
    const int j = grid.port_step[k];
    ports[k].base_port = stop.base_stop(j);
    if constexpr (Level >= MotionLevel::velocity) ports[k].velocity = stop.twist(RodFields::k_velocity, j);
    if constexpr (Level >= MotionLevel::acceleration) ports[k].acceleration = stop.twist(RodFields::k_acceleration, j);
  }
  if constexpr (Level >= MotionLevel::acceleration) section_forces<P, S>(grid, stops);
}

/// Calls run.operator()<V>() for the rod's variation of strain.
template <typename S, typename Run>
CUTTLE_INLINE void dispatch(const RodGrid<S>& grid, const Run& run) {
  switch (grid.variation) {
    case Variation<S>::none:
      return run.template operator()<Variation<double>::none>();
    case Variation<S>::between_steps:
      return run.template operator()<Variation<double>::between_steps>();
    case Variation<S>::within_steps:
      return run.template operator()<Variation<double>::within_steps>();
  }
}

template <typename P, typename S>
void forward(const RodGrid<S>& grid, MotionLevel level, const BodyStateT<S>& state, S* kept, S* scratch,
             PortMotionT<S>* ports) {
  dispatch(grid, [&]<Variation<double> V>() {
    if (level == MotionLevel::acceleration) {
      forward_at<P, V, MotionLevel::acceleration>(grid, state, kept, scratch, ports);
    } else if (level == MotionLevel::velocity) {
      forward_at<P, V, MotionLevel::velocity>(grid, state, kept, scratch, ports);
    } else {
      forward_at<P, V, MotionLevel::pose>(grid, state, kept, scratch, ports);
    }
  });
}

/// force_k += sum over steps of shape_k y_c, c the component of k.
template <typename P, typename S>
CUTTLE_INLINE void project(const RodGrid<S>& grid, const S* shape, const WrenchT<P>& y, S* force) {
  using L = Lanes<P, S>;
  const P components[6] = {y.torque.x, y.torque.y, y.torque.z, y.force.x, y.force.y, y.force.z};
#pragma GCC unroll 6
  for (int c = 0; c < 6; ++c) {
    for (int k = grid.component_start[c]; k < grid.component_start[c + 1]; ++k) {
      force[k] += L::sum(L::load(shape + k * grid.stride) * components[c]);
    }
  }
}

/// Generalized force of the wrench w at the end of steps j, j + 1, ..: transposed tangent of each step, then transposed
/// derivative of Omega by the two strains. Where the strain is the same everywhere, only sums up h y.
template <typename P, Variation<double> V, typename S>
CUTTLE_INLINE void project_step(const RodGrid<S>& grid, const Stops<P, S>& stops, int j, const WrenchT<P>& w,
                                WrenchT<P>& sum, S* force) {
  const TwistT<P> omega = stops.twist(RodFields::k_omega, j);
  const WrenchT<P> y = right_tangent(omega, stops.stumpff(j)).transpose_times(w);
  const P h = Lanes<P, S>::load(grid.length + j);
  if constexpr (V == Variation<double>::none) {
    sum += h * y;
  } else if constexpr (V == Variation<double>::between_steps) {
    project<P>(grid, grid.shape1 + j, h * y, force);
  } else {
    const P half = P(0.5) * h;
    const P k = constant<P>(k_bracket_factor) * h * h;
    const TwistT<P> x1 = stops.twist(RodFields::k_strain1, j);
    const TwistT<P> x2 = stops.twist(RodFields::k_strain2, j);
    // [d, x2] = -ad_x2 d, [x1, d] = ad_x1 d
    project<P>(grid, grid.shape1 + j, half * y - k * bracket_transpose(x2, y), force);
    project<P>(grid, grid.shape2 + j, half * y + k * bracket_transpose(x1, y), force);
  }
}

template <typename P, Variation<double> V, typename S>
CUTTLE_INLINE void backward_with(const RodGrid<S>& grid, const WrenchT<S>* port_wrenches, S* kept, S* scratch,
                                 WrenchT<S>& base_wrench, S* force) {
  using L = Lanes<P, S>;
  const Stops<P, S> stops{kept, grid};
  const Stops<S, S> stop{kept, grid};
  const StopValues<S, S> wrench{scratch, grid};  // what crosses each stop, its axes; from tip to base
  for (int j = 0; j < grid.main_steps; ++j) wrench.store(j, stop.wrench(RodFields::k_force, j));
  // lanes beyond the last step must hold numbers
  const int padded_steps = (grid.steps + L::k_width - 1) / L::k_width * L::k_width;
  for (int j = grid.main_steps; j < padded_steps; ++j) wrench.store(j, WrenchT<S>::zero());
  for (int k = 0; k < grid.ports; ++k) {
    const int j = grid.port_step[k];
    wrench.store(j, wrench.wrench(j) + port_wrenches[k]);
  }
  for (int k = 0; k < grid.coordinates; ++k) force[k] = S(0.0);
  WrenchT<P> sum = WrenchT<P>::zero();
  base_wrench = WrenchT<S>::zero();
  for (int j = grid.main_steps; j < grid.steps; ++j) {
    const WrenchT<S> total = wrench.wrench(j);
    const WrenchT<S> moved = stop.step(j).act(total);
    const int i = grid.predecessor[j];
    if (i < 0) {
      base_wrench += moved;
    } else {
      wrench.store(i, wrench.wrench(i) + moved);
    }
  }
  WrenchT<S> carried = WrenchT<S>::zero();
  for (int j = grid.main_steps - 1; j >= 0; --j) {
    const WrenchT<S> total = wrench.wrench(j) + carried;
    wrench.store(j, total);
    carried = stop.step(j).act(total);
  }
  base_wrench += carried;
  for (int j = 0; j < grid.steps; j += L::k_width) {
    project_step<P, V>(grid, stops, j, StopValues<P, S>{scratch, grid}.wrench(j), sum, force);
  }
  if constexpr (V == Variation<double>::none) project<P>(grid, grid.shape1, sum, force);
}

template <typename P, typename S>
void backward(const RodGrid<S>& grid, const WrenchT<S>* port_wrenches, S* kept, S* scratch, WrenchT<S>& base_wrench,
              S* force) {
  dispatch(grid,
           [&]<Variation<double> V>() { backward_with<P, V>(grid, port_wrenches, kept, scratch, base_wrench, force); });
}

template <typename P, typename S>
inline constexpr RodKernels<S> k_kernels{&forward<P, S>, &backward<P, S>, &inertia_blocks<P, S>};

}  // namespace cuttle::CUTTLE_ISA::rod
