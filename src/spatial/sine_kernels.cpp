#include "spatial/sine_kernels.h"

#include "spatial/choose_kernels.h"

CUTTLE_DECLARE_KERNELS(SineKernel sine_kernel())

namespace cuttle {

SineKernel sine_kernel() { return CUTTLE_CHOSEN_KERNELS(sine_kernel()); }

}  // namespace cuttle
