#pragma once

#include <Eigen/LU>
#include <vector>

#include "cuttle/model/model.h"

namespace cuttle {

/// The x in [lower, upper] whose (H x - w)_i is zero where no bound holds x_i, not below zero where the lower one does,
/// and not above zero where the upper one does. H need not be symmetric; if its principal minors are positive, there is
/// one such x. For H = A^T M^-1 A it is that of `Allocation`.
///
/// Pivots of least index (Murty 1974).
class Complementarity {
 public:
  explicit Complementarity(int size);

  /// Entries without a diagonal of H stay zero.
  /// @throws SimulationError if it does not end: H is far from such a matrix.
  void solve(const MatrixXd& H, const VectorXd& w, const VectorXd& lower, const VectorXd& upper, VectorXd& x);
  /// After `solve`: whether no bound holds x[i].
  bool is_free(int i) const { return place_[static_cast<std::size_t>(i)] == Place::free; }
  /// After `solve`: from rows of dw, and of dx where a bound holds x, to those of dx.
  void solve_free(MatrixXd& rows);

 private:
  enum class Place : char { free, lower, upper };
  int size_;
  MatrixXd equations_;  ///< rows of H, and of the identity where a bound holds x
  VectorXd right_;
  Eigen::PartialPivLU<MatrixXd> factor_;
  std::vector<Place> place_;
};

}  // namespace cuttle
