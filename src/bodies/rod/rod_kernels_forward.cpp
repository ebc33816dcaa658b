// Beside rod_kernels.cpp for the compile time: two files at once take half as long.
#include "bodies/rod/rod_kernels.h"
#include "bodies/rod/rod_kernels_impl.h"

namespace cuttle {

template <>
const RodKernels<ForwardDual>& rod_kernels<ForwardDual>() {
  return portable::rod::k_kernels<ForwardDual, ForwardDual>;
}

}  // namespace cuttle
