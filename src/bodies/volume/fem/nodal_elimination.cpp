#include <algorithm>
#include <cmath>
#include <iterator>
#include <type_traits>
#include <vector>

#include "bodies/volume/fem/nodal_volume_impl.h"

// Forward dynamics of a NodalVolumeT.

namespace cuttle {

namespace {

/// Solves A X = B in place, A m x m and B m x columns by rows, with the largest pivots.
template <typename S>
bool solve_small(S* A, S* B, int m, int columns) {
  using std::abs;
  for (int k = 0; k < m; ++k) {
    int best = k;
    for (int i = k + 1; i < m; ++i) {
      if (abs(A[best * m + k]) < abs(A[i * m + k])) best = i;
    }
    if (!(abs(A[best * m + k]) > S(0.0))) return false;
    if (best != k) {
      std::swap_ranges(A + k * m, A + (k + 1) * m, A + best * m);
      std::swap_ranges(B + k * columns, B + (k + 1) * columns, B + best * columns);
    }
    for (int i = 0; i < m; ++i) {
      if (i == k) continue;
      const S factor = A[i * m + k] / A[k * m + k];
      for (int j = k + 1; j < m; ++j) A[i * m + j] -= factor * A[k * m + j];
      for (int c = 0; c < columns; ++c) B[i * columns + c] -= factor * B[k * columns + c];
    }
  }
  for (int k = 0; k < m; ++k) {
    for (int c = 0; c < columns; ++c) B[k * columns + c] = B[k * columns + c] / A[k * m + k];
  }
  return true;
}

/// Also in its derivatives.
template <typename S>
bool is_zero(const S& x) {
  if constexpr (std::is_floating_point_v<S>) {
    return x == S(0.0);
  } else {
    return x.value == 0.0 && std::all_of(std::begin(x.derivative), std::end(x.derivative), is_zero<double>);
  }
}
template <typename S>
bool is_zero(const ArticulatedInertiaT<S>& inertia) {
  for (int j = 0; j < 6; ++j) {
    const WrenchT<S> column = inertia.column(j);
    for (int i = 0; i < 6; ++i) {
      if (!is_zero(column[i])) return false;
    }
  }
  return true;
}

}  // namespace

/// D = M + sum J^T I J over the ports that carry inertia. With Z = M^-1 J^T, for all of them together:
/// D^-1 B = Y - Z (1 + I J Z)^-1 I J Y, Y = M^-1 B.
template <typename S>
MaskT<S> NodalVolumeT<S>::eliminate(const BodyStateT<S>& state, const S* applied,
                                    const ArticulatedLoadT<S>* const* ports, const PortMotionT<S>* motions,
                                    const WorkspaceT<S>& workspace, ArticulatedLoadT<S>& base) const {
  const int n = coordinate_count(), count = port_count();
  const Elimination work(workspace.elimination, n);
  const Kept now = kept(workspace);
  for (int k = 0; k < count; ++k) {
    work.port_wrenches[k] =
        ports[k] ? ports[k]->bias + ports[k]->inertia * motions[k].acceleration : WrenchT<S>::zero();
  }
  backward(state, work.port_wrenches, workspace, base.bias, work.force);
  InertiaBlocksT<S> blocks;
  blocks.coupling = work.solved;  // for a moment
  inertia_blocks(state, workspace, blocks);
  base.inertia = ArticulatedInertiaT<S>::from(blocks.base);
  for (int j = 0; j < n; ++j) {
    S* row = work.sides + j * k_nodal_sides;
    for (int c = 0; c < 6; ++c) row[c] = blocks.coupling[c * n + j];
    row[6] = applied[j] - work.force[j];
  }
  std::size_t m = 0;
  const auto each_carried = [&](const auto& use) {  // a port that is only pushed has no inertia
    std::size_t place = 0;
    for (int k = 0; k < count; ++k) {
      if (ports[k] && !is_zero(ports[k]->inertia)) use(k, place), place += 6;
    }
  };
  each_carried([&](int k, std::size_t) {
    m += 6;
    base.inertia += ports[k]->inertia.in_parent(motions[k].base_port);
    each_column(now, k, [&](int j, const TwistT<S>& column) {
      const WrenchT<S> at_base = motions[k].base_port.act(ports[k]->inertia * column);
      for (int r = 0; r < 6; ++r) work.sides[j * k_nodal_sides + r] += at_base[r];
    });
  });
  // the factor is that of one component of the nodes, over density: a row has the three components of a node
  std::copy_n(work.sides, static_cast<std::size_t>(n) * k_nodal_sides, work.solved);
  tables_->factor.solve(work.solved, 3 * k_nodal_sides);
  for (std::size_t i = 0; i < static_cast<std::size_t>(n) * k_nodal_sides; ++i) {
    work.solved[i] = work.solved[i] / parameters_.density;
  }
  bool regular = true;
  if (m > 0) {
    std::vector<S> taken(m > k_kept_carried ? Carried::size(n, m) : 0);
    const Carried carried(taken.empty() ? workspace.elimination + Elimination::size(n, ports_.size()) : taken.data(), n,
                          m);
    std::fill_n(carried.columns, static_cast<std::size_t>(n) * m, S(0.0));
    each_carried([&](int k, std::size_t place) {
      each_column(now, k, [&](int j, const TwistT<S>& column) {
        for (std::size_t r = 0; r < 6; ++r) carried.columns[j * m + place + r] = column[static_cast<int>(r)];
      });
    });
    tables_->factor.solve(carried.columns, static_cast<int>(3 * m));
    for (std::size_t i = 0; i < static_cast<std::size_t>(n) * m; ++i) {
      carried.columns[i] = carried.columns[i] / parameters_.density;
    }
    // rows of I J times a matrix of n rows
    const auto project = [&](const S* matrix, std::size_t columns, S* result) {
      each_carried([&](int k, std::size_t place) {
        for (std::size_t c = 0; c < columns; ++c) {
          TwistT<S> twist = TwistT<S>::zero();
          each_column(now, k, [&](int j, const TwistT<S>& column) { twist += matrix[j * columns + c] * column; });
          const WrenchT<S> wrench = ports[k]->inertia * twist;
          for (std::size_t r = 0; r < 6; ++r) result[(place + r) * columns + c] = wrench[static_cast<int>(r)];
        }
      });
    };
    project(carried.columns, m, carried.small);
    for (std::size_t i = 0; i < m; ++i) carried.small[i * m + i] += S(1.0);
    project(work.solved, k_nodal_sides, carried.right);
    regular = solve_small(carried.small, carried.right, static_cast<int>(m), k_nodal_sides);
    for (int j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < m; ++i) {
        for (int c = 0; c < k_nodal_sides; ++c) {
          work.solved[j * k_nodal_sides + c] -= carried.columns[j * m + i] * carried.right[i * k_nodal_sides + c];
        }
      }
    }
  }
  // I_0 -= U^T D^-1 U, p_0 += U^T D^-1 r
  S sums[6][k_nodal_sides] = {};
  for (int j = 0; j < n; ++j) {
    for (int r = 0; r < 6; ++r) {
      for (int c = 0; c < k_nodal_sides; ++c)
        sums[r][c] += work.sides[j * k_nodal_sides + r] * work.solved[j * k_nodal_sides + c];
    }
  }
  base.inertia.angular -= {sums[0][0], sums[1][1], sums[2][2], sums[0][1], sums[0][2], sums[1][2]};
  base.inertia.linear -= {sums[3][3], sums[4][4], sums[5][5], sums[3][4], sums[3][5], sums[4][5]};
  for (int r = 0; r < 3; ++r) base.inertia.coupling.row(r) -= {sums[r][3], sums[r][4], sums[r][5]};
  for (int r = 0; r < 6; ++r) base.bias[r] += sums[r][6];
  return regular ? S(0.0) < S(1.0) : S(1.0) < S(0.0);
}

