#include "algorithms/derivative_kernels.h"

#include "spatial/instruction_set.h"

namespace cuttle {

namespace baseline {
PairKernel pair_kernel(bool turn);
}
#if !defined(CUTTLE_ONLY_BASELINE)
namespace avx2 {
PairKernel pair_kernel(bool turn);
}
namespace avx512 {
PairKernel pair_kernel(bool turn);
}
#endif

PairKernel pair_kernel(bool turn) {
  switch (instruction_set()) {
#if !defined(CUTTLE_ONLY_BASELINE)
    case InstructionSet::avx512:
      return avx512::pair_kernel(turn);
    case InstructionSet::avx2:
      return avx2::pair_kernel(turn);
#endif
    default:
      return baseline::pair_kernel(turn);
  }
}

}  // namespace cuttle
