#include "control/allocation.h"

#include <algorithm>
#include <cmath>

#include "cuttle/error.h"

namespace cuttle {
namespace {

// Each proximal step leaves regularization / (pivot + regularization) of what was missing: a tenth at the least pivot.
constexpr double k_relative_regularization = 0.1 * Allocation::k_least_pivot;
constexpr int k_proximal_steps = 16;
constexpr double k_settled = 1e-13;  // missing force, beside the largest term of G z - w
constexpr double k_optimal = 1e-11;  // slope that is none, beside the largest term of G z - w

constexpr double k_held = 1e-8;        // slope that holds an input at its bound, likewise
constexpr int k_most_steps = 60;       // of Newton's method
constexpr double k_least_part = 1e-6;  // of such a step

}  // namespace

Allocation::Allocation(int size)
    : size_(size), G_(size, size), L_(size, size), place_(static_cast<std::size_t>(size), Place::free) {
  for (VectorXd* x : {&scale_, &w_, &wanted_, &lower_, &upper_, &z_, &before_, &gradient_, &step_, &nearest_})
    x->setZero(size);
  free_.reserve(static_cast<std::size_t>(size));
}

double Allocation::factor_free(double regularization) {
  free_.clear();
  for (int i = 0; i < size_; ++i) {
    if (is_free(i)) free_.push_back(i);
  }
  const int n = static_cast<int>(free_.size());
  double least = 1.0;
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) {
      double sum = G_(free_[i], free_[j]) + (i == j ? regularization : 0.0);
      for (int k = 0; k < j; ++k) sum -= L_(i, k) * L_(j, k);
      if (i == j) {
        least = std::min(least, sum);
        L_(j, j) = std::sqrt(std::max(sum, 0.5 * k_relative_regularization * k_relative_regularization));
      } else {
        L_(i, j) = sum / L_(j, j);
      }
    }
  }
  return least;
}

void Allocation::solve_factored(VectorXd& x) const {
  const int n = static_cast<int>(free_.size());
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) x[i] -= L_(i, k) * x[k];
    x[i] /= L_(i, i);
  }
  for (int i = n; i-- > 0;) {
    for (int k = i + 1; k < n; ++k) x[i] -= L_(k, i) * x[k];
    x[i] /= L_(i, i);
  }
}

void Allocation::solve(const MatrixXd& G, const VectorXd& w, const VectorXd& lower, const VectorXd& upper,
                       VectorXd& x) {
  for (int i = 0; i < size_; ++i) scale_[i] = G(i, i) > 0.0 ? 1.0 / std::sqrt(G(i, i)) : 0.0;
  for (int i = 0; i < size_; ++i) {
    for (int j = 0; j < size_; ++j) G_(i, j) = scale_[i] * G(i, j) * scale_[j];
    const bool idle = scale_[i] == 0.0;  // it does nothing here: it stays where it costs least
    if (idle) G_(i, i) = 1.0;
    const double unit = idle ? 1.0 : scale_[i];
    w_[i] = idle ? 0.0 : scale_[i] * w[i];
    lower_[i] = lower[i] / unit, upper_[i] = upper[i] / unit;
    scale_[i] = unit;
  }
  std::fill(place_.begin(), place_.end(), Place::free);
  regularization_ = factor_free(0.0) > k_least_pivot ? 0.0 : k_relative_regularization;
  nearest_ = VectorXd::Zero(size_).cwiseMax(lower_).cwiseMin(upper_);
  before_ = nearest_;
  wanted_ = w_;
  const double settled = k_settled * largest_term(before_);
  double missing = 0.0;  // of G z - w, by the regularization
  for (int k = 0; k < k_proximal_steps && (k == 0 || missing > settled); ++k) {
    w_ = wanted_ + regularization_ * before_;
    minimize(before_);
    missing = size_ > 0 ? regularization_ * (z_ - before_).cwiseAbs().maxCoeff() : 0.0;
    before_ = z_;
  }
  if (may_be_ambiguous()) take_nearest();
  x = scale_.cwiseProduct(z_);
  nearest_.array() *= scale_.array();
  for (int i = 0; i < size_; ++i) {  // exactly on the bound, also when scaled
    if (place_[i] == Place::lower) x[i] = lower[i];
    if (place_[i] == Place::upper) x[i] = upper[i];
  }
}

