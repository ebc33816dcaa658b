#pragma once

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <vector>

namespace cuttle {

/// Factor P A P^T = L D L^T of a sparse, symmetric, positive definite matrix, with solves that allocate nothing.
template <typename F>
class MassFactorT {
 public:
  explicit MassFactorT(const Eigen::SparseMatrix<F>& matrix) {
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<F>> factor(matrix);
    const Eigen::SparseMatrix<F> lower = factor.matrixL();
    const auto& labels = factor.permutationPinv().indices();  // of what stands at each place
    start_.push_back(0);
    for (Eigen::Index k = 0; k < lower.cols(); ++k) {
      pivot_.push_back(labels[k]);
      inverse_.push_back(F(1.0) / factor.vectorD()[k]);
      for (typename Eigen::SparseMatrix<F>::InnerIterator entry(lower, k); entry; ++entry) {
        if (entry.row() == k) continue;
        row_.push_back(labels[entry.row()]);
        value_.push_back(entry.value());
      }
      start_.push_back(row_.size());
    }
  }
  std::size_t entries() const { return value_.size(); }

  /// x = A^-1 x for a matrix x by rows of so many columns.
  template <typename S>
  void solve(S* x, std::size_t columns) const {
    for (std::size_t k = 0; k < pivot_.size(); ++k) {
      const S* from = x + pivot_[k] * columns;
      for (std::size_t i = start_[k]; i < start_[k + 1]; ++i) {
        S* to = x + row_[i] * columns;
        for (std::size_t c = 0; c < columns; ++c) to[c] -= value_[i] * from[c];
      }
    }
    for (std::size_t k = pivot_.size(); k-- > 0;) {
      S* to = x + pivot_[k] * columns;
      for (std::size_t c = 0; c < columns; ++c) to[c] = inverse_[k] * to[c];
      for (std::size_t i = start_[k]; i < start_[k + 1]; ++i) {
        const S* from = x + row_[i] * columns;
        for (std::size_t c = 0; c < columns; ++c) to[c] -= value_[i] * from[c];
      }
    }
  }

 private:
  std::vector<std::size_t> pivot_, row_, start_;
  std::vector<F> inverse_, value_;
};

}  // namespace cuttle
