#pragma once

#include "cuttle/spatial/dual.h"

namespace cuttle {

/// How often derivatives are nested in a scalar: as many steps of Newton's method, from a root in values, make it
/// exact.
template <typename T>
inline constexpr int k_depth = 0;
template <typename T, int N>
inline constexpr int k_depth<Dual<T, N>> = 1 + k_depth<T>;

/// One cubic between the points of a regular grid along a coordinate, C1, by the slopes of the neighbors: which points,
/// and their shares and those of the derivatives. Beyond the grid the points at its border go on.
template <typename T>
struct CubicShares {
  int first[4];
  T value[4], slope[4], bend[4];

  /// @param x  from the first point [m].
  CubicShares(const T& x, const T& cell, int count) {
    const T u = x / cell;
    const double at = scalar_cast<double>(u);
    const bool below = !(at > 0.0), above = at >= count - 1;
    const int k = below ? 0 : (above ? count - 2 : static_cast<int>(at));
    const T t = select(below, T(0.0), select(above, T(1.0), u - T(static_cast<double>(k))));
    const T t2 = t * t, one(1.0), inverse = select(below || above, T(0.0), one / cell);
    // value by ends and slopes of the neighbors; none across the border of the grid
    const T end = T(3.0) * t2 - T(2.0) * t2 * t, s0 = t2 * t - T(2.0) * t2 + t, s1 = t2 * t - t2;
    const T d_end = T(6.0) * (t - t2), d_s0 = T(3.0) * t2 - T(4.0) * t + one, d_s1 = T(3.0) * t2 - T(2.0) * t;
    const T b_end = T(6.0) - T(12.0) * t, b_s0 = T(6.0) * t - T(4.0), b_s1 = T(6.0) * t - T(2.0);
    const T left(k > 0 ? 0.5 : 0.0), right(k + 2 < count ? 0.5 : 0.0);
    const auto put = [&](T* share, const T& e, const T& a, const T& b, const T& begin, const T& scale) {
      share[0] = -scale * left * a, share[1] = scale * (begin - e - right * b);
      share[2] = scale * (e + left * a), share[3] = scale * right * b;
    };
    put(value, end, s0, s1, one, one);
    put(slope, d_end, d_s0, d_s1, T(0.0), inverse);
    put(bend, b_end, b_s0, b_s1, T(0.0), inverse * inverse);
    for (int i = 0; i < 4; ++i) {
      const int index = k - 1 + i;
      first[i] = index < 0 ? 0 : (index >= count ? count - 1 : index);
    }
  }
};

}  // namespace cuttle
