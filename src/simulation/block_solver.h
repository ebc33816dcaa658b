#pragma once

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include "simulation/sundials_integrator.h"

namespace cuttle {

using SundialsMatrix = std::unique_ptr<std::remove_pointer_t<SUNMatrix>, SundialsDelete<SUNMatDestroy>>;
using SundialsLinearSolver = std::unique_ptr<std::remove_pointer_t<SUNLinearSolver>, SundialsDelete<SUNLinSolFree>>;

/// Solves with a dense matrix of `size` rows for each of `blocks` parts of a vector: Newton's matrix of a system and
/// its linearizations, without what couples these to the motion. One block: SUNDIALS' own dense solver.
/// @throws std::bad_alloc.
SundialsLinearSolver block_solver(int size, int blocks, SUNMatrix matrix, SUNContext context);

}  // namespace cuttle
