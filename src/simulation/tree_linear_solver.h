#pragma once

#include <functional>
#include <optional>

#include "algorithms/tree_tangent.h"
#include "cuttle/simulation/implicit_system.h"
#include "simulation/block_solver.h"

namespace cuttle {

/// Newton's matrix of CVODE, 1 - gamma df/dy with y = (q, v, works), for a robot that follows its tree and has no
/// quaternions: never as a matrix. With r(q, v, a) = 0 the equation of motion,
///   (M + gamma r_v + gamma^2 r_q) dv = M b_v - gamma r_q b_q,   dq = b_q + gamma dv,
/// is one TreeTangent. What works change by with the motion is a difference of rates along the solution.
class TreeLinearSolver {
 public:
  /// dy/dt. @return 0, or what CVODE is to be told.
  using Rates = std::function<int(double time, const double* y, double* rate)>;

  /// @param system  with follows_tree(); it and the context outlive this.
  /// @throws std::bad_alloc, ModelError as ImplicitSystem::prepare_along_tree.
  TreeLinearSolver(ImplicitSystem& system, Rates rates, SUNContext context);

  SUNMatrix matrix() const { return matrix_.get(); }
  SUNLinearSolver solver() const { return solver_.get(); }

  /// As CVLsLinSysFn, at y with rate = dy/dt. @param keep  whether derivatives of an earlier state serve.
  void set_up(double time, const double* y, const double* rate, bool keep, double gamma);

 private:
  static TreeLinearSolver& self(SUNLinearSolver solver) { return *static_cast<TreeLinearSolver*>(solver->content); }
  static int solve(SUNLinearSolver solver, SUNMatrix, N_Vector x, N_Vector right, double);
  int solve(const double* right, double* x);

  ImplicitSystem& system_;
  Rates rates_;
  int n_;  ///< of q and of v
  int size_;
  SundialsMatrix matrix_;
  SundialsLinearSolver solver_;
  TreeDerivatives* derivatives_ = nullptr;
  TreeTangent tangent_, mass_, stiffness_;
  double time_ = 0.0, gamma_ = 0.0;
  VectorXd y_, rate_, trial_, trial_rate_, right_, work_, dv_;
};

}  // namespace cuttle
