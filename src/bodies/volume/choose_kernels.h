#pragma once

#include "bodies/volume/kinematics_kernels_impl.h"
#include "spatial/instruction_set.h"

/// Defines function<S>(): the kernels of a Sweep for the scalar S; for double the fastest that this CPU runs, which a
/// source compiled for each instruction set defines with CUTTLE_KINEMATICS_KERNELS_ISA.
#if defined(CUTTLE_ONLY_BASELINE)
#define CUTTLE_DECLARE_KERNELS(function, Table) \
  namespace cuttle::baseline {                  \
  const Table& function();                      \
  }
#define CUTTLE_CHOSEN_KERNELS(function) baseline::function()
#else
#define CUTTLE_DECLARE_KERNELS(function, Table) \
  namespace cuttle::baseline {                  \
  const Table& function();                      \
  }                                             \
  namespace cuttle::avx2 {                      \
  const Table& function();                      \
  }                                             \
  namespace cuttle::avx512 {                    \
  const Table& function();                      \
  }
#define CUTTLE_CHOSEN_KERNELS(function)                             \
  (instruction_set() == InstructionSet::avx512 ? avx512::function() \
   : instruction_set() == InstructionSet::avx2 ? avx2::function()   \
                                               : baseline::function())
#endif

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_CHOOSE_KINEMATICS_KERNELS(function, ParametersT, Sweep)      \
  namespace cuttle {                                                        \
  using function##_table = KinematicsKernelsT<double, ParametersT<double>>; \
  }                                                                         \
  CUTTLE_DECLARE_KERNELS(function, function##_table)                        \
  namespace cuttle {                                                        \
  template <typename S>                                                     \
  static const KinematicsKernelsT<S, ParametersT<S>>& function() {          \
    if constexpr (std::is_same_v<S, double>) {                              \
      return CUTTLE_CHOSEN_KERNELS(function);                               \
    } else {                                                                \
      return KinematicsKernelsOf<Sweep, ParametersT<S>, S, S>::k_table;     \
    }                                                                       \
  }                                                                         \
  }
// NOLINTEND(bugprone-macro-parentheses)
