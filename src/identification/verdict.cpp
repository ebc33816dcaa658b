#include "identification/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "identification/uncertainty.h"

namespace cuttle {
namespace {

constexpr double k_normal_median = 1.4826;  // deviation of normal numbers over the median of their sizes
constexpr double k_rounding = 1e-9;         // of what was measured: predictions are not more precise

double median(std::vector<double> numbers) {
  if (numbers.empty()) return 0.0;
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

double robust_deviation_of(std::vector<double> numbers) {
  for (double& x : numbers) x = std::abs(x);
  return k_normal_median * median(std::move(numbers));
}

/// What a fit leaves of one column, in deviations.
struct ColumnResiduals {
  const Experiment* experiment = nullptr;
  std::string column;
  std::vector<std::size_t> rows;
  std::vector<double> residuals, measured;
};

/// Of residuals of all points; NaN where one has no prediction.
std::vector<ColumnResiduals> column_residuals(const std::vector<Experiment*>& experiments, const VectorXd& residuals) {
  std::vector<ColumnResiduals> all;
  Eigen::Index next = 0;
  for (const Experiment* each : experiments) {
    const Experiment& experiment = *each;
    std::vector<ColumnResiduals> own(experiment.channels().size());
    for (const MeasuredPoint& point : experiment.points()) {
      const double residual = residuals[next++];
      if (!std::isfinite(residual)) continue;
      ColumnResiduals& column = own[point.channel];
      column.rows.push_back(point.row), column.residuals.push_back(residual);
      column.measured.push_back(point.value / experiment.channels()[point.channel].deviation);
    }
    for (std::size_t c = 0; c < own.size(); ++c) {
      own[c].experiment = &experiment, own[c].column = experiment.channels()[c].column;
    }
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

/// Root of the mean square about the mean.
double variation(const std::vector<double>& numbers) {
  const double count = std::max(1.0, static_cast<double>(numbers.size()));
  double mean = 0.0, squares = 0.0;
  for (const double x : numbers) mean += x / count;
  for (const double x : numbers) squares += (x - mean) * (x - mean) / count;
  return std::sqrt(squares);
}

/// Whether numbers along time say nothing of the next ones, nor of those after them: an oscillation of any period
/// correlates by half or more with itself one or two samples later.
bool looks_random(const std::vector<double>& numbers) {
  constexpr double k_correlated = 0.4;
  double squares = 0.0, one_later = 0.0, two_later = 0.0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    squares += numbers[i] * numbers[i];
    if (i >= 1) one_later += numbers[i] * numbers[i - 1];
    if (i >= 2) two_later += numbers[i] * numbers[i - 2];
  }
  return std::max(std::abs(one_later), std::abs(two_later)) < k_correlated * squares;
}

/// Noise of numbers along time; 0: not known. Third differences show it where motion is smooth, in which they are
/// small. Where they are not, samples are few for the motion or noise is large: then residuals tell them apart.
double noise_between_instants(const ColumnResiduals& column) {
  constexpr double k_smooth = 0.1;
  const std::vector<double>& y = column.measured;
  if (y.size() < 8) return 0.0;
  std::vector<double> differences;
  for (std::size_t i = 3; i < y.size(); ++i) differences.push_back(y[i] - 3.0 * y[i - 1] + 3.0 * y[i - 2] - y[i - 3]);
  const double noise = robust_deviation_of(std::move(differences)) / std::sqrt(20.0);
  if (noise < k_smooth * variation(y)) return noise;
  return looks_random(column.residuals) ? variation(column.residuals) : 0.0;
}

/// Noise of a table: how much its rows with equal inputs differ; 0: not known.
double noise_of_repeats(const ColumnResiduals& column) {
  std::map<std::size_t, std::vector<double>> repeats;
  for (std::size_t i = 0; i < column.rows.size(); ++i) {
    repeats[column.experiment->first_alike()[column.rows[i]]].push_back(column.measured[i]);
  }
  double squares = 0.0, freedom = 0.0;
  for (const auto& [row, numbers] : repeats) {
    squares += static_cast<double>(numbers.size()) * std::pow(variation(numbers), 2);
    freedom += static_cast<double>(numbers.size() - 1);
  }
  return freedom > 0.0 ? std::sqrt(squares / freedom) : 0.0;
}

double noise_of(const ColumnResiduals& column) {
  if (!column.experiment->times().empty()) return noise_between_instants(column);
  return column.experiment->first_alike().empty() ? 0.0 : noise_of_repeats(column);
}

struct Outlier {
  const ColumnResiduals* column = nullptr;
  std::size_t at = 0;
  double size = 0.0;  ///< in robust deviations
};

/// Residuals far beyond the others of their column. Of motions those alone that jump: a model that is wrong for a while
/// leaves hills.
std::vector<Outlier> outliers_of(const std::vector<ColumnResiduals>& columns, double spread) {
  constexpr double k_gross = 8.0;
  constexpr std::size_t k_enough = 10;  // numbers for a deviation of their own
  std::vector<double> few;
  for (const ColumnResiduals& column : columns) {
    if (column.residuals.size() < k_enough) few.insert(few.end(), column.residuals.begin(), column.residuals.end());
  }
  const double shared = robust_deviation_of(few);
  std::vector<Outlier> outliers;
  for (const ColumnResiduals& column : columns) {
    const std::vector<double>& r = column.residuals;
    const double own = r.size() < k_enough ? shared : robust_deviation_of(r);
    const double deviation = std::max(own, 1e-4 * spread);
    for (std::size_t i = 0; i < r.size(); ++i) {
      if (!(std::abs(r[i]) > k_gross * deviation)) continue;
      const bool inner = i > 0 && i + 1 < r.size() && !column.experiment->times().empty();
      if (inner && std::abs(r[i] - 0.5 * (r[i - 1] + r[i + 1])) < 0.25 * std::abs(r[i])) continue;
      outliers.push_back({&column, i, std::abs(r[i]) / deviation});
    }
  }
  return outliers;
}

/// How large residuals are without outliers, and beside what.
struct ResidualSize {
  double rms = 0.0;                                ///< in deviations
  double spread = 0.0;                             ///< of the data, likewise
  double noise = 0.0;                              ///< of the data, whatever the model; 0: not known
  double size = 0.0;                               ///< of the data themselves
  double least = 0.0;                              ///< less than that is rounding
  bool known = false;                              ///< deviations are those of the errors
  double count = 0.0, squares = 0.0, gross = 0.0;  ///< of all, and the squares of outliers
  bool few_outliers = false;                       ///< there are some; more are none

  /// So large that nothing is explained.
  bool poor() const {
    if (rms <= least) return false;
    if (known) return rms > 10.0 && rms > 0.05 * spread;
    return noise > 0.0 ? rms > 0.3 * spread && rms > 5.0 * noise : rms > 0.5 * spread;
  }
  /// Larger than errors are.
  bool doubtful() const {
    if (known) return rms > 3.0;
    if (rms <= least) return false;
    return noise > 0.0 ? rms > 0.02 * spread && rms > 10.0 * noise : rms > 0.2 * spread;
  }
  std::string text() const {
    std::string text = spread > least
                           ? fmt::format("their RMS is {:.2g} % of how much the data vary", 100.0 * rms / spread)
                           : fmt::format("their RMS is {:.2g} % of the data, which do not vary", 100.0 * rms / size);
    if (known) return text + fmt::format(" and {:.2g} times the deviation of the data", rms);
    return noise > 0.0 ? text + fmt::format(" and {:.2g} times the noise of the data", rms / noise) : text;
  }
};

ResidualSize size_of(const ResidualSum& sum, const std::vector<ColumnResiduals>& columns,
                     const std::vector<Outlier>& outliers) {
  ResidualSize size;
  size.spread = sum.spread(), size.size = sum.size(), size.least = k_rounding * size.size;
  double noise = 0.0;
  for (const ColumnResiduals& column : columns) {
    for (const double r : column.residuals) size.squares += r * r, size.count += 1.0;
    noise += static_cast<double>(column.residuals.size()) * std::pow(noise_of(column), 2);
  }
  for (const Outlier& one : outliers) size.gross += std::pow(one.column->residuals[one.at], 2);
  const auto gross_count = static_cast<double>(outliers.size());
  size.few_outliers = !outliers.empty() && gross_count <= 0.1 * size.count;
  size.rms = std::sqrt((size.squares - (size.few_outliers ? size.gross : 0.0)) /
                       std::max(1.0, size.count - (size.few_outliers ? gross_count : 0.0)));
  size.noise = std::sqrt(noise / std::max(1.0, size.count));
  return size;
}

std::string names_of(const std::vector<IdentifiedParameter>& parameters,
                     const std::function<bool(const IdentifiedParameter&)>& which) {
  std::string names;
  for (const IdentifiedParameter& one : parameters) {
    if (which(one)) names += (names.empty() ? "" : ", ") + one.name;
  }
  return names;
}

/// Where else to begin.
std::string starts_hint(const std::vector<FreeParameter>& parameters, const Identification& found) {
  const bool bounded = std::all_of(parameters.begin(), parameters.end(), [](const FreeParameter& one) {
    return std::isfinite(one.lower) && std::isfinite(one.upper);
  });
  const std::size_t starts = found.start_costs.size();
  if (starts > 1) {
    const double best = *std::min_element(found.start_costs.begin(), found.start_costs.end());
    const auto same = std::count_if(found.start_costs.begin(), found.start_costs.end(),
                                    [&](double cost) { return cost <= best * (1.0 + 1e-3); });
    return fmt::format("{} of {} starts led to the best of them: more (--starts) or other bounds may find a better one",
                       same, starts);
  }
  return bounded ? "--starts 12 begins at other values within the bounds too"
                 : "with bounds (--free PATH=LOWER:UPPER) --starts 12 begins at other values between them too";
}

}  // namespace

double robust_deviation(const VectorXd& numbers) {
  return robust_deviation_of({numbers.data(), numbers.data() + numbers.size()});
}

double moved_half_widths(const ResidualSum& sum, const VectorXd& values, const VectorXd& residuals,
                         const MatrixXd& jacobian, const VectorXd& change, double least_noise) {
  const std::vector<FreeParameter>& parameters = sum.parameters();
  const double moved = explained_part(parameters, values, residuals, jacobian, change);
  const double lowered = explained_part(parameters, values, residuals, jacobian, residuals);
  const double freedom = static_cast<double>(std::max<Eigen::Index>(residuals.size() - values.size(), 1));
  const double left = std::max(0.0, residuals.squaredNorm() - lowered * lowered);
  const double deviation = sum.has_priors() ? 1.0 : std::sqrt(left / freedom);
  const double least = std::max(least_noise * sum.spread(), k_rounding * sum.size());
  return moved / (student_97_5(freedom) * std::max({deviation, least, std::numeric_limits<double>::min()}));
}

bool leaves_much(ResidualSum& sum, const VectorXd& values) {
  constexpr double k_much = 0.05;   // of what the data vary
  constexpr double k_noises = 3.0;  // which noise seldom makes
  VectorXd residuals;
  if (!sum.evaluate_plain(values, residuals, nullptr)) return true;
  const std::vector<ColumnResiduals> columns = column_residuals(sum.experiments(), residuals);
  const ResidualSize size = size_of(sum, columns, outliers_of(columns, sum.spread()));
  return size.rms > k_much * size.spread && size.rms > k_noises * size.noise;
}

void judge(const ResidualSum& sum, const IdentificationOptions& options, std::optional<double> from_minimum,
           Identification& found) {
  constexpr double k_at_minimum = 0.25;
  VectorXd residuals(sum.measurements());
  Eigen::Index next = 0;
  for (std::size_t e = 0; e < found.fits.size(); ++e) {
    const Experiment& experiment = *sum.experiments()[e];
    const double* predicted = found.fits[e].predicted.data();
    for (const MeasuredPoint& point : experiment.points()) {
      residuals[next++] = (*predicted++ - point.value) / experiment.channels()[point.channel].deviation;
    }
  }
  const std::vector<ColumnResiduals> columns = column_residuals(sum.experiments(), residuals);
  const std::vector<Outlier> outliers = outliers_of(columns, sum.spread());
  ResidualSize size = size_of(sum, columns, outliers);
  size.known = options.deviations_known;

  const bool ended = found.status == LeastSquaresStatus::stalled || found.status == LeastSquaresStatus::converged;
  if (ended && from_minimum) {
    found.status = *from_minimum > k_at_minimum ? LeastSquaresStatus::stalled : LeastSquaresStatus::converged;
  }
  found.explains = !size.poor();
  switch (found.status) {
    case LeastSquaresStatus::converged:
      found.message = found.explains
                          ? "converged"
                          : "ended at a minimum that does not explain the data: of the residuals " + size.text();
      break;
    case LeastSquaresStatus::stalled:
      found.message = "not converged: no step lowers the residuals";
      if (from_minimum) {
        found.message += fmt::format(", though by their slopes the minimum is {:.2g} half widths of the intervals away",
                                     *from_minimum);
      }
      break;
    case LeastSquaresStatus::most_evaluations:
      found.message = "not converged: it was still improving after the most evaluations";
      break;
    case LeastSquaresStatus::stopped:
      found.message = "stopped: the best so far";
      break;
    case LeastSquaresStatus::failed:
      found.message = "failed";
      break;
  }

  if (size.few_outliers && options.loss == Loss::squares && size.gross > 0.3 * size.squares) {
    const Outlier& largest = *std::max_element(outliers.begin(), outliers.end(),
                                               [](const Outlier& a, const Outlier& b) { return a.size < b.size; });
    found.hints.push_back(fmt::format(
        "{} of {} residuals are far beyond the others and make {:.2g} % of the sum of squares, the largest in row {} "
        "of column '{}' of {} ({:.2g} times what is usual there): --loss soft_l1, huber or cauchy forgives outliers",
        outliers.size(), size.count, 100.0 * size.gross / size.squares, largest.column->rows[largest.at],
        largest.column->column, largest.column->experiment->label(), largest.size));
  }
  const bool stalled = found.status == LeastSquaresStatus::stalled;
  if (!stalled && !size.doubtful() && found.explains) return;
  if (!stalled) {
    found.hints.push_back(
        fmt::format("the residuals are large, {}: this is another minimum than that of the true "
                    "values, or the model lacks something; {}",
                    size.text(), starts_hint(sum.parameters(), found)));
  } else {
    found.hints.push_back("the search may need another start: " + starts_hint(sum.parameters(), found) +
                          (found.run_tolerance > 0.0 ? "; or ask for finer runs with --tolerance" : ""));
  }
  const std::string at_bounds = names_of(found.parameters, [](const auto& one) { return one.at_bound; });
  if (!at_bounds.empty()) found.hints.push_back("at a bound, beyond which the fit may be better: " + at_bounds);
  const std::string unmoved = names_of(found.parameters, [](const auto& one) {
    return std::abs(one.value - one.start) <= 1e-3 * std::max(std::abs(one.start), one.deviation);
  });
  if (!unmoved.empty()) found.hints.push_back("the search did not move: " + unmoved);
}

}  // namespace cuttle
