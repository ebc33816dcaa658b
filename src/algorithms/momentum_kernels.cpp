#include "algorithms/momentum_kernels.h"

#include "spatial/instruction_set.h"

namespace cuttle {

namespace baseline {
MomentumKernel momentum_kernel();
}
#if !defined(CUTTLE_ONLY_BASELINE)
namespace avx2 {
MomentumKernel momentum_kernel();
}
namespace avx512 {
MomentumKernel momentum_kernel();
}
#endif

MomentumKernel momentum_kernel() {
  switch (instruction_set()) {
#if !defined(CUTTLE_ONLY_BASELINE)
    case InstructionSet::avx512:
      return avx512::momentum_kernel();
    case InstructionSet::avx2:
      return avx2::momentum_kernel();
#endif
    default:
      return baseline::momentum_kernel();
  }
}

}  // namespace cuttle
