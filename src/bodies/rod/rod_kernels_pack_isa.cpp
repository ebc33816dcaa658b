// The rod's sweeps for packs of robots: lanes are robots, so steps go one by one.
#include "bodies/rod/rod_kernels.h"
#include "bodies/rod/rod_kernels_impl.h"

namespace cuttle {

template <>
const RodKernels<Pack<CUTTLE_ISA_WIDTH>>& rod_kernels<Pack<CUTTLE_ISA_WIDTH>>() {
  using S = Pack<CUTTLE_ISA_WIDTH>;
  static constexpr RodKernels<S> k_sweeps = CUTTLE_ISA::rod::k_kernels<S, S>;
  return k_sweeps;
}

}  // namespace cuttle
