#include "algorithms/tree_stability.h"

#include <Spectra/SymEigsSolver.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cuttle {
namespace {

constexpr double k_symmetric_product = 1e-12;  // of products with a matrix and its transposed, as `modes` has it
constexpr int k_probes = 4;
constexpr int k_subspace = 24, k_most_restarts = 300;
constexpr double k_converged = 1e-10;  // relative error of an eigenvalue
constexpr int k_most_negative = 20;

/// What Spectra is to see: the inverse on the motions that the rows allow, 0 on the others.
class InverseOnMotions {
 public:
  using Scalar = double;
  InverseOnMotions(const BorderedTangent& tangent, int size) : tangent_(tangent), size_(size) {}
  Eigen::Index rows() const { return size_; }
  Eigen::Index cols() const { return size_; }
  void perform_op(const double* x, double* y) const {
    right_.setZero(size_ + tangent_.row_count());
    right_.head(size_) = Eigen::Map<const VectorXd>(x, size_);
    tangent_.solve(right_, result_);
    Eigen::Map<VectorXd>(y, size_) = result_.head(size_);
  }

 private:
  const BorderedTangent& tangent_;
  int size_;
  mutable VectorXd right_, result_;
};

}  // namespace

VectorXd trial_vector(int size, int number) {
  VectorXd x(size);
  for (int i = 0; i < size; ++i) x[i] = std::sin(1.0 + 7.0 * number + 12.9898 * i + 0.37 * number * i);
  return x;
}

TreeSymmetry symmetry_of(const TreeTangent& tangent, int size) {
  TreeSymmetry result{0.0, true};
  VectorXd forth, back;
  for (int i = 0; i < k_probes; ++i) {
    const VectorXd x = trial_vector(size, i);
    tangent.multiply(x, forth);
    tangent.multiply_transposed(x, back);
    result.size = std::max(result.size, forth.norm() / x.norm());
    if (!((forth - back).norm() <= k_symmetric_product * (forth.norm() + back.norm()))) result.symmetric = false;
  }
  return result;
}

std::optional<double> smallest_on_motions(const BorderedTangent& tangent, const std::vector<char>& held, int size,
                                          int negative) {
  if (negative > k_most_negative) return std::nullopt;
  InverseOnMotions inverse(tangent, size);
  VectorXd solved(size);
  inverse.perform_op(trial_vector(size, 1).data(), solved.data());
  if (!solved.allFinite()) return std::nullopt;  // something moves without stiffness
  // of the inverse the lowest negative one is the least below zero: all of these are looked for
  const int wanted = std::min(size - 1, negative + 1), subspace = std::min(size, std::max(k_subspace, 2 * wanted + 20));
  Spectra::SymEigsSolver<InverseOnMotions> solver(inverse, wanted, subspace);
  VectorXd start = trial_vector(size, 0);
  // what is pinned has an eigenvalue of its own, and no part in the others
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (held[i] != 0) start[static_cast<Eigen::Index>(i)] = 0.0;
  }
  if (start.isZero(0.0)) return std::numeric_limits<double>::infinity();  // nothing moves
  solver.init(start.data());
  solver.compute(negative > 0 ? Spectra::SortRule::SmallestAlge : Spectra::SortRule::LargestAlge, k_most_restarts,
                 k_converged);
  if (solver.info() != Spectra::CompInfo::Successful) return std::nullopt;
  const VectorXd values = solver.eigenvalues();
  if (negative == 0) return values[0] > 0.0 ? std::optional(1.0 / values[0]) : std::nullopt;
  if ((values.array() < 0.0).count() != negative) return std::nullopt;
  double nearest = values.minCoeff();  // to 0, of those below
  for (const double value : values) {
    if (value < 0.0) nearest = std::max(nearest, value);
  }
  return 1.0 / nearest;
}

std::vector<VectorXd> flattest_directions(const BorderedTangent& tangent, int size, int count) {
  InverseOnMotions inverse(tangent, size);
  const int wanted = std::min(size - 1, count), subspace = std::min(size, std::max(k_subspace, 2 * wanted + 20));
  Spectra::SymEigsSolver<InverseOnMotions> solver(inverse, wanted, subspace);
  const VectorXd start = trial_vector(size, 0);
  solver.init(start.data());
  solver.compute(Spectra::SortRule::LargestMagn, k_most_restarts, k_converged, Spectra::SortRule::LargestMagn);
  std::vector<VectorXd> found;
  if (solver.info() != Spectra::CompInfo::Successful) return found;
  const MatrixXd vectors = solver.eigenvectors();
  found.reserve(static_cast<std::size_t>(wanted));
  for (Eigen::Index k = 0; k < vectors.cols(); ++k) found.emplace_back(vectors.col(k));
  return found;
}

}  // namespace cuttle
