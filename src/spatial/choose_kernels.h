#pragma once

#include "spatial/instruction_set.h"

// Functions that a source compiled once for each instruction set defines in the namespace of that set.

/// Declares them, by a declaration: CUTTLE_DECLARE_KERNELS(DenseKernels dense_kernels()). Outside of namespaces.
/// CUTTLE_CHOSEN_KERNELS(dense_kernels()) calls the one of the widest set that this CPU runs.
#if defined(CUTTLE_ONLY_BASELINE)
#define CUTTLE_DECLARE_KERNELS(...) \
  namespace cuttle::baseline {      \
  __VA_ARGS__;                      \
  }
#define CUTTLE_CHOSEN_KERNELS(...) baseline::__VA_ARGS__
#else
#define CUTTLE_DECLARE_KERNELS(...) \
  namespace cuttle::baseline {      \
  __VA_ARGS__;                      \
  }                                 \
  namespace cuttle::avx2 {          \
  __VA_ARGS__;                      \
  }                                 \
  namespace cuttle::avx512 {        \
  __VA_ARGS__;                      \
  }
#define CUTTLE_CHOSEN_KERNELS(...)                                   \
  (instruction_set() == InstructionSet::avx512 ? avx512::__VA_ARGS__ \
   : instruction_set() == InstructionSet::avx2 ? avx2::__VA_ARGS__   \
                                               : baseline::__VA_ARGS__)
#endif
