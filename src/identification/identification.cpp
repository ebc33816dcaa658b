#include "cuttle/identification/identification.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "cuttle/error.h"
#include "identification/uncertainty.h"

namespace cuttle {
namespace {

constexpr double k_nowhere = std::numeric_limits<double>::infinity();
constexpr double k_not_known = std::numeric_limits<double>::quiet_NaN();

using LeftOut = std::vector<std::vector<char>>;  // rows of each experiment; empty: none

/// All residuals of some data, as functions of values of the parameters: points, then priors.
class ResidualSum {
 public:
  ResidualSum(const Model& model, const std::vector<FreeParameter>& parameters,
              const std::vector<Experiment*>& experiments, const LeftOut& left_out,
              const IdentificationOptions& options)
      : model_(model), parameters_(parameters), experiments_(experiments), left_out_(left_out), options_(options) {
    for (std::size_t e = 0; e < experiments.size(); ++e) {
      for (const MeasuredPoint& point : experiments[e]->points()) points_ += acts(e, point.row) ? 1 : 0;
    }
    for (const FreeParameter& parameter : parameters) priors_ += parameter.prior_deviation > 0.0 ? 1 : 0;
  }

  int count() const { return points_ + priors_; }
  int measurements() const { return points_; }
  int priors() const { return priors_; }
  bool has_priors() const { return priors_ > 0; }
  const std::vector<Experiment*>& experiments() const { return experiments_; }
  /// Of what residuals can be told apart, relative.
  double precision() const {
    double worst = 0.0;
    for (const Experiment* experiment : experiments_) worst = std::max(worst, experiment->precision());
    return worst;
  }
  const std::string& trouble() const { return trouble_; }

  /// Residuals in deviations, losses applied; derivatives by the parameters themselves.
  bool evaluate(const VectorXd& values, VectorXd& residuals, MatrixXd* jacobian) {
    residuals.resize(count());
    if (jacobian != nullptr) jacobian->setZero(count(), values.size());
    Eigen::Index next = 0;
    try {
      const FreedRobot robot(model_, parameters_, values, jacobian != nullptr);
      for (std::size_t e = 0; e < experiments_.size(); ++e) {
        Experiment& experiment = *experiments_[e];
        const std::vector<char> none;
        const std::vector<char>& out = left_out_.empty() ? none : left_out_[e];
        if (!experiment.predict(robot, out, predicted_, jacobian != nullptr ? &slopes_ : nullptr, trouble_))
          return false;
        for (std::size_t i = 0; i < experiment.points().size(); ++i) {
          const MeasuredPoint& point = experiment.points()[i];
          if (!acts(e, point.row)) continue;
          const double deviation = experiment.channels()[point.channel].deviation;
          const auto at = static_cast<Eigen::Index>(i);
          const LossyResidual residual =
              lossy(options_.loss, options_.loss_scale, (predicted_[at] - point.value) / deviation);
          residuals[next] = residual.value;
          if (jacobian != nullptr) jacobian->row(next) = residual.slope / deviation * slopes_.row(at);
          ++next;
        }
      }
    } catch (const ModelError& error) {
      trouble_ = error.what();
      return false;
    }
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const FreeParameter& parameter = parameters_[i];
      if (!(parameter.prior_deviation > 0.0)) continue;
      const auto at = static_cast<Eigen::Index>(i);
      residuals[next] = (values[at] - parameter.prior) / parameter.prior_deviation;
      if (jacobian != nullptr) (*jacobian)(next, at) = 1.0 / parameter.prior_deviation;
      ++next;
    }
    return true;
  }

 private:
  bool acts(std::size_t experiment, std::size_t row) const {
    return left_out_.empty() || left_out_[experiment].empty() || left_out_[experiment][row] == 0;
  }

