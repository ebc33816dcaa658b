#include "algorithms/derivative_kernels.h"

// Compiled once for each instruction set: inner loops of inverse_dynamics_derivatives.

namespace cuttle::CUTTLE_ISA {
namespace {

/// Inner coordinates are contiguous in every row, so the loop runs in SIMD lanes; what goes to a row of the results
/// waits in `forward` until a strided copy takes it there.
template <bool Turn>
void pairs(const ColumnRows& columns, int count, int inner, const CoordinateResponse* responses, int rows, int outer,
           const DerivativeEntries& entries) {
  constexpr int k_chunk = 64;
  double forward_q[k_chunk], forward_v[k_chunk], forward_a[k_chunk];
  const long s = columns.stride, nv = entries.nv;
  for (int begin = 0; begin < count; begin += k_chunk) {
    const int n = count - begin < k_chunk ? count - begin : k_chunk;
    const double *J = columns.jacobian + begin, *R = columns.rate + begin, *D = columns.second + begin;
    for (int k = 0; k < rows; ++k) {
      const CoordinateResponse& r = responses[k];
      const double u0 = r.by_second.torque.x, u1 = r.by_second.torque.y, u2 = r.by_second.torque.z;
      const double u3 = r.by_second.force.x, u4 = r.by_second.force.y, u5 = r.by_second.force.z;
      const double z0 = r.by_rate.x, z1 = r.by_rate.y, z2 = r.by_rate.z;
      const double y0 = r.by_turn.x, y1 = r.by_turn.y, y2 = r.by_turn.z;
      const double q0 = r.wrench_by_q.torque.x, q1 = r.wrench_by_q.torque.y, q2 = r.wrench_by_q.torque.z;
      const double q3 = r.wrench_by_q.force.x, q4 = r.wrench_by_q.force.y, q5 = r.wrench_by_q.force.z;
      const double v0 = r.wrench_by_v.torque.x, v1 = r.wrench_by_v.torque.y, v2 = r.wrench_by_v.torque.z;
      const double v3 = r.wrench_by_v.force.x, v4 = r.wrench_by_v.force.y, v5 = r.wrench_by_v.force.z;
      const long column = (outer + k) * nv + inner + begin;
      double *back_q = entries.by_q + column, *back_v = entries.by_v + column, *back_a = entries.by_a + column;
#pragma GCC ivdep
      for (int i = 0; i < n; ++i) {
        const double j0 = J[i], j1 = J[s + i], j2 = J[2 * s + i], j3 = J[3 * s + i], j4 = J[4 * s + i],
                     j5 = J[5 * s + i];
        const double a0 = R[i], a1 = R[s + i], a2 = R[2 * s + i];
        const double along_rate =
            (u0 * a0 + u1 * a1 + u2 * a2) + (u3 * R[3 * s + i] + u4 * R[4 * s + i] + u5 * R[5 * s + i]);
        const double along = (u0 * j0 + u1 * j1 + u2 * j2) + (u3 * j3 + u4 * j4 + u5 * j5);
        double q = (u0 * D[i] + u1 * D[s + i] + u2 * D[2 * s + i]) +
                   (u3 * D[3 * s + i] + u4 * D[4 * s + i] + u5 * D[5 * s + i]) + (z0 * a0 + z1 * a1 + z2 * a2);
        if constexpr (Turn) q += y0 * j0 + y1 * j1 + y2 * j2;
        forward_q[i] = q;
        forward_v[i] = 2.0 * along_rate + (z0 * j0 + z1 * j1 + z2 * j2);
        forward_a[i] = back_a[i] = along;
        back_q[i] = (q0 * j0 + q1 * j1 + q2 * j2) + (q3 * j3 + q4 * j4 + q5 * j5);
        back_v[i] = (v0 * j0 + v1 * j1 + v2 * j2) + (v3 * j3 + v4 * j4 + v5 * j5);
      }
      const long row = (inner + begin) * nv + outer + k;
      for (int i = 0; i < n; ++i) {
        entries.by_q[row + i * nv] = forward_q[i];
        entries.by_v[row + i * nv] = forward_v[i];
        entries.by_a[row + i * nv] = forward_a[i];
      }
    }
  }
}

}  // namespace

PairKernel pair_kernel(bool turn) { return turn ? &pairs<true> : &pairs<false>; }

}  // namespace cuttle::CUTTLE_ISA
