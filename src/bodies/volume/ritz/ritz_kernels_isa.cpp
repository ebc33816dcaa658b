// Compiled once for each instruction set.
#include "bodies/volume/ritz/ritz_sweep.h"

CUTTLE_KINEMATICS_KERNELS_ISA(ritz_kernels, RitzParametersT, RitzSweep)