/// From some best z to the one that is nearest to `nearest_`. Which that is, steps that change the force by no more
/// than their rounding cannot say. With V a basis of what makes forces it is within the bounds nearest_ + V g, clipped:
/// g is the maximum of a concave function, of which Newton's method finds the piece.
void Allocation::take_nearest() {
  gradient_ = G_ * z_ - wanted_;
  const double small = k_held * largest_term(z_);
  std::vector<char> open(place_.size());  // what the force itself holds at a bound stays there
  for (int i = 0; i < size_; ++i) open[static_cast<std::size_t>(i)] = is_free(i) || std::abs(gradient_[i]) <= small;
  if (!null_space_.find(G_, open)) return;
  const auto& inputs = null_space_.free();
  const MatrixXd V = null_space_.others();
  const VectorXd start = nearest_(inputs), lower = lower_(inputs), upper = upper_(inputs), given = z_(inputs);
  VectorXd g = VectorXd::Zero(V.cols()), y, z, missing;
  const auto look = [&](const VectorXd& at) {
    y = start + V * at;
    z = y.cwiseMax(lower).cwiseMin(upper);
    missing = V.transpose() * (given - z);
    return 0.5 * (z - start).squaredNorm() + at.dot(missing);
  };
  double value = look(g);
  const double size = std::max(given.norm(), start.norm());
  for (int step = 0; missing.norm() > k_settled * size; ++step) {
    if (step == k_most_steps) return;  // z_ makes the force
    const double left = missing.norm();
    MatrixXd H = MatrixXd::Identity(V.cols(), V.cols()) * std::min(1.0, left / size);
    for (Eigen::Index i = 0; i < V.rows(); ++i) {
      if (y[i] > lower[i] && y[i] < upper[i]) H += V.row(i).transpose() * V.row(i);
    }
    const VectorXd change = H.ldlt().solve(missing), before = g;
    const double slope = change.dot(missing), from = value;
    for (double part = 1.0; part > k_least_part; part *= 0.5) {
      g = before + part * change;
      value = look(g);
      if (value >= from + 0.1 * part * slope || missing.norm() < 0.5 * left) break;
    }
  }
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    z_[inputs[k]] = z[i];
    place_[static_cast<std::size_t>(inputs[k])] = y[i] <= lower[i]   ? Place::lower
                                                  : y[i] >= upper[i] ? Place::upper
                                                                     : Place::free;
  }
}

std::vector<char> Allocation::free() const {
  std::vector<char> result(place_.size());
  for (int i = 0; i < size_; ++i) result[static_cast<std::size_t>(i)] = is_free(i);
  return result;
}

/// Of G z - w: what is beyond its rounding says something.
double Allocation::largest_term(const VectorXd& z) const {
  return size_ == 0 ? 0.0 : std::max({w_.cwiseAbs().maxCoeff(), z.cwiseAbs().maxCoeff(), 1e-300});
}

void Allocation::minimize(const VectorXd& start) {
  z_ = start;
  std::fill(place_.begin(), place_.end(), Place::free);
  const double small = k_optimal * largest_term(start);
  for (int change = 0; change < 100 + 50 * size_; ++change) {
    factor_free(regularization_);
    const int n = static_cast<int>(free_.size());
    gradient_ = regularization_ * z_ - w_;
    for (int i = 0; i < size_; ++i) {
      for (int j = 0; j < size_; ++j) gradient_[i] += G_(i, j) * z_[j];
    }
    for (int k = 0; k < n; ++k) step_[k] = -gradient_[free_[k]];
    solve_factored(step_);
    double length = 1.0;
    int met = -1;
    for (int k = 0; k < n; ++k) {
      const int i = free_[k];
      const double bound = step_[k] < 0.0 ? lower_[i] : upper_[i];
      if (step_[k] == 0.0 || !std::isfinite(bound)) continue;
      const double until = std::max(0.0, (bound - z_[i]) / step_[k]);
      if (until < length) length = until, met = k;
    }
    for (int k = 0; k < n; ++k) z_[free_[k]] += length * step_[k];
    if (met >= 0) {
      const int i = free_[met];
      const bool low = step_[met] < 0.0;
      place_[i] = low ? Place::lower : Place::upper;
      z_[i] = low ? lower_[i] : upper_[i];
      continue;
    }
    // the best on these bounds: is one of them in the way?
    int worst = -1;
    double most = small;
    for (int i = 0; i < size_; ++i) {
      if (is_free(i)) continue;
      double slope = regularization_ * z_[i] - w_[i];
      for (int j = 0; j < size_; ++j) slope += G_(i, j) * z_[j];
      const double push = place_[i] == Place::lower ? -slope : slope;
      if (push > most && lower_[i] < upper_[i]) most = push, worst = i;
    }
    if (worst < 0) return;
    place_[worst] = Place::free;
  }
  throw SimulationError("allocation of inputs within their bounds: no optimum was found");
}

void Allocation::solve_free(MatrixXd& dw) {
  factor_free(regularization_);
  const int n = static_cast<int>(free_.size());
  for (Eigen::Index column = 0; column < dw.cols(); ++column) {
    for (int k = 0; k < n; ++k) step_[k] = scale_[free_[k]] * dw(free_[k], column);
    solve_factored(step_);
    dw.col(column).setZero();
    for (int k = 0; k < n; ++k) dw(free_[k], column) = scale_[free_[k]] * step_[k];
  }
}

}  // namespace cuttle
