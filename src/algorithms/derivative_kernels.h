#pragma once

#include "cuttle/spatial/inertia.h"

namespace cuttle {

/// How the generalized force of one coordinate follows what moves its link from further in, and what its own change
/// asks of everything further in; reference axes (cuttle/bodies/tangent.h).
struct CoordinateResponse {
  Wrench by_second;  ///< the force by dJ'' of an inner coordinate; also the wrench inwards by its own a
  Vector3 by_rate;   ///< the force by the angular part of dJ'
  Vector3 by_turn;   ///< by the angular displacement
  Wrench wrench_by_q, wrench_by_v;
};

/// The columns of inner coordinates: 6 rows of `stride` numbers each.
struct ColumnRows {
  const double *jacobian, *rate, *second;
  int stride;
};

/// Entries of the derivatives between `count` inner coordinates (velocity indices from `inner` on) and `rows`
/// coordinates of one edge (from `outer` on), both ways; nv x nv by columns.
struct DerivativeEntries {
  double *by_q, *by_v, *by_a;
  int nv;
};
using PairKernel = void (*)(const ColumnRows& columns, int count, int inner, const CoordinateResponse* responses,
                            int rows, int outer, const DerivativeEntries& entries);

/// The fastest that this CPU runs; `Turn`: with by_turn.
PairKernel pair_kernel(bool turn);

}  // namespace cuttle
