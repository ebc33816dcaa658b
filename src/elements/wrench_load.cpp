#include "cuttle/elements/wrench_load.h"

#include "elements/timed_details.h"

namespace cuttle {

template <typename S>
std::vector<LoadDetail> WrenchLawT<S>::details() const {
  return details_of(wrench_);
}

#define CUTTLE_INSTANTIATE(S) template class WrenchLawT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
