#pragma once

#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>

#include "simulation/cvode_solver.h"

namespace cuttle {

struct CvodeDelete {
  void operator()(void* memory) const { CVodeFree(&memory); }
};
using CvodeMemory = std::unique_ptr<void, CvodeDelete>;

/// A differential equation for SUNDIALS CVODE. All of it outlives the memory.
struct BdfProblem {
  SUNContext context;
  N_Vector y;
  const CvodeSolver& solver;
  CVRhsFn right_side;
  CVLsLinSysFn linear_system;  ///< sets the solver up
  CVEwtFn error_weights;
  void* user;  ///< what the functions get
};

/// Backward differentiation formulas of orders 1-5 for it, with as many steps as it takes, and without a word printed.
/// @throws std::bad_alloc, SimulationError as SundialsIntegrator::check.
CvodeMemory make_bdf_memory(const BdfProblem& problem);

}  // namespace cuttle
