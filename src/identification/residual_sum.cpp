#include "identification/residual_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cuttle/error.h"

namespace cuttle {
namespace {

/// What a search moves: a parameter, or its logarithm.
double searched(const FreeParameter& parameter, double value) {
  return parameter.logarithmic ? std::log(value) : value;
}

double found_at(const FreeParameter& parameter, double z) { return parameter.logarithmic ? std::exp(z) : z; }

/// Bounds of the search. At a bound itself a robot may not exist, as one without mass: they lie inside by a little.
void set_bounds(const std::vector<FreeParameter>& parameters, LeastSquaresOptions& options) {
  constexpr double k_inside = 1e-9;  // of the width, or with one bound of the start's size
  const auto n = static_cast<Eigen::Index>(parameters.size());
  options.lower.resize(n), options.upper.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const FreeParameter& parameter = parameters[static_cast<std::size_t>(i)];
    const bool to_zero = parameter.logarithmic && !(parameter.lower > 0.0);
    const double lower = to_zero ? -std::numeric_limits<double>::infinity() : searched(parameter, parameter.lower);
    const double upper = searched(parameter, parameter.upper), size = std::abs(parameter.start);
    double width = parameter.logarithmic || !(size > 0.0) ? 1.0 : size;
    if (std::isfinite(lower) && std::isfinite(upper)) width = upper - lower;
    options.lower[i] = lower + k_inside * width, options.upper[i] = upper - k_inside * width;
  }
}

}  // namespace

ResidualSum::ResidualSum(const Model& model, const std::vector<FreeParameter>& parameters,
                         const std::vector<Experiment*>& experiments, const LeftOut& left_out,
                         const IdentificationOptions& options)
    : model_(model),
      parameters_(parameters),
      experiments_(experiments),
      left_out_(left_out),
      loss_(options.loss),
      loss_scale_(options.loss_scale.value_or(1.0)) {
  for (std::size_t e = 0; e < experiments.size(); ++e) {
    for (const MeasuredPoint& point : experiments[e]->points()) points_ += acts(e, point.row) ? 1 : 0;
  }
  for (const FreeParameter& parameter : parameters) priors_ += parameter.prior_deviation > 0.0 ? 1 : 0;
}

double ResidualSum::precision() const {
  double worst = 0.0;
  for (const Experiment* experiment : experiments_) worst = std::max(worst, experiment->precision());
  return worst;
}

double ResidualSum::run_tolerance() const {
  const std::vector<double> all = run_tolerances();
  return all.empty() ? 0.0 : *std::max_element(all.begin(), all.end());
}

std::vector<double> ResidualSum::run_tolerances() const {
  std::vector<double> all;
  for (const Experiment* experiment : experiments_) all.push_back(experiment->run_tolerance());
  return all;
}

void ResidualSum::set_run_tolerances(const std::vector<double>& relative) {
  for (std::size_t e = 0; e < experiments_.size(); ++e) {
    if (relative[e] > 0.0) experiments_[e]->set_run_tolerance(relative[e]);
  }
}

void ResidualSum::tighten_runs(double relative) {
  std::vector<double> all = run_tolerances();
  for (double& one : all) one = std::min(one, relative);
  set_run_tolerances(all);
}

double ResidualSum::spread() const {
  double sum = 0.0;
  for (std::size_t e = 0; e < experiments_.size(); ++e) {
    const Experiment& experiment = *experiments_[e];
    const std::size_t channels = experiment.channels().size();
    std::vector<double> count(channels, 0.0), mean(channels, 0.0);
    for (const MeasuredPoint& point : experiment.points()) {
      if (acts(e, point.row)) count[point.channel] += 1.0, mean[point.channel] += point.value;
    }
    for (std::size_t c = 0; c < channels; ++c) mean[c] = count[c] > 1.0 ? mean[c] / count[c] : 0.0;
    for (const MeasuredPoint& point : experiment.points()) {
      if (!acts(e, point.row)) continue;
      sum += std::pow((point.value - mean[point.channel]) / experiment.channels()[point.channel].deviation, 2);
    }
  }
  return std::max(std::sqrt(sum / std::max(points_, 1)), 1e-12 * size());
}

