#include "cuttle/bodies/body.h"

#include <type_traits>

#include "cuttle/bodies/chamber_surface.h"
#include "cuttle/error.h"
#include "cuttle/spatial/dense.h"

namespace cuttle {

namespace {

template <typename T>
constexpr const char* scalar_name() {
  if constexpr (std::is_same_v<T, double>) return "double";
  if constexpr (std::is_same_v<T, long double>) return "long double";
  return "ForwardDual";
}

/// clone_as of a body that exists for one scalar only.
template <typename T, typename S>
std::unique_ptr<BodyT<T>> clone_if_same(const BodyT<S>& body) {
  if constexpr (std::is_same_v<T, S>) {
    return body.clone();
  } else {
    throw ModelError({}, "a " + body.type_name() + " that exists for " + scalar_name<S>() + " only",
                     std::string("one that exists for ") + scalar_name<T>() + " too");
  }
}

/// Columns of the joint right-hand side [U | r | 0], padded to a whole number of SIMD registers.
constexpr int k_columns = 8;

/// What the default eliminate keeps in workspace.elimination.
template <typename S>
struct DenseElimination {
  S* matrix;                  // n x n: M_BB, then D, then its factor
  S* coupling;                // 6 x n: M_0B
  S* momentum;                // 6 x n: I_k J_k of one port
  S* sides;                   // n x 8: [U | r | 0], then L^-1 of it
  S* force;                   // n
  WrenchT<S>* port_wrenches;  // p_k + I_k b_k

