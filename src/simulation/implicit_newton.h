#pragma once

#include <Eigen/LU>
#include <string>
#include <vector>

#include "cuttle/simulation/implicit_system.h"
#include "simulation/implicit_scheme.h"
#include "simulation/step_coordinates.h"

namespace cuttle {

/// Solves the equations of one implicit step for x and the multipliers: Newton's method with the analytic tangent,
/// which is kept as long as it converges well, and a line search by the norm of the correction that the present tangent
/// gives (the natural level function: it does not depend on the units of forces).
class ImplicitNewton {
 public:
  ImplicitNewton(ImplicitSystem& system, IntegratorStatistics& statistics);

  struct Iteration {
    double residual = 0.0;    ///< largest entry of the equations [N m or N]
    double correction = 0.0;  ///< largest entry of the correction of x
    double damping = 1.0;     ///< part of it that was taken
    int worst = 0;            ///< coordinate of the largest residual
  };

  /// @param time     at which forces are taken.   @param q0  configuration at the step's start.
  /// @param x, lambda  first guess, then the solution. Multipliers are scaled as the equations are.
  /// @return false if it does not converge; `iterations` and `trouble` say how.
  bool solve(double time, const VectorXd& q0, const StepMap& map, const VectorXd& extra, VectorXd& x, VectorXd& lambda);

  /// The motion at the solution, where the equation of motion holds.
  const VectorXd& q() const { return q_; }
  const VectorXd& v() const { return v_; }
  const VectorXd& a() const { return a_; }
  const VectorXd& w() const { return w_; }
  const VectorXd& w_rate() const { return w_rate_; }
  const VectorXd& extra_rate() const { return extra_rate_; }

  /// The tangent of other steps no longer serves.
  void forget_tangent() { has_tangent_ = false; }
  const std::vector<Iteration>& iterations() const { return iterations_; }
  const std::string& trouble() const { return trouble_; }

  const StepCoordinates& coordinates() const { return coordinates_; }

 private:
  /// Equations at (x, lambda) into equations_. @return false where they do not exist; trouble_ says why.
  bool evaluate(double time, const VectorXd& q0, const StepMap& map, const VectorXd& extra, const VectorXd& x,
                const VectorXd& lambda);
  void factor(double time, const VectorXd& q0, const StepMap& map, const VectorXd& extra, const VectorXd& x,
              const VectorXd& lambda);
  Iteration measure(double damping) const;

  ImplicitSystem& system_;
  IntegratorStatistics& statistics_;
  StepCoordinates coordinates_;
  int nv_, m_;
  VectorXd q_, v_, a_, w_, w_rate_, scaled_, extra_rate_;
  VectorXd q_end_;  // at the whole of x, where constraints hold
  VectorXd equations_, scaled_equations_, correction_, next_, trial_x_, trial_lambda_;
  MatrixXd matrix_, by_q_;
  Eigen::PartialPivLU<MatrixXd> lu_;
  bool has_tangent_ = false;
  double tangent_second_ = 0.0;
  std::vector<Iteration> iterations_;
  std::string trouble_;
};

}  // namespace cuttle
