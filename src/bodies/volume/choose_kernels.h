#pragma once

#include "bodies/volume/kinematics_kernels_impl.h"
#include "spatial/choose_kernels.h"

/// Defines function<S>(): the kernels of a Sweep for the scalar S; for double the fastest that this CPU runs, which a
/// source compiled for each instruction set defines with CUTTLE_KINEMATICS_KERNELS_ISA.
// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_CHOOSE_KINEMATICS_KERNELS(function, ParametersT, Sweep)      \
  namespace cuttle {                                                        \
  using function##_table = KinematicsKernelsT<double, ParametersT<double>>; \
  }                                                                         \
  CUTTLE_DECLARE_KERNELS(const function##_table& function())                \
  namespace cuttle {                                                        \
  template <typename S>                                                     \
  static const KinematicsKernelsT<S, ParametersT<S>>& function() {          \
    if constexpr (std::is_same_v<S, double>) {                              \
      return CUTTLE_CHOSEN_KERNELS(function());                             \
    } else {                                                                \
      return KinematicsKernelsOf<Sweep, ParametersT<S>, S, S>::k_table;     \
    }                                                                       \
  }                                                                         \
  }
// NOLINTEND(bugprone-macro-parentheses)
