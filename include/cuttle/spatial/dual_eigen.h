#pragma once

#include "cuttle/eigen_memory.h"
#include "cuttle/spatial/dual.h"

/// Lets vectors and matrices of Eigen hold differentiation types.
template <typename S, int N>
struct Eigen::NumTraits<cuttle::Dual<S, N>> : Eigen::GenericNumTraits<cuttle::Dual<S, N>> {
  using Real = cuttle::Dual<S, N>;
  using NonInteger = Real;
  using Nested = Real;
  using Literal = double;
  enum {
    IsInteger = 0,
    IsSigned = 1,
    IsComplex = 0,
    RequireInitialization = 1,
    ReadCost = 1 + N,
    AddCost = 1 + N,
    MulCost = 1 + 2 * N
  };
  static Real epsilon() { return Real(NumTraits<S>::epsilon()); }
  static Real dummy_precision() { return Real(NumTraits<S>::dummy_precision()); }
  static int digits10() { return NumTraits<S>::digits10(); }
};
