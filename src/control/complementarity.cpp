#include "control/complementarity.h"

#include <algorithm>

#include "cuttle/error.h"

namespace cuttle {
namespace {

constexpr double k_none = 1e-11;  // of a row of H x - w, beside its largest term

}  // namespace

Complementarity::Complementarity(int size)
    : size_(size), equations_(size, size), right_(size), factor_(size), place_(static_cast<std::size_t>(size)) {}

void Complementarity::solve(const MatrixXd& H, const VectorXd& w, const VectorXd& lower, const VectorXd& upper,
                            VectorXd& x) {
  std::fill(place_.begin(), place_.end(), Place::free);
  for (int change = 0; change < 100 + 50 * size_; ++change) {
    for (int i = 0; i < size_; ++i) {
      const Place place = place_[static_cast<std::size_t>(i)];
      if (place == Place::free && H(i, i) != 0.0) {
        equations_.row(i) = H.row(i), right_[i] = w[i];
      } else {
        equations_.row(i).setZero(), equations_(i, i) = 1.0;
        right_[i] = place == Place::lower ? lower[i] : place == Place::upper ? upper[i] : 0.0;
      }
    }
    factor_.compute(equations_);
    x.noalias() = factor_.solve(right_);
    const auto other = [&](int i) {
      const Place place = place_[static_cast<std::size_t>(i)];
      if (place == Place::free) return x[i] < lower[i] ? Place::lower : x[i] > upper[i] ? Place::upper : Place::free;
      x[i] = right_[i];  // without rounding
      double beyond = -w[i], most = std::abs(w[i]);
      for (int j = 0; j < size_; ++j) {
        const double term = H(i, j) * x[j];
        beyond += term, most = std::max(most, std::abs(term));
      }
      const bool holds = place == Place::lower ? beyond >= -k_none * most : beyond <= k_none * most;
      return holds || !(lower[i] < upper[i]) ? place : Place::free;
    };
    int first = 0;
    while (first < size_ && other(first) == place_[static_cast<std::size_t>(first)]) ++first;
    if (first == size_) return;
    place_[static_cast<std::size_t>(first)] = other(first);
  }
  throw SimulationError("accelerations by inputs within their bounds: none were found");
}

void Complementarity::solve_free(MatrixXd& rows) {
  for (Eigen::Index column = 0; column < rows.cols(); ++column) {
    right_ = rows.col(column);
    rows.col(column).noalias() = factor_.solve(right_);
  }
}

}  // namespace cuttle
