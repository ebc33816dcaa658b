#include "algorithms/momentum_kernels.h"

#include "spatial/choose_kernels.h"

CUTTLE_DECLARE_KERNELS(MomentumKernel momentum_kernel())

namespace cuttle {

MomentumKernel momentum_kernel() { return CUTTLE_CHOSEN_KERNELS(momentum_kernel()); }

}  // namespace cuttle
