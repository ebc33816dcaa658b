#pragma once

#include "bodies/rod/rod_tangent_products.h"

// Inward half of a rod's derivatives: how the wrenches that cross the stops change.

namespace cuttle::CUTTLE_ISA::rod {

/// The composite of stop j, the same in all lanes.
template <typename P, typename S>
struct StopComposite {
  using Parts = TangentMemoryParts;
  static constexpr int k_width = Lanes<P, S>::k_width;
  const S* section;

  CUTTLE_INLINE P at(int i) const { return P(section[i * k_width]); }
  CUTTLE_INLINE Vector3T<P> vector(int i) const { return {at(i), at(i + 1), at(i + 2)}; }
  CUTTLE_INLINE WrenchT<P> wrench(int i) const { return {vector(i), vector(i + 3)}; }
  CUTTLE_INLINE SpatialInertiaT<P> inertia() const {
    constexpr int i = Parts::k_inertia;
    return {at(i), vector(i + 1), {at(i + 4), at(i + 5), at(i + 6), at(i + 7), at(i + 8), at(i + 9)}};
  }
  CUTTLE_INLINE AngularMapT<P> rate() const {
    constexpr int i = Parts::k_rate;
    return {{vector(i), vector(i + 3), vector(i + 6)}, vector(i + 9)};
  }
};

template <typename P, typename S>
CUTTLE_INLINE AngularMapT<P> spread(const AngularMapT<S>& a) {
  const auto vector = [](const Vector3T<S>& v) __attribute__((always_inline)) {
    return Vector3T<P>{P(v.x), P(v.y), P(v.z)};
  };
  return {{vector(a.matrix.row0), vector(a.matrix.row1), vector(a.matrix.row2)}, vector(a.vector)};
}

/// Adds what hangs at the ports to their stops, and sums everything up.
template <typename P, typename S>
void add_ports(const TangentMemory<P, S>& memory, const CompositeT<S>* ports, CompositeT<S>& total) {
  using Parts = TangentMemoryParts;
  constexpr int k_width = Lanes<P, S>::k_width;
  const RodGrid<S>& grid = memory.grid;
  const auto numbers = [](auto& composite, const auto& run) {
    auto& I = composite.inertia;
    auto& rate = composite.rate;
    auto& w = composite.wrench;
    int i = 0;
    for (auto* x : {&I.mass, &I.moment.x, &I.moment.y, &I.moment.z, &I.rotation.xx, &I.rotation.yy, &I.rotation.zz,
                    &I.rotation.xy, &I.rotation.xz, &I.rotation.yz}) {
      run(i++, *x);
    }
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) run(i++, rate.matrix.row(r)[c]);
    }
    for (int r = 0; r < 3; ++r) run(i++, rate.vector[r]);
    for (int r = 0; r < 6; ++r) run(i++, w[r]);
  };
  total = {};
  for (int k = 0; k < grid.ports; ++k) {
    S* section = memory.section(grid.port_step[k]);
    numbers(ports[k], [&](int i, const S& x) { section[i * k_width] += x; });
    total.turn += ports[k].turn;
  }
  // lanes behind the last stop hold 0
  constexpr int groups = (Parts::k_total + k_width - 1) / k_width;
  S sums[groups * k_width];
  for (int group = 0; group < groups; ++group) {
    P rows[k_width];
    for (int l = 0; l < k_width; ++l) {
      rows[l] = P(0.0);
      const int i = group * k_width + l;
      if (i >= Parts::k_total) continue;
      for (int j = 0; j < grid.steps; j += k_width) rows[l] += Lanes<P, S>::load(memory.section(j) + i * k_width);
    }
    Lanes<P, S>::store(sums + group * k_width, sums_of_lanes<P, S>(rows));
  }
  numbers(total, [&](int i, S& x) { x = sums[i]; });
  // what crosses each stop, from tip to base
  const auto own = [&](int j) { return Field<S, S>::wrench(memory.section(j) + Parts::k_wrench * k_width, k_width); };
  const auto all = [&](int j) { return memory.section(j) + Parts::k_total * k_width; };
  for (int j = grid.main_steps; j < grid.steps; ++j) Field<S, S>::store(all(j), k_width, own(j));
  WrenchT<S> carried = WrenchT<S>::zero();
  for (int j = grid.main_steps - 1; j >= 0; --j) {
    carried += own(j);
    for (int i = grid.main_steps; i < grid.steps; ++i) {
      if (grid.predecessor[i] == j) carried += own(i);
    }
    Field<S, S>::store(all(j), k_width, carried);
  }
}

/// Changes of wrenches with a pack of coordinates: by a, v and q.
template <typename P>
struct WrenchChanges {
  WrenchT<P> a, v, q;

  CUTTLE_INLINE WrenchChanges& operator+=(const WrenchChanges& b) {
    a += b.a, v += b.v, q += b.q;
    return *this;
  }
};

/// What of the base does not stand in a wrench.
template <typename P>
struct BaseSums {
  WrenchChanges<P> wrench;
  Vector3T<P> rate, turn;
};

