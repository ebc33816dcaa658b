#pragma once

#include <vector>

#include "control/input_null_space.h"

namespace cuttle {

/// Least squares with bounds: the x in [lower, upper] with the least `1/2 x^T G x - w^T x`, G symmetric and positive
/// semidefinite. For G = A^T M^-1 A and w = A^T M^-1 nu that is the least |A x - nu| in the norm of M^-1, and A x = nu
/// if some x within the bounds gives that. Among several x the one nearest to zero, each component by 1/sqrt(G_ii).
///
/// A primal active-set method. Where G is singular: proximal steps, whose regularization has no part in the residual.
class Allocation {
 public:
  /// Least pivot of G, scaled to a diagonal of ones, that counts as definite: an angle of 3e-5 rad between inputs,
  /// squared. What reaches into directions of less is lost in rounding.
  static constexpr double k_least_pivot = 1e-9;

  explicit Allocation(int size);

  /// @throws SimulationError if it does not end, which is a mistake.
  void solve(const MatrixXd& G, const VectorXd& w, const VectorXd& lower, const VectorXd& upper, VectorXd& x);
  /// After `solve`: whether no bound holds x[i].
  bool is_free(int i) const { return place_[static_cast<std::size_t>(i)] == Place::free; }
  /// After `solve`: whether x may be one of several, and the place that it is nearest to: zero, or the bound beside it.
  bool may_be_ambiguous() const { return regularization_ > 0.0; }
  const VectorXd& nearest() const { return nearest_; }
  std::vector<char> free() const;
  /// After `solve`: how x follows w. Columns of dw become those of dx; rows of components that a bound holds become
  /// zero.
  void solve_free(MatrixXd& dw);

 private:
  enum class Place : char { free, lower, upper };
  void minimize(const VectorXd& start);
  void take_nearest();
  double largest_term(const VectorXd& z) const;
  /// Cholesky factor of the rows and columns that are free, scaled. @return least pivot, squared.
  double factor_free(double regularization);
  void solve_factored(VectorXd& x) const;

  int size_;
  double regularization_ = 0.0;
  MatrixXd G_, L_;  ///< scaled to a diagonal of ones; factor
  VectorXd scale_, w_, wanted_, lower_, upper_, z_, before_, gradient_, step_, nearest_;
  std::vector<Place> place_;
  std::vector<int> free_;
  InputNullSpace null_space_;
};

}  // namespace cuttle
