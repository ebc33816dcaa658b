#pragma once

#include "cuttle/spatial/inertia.h"

namespace cuttle {

/// Columns of the mass matrix's coordinates: 9 rows of `stride` slots, each the twist of a coordinate about a place of
/// its own, and that place: angular, linear [world axes], place [m].
template <typename S>
struct PlacedColumnsT {
  const S* rows;
  int stride;
};

/// to[i] = power of the momentum (about `place`, world axes) along the first `count` columns.
using MomentumKernel = void (*)(const PlacedColumnsT<double>& columns, int count, const Wrench& momentum,
                                const Vector3& place, double* to);

/// The fastest that this CPU runs.
MomentumKernel momentum_kernel();

}  // namespace cuttle