  const Model& model_;
  const std::vector<FreeParameter>& parameters_;
  const std::vector<Experiment*>& experiments_;
  const LeftOut& left_out_;
  const IdentificationOptions& options_;
  int points_ = 0, priors_ = 0;
  std::string trouble_;
  VectorXd predicted_;
  MatrixXd slopes_;
};

/// Lets long predictions be interrupted while a search lasts, and not what describes its best.
class InterruptibleSearch {
 public:
  InterruptibleSearch(const std::vector<Experiment*>& experiments, const std::atomic<bool>* stop)
      : experiments_(experiments) {
    for (Experiment* experiment : experiments_) experiment->interrupt_with(stop);
  }
  ~InterruptibleSearch() {
    for (Experiment* experiment : experiments_) experiment->interrupt_with(nullptr);
  }
  InterruptibleSearch(const InterruptibleSearch&) = delete;
  InterruptibleSearch& operator=(const InterruptibleSearch&) = delete;

 private:
  const std::vector<Experiment*>& experiments_;
};

struct Solution {
  VectorXd values;
  LeastSquaresResult result;
};

/// From one start. @param before  evaluations of earlier starts, and the best cost of them.
Solution solve_from(ResidualSum& sum, const std::vector<FreeParameter>& parameters, const VectorXd& start,
                    const IdentificationOptions& options, int before, double best) {
  const InterruptibleSearch interruptible(sum.experiments(), options.stop);
  std::vector<ParameterTransform> transforms(parameters.begin(), parameters.end());
  const auto n = static_cast<Eigen::Index>(parameters.size());
  const auto values_of = [&](const VectorXd& z) {
    VectorXd values(n);
    for (Eigen::Index i = 0; i < n; ++i) values[i] = transforms[static_cast<std::size_t>(i)].value(z[i]);
    return values;
  };
  VectorXd z(n);
  for (Eigen::Index i = 0; i < n; ++i) z[i] = transforms[static_cast<std::size_t>(i)].free(start[i]);
  const Residuals residuals = [&](const VectorXd& at, VectorXd& result, MatrixXd* jacobian) {
    const VectorXd values = values_of(at);
    if (!values.allFinite() || !sum.evaluate(values, result, jacobian)) return false;
    for (Eigen::Index i = 0; jacobian != nullptr && i < n; ++i) {
      jacobian->col(i) *= transforms[static_cast<std::size_t>(i)].slope(at[i]);
    }
    return true;
  };
  LeastSquaresOptions solver;
  solver.tolerance = std::max(solver.tolerance, sum.precision());
  solver.max_evaluations = options.max_evaluations;
  solver.stop = [&options] { return options.stop != nullptr && *options.stop; };
  solver.improved = [&](const LeastSquaresProgress& progress) {
    if (options.progress && progress.cost < best) {
      options.progress({before + progress.evaluations, progress.cost, values_of(progress.z)});
    }
    return false;
  };
  Solution solution{{}, minimize_squares(residuals, z, sum.count(), solver)};
  solution.values = values_of(solution.result.z);
  return solution;
}

VectorXd start_values(const std::vector<FreeParameter>& parameters) {
  VectorXd values(static_cast<Eigen::Index>(parameters.size()));
  for (std::size_t i = 0; i < parameters.size(); ++i) values[static_cast<Eigen::Index>(i)] = parameters[i].start;
  return values;
}

/// Those with two bounds anywhere between them.
VectorXd random_start(const std::vector<FreeParameter>& parameters, std::mt19937_64& random) {
  VectorXd values = start_values(parameters);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const FreeParameter& p = parameters[i];
    if (!std::isfinite(p.lower) || !std::isfinite(p.upper)) continue;
    // the same on every machine, unlike std::uniform_real_distribution
    const double part = static_cast<double>(random() >> 11) * 0x1p-53;
    values[static_cast<Eigen::Index>(i)] =
        p.logarithmic ? p.lower * std::pow(p.upper / p.lower, part) : p.lower + (p.upper - p.lower) * part;
  }
  return values;
}

