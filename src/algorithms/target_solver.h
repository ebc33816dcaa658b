#pragma once

#include <Eigen/Core>
#include <Eigen/LU>

#include "cuttle/eigen_memory.h"

namespace cuttle {

/// Rows r(x) = 0 to reach by moving a state, and an energy to lower among the states that reach them. A step is a
/// vector of n displacements from the current state, on whatever manifold that is.
class TargetProblem {
 public:
  TargetProblem() = default;
  TargetProblem(const TargetProblem&) = delete;
  TargetProblem& operator=(const TargetProblem&) = delete;
  virtual ~TargetProblem() = default;

  /// Rows of the state that a step leads to. @return false where they do not exist.
  virtual bool look(const Eigen::VectorXd& step, Eigen::VectorXd& rows) = 0;
  /// Energy of that state.
  virtual double energy() = 0;
  /// The state last looked at becomes the current one.
  virtual void move() = 0;
  /// Derivatives by the step at the current state: of the rows, and of the energy.
  virtual void slopes(Eigen::MatrixXd& jacobian, Eigen::VectorXd& gradient) = 0;
  /// Of energy + multipliers . rows at the current state, after `slopes`: its second derivative, symmetric.
  virtual void curvature(const Eigen::VectorXd& multipliers, Eigen::MatrixXd& result) = 0;
  /// Bounds of a step, infinite where there are none; zero lies between them.
  virtual void room(Eigen::VectorXd& lower, Eigen::VectorXd& upper) = 0;
};

/// Damped Newton methods within bounds: `reach` solves the rows by least squares, `settle` lowers the energy among the
/// states that reach them. Owns its memory: nothing is allocated after the constructor.
class TargetSolver {
 public:
  /// @param unit  of each displacement: what moves the state by about 1, as one radian does.
  /// @param soft  rows that are reached as well as they can be. @param hard  rows after them, which every step keeps.
  /// @param tolerance  of each row.
  TargetSolver(Eigen::VectorXd unit, int soft, int hard, Eigen::VectorXd tolerance);

  /// Levenberg-Marquardt on the soft rows along the motions that hard ones allow.
  /// @param elastic  there is an energy: what is stiff moves less than what is soft.
  /// @return whether all rows are within their tolerances; else no motion brings them nearer, or steps ran out.
  bool reach(TargetProblem& problem, bool elastic, int most_iterations);
  /// Newton's method on `gradient + J^T multipliers = 0, r = 0` from a state near to the solution. The tangent is kept,
  /// also from call to call, while it converges well. @return whether it converged.
  bool settle(TargetProblem& problem, int most_iterations);

  /// Of the state that the last call ended in.
  const Eigen::VectorXd& rows() const { return rows_; }
  bool reached() const { return within(rows_); }
  int iterations() const { return iterations_; }  ///< of all calls
  void count_anew() { iterations_ = 0; }
  /// Whether it has the tangent of a solution, so that `settle` may start from nearby.
  bool remembers() const { return has_curvature_; }
  void forget();

 private:
  bool begin(TargetProblem& problem);
  void linearize(TargetProblem& problem);
  void refresh_curvature(TargetProblem& problem);
  /// x and multipliers of: least x (curvature + damping) x / 2 + gradient x + |r + J x|^2 / (2 softness), in bounds.
  void find_step(bool with_energy, double damping, double softness);
  void solve_working_set(bool with_energy, double damping, double softness);
  bool change_working_set(bool with_energy, double damping);
  /// Shortens what is too long to be believed. @return the part that is left.
  double believed() const;
  bool look_along(TargetProblem& problem, double part);
  bool within(const Eigen::VectorXd& rows) const;
  /// Half the squares of the soft rows, and of the hard ones by their weight.
  double misfit(const Eigen::VectorXd& rows) const;

  int n_, soft_, hard_, m_;
  Eigen::VectorXd unit_, tolerance_;
  Eigen::VectorXd rows_, trial_rows_, step_, gradient_, multipliers_, next_multipliers_, x_, along_;
  Eigen::VectorXd lower_, upper_, bent_, right_, solution_;
  Eigen::MatrixXd jacobian_, curvature_, matrix_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::VectorXd metric_;  // of steps in `reach`
  Eigen::VectorXi held_;    // -1: at the lower bound, 1: at the upper one
  double energy_unit_ = 0.0;
  double hard_weight_ = 1.0;
  int iterations_ = 0;
  bool has_curvature_ = false;
};

}  // namespace cuttle
