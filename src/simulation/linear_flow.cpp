#include "simulation/linear_flow.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "cuttle/error.h"
#include "simulation/integrators.h"

namespace cuttle {
namespace {

namespace sdirk4 {

constexpr int k_stages = 5;
constexpr double k_gamma = 0.25;
constexpr std::array<double, k_stages> k_c{1.0 / 4, 3.0 / 4, 11.0 / 20, 1.0 / 2, 1.0};
constexpr double k_a[k_stages][k_stages] = {{1.0 / 4, 0, 0, 0, 0},
                                            {1.0 / 2, 1.0 / 4, 0, 0, 0},
                                            {17.0 / 50, -1.0 / 25, 1.0 / 4, 0, 0},
                                            {371.0 / 1360, -137.0 / 2720, 15.0 / 544, 1.0 / 4, 0},
                                            {25.0 / 24, -49.0 / 48, 125.0 / 16, -85.0 / 12, 1.0 / 4}};
/// Of the result less that of order three.
constexpr std::array<double, k_stages> k_error{-3.0 / 16, -27.0 / 32, 25.0 / 32, 0.0, 1.0 / 4};
constexpr double k_safety = 0.9, k_least_factor = 0.2, k_most_factor = 4.0;
constexpr double k_finest = 1e-12;  // tolerance, beside rounding
/// Of a panel's last difference: what the polynomial is off by, where differences fall as they do in smooth motions.
constexpr double k_of_last_difference = 0.02;
constexpr double k_least_share = 0.1;  // of the worth of all parts

}  // namespace sdirk4
}  // namespace

std::array<double, 5> LinearPanel::shares(double time) const {
  std::array<double, 5> shares{};
  const double s = 4.0 * (time - times.front()) / (times.back() - times.front());
  for (int k = 0; k < 5; ++k) {
    double share = 1.0;
    for (int j = 0; j < 5; ++j) {
      if (j != k) share *= (s - j) / (k - j);
    }
    shares[static_cast<std::size_t>(k)] = share;
  }
  return shares;
}

double LinearFlow::beside(const VectorXd& x, const VectorXd& size, double least) const {
  constexpr std::size_t k_sites = k_parts - 1;
  std::array<double, k_parts> own{}, largest{};
  double worth = 0.0, most = 0.0;
  Eigen::Index first = 0;
  for (std::size_t part = 0; part < k_parts; first += parts_[part++]) {
    if (parts_[part] == 0) continue;
    own[part] = x.segment(first, parts_[part]).cwiseAbs().maxCoeff();
    largest[part] = size.segment(first, parts_[part]).cwiseAbs().maxCoeff();
    if (part < k_sites) worth = std::max(worth, largest[part] * sizes_[part]);
  }
  largest[k_sites] = std::max(largest[k_sites], least);
  for (std::size_t part = 0; part < k_parts; ++part) {
    if (part >= 2 && part < k_sites && sizes_[part] > 0.0) {
      largest[part] = std::max(largest[part], sdirk4::k_least_share * worth / sizes_[part]);
    }
    if (own[part] > 0.0) most = std::max(most, own[part] / std::max(largest[part], std::numeric_limits<double>::min()));
  }
  return most;
}

double LinearFlow::error_of(const LinearPanel& panel, const VectorXd& x) const {
  const double length = panel.times.front() - panel.times.back();
  const VectorXd last = *panel.rates[0] * x - 4.0 * (*panel.rates[1] * x) + 6.0 * (*panel.rates[2] * x) -
                        4.0 * (*panel.rates[3] * x) + *panel.rates[4] * x;
  const VectorXd moved = x.cwiseAbs() + length * (*panel.rates[2] * x).cwiseAbs();
  return sdirk4::k_of_last_difference * length * beside(last, moved, peak_) /
         std::max(relative_tolerance_, sdirk4::k_finest);
}

namespace {

/// (1 - h gamma A) x = right at a time of a panel that is gone along backwards, where A is minus its matrix.
class StageSolver {
 public:
  StageSolver(const LinearPanel& panel, Eigen::Index size)
      : panel_(panel), half_(panel.is_of_second_order ? size / 2 : 0), x_(size) {}

  /// @return shares of the panel's places.
  std::array<double, 5> set(double time, double scale) {
    const std::array<double, 5> shares = panel_.shares(time);
    scale_ = scale;
    if (half_ == 0) {
      blend(shares, [](const MatrixXd& rate) -> const MatrixXd& { return rate; });
      matrix_ = scale * sum_;
    } else {
      blend(shares, [&](const MatrixXd& rate) { return rate.topRightCorner(half_, half_); });
      first_by_second_ = scale * sum_;
      blend(shares, [&](const MatrixXd& rate) { return rate.bottomRightCorner(half_, half_); });
      matrix_ = scale * (sum_ + first_by_second_);
    }
    matrix_.diagonal().array() += 1.0;
    solver_.compute(matrix_);
    return shares;
  }
  const VectorXd& solve(const VectorXd& right) {
    if (half_ == 0) {
      x_ = solver_.solve(right);
      return x_;
    }
    // x1 = r1 - s F x2, and x2 with that: r2 + s r1
    x_.tail(half_) = solver_.solve(right.tail(half_) + scale_ * right.head(half_));
    x_.head(half_) = right.head(half_);
    x_.head(half_).noalias() -= first_by_second_ * x_.tail(half_);
    return x_;
  }