/// Of residuals over points: root of the mean square, in the channels' unit if they share one.
double rms_of(const std::vector<Experiment*>& experiments, const std::vector<ExperimentFit>& fits, std::string& unit) {
  bool shared = true;
  unit = experiments.front()->channels().front().unit;
  for (const Experiment* experiment : experiments) {
    for (const MeasuredChannel& channel : experiment->channels()) shared = shared && channel.unit == unit;
  }
  if (!shared) unit = "deviations";
  double sum = 0.0, count = 0.0;
  for (std::size_t e = 0; e < experiments.size(); ++e) {
    for (std::size_t i = 0; i < experiments[e]->points().size(); ++i) {
      const MeasuredPoint& point = experiments[e]->points()[i];
      const double difference = fits[e].predicted[static_cast<Eigen::Index>(i)] - point.value;
      if (!std::isfinite(difference)) continue;
      const double size = shared ? 1.0 : experiments[e]->channels()[point.channel].deviation;
      sum += difference * difference / (size * size), count += 1.0;
    }
  }
  return std::sqrt(sum / count);
}

/// The component of a frame's position that a channel measures.
std::optional<std::pair<std::string, std::size_t>> position_component(const MeasuredChannel& channel) {
  const std::string& name = channel.quantity;
  if (channel.unit != "m" || name.size() < 3 || name[name.size() - 2] != '.') return std::nullopt;
  if (name.back() < 'x' || name.back() > 'z') return std::nullopt;
  return std::pair(name.substr(0, name.size() - 2), static_cast<std::size_t>(name.back() - 'x'));
}

/// Squares of the errors of a position, by component.
struct SquaredDistance {
  std::array<double, 3> sums{}, counts{};
  /// Nothing if a component was not measured.
  std::optional<double> square() const {
    double total = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      if (counts[k] == 0.0) return std::nullopt;
      total += sums[k] / counts[k];
    }
    return total;
  }
};

void summarize_channels(const Experiment& experiment, ExperimentFit& fit) {
  const auto& channels = experiment.channels();
  fit.channels.clear(), fit.frames.clear();
  std::set<std::string> taken;
  for (const MeasuredChannel& channel : channels) {
    const bool is_new = taken.insert(channel.quantity).second;
    fit.channels.push_back(
        {is_new ? channel.quantity : fmt::format("{} ({})", channel.quantity, channel.column), channel.unit});
  }
  std::map<std::string, std::map<std::size_t, SquaredDistance>> distances;  // by frame and row
  for (std::size_t i = 0; i < experiment.points().size(); ++i) {
    const MeasuredPoint& point = experiment.points()[i];
    const double difference = fit.predicted[static_cast<Eigen::Index>(i)] - point.value;
    if (!std::isfinite(difference)) continue;
    ChannelFit& channel = fit.channels[point.channel];
    channel.rms += difference * difference, channel.max = std::max(channel.max, std::abs(difference)), ++channel.count;
    const auto component = position_component(channels[point.channel]);
    if (!component) continue;
    SquaredDistance& distance = distances[component->first][point.row];
    distance.sums[component->second] += difference * difference, distance.counts[component->second] += 1.0;
  }
  for (ChannelFit& channel : fit.channels) {
    channel.rms = std::sqrt(channel.rms / static_cast<double>(channel.count));
    if (channel.count == 0) channel.max = k_not_known;
  }
  for (const auto& [frame, rows] : distances) {
    ChannelFit distance{frame + ".position", "m"};
    for (const auto& [row, parts] : rows) {
      const auto square = parts.square();
      if (!square) continue;
      distance.rms += *square, distance.max = std::max(distance.max, std::sqrt(*square)), ++distance.count;
    }
    if (distance.count == 0) continue;
    distance.rms = std::sqrt(distance.rms / static_cast<double>(distance.count));
    fit.frames.push_back(distance);
  }
}

std::string why_it_ended(LeastSquaresStatus status) {
  switch (status) {
    case LeastSquaresStatus::converged:
      return "converged";
    case LeastSquaresStatus::most_evaluations:
      return "not converged: it was still improving after the most evaluations";
    case LeastSquaresStatus::stopped:
      return "stopped: the best so far";
    case LeastSquaresStatus::failed:
      return "failed";
  }
  return "";
}

}  // namespace

