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
#include "identification/residual_sum.h"
#include "identification/uncertainty.h"
#include "identification/verdict.h"

namespace cuttle {
namespace {

constexpr double k_nowhere = std::numeric_limits<double>::infinity();
constexpr double k_least_noise = 1e-5;  // as a part of how much the data vary
constexpr double k_not_known = std::numeric_limits<double>::quiet_NaN();

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

/// Rows of motions later than a part of each recording.
LeftOut rows_after(const std::vector<Experiment*>& experiments, double part) {
  LeftOut left_out;
  for (const Experiment* experiment : experiments) {
    const std::vector<double>& times = experiment->times();
    left_out.emplace_back(experiment->row_count(), 0);
    for (std::size_t row = 0; row < times.size(); ++row) {
      left_out.back()[row] = times[row] > times.front() + part * (times.back() - times.front()) ? 1 : 0;
    }
  }
  return left_out;
}

/// A search along recordings that get longer: from a wrong start a long run is soon in another phase than the data, and
/// the sum of squares has many minima, while its beginning leads on.
VectorXd learn_from_the_beginning(const Model& model, const ResidualSum& sum, const IdentificationOptions& options,
                                  VectorXd values, int& evaluations) {
  IdentificationOptions quiet = options;
  quiet.progress = {};
  for (const double part : {1.0 / 32, 1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2}) {
    const LeftOut later = rows_after(sum.experiments(), part);
    ResidualSum beginning(model, sum.parameters(), sum.experiments(), later, options);
    beginning.set_loss_scale(sum.loss_scale());
    if (beginning.count() < 2 * static_cast<int>(sum.parameters().size())) continue;
    const Solution solution = solve_from(beginning, values, quiet, 0, 0.0);
    evaluations += solution.result.evaluations;
    if (std::isfinite(solution.result.cost)) values = solution.values;
  }
  return values;
}

/// Where a loss begins to forgive, in robust deviations of the residuals: of normal ones it costs 5 % of precision.
double loss_scale_factor(Loss loss) { return loss == Loss::cauchy ? 2.385 : 1.345; }

/// Goes on from a solution, and replaces it.
/// @return whether it ended by itself.
bool solve_again(ResidualSum& sum, const IdentificationOptions& options, Identification& found) {
  IdentificationOptions quiet = options;
  quiet.progress = {};
  const Solution solution = solve_from(sum, found.values, quiet, found.evaluations, 0.0);
  found.evaluations += solution.result.evaluations;
  if (!std::isfinite(solution.result.cost)) return false;
  found.values = solution.values, found.cost = solution.result.cost, found.status = solution.result.status;
  return found.status != LeastSquaresStatus::stopped;
}

/// A loss without a scale takes that of the residuals, which its own solution has.
void settle_loss_scale(ResidualSum& sum, const IdentificationOptions& options, Identification& found) {
  constexpr int k_most_rounds = 12;
  constexpr double k_same = 0.02;  // far less than what is known of a deviation
  const double least = 1e-9 * sum.spread();
  VectorXd residuals;
  for (int round = 0; round < k_most_rounds; ++round) {
    if (!sum.evaluate_plain(found.values, residuals, nullptr)) return;
    const VectorXd measured = residuals.head(sum.measurements());
    const double before = sum.loss_scale();
    sum.set_loss_scale(std::max(loss_scale_factor(options.loss) * robust_deviation(measured), least));
    if (std::abs(sum.loss_scale() - before) <= k_same * before) return;
    if (!solve_again(sum, options, found)) return;
  }
}

/// Runs that are as good as the intervals need: a finer run tells by how much the values would move.
void refine_runs(ResidualSum& sum, const IdentificationOptions& options, Identification& found) {
  constexpr double k_finer = 1e-2, k_finest = 1e-10;
  constexpr double k_most_moved = 0.02;  // half widths of the intervals
  for (double tolerance = sum.run_tolerance(); tolerance > k_finest; tolerance = sum.run_tolerance()) {
    double moved = 0.0;
    {
      const InterruptibleSearch interruptible(sum.experiments(), options.stop);
      VectorXd residuals, finer;
      MatrixXd jacobian;
      if (!sum.evaluate(found.values, residuals, &jacobian) || !sum.evaluate(found.values, residuals, nullptr)) return;
      const std::vector<double> as_it_was = sum.run_tolerances();
      sum.tighten_runs(std::max(k_finer * tolerance, k_finest));
      const bool compared = sum.evaluate(found.values, finer, nullptr);
      sum.set_run_tolerances(as_it_was);
      if (!compared) return;
      moved = moved_half_widths(sum, found.values, residuals, jacobian, finer - residuals, k_least_noise);
    }
    found.runs_settled = moved <= k_most_moved;
    if (found.runs_settled) return;
    // errors fall about as the tolerance does
    sum.tighten_runs(std::max(tolerance * std::clamp(0.5 * k_most_moved / moved, k_finer, 0.1), k_finest));
    if (!solve_again(sum, options, found)) return;
  }
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

namespace {

/// Of each experiment.
using Memories = std::vector<std::vector<VectorXd>>;
Memories memories_of(const std::vector<Experiment*>& experiments) {
  Memories all;
  for (const Experiment* experiment : experiments) all.push_back(experiment->memory());
  return all;
}
void remember(const Memories& all, const std::vector<Experiment*>& experiments) {
  for (std::size_t i = 0; i < experiments.size(); ++i) experiments[i]->set_memory(all[i]);
}

}  // namespace

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
  const auto bounded = [](const FreeParameter& one) { return std::isfinite(one.lower) && std::isfinite(one.upper); };
  if (options.starts > 1 && std::none_of(parameters.begin(), parameters.end(), bounded)) {
    throw ArgumentError(
        fmt::format("identify: found {} starts and no free parameter with two bounds, expected one at least, as --free "
                    "PATH=LOWER:UPPER: others begin where they are in the file",
                    options.starts));
  }
  if (options.only_start && (*options.only_start < 0 || *options.only_start >= options.starts)) {
    throw ArgumentError(fmt::format("identify: found the start {} of {}, expected 0 to {}", *options.only_start,
                                    options.starts, options.starts - 1));
  }
  const bool free_scale = options.loss != Loss::squares && !options.loss_scale;
  if (free_scale) sum.set_loss_scale(loss_scale_factor(options.loss) * sum.spread());
  std::mt19937_64 random(static_cast<std::uint64_t>(options.seed));
  Identification found;
  found.cost = k_nowhere;
  bool interrupted = false;
  std::string first_trouble;
  const Memories at_first = memories_of(experiments);
  Memories of_best = at_first;
  const auto search_from = [&](const VectorXd& from) {
    remember(at_first, experiments);  // no search depends on those before it
    const Solution solution = solve_from(sum, from, options, found.evaluations, found.cost);
    found.evaluations += solution.result.evaluations;
    interrupted = solution.result.status == LeastSquaresStatus::stopped;
    if (solution.result.cost < found.cost) {
      found.cost = solution.result.cost, found.values = solution.values, found.status = solution.result.status;
      of_best = memories_of(experiments);
    }
    return solution.result.cost;
  };
  for (int start = 0; start < options.starts && !interrupted; ++start) {
    interrupted = start > 0 && options.stop != nullptr && *options.stop;
    if (interrupted) break;
    const VectorXd from = start == 0 ? start_values(parameters) : random_start(parameters, random);
    if (options.only_start && *options.only_start != start) continue;
    found.start_costs.push_back(search_from(from));
    if (found.start_costs.size() == 1) first_trouble = sum.trouble();
  }
  remember(of_best, experiments);
  const bool moves =
      std::any_of(experiments.begin(), experiments.end(), [](const Experiment* e) { return !e->times().empty(); });
  if (moves && !interrupted && leaves_much(sum, found.values.size() > 0 ? found.values : start_values(parameters))) {
    search_from(learn_from_the_beginning(model, sum, options, start_values(parameters), found.evaluations));
  }
  if (!std::isfinite(found.cost)) {
    if (interrupted) throw InterruptedError("identify: interrupted before anything was compared");
    throw ArgumentError(
        fmt::format("identify: found nothing to compare with, beginning with the values of the file{}: {}",
                    options.starts > 1 ? " and at random" : "", first_trouble));
  }
  remember(of_best, experiments);
  if (interrupted) found.status = LeastSquaresStatus::stopped;
  const auto goes_on = [&] { return found.status != LeastSquaresStatus::stopped; };
  if (free_scale && goes_on()) settle_loss_scale(sum, options, found);
  if (options.refine_runs && goes_on()) refine_runs(sum, options, found);
  if (options.stop != nullptr && *options.stop) found.status = LeastSquaresStatus::stopped;
  found.loss_scale = options.loss == Loss::squares ? 0.0 : sum.loss_scale();
  found.run_tolerance = sum.run_tolerance();
  found.measurement_count = static_cast<std::size_t>(sum.measurements());
  found.prior_count = static_cast<std::size_t>(sum.priors());

  VectorXd residuals;
  MatrixXd jacobian;
  const bool described = sum.evaluate(found.values, residuals, &jacobian);
  if (described) {
    describe_uncertainty(parameters, residuals, jacobian, sum.has_priors(), found);
  } else {
    describe_as_unknown(parameters, found);
  }
  const std::string no_slopes = sum.trouble();
  // the search sees runs without derivatives
  const bool comparable = described && sum.evaluate(found.values, residuals, nullptr);
  for (Experiment* experiment : experiments) found.fits.push_back(fit_of(model, parameters, found.values, *experiment));
  found.rms = rms_of(experiments, found.fits, found.rms_unit);
  const double least_noise = std::max(k_least_noise, sum.run_tolerance());
  std::optional<double> from_minimum;
  if (comparable) {
    from_minimum = moved_half_widths(sum, found.values, residuals, jacobian, residuals, least_noise);
  }
  judge(sum, options, from_minimum, found);
  if (!described) found.message += "; without intervals, as there are no derivatives: " + no_slopes;
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
  if (options.loss != Loss::squares) quiet.loss_scale = all.loss_scale;
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
    const Solution solution = solve_from(sum, all.values, quiet, 0, 0.0);
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
