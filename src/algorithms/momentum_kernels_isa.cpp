#include "algorithms/coordinate_lanes.h"
#include "algorithms/momentum_kernels.h"

// Compiled once for each instruction set: the inner loop of mass_matrix.

namespace cuttle::CUTTLE_ISA {
namespace {

void along_columns(const PlacedColumnsT<double>& columns, int count, const Wrench& momentum, const Vector3& place,
                   double* to) {
  const long s = columns.stride;
  for_each_lanes<CUTTLE_ISA_WIDTH>(
      count, [&]<typename P>(int i) __attribute__((always_inline)) {
        using L = Lanes<P, double>;
        const double *angular = columns.rows + i, *linear = angular + 3 * s, *at = angular + 6 * s;
        // the momentum about each column's own place: lever x linear momentum more
        const P x = P(place.x) - L::load(at), y = P(place.y) - L::load(at + s), z = P(place.z) - L::load(at + 2 * s);
        const P fx(momentum.force.x), fy(momentum.force.y), fz(momentum.force.z);
        const P tx = P(momentum.torque.x) + (y * fz - z * fy), ty = P(momentum.torque.y) + (z * fx - x * fz),
                tz = P(momentum.torque.z) + (x * fy - y * fx);
        L::store(to + i, tx * L::load(angular) + ty * L::load(angular + s) + tz * L::load(angular + 2 * s) +
                             dot_rows(Covector<P>(momentum.force), linear, s));
      });
}

}  // namespace

MomentumKernel momentum_kernel() { return &along_columns; }

}  // namespace cuttle::CUTTLE_ISA
