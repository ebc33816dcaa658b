#pragma once

#include <Eigen/QR>
#include <functional>
#include <vector>

#include "algorithms/static_problem.h"

namespace cuttle {

/// How an equilibrium answers to small forces: the tangent of the balance of forces and of the kept rows of the loops,
/// factored. It is a matrix, or follows the tree where that costs less and where a body has too many coordinates for
/// matrices.
class RestTangent {
 public:
  /// @param data  to choose rows of loops with.
  /// @param equilibrium  that static_equilibrium found for these loads.
  /// @throws ArgumentError for bodies of too many coordinates whose tangents do not follow the tree.
  RestTangent(const Model& model, Data& data, const StaticLoads& loads, const StaticEquilibrium& equilibrium);

  /// Coordinates, and behind them the rows of loops that are kept.
  int size() const { return nv_ + problem_.kept(); }
  const std::vector<int>& kept_rows() const { return problem_.kept_rows(); }
  /// Something moves freely, to rounding. Matrices then have the shortest solutions, the tree has none that count.
  bool is_singular() const { return singular_; }
  bool follows_tree() const { return tree_ != nullptr; }

  /// tangent result = right, a column each.
  MatrixXd solve(const MatrixXd& right) const;
  /// tangent^T result = right.
  MatrixXd solve_transposed(const MatrixXd& right) const;
  /// How forces follow the inputs, nv x nu.
  const MatrixXd& input_forces() { return problem_.input_forces(); }

 private:
  int nv_;
  StaticProblem problem_;
  BorderedTangent* tree_ = nullptr;  ///< of the problem; null: matrix_
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> matrix_;
  bool singular_ = false;
};

/// Largest sum of the sizes of a column of a linear map: an estimate, seldom below a third of it (N. J. Higham, ACM
/// Trans. Math. Softw. 14, 1988). Infinite where the map gives no numbers.
/// @param apply, apply_transposed  result of the map and of its transposed.
double column_sum_estimate(int size, const std::function<void(const VectorXd&, VectorXd&)>& apply,
                           const std::function<void(const VectorXd&, VectorXd&)>& apply_transposed);

}  // namespace cuttle