/// Adds the changes of what is fixed to stop j to `carried`, those that reach it from beyond, and leaves the sums in
/// place of the twists. By q they are for a stop that is turned with all beyond it as it moves, sum of dw - J_j x* w:
/// what J x* w adds, for any stop before, is the sum of dJ x* F over the steps between, F the wrench that crosses.
template <typename P, typename S>
CUTTLE_INLINE void carry_over(const TangentMemory<P, S>& memory, const CompositeT<S>* ports, int pack, int j,
                              WrenchChanges<P>& carried, BaseSums<P>& base) {
  using F = Field<P, S>;
  constexpr int k_width = Lanes<P, S>::k_width;
  const StopComposite<P, S> stop{memory.section(j)};
  const SpatialInertiaT<P> inertia = stop.inertia();
  const AngularMapT<P> rate = stop.rate();
  S* rows = memory.twists(pack, j);
  const TwistT<P> J = F::twist(rows, k_width), J1 = F::twist(rows + 6 * k_width, k_width),
                  J2 = F::twist(rows + 12 * k_width, k_width);
  add_product(carried.a, inertia, J);
  add_product(carried.v, inertia, J1 + J1), add_product(carried.v, rate, J.angular);
  add_product(carried.q, inertia, J2), add_product(carried.q, rate, J1.angular);
  add_transposed_product(base.rate, rate, J);
  for (int k = 0; k < memory.grid.ports; ++k) {
    if (memory.grid.port_step[k] != j) continue;
    const AngularMapT<P> turn = spread<P>(ports[k].turn);
    add_product(carried.q, turn, J.angular);
    add_transposed_product(base.turn, turn, J);
  }
  F::store(rows, k_width, carried.a), F::store(rows + 6 * k_width, k_width, carried.v),
      F::store(rows + 12 * k_width, k_width, carried.q);
  add_moved(carried.q, F::twist(memory.increment(pack, j), k_width), stop.wrench(TangentMemoryParts::k_total));
}

template <typename P, typename S>
BaseSums<P> carry_inward(const TangentMemory<P, S>& memory, const CompositeT<S>* ports, int pack) {
  using F = Field<P, S>;
  constexpr int k_width = Lanes<P, S>::k_width;
  const RodGrid<S>& grid = memory.grid;
  BaseSums<P> base{};
  for (int j = grid.main_steps; j < grid.steps; ++j) {
    WrenchChanges<P> carried{};
    carry_over<P>(memory, ports, pack, j, carried, base);
    S* branch = memory.branch(pack, j);
    F::store(branch, k_width, carried.a), F::store(branch + 6 * k_width, k_width, carried.v),
        F::store(branch + 12 * k_width, k_width, carried.q);
    if (grid.predecessor[j] < 0) base.wrench += carried;
  }
  WrenchChanges<P> carried{};
  for (int j = grid.main_steps - 1; j >= 0; --j) {
    for (int i = grid.main_steps; i < grid.steps; ++i) {
      if (grid.predecessor[i] != j) continue;
      const S* branch = memory.branch(pack, i);
      carried += {F::wrench(branch, k_width), F::wrench(branch + 6 * k_width, k_width),
                  F::wrench(branch + 12 * k_width, k_width)};
    }
    carry_over<P>(memory, ports, pack, j, carried, base);
  }
  base.wrench += carried;
  return base;
}

template <typename P, Variation<double> V, typename S>
void tangent_inward_with(const RodGrid<S>& grid, const CompositeT<S>* ports, S* kept, S* start,
                         BodyDerivativesT<S>& result) {
  constexpr int k_width = Lanes<P, S>::k_width;
  const TangentMemory<P, S> memory{grid, start};
  const Stops<P, S> stops{kept, grid};
  add_ports<P>(memory, ports, result.composite);
  for (int j = 0; j < grid.steps; j += k_width) step_forms<P, V>(stops, memory, j, memory.forms(j));
  constexpr int points = k_points<V>;
  const int n = grid.coordinates;
  int components = 0;
  for (int c = 0; c < 6; ++c) components += grid.component_start[c] < grid.component_start[c + 1] ? 1 : 0;
  const bool many_modes = n >= k_many_modes * components;
  for (int pack = 0; pack < memory.column_packs(); ++pack) {
    const BaseSums<P> base = carry_inward<P>(memory, ports, pack);
    const int first = pack * k_width, count = n - first;
    for (int r = 0; r < 6; ++r) {
      store_lanes<P>(result.base_by_q + r * n + first, base.wrench.q[r], count);
      store_lanes<P>(result.base_by_v + r * n + first, base.wrench.v[r], count);
      store_lanes<P>(result.coupling + r * n + first, base.wrench.a[r], count);
    }
    for (int r = 0; r < 3; ++r) {
      store_lanes<P>(result.rate + r * n + first, base.rate[r], count);
      store_lanes<P>(result.turn + r * n + first, base.turn[r], count);
    }
    // NOLINTNEXTLINE(bugprone-branch-clone): the first is chosen when compiled
    if constexpr (V == Variation<double>::none) {
      multiply_wrenches<P, V>(memory, pack, result);
    } else if (many_modes) {
      project_wrenches<P, V>(memory, pack);
      for (int c = 0; c < 6; ++c) {
        for_each_tile(grid.component_start[c], grid.component_start[c + 1], first + k_width,
                      [&]<int Count, bool Mass>(int i) {
                        multiply_projected<P, Count, Mass, points>(memory, c, i, pack, result);
                      });
      }
    } else {
      multiply_wrenches<P, V>(memory, pack, result);
    }
  }
  if constexpr (V == Variation<double>::none) {
    add_uniform_forms<P>(memory, result.force_by_q);
  } else if (!many_modes) {
    add_forms<P, points>(memory, result.force_by_q);
  }
}

template <typename P, typename S>
void tangent_inward(const RodGrid<S>& grid, const CompositeT<S>* ports, S* kept, S* memory,
                    BodyDerivativesT<S>& result) {
  dispatch(grid, [&]<Variation<double> V>() { tangent_inward_with<P, V>(grid, ports, kept, memory, result); });
}

template <typename P, typename S>
inline constexpr RodTangentKernels<S> k_tangent_kernels{&tangent_outward<P, S>, &tangent_inward<P, S>};

}  // namespace cuttle::CUTTLE_ISA::rod
