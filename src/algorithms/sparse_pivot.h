#pragma once

#include <memory>
#include <optional>
#include <vector>

// before Eigen's sparse headers: clang 14 gives functions other symbols in a group of sources that begins with these
#include "cuttle/algorithms/kinematics.h"
//
#include <Eigen/SparseCore>

#include "bodies/sparse_tangent.h"

namespace cuttle {

/// The square block of a body's own coordinates in a tangent, as a sparse matrix, with its LU factors: nodes in METIS'
/// order, pivots near the diagonal. The order is found once, with the first factor.
class SparsePivot {
 public:
  explicit SparsePivot(const NodePairs& pairs);
  ~SparsePivot();
  SparsePivot(const SparsePivot&) = delete;
  SparsePivot& operator=(const SparsePivot&) = delete;

  const NodePairs& pairs() const { return pairs_; }
  /// At the places of `pairs`: the body's own, and that with what hangs at its ports, of which the factors are.
  double* own() { return own_.valuePtr(); }
  double* whole() { return whole_.valuePtr(); }
  std::ptrdiff_t entries() const { return own_.nonZeros(); }
  const Eigen::SparseMatrix<double>& own_matrix() const { return own_; }
  const Eigen::SparseMatrix<double>& whole_matrix() const { return whole_; }

  /// Factors `whole`. Of a singular matrix solutions are not numbers.
  void factor();
  /// x = whole^-1 x, and by the transposed. One thread at a time.
  void solve(Eigen::Ref<Eigen::MatrixXd> x) const;
  void solve_transposed(Eigen::Ref<Eigen::MatrixXd> x) const;
  /// Row and column of a coordinate of `own` become those of 1.
  void pin(int coordinate);
  void add_to_diagonal(const Eigen::VectorXd& numbers) { own_.diagonal() += numbers; }
  /// How many eigenvalues of the symmetric part of `whole` are negative, after `factor`: as many pivots of its L D L^T
  /// are. Nothing: there is no such factor.
  std::optional<int> negative_eigenvalues() const;

 private:
  struct Factors;
  NodePairs pairs_;
  Eigen::SparseMatrix<double> own_, whole_;
  std::unique_ptr<Factors> factors_;
};

}  // namespace cuttle
