#include "algorithms/derivative_kernels.h"

#include "spatial/instruction_set.h"

namespace cuttle {

namespace baseline {
PairKernels pair_kernels(bool turn);
}
#if !defined(CUTTLE_ONLY_BASELINE)
namespace avx2 {
PairKernels pair_kernels(bool turn);
}
namespace avx512 {
PairKernels pair_kernels(bool turn);
}
#endif

PairKernels pair_kernels(bool turn) {
  switch (instruction_set()) {
#if !defined(CUTTLE_ONLY_BASELINE)
    case InstructionSet::avx512:
      return avx512::pair_kernels(turn);
    case InstructionSet::avx2:
      return avx2::pair_kernels(turn);
#endif
    default:
      return baseline::pair_kernels(turn);
  }
}

}  // namespace cuttle
