#include "simulation/bdf_memory.h"

#include <new>

namespace cuttle {

CvodeMemory make_bdf_memory(const BdfProblem& problem) {
  CvodeMemory made(CVodeCreate(CV_BDF, problem.context));
  if (!made || problem.y == nullptr) throw std::bad_alloc();
  void* const memory = made.get();
  const auto check = [](int flag, const char* call) { SundialsIntegrator::check(flag, call); };
  N_VConst(0.0, problem.y);
  check(CVodeInit(memory, problem.right_side, 0.0, problem.y), "CVodeInit");
  check(CVodeSetUserData(memory, problem.user), "CVodeSetUserData");
#if SUNDIALS_VERSION_MAJOR < 7
  check(CVodeSetErrHandlerFn(memory, SundialsIntegrator::ignore_message, nullptr), "CVodeSetErrHandlerFn");
#endif
  check(CVodeWFtolerances(memory, problem.error_weights), "CVodeWFtolerances");
  check(CVodeSetLinearSolver(memory, problem.solver.solver(), problem.solver.matrix()), "CVodeSetLinearSolver");
  check(CVodeSetLinSysFn(memory, problem.linear_system), "CVodeSetLinSysFn");
  check(CVodeSetMaxNumSteps(memory, -1), "CVodeSetMaxNumSteps");
  check(CVodeSetMaxHnilWarns(memory, -1), "CVodeSetMaxHnilWarns");
  check(CVodeSetStabLimDet(memory, SUNTRUE), "CVodeSetStabLimDet");  // orders 3-5 are unstable for undamped motion
  return made;
}

}  // namespace cuttle
