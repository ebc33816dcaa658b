#pragma once

#include <Eigen/LU>
#include <optional>

#include "algorithms/tree_tangent.h"
#include "cuttle/simulation/implicit_system.h"
#include "simulation/implicit_scheme.h"

namespace cuttle {

/// The derivatives of the equations of motion at an instant, as matrices or along the tree: for reverse mode.
class EquationSlopes {
 public:
  /// Along the tree where that costs less.
  explicit EquationSlopes(ImplicitSystem& system);

  void take(double time, const VectorXd& q, const VectorXd& v, const VectorXd& a, const AuxiliaryStates& auxiliary,
            const VectorXd& lambda);

  /// The matrix of a step's unknowns, with rows that close loops; for `solve_transposed`. Row and column of a driven
  /// coordinate are those of 1.
  /// @param x, w_rate, q, v, map  as StepCoordinates::chain has them.
  /// @param columns, rows  nv x m, m x nv: of multipliers, and of what closes the loops.
  void form_step(const VectorXd& x, const VectorXd& w_rate, const VectorXd& q, const VectorXd& v, const StepMap& map,
                 const MatrixXd& columns, const MatrixXd& rows);
  /// The same of accelerations alone.
  void form_masses(const MatrixXd& columns, const MatrixXd& rows);
  /// From a gradient by the unknowns to what they are worth to the equations, in its place.
  void solve_transposed(VectorXd& gradient);

  /// What equations that are worth that much are worth to q, v and a, each 1 x nv. After solve_transposed.
  void worth_of_motion(const VectorXd& worth, MatrixXd& by_q, MatrixXd& by_v, MatrixXd& by_a);

 private:
  void form_along(const MatrixXd& columns, const MatrixXd& rows);
  void factor_matrix(const MatrixXd& columns, const MatrixXd& rows);

  ImplicitSystem& system_;
  StepCoordinates coordinates_;
  StepDirections directions_;
  std::optional<BorderedTangent> tree_;  ///< none: matrices
  TreeDerivatives* along_ = nullptr;
  const DerivativeData* matrices_ = nullptr;
  MatrixXd matrix_;
  Eigen::PartialPivLU<MatrixXd> lu_;
};

}  // namespace cuttle
