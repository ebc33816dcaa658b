#pragma once

#include "cuttle/api.h"
#include "cuttle/spatial/dual_eigen.h"  // nobody may see a matrix of ForwardDual before Eigen knows the number

namespace CUTTLE_API cuttle {

/// Differentiation in eight directions at once: gradients with respect to parameters, in passes of eight.
inline constexpr int k_forward_width = 8;
using ForwardDual = Dual<double, k_forward_width>;

/// Says to an overloaded virtual function which scalar is meant.
template <typename T>
struct ScalarTag {};

}  // namespace cuttle

/// The scalars that the library's templates are instantiated for, each in the .cpp that defines them. Sources that are
/// compiled again for packs of robots get another list (src/spatial/pack_scalars.h).
#if !defined(CUTTLE_FOR_EACH_SCALAR)
#define CUTTLE_FOR_EACH_SCALAR(DO) DO(double) DO(long double) DO(::cuttle::ForwardDual)
#define CUTTLE_FOR_EACH_SCALAR_PAIR(DO)  \
  DO(double, double)                     \
  DO(double, long double)                \
  DO(double, ::cuttle::ForwardDual)      \
  DO(long double, double)                \
  DO(long double, long double)           \
  DO(long double, ::cuttle::ForwardDual) \
  DO(::cuttle::ForwardDual, double)      \
  DO(::cuttle::ForwardDual, long double) \
  DO(::cuttle::ForwardDual, ::cuttle::ForwardDual)
#endif
