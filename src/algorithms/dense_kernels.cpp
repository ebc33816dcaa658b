#include "algorithms/dense_kernels.h"

#include "spatial/instruction_set.h"

namespace cuttle {

namespace baseline {
DenseKernels dense_kernels();
}
#if !defined(CUTTLE_ONLY_BASELINE)
namespace avx2 {
DenseKernels dense_kernels();
}
namespace avx512 {
DenseKernels dense_kernels();
}
#endif

DenseKernels dense_kernels() {
  switch (instruction_set()) {
#if !defined(CUTTLE_ONLY_BASELINE)
    case InstructionSet::avx512:
      return avx512::dense_kernels();
    case InstructionSet::avx2:
      return avx2::dense_kernels();
#endif
    default:
      return baseline::dense_kernels();
  }
}

}  // namespace cuttle
