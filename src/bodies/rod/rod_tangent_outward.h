#pragma once

#include <algorithm>

#include "bodies/rod/rod_tangent.h"
#include "bodies/rod/rod_tangent_maps.h"

// Outward half of a rod's derivatives: the twists J, J' and J'' + [a_root, J] of every stop (cuttle/bodies/tangent.h).
// Steps are lanes for what belongs to a step, coordinates for what belongs to a stop and a coordinate.

namespace cuttle::CUTTLE_ISA::rod {

/// Where the parts of the memory start, for lanes of `width`.
struct TangentMemoryParts {
  static constexpr int k_forms = 72;  ///< numbers of a step: 18 for each of four pairs of Magnus points
  /// Numbers of a step: 18 for each of two Magnus points and three twists.
  static constexpr int k_maps = 108;
  // numbers of a stop's composite
  static constexpr int k_inertia = 0, k_rate = 10, k_wrench = 22, k_total = 28, k_stumpff = 34, k_section = 40;

  TangentMemoryParts(int coordinates, int steps, int main_steps, int width) {
    const std::size_t stride = padded(steps), packs = (coordinates + width - 1) / width, columns = packs * width;
    section = k_maps * stride;
    forms = section + k_section * stride;
    projected = forms + k_forms * stride;
    increments = projected + 36 * steps * width;
    twists = increments + 6 * steps * columns;
    branches = twists + 18 * steps * columns;
    size = padded(branches + 18 * (steps - main_steps) * columns);
  }
  std::size_t section, forms, projected, increments, twists, branches, size;
};

template <Variation<double> V>
inline constexpr int k_points = V == Variation<double>::within_steps ? 2 : 1;

template <typename P, typename S>
struct TangentMemory {
  static constexpr int k_width = Lanes<P, S>::k_width;
  const RodGrid<S>& grid;
  S* memory;
  TangentMemoryParts parts{grid.coordinates, grid.steps, grid.main_steps, k_width};

  int column_packs() const { return (grid.coordinates + k_width - 1) / k_width; }
  /// Numbers of the steps j, j + 1, .. that are one pack, or of step j alone; each k_width scalars after the one
  /// before.
  CUTTLE_INLINE S* maps(int j) const {
    return memory + j / k_width * (TangentMemoryParts::k_maps * k_width) + j % k_width;
  }
  CUTTLE_INLINE S* section(int j) const {
    return memory + parts.section + j / k_width * (TangentMemoryParts::k_section * k_width) + j % k_width;
  }
  CUTTLE_INLINE S* forms(int j) const {
    return memory + parts.forms + j / k_width * (TangentMemoryParts::k_forms * k_width) + j % k_width;
  }
  /// Generalized forces of step j by a, v, q for each strain component at each Magnus point; of one pack of columns.
  CUTTLE_INLINE S* projected(int j) const { return memory + parts.projected + j * (36 * k_width); }
  /// Change of J across step j, 6 rows.
  CUTTLE_INLINE S* increment(int pack, int j) const {
    return memory + parts.increments + (static_cast<std::size_t>(pack) * grid.steps + j) * (6 * k_width);
  }
  /// J, J', J'' + [a_root, J] of stop j, 18 rows; on the way back the wrenches that change with a, v, q.
  CUTTLE_INLINE S* twists(int pack, int j) const {
    return memory + parts.twists + (static_cast<std::size_t>(pack) * grid.steps + j) * (18 * k_width);
  }
  /// What the stop j of a port step hands on to its predecessor, 18 rows.
  CUTTLE_INLINE S* branch(int pack, int j) const {
    const int i = j - grid.main_steps;
    return memory + parts.branches +
           (static_cast<std::size_t>(pack) * (grid.steps - grid.main_steps) + i) * (18 * k_width);
  }
};

/// The strain components with coordinates in a pack of columns, those of bending and twist first, and their shapes.
template <typename P, typename S>
struct PackComponents {
  using L = Lanes<P, S>;
  const RodGrid<S>& grid;
  int pack, angular = 0, count = 0;
  int component[6];
  P mine[6];  ///< 1 in the lanes of the component's coordinates, 0 in others

