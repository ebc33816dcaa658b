#pragma once

#include <Eigen/Eigenvalues>
#include <vector>

#include "cuttle/model/model.h"

namespace cuttle {

/// Directions of inputs that make no force: those of `x^T G x = 0`, G = B^T M^-1 B, each input in units of
/// 1/sqrt(G_jj). Of all inputs that make its force a law takes the least: those without a part in them.
class InputNullSpace {
 public:
  /// Eigenvalue of G, scaled to a diagonal of ones, that counts as none.
  static constexpr double k_none = 1e-12;

  /// @param G     symmetric, of all inputs.
  /// @param free  whether an input is free; those with G_jj = 0 are not.
  /// @return whether there is such a direction.
  bool find(const MatrixXd& G, const std::vector<char>& free);

  /// Inputs that are free, and their units 1/sqrt(G_jj).
  const std::vector<int>& free() const { return free_; }
  const VectorXd& units() const { return units_; }
  /// Orthonormal columns, of free inputs in their units.
  auto directions() const { return eigen_.eigenvectors().leftCols(count_); }
  /// Those of all inputs that make forces, likewise.
  auto others() const { return eigen_.eigenvectors().rightCols(units_.size() - count_); }
  /// From y of free inputs without a part in the directions to the t without one and with scaled G t = y.
  VectorXd divide(const VectorXd& y) const;

  /// Takes their part out of the x of all inputs. @param nearest  from where x is measured.
  void leave_out(const VectorXd& nearest, VectorXd& x) const;

 private:
  std::vector<int> free_;
  VectorXd units_;
  MatrixXd scaled_;
  Eigen::SelfAdjointEigenSolver<MatrixXd> eigen_;
  Eigen::Index count_ = 0;
};

}  // namespace cuttle
