// Compiled once for each instruction set, as rod_kernels_isa.cpp; in a file of its own because packs of robots have no
// derivatives.
#include "bodies/rod/rod_tangent_inward.h"

namespace cuttle::CUTTLE_ISA {

const RodTangentKernels<double>& rod_tangent_kernels() {
  static constexpr RodTangentKernels<double> k_sweeps = rod::k_tangent_kernels<Pack<CUTTLE_ISA_WIDTH>, double>;
  return k_sweeps;
}

}  // namespace cuttle::CUTTLE_ISA
