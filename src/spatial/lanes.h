#pragma once

#include "cuttle/spatial/pack.h"

namespace cuttle {

/// The lanes of a scalar and of its masks: one of double, W of a pack.
template <typename S>
struct LaneAccess {
  static constexpr int k_width = 1;
  static CUTTLE_INLINE void set(S& x, int, double value) { x = value; }
  static CUTTLE_INLINE double get(const S& x, int) { return x; }
  static CUTTLE_INLINE bool holds(bool mask, int) { return mask; }
};
template <int W>
struct LaneAccess<Pack<W>> {
  static constexpr int k_width = W;
  static CUTTLE_INLINE void set(Pack<W>& x, int lane, double value) { x.lanes[lane] = value; }
  static CUTTLE_INLINE double get(const Pack<W>& x, int lane) { return x.lanes[lane]; }
  static CUTTLE_INLINE bool holds(const PackMask<W>& mask, int lane) { return mask.lanes[lane] != 0; }
};

}  // namespace cuttle