 private:
  template <typename Part>
  void blend(const std::array<double, 5>& shares, const Part& part) {
    sum_ = shares[0] * part(*panel_.rates[0]);
    for (std::size_t k = 1; k < 5; ++k) sum_ += shares[k] * part(*panel_.rates[k]);
  }

  const LinearPanel& panel_;
  Eigen::Index half_;
  double scale_ = 0.0;
  MatrixXd sum_, matrix_, first_by_second_;
  VectorXd x_;
  Eigen::PartialPivLU<MatrixXd> solver_;
};

/// The same with the matrix at that time.
class ExactSolver {
 public:
  explicit ExactSolver(const LinearFlow::RateAt& rate_at) : rate_at_(rate_at) {}
  std::array<double, 5> set(double time, double scale) {
    matrix_ = scale * rate_at_(time);
    matrix_.diagonal().array() += 1.0;
    solver_.compute(matrix_);
    return {};
  }
  VectorXd solve(const VectorXd& right) const { return solver_.solve(right); }

 private:
  const LinearFlow::RateAt& rate_at_;
  MatrixXd matrix_;
  Eigen::PartialPivLU<MatrixXd> solver_;
};

}  // namespace

bool LinearFlow::go(const LinearPanel& panel, double from, double to, VectorXd& x, const See& see) {
  StageSolver solver(panel, x.size());
  return go_with(solver, from, to, 0.0, x, see);
}

void LinearFlow::go(const RateAt& rate_at, double from, double to, double shortest, VectorXd& x, const See& see) {
  ExactSolver solver(rate_at);
  if (go_with(solver, from, to, shortest, x, see)) return;
  throw SimulationError(fmt::format("the gradient cannot be followed back from t = {:.9g} s", from));
}

template <typename Solver>
bool LinearFlow::go_with(Solver& solver, double from, double to, double shortest, VectorXd& x, const See& see) {
  const Eigen::Index n = x.size();
  const double whole = from - to, tolerance = std::max(relative_tolerance_, sdirk4::k_finest);
  std::array<VectorXd, sdirk4::k_stages> stages, rates;
  std::array<std::array<double, 5>, sdirk4::k_stages> shares{};
  if (step_ <= 0.0) step_ = whole / 8.0;
  for (double time = from; time > to;) {
    const double left = time - to;
    double h = std::min(std::max(step_, shortest), left);
    if (h > 0.5 * left && h < left) h = 0.5 * left;
    VectorXd next = x;
    for (int i = 0; i < sdirk4::k_stages; ++i) {
      const auto stage = static_cast<std::size_t>(i);
      VectorXd right = x;
      for (int j = 0; j < i; ++j) right += h * sdirk4::k_a[i][j] * rates[static_cast<std::size_t>(j)];
      shares[stage] = solver.set(time - sdirk4::k_c[stage] * h, h * sdirk4::k_gamma);
      stages[stage] = solver.solve(right);
      rates[stage] = (stages[stage] - right) / (h * sdirk4::k_gamma);
    }
    next = stages.back();
    VectorXd error = VectorXd::Zero(n);
    for (std::size_t i = 0; i < sdirk4::k_stages; ++i) error += h * sdirk4::k_error[i] * rates[i];
    error = VectorXd(solver.solve(error));  // what is stiff has gone by the end of the step
    const VectorXd moved = x.cwiseAbs().cwiseMax(next.cwiseAbs()) + h * rates[0].cwiseAbs();
    const double size = beside(error, moved, peak_) / tolerance;
    const double factor = std::clamp(sdirk4::k_safety * std::pow(std::max(size, 1e-12), -0.25), sdirk4::k_least_factor,
                                     sdirk4::k_most_factor);
    if (!(size <= 1.0) && !(h <= shortest && std::isfinite(size))) {
      step_ = h * (std::isfinite(size) ? std::min(factor, 0.8) : sdirk4::k_least_factor);
      if (step_ < shortest_step(time, whole) || h <= shortest) return false;
      continue;
    }
    for (std::size_t i = 0; i < sdirk4::k_stages; ++i) {
      see(time - sdirk4::k_c[i] * h, h * sdirk4::k_a[sdirk4::k_stages - 1][i], stages[i], shares[i]);
    }
    x = next;
    if (parts_.back() > 0) peak_ = std::max(peak_, x.tail(parts_.back()).cwiseAbs().maxCoeff());
    time = h == left ? to : time - h;
    step_ = h < step_ && factor >= 1.0 ? std::max(step_, h * factor) : h * factor;
  }
  return true;
}

}  // namespace cuttle