double ResidualSum::size() const {
  double sum = 0.0;
  for (std::size_t e = 0; e < experiments_.size(); ++e) {
    for (const MeasuredPoint& point : experiments_[e]->points()) {
      if (acts(e, point.row)) sum += std::pow(point.value / experiments_[e]->channels()[point.channel].deviation, 2);
    }
  }
  return std::sqrt(sum / std::max(points_, 1));
}

bool ResidualSum::evaluate_plain(const VectorXd& values, VectorXd& residuals, MatrixXd* jacobian) {
  residuals.resize(count());
  if (jacobian != nullptr) jacobian->setZero(count(), values.size());
  Eigen::Index next = 0;
  try {
    const FreedRobot robot(model_, parameters_, values, jacobian != nullptr);
    for (std::size_t e = 0; e < experiments_.size(); ++e) {
      Experiment& experiment = *experiments_[e];
      const std::vector<char> none;
      const std::vector<char>& out = left_out_.empty() ? none : left_out_[e];
      if (!experiment.predict(robot, out, predicted_, jacobian != nullptr ? &slopes_ : nullptr, trouble_)) return false;
      for (std::size_t i = 0; i < experiment.points().size(); ++i) {
        const MeasuredPoint& point = experiment.points()[i];
        if (!acts(e, point.row)) continue;
        const double deviation = experiment.channels()[point.channel].deviation;
        const auto at = static_cast<Eigen::Index>(i);
        residuals[next] = (predicted_[at] - point.value) / deviation;
        if (jacobian != nullptr) jacobian->row(next) = slopes_.row(at) / deviation;
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

bool ResidualSum::evaluate(const VectorXd& values, VectorXd& residuals, MatrixXd* jacobian) {
  if (!evaluate_plain(values, residuals, jacobian)) return false;
  for (Eigen::Index i = 0; i < points_ && loss_ != Loss::squares; ++i) {
    const LossyResidual residual = lossy(loss_, loss_scale_, residuals[i]);
    residuals[i] = residual.value;
    if (jacobian != nullptr) jacobian->row(i) *= residual.slope;
  }
  return true;
}

Solution solve_from(ResidualSum& sum, const VectorXd& start, const IdentificationOptions& options, int before,
                    double best) {
  const InterruptibleSearch interruptible(sum.experiments(), options.stop);
  const std::vector<FreeParameter>& parameters = sum.parameters();
  const auto n = static_cast<Eigen::Index>(parameters.size());
  const auto values_of = [&](const VectorXd& z) {
    VectorXd values(n);
    for (Eigen::Index i = 0; i < n; ++i) values[i] = found_at(parameters[static_cast<std::size_t>(i)], z[i]);
    return values;
  };
  VectorXd z(n);
  for (Eigen::Index i = 0; i < n; ++i) z[i] = searched(parameters[static_cast<std::size_t>(i)], start[i]);
  const Residuals residuals = [&](const VectorXd& at, VectorXd& result, MatrixXd* jacobian) {
    const VectorXd values = values_of(at);
    if (!values.allFinite() || !sum.evaluate(values, result, jacobian)) return false;
    for (Eigen::Index i = 0; jacobian != nullptr && i < n; ++i) {
      if (parameters[static_cast<std::size_t>(i)].logarithmic) jacobian->col(i) *= values[i];
    }
    return true;
  };
  LeastSquaresOptions solver;
  set_bounds(parameters, solver);
  // a predicted fall by 1e-3 / count of the sum moves values by 2 % of the half widths of their intervals
  solver.tolerance = std::max(solver.tolerance, std::min(sum.precision(), 1e-3 / sum.count()));
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

}  // namespace cuttle
