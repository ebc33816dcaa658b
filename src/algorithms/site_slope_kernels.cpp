#include "algorithms/site_slope_kernels.h"

#include "spatial/choose_kernels.h"

CUTTLE_DECLARE_KERNELS(SiteSlopeKernels site_slope_kernels())

namespace cuttle {

SiteSlopeKernels site_slope_kernels() { return CUTTLE_CHOSEN_KERNELS(site_slope_kernels()); }

}  // namespace cuttle
