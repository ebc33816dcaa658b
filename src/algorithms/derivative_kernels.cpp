#include "algorithms/derivative_kernels.h"

#include "spatial/choose_kernels.h"

CUTTLE_DECLARE_KERNELS(PairKernels pair_kernels(bool turn))

namespace cuttle {

PairKernels pair_kernels(bool turn) { return CUTTLE_CHOSEN_KERNELS(pair_kernels(turn)); }

}  // namespace cuttle
