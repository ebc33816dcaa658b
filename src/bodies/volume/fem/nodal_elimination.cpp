#include <algorithm>
#include <cmath>

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

}  // namespace

/// D = M + sum J^T I J over the ports that carry something. With Z = M^-1 J^T, for all of them together:
/// D^-1 B = Y - Z (1 + I J Z)^-1 I J Y, Y = M^-1 B.
template <typename S>
MaskT<S> NodalVolumeT<S>::eliminate(const BodyStateT<S>& state, const S* applied,
                                    const ArticulatedLoadT<S>* const* ports, const PortMotionT<S>* motions,
                                    const WorkspaceT<S>& workspace, ArticulatedLoadT<S>& base) const {
  const int n = coordinate_count(), count = port_count();
  const Elimination work(workspace.elimination, n, ports_.size());
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
  int loaded = 0;
  for (int k = 0; k < count; ++k) {
    if (!ports[k]) continue;
    ++loaded;
    base.inertia += ports[k]->inertia.in_parent(motions[k].base_port);
    const S* J = port_jacobian(workspace, k);
    for (const int node : ports_[k].nodes) {
      for (int j = tables_->free.at(node); j < tables_->free.at(node) + 3; ++j) {
        TwistT<S> column;
        for (int r = 0; r < 6; ++r) column[r] = J[r * n + j];
        const WrenchT<S> at_base = motions[k].base_port.act(ports[k]->inertia * column);
        for (int r = 0; r < 6; ++r) work.sides[j * k_nodal_sides + r] += at_base[r];
      }
    }
  }
  // the factor is that of one component of the nodes, over density: a row has the three components of a node
  std::copy_n(work.sides, static_cast<std::size_t>(n) * k_nodal_sides, work.solved);
  tables_->factor.solve(work.solved, 3 * k_nodal_sides);
  for (std::size_t i = 0; i < static_cast<std::size_t>(n) * k_nodal_sides; ++i) {
    work.solved[i] = work.solved[i] / parameters_.density;
  }
  bool regular = true;
  if (loaded > 0) {
    const int m = 6 * loaded;
    std::fill_n(work.columns, static_cast<std::size_t>(n) * m, S(0.0));
    const auto each_loaded = [&](const auto& use) {
      for (int k = 0, place = 0; k < count; ++k) {
        if (ports[k]) use(k, 6 * place++);
      }
    };
    const auto each_coordinate = [&](int k, const auto& use) {
      for (const int node : ports_[k].nodes) {
        for (int j = tables_->free.at(node); j < tables_->free.at(node) + 3; ++j) use(j);
      }
    };
    each_loaded([&](int k, int place) {
      const S* J = port_jacobian(workspace, k);
      each_coordinate(k, [&](int j) {
        for (int r = 0; r < 6; ++r) work.columns[j * m + place + r] = J[r * n + j];
      });
    });
    tables_->factor.solve(work.columns, 3 * m);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n) * m; ++i) {
      work.columns[i] = work.columns[i] / parameters_.density;
    }
    // rows of I J times a matrix of n rows
    const auto project = [&](const S* matrix, int columns, S* result) {
      each_loaded([&](int k, int place) {
        const S* J = port_jacobian(workspace, k);
        for (int c = 0; c < columns; ++c) {
          TwistT<S> twist = TwistT<S>::zero();
          each_coordinate(k, [&](int j) {
            for (int r = 0; r < 6; ++r) twist[r] += J[r * n + j] * matrix[j * columns + c];
          });
          const WrenchT<S> wrench = ports[k]->inertia * twist;
          for (int r = 0; r < 6; ++r) result[(place + r) * columns + c] = wrench[r];
        }
      });
    };
    project(work.columns, m, work.small);
    for (int i = 0; i < m; ++i) work.small[i * m + i] += S(1.0);
    project(work.solved, k_nodal_sides, work.right);
    regular = solve_small(work.small, work.right, m, k_nodal_sides);
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) {
        for (int c = 0; c < k_nodal_sides; ++c) {
          work.solved[j * k_nodal_sides + c] -= work.columns[j * m + i] * work.right[i * k_nodal_sides + c];
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
  const Elimination work(workspace.elimination, n, ports_.size());
  for (int j = 0; j < n; ++j) {
    const S* row = work.solved + j * k_nodal_sides;
    a[j] = row[6];
    for (int c = 0; c < 6; ++c) a[j] -= row[c] * base_acceleration[c];
  }
  for (int k = 0; k < port_count(); ++k) {
    TwistT<S> change = ports[k].base_port.act_inverse(base_acceleration);
    const S* J = port_jacobian(workspace, k);
    for (const int node : ports_[k].nodes) {
      for (int j = tables_->free.at(node); j < tables_->free.at(node) + 3; ++j) {
        for (int r = 0; r < 6; ++r) change[r] += J[r * n + j] * a[j];
      }
    }
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
