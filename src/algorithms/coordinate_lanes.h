#pragma once

#include <algorithm>
#include <type_traits>

#include "cuttle/spatial/pack.h"
#include "cuttle/spatial/vector3.h"

// Loops over neighboring coordinates in lanes, for the sources that are compiled for each instruction set.

namespace cuttle::CUTTLE_ISA {
namespace {

/// What rows are dotted with, a number for all lanes.
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

/// Calls use.operator()<P>(i) for i = 0, width of P, .. in the widest lanes that n fills. The last lanes end at n: what
/// they share with those before them is computed twice.
template <int Width, typename Use>
CUTTLE_INLINE void for_each_lanes(int n, const Use& use) {
  if constexpr (Width > 1) {
    if (n < Width) return for_each_lanes<Width / 2>(n, use);
  }
  // (there is no pack of one; both types are named, whichever is taken)
  using P = std::conditional_t<Width == 1, double, Pack<std::max(Width, 2)>>;
  for (int begin = 0; begin < n; begin += Width) {
    use.template operator()<P>(begin + Width <= n ? begin : n - Width);
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_ISA
