#pragma once

#include "bodies/rod_kernels.h"
#include "cuttle/spatial/exponential.h"
#include "spatial/pack.h"

// Written once for lanes P of scalar S. Work that is independent from step to step runs with steps as lanes; what one
// stop hands to the next is a thin scalar recursion between.

// Everything here lies in a namespace of the instruction set that the source is compiled for: the linker must never
// take a copy made for another.
#if !defined(CUTTLE_ISA)
#define CUTTLE_ISA portable
#endif

namespace cuttle::CUTTLE_ISA::rod {

/// Reads and writes structures of arrays: component i of a quantity lies `stride` scalars after component i - 1.
template <typename P, typename S>
struct Field {
  using L = Lanes<P, S>;

  static CUTTLE_INLINE Vector3T<P> vector(const S* p, int stride) {
    return {L::load(p), L::load(p + stride), L::load(p + 2 * stride)};
  }
  static CUTTLE_INLINE TwistT<P> twist(const S* p, int stride) {
    return {vector(p, stride), vector(p + 3 * stride, stride)};
  }
  static CUTTLE_INLINE WrenchT<P> wrench(const S* p, int stride) {
    return {vector(p, stride), vector(p + 3 * stride, stride)};
  }
  static CUTTLE_INLINE Matrix3T<P> matrix(const S* p, int stride) {
    return {vector(p, stride), vector(p + 3 * stride, stride), vector(p + 6 * stride, stride)};
  }
  static CUTTLE_INLINE void store(S* p, int stride, const Vector3T<P>& v) {
    L::store(p, v.x), L::store(p + stride, v.y), L::store(p + 2 * stride, v.z);
  }
  static CUTTLE_INLINE void store(S* p, int stride, const TwistT<P>& t) {
    store(p, stride, t.angular), store(p + 3 * stride, stride, t.linear);
  }
  static CUTTLE_INLINE void store(S* p, int stride, const WrenchT<P>& t) {
    store(p, stride, t.torque), store(p + 3 * stride, stride, t.force);
  }
  static CUTTLE_INLINE void store(S* p, int stride, const Matrix3T<P>& m) {
    store(p, stride, m.row0), store(p + 3 * stride, stride, m.row1), store(p + 6 * stride, stride, m.row2);
  }
};

inline constexpr long double k_bracket_factor = 0.14433756729740644112728719512548938L;  // sqrt(3) / 12

/// sum_k shape_k x_k for each component, plus `rest` if not null.
template <typename P, typename S>
CUTTLE_INLINE TwistT<P> strain_sum(const RodGrid<S>& grid, const S* shape, const S* x, const S* rest) {
  using L = Lanes<P, S>;
  P sum[6];
#pragma GCC unroll 6
  for (int c = 0; c < 6; ++c) {
    sum[c] = rest ? L::load(rest + c * grid.stride) : P(0.0);
    for (int k = grid.component_start[c]; k < grid.component_start[c + 1]; ++k) {
      sum[c] += L::load(shape + k * grid.stride) * P(x[k]);
    }
  }
  return {{sum[0], sum[1], sum[2]}, {sum[3], sum[4], sum[5]}};
}

/// Poses, velocities and accelerations across each step, from the strain and its rates.
template <typename P, bool Constant, MotionLevel Level, typename S>
CUTTLE_INLINE void increments(const RodGrid<S>& grid, const BodyStateT<S>& state, S* kept, S* rates) {
  using L = Lanes<P, S>;
  using F = Field<P, S>;
  const int stride = grid.stride;
  for (int j = 0; j < grid.steps; j += L::k_width) {
    const P h = L::load(grid.length + j);
    TwistT<P> omega, omega_rate, omega_second;
    const TwistT<P> x1 = strain_sum<P>(grid, grid.shape1 + j, state.q, grid.rest1 + j);
    F::store(kept + RodFields::k_strain1 * stride + j, stride, x1);
    TwistT<P> dx1, ddx1;
    if constexpr (Level >= MotionLevel::velocity)
      dx1 = strain_sum<P>(grid, grid.shape1 + j, state.v, (const S*)nullptr);
    if constexpr (Level >= MotionLevel::acceleration) {
      ddx1 = strain_sum<P>(grid, grid.shape1 + j, state.a, (const S*)nullptr);
    }
    if constexpr (Constant) {
      omega = h * x1;
      if constexpr (Level >= MotionLevel::velocity) omega_rate = h * dx1;
      if constexpr (Level >= MotionLevel::acceleration) omega_second = h * ddx1;
    } else {
      // Omega = h/2 (xi_1 + xi_2) + (sqrt(3)/12) h^2 [xi_1, xi_2]; rates by the product rule
      const P half = P(0.5) * h;
      const P k = constant<P>(k_bracket_factor) * h * h;
      const TwistT<P> x2 = strain_sum<P>(grid, grid.shape2 + j, state.q, grid.rest2 + j);
      F::store(kept + RodFields::k_strain2 * stride + j, stride, x2);
      omega = half * (x1 + x2) + k * bracket(x1, x2);
      if constexpr (Level >= MotionLevel::velocity) {
        const TwistT<P> dx2 = strain_sum<P>(grid, grid.shape2 + j, state.v, (const S*)nullptr);
        omega_rate = half * (dx1 + dx2) + k * (bracket(dx1, x2) + bracket(x1, dx2));
        if constexpr (Level >= MotionLevel::acceleration) {
          const TwistT<P> ddx2 = strain_sum<P>(grid, grid.shape2 + j, state.a, (const S*)nullptr);
          omega_second =
              half * (ddx1 + ddx2) + k * (bracket(ddx1, x2) + bracket(x1, ddx2) + P(2.0) * bracket(dx1, dx2));
        }
      }
    }
    F::store(kept + RodFields::k_omega * stride + j, stride, omega);
    const auto c = stumpff<7>(dot(omega.angular, omega.angular));
    for (int i = 0; i < 4; ++i) L::store(kept + (RodFields::k_stumpff + i) * stride + j, c[2 + i]);
    const PoseT<P> step = exponential(omega, c);
    F::store(kept + RodFields::k_step_rotation * stride + j, stride, step.rotation);
    F::store(kept + RodFields::k_step_position * stride + j, stride, step.position);
    if constexpr (Level == MotionLevel::velocity) {
      F::store(rates + j, stride, right_tangent(omega, c) * omega_rate);
    }
    if constexpr (Level == MotionLevel::acceleration) {
      TwistT<P> velocity, acceleration;
      exponential_rates(omega, omega_rate, omega_second, c, velocity, acceleration);
      F::store(rates + j, stride, velocity);
      F::store(rates + 6 * stride + j, stride, acceleration);
    }
  }
}

/// Motion of every stop from that of the stop before, [B] (39) within the rod.
template <MotionLevel Level, typename S>
CUTTLE_INLINE void recursion(const RodGrid<S>& grid, const BodyStateT<S>& state, S* kept, const S* rates) {
  using F = Field<S, S>;
  const int stride = grid.stride;
  PoseT<S> base_stop;
  TwistT<S> V = state.base_velocity, A = state.base_acceleration;
  for (int j = 0; j < grid.steps; ++j) {
    if (j >= grid.main_steps) {  // a port step leaves some earlier stop
      const int i = grid.predecessor[j];
      base_stop = PoseT<S>{};
      V = state.base_velocity, A = state.base_acceleration;
      if (i >= 0) {
        base_stop = {F::matrix(kept + RodFields::k_base_rotation * stride + i, stride),
                     F::vector(kept + RodFields::k_base_position * stride + i, stride)};
        if constexpr (Level >= MotionLevel::velocity) V = F::twist(kept + RodFields::k_velocity * stride + i, stride);
        if constexpr (Level >= MotionLevel::acceleration) A = F::twist(kept + RodFields::k_force * stride + i, stride);
      }
    }
    const PoseT<S> step{F::matrix(kept + RodFields::k_step_rotation * stride + j, stride),
                        F::vector(kept + RodFields::k_step_position * stride + j, stride)};
    base_stop = base_stop * step;
    F::store(kept + RodFields::k_base_rotation * stride + j, stride, base_stop.rotation);
    F::store(kept + RodFields::k_base_position * stride + j, stride, base_stop.position);
    if constexpr (Level >= MotionLevel::velocity) {
      const TwistT<S> relative = F::twist(rates + j, stride);
      V = step.act_inverse(V) + relative;
      F::store(kept + RodFields::k_velocity * stride + j, stride, V);
      if constexpr (Level >= MotionLevel::acceleration) {
        A = step.act_inverse(A) + bracket(V, relative) + F::twist(rates + 6 * stride + j, stride);
        F::store(kept + RodFields::k_force * stride + j, stride, A);
      }
    }
  }
}

/// Inertial wrench of every section, in place of its acceleration: M A - ad_V^T M V, [B] (44) for one section.
template <typename P, typename S>
CUTTLE_INLINE void section_forces(const RodGrid<S>& grid, S* kept) {
  using L = Lanes<P, S>;
  using F = Field<P, S>;
  const int stride = grid.stride;
  for (int j = 0; j < grid.main_steps; j += L::k_width) {
    const TwistT<P> V = F::twist(kept + RodFields::k_velocity * stride + j, stride);
    const TwistT<P> A = F::twist(kept + RodFields::k_force * stride + j, stride);
    const P m = L::load(grid.mass + j);
    const Vector3T<P> I = F::vector(grid.rotary + j, stride);
    const Vector3T<P> Iw{I.x * V.angular.x, I.y * V.angular.y, I.z * V.angular.z};
    const Vector3T<P> Ia{I.x * A.angular.x, I.y * A.angular.y, I.z * A.angular.z};
    F::store(kept + RodFields::k_force * stride + j, stride,
             WrenchT<P>{Ia + cross(V.angular, Iw), m * (A.linear + cross(V.angular, V.linear))});
  }
}

template <typename P, bool Constant, MotionLevel Level, typename S>
void forward_at(const RodGrid<S>& grid, const BodyStateT<S>& state, S* kept, S* scratch, PortMotionT<S>* ports) {
  using F = Field<S, S>;
  const int stride = grid.stride;
  increments<P, Constant, Level>(grid, state, kept, scratch);
  recursion<Level>(grid, state, kept, scratch);
  for (int k = 0; k < grid.ports; ++k) {
    const S* at = kept + grid.port_step[k];
    ports[k].base_port = {F::matrix(at + RodFields::k_base_rotation * stride, stride),
                          F::vector(at + RodFields::k_base_position * stride, stride)};
    if constexpr (Level >= MotionLevel::velocity)
      ports[k].velocity = F::twist(at + RodFields::k_velocity * stride, stride);
    if constexpr (Level >= MotionLevel::acceleration) {
      ports[k].acceleration = F::twist(at + RodFields::k_force * stride, stride);
    }
  }
  if constexpr (Level >= MotionLevel::acceleration) section_forces<P>(grid, kept);
}

template <typename P, typename S>
void forward(const RodGrid<S>& grid, MotionLevel level, const BodyStateT<S>& state, S* kept, S* scratch,
             PortMotionT<S>* ports) {
  const auto run = [&]<bool Constant>() {
    if (level == MotionLevel::acceleration) {
      forward_at<P, Constant, MotionLevel::acceleration>(grid, state, kept, scratch, ports);
    } else if (level == MotionLevel::velocity) {
      forward_at<P, Constant, MotionLevel::velocity>(grid, state, kept, scratch, ports);
    } else {
      forward_at<P, Constant, MotionLevel::pose>(grid, state, kept, scratch, ports);
    }
  };
  if (grid.constant_strain) {
    run.template operator()<true>();
  } else {
    run.template operator()<false>();
  }
}

/// c_2 .. c_5 as stored by `increments`; the others are not used by right_tangent.
template <typename P, typename S>
CUTTLE_INLINE Stumpff<P, 5> stored_stumpff(const S* kept, int stride, int j) {
  Stumpff<P, 5> c;
  c.c[0] = c.c[1] = P(0.0);
  for (int i = 0; i < 4; ++i) c.c[2 + i] = Lanes<P, S>::load(kept + (RodFields::k_stumpff + i) * stride + j);
  return c;
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

template <typename P, bool Constant, typename S>
CUTTLE_INLINE void backward_with(const RodGrid<S>& grid, const WrenchT<S>* port_wrenches, S* kept, S* scratch,
                                 WrenchT<S>& base_wrench, S* force) {
  using FS = Field<S, S>;
  using L = Lanes<P, S>;
  using F = Field<P, S>;
  const int stride = grid.stride;
  S* wrench = scratch;  // 6 x stride: what crosses each stop, its axes; from tip to base
  for (int j = 0; j < stride; ++j) {
    const WrenchT<S> own =
        j < grid.main_steps ? FS::wrench(kept + RodFields::k_force * stride + j, stride) : WrenchT<S>::zero();
    FS::store(wrench + j, stride, own);
  }
  for (int k = 0; k < grid.ports; ++k) {
    S* at = wrench + grid.port_step[k];
    FS::store(at, stride, FS::wrench(at, stride) + port_wrenches[k]);
  }
  const auto step_of = [&](int j) {
    return PoseT<S>{FS::matrix(kept + RodFields::k_step_rotation * stride + j, stride),
                    FS::vector(kept + RodFields::k_step_position * stride + j, stride)};
  };
  base_wrench = WrenchT<S>::zero();
  for (int j = grid.main_steps; j < grid.steps; ++j) {
    const WrenchT<S> moved = step_of(j).act(FS::wrench(wrench + j, stride));
    const int i = grid.predecessor[j];
    if (i < 0) {
      base_wrench += moved;
    } else {
      FS::store(wrench + i, stride, FS::wrench(wrench + i, stride) + moved);
    }
  }
  WrenchT<S> carried = WrenchT<S>::zero();
  for (int j = grid.main_steps - 1; j >= 0; --j) {
    const WrenchT<S> total = FS::wrench(wrench + j, stride) + carried;
    FS::store(wrench + j, stride, total);
    carried = step_of(j).act(total);
  }
  base_wrench += carried;

  // generalized force: transposed tangent of each step, then transposed derivative of Omega by the two strains
  for (int k = 0; k < grid.coordinates; ++k) force[k] = S(0.0);
  for (int j = 0; j < grid.steps; j += L::k_width) {
    const TwistT<P> omega = F::twist(kept + RodFields::k_omega * stride + j, stride);
    const WrenchT<P> y =
        right_tangent(omega, stored_stumpff<P>(kept, stride, j)).transpose_times(F::wrench(wrench + j, stride));
    const P h = L::load(grid.length + j);
    if constexpr (Constant) {
      project<P>(grid, grid.shape1 + j, h * y, force);
    } else {
      const P half = P(0.5) * h;
      const P k = constant<P>(k_bracket_factor) * h * h;
      const TwistT<P> x1 = F::twist(kept + RodFields::k_strain1 * stride + j, stride);
      const TwistT<P> x2 = F::twist(kept + RodFields::k_strain2 * stride + j, stride);
      // [d, x2] = -ad_x2 d, [x1, d] = ad_x1 d
      project<P>(grid, grid.shape1 + j, half * y - k * bracket_transpose(x2, y), force);
      project<P>(grid, grid.shape2 + j, half * y + k * bracket_transpose(x1, y), force);
    }
  }
}

template <typename P, typename S>
void backward(const RodGrid<S>& grid, const WrenchT<S>* port_wrenches, S* kept, S* scratch, WrenchT<S>& base_wrench,
              S* force) {
  if (grid.constant_strain) {
    backward_with<P, true>(grid, port_wrenches, kept, scratch, base_wrench, force);
  } else {
    backward_with<P, false>(grid, port_wrenches, kept, scratch, base_wrench, force);
  }
}

/// Twist across each step for a unit rate of each coordinate, in base axes: `relative` is steps x 6 x columns.
template <typename P, bool Constant, typename S>
CUTTLE_INLINE void relative_jacobians(const RodGrid<S>& grid, const S* kept, S* relative) {
  using L = Lanes<P, S>;
  using F = Field<P, S>;
  const int stride = grid.stride;
  for (int j = 0; j < grid.steps; j += L::k_width) {
    const TwistT<P> omega = F::twist(kept + RodFields::k_omega * stride + j, stride);
    TangentMapT<P> T = right_tangent(omega, stored_stumpff<P>(kept, stride, j));
    const Matrix3T<P> R = F::matrix(kept + RodFields::k_base_rotation * stride + j, stride);
    T = {R * T.diagonal, R * T.lower};
    const P h = L::load(grid.length + j);
    const P half = P(0.5) * h;
    const P k = constant<P>(k_bracket_factor) * h * h;
    TwistT<P> x1, x2;
    if constexpr (!Constant) {
      x1 = F::twist(kept + RodFields::k_strain1 * stride + j, stride);
      x2 = F::twist(kept + RodFields::k_strain2 * stride + j, stride);
    }
    const int lanes = grid.steps - j < L::k_width ? grid.steps - j : L::k_width;
#pragma GCC unroll 6
    for (int c = 0; c < 6; ++c) {
      if (grid.component_start[c] == grid.component_start[c + 1]) continue;
      TwistT<P> u1, u2;
      if constexpr (Constant) {
        u1 = c < 3 ? TwistT<P>{h * T.diagonal.column(c), h * T.lower.column(c)}
                   : TwistT<P>{{}, h * T.diagonal.column(c < 3 ? 0 : c - 3)};
      } else {
        TwistT<P> e;
        e[c] = P(1.0);
        u1 = T * (half * e + k * bracket(e, x2));
        u2 = T * (half * e + k * bracket(x1, e));
      }
      for (int i = grid.component_start[c]; i < grid.component_start[c + 1]; ++i) {
        TwistT<P> column = L::load(grid.shape1 + i * stride + j) * u1;
        if constexpr (!Constant) column += L::load(grid.shape2 + i * stride + j) * u2;
        for (int r = 0; r < 6; ++r) {
          for (int l = 0; l < lanes; ++l) relative[((j + l) * 6 + r) * grid.columns + i] = L::lane(column[r], l);
        }
      }
    }
  }
}

/// Upper tiles of sum J^T G over all rows, mirrored: mass (n x n). J, G: rows x columns, columns padded with zeros.
template <typename P, typename S>
CUTTLE_INLINE void symmetric_product(int rows, int n, int columns, const S* J, const S* G, S* mass) {
  using L = Lanes<P, S>;
  constexpr int k_tile = 4;
  for (int a = 0; a < n; a += k_tile) {
    for (int b = a / L::k_width * L::k_width; b < n; b += L::k_width) {
      P sum[k_tile];
      for (int i = 0; i < k_tile; ++i) sum[i] = P(0.0);
      for (int r = 0; r < rows; ++r) {
        const P g = L::load(G + r * columns + b);
        for (int i = 0; i < k_tile; ++i) sum[i] += P(J[r * columns + a + i]) * g;
      }
      for (int i = 0; i < k_tile && a + i < n; ++i) {
        for (int l = 0; l < L::k_width && b + l < n; ++l) {
          if (b + l >= a + i) mass[(a + i) * n + b + l] = mass[(b + l) * n + a + i] = L::lane(sum[i], l);
        }
      }
    }
  }
}

template <typename P, typename S>
void inertia_blocks(const RodGrid<S>& grid, S* kept, S* scratch, InertiaBlocksT<S>& blocks, S* port_jacobians) {
  using FS = Field<S, S>;
  using L = Lanes<P, S>;
  const int stride = grid.stride, n = grid.coordinates, columns = grid.columns;
  S* J = scratch;                             // Jacobian of each stop in base axes, at the stop: steps x 6 x columns
  S* G = scratch + grid.steps * 6 * columns;  // momentum of each section for unit rates, base axes, at the section
  for (int i = 0; i < grid.steps * 6; ++i) {
    for (int k = n; k < columns; ++k) J[i * columns + k] = S(0.0);
  }
  if (grid.constant_strain) {
    relative_jacobians<P, true>(grid, kept, J);
  } else {
    relative_jacobians<P, false>(grid, kept, J);
  }

  blocks.base = {};
  S* coupling = G + grid.main_steps * 6 * columns;  // 6 x columns
  for (int i = 0; i < 6 * columns; ++i) coupling[i] = S(0.0);
  for (int j = 0; j < grid.steps; ++j) {
    const int before = j < grid.main_steps ? j - 1 : grid.predecessor[j];
    const Vector3T<S> p = FS::vector(kept + RodFields::k_base_position * stride + j, stride);
    S* Jj = J + j * 6 * columns;
    if (before >= 0) {
      // carried along: same angular velocity, linear velocity w x (p_j - p_before) more
      const Vector3T<S> d = p - FS::vector(kept + RodFields::k_base_position * stride + before, stride);
      const P dx(d.x), dy(d.y), dz(d.z);
      const S* Jb = J + before * 6 * columns;
      for (int k = 0; k < columns; k += L::k_width) {
        const Vector3T<P> w = Field<P, S>::vector(Jb + k, columns);
        const Vector3T<P> v = Field<P, S>::vector(Jb + 3 * columns + k, columns);
        Field<P, S>::store(Jj + k, columns, Field<P, S>::vector(Jj + k, columns) + w);
        Field<P, S>::store(Jj + 3 * columns + k, columns,
                           Field<P, S>::vector(Jj + 3 * columns + k, columns) + v + cross(w, Vector3T<P>{dx, dy, dz}));
      }
    }
    if (j >= grid.main_steps) continue;
    const S m = grid.mass[j];
    const Matrix3T<S> R = FS::matrix(kept + RodFields::k_base_rotation * stride + j, stride);
    const Vector3T<S> rotary = FS::vector(grid.rotary + j, stride);
    const SymmetricMatrix3T<S> I = SymmetricMatrix3T<S>::diagonal(rotary.x, rotary.y, rotary.z).rotated(R);
    const S p2 = m * dot(p, p);
    blocks.base += SpatialInertiaT<S>{
        m, m * p, I + SymmetricMatrix3T<S>::diagonal(p2, p2, p2) - SymmetricMatrix3T<S>::outer(m, p)};
    const SymmetricMatrix3T<P> Ip{P(I.xx), P(I.yy), P(I.zz), P(I.xy), P(I.xz), P(I.yz)};
    const Vector3T<P> pp{P(p.x), P(p.y), P(p.z)};
    S* Gj = G + j * 6 * columns;
    for (int k = 0; k < columns; k += L::k_width) {
      const Vector3T<P> angular = Ip * Field<P, S>::vector(Jj + k, columns);
      const Vector3T<P> linear = P(m) * Field<P, S>::vector(Jj + 3 * columns + k, columns);
      Field<P, S>::store(Gj + k, columns, angular);
      Field<P, S>::store(Gj + 3 * columns + k, columns, linear);
      Field<P, S>::store(coupling + k, columns,
                         Field<P, S>::vector(coupling + k, columns) + angular + cross(pp, linear));
      Field<P, S>::store(coupling + 3 * columns + k, columns,
                         Field<P, S>::vector(coupling + 3 * columns + k, columns) + linear);
    }
  }
  symmetric_product<P>(grid.main_steps * 6, n, columns, J, G, blocks.mass);
  for (int r = 0; r < 6; ++r) {
    for (int k = 0; k < n; ++k) blocks.coupling[r * n + k] = coupling[r * columns + k];
  }
  for (int port = 0; port < grid.ports; ++port) {
    const int j = grid.port_step[port];
    const Matrix3T<S> R = FS::matrix(kept + RodFields::k_base_rotation * stride + j, stride);
    const S* Jj = J + j * 6 * columns;
    S* out = port_jacobians + port * 6 * n;
    for (int k = 0; k < n; ++k) {
      FS::store(out + k, n, R.transpose_times(FS::vector(Jj + k, columns)));
      FS::store(out + 3 * n + k, n, R.transpose_times(FS::vector(Jj + 3 * columns + k, columns)));
    }
  }
}

template <typename P, typename S>
inline constexpr RodKernels<S> k_kernels{&forward<P, S>, &backward<P, S>, &inertia_blocks<P, S>};

}  // namespace cuttle::CUTTLE_ISA::rod
