#include "simulation/block_solver.h"

#include <sunlinsol/sunlinsol_dense.h>

#include <algorithm>
#include <new>
#include <string>

#include "cuttle/error.h"

namespace cuttle {
namespace {

struct Blocks {
  int size, count;
  SundialsVector part;
  SundialsLinearSolver dense;
};

Blocks& blocks_of(SUNLinearSolver solver) { return *static_cast<Blocks*>(solver->content); }

SUNLinearSolver_Type direct_type(SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; }

int set_up(SUNLinearSolver solver, SUNMatrix matrix) { return SUNLinSolSetup(blocks_of(solver).dense.get(), matrix); }

int solve_blocks(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector right, double tolerance) {
  const Blocks& blocks = blocks_of(solver);
  double* const part = N_VGetArrayPointer(blocks.part.get());
  for (int i = 0; i < blocks.count; ++i) {
    const double* const from = N_VGetArrayPointer(right) + i * blocks.size;
    std::copy(from, from + blocks.size, part);
    // in place, as the dense solver may
    const int flag = SUNLinSolSolve(blocks.dense.get(), matrix, blocks.part.get(), blocks.part.get(), tolerance);
    if (flag != 0) return flag;
    std::copy(part, part + blocks.size, N_VGetArrayPointer(x) + i * blocks.size);
  }
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
  SundialsVector part(N_VNew_Serial(size, context));
  if (!part) throw std::bad_alloc();
  SundialsLinearSolver dense(SUNLinSol_Dense(part.get(), matrix, context));
  if (!dense) throw std::bad_alloc();
  if (blocks == 1) return dense;  // it keeps nothing of the vector that it was made for
  auto content = std::make_unique<Blocks>(Blocks{size, blocks, std::move(part), std::move(dense)});
  SundialsLinearSolver solver(SUNLinSolNewEmpty(context));
  if (!solver) throw std::bad_alloc();
  solver->ops->gettype = direct_type;
  solver->ops->setup = set_up;
  solver->ops->solve = solve_blocks;
  solver->ops->free = free_blocks;
  solver->content = content.release();
  return solver;
}

}  // namespace cuttle