ExperimentFit fit_of(const Model& model, const std::vector<FreeParameter>& parameters, const VectorXd& values,
                     Experiment& experiment, const std::vector<char>& left_out) {
  ExperimentFit fit;
  const FreedRobot robot(model, parameters, values, false);
  fit.missing = experiment.predict_rows(robot, left_out, fit.predicted);
  summarize_channels(experiment, fit);
  return fit;
}

Identification identify(const Model& model, const std::vector<FreeParameter>& parameters,
                        const std::vector<Experiment*>& experiments, const IdentificationOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const LeftOut none;
  require_distinct(parameters);
  ResidualSum sum(model, parameters, experiments, none, options);
  if (parameters.empty() || sum.count() <= static_cast<int>(parameters.size())) {
    throw ArgumentError(
        fmt::format("identify: found {} measurements{} for {} free parameters, expected more", sum.measurements(),
                    sum.has_priors() ? fmt::format(" and {} priors", sum.priors()) : "", parameters.size()));
  }
  std::mt19937_64 random(static_cast<std::uint64_t>(options.seed));
  Identification found;
  found.cost = k_nowhere;
  bool interrupted = false;
  std::string first_trouble;
  for (int start = 0; start < options.starts && !interrupted; ++start) {
    interrupted = start > 0 && options.stop != nullptr && *options.stop;
    if (interrupted) break;
    const VectorXd from = start == 0 ? start_values(parameters) : random_start(parameters, random);
    Solution solution = solve_from(sum, parameters, from, options, found.evaluations, found.cost);
    found.evaluations += solution.result.evaluations;
    found.start_costs.push_back(solution.result.cost);
    interrupted = solution.result.status == LeastSquaresStatus::stopped;
    if (start == 0) first_trouble = sum.trouble();
    if (!(solution.result.cost < found.cost)) continue;
    found.cost = solution.result.cost, found.values = solution.values, found.status = solution.result.status;
  }
  if (!std::isfinite(found.cost)) {
    if (interrupted) throw InterruptedError("identify: interrupted before anything was compared");
    throw ArgumentError(
        fmt::format("identify: found nothing to compare with, beginning with the values of the file{}: {}",
                    options.starts > 1 ? " and at random" : "", first_trouble));
  }
  if (interrupted) found.status = LeastSquaresStatus::stopped;
  found.message = why_it_ended(found.status);
  found.measurement_count = static_cast<std::size_t>(sum.measurements());
  found.prior_count = static_cast<std::size_t>(sum.priors());

  VectorXd residuals;
  MatrixXd jacobian;
  if (sum.evaluate(found.values, residuals, &jacobian)) {
    describe_uncertainty(parameters, residuals, jacobian, sum.has_priors(), found);
  } else {
    describe_as_unknown(parameters, found);
    found.message += "; without intervals, as there are no derivatives: " + sum.trouble();
  }
  for (Experiment* experiment : experiments) found.fits.push_back(fit_of(model, parameters, found.values, *experiment));
  found.rms = rms_of(experiments, found.fits, found.rms_unit);
  found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return found;
}

