// Compiled once for each instruction set.
#include "bodies/volume/point_sums_impl.h"

namespace cuttle::CUTTLE_ISA {

const PointSums<double>& point_sums() { return point::k_sums<Pack<CUTTLE_ISA_WIDTH>, double>; }

}  // namespace cuttle::CUTTLE_ISA
