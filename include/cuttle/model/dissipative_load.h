#pragma once

#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// What a StateLoadT is beside if all that it does is to dissipate: accounts of energy have what it takes as dissipated
/// and not as work of loads.
class DissipativeLoad {
 public:
  virtual ~DissipativeLoad() = default;
};

}  // namespace cuttle
