#pragma once

#include "bodies/rod/rod_fields.h"

// Inertia blocks of a rod at the configuration that its sweep has left: Jacobians of all stops in base axes, then sums
// over the sections.

namespace cuttle::CUTTLE_ISA::rod {

inline constexpr long double k_bracket_factor = 0.14433756729740644112728719512548938L;  // sqrt(3) / 12

template <typename S>
using Variation = typename RodGrid<S>::Variation;

/// Twist across each step for a unit rate of each coordinate, in base axes at the stop.
/// @param use  called with coordinate, step and the twists of the steps in the lanes.
template <typename P, bool Constant, typename S, typename Use>
CUTTLE_INLINE void relative_jacobians(const RodGrid<S>& grid, S* kept, const Use& use) {
  using L = Lanes<P, S>;
  const Stops<P, S> stops{kept, grid};
  for (int j = 0; j < grid.steps; j += L::k_width) {
    TangentMapT<P> T = right_tangent(stops.twist(RodFields::k_omega, j), stops.stumpff(j));
    const Matrix3T<P> R = stops.matrix(RodFields::k_base_rotation, j);
    T = {R * T.diagonal, R * T.lower};
    const P h = L::load(grid.length + j);
    const P half = P(0.5) * h;
    const P k = constant<P>(k_bracket_factor) * h * h;
    TwistT<P> x1, x2;
    if constexpr (!Constant) {
      x1 = stops.twist(RodFields::k_strain1, j);
      x2 = stops.twist(RodFields::k_strain2, j);
    }
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
        TwistT<P> column = L::load(grid.shape1 + i * grid.stride + j) * u1;
        if constexpr (!Constant) column += L::load(grid.shape2 + i * grid.stride + j) * u2;
        use(i, j, column);
      }
    }
  }
}

template <typename P, typename S, typename Use>
CUTTLE_INLINE void for_each_relative_jacobian(const RodGrid<S>& grid, S* kept, const Use& use) {
  if (grid.variation == Variation<S>::within_steps) {
    relative_jacobians<P, false>(grid, kept, use);
  } else {
    relative_jacobians<P, true>(grid, kept, use);
  }
}

/// Zero in the lanes behind the last main stop, which need not hold numbers.
template <typename P, typename S>
CUTTLE_INLINE void cut_lanes(int j, int main_steps, P& value) {
  if constexpr (Lanes<P, S>::k_width > 1) {
    if (j + Lanes<P, S>::k_width > main_steps) value = select(lanes_before<P, S>(j, main_steps), value, P(0.0));
  }
}

/// The sections j, j + 1, .. as rigid parts: mass, place, rotary inertia in base axes. No mass where there is none.
template <typename P>
struct SectionInertia {
  P mass;
  Vector3T<P> position;
  SymmetricMatrix3T<P> rotary;

  CUTTLE_INLINE SpatialInertiaT<P> about_base() const {
    const Vector3T<P> moment = mass * position;
    const P p2 = dot(moment, position);
    return {mass, moment,
            rotary + SymmetricMatrix3T<P>::diagonal(p2, p2, p2) - SymmetricMatrix3T<P>::outer(mass, position)};
  }
};
template <typename P, typename S>
CUTTLE_INLINE SectionInertia<P> section_inertia(const RodGrid<S>& grid, const Stops<P, S>& stops, int j) {
  using L = Lanes<P, S>;
  const PoseT<P> g = stops.base_stop(j);
  const Vector3T<P> about = Field<P, S>::vector(grid.rotary + j, grid.stride);
  SectionInertia<P> r{L::load(grid.mass + j), g.position,
                      SymmetricMatrix3T<P>::diagonal(about.x, about.y, about.z).rotated(g.rotation)};
  SymmetricMatrix3T<P>& I = r.rotary;
  P* const values[] = {&r.mass, &r.position.x, &r.position.y, &r.position.z, &I.xx, &I.yy, &I.zz, &I.xy, &I.xz, &I.yz};
  for (P* value : values) cut_lanes<P, S>(j, grid.main_steps, *value);
  return r;
}
/// The sum of the lanes.
template <typename S, typename P>
CUTTLE_INLINE SpatialInertiaT<S> total(const SpatialInertiaT<P>& a) {
  const auto sum = [](const P& x) { return Lanes<P, S>::sum(x); };
  const SymmetricMatrix3T<P>& I = a.rotation;
  return {sum(a.mass),
          {sum(a.moment.x), sum(a.moment.y), sum(a.moment.z)},
          {sum(I.xx), sum(I.yy), sum(I.zz), sum(I.xy), sum(I.xz), sum(I.yz)}};
}

/// Rods of so few coordinates take stops as lanes all the way; others take coordinates.
inline constexpr int k_few_coordinates = 4;

