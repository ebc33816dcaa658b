#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace cuttle {

/// Where a cubic on [0, 1] changes its sign, in order. @param begin, end  its values there.   @param begin_slope,
/// end_slope  its derivatives there.   @return their number, at most three.
template <typename V>
int cubic_roots(V begin, V end, V begin_slope, V end_slope, V* roots) {
  // a + b t + c t^2 + d t^3
  const V a = begin, b = begin_slope, rise = end - begin;
  const V c = 3 * rise - 2 * begin_slope - end_slope, d = begin_slope + end_slope - 2 * rise;
  const auto at = [&](V t) { return a + t * (b + t * (c + t * d)); };
  const auto slope = [&](V t) { return b + t * (2 * c + t * 3 * d); };
  V stops[4] = {V(0)};
  int count = 1;
  // its extrema, from 3 d t^2 + 2 c t + b = 0
  const V discriminant = c * c - 3 * d * b;
  if (discriminant > 0) {
    const V q = -(c + std::copysign(std::sqrt(discriminant), c));
    V extrema[2] = {d != 0 ? q / (3 * d) : V(-1), q != 0 ? b / q : V(-1)};
    if (extrema[0] > extrema[1]) std::swap(extrema[0], extrema[1]);
    for (const V t : extrema) {
      if (t > stops[count - 1] && t < 1) stops[count++] = t;
    }
  }
  stops[count++] = V(1);
  int found = 0;
  for (int i = 0; i + 1 < count; ++i) {
    V low = stops[i], high = stops[i + 1];
    const V f_low = at(low), f_high = i + 2 == count ? end : at(high);
    if (!((f_low < 0) != (f_high < 0))) continue;
    V t = low + (high - low) * (f_low / (f_low - f_high));
    for (int k = 0; k < 100; ++k) {
      if (!(t > low && t < high)) t = low + (high - low) / 2;
      if (!(t > low && t < high)) break;
      const V f = at(t);
      ((f < 0) == (f_low < 0) ? low : high) = t;
      const V step = -f / slope(t);
      if (std::abs(step) <= 2 * std::numeric_limits<V>::epsilon() * std::abs(t)) break;
      t = k % 8 == 7 ? low + (high - low) / 2 : t + step;
    }
    if (t > 0 && t < 1) roots[found++] = t;
  }
  return found;
}

}  // namespace cuttle
