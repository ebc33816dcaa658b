#pragma once

#include "cuttle/api.h"
#include "cuttle/bodies/point_block.h"
#include "cuttle/spatial/pack.h"

namespace CUTTLE_API cuttle {

/// Lanes of the widest pack that the flags of this source allow: what a user's own kinematics are computed in. It
/// differs between differently compiled sources of one program, so it may only be used as an argument of a template.
#if defined(__AVX512DQ__)
constexpr int k_host_lanes = 8;
#elif defined(__AVX__)
constexpr int k_host_lanes = 4;
#else
constexpr int k_host_lanes = 2;
#endif

namespace point {

/// Lanes of a block that begin at p, as one value.
template <typename P, typename S>
CUTTLE_INLINE P load(const S* p) {
  return Lanes<P, S>::load(p);
}
template <typename P, typename S>
CUTTLE_INLINE Vector3T<P> load_vector(const S* p) {
  constexpr std::size_t n = k_point_lanes<S>;
  return {load<P>(p), load<P>(p + n), load<P>(p + 2 * n)};
}
template <typename P, typename S>
CUTTLE_INLINE void store_vector(S* p, const Vector3T<P>& a) {
  constexpr std::size_t n = k_point_lanes<S>;
  Lanes<P, S>::store(p, a.x), Lanes<P, S>::store(p + n, a.y), Lanes<P, S>::store(p + 2 * n, a.z);
}

}  // namespace point
}  // namespace cuttle
