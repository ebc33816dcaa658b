#pragma once

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "cuttle/api.h"

/// Small functions of the spatial algebra must vanish into their callers: they are the inner loops, and an out-of-line
/// copy compiled for one instruction set must never be picked by the linker for another.
#define CUTTLE_INLINE __attribute__((always_inline)) inline

namespace CUTTLE_API cuttle {

/// What a scalar of Cuttle is: arithmetic, sqrt/sin/cos found by argument-dependent lookup, comparisons that return a
/// mask, and `select(mask, a, b)`. Kernels never branch on a comparison, so that packs of robots and derivatives pass
/// through them; the argument of a singular function is first replaced by a regular one where the result is not used.
template <typename S>
struct ScalarTraits {
  /// Scalar whose precision the arithmetic has.
  using Precision = double;
};
template <>
struct ScalarTraits<long double> {
  using Precision = long double;
};

CUTTLE_INLINE double select(bool mask, double a, double b) { return mask ? a : b; }
CUTTLE_INLINE long double select(bool mask, long double a, long double b) { return mask ? a : b; }

/// True if the mask holds in any lane. Only for skipping work whose result no lane would take.
CUTTLE_INLINE bool any(bool mask) { return mask; }
/// True if the mask holds in every lane.
CUTTLE_INLINE bool all(bool mask) { return mask; }

/// What comparing two scalars gives: bool, or a mask with a lane for each robot of a pack.
template <typename S>
using MaskT = decltype(std::declval<const S&>() < std::declval<const S&>());
/// A scalar that holds several robots side by side. What is wrong in one lane is marked and never thrown: the other
/// robots go on.
template <typename S>
inline constexpr bool k_has_lanes = !std::is_same_v<MaskT<S>, bool>;

/// Sine and cosine of one angle; packs share their common part.
template <typename S>
CUTTLE_INLINE void sincos(const S& angle, S& sine, S& cosine) {
  using std::cos;
  using std::sin;
  sine = sin(angle);
  cosine = cos(angle);
}

/// True if two numbers have the same derivatives, as those without any do.
template <typename S>
CUTTLE_INLINE bool same_derivatives(const S&, const S&) {
  return true;
}
/// True if two numbers agree in value, in every lane, and in their derivatives: only then may two things that they
/// place be built as one.
template <typename S>
CUTTLE_INLINE bool identical(const S& a, const S& b) {
  return !any(a < b) && !any(b < a) && same_derivatives(a, b);
}

/// The value of one scalar in another: derivatives and lanes that the target cannot hold are dropped.
template <typename T, typename S>
CUTTLE_INLINE T scalar_cast(const S& value) {
  return static_cast<T>(value);
}

/// A constant known to more digits than double, rounded once to the scalar's own precision.
template <typename S>
CUTTLE_INLINE S constant(long double value) {
  return S(static_cast<typename ScalarTraits<S>::Precision>(value));
}

}  // namespace cuttle
