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

/// The twists of inner coordinates: 6 rows of `stride` numbers each.
struct ColumnRows {
  const double *jacobian, *rate, *second;
  int stride;
};
/// Those parts of the responses of outer coordinates that inner ones meet: 6, 3 and 3 rows of `stride` numbers each.
struct ResponseRows {
  const double *by_second, *by_rate, *by_turn;
  int stride;
};
/// Where a stretch of a column of each result begins.
struct DerivativeColumns {
  double *by_q, *by_v, *by_a;
};

/// Entries of the derivatives between coordinates of which one moves the other, down columns of the results: what lies
/// in rows of inner coordinates, by an outer one; and in rows of outer coordinates, by an inner one.
struct PairKernels {
  void (*by_outer)(const ColumnRows& inner, int count, const CoordinateResponse& outer, const DerivativeColumns& to);
  void (*by_inner)(const ResponseRows& outer, int count, const Twist& jacobian, const Twist& rate, const Twist& second,
                   const DerivativeColumns& to);
};

/// The fastest that this CPU runs; `turn`: with by_turn.
PairKernels pair_kernels(bool turn);

}  // namespace cuttle
