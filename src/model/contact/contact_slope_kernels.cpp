#include "model/contact/contact_slope_kernels.h"

#include "spatial/choose_kernels.h"

CUTTLE_DECLARE_KERNELS(ContactSlopeKernel contact_slope_kernel())

namespace cuttle {

ContactSlopeKernel contact_slope_kernel() { return CUTTLE_CHOSEN_KERNELS(contact_slope_kernel()); }

}  // namespace cuttle
