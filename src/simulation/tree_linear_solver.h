#pragma once

#include <vector>

#include "algorithms/tree_tangent.h"
#include "cuttle/simulation/implicit_system.h"
#include "cuttle/spatial/logarithm.h"
#include "simulation/block_solver.h"

namespace cuttle {

/// Newton's matrix of CVODE, 1 - gamma df/dy with y = (q, v, auxiliary states), for a robot that follows its tree:
/// never as a matrix. With r(q, v, a, x) = 0 the equation of motion and the displacement of q
///   d = d0 + gamma D dv,   where D = 1 but for quaternions and d0 is what b_q is as a displacement,
/// dv solves one TreeTangent:
///   (M + gamma r_v + gamma^2 r_q D) dv = M b_v - gamma r_q d0 - gamma (r by the states, of b_x).
/// Auxiliary states that act on the motion follow it, x = offset + gamma dx/dt, and r has them condensed. What they
/// change by is found behind, as a difference of their rates along the solution.
class TreeLinearSolver {
 public:
  /// @param system  with follows_tree() and without constraints; it and the context outlive this.
  /// @param feeds_back  whether auxiliary states act on the motion.
  /// @throws std::bad_alloc, ModelError as ImplicitSystem::prepare_along_tree.
  TreeLinearSolver(ImplicitSystem& system, bool feeds_back, SUNContext context);

  SUNMatrix matrix() const { return matrix_.get(); }
  SUNLinearSolver solver() const { return solver_.get(); }

  /// As CVLsLinSysFn, at y with rate = dy/dt. @param keep  whether derivatives of an earlier state serve.
  /// @return whether they were taken anew.
  bool set_up(double time, const double* y, const double* rate, bool keep, double gamma);

 private:
  /// A joint with a quaternion.
  struct Turning {
    int q, v;                      ///< of the quaternion, and of the angular velocity
    int origin;                    ///< of a free joint: of its place in q; -1: none
    QuaternionT<double> at, back;  ///< the quaternion, and the inverse of 1 - gamma omega / 2
  };

  static TreeLinearSolver& self(SUNLinearSolver solver) { return *static_cast<TreeLinearSolver*>(solver->content); }
  static int solve(SUNLinearSolver solver, SUNMatrix, N_Vector x, N_Vector right, double);
  int solve(const double* right, double* x);
  void take();
  /// Quaternions' part of (1 - gamma d(dq/dt)/dq)^-1 (b_q + gamma d(dq/dt)/dv dv): the change of q, and its
  /// displacement.
  /// @param b_q  nq; null: 0.   @param dv  nv; null: 0.   @param dq  nq, or null.
  void turn(const double* b_q, const double* dv, double* dq, VectorXd& displacement) const;
  /// Auxiliary rates at a motion with states that follow it from `offset`; the equation's residual too.
  void residual_at(const VectorXd& q, const VectorXd& v, const VectorXd& a, const VectorXd& offset, VectorXd& r,
                   VectorXd& rates);

  ImplicitSystem& system_;
  bool feeds_back_;
  int nq_, nv_, works_, size_;
  SundialsMatrix matrix_;
  SundialsLinearSolver solver_;
  TreeDerivatives* derivatives_ = nullptr;
  StepCoordinates coordinates_;
  StepDirections directions_;
  TreeTangent tangent_, mass_, stiffness_;
  std::vector<Turning> turning_;
  double time_ = 0.0, gamma_ = 0.0, taken_gamma_ = 0.0;
  VectorXd q_, v_, a_, states_, rates_, offset_, residual_;  // where derivatives were taken
  VectorXd trial_q_, trial_v_, trial_a_, trial_offset_, trial_rates_, trial_residual_;
  VectorXd right_, work_, product_, displacement_, dv_;
};

}  // namespace cuttle
