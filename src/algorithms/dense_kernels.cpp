#include "algorithms/dense_kernels.h"

#include "spatial/choose_kernels.h"

CUTTLE_DECLARE_KERNELS(DenseKernels dense_kernels())

namespace cuttle {

DenseKernels dense_kernels() { return CUTTLE_CHOSEN_KERNELS(dense_kernels()); }

}  // namespace cuttle
