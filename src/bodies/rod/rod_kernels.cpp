#include "bodies/rod/rod_kernels.h"

#include "bodies/rod/rod_kernels_impl.h"
#include "spatial/choose_kernels.h"

CUTTLE_DECLARE_KERNELS(const RodKernels<double>& rod_kernels())

namespace cuttle {

template <>
const RodKernels<double>& rod_kernels<double>() {
  return CUTTLE_CHOSEN_KERNELS(rod_kernels());
}

template <>
const RodKernels<long double>& rod_kernels<long double>() {
  return portable::rod::k_kernels<long double, long double>;
}

}  // namespace cuttle
