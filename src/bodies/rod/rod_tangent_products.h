#pragma once

#include "bodies/rod/rod_tangent_outward.h"

// From the changes of the wrenches that cross a rod's stops to those of the generalized forces. Two ways to the same:
// each wrench times the change of J across the step; or, if a strain component has many coordinates, each wrench
// projected on the component once, and these times the shapes.

namespace cuttle::CUTTLE_ISA::rod {

/// Sums for Count neighboring coordinates i, of the forces on them by a, v and q of a pack of columns.
/// @tparam Mass  false: not by a. The mass matrix is symmetric: of it only what is on and above the diagonal is made.
template <typename P, int Count, bool Mass>
struct ForceTile {
  P a[Count], v[Count], q[Count];

  CUTTLE_INLINE ForceTile() {
    for (int t = 0; t < Count; ++t) a[t] = v[t] = q[t] = P(0.0);
  }
  /// Adds to the sums of coordinate i + t.
  CUTTLE_INLINE void add(int t, const P& s, const P& by_a, const P& by_v, const P& by_q) {
    if constexpr (Mass) a[t] += s * by_a;
    v[t] += s * by_v, q[t] += s * by_q;
  }
  template <typename S>
  CUTTLE_INLINE void write(int n, int i, int first, const BodyDerivativesT<S>& out) const {
    using L = Lanes<P, S>;
    const int count = std::min(L::k_width, n - first);
    for (int t = 0; t < Count; ++t) {
      store_lanes<P>(out.force_by_q + (i + t) * n + first, q[t], count);
      store_lanes<P>(out.force_by_v + (i + t) * n + first, v[t], count);
      for (int l = std::max(0, i + t - first); Mass && l < count; ++l) {
        out.mass[(i + t) * n + first + l] = out.mass[(first + l) * n + i + t] = L::lane(a[t], l);
      }
    }
  }
};

/// Calls run.operator()<Count, Mass>(i) for tiles of at most four coordinates, for columns up to `last`.
template <typename Run>
CUTTLE_INLINE void for_each_tile(int i, int end, int last, const Run& run) {
  const auto tile = [&]<int Count>() __attribute__((always_inline)) {
    if (last <= i) {
      run.template operator()<Count, false>(i);
    } else {
      run.template operator()<Count, true>(i);
    }
    i += Count;
  };
  // NOLINTBEGIN(bugprone-infinite-loop): tile moves i on
  while (end - i == 4 || end - i > 6) tile.template operator()<4>();
  while (end - i >= 3) tile.template operator()<3>();
  // NOLINTEND(bugprone-infinite-loop)
  if (end - i == 2) tile.template operator()<2>();
  if (end - i == 1) tile.template operator()<1>();
}

/// sum over the steps of dJ_i times the changes of wrenches, rows First to 5 of each step: below them dJ_i is 0.
template <typename P, int Count, bool Mass, int First, typename S>
CUTTLE_INLINE void multiply_wrenches(const TangentMemory<P, S>& memory, int i, int pack,
                                     const BodyDerivativesT<S>& out) {
  using L = Lanes<P, S>;
  constexpr int W = L::k_width;
  ForceTile<P, Count, Mass> sum;
  const S* left[Count];
  for (int t = 0; t < Count; ++t) left[t] = memory.increment((i + t) / W, 0) + (i + t) % W;
  const S* right = memory.twists(pack, 0);
  for (int j = 0; j < memory.grid.steps; ++j, right += 18 * W) {
#pragma GCC unroll 6
    for (int r = First; r < 6; ++r) {
      const P a = L::load(right + r * W), v = L::load(right + (6 + r) * W), q = L::load(right + (12 + r) * W);
#pragma GCC unroll 4
      for (int t = 0; t < Count; ++t) {
        sum.add(t, P(left[t][r * W]), a, v, q);
      }
    }
    for (int t = 0; t < Count; ++t) left[t] += 6 * W;
  }
  sum.write(memory.grid.coordinates, i, pack * W, out);
}

/// The same for coordinates of component c from the projected forces.
template <typename P, int Count, bool Mass, int Points, typename S>
CUTTLE_INLINE void multiply_projected(const TangentMemory<P, S>& memory, int c, int i, int pack,
                                      const BodyDerivativesT<S>& out) {
  using L = Lanes<P, S>;
  constexpr int W = L::k_width;
  const RodGrid<S>& grid = memory.grid;
  ForceTile<P, Count, Mass> sum;
  for (int j = 0; j < grid.steps; ++j) {
    const S* right = memory.projected(j) + c * (3 * W);
#pragma GCC unroll 2
    for (int point = 0; point < Points; ++point) {
      const S* left = (point == 0 ? grid.shape1_by_step : grid.shape2_by_step) + j * grid.columns + i;
      const S* rows = right + point * (18 * W);
      const P a = L::load(rows), v = L::load(rows + W), q = L::load(rows + 2 * W);
#pragma GCC unroll 4
      for (int t = 0; t < Count; ++t) {
        sum.add(t, P(left[t]), a, v, q);
      }
    }
  }
  sum.write(grid.coordinates, i, pack * W, out);
}

/// Where the entry of a form for two components lies in the numbers of its matrix over the dual numbers: in the dual
/// part if both are angular. It is 0 if neither is.
CUTTLE_INLINE int form_index(int a, int b) { return (a < 3 && b < 3 ? 9 : 0) + a % 3 * 3 + b % 3; }

/// Fills TangentMemory::projected: transposed maps of the steps times the wrenches, and by q the second derivatives of
/// the exponentials.
template <typename P, Variation<double> V, typename S>
void project_wrenches(const TangentMemory<P, S>& memory, int pack) {
  using L = Lanes<P, S>;
  constexpr int W = L::k_width, points = k_points<V>;
  const RodGrid<S>& grid = memory.grid;
  int components[6], active = 0;
  for (int c = 0; c < 6; ++c) {
    if (grid.component_start[c] < grid.component_start[c + 1]) components[active++] = c;
  }
  const PackComponents<P, S> columns(grid, pack);
  for (int j = 0; j < grid.steps; ++j) {
    const S* rows = memory.twists(pack, j);
    P wrench[18], shapes[6][points];
#pragma GCC unroll 18
    for (int r = 0; r < 18; ++r) wrench[r] = L::load(rows + r * W);
    columns.shapes(j, shapes);
    for (int at = 0; at < active; ++at) {
      const int c = components[at];
#pragma GCC unroll 2
      for (int point = 0; point < points; ++point) {
        const S* map = memory.maps(j) + (point * 54 + c % 3) * W;
        P a(0.0), v(0.0), q(0.0);
        const auto add = [&](const P& s, int r) __attribute__((always_inline)) {
          a += s * wrench[r], v += s * wrench[6 + r], q += s * wrench[12 + r];
        };
        const S* forms = memory.forms(j) + (point * 36 + c % 3 * 3) * W;
        const auto add_form = [&](const S* form, int i) __attribute__((always_inline)) {
#pragma GCC unroll 2
          for (int other = 0; other < points; ++other) q += shapes[i][other] * P(form[other * 18 * W]);
        };
        int i = 0;
        if (c < 3) {
#pragma GCC unroll 3
          for (int r = 0; r < 3; ++r) add(P(map[3 * r * W]), r), add(P(map[(9 + 3 * r) * W]), 3 + r);
          for (; i < columns.angular; ++i) add_form(forms + (9 + columns.component[i]) * W, i);
          for (; i < columns.count; ++i) add_form(forms + (columns.component[i] - 3) * W, i);
        } else {
#pragma GCC unroll 3
          for (int r = 0; r < 3; ++r) add(P(map[3 * r * W]), 3 + r);
          for (; i < columns.angular; ++i) add_form(forms + columns.component[i] * W, i);
        }
        S* out = memory.projected(j) + (point * 6 + c) * (3 * W);
        L::store(out, a), L::store(out + W, v), L::store(out + 2 * W, q);
      }
    }
  }
}

/// Second derivatives of the steps' exponentials under the wrenches that cross them, F . d(T W_i)/dq_k, as forms over
/// the components of strain at the Magnus points (point of i, point of k).
template <typename P, Variation<double> V, typename S>
CUTTLE_INLINE void step_forms(const Stops<P, S>& stops, const TangentMemory<P, S>& memory, int j, S* forms) {
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
  if constexpr (V != Variation<double>::within_steps) {
    store_map<P>(forms, scaled(h * h, Q));
  } else {
    const P half = P(0.5) * h;
    const P k = constant<P>(k_bracket_factor) * h * h;
    const WrenchT<P> ky = k * right_tangent(omega, c).transpose_times(f);
    const TwistT<P> x1 = k * stops.twist(RodFields::k_strain1, j), x2 = k * stops.twist(RodFields::k_strain2, j);
    // D_1 = h/2 - k ad_x2, D_2 = h/2 + k ad_x1, and D^T = h/2 + k ad_x2, h/2 - k ad_x1 over the dual numbers
    const TwistT<P> y1 = -x1, y2 = -x2;
    const TangentMapT<P> Q_half = scaled(half, Q);
    TangentMapT<P> right1 = Q_half, right2 = Q_half;
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

/// The generalized forces of a pack of columns from the changes of wrenches; second derivatives are left to add_forms.
template <typename P, Variation<double> V, typename S>
void multiply_wrenches(const TangentMemory<P, S>& memory, int pack, const BodyDerivativesT<S>& out) {
  const RodGrid<S>& grid = memory.grid;
  // where strain does not vary within a step, stretch and shear turn nothing
  const int linear = V == Variation<double>::within_steps ? grid.coordinates : grid.component_start[3];
  const int last = (pack + 1) * Lanes<P, S>::k_width;
  for_each_tile(0, linear, last,
                [&]<int Count, bool Mass>(int i) { multiply_wrenches<P, Count, Mass, 0>(memory, i, pack, out); });
  for_each_tile(linear, grid.coordinates, last,
                [&]<int Count, bool Mass>(int i) { multiply_wrenches<P, Count, Mass, 3>(memory, i, pack, out); });
}

/// Adds the second derivatives of the exponentials where the strain is the same everywhere.
template <typename P, typename S>
void add_uniform_forms(const TangentMemory<P, S>& memory, S* by_q) {
  constexpr int W = Lanes<P, S>::k_width;
  const RodGrid<S>& grid = memory.grid;
  P sum[24] = {};
  for (int j = 0; j < grid.steps; j += W) {
    for (int i = 0; i < 18; ++i) sum[i] += Lanes<P, S>::load(memory.forms(j) + i * W);
  }
  S form[24];
  for (int i = 0; i < 18; i += W) Lanes<P, S>::store(form + i, sums_of_lanes<P, S>(sum + i));
  for (int a = 0; a < 6; ++a) {
    for (int i = grid.component_start[a]; i < grid.component_start[a + 1]; ++i) {
      for (int b = 0; b < (a < 3 ? 6 : 3); ++b) {
        const S shape = grid.shape1[i * grid.stride] * form[form_index(a, b)];
        for (int k = grid.component_start[b]; k < grid.component_start[b + 1]; ++k) {
          by_q[i * grid.coordinates + k] += shape * grid.shape1[k * grid.stride];
        }
      }
    }
  }
}

/// With so many coordinates a component it pays to project wrenches once for all of them, as measured.
inline constexpr int k_many_modes = 4;

/// Adds the second derivatives of the exponentials; steps are lanes until they are summed up. For fewer coordinates
/// than k_many_modes a component.
template <typename P, int Points, typename S>
void add_forms(const TangentMemory<P, S>& memory, S* by_q) {
  using L = Lanes<P, S>;
  constexpr int W = L::k_width;
  const RodGrid<S>& grid = memory.grid;
  const int n = grid.coordinates;
  const auto shape = [&](int point, int k, int j) __attribute__((always_inline)) {
    return L::load((point == 0 ? grid.shape1 : grid.shape2) + k * grid.stride + j);
  };
  for (int a = 0; a < 6; ++a) {
    for (int i = grid.component_start[a]; i < grid.component_start[a + 1]; ++i) {
      P sum[6 * k_many_modes];
      for (int k = 0; k < (n + W - 1) / W * W; ++k) sum[k] = P(0.0);
      for (int j = 0; j < grid.steps; j += W) {
        P left[Points];
        for (int point = 0; point < Points; ++point) left[point] = shape(point, i, j);
        for (int b = 0; b < (a < 3 ? 6 : 3); ++b) {
          if (grid.component_start[b] == grid.component_start[b + 1]) continue;
          const S* form = memory.forms(j) + form_index(a, b) * W;
          P right[Points];
#pragma GCC unroll 2
          for (int point = 0; point < Points; ++point) {
            right[point] = left[0] * L::load(form + point * 18 * W);
            if constexpr (Points == 2) right[point] += left[1] * L::load(form + (2 + point) * 18 * W);
          }
          for (int k = grid.component_start[b]; k < grid.component_start[b + 1]; ++k) {
#pragma GCC unroll 2
            for (int point = 0; point < Points; ++point) sum[k] += right[point] * shape(point, k, j);
          }
        }
      }
      for (int first = 0; first < n; first += W) {
        S sums[W];
        L::store(sums, sums_of_lanes<P, S>(sum + first));
        S* row = by_q + i * n + first;
        for (int l = 0; l < W && first + l < n; ++l) row[l] += sums[l];
      }
    }
  }
}

}  // namespace cuttle::CUTTLE_ISA::rod
