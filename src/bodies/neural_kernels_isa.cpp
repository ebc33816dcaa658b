// Compiled once for each instruction set.
#include "bodies/neural_sweep.h"

CUTTLE_KINEMATICS_KERNELS_ISA(neural_kernels, NeuralParametersT, NeuralSweep)
