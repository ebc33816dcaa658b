#pragma once

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include "simulation/sundials_integrator.h"

namespace cuttle {

/// A solver of ours for Newton's matrix of CVODE, 1 - gamma df/dy, which sees no matrix of its own: the function that
/// CVODE calls to fill one (CVLsLinSysFn) sets the solver up.
class CvodeSolver {
 public:
  /// @throws std::bad_alloc.
  explicit CvodeSolver(SUNContext context);
  virtual ~CvodeSolver() = default;
  CvodeSolver(const CvodeSolver&) = delete;
  CvodeSolver& operator=(const CvodeSolver&) = delete;

  SUNMatrix matrix() const { return matrix_.get(); }
  SUNLinearSolver solver() const { return solver_.get(); }

 private:
  /// @param x  may be `right`.
  /// @return 0; 1 if it failed, where a shorter step may lead elsewhere.
  /// @throws Error for the latter too.
  virtual int solve(const double* right, double* x) = 0;
  static int solve_for(SUNLinearSolver solver, SUNMatrix, N_Vector x, N_Vector right, double);

  std::unique_ptr<std::remove_pointer_t<SUNMatrix>, SundialsDelete<SUNMatDestroy>> matrix_;
  std::unique_ptr<std::remove_pointer_t<SUNLinearSolver>, SundialsDelete<SUNLinSolFree>> solver_;
};

}  // namespace cuttle
