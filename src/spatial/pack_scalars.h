#pragma once

// Included before everything else by the sources that are compiled once more for each instruction set: the library's
// templates then exist for packs of robots, and for nothing else.

#include "cuttle/eigen_memory.h"
#include "cuttle/spatial/pack.h"

#define CUTTLE_FOR_EACH_SCALAR(DO) DO(::cuttle::Pack<CUTTLE_ISA_WIDTH>)
#define CUTTLE_FOR_EACH_SCALAR_PAIR(DO)

/// Lets vectors and matrices of Eigen hold packs.
template <int W>
struct Eigen::NumTraits<cuttle::Pack<W>> : Eigen::GenericNumTraits<cuttle::Pack<W>> {
  using Real = cuttle::Pack<W>;
  using NonInteger = Real;
  using Nested = Real;
  using Literal = double;
  enum {
    IsInteger = 0,
    IsSigned = 1,
    IsComplex = 0,
    RequireInitialization = 1,
    ReadCost = 1,
    AddCost = 1,
    MulCost = 1
  };
};
