#pragma once

#include <type_traits>

#include "cuttle/spatial/scalar.h"

namespace cuttle {

/// The number 0, known when the code is compiled: terms with it vanish, so that one formula serves sparse arguments
/// too. (A compiler must keep 0 * x for a number x, which may be infinite.)
struct Zero {};

template <typename X>
concept Number = !std::is_same_v<X, Zero>;

CUTTLE_INLINE Zero operator-(Zero) { return {}; }
CUTTLE_INLINE Zero operator+(Zero, Zero) { return {}; }
CUTTLE_INLINE Zero operator-(Zero, Zero) { return {}; }
CUTTLE_INLINE Zero operator*(Zero, Zero) { return {}; }
template <Number X>
CUTTLE_INLINE X operator+(const X& a, Zero) {
  return a;
}
template <Number X>
CUTTLE_INLINE X operator+(Zero, const X& a) {
  return a;
}
template <Number X>
CUTTLE_INLINE X operator-(const X& a, Zero) {
  return a;
}
template <Number X>
CUTTLE_INLINE X operator-(Zero, const X& a) {
  return -a;
}
template <Number X>
CUTTLE_INLINE Zero operator*(const X&, Zero) {
  return {};
}
template <Number X>
CUTTLE_INLINE Zero operator*(Zero, const X&) {
  return {};
}

/// The number itself, for code that knows no Zero.
template <typename T>
CUTTLE_INLINE T as(const T& a) {
  return a;
}
template <typename T>
CUTTLE_INLINE T as(Zero) {
  return T(0.0);
}
/// What `value()` returns if it is not known to be 0.
template <bool k_unknown, typename Value>
CUTTLE_INLINE auto known(const Value& value) {
  if constexpr (k_unknown) {
    return value();
  } else {
    return Zero{};
  }
}

}  // namespace cuttle
