#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <type_traits>

#include "cuttle/spatial/dual_eigen.h"
#include "cuttle/spatial/scalars.h"

namespace cuttle {

/// The lower half of sum += A B^T. Gradients of numbers that hold no derivatives, as those of a mesh, cost little more
/// than numbers.
template <typename Sum, typename Matrix>
void add_lower_product(Eigen::MatrixBase<Sum>& sum, const Matrix& A, const Matrix& B) {
  using S = typename Matrix::Scalar;
  if constexpr (std::is_same_v<S, ForwardDual>) {
    const auto is_constant = [](const Matrix& M) {
      return std::all_of(M.data(), M.data() + M.size(), [](const ForwardDual& a) {
        return std::all_of(std::begin(a.derivative), std::end(a.derivative), [](double d) { return d == 0.0; });
      });
    };
    if (is_constant(A) && is_constant(B)) {
      const auto value = [](const ForwardDual& a) { return a.value; };
      const Eigen::MatrixXd a = A.unaryExpr(value), b = B.unaryExpr(value);
      Eigen::MatrixXd part(a.rows(), b.rows());
      part.template triangularView<Eigen::Lower>() = a * b.transpose();
      for (Eigen::Index j = 0; j < part.cols(); ++j) {
        for (Eigen::Index i = j; i < part.rows(); ++i) sum(i, j) += ForwardDual(part(i, j));
      }
      return;
    }
  }
  sum.template triangularView<Eigen::Lower>() += A * B.transpose();
}

}  // namespace cuttle
