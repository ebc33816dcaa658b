#include "simulation/cvode_solver.h"

#include <new>

#include "cuttle/error.h"

namespace cuttle {
namespace {

SUNMatrix_ID custom_matrix(SUNMatrix) { return SUNMATRIX_CUSTOM; }
void free_matrix(SUNMatrix matrix) { SUNMatFreeEmpty(matrix); }
SUNLinearSolver_Type direct_type(SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; }
int set_up_already(SUNLinearSolver, SUNMatrix) { return 0; }
int free_solver(SUNLinearSolver solver) {
  solver->content = nullptr;
  SUNLinSolFreeEmpty(solver);
  return 0;
}

}  // namespace

CvodeSolver::CvodeSolver(SUNContext context) : matrix_(SUNMatNewEmpty(context)), solver_(SUNLinSolNewEmpty(context)) {
  if (!matrix_ || !solver_) throw std::bad_alloc();
  matrix_->ops->getid = custom_matrix;
  matrix_->ops->destroy = free_matrix;
  solver_->content = this;
  solver_->ops->gettype = direct_type;
  solver_->ops->setup = set_up_already;
  solver_->ops->solve = solve_for;
  solver_->ops->free = free_solver;
}

int CvodeSolver::solve_for(SUNLinearSolver solver, SUNMatrix, N_Vector x, N_Vector right, double) {
  try {
    return static_cast<CvodeSolver*>(solver->content)->solve(N_VGetArrayPointer(right), N_VGetArrayPointer(x));
  } catch (const Error&) {
    return 1;
  }
}

}  // namespace cuttle
