// Compiled once for each instruction set.
#include "bodies/volume/lvp/lvp_sweep.h"

CUTTLE_KINEMATICS_KERNELS_ISA(lvp_kernels, LvpParametersT, LvpSweep)
