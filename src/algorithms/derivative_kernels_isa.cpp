#include "algorithms/derivative_kernels.h"

// Compiled once for each instruction set: inner loops of inverse_dynamics_derivatives.

namespace cuttle::CUTTLE_ISA {
namespace {

/// What a coordinate's response is dotted with, a number for all lanes.
template <typename P>
struct Covector {
  P x, y, z;
  explicit CUTTLE_INLINE Covector(const Vector3& v) : x(v.x), y(v.y), z(v.z) {}
};

template <typename P>
CUTTLE_INLINE P dot_rows(const Covector<P>& c, const double* rows, long stride) {
  using L = Lanes<P, double>;
  return c.x * L::load(rows) + c.y * L::load(rows + stride) + c.z * L::load(rows + 2 * stride);
}

struct RowEntries {
  double *back_q, *back_v, *back_a;  ///< of the response's column
  double *forward_q, *forward_v;     ///< of its row
};

/// One response against n >= width inner coordinates. The last lanes end at n: what they share with those before them
/// is computed twice.
template <bool Turn, typename P>
void pair_row(const ColumnRows& columns, long slot, int n, const CoordinateResponse& r, const RowEntries& to) {
  using L = Lanes<P, double>;
  const long s = columns.stride;
  const Covector<P> torque(r.by_second.torque), force(r.by_second.force), rate(r.by_rate), turn(r.by_turn);
  const Covector<P> torque_q(r.wrench_by_q.torque), force_q(r.wrench_by_q.force);
  const Covector<P> torque_v(r.wrench_by_v.torque), force_v(r.wrench_by_v.force);
  for (int begin = 0; begin < n; begin += L::k_width) {
    const int i = begin + L::k_width <= n ? begin : n - L::k_width;
    const double *J = columns.jacobian + slot + i, *R = columns.rate + slot + i, *D = columns.second + slot + i;
    const P along_rate = dot_rows(torque, R, s) + dot_rows(force, R + 3 * s, s);
    P by_q = dot_rows(torque, D, s) + dot_rows(force, D + 3 * s, s) + dot_rows(rate, R, s);
    if constexpr (Turn) by_q += dot_rows(turn, J, s);
    L::store(to.forward_q + i, by_q);
    L::store(to.forward_v + i, along_rate + along_rate + dot_rows(rate, J, s));
    L::store(to.back_a + i, dot_rows(torque, J, s) + dot_rows(force, J + 3 * s, s));
    L::store(to.back_q + i, dot_rows(torque_q, J, s) + dot_rows(force_q, J + 3 * s, s));
    L::store(to.back_v + i, dot_rows(torque_v, J, s) + dot_rows(force_v, J + 3 * s, s));
  }
}

/// In the widest lanes that n fills.
template <bool Turn, int Width>
CUTTLE_INLINE void pair_row_in_lanes(const ColumnRows& columns, long slot, int n, const CoordinateResponse& r,
                                     const RowEntries& to) {
  if constexpr (Width == 1) {
    pair_row<Turn, double>(columns, slot, n, r, to);
  } else if (n >= Width) {
    pair_row<Turn, Pack<Width>>(columns, slot, n, r, to);
  } else {
    pair_row_in_lanes<Turn, Width / 2>(columns, slot, n, r, to);
  }
}

/// Inner coordinates are contiguous in every row of the columns, and in the responses' columns of the results; what
/// goes to the responses' rows waits until a strided copy takes it there.
template <bool Turn>
void pairs(const ColumnRows& columns, int count, int inner, const CoordinateResponse* responses, int rows, int outer,
           const DerivativeEntries& entries) {
  constexpr int k_chunk = 128;
  double forward_q[k_chunk], forward_v[k_chunk];
  const long nv = entries.nv;
  for (int begin = 0; begin < count; begin += k_chunk) {
    const int n = count - begin < k_chunk ? count - begin : k_chunk;
    for (int k = 0; k < rows; ++k) {
      const long column = (outer + k) * nv + inner + begin;
      const RowEntries to{entries.by_q + column, entries.by_v + column, entries.by_a + column, forward_q, forward_v};
      pair_row_in_lanes<Turn, CUTTLE_ISA_WIDTH>(columns, begin, n, responses[k], to);
      long row = (inner + begin) * nv + outer + k;
      for (int i = 0; i < n; ++i, row += nv) {
        entries.by_q[row] = forward_q[i];
        entries.by_v[row] = forward_v[i];
        entries.by_a[row] = to.back_a[i];
      }
    }
  }
}

}  // namespace

PairKernel pair_kernel(bool turn) { return turn ? &pairs<true> : &pairs<false>; }

}  // namespace cuttle::CUTTLE_ISA
