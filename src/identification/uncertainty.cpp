#include "identification/uncertainty.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace cuttle {
namespace {

/// A parameter nearer than this part of its scale to a bound stands at it.
constexpr double k_near_bound = 1e-4;

bool stands_at_bound(const FreeParameter& parameter, double value) {
  const double size = k_near_bound * parameter.scale(value);
  return value - parameter.lower < size || parameter.upper - value < size;
}

}  // namespace

double student_97_5(double degrees_of_freedom) {
  return boost::math::quantile(boost::math::students_t_distribution<double>(degrees_of_freedom), 0.975);
}

void describe_uncertainty(const std::vector<FreeParameter>& parameters, const VectorXd& residuals,
                          const MatrixXd& jacobian, bool absolute, Identification& result) {
  const auto n = static_cast<Eigen::Index>(parameters.size());
  std::vector<Eigen::Index> inner;  // parameters that stand at no bound: those at one count as known
  VectorXd scale(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const FreeParameter& parameter = parameters[static_cast<std::size_t>(i)];
    scale[i] = parameter.scale(result.values[i]);
    if (!stands_at_bound(parameter, result.values[i])) inner.push_back(i);
  }
  const auto count = static_cast<Eigen::Index>(inner.size());
  const double freedom = static_cast<double>(std::max<Eigen::Index>(residuals.size() - count, 1));
  const double variance = absolute ? 1.0 : residuals.squaredNorm() / freedom;
  const double student = absolute ? 1.959963984540054 : student_97_5(freedom);

  MatrixXd covariance = MatrixXd::Zero(count, count);  // in scales
  result.combinations.clear();
  if (count > 0) {
    MatrixXd scaled(jacobian.rows(), count);
    for (Eigen::Index k = 0; k < count; ++k) {
      scaled.col(k) = scale[inner[static_cast<std::size_t>(k)]] * jacobian.col(inner[static_cast<std::size_t>(k)]);
    }
    // the triangular factor has the same singular values, and is small
    const MatrixXd R = Eigen::HouseholderQR<MatrixXd>(scaled).matrixQR().topRows(count).triangularView<Eigen::Upper>();
    const Eigen::JacobiSVD<MatrixXd> svd(R, Eigen::ComputeFullV);
    const double least =
        std::max(std::numeric_limits<double>::epsilon() * static_cast<double>(scaled.rows()) * svd.singularValues()[0],
                 std::numeric_limits<double>::min());
    for (Eigen::Index k = 0; k < count; ++k) {
      const double sigma = std::max(svd.singularValues()[k], least);  // rounding hides what is smaller
      const VectorXd v = svd.matrixV().col(k);
      covariance += variance / (sigma * sigma) * v * v.transpose();
      ParameterCombination combination{VectorXd::Zero(n), svd.singularValues()[k],
                                       student * std::sqrt(variance) / sigma};
      for (Eigen::Index j = 0; j < count; ++j) combination.direction[inner[static_cast<std::size_t>(j)]] = v[j];
      result.combinations.push_back(std::move(combination));
    }
  }

  result.covariance.setZero(n, n), result.correlation.setIdentity(n, n);
  for (Eigen::Index a = 0; a < count; ++a) {
    const Eigen::Index i = inner[static_cast<std::size_t>(a)];
    for (Eigen::Index b = 0; b < count; ++b) {
      const Eigen::Index j = inner[static_cast<std::size_t>(b)];
      result.covariance(i, j) = covariance(a, b) * scale[i] * scale[j];
      const double sizes = std::sqrt(covariance(a, a) * covariance(b, b));
      if (a != b && sizes > 0.0) result.correlation(i, j) = covariance(a, b) / sizes;
    }
  }
  result.parameters.clear();
  for (Eigen::Index i = 0; i < n; ++i) {
    const FreeParameter& parameter = parameters[static_cast<std::size_t>(i)];
    IdentifiedParameter one{parameter.name, parameter.unit, parameter.start, result.values[i]};
    one.at_bound = std::find(inner.begin(), inner.end(), i) == inner.end();
    one.deviation = std::sqrt(result.covariance(i, i));
    const double half = student * one.deviation;
    if (one.at_bound) {
      one.deviation = one.lower95 = one.upper95 = std::numeric_limits<double>::quiet_NaN();
    } else if (parameter.logarithmic) {  // symmetric in the logarithm, in which it was searched
      one.lower95 = one.value * std::exp(-half / one.value), one.upper95 = one.value * std::exp(half / one.value);
    } else {
      one.lower95 = one.value - half, one.upper95 = one.value + half;
    }
    result.parameters.push_back(std::move(one));
  }
}

