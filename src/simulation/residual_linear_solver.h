#pragma once

#include <Eigen/LU>
#include <optional>
#include <vector>

#include "algorithms/tree_tangent.h"
#include "cuttle/simulation/implicit_system.h"
#include "cuttle/spatial/logarithm.h"
#include "simulation/cvode_solver.h"

namespace cuttle {

/// Newton's matrix of CVODE, 1 - gamma df/dy with y = (q, v, auxiliary states), from the derivatives of the equation of
/// motion r(q, v, a, x) = 0. With the displacement of q
///   d = d0 + gamma D dv,   where D = 1 but for quaternions and d0 is what b_q is as a displacement,
/// dv solves
///   (M + gamma r_v + gamma^2 r_q D) dv = M b_v - gamma r_q d0 - gamma (r by the states, of b_x),
/// along the tree where the robot follows it (TreeTangent), else with a matrix.
/// Auxiliary states that act on the motion follow it, x = offset + gamma dx/dt, and r has them condensed. What they
/// change by is found behind, as a difference of their rates along the solution.
class ResidualLinearSolver final : public CvodeSolver {
 public:
  /// @param system  without constraints; it and the context outlive this.
  /// @param feeds_back  whether auxiliary states act on the motion.
  /// @throws std::bad_alloc, ModelError as ImplicitSystem::prepare_derivatives and prepare_along_tree.
  ResidualLinearSolver(ImplicitSystem& system, bool feeds_back, SUNContext context);

  bool follows_tree() const { return !matrices_; }
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

  /// Of a robot that does not follow its tree.
  struct Matrices {
    MatrixXd by_q, by_v, by_a, tangent;
    Eigen::PartialPivLU<MatrixXd> factor;
  };

  int solve(const double* right, double* x) override;
  void take();
  void form_matrix();
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
  bool is_taken_ = false;
  std::optional<Matrices> matrices_;  ///< none: the next four
  TreeDerivatives* derivatives_ = nullptr;
  StepCoordinates coordinates_;
  StepDirections directions_;
  TreeTangent tangent_, mass_, stiffness_;
  std::vector<Turning> turning_;
  double time_ = 0.0, gamma_ = 0.0, taken_gamma_ = 0.0;
  VectorXd q_, v_, a_, states_, rates_, offset_, residual_;  // where derivatives were taken
  VectorXd trial_q_, trial_v_, trial_a_, trial_offset_, trial_rates_, trial_residual_;
  VectorXd right_, work_, product_, displacement_, effort_, dv_;
};

}  // namespace cuttle
