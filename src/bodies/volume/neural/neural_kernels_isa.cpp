// Compiled once for each instruction set.
#include "bodies/volume/neural/neural_sweep.h"

CUTTLE_KINEMATICS_KERNELS_ISA(neural_kernels, NeuralParametersT, NeuralSweep)