namespace {

/// Groups of rows, dealt to folds in turn.
std::map<std::string, std::size_t> deal_folds(const std::vector<FreeParameter>& parameters,
                                              const std::vector<Experiment*>& experiments, int folds) {
  std::map<std::string, std::size_t> fold_of;
  for (const Experiment* experiment : experiments) {
    for (const std::string& group : experiment->groups()) fold_of.emplace(group, fold_of.size());
  }
  const auto count = static_cast<std::size_t>(std::max(folds, 0));
  if (folds < 2 || count > fold_of.size()) {
    throw ArgumentError(fmt::format("cross_validate: found {} folds, expected 2 to {}, the number of groups of rows",
                                    folds, fold_of.size()));
  }
  for (auto& [group, fold] : fold_of) fold %= count;
  std::vector<std::size_t> own(count, 0);
  std::size_t all = 0;
  for (const FreeParameter& parameter : parameters) all += parameter.prior_deviation > 0.0 ? 1 : 0;
  for (const Experiment* experiment : experiments) {
    for (const MeasuredPoint& point : experiment->points()) ++own[fold_of.at(experiment->groups()[point.row])], ++all;
  }
  const std::size_t most = *std::max_element(own.begin(), own.end());
  if (all - most < parameters.size()) {
    throw ArgumentError(
        fmt::format("cross_validate: found {} measurements for {} free parameters without one of the folds, expected "
                    "at least as many: more folds leave out fewer",
                    all - most, parameters.size()));
  }
  return fold_of;
}

/// Rows of which something was measured and that are not left out, with why they are not predicted.
std::vector<UnpredictedRows> all_missing(const Experiment& experiment, const std::vector<char>& left_out,
                                         const std::string& why) {
  std::set<std::size_t> rows;
  for (const MeasuredPoint& point : experiment.points()) {
    if (left_out[point.row] == 0) rows.insert(point.row);
  }
  std::vector<UnpredictedRows> missing;
  missing.reserve(rows.size());
  for (const std::size_t row : rows) missing.push_back({row, row, why});
  return missing;
}

}  // namespace

InterruptedError::~InterruptedError() = default;

void check_folds(const std::vector<FreeParameter>& parameters, const std::vector<Experiment*>& experiments, int folds) {
  deal_folds(parameters, experiments, folds);
}

CrossValidation cross_validate(const Model& model, const std::vector<FreeParameter>& parameters,
                               const std::vector<Experiment*>& experiments, const Identification& all, int folds,
                               const IdentificationOptions& options) {
  const std::map<std::string, std::size_t> fold_of = deal_folds(parameters, experiments, folds);
  CrossValidation result;
  for (const Experiment* experiment : experiments) {
    result.fits.emplace_back();
    result.fits.back().predicted.setConstant(static_cast<Eigen::Index>(experiment->points().size()), k_not_known);
  }
  IdentificationOptions quiet = options;
  quiet.progress = {};
  for (std::size_t fold = 0; fold < static_cast<std::size_t>(folds); ++fold) {
    if (options.stop != nullptr && *options.stop) break;
    LeftOut learned, predicted;
    for (const Experiment* experiment : experiments) {
      std::vector<char> own;
      for (const std::string& group : experiment->groups()) own.push_back(fold_of.at(group) == fold ? 1 : 0);
      predicted.push_back(own);
      for (char& out : predicted.back()) out = out == 0 ? 1 : 0;
      learned.push_back(std::move(own));
    }
    ResidualSum sum(model, parameters, experiments, learned, quiet);
    const Solution solution = solve_from(sum, parameters, all.values, quiet, 0, 0.0);
    if (solution.result.status == LeastSquaresStatus::stopped) break;  // half a search has learned from half a fold
    ++result.folds;
    const bool nowhere = !std::isfinite(solution.result.cost);  // its values are those that know the rows
    result.values.push_back(solution.values);
    if (nowhere) result.values.back().setConstant(k_not_known);
    for (std::size_t e = 0; e < experiments.size(); ++e) {
      ExperimentFit& merged = result.fits[e];
      ExperimentFit fit;
      if (nowhere) {
        fit.missing =
            all_missing(*experiments[e], predicted[e], "the search without its fold failed: " + sum.trouble());
      } else {
        fit = fit_of(model, parameters, solution.values, *experiments[e], predicted[e]);
      }
      merged.missing.insert(merged.missing.end(), fit.missing.begin(), fit.missing.end());
      for (Eigen::Index i = 0; i < fit.predicted.size(); ++i) {
        if (std::isfinite(fit.predicted[i])) merged.predicted[i] = fit.predicted[i];
      }
    }
  }
  for (std::size_t e = 0; e < experiments.size(); ++e) summarize_channels(*experiments[e], result.fits[e]);
  std::string unit;
  result.rms = rms_of(experiments, result.fits, unit);
  return result;
}

}  // namespace cuttle