template <typename P, typename S>
void inertia_blocks_of_few(const RodGrid<S>& grid, S* kept, S* J, InertiaBlocksT<S>& blocks, S* port_jacobians) {
  using L = Lanes<P, S>;
  using F = Field<P, S>;
  const Stops<P, S> stops{kept, grid};
  const int n = grid.coordinates, stride = grid.stride;
  // twists at the base's origin, n x 6 x stride: there those of steps only have to be summed
  for_each_relative_jacobian<P>(
      grid, kept, [&](int i, int j, const TwistT<P>& t) __attribute__((always_inline)) {
        const Vector3T<P> p = stops.vector(RodFields::k_base_position, j);
        F::store(J + i * 6 * stride + j, stride, TwistT<P>{t.angular, t.linear + cross(p, t.angular)});
      });
  for (int row = 0; row < 6 * n; ++row) {
    S* x = J + row * stride;
    for (int j = 1; j < grid.main_steps; ++j) x[j] += x[j - 1];
    for (int j = grid.main_steps; j < grid.steps; ++j) {
      if (grid.predecessor[j] >= 0) x[j] += x[grid.predecessor[j]];
    }
  }
  SpatialInertiaT<P> base{};
  WrenchT<P> coupling[k_few_coordinates];
  P mass[k_few_coordinates * (k_few_coordinates + 1) / 2];
  for (int i = 0, pair = 0; i < n; ++i) {
    coupling[i] = WrenchT<P>::zero();
    for (int k = 0; k <= i; ++k) mass[pair++] = P(0.0);
  }
  for (int j = 0; j < grid.main_steps; j += L::k_width) {
    const SectionInertia<P> section = section_inertia<P>(grid, stops, j);
    base += section.about_base();
    TwistT<P> columns[k_few_coordinates];
    for (int i = 0, pair = 0; i < n; ++i) {
      TwistT<P>& t = columns[i];
      t = F::twist(J + i * 6 * stride + j, stride);
      for (int r = 0; r < 6; ++r) cut_lanes<P, S>(j, grid.main_steps, t[r]);
      t.linear += cross(t.angular, section.position);
      const WrenchT<P> momentum{section.rotary * t.angular, section.mass * t.linear};
      coupling[i] += WrenchT<P>{momentum.torque + cross(section.position, momentum.force), momentum.force};
      for (int k = 0; k <= i; ++k) mass[pair++] += dot(momentum, columns[k]);
    }
  }
  blocks.base = total<S>(base);
  for (int i = 0, pair = 0; i < n; ++i) {
    for (int r = 0; r < 6; ++r) blocks.coupling[r * n + i] = L::sum(coupling[i][r]);
    for (int k = 0; k <= i; ++k) blocks.mass[i * n + k] = blocks.mass[k * n + i] = L::sum(mass[pair++]);
  }
  const Stops<S, S> stop{kept, grid};
  for (int port = 0; port < grid.ports; ++port) {
    const PoseT<S> g = stop.base_stop(grid.port_step[port]);
    for (int i = 0; i < n; ++i) {
      const TwistT<S> t = Field<S, S>::twist(J + i * 6 * stride + grid.port_step[port], stride);
      Field<S, S>::store(port_jacobians + port * 6 * n + i, n, g.act_inverse(t));
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
  if (grid.coordinates <= k_few_coordinates) {
    inertia_blocks_of_few<P>(grid, kept, scratch, blocks, port_jacobians);
    return;
  }
  const Stops<S, S> stop{kept, grid};
  const int n = grid.coordinates, columns = grid.columns;
  S* J = scratch;                             // Jacobian of each stop in base axes, at the stop: steps x 6 x columns
  S* G = scratch + grid.steps * 6 * columns;  // momentum of each section for unit rates, base axes, at the section
  for (int i = 0; i < grid.steps * 6; ++i) {
    for (int k = n; k < columns; ++k) J[i * columns + k] = S(0.0);
  }
  for_each_relative_jacobian<P>(
      grid, kept, [&](int i, int j, const TwistT<P>& t) __attribute__((always_inline)) {
        const int lanes = grid.steps - j < L::k_width ? grid.steps - j : L::k_width;
        for (int r = 0; r < 6; ++r) {
          for (int l = 0; l < lanes; ++l) J[((j + l) * 6 + r) * columns + i] = L::lane(t[r], l);
        }
      });

  S* coupling = G + grid.main_steps * 6 * columns;  // 6 x columns
  S* rotary = coupling + 6 * columns;               // 6 x stride, in base axes
  SpatialInertiaT<P> base{};
  for (int j = 0; j < grid.main_steps; j += L::k_width) {
    const SectionInertia<P> section = section_inertia<P>(grid, Stops<P, S>{kept, grid}, j);
    base += section.about_base();
    const SymmetricMatrix3T<P>& I = section.rotary;
    const P values[6] = {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz};
    for (int r = 0; r < 6; ++r) L::store(rotary + r * grid.stride + j, values[r]);
  }
  blocks.base = total<S>(base);
  for (int i = 0; i < 6 * columns; ++i) coupling[i] = S(0.0);
  for (int j = 0; j < grid.steps; ++j) {
    const int before = j < grid.main_steps ? j - 1 : grid.predecessor[j];
    const Vector3T<S> p = stop.vector(RodFields::k_base_position, j);
    S* Jj = J + j * 6 * columns;
    if (before >= 0) {
      // carried along: same angular velocity, linear velocity w x (p_j - p_before) more
      const Vector3T<S> d = p - stop.vector(RodFields::k_base_position, before);
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
    const auto entry = [&](int r) { return P(rotary[r * grid.stride + j]); };
    const SymmetricMatrix3T<P> Ip{entry(0), entry(1), entry(2), entry(3), entry(4), entry(5)};
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
    const Matrix3T<S> R = stop.matrix(RodFields::k_base_rotation, j);
    const S* Jj = J + j * 6 * columns;
    S* out = port_jacobians + port * 6 * n;
    for (int k = 0; k < n; ++k) {
      FS::store(out + k, n, R.transpose_times(FS::vector(Jj + k, columns)));
      FS::store(out + 3 * n + k, n, R.transpose_times(FS::vector(Jj + 3 * columns + k, columns)));
    }
  }
}

}  // namespace cuttle::CUTTLE_ISA::rod
