#include "bodies/rod/rod_kernels.h"

#include "bodies/rod/rod_kernels_impl.h"
#include "spatial/instruction_set.h"

namespace cuttle {

namespace baseline {
const RodKernels<double>& rod_kernels();
}
#if !defined(CUTTLE_ONLY_BASELINE)
namespace avx2 {
const RodKernels<double>& rod_kernels();
}
namespace avx512 {
const RodKernels<double>& rod_kernels();
}
#endif

template <>
const RodKernels<double>& rod_kernels<double>() {
  switch (instruction_set()) {
#if !defined(CUTTLE_ONLY_BASELINE)
    case InstructionSet::avx512:
      return avx512::rod_kernels();
    case InstructionSet::avx2:
      return avx2::rod_kernels();
#endif
    default:
      return baseline::rod_kernels();
  }
}

template <>
const RodKernels<long double>& rod_kernels<long double>() {
  return portable::rod::k_kernels<long double, long double>;
}

}  // namespace cuttle