  PackComponents(const RodGrid<S>& g, int p) : grid(g), pack(p) {
    for (int c = 0; c < 6; ++c) {
      const int first = std::max(grid.component_start[c] - pack * L::k_width, 0);
      const int last = std::min(grid.component_start[c + 1] - pack * L::k_width, L::k_width);
      if (first >= last) continue;
      S lanes[L::k_width] = {};
      for (int l = first; l < last; ++l) lanes[l] = S(1.0);
      component[count] = c, mine[count] = L::load(lanes);
      ++count;
      if (c < 3) angular = count;
    }
  }
  /// phi / L at the Magnus points of step j, 0 in the lanes of other components.
  template <int Points>
  CUTTLE_INLINE void shapes(int j, P (&values)[6][Points]) const {
    for (int point = 0; point < Points; ++point) {
      const S* table = point == 0 ? grid.shape1_by_step : grid.shape2_by_step;
      const P all = L::load(table + j * grid.columns + pack * L::k_width);
      for (int i = 0; i < count; ++i) values[i][point] = mine[i] * all;
    }
  }
};

template <typename P, typename S>
CUTTLE_INLINE TangentMapT<P> load_map(const S* p) {
  constexpr int k_width = Lanes<P, S>::k_width;
  return {Field<P, S>::matrix(p, k_width), Field<P, S>::matrix(p + 9 * k_width, k_width)};
}
template <typename P, typename S>
CUTTLE_INLINE void store_map(S* p, const TangentMapT<P>& m) {
  constexpr int k_width = Lanes<P, S>::k_width;
  Field<P, S>::store(p, k_width, m.diagonal), Field<P, S>::store(p + 9 * k_width, k_width, m.lower);
}

/// From the strain at the Magnus points to the three twists across steps j, j + 1, .., in base axes.
template <typename P, Variation<double> V, typename S>
CUTTLE_INLINE void step_maps(const Stops<P, S>& stops, int j, const Strain<P>& first, const Strain<P>& other, S* maps,
                             S* section) {
  using L = Lanes<P, S>;
  constexpr int k_width = L::k_width;
  const P h = L::load(stops.grid.length + j);
  Strain<P> magnus;
  if constexpr (V == Variation<double>::within_steps) {
    magnus = magnus_vector<MotionLevel::acceleration>(h, first, other);
  } else {
    magnus = magnus_vector<MotionLevel::acceleration>(h, first);
  }
  const auto c = stumpff<9>(dot(magnus.value.angular, magnus.value.angular));
  for (int i = 0; i < 6; ++i) L::store(section + (TangentMemoryParts::k_stumpff + i) * k_width, c[2 + i]);
  const TangentMotion<P> T = tangent_motion(magnus.value, magnus.rate, magnus.second, c);
  // along a coordinate k, in the axes of the stop: s = T W_k, s' and s'' of W_k, W_k', W_k''; then
  // dJ = Ad s, dJ' = Ad (s' + [V, s]), d(J'' + [a_root, J]) = Ad (s'' + 2 [V, s'] + [A, s] + [V, [V, s]])
  const TwistT<P> velocity = stops.twist(RodFields::k_velocity, j);
  const TwistT<P> acceleration = stops.twist(RodFields::k_acceleration, j);
  TangentMapT<P> rate = T.rate, second = T.second;
  add_bracket_times(rate, velocity, T.value);
  add_bracket_times(second, velocity, sum(T.rate, rate));
  add_bracket_times(second, acceleration, T.value);
  const PoseT<P> g = stops.base_stop(j);
  const auto store = [&](int point, int twist, const TangentMapT<P>& m) __attribute__((always_inline)) {
    store_map<P>(maps + (point * 3 + twist) * 18 * k_width, m);
  };
  if constexpr (V != Variation<double>::within_steps) {
    const PoseT<P> hg{h * g.rotation, g.position};
    store(0, 0, act(hg, T.value)), store(0, 1, act(hg, rate)), store(0, 2, act(hg, second));
  } else {
    // W_k = (h/2 + k ad_x1) phi_2 e_c + (h/2 - k ad_x2) phi_1 e_c, k = sqrt(3)/12 h^2
    const P half = P(0.5) * h;
    const P k = constant<P>(k_bracket_factor) * h * h;
    const TangentMapT<P> B0 = act(g, T.value), B1 = act(g, rate), B2 = act(g, second);
    const auto point = [&](int i, const P& sign, const Strain<P>& strain) __attribute__((always_inline)) {
      const P s = sign * k, twice = s + s;
      const TwistT<P> x = s * strain.value, x1 = s * strain.rate, x2 = s * strain.second, y1 = twice * strain.rate;
      TangentMapT<P> m0 = scaled(half, B0), m1 = scaled(half, B1), m2 = scaled(half, B2);
      add_times_bracket(m0, B0, x);
      store(i, 0, m0);
      add_times_bracket(m1, B1, x), add_times_bracket(m1, B0, x1);
      store(i, 1, m1);
      add_times_bracket(m2, B2, x), add_times_bracket(m2, B1, y1), add_times_bracket(m2, B0, x2);
      store(i, 2, m2);
    };
    point(0, P(-1.0), other);
    point(1, P(1.0), first);
  }
}

/// Inertia, change of momentum and inertial wrench of the sections j, j + 1, .. as rigid parts, base axes.
template <typename P, typename S>
CUTTLE_INLINE void section_composites(const Stops<P, S>& stops, int j, S* section) {
  using L = Lanes<P, S>;
  using F = Field<P, S>;
  using Parts = TangentMemoryParts;
  constexpr int k_width = L::k_width;
  const RodGrid<S>& grid = stops.grid;
  const PoseT<P> g = stops.base_stop(j);
  const P m = L::load(grid.mass + j);
  const Vector3T<P> rotary = F::vector(grid.rotary + j, grid.stride);
  const auto I = SymmetricMatrix3T<P>::diagonal(rotary.x, rotary.y, rotary.z).rotated(g.rotation);
  const Vector3T<P> mp = m * g.position;
  const P p2 = dot(mp, g.position);
  const auto about_base = I + SymmetricMatrix3T<P>::diagonal(p2, p2, p2) - SymmetricMatrix3T<P>::outer(m, g.position);
  const AngularMapT<P> rate =
      momentum_rate(SpatialInertiaT<P>{m, mp, about_base}, g.act(stops.twist(RodFields::k_velocity, j)));
  const WrenchT<P> w = g.act(stops.wrench(RodFields::k_force, j));
  const P values[28] = {m,
                        mp.x,
                        mp.y,
                        mp.z,
                        about_base.xx,
                        about_base.yy,
                        about_base.zz,
                        about_base.xy,
                        about_base.xz,
                        about_base.yz,
                        rate.matrix.row0.x,
                        rate.matrix.row0.y,
                        rate.matrix.row0.z,
                        rate.matrix.row1.x,
                        rate.matrix.row1.y,
                        rate.matrix.row1.z,
                        rate.matrix.row2.x,
                        rate.matrix.row2.y,
                        rate.matrix.row2.z,
                        rate.vector.x,
                        rate.vector.y,
                        rate.vector.z,
                        w.torque.x,
                        w.torque.y,
                        w.torque.z,
                        w.force.x,
                        w.force.y,
                        w.force.z};
  // stops of port steps have no mass, and lanes behind the last stop hold nothing
  const auto has_section = lanes_before<P, S>(j, grid.main_steps);
#pragma GCC unroll 28
  for (int i = 0; i < 28; ++i)
    L::store(section + (Parts::k_inertia + i) * k_width, select(has_section, values[i], P(0.0)));
}

/// The three twists of a pack of coordinates across step j, added to those of the stop before.
template <typename P, Variation<double> V, typename S>
CUTTLE_INLINE void add_step(const TangentMemory<P, S>& memory, const PackComponents<P, S>& columns, int j, P* twists) {
  using L = Lanes<P, S>;
  constexpr int k_width = L::k_width, points = k_points<V>;
  const S* maps = memory.maps(j);
  S* increment = memory.increment(columns.pack, j);
  S* stop = memory.twists(columns.pack, j);
  P shapes[6][points];
  columns.shapes(j, shapes);
#pragma GCC unroll 3
  for (int twist = 0; twist < 3; ++twist) {
    P change[6];
    for (int r = 0; r < 6; ++r) change[r] = twist == 0 ? P(0.0) : twists[twist * 6 + r];
    int i = 0;
    for (; i < columns.angular; ++i) {
#pragma GCC unroll 2
      for (int point = 0; point < points; ++point) {
        const S* map = maps + ((point * 3 + twist) * 18 + columns.component[i]) * k_width;
#pragma GCC unroll 3
        for (int r = 0; r < 3; ++r) {
          change[r] += shapes[i][point] * P(map[3 * r * k_width]);
          change[3 + r] += shapes[i][point] * P(map[(9 + 3 * r) * k_width]);
        }
      }
    }
    for (; i < columns.count; ++i) {
#pragma GCC unroll 2
      for (int point = 0; point < points; ++point) {
        const S* map = maps + ((point * 3 + twist) * 18 + columns.component[i] - 3) * k_width;
#pragma GCC unroll 3
        for (int r = 0; r < 3; ++r) change[3 + r] += shapes[i][point] * P(map[3 * r * k_width]);
      }
    }
#pragma GCC unroll 6
    for (int r = 0; r < 6; ++r) {
      P& value = twists[twist * 6 + r];
      if (twist == 0) {
        L::store(increment + r * k_width, change[r]);
        value += change[r];
      } else {
        value = change[r];
      }
      L::store(stop + (twist * 6 + r) * k_width, value);
    }
  }
}

template <typename P, Variation<double> V, typename S>
void tangent_outward_with(const RodGrid<S>& grid, const BodyStateT<S>& state, S* kept, S* start,
                          const PortTangentT<S>* ports) {
  using L = Lanes<P, S>;
  constexpr int k_width = L::k_width;
  const TangentMemory<P, S> memory{grid, start};
  const Stops<P, S> stops{kept, grid};
  constexpr MotionLevel level = MotionLevel::acceleration;
  Strain<P> first = strain_at<P, level>(grid, grid.shape1, grid.rest1, state), other;
  for (int j = 0; j < grid.steps; j += k_width) {
    if constexpr (V != Variation<double>::none) {
      first = strain_at<P, level>(grid, grid.shape1 + j, grid.rest1 + j, state);
    }
    if constexpr (V == Variation<double>::within_steps) {
      other = strain_at<P, level>(grid, grid.shape2 + j, grid.rest2 + j, state);
    }
    step_maps<P, V>(stops, j, first, other, memory.maps(j), memory.section(j));
    section_composites<P>(stops, j, memory.section(j));
  }
  const int n = grid.coordinates;
  for (int pack = 0; pack < memory.column_packs(); ++pack) {
    const PackComponents<P, S> columns(grid, pack);
    P twists[18] = {};
    for (int j = 0; j < grid.main_steps; ++j) add_step<P, V>(memory, columns, j, twists);
    for (int j = grid.main_steps; j < grid.steps; ++j) {
      const int before = grid.predecessor[j];
      for (int i = 0; i < 18; ++i) twists[i] = before < 0 ? P(0.0) : L::load(memory.twists(pack, before) + i * k_width);
      add_step<P, V>(memory, columns, j, twists);
    }
    for (int k = 0; k < grid.ports; ++k) {
      const S* rows = memory.twists(pack, grid.port_step[k]);
      S* const out[3] = {ports[k].jacobian, ports[k].rate, ports[k].second};
      for (int i = 0; i < 18; ++i) {
        store_lanes<P>(out[i / 6] + i % 6 * n + pack * k_width, L::load(rows + i * k_width), n - pack * k_width);
      }
    }
  }
}

template <typename P, typename S>
void tangent_outward(const RodGrid<S>& grid, const BodyStateT<S>& state, S* kept, S* memory,
                     const PortTangentT<S>* ports) {
  dispatch(grid, [&]<Variation<double> V>() { tangent_outward_with<P, V>(grid, state, kept, memory, ports); });
}

}  // namespace cuttle::CUTTLE_ISA::rod
