#pragma once

#include "cuttle/spatial/scalar.h"

namespace cuttle {

/// What a penetration x does whose stiffness grows evenly from zero over the first `range`: depth is 0, then
/// x^2 / (2 range), then x - range / 2; contact its slope, energy its integral. Nothing has a corner.
template <typename T>
struct RoundedContact {
  T depth, contact, energy;

  RoundedContact(const T& x, const T& range) {
    const T zero(0.0), half(0.5);
    const auto in = x > zero, deep = x > range;
    const T s = select(in, x, zero);  // begins at zero
    const T far = x - half * range;
    depth = select(deep, far, half * s * s / range);
    contact = select(deep, T(1.0), s / range);
    energy = select(deep, half * far * far + range * range * T(1.0 / 24.0), s * s * s * T(1.0 / 6.0) / range);
  }
};

}  // namespace cuttle
