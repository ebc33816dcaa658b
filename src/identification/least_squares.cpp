#include "cuttle/identification/least_squares.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cuttle/error.h"

namespace cuttle {
namespace {

/// The least squares of q + R step and sqrt(lambda) scale step between bounds, from step 0 within them: along faces of
/// the box on which the sum is least, as Stark and Parker's BVLS (1995).
VectorXd step_between(const MatrixXd& R, const VectorXd& q, const VectorXd& scale, double lambda, const VectorXd& lower,
                      const VectorXd& upper) {
  constexpr double k_rounding = 1e-13;
  const Eigen::Index n = q.size();
  VectorXd step = VectorXd::Zero(n);
  std::vector<char> held(static_cast<std::size_t>(n), 0);  // at a bound
  const auto is_held = [&](Eigen::Index i) -> char& { return held[static_cast<std::size_t>(i)]; };
  for (Eigen::Index i = 0; i < n; ++i) is_held(i) = lower[i] < 0.0 && 0.0 < upper[i] ? 0 : 1;
  for (Eigen::Index round = 0; round < 10 * (n + 1); ++round) {
    std::vector<Eigen::Index> free;
    VectorXd outer = step;  // what stands at a bound
    for (Eigen::Index i = 0; i < n; ++i) {
      if (is_held(i) == 0) free.push_back(i), outer[i] = 0.0;
    }
    const auto count = static_cast<Eigen::Index>(free.size());
    if (count > 0) {
      MatrixXd matrix = MatrixXd::Zero(n + count, count);
      VectorXd right = VectorXd::Zero(n + count);
      matrix.topRows(n) = R(Eigen::all, free);
      matrix.bottomRows(count).diagonal() = std::sqrt(lambda) * scale(free);
      right.head(n) = -(q + R * outer);
      const VectorXd least = matrix.householderQr().solve(right);
      double part = 1.0;  // of the way there
      Eigen::Index first = -1;
      for (Eigen::Index k = 0; k < count; ++k) {
        const Eigen::Index i = free[static_cast<std::size_t>(k)];
        const double end = std::clamp(least[k], lower[i], upper[i]);
        if (end == least[k]) continue;
        const double way = (end - step[i]) / (least[k] - step[i]);
        if (first < 0 || way < part) part = way, first = i;
      }
      for (Eigen::Index k = 0; k < count; ++k) {
        const Eigen::Index i = free[static_cast<std::size_t>(k)];
        step[i] = std::clamp(step[i] + part * (least[k] - step[i]), lower[i], upper[i]);
      }
      if (first >= 0) {
        step[first] = step[first] - lower[first] < upper[first] - step[first] ? lower[first] : upper[first];
        is_held(first) = 1;
        continue;
      }
    }
    // off the bound that the sum falls away from most
    const VectorXd slope = R.transpose() * (q + R * step) + lambda * scale.cwiseAbs2().cwiseProduct(step);
    Eigen::Index off = -1;
    double most = k_rounding * q.norm();
    for (Eigen::Index i = 0; i < n; ++i) {
      const double inwards = (step[i] <= lower[i] ? -slope[i] : slope[i]) / scale[i];
      if (is_held(i) != 0 && lower[i] < upper[i] && inwards > most) most = inwards, off = i;
    }
    if (off < 0) break;
    is_held(off) = 0;
  }
  return step;
}

}  // namespace

Loss loss_of_name(const std::string& name) {
  if (name == "squares") return Loss::squares;
  if (name == "soft_l1") return Loss::soft_l1;
  if (name == "huber") return Loss::huber;
  if (name == "cauchy") return Loss::cauchy;
  throw ArgumentError("loss: found '" + name + "', expected squares, soft_l1, huber or cauchy");
}

LossyResidual lossy(Loss loss, double scale, double residual) {
  if (loss == Loss::squares) return {residual, 1.0};
  const double x = residual / scale, z = x * x;
  double rho = z, slope = 1.0;  // and rho'(z)
  switch (loss) {
    case Loss::squares:
      break;
    case Loss::soft_l1:
      rho = 2.0 * z / (1.0 + std::sqrt(1.0 + z)), slope = 1.0 / std::sqrt(1.0 + z);
      break;
    case Loss::huber:
      if (z > 1.0) rho = 2.0 * std::sqrt(z) - 1.0, slope = 1.0 / std::sqrt(z);
      break;
    case Loss::cauchy:
      rho = std::log1p(z), slope = 1.0 / (1.0 + z);
      break;
  }
  // sqrt(rho) = |x| sqrt(rho / z), and rho / z tends to 1
  const double ratio = z < std::numeric_limits<double>::min() ? 1.0 : std::sqrt(rho / z);
  return {residual * ratio, slope / ratio};
}

LeastSquaresResult minimize_squares(const Residuals& residuals, const VectorXd& start, int count,
                                    const LeastSquaresOptions& options) {
  const auto n = static_cast<int>(start.size());
  if (n == 0 || count < n) {
    throw ArgumentError("minimize_squares: found " + std::to_string(count) + " residuals for " + std::to_string(n) +
                        " parameters, expected at least one parameter and as many residuals");
  }
  constexpr double k_nothing = std::numeric_limits<double>::infinity();
  constexpr double k_most_lambda = 1e30;  // steps beyond it are below rounding
  const VectorXd lower = options.lower.size() > 0 ? options.lower : VectorXd::Constant(n, -k_nothing);
  const VectorXd upper = options.upper.size() > 0 ? options.upper : VectorXd::Constant(n, k_nothing);
  const auto within = [&](const VectorXd& z) -> VectorXd { return z.cwiseMax(lower).cwiseMin(upper); };
  const auto interrupted = [&options] { return options.stop && options.stop(); };
  LeastSquaresResult best;
  best.z = within(start), best.cost = k_nothing;
  const auto end = [&](LeastSquaresStatus status) {
    best.status = status;
    return best;
  };
  const auto cost_at = [&](const VectorXd& z, VectorXd& values) {
    ++best.evaluations;
    return residuals(z, values, nullptr) && values.allFinite() ? 0.5 * values.squaredNorm() : k_nothing;
  };
  const auto stops_after = [&](const VectorXd& z, double cost) {
    best.z = z, best.cost = cost;
    return options.improved && options.improved({best.evaluations, cost, z});
  };

  if (interrupted()) return end(LeastSquaresStatus::stopped);
  VectorXd values, other_values, scale = VectorXd::Zero(n);
  MatrixXd jacobian;
  const double first = cost_at(best.z, values);
  if (!std::isfinite(first)) return end(interrupted() ? LeastSquaresStatus::stopped : LeastSquaresStatus::failed);
  if (stops_after(best.z, first)) return end(LeastSquaresStatus::stopped);
  double lambda = 1e-3, growth = 2.0;
  for (;;) {
    if (interrupted()) return end(LeastSquaresStatus::stopped);
    if (!residuals(best.z, other_values, &jacobian) || !jacobian.allFinite()) {
      return end(interrupted() ? LeastSquaresStatus::stopped : LeastSquaresStatus::failed);
    }
    scale = scale.cwiseMax(jacobian.colwise().norm().transpose());
    const VectorXd unit = (scale.array() > 0.0).select(scale, 1.0);
    const Eigen::HouseholderQR<MatrixXd> qr(jacobian);
    const MatrixXd R = qr.matrixQR().topRows(n).triangularView<Eigen::Upper>();
    const VectorXd q = (qr.householderQ().adjoint() * values).head(n);
    // by how much the linearized squares fall
    const auto predicted_by = [&](const VectorXd& step) {
      return 0.5 * (q.squaredNorm() - (q + R * step).squaredNorm());
    };
    bool accepted = false;
    while (!accepted) {
      const double cost = best.cost;
      const VectorXd step = step_between(R, q, unit, lambda, lower - best.z, upper - best.z);
      const double predicted = predicted_by(step), size = unit.cwiseProduct(step).norm();
      if (size <= options.tolerance * unit.cwiseProduct(best.z).norm() || lambda > k_most_lambda || !(cost > 0.0)) {
        const VectorXd whole = step_between(R, q, unit, 1e-8, lower - best.z, upper - best.z);
        const bool leads_on = predicted_by(whole) > options.tolerance * cost &&
                              unit.cwiseProduct(whole).norm() > options.tolerance * unit.cwiseProduct(best.z).norm();
        return end(leads_on ? LeastSquaresStatus::stalled : LeastSquaresStatus::converged);
      }
      if (best.evaluations >= options.max_evaluations) return end(LeastSquaresStatus::most_evaluations);
      if (interrupted()) return end(LeastSquaresStatus::stopped);
      const VectorXd z = within(best.z + step);
      const double other = cost_at(z, other_values);
      if (!std::isfinite(other) && interrupted()) return end(LeastSquaresStatus::stopped);
      const double actual = cost - other, ratio = predicted > 0.0 ? actual / predicted : -1.0;
      accepted = actual > 0.0 && ratio > 1e-4;
      if (accepted) {
        lambda *= std::max(1.0 / 3.0, 1.0 - std::pow(2.0 * ratio - 1.0, 3)), growth = 2.0;  // Nielsen 1999
        values = other_values;
        if (stops_after(z, other)) return end(LeastSquaresStatus::stopped);
      } else {
        lambda *= growth, growth *= 2.0;
      }
      const double least = options.tolerance * cost;
      if (predicted >= 0.0 && predicted <= least && std::abs(actual) <= least && ratio <= 2.0) {
        return end(LeastSquaresStatus::converged);
      }
    }
  }
}

}  // namespace cuttle
