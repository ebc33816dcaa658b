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
constexpr double k_growth_step = 8.0;    // between rates that are tried for a bracket
constexpr double k_same_growth = 1e-10;  // relative
constexpr int k_most_brackets = 24, k_most_rates = 80, k_inverse_iterations = 3;

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
  const int wanted = std::min(size - 1, std::max(negative, 1)),
            subspace = std::min(size, std::max(k_subspace, 2 * wanted + 20));
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

namespace {

/// The search of growth_on_motions.
class GrowthSearch {
 public:
  GrowthSearch(BorderedTangent& tangent, const std::vector<char>& held, int size,
               const std::function<void(double, double, double)>& form, const std::function<void()>& factor)
      : tangent_(tangent), form_(form), factor_(factor), start_(trial_vector(size, 0)), size_(size) {
    for (std::size_t i = 0; i < held.size(); ++i) {
      if (held[i] != 0) start_[static_cast<Eigen::Index>(i)] = 0.0;
    }
  }

  std::optional<double> find() {
    if (!bracket()) return std::nullopt;
    double step = k_same_growth;  // beside the lower end: where the count is to be 0
    direction_ = start_;
    turn_to_smallest(k_inverse_iterations);
    for (int i = 0; i < k_most_rates && high_ - low_ > k_same_growth * high_; ++i) {
      const double quotient = rayleigh_quotient();
      if (quotient > low_ && quotient < high_) {
        low_ = quotient, step = k_same_growth;
      } else {
        step *= k_growth_step;
      }
      const double tried = std::min(low_ * (1.0 + step), 0.5 * (low_ + high_));
      const std::optional<int> above = count_above(tried);
      if (!above) return std::nullopt;
      (*above > 0 ? low_ : high_) = tried;
      turn_to_smallest(1);
    }
    return high_ - low_ <= k_same_growth * high_ ? std::optional(low_) : std::nullopt;
  }

 private:
  /// How many growth rates lie above a rate; leaves the matrix there factored.
  std::optional<int> count_above(double rate) {
    form_(1.0, rate, rate * rate);
    factor_();
    return tangent_.negative_eigenvalues();
  }
  /// [low, high) gets the largest rate.
  bool bracket() {
    form_(1.0, 0.0, 0.0);
    const double stiffness = symmetry_of(tangent_.tree(), size_).size;
    form_(0.0, 0.0, 1.0);
    const double mass = symmetry_of(tangent_.tree(), size_).size;
    if (!(mass > 0.0) || !(stiffness > 0.0)) return false;
    double rate = std::sqrt(stiffness / mass);
    std::optional<int> above = count_above(rate);
    const bool is_low = above.value_or(0) > 0;
    for (int i = 0; i < k_most_brackets && above; ++i) {
      (*above > 0 ? low_ : high_) = rate;
      if ((*above > 0) != is_low) {
        if (is_low) return true;
        return count_above(high_).has_value();
      }
      rate *= is_low ? k_growth_step : 1.0 / k_growth_step;
      above = count_above(rate);
    }
    return false;
  }
  /// Inverse iteration with what is factored.
  void turn_to_smallest(int times) {
    for (int i = 0; i < times; ++i) {
      right_.setZero(size_ + tangent_.row_count());
      right_.head(size_) = direction_;
      tangent_.solve(right_, solved_);
      const double norm = solved_.head(size_).norm();
      if (!std::isfinite(norm) || norm == 0.0) return;  // singular there: the direction is as good as it can be
      direction_ = solved_.head(size_) / norm;
    }
  }
  double along(double by_q, double by_v, double by_a) {
    form_(by_q, by_v, by_a);
    tangent_.tree().multiply(direction_, product_);
    return direction_.dot(product_);
  }
  /// Of K + s D + s^2 M: the larger s at which it is 0 along the direction; 0 where there is none.
  double rayleigh_quotient() {
    const double k = along(1.0, 0.0, 0.0), d = along(0.0, 1.0, 0.0), m = along(0.0, 0.0, 1.0);
    if (!(k < 0.0) || !(m > 0.0)) return 0.0;
    const double root = std::sqrt(d * d - 4.0 * m * k);
    return d > 0.0 ? -2.0 * k / (d + root) : (root - d) / (2.0 * m);
  }

  BorderedTangent& tangent_;
  const std::function<void(double, double, double)>& form_;
  const std::function<void()>& factor_;
  VectorXd start_, direction_, right_, solved_, product_;
  int size_;
  double low_ = 0.0, high_ = 0.0;
};

}  // namespace

std::optional<double> growth_on_motions(BorderedTangent& tangent, const std::vector<char>& held, int size,
                                        const std::function<void(double, double, double)>& form,
                                        const std::function<void()>& factor) {
  return GrowthSearch(tangent, held, size, form, factor).find();
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
