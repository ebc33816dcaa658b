#include "cuttle/spatial/pack.h"
#include "cuttle/spatial/pack_math.h"
#include "spatial/sine_kernels.h"

// Compiled once for each instruction set: sines and cosines of the joints of a sweep.

namespace cuttle::CUTTLE_ISA {
namespace {

static_assert(k_sine_lanes % CUTTLE_ISA_WIDTH == 0);

void sines_and_cosines(const double* angle, int count, double* sine, double* cosine) {
  using L = Lanes<Pack<CUTTLE_ISA_WIDTH>, double>;
  for (int i = 0; i < count; i += CUTTLE_ISA_WIDTH) {
    Pack<CUTTLE_ISA_WIDTH> s, c;
    sincos(L::load(angle + i), s, c);
    L::store(sine + i, s);
    L::store(cosine + i, c);
  }
}

}  // namespace

SineKernel sine_kernel() { return &sines_and_cosines; }

}  // namespace cuttle::CUTTLE_ISA