  DenseElimination(S* memory, int n) {
    const std::size_t size = static_cast<std::size_t>(n);
    matrix = memory;
    coupling = matrix + padded(size * size);
    momentum = coupling + padded(6 * size);
    sides = momentum + padded(6 * size);
    force = sides + k_columns * size;
    port_wrenches = reinterpret_cast<WrenchT<S>*>(force + padded(size));
  }
  static std::size_t size(int coordinates, int ports) {
    const std::size_t n = static_cast<std::size_t>(coordinates);
    return padded(n * n) + 2 * padded(6 * n) + k_columns * n + padded(n) + padded(6 * static_cast<std::size_t>(ports));
  }
};

/// P = I J for the 6 x n matrices P, J by rows.
template <typename S>
void inertia_times_jacobian(const ArticulatedInertiaT<S>& inertia, const S* J, int n, S* P) {
  for (int r = 0; r < 6; ++r) {
    const WrenchT<S> row = inertia.column(r);  // the matrix is symmetric
    S* out = P + r * n;
#pragma GCC ivdep
    for (int j = 0; j < n; ++j) {
      out[j] = row.torque.x * J[j] + row.torque.y * J[n + j] + row.torque.z * J[2 * n + j] +
               row.force.x * J[3 * n + j] + row.force.y * J[4 * n + j] + row.force.z * J[5 * n + j];
    }
  }
}

/// Upper triangle of D += J^T P.
template <typename S>
void add_projected_inertia(const S* J, const S* P, int n, S* D) {
  for (int i = 0; i < n; ++i) {
    const S j0 = J[i], j1 = J[n + i], j2 = J[2 * n + i], j3 = J[3 * n + i], j4 = J[4 * n + i], j5 = J[5 * n + i];
    S* row = D + i * n;
#pragma GCC ivdep
    for (int j = i; j < n; ++j) {
      row[j] +=
          (j0 * P[j] + j1 * P[n + j] + j2 * P[2 * n + j]) + (j3 * P[3 * n + j] + j4 * P[4 * n + j] + j5 * P[5 * n + j]);
    }
  }
}

}  // namespace

template <typename S>
std::unique_ptr<BodyT<double>> BodyT<S>::clone_as(ScalarTag<double>) const {
  return clone_if_same<double>(*this);
}
template <typename S>
std::unique_ptr<BodyT<long double>> BodyT<S>::clone_as(ScalarTag<long double>) const {
  return clone_if_same<long double>(*this);
}
template <typename S>
std::unique_ptr<BodyT<ForwardDual>> BodyT<S>::clone_as(ScalarTag<ForwardDual>) const {
  return clone_if_same<ForwardDual>(*this);
}

template <typename S>
std::size_t BodyT<S>::dense_elimination_size(int coordinates, int ports) {
  return DenseElimination<S>::size(coordinates, ports);
}

template <typename S>
S BodyT<S>::dissipation(const S*, const S*) const {
  throw ModelError(type_name() +
                   ": dissipation: this body has a damping force, but no function for what it dissipates");
}

template <typename S>
void BodyT<S>::material_points(const S*, const Vector3T<S>*, std::size_t, const MaterialPointsT<S>&) const {
  throw ModelError({}, "a " + type_name() + ", which has no material points", "");
}

template <typename S>
void BodyT<S>::energy_density(const S*, const Vector3T<S>*, std::size_t, S*) const {
  throw ModelError("body", "a " + type_name() + ", which has no energy density", "");
}

template <typename S>
ChamberSurfaceT<S> BodyT<S>::chamber(const ChamberPlaceT<S>& which) const {
  throw ModelError("link", "'" + which.link + "'", "a link whose body is a rod or a volume");
}

template <typename S>
MaskT<S> BodyT<S>::eliminate(const BodyStateT<S>& state, const S* applied, const ArticulatedLoadT<S>* const* ports,
                             const PortMotionT<S>* motions, const WorkspaceT<S>& workspace,
                             ArticulatedLoadT<S>& base) const {
  const int n = coordinate_count();
  const int count = port_count();
  const DenseElimination<S> work(workspace.elimination, n);

  // h_B + sum J_k^T (p_k + I_k b_k) and h_0 + sum X_k^T (p_k + I_k b_k): one inward sweep with what the children need
  // for their bias accelerations
  for (int k = 0; k < count; ++k) {
    work.port_wrenches[k] =
        ports[k] ? ports[k]->bias + ports[k]->inertia * motions[k].acceleration : WrenchT<S>::zero();
  }
  backward(state, work.port_wrenches, workspace, base.bias, work.force);

  InertiaBlocksT<S> blocks;
  blocks.mass = work.matrix;
  blocks.coupling = work.coupling;
  inertia_blocks(state, workspace, blocks);
  base.inertia = ArticulatedInertiaT<S>::from(blocks.base);

  for (int j = 0; j < n; ++j) {
    S* row = work.sides + j * k_columns;
    for (int c = 0; c < 6; ++c) row[c] = work.coupling[c * n + j];
    row[6] = applied[j] - work.force[j];
    row[7] = S(0.0);
  }
  for (int k = 0; k < count; ++k) {
    if (!ports[k]) continue;
    const PoseT<S>& base_port = motions[k].base_port;
    base.inertia += ports[k]->inertia.in_parent(base_port);
    if (n == 0) continue;
    // D += J^T I J, U += J^T I X: column j of X^T I J is the wrench I J_j moved to the base
    const S* J = port_jacobian(workspace, k);
    const S* P = work.momentum;
    inertia_times_jacobian(ports[k]->inertia, J, n, work.momentum);
    add_projected_inertia(J, P, n, work.matrix);
    for (int j = 0; j < n; ++j) {
      const WrenchT<S> at_base =
          base_port.act(WrenchT<S>{{P[j], P[n + j], P[2 * n + j]}, {P[3 * n + j], P[4 * n + j], P[5 * n + j]}});
      S* row = work.sides + j * k_columns;
      row[0] += at_base.torque.x, row[1] += at_base.torque.y, row[2] += at_base.torque.z;
      row[3] += at_base.force.x, row[4] += at_base.force.y, row[5] += at_base.force.z;
    }
  }
  if (n == 0) return S(0.0) < S(1.0);

  // with Z = L^-1 U, z = L^-1 r and Delta the pivots: I_0 -= Z^T Delta^-1 Z, p_0 += Z^T Delta^-1 z
  const MaskT<S> definite = ldlt_factor(work.matrix, n);
  ldlt_forward(work.matrix, n, work.sides, k_columns);
  S sums[6][k_columns] = {};
  for (int j = 0; j < n; ++j) {
    const S* row = work.sides + j * k_columns;
    const S inverse_pivot = work.matrix[j * n + j];
    for (int r = 0; r < 6; ++r) {
      const S f = inverse_pivot * row[r];
      for (int c = 0; c < k_columns; ++c) sums[r][c] += f * row[c];
    }
  }
  base.inertia.angular -= {sums[0][0], sums[1][1], sums[2][2], sums[0][1], sums[0][2], sums[1][2]};
  base.inertia.linear -= {sums[3][3], sums[4][4], sums[5][5], sums[3][4], sums[3][5], sums[4][5]};
  for (int r = 0; r < 3; ++r) base.inertia.coupling.row(r) -= {sums[r][3], sums[r][4], sums[r][5]};
  for (int r = 0; r < 6; ++r) base.bias[r] += sums[r][6];
  return definite;
}

template <typename S>
void BodyT<S>::back_substitute(const TwistT<S>& base_acceleration, const WorkspaceT<S>& workspace, S* a,
                               PortMotionT<S>* ports) const {
  const int n = coordinate_count();
  const int count = port_count();
  const DenseElimination<S> work(workspace.elimination, n);

  // a = D^-1 (r - U A_0) = L^-T Delta^-1 (z - Z A_0)
  const TwistT<S>& A = base_acceleration;
  for (int j = 0; j < n; ++j) {
    const S* row = work.sides + j * k_columns;
    a[j] = row[6] - (row[0] * A.angular.x + row[1] * A.angular.y + row[2] * A.angular.z) -
           (row[3] * A.linear.x + row[4] * A.linear.y + row[5] * A.linear.z);
  }
  ldlt_backward(work.matrix, n, a);

  for (int k = 0; k < count; ++k) {
    TwistT<S> change = ports[k].base_port.act_inverse(base_acceleration);
    if (n > 0) {
      const S* J = port_jacobian(workspace, k);
      for (int j = 0; j < n; ++j) {
        change += TwistT<S>{{J[j] * a[j], J[n + j] * a[j], J[2 * n + j] * a[j]},
                            {J[3 * n + j] * a[j], J[4 * n + j] * a[j], J[5 * n + j] * a[j]}};
      }
    }
    ports[k].acceleration += change;
  }
}

#define CUTTLE_INSTANTIATE(S) template class BodyT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
