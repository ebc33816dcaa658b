#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/newton_solver.h"
#include "algorithms/step_coordinates.h"
#include "algorithms/tree_tangent.h"
#include "cuttle/simulation/implicit_system.h"
#include "simulation/implicit_scheme.h"

namespace cuttle {

/// The equations of one implicit step, [B] (16), in the step's displacement x and the multipliers. Rows and multipliers
/// are divided by the factor of the inertia, so that the matrix is that of an index-1 problem (Bottasso et al. 2008).
/// Driven coordinates are where they are to be, whatever x says: their equations are x = 0, and what their rows have
/// left is the effort of the drive.
class ImplicitStep final : public NewtonProblem {
 public:
  explicit ImplicitStep(ImplicitSystem& system, IntegratorStatistics& statistics);
  /// The system holds other constraints from now on.
  void follow_constraints();

  /// @param time  at which forces are taken.   @param end  of the step.
  /// @param q0  configuration at the step's start.
  /// @param auxiliary, factor, stiff_factor  of AuxiliaryStates.
  void begin(double time, double end, const VectorXd& q0, const VectorXd& auxiliary, double factor,
             double stiff_factor);
  StepMap map;
  bool keeps_inertia = false;  ///< of tangents that are made from now on

  /// Whether tangents are made along the tree from now on, which takes a system that follows it, or as matrices.
  void follow_tree(bool follow);
  bool follows_tree() const { return tree_.has_value(); }

  bool equations(const VectorXd& z, VectorXd& result, std::string& trouble) override;
  const TangentSolver* factored(const VectorXd& z) override;
  void tangent(const VectorXd& z, MatrixXd& result) override;

  /// Where it follows the tree: M result = force at a motion, with the rows of the constraints and their multipliers.
  /// Driven coordinates stay 0.
  /// @param force  nv + m.   @return whether the matrix is no nearer to singular than that.
  bool solve_masses(double time, const VectorXd& q, const VectorXd& v, const VectorXd& a, const VectorXd& auxiliary,
                    const VectorXd& force, VectorXd& result);

  /// What the last `solve_masses` has factored.
  const TangentSolver& masses() const { return *tree_inertia_; }

  int unknowns() const { return nv_ + m_; }
  /// result = inertia x, with the inertia in the last tangent: its part by the second derivative of x; with
  /// keeps_inertia.
  void times_inertia(const VectorXd& x, VectorXd& result) const;
  /// Of the last `tangent`: valid until the system is asked again.
  const DerivativeData& derivatives() const { return *derivatives_; }
  /// System::touching when the tangent was last made.
  unsigned long tangent_touching() const { return tangent_touching_; }
  /// map.second when the tangent was last made.
  double tangent_second() const { return tangent_second_; }
  // where the equation of motion was last taken
  const VectorXd& q() const { return q_; }
  const VectorXd& v() const { return v_; }
  const VectorXd& a() const { return a_; }
  const VectorXd& w() const { return w_; }
  const VectorXd& w_rate() const { return w_rate_; }
  const VectorXd& auxiliary() const { return auxiliary_; }  ///< offsets, as `begin` was given them
  const VectorXd& auxiliary_rate() const { return auxiliary_rate_; }
  const StepCoordinates& coordinates() const { return coordinates_; }

 private:
  /// Whether constraints hold elsewhere than the equation of motion.
  bool constraints_apart() const { return map.scale != 1.0; }

  ImplicitSystem& system_;
  IntegratorStatistics& statistics_;
  StepCoordinates coordinates_;
  /// Takes the driven coordinates out of a matrix of equations: nothing depends on their unknowns.
  void pin_driven(MatrixXd& matrix) const;
  void pin_driven(BorderedTangent& matrix) const;
  /// How the constraints change with x, m x nv.
  MatrixXd rows_by_unknowns();

  std::vector<int> driven_;
  int nv_, m_;
  double time_ = 0.0, end_ = 0.0, factor_ = 0.0, stiff_factor_ = 0.0, tangent_second_ = 0.0;
  unsigned long tangent_touching_ = 0;
  VectorXd q0_, auxiliary_;
  MatrixXd inertia_;
  const DerivativeData* derivatives_ = nullptr;
  std::optional<BorderedTangent> tree_, tree_inertia_;
  StepDirections directions_;
  VectorXd x_, scaled_, q_, v_, a_, w_, w_rate_, auxiliary_rate_, q_end_, lambda_, effort_, trash_;
};

}  // namespace cuttle
