#include "bodies/rod/rod_kernels.h"
#include "spatial/choose_kernels.h"

CUTTLE_DECLARE_KERNELS(const RodKernels<ForwardDual>& forward_rod_kernels())

namespace cuttle {

template <>
const RodKernels<ForwardDual>& rod_kernels<ForwardDual>() {
  return CUTTLE_CHOSEN_KERNELS(forward_rod_kernels());
}

}  // namespace cuttle
