// Compiled once for each instruction set.
#include "bodies/volume/radial/radial_sweep.h"

CUTTLE_KINEMATICS_KERNELS_ISA(radial_kernels, RadialParametersT, RadialSweep)
