#pragma once

#include "bodies/rod_tangent_outward.h"

// Inward half of a rod's derivatives: how the wrenches that cross the stops change, and their projection.

namespace cuttle::CUTTLE_ISA::rod {

/// The composite of stop j, the same in all lanes.
template <typename P, typename S>
struct StopComposite {
  using Parts = TangentMemoryParts;
  static constexpr int W = Lanes<P, S>::k_width;
  const S* section;

  CUTTLE_INLINE P at(int i) const { return P(section[i * W]); }
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
  constexpr int W = Lanes<P, S>::k_width;
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
    numbers(ports[k], [&](int i, const S& x) { section[i * W] += x; });
    total.turn += ports[k].turn;
  }
  // lanes behind the last stop hold 0
  constexpr int groups = (Parts::k_total + W - 1) / W;
  S sums[groups * W];
  for (int group = 0; group < groups; ++group) {
    P rows[W];
    for (int l = 0; l < W; ++l) {
      rows[l] = P(0.0);
      const int i = group * W + l;
      if (i >= Parts::k_total) continue;
      for (int j = 0; j < grid.steps; j += W) rows[l] += Lanes<P, S>::load(memory.section(j) + i * W);
    }
    Lanes<P, S>::store(sums + group * W, sums_of_lanes<P, S>(rows));
  }
  numbers(total, [&](int i, S& x) { x = sums[i]; });
  // what crosses each stop, from tip to base
  const auto own = [&](int j) { return Field<S, S>::wrench(memory.section(j) + Parts::k_wrench * W, W); };
  const auto all = [&](int j) { return memory.section(j) + Parts::k_total * W; };
  for (int j = grid.main_steps; j < grid.steps; ++j) Field<S, S>::store(all(j), W, own(j));
  WrenchT<S> carried = WrenchT<S>::zero();
  for (int j = grid.main_steps - 1; j >= 0; --j) {
    carried += own(j);
    for (int i = grid.main_steps; i < grid.steps; ++i) {
      if (grid.predecessor[i] == j) carried += own(i);
    }
    Field<S, S>::store(all(j), W, carried);
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
  constexpr int W = Lanes<P, S>::k_width;
  const StopComposite<P, S> stop{memory.section(j)};
  const SpatialInertiaT<P> inertia = stop.inertia();
  const AngularMapT<P> rate = stop.rate();
  S* rows = memory.twists(pack, j);
  const TwistT<P> J = F::twist(rows, W), J1 = F::twist(rows + 6 * W, W), J2 = F::twist(rows + 12 * W, W);
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
  F::store(rows, W, carried.a), F::store(rows + 6 * W, W, carried.v), F::store(rows + 12 * W, W, carried.q);
  add_moved(carried.q, F::twist(memory.increment(pack, j), W), stop.wrench(TangentMemoryParts::k_total));
}

template <typename P, typename S>
BaseSums<P> carry_inward(const TangentMemory<P, S>& memory, const CompositeT<S>* ports, int pack) {
  using F = Field<P, S>;
  constexpr int W = Lanes<P, S>::k_width;
  const RodGrid<S>& grid = memory.grid;
  BaseSums<P> base{};
  for (int j = grid.main_steps; j < grid.steps; ++j) {
    WrenchChanges<P> carried{};
    carry_over<P>(memory, ports, pack, j, carried, base);
    S* branch = memory.branch(pack, j);
    F::store(branch, W, carried.a), F::store(branch + 6 * W, W, carried.v), F::store(branch + 12 * W, W, carried.q);
    if (grid.predecessor[j] < 0) base.wrench += carried;
  }
  WrenchChanges<P> carried{};
  for (int j = grid.main_steps - 1; j >= 0; --j) {
    for (int i = grid.main_steps; i < grid.steps; ++i) {
      if (grid.predecessor[i] != j) continue;
      const S* branch = memory.branch(pack, i);
      carried += {F::wrench(branch, W), F::wrench(branch + 6 * W, W), F::wrench(branch + 12 * W, W)};
    }
    carry_over<P>(memory, ports, pack, j, carried, base);
  }
  base.wrench += carried;
  return base;
}

/// sum over all rows of the steps of dJ_i times the three wrench changes of a pack of columns, for Count neighbors i.
/// @tparam First  first row of a step where dJ_i is not 0.
template <typename P, int Count, int First, bool Mass, typename S>
CUTTLE_INLINE void product_tile(const TangentMemory<P, S>& memory, int i, int pack, const BodyDerivativesT<S>& out) {
  using L = Lanes<P, S>;
  constexpr int W = L::k_width;
  const S* left[Count];
  P q[Count], v[Count], a[Count];
  for (int t = 0; t < Count; ++t) {
    left[t] = memory.increment((i + t) / W, 0) + (i + t) % W;
    q[t] = v[t] = a[t] = P(0.0);
  }
  const S* right = memory.twists(pack, 0);
  for (int j = 0; j < memory.grid.steps; ++j, right += 18 * W) {
#pragma GCC unroll 6
    for (int r = First; r < 6; ++r) {
      const P by_a = L::load(right + r * W), by_v = L::load(right + (6 + r) * W), by_q = L::load(right + (12 + r) * W);
#pragma GCC unroll 4
      for (int t = 0; t < Count; ++t) {
        const P s(left[t][r * W]);
        q[t] += s * by_q, v[t] += s * by_v;
        if constexpr (Mass) a[t] += s * by_a;
      }
    }
    for (int t = 0; t < Count; ++t) left[t] += 6 * W;
  }
  const int n = memory.grid.coordinates, first = pack * W, count = n - first;
  for (int t = 0; t < Count; ++t) {
    store_lanes<P>(out.force_by_q + (i + t) * n + first, q[t], count);
    store_lanes<P>(out.force_by_v + (i + t) * n + first, v[t], count);
    if constexpr (Mass) {
      for (int l = 0; l < W && l < count; ++l) {
        const int k = first + l;
        if (k >= i + t) out.mass[(i + t) * n + k] = out.mass[k * n + i + t] = L::lane(a[t], l);
      }
    }
  }
}

/// The three products; of the mass matrix, which is symmetric, only the tiles on and above the diagonal.
template <typename P, typename S>
void multiply(const TangentMemory<P, S>& memory, const BodyDerivativesT<S>& out) {
  constexpr int W = Lanes<P, S>::k_width;
  const RodGrid<S>& grid = memory.grid;
  const auto rows = [&]<int Count, int First>(int i) __attribute__((always_inline)) {
    for (int pack = 0; pack < memory.column_packs(); ++pack) {
      if ((pack + 1) * W <= i) {
        product_tile<P, Count, First, false>(memory, i, pack, out);
      } else {
        product_tile<P, Count, First, true>(memory, i, pack, out);
      }
    }
  };
  const auto range = [&]<int First>(int i, int end) __attribute__((always_inline)) {
    for (; end - i > 3 && end - i != 6; i += 4) rows.template operator()<4, First>(i);
    for (; end - i >= 3; i += 3) rows.template operator()<3, First>(i);
    if (end - i == 2) rows.template operator()<2, First>(i);
    if (end - i == 1) rows.template operator()<1, First>(i);
  };
  if (grid.variation == Variation<S>::within_steps) {
    range.template operator()<0>(0, grid.coordinates);
  } else {  // stretch and shear turn nothing
    range.template operator()<0>(0, grid.component_start[3]);
    range.template operator()<3>(grid.component_start[3], grid.coordinates);
  }
}

/// Calls run(i, c, first, end) for each coordinate i and each component c with coordinates from first to end between
/// which a form is not 0: not for two of stretch and shear.
template <typename S, typename Run>
CUTTLE_INLINE void for_each_pair(const RodGrid<S>& grid, const Run& run) {
  for (int i = 0; i < grid.coordinates; ++i) {
    for (int c = 0; c < (i < grid.component_start[3] ? 6 : 3); ++c) {
      if (grid.component_start[c] < grid.component_start[c + 1]) {
        run(i, c, grid.component_start[c], grid.component_start[c + 1]);
      }
    }
  }
}
/// Where the entry of a form for the component of coordinate i and component c lies in the numbers of its matrix over
/// the dual numbers: in the dual part if both are angular.
template <typename S>
CUTTLE_INLINE int form_index(const RodGrid<S>& grid, int i, int c) {
  int a = 0;
  while (grid.component_start[a + 1] <= i) ++a;
  return (a < 3 && c < 3 ? 9 : 0) + a % 3 * 3 + c % 3;
}
template <typename S>
CUTTLE_INLINE const S* shape_of(const RodGrid<S>& grid, int point) {
  return point == 0 ? grid.shape1 : grid.shape2;
}

/// Second derivatives of the steps' exponentials under the wrenches that cross them, F . d(T W_i)/dq_k, as forms over
/// the components of strain at the Magnus points (point of i, point of k).
template <typename P, Variation<double> V, typename S>
CUTTLE_INLINE void step_forms(const Stops<P, S>& stops, const TangentMemory<P, S>& memory, int j, P* total, S* forms) {
  using L = Lanes<P, S>;
  using F = Field<P, S>;
  using Parts = TangentMemoryParts;
  constexpr int W = L::k_width;
  const S* section = memory.section(j);
  const PoseT<P> g = stops.base_stop(j);
  WrenchT<P> f = g.act_inverse(F::wrench(section + Parts::k_total * W, W));
  const auto is_step = lanes_before<P, S>(j, stops.grid.steps);
  for (int i = 0; i < 6; ++i) f[i] = select(is_step, f[i], P(0.0));
  Stumpff<P, 7> c;
  c.c[0] = c.c[1] = P(0.0);
  for (int i = 0; i < 6; ++i) c.c[2 + i] = L::load(section + (Parts::k_stumpff + i) * W);
  const TwistT<P> omega = stops.twist(RodFields::k_omega, j);
  const TangentMapT<P> Q = tangent_curvature(f, omega, c.c.data());
  const P h = L::load(stops.grid.length + j);
  if constexpr (V == Variation<double>::none) {
    const TangentMapT<P> form = scaled(h * h, Q);
    for (int i = 0; i < 9; ++i) total[i] += form.diagonal(i / 3, i % 3), total[9 + i] += form.lower(i / 3, i % 3);
  } else if constexpr (V == Variation<double>::between_steps) {
    store_map<P>(forms, scaled(h * h, Q));
  } else {
    const P half = P(0.5) * h;
    const P k = constant<P>(k_bracket_factor) * h * h;
    const WrenchT<P> ky = k * right_tangent(omega, c).transpose_times(f);
    const TwistT<P> x1 = k * stops.twist(RodFields::k_strain1, j), x2 = k * stops.twist(RodFields::k_strain2, j);
    // D_1 = h/2 - k ad_x2, D_2 = h/2 + k ad_x1, and D^T = h/2 + k ad_x2, h/2 - k ad_x1 over the dual numbers
    const TwistT<P> y1 = -x1, y2 = -x2;
    const TangentMapT<P> half_Q = scaled(half, Q);
    TangentMapT<P> right1 = half_Q, right2 = half_Q;
    add_times_bracket(right1, Q, y2), add_times_bracket(right2, Q, x1);
    const auto store = [&](int pair, TangentMapT<P> form, const TwistT<P>& x, const TangentMapT<P>& right)
        __attribute__((always_inline)) {
      form = sum(form, scaled(half, right));
      add_bracket_times(form, x, right);
      store_map<P>(forms + pair * 18 * W, form);
    };
    const TangentMapT<P> none{};
    store(0, none, x2, right1);
    store(1, {Matrix3T<P>::skew(-ky.force), Matrix3T<P>::skew(-ky.torque)}, x2, right2);
    store(2, {Matrix3T<P>::skew(ky.force), Matrix3T<P>::skew(ky.torque)}, y1, right1);
    store(3, none, y1, right2);
  }
}

/// Adds the second derivatives of the exponentials to force_by_q.
template <typename P, Variation<double> V, typename S>
void add_forms(const RodGrid<S>& grid, S* kept, const TangentMemory<P, S>& memory, S* by_q) {
  using L = Lanes<P, S>;
  constexpr int W = L::k_width, points = k_points<V>;
  const Stops<P, S> stops{kept, grid};
  const int n = grid.coordinates;
  P sum[24] = {};
  for (int j = 0; j < grid.steps; j += W) step_forms<P, V>(stops, memory, j, sum, memory.maps(j));
  if constexpr (V == Variation<double>::none) {
    S form[24];
    for (int i = 0; i < 18; i += W) L::store(form + i, sums_of_lanes<P, S>(sum + i));
    for_each_pair(grid, [&](int i, int c, int first, int end) {
      const S shape = grid.shape1[i * grid.stride] * form[form_index(grid, i, c)];
      for (int k = first; k < end; ++k) by_q[i * n + k] += shape * grid.shape1[k * grid.stride];
    });
  } else {
    for_each_pair(grid, [&](int i, int c, int first, int end) {
      const int at = form_index(grid, i, c) * W;
      for (; first < end; first += W) {
        const int count = std::min(W, end - first);
        P totals[W] = {};
        for (int j = 0; j < grid.steps; j += W) {
          const S* forms = memory.maps(j) + at;
          P left[points], right[points];
          for (int p = 0; p < points; ++p) left[p] = L::load(shape_of(grid, p) + i * grid.stride + j);
          for (int r = 0; r < points; ++r) {
            right[r] = left[0] * L::load(forms + r * 18 * W);
            if constexpr (points == 2) right[r] += left[1] * L::load(forms + (2 + r) * 18 * W);
          }
          for (int k = 0; k < count; ++k) {
            for (int r = 0; r < points; ++r) {
              totals[k] += right[r] * L::load(shape_of(grid, r) + (first + k) * grid.stride + j);
            }
          }
        }
        S sums[W];
        L::store(sums, sums_of_lanes<P, S>(totals));
        for (int k = 0; k < count; ++k) by_q[i * n + first + k] += sums[k];
      }
    });
  }
}

template <typename P, typename S>
void tangent_inward(const RodGrid<S>& grid, const CompositeT<S>* ports, S* kept, S* start,
                    BodyDerivativesT<S>& result) {
  constexpr int W = Lanes<P, S>::k_width;
  const TangentMemory<P, S> memory{grid, start};
  add_ports<P>(memory, ports, result.composite);
  const int n = grid.coordinates;
  for (int pack = 0; pack < memory.column_packs(); ++pack) {
    const BaseSums<P> base = carry_inward<P>(memory, ports, pack);
    const int first = pack * W, count = n - first;
    for (int r = 0; r < 6; ++r) {
      store_lanes<P>(result.base_by_q + r * n + first, base.wrench.q[r], count);
      store_lanes<P>(result.base_by_v + r * n + first, base.wrench.v[r], count);
      store_lanes<P>(result.coupling + r * n + first, base.wrench.a[r], count);
    }
    for (int r = 0; r < 3; ++r) {
      store_lanes<P>(result.rate + r * n + first, base.rate[r], count);
      store_lanes<P>(result.turn + r * n + first, base.turn[r], count);
    }
  }
  multiply<P>(memory, result);
  dispatch(grid, [&]<Variation<double> V>() { add_forms<P, V>(grid, kept, memory, result.force_by_q); });
}

template <typename P, typename S>
inline constexpr RodTangentKernels<S> k_tangent_kernels{&tangent_outward<P, S>, &tangent_inward<P, S>};

}  // namespace cuttle::CUTTLE_ISA::rod
