#include "simulation/block_solver.h"

#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <Eigen/LU>
#include <new>
#include <string>

#include "cuttle/error.h"

namespace cuttle {
namespace {

/// SUNDIALS solves with one vector at a time, which took a fifth of runs with eight directions.
struct Blocks {
  int size, count;
  Eigen::PartialPivLU<MatrixXd> factor;
};

Blocks& blocks_of(SUNLinearSolver solver) { return *static_cast<Blocks*>(solver->content); }

SUNLinearSolver_Type direct_type(SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; }

int set_up(SUNLinearSolver solver, SUNMatrix matrix) {
  Blocks& blocks = blocks_of(solver);
  blocks.factor.compute(Eigen::Map<const MatrixXd>(SUNDenseMatrix_Data(matrix), blocks.size, blocks.size));
  return (blocks.factor.matrixLU().diagonal().array() == 0.0).any() ? 1 : 0;  // 1: with a shorter step perhaps not
}

int solve_blocks(SUNLinearSolver solver, SUNMatrix /*matrix*/, N_Vector x, N_Vector right, double /*tolerance*/) {
  const Blocks& blocks = blocks_of(solver);
  const auto columns = [&](N_Vector all) {
    return Eigen::Map<MatrixXd>(N_VGetArrayPointer(all), blocks.size, blocks.count);
  };
  columns(x) = blocks.factor.solve(columns(right));  // both may be one vector: it permutes in place then
  return 0;
}

int free_blocks(SUNLinearSolver solver) {
  delete static_cast<Blocks*>(solver->content);
  solver->content = nullptr;
  SUNLinSolFreeEmpty(solver);
  return 0;
}

}  // namespace

SundialsLinearSolver block_solver(int size, int blocks, SUNMatrix matrix, SUNContext context) {
  if (matrix == nullptr) {
    throw SimulationError("found " + std::to_string(size) +
                          " states, which have no room in a dense matrix, expected fewer of them: take a method of "
                          "implicit steps, as generalized_alpha");
  }
  if (blocks == 1) {
    SundialsVector part(N_VNew_Serial(size, context));
    if (!part) throw std::bad_alloc();
    SundialsLinearSolver dense(SUNLinSol_Dense(part.get(), matrix, context));
    if (!dense) throw std::bad_alloc();
    return dense;  // it keeps nothing of the vector that it was made for
  }
  SundialsLinearSolver solver(SUNLinSolNewEmpty(context));
  if (!solver) throw std::bad_alloc();
  solver->ops->gettype = direct_type;
  solver->ops->setup = set_up;
  solver->ops->solve = solve_blocks;
  solver->ops->free = free_blocks;
  solver->content = new Blocks{size, blocks, Eigen::PartialPivLU<MatrixXd>(size)};
  return solver;
}

}  // namespace cuttle