void describe_as_unknown(const std::vector<FreeParameter>& parameters, Identification& result) {
  constexpr double k_no_interval = std::numeric_limits<double>::quiet_NaN();
  const auto n = static_cast<Eigen::Index>(parameters.size());
  result.covariance.setConstant(n, n, k_no_interval), result.correlation = result.covariance;
  result.combinations.clear(), result.parameters.clear();
  for (Eigen::Index i = 0; i < n; ++i) {
    const FreeParameter& parameter = parameters[static_cast<std::size_t>(i)];
    IdentifiedParameter one{parameter.name, parameter.unit, parameter.start, result.values[i]};
    one.deviation = one.lower95 = one.upper95 = k_no_interval;
    result.parameters.push_back(std::move(one));
  }
}

double explained_part(const std::vector<FreeParameter>& parameters, const VectorXd& values, const VectorXd& residuals,
                      const MatrixXd& jacobian, const VectorXd& change) {
  std::vector<Eigen::Index> movable;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const FreeParameter& parameter = parameters[static_cast<std::size_t>(i)];
    const double slope = jacobian.col(i).dot(residuals);
    const bool inwards = values[i] - parameter.lower < parameter.upper - values[i] ? slope < 0.0 : slope > 0.0;
    const bool has_slope = jacobian.col(i).squaredNorm() > 0.0;
    if (has_slope && (inwards || !stands_at_bound(parameter, values[i]))) movable.push_back(i);
  }
  if (movable.empty()) return 0.0;
  MatrixXd columns = jacobian(Eigen::all, movable);
  columns.colwise().normalize();
  // slopes have errors of their runs and equilibria, so columns that say the same differ by more than rounding
  constexpr double k_redundant = 1e-7;
  Eigen::ColPivHouseholderQR<MatrixXd> qr(columns);
  qr.setThreshold(k_redundant);
  return VectorXd(qr.householderQ().adjoint() * change).head(qr.rank()).norm();
}

std::vector<std::string> undetermined_texts(const Identification& found) {
  constexpr double k_small_part = 0.1;  // of a direction of length 1
  std::vector<std::string> texts;
  for (const ParameterCombination& combination : found.combinations) {
    if (!combination.undetermined()) continue;
    std::string parts;
    for (Eigen::Index i = 0; i < combination.direction.size(); ++i) {
      const double part = combination.direction[i];
      if (std::abs(part) < k_small_part) continue;
      parts += fmt::format("{}{:+.2f} of {}", parts.empty() ? "" : ", ", part,
                           found.parameters[static_cast<std::size_t>(i)].name);
    }
    texts.push_back(fmt::format(
        "the data cannot tell this change of the parameters, each as a part of its own size: {} (95 %: +-{:.2g} times "
        "it; singular value {:.2g}, the largest is {:.2g})",
        parts, combination.half_width, combination.singular_value, found.combinations.front().singular_value));
  }
  return texts;
}

std::string meaningful_digits(double value, double half_width) {
  if (!std::isfinite(half_width) || !(half_width > 0.0)) return fmt::format("{:.4g}", value);
  const int last = static_cast<int>(std::floor(std::log10(half_width))) - 1;  // place of the last digit
  const int first = value == 0.0 ? last : static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (first < last) return fmt::format("{:.1g}", value);
  if (last >= 0 || first > 5 || first < -4) return fmt::format("{:.{}g}", value, std::clamp(first - last + 1, 1, 17));
  return fmt::format("{:.{}f}", value, -last);
}

std::string measurements_text(const Identification& found) {
  const auto counted = [](std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  return counted(found.measurement_count, "measurement") +
         (found.prior_count > 0 ? " and " + counted(found.prior_count, "prior") : "");
}

std::string interval_text(const IdentifiedParameter& one, const char* format) {
  if (one.at_bound) return "at its bound";
  if (!std::isfinite(one.lower95) || !std::isfinite(one.upper95)) return "not known";
  const double half = std::max(one.upper95 - one.value, one.value - one.lower95);
  return fmt::format(fmt::runtime(format), meaningful_digits(one.lower95, half), meaningful_digits(one.upper95, half));
}

std::vector<std::string> unpredicted_texts(const std::string& rows, const std::string& label,
                                           const ExperimentFit& fit) {
  constexpr std::size_t k_most = 3;
  std::vector<std::string> texts;
  for (const UnpredictedRows& missing : fit.missing) {
    if (texts.size() == k_most) {
      texts.push_back(fmt::format("{}: {}: {} more rows not predicted", rows, label, fit.missing.size() - k_most));
      break;
    }
    const std::string which = missing.first == missing.last ? fmt::format("row {}", missing.first)
                                                            : fmt::format("rows {} to {}", missing.first, missing.last);
    texts.push_back(fmt::format("{}: {}: {} not predicted: {}", rows, label, which, missing.why));
  }
  return texts;
}

}  // namespace cuttle