template <typename S>
void NodalVolumeT<S>::back_substitute(const TwistT<S>& base_acceleration, const WorkspaceT<S>& workspace, S* a,
                                      PortMotionT<S>* ports) const {
  const int n = coordinate_count();
  const Elimination work(workspace.elimination, n);
  const Kept now = kept(workspace);
  for (int j = 0; j < n; ++j) {
    const S* row = work.solved + j * k_nodal_sides;
    a[j] = row[6];
    for (int c = 0; c < 6; ++c) a[j] -= row[c] * base_acceleration[c];
  }
  for (int k = 0; k < port_count(); ++k) {
    TwistT<S> change = ports[k].base_port.act_inverse(base_acceleration);
    each_column(now, k, [&](int j, const TwistT<S>& column) { change += a[j] * column; });
    ports[k].acceleration += change;
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_INSTANTIATE(S)                                                                                     \
  template MaskT<S> NodalVolumeT<S>::eliminate(const BodyStateT<S>&, const S*, const ArticulatedLoadT<S>* const*, \
                                               const PortMotionT<S>*, const WorkspaceT<S>&, ArticulatedLoadT<S>&) \
      const;                                                                                                      \
  template void NodalVolumeT<S>::back_substitute(const TwistT<S>&, const WorkspaceT<S>&, S*, PortMotionT<S>*) const;
// NOLINTEND(bugprone-macro-parentheses)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
