// Compiled once for each instruction set: CUTTLE_ISA is its name here, CUTTLE_ISA_WIDTH its doubles a vector register.
#include "bodies/rod/rod_kernels_impl.h"

namespace cuttle::CUTTLE_ISA {

const RodKernels<double>& rod_kernels() {
  static constexpr RodKernels<double> k_sweeps = rod::k_kernels<Pack<CUTTLE_ISA_WIDTH>, double>;
  return k_sweeps;
}

}  // namespace cuttle::CUTTLE_ISA
