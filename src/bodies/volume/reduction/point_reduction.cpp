#include "cuttle/bodies/point_reduction.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "bodies/volume/reduction/nonnegative_fit.h"
#include "bodies/volume/reduction/point_samples.h"
#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// How large each integral usually is, by the rows of a state: root mean square over the states. Those that vanish, as
/// by symmetry, are measured by what their points add up to.
VectorXd usual_sizes(const PointIntegrals& integrals) {
  constexpr double k_cancelled = 0.02;
  const Index each = integrals.rows.rows() / integrals.states;
  VectorXd sum = VectorXd::Zero(each), parts = sum;
  const VectorXd total = integrals.rows.rowwise().sum(), size = integrals.rows.cwiseAbs().rowwise().sum();
  for (Index k = 0; k < integrals.states; ++k) {
    sum += total.segment(k * each, each).cwiseAbs2(), parts += size.segment(k * each, each).cwiseAbs2();
  }
  const auto states = static_cast<double>(integrals.states);
  VectorXd usual = (sum / states).cwiseSqrt().cwiseMax(k_cancelled * (parts / states).cwiseSqrt());
  for (double& one : usual) one = one > 0.0 ? one : 1.0;  // always zero
  return usual;
}

/// Divides the rows by the sizes; of a group of m by sqrt(m) more, so that its error is the norm of its rows.
void scale_rows(const VectorXd& usual, PointIntegrals& integrals) {
  const Index each = usual.size();
  for (const PointIntegrals::Group& group : integrals.groups) {
    const double more = std::sqrt(static_cast<double>(group.count));
    for (Index k = 0; k < integrals.states; ++k) {
      for (Index r = group.first; r < group.first + group.count; ++r) {
        integrals.rows.row(k * each + r) /= more * usual[r];
      }
    }
  }
}

/// Largest error of a group in a state.
double largest_error(const PointIntegrals& integrals, const VectorXd& difference) {
  const Index each = integrals.rows.rows() / integrals.states;
  double most = 0.0;
  for (Index k = 0; k < integrals.states; ++k) {
    for (const PointIntegrals::Group& group : integrals.groups) {
      most = std::max(most, difference.segment(k * each + group.first, group.count).norm());
    }
  }
  return most;
}

/// What stays exact, by points: volume and its moments at rest.
MatrixXd exact_rows(const Quadrature& rule) {
  MatrixXd rows(4, std::ssize(rule.points));
  double length = 0.0;
  for (const Vector3& x : rule.points) length = std::max(length, norm(x));
  double volume = 0.0;
  for (const double weight : rule.weights) volume += weight;
  for (Index i = 0; i < rows.cols(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double weight = rule.weights[at] / volume;
    rows(0, i) = weight;
    for (int k = 0; k < 3; ++k) rows(k + 1, i) = weight * rule.points[at][k] / length;
  }
  return rows;
}

/// The least change of the factors, relative to them, that makes the exact rows exact. @return false: one is not > 0.
bool make_exact(const MatrixXd& exact, const std::vector<std::size_t>& kept, std::vector<double>& factors) {
  const Index m = std::ssize(kept);
  MatrixXd of_kept(exact.rows(), m);
  for (Index i = 0; i < m; ++i) {
    of_kept.col(i) =
        exact.col(static_cast<Index>(kept[static_cast<std::size_t>(i)])) * factors[static_cast<std::size_t>(i)];
  }
  const VectorXd missing = exact.rowwise().sum() - of_kept.rowwise().sum();
  const VectorXd change = of_kept.completeOrthogonalDecomposition().solve(missing);
  for (Index i = 0; i < m; ++i) factors[static_cast<std::size_t>(i)] *= 1.0 + change[i];
  return std::all_of(factors.begin(), factors.end(), [](double factor) { return factor > 0.0; });
}

/// Points and factors of a fit, in the order of the points.
void take_fit(const NonnegativeFit& fit, PointReduction& reduction) {
  std::vector<std::pair<std::size_t, double>> all;
  for (std::size_t i = 0; i < fit.columns().size(); ++i) {
    all.emplace_back(static_cast<std::size_t>(fit.columns()[i]), fit.values()[i]);
  }
  std::sort(all.begin(), all.end());
  reduction.kept.clear(), reduction.factors.clear();
  for (const auto& [point, factor] : all) reduction.kept.push_back(point), reduction.factors.push_back(factor);
}

VectorXd errors_of(const PointReduction& reduction, const PointIntegrals& integrals) {
  VectorXd difference = -integrals.rows.rowwise().sum();
  for (std::size_t i = 0; i < reduction.kept.size(); ++i) {
    difference += reduction.factors[i] * integrals.rows.col(static_cast<Index>(reduction.kept[i]));
  }
  return difference;
}

void keep_all(PointReduction& reduction) {
  const std::size_t count = reduction.full.points.size();
  reduction.kept.resize(count);
  for (std::size_t i = 0; i < count; ++i) reduction.kept[i] = i;
  reduction.factors.assign(count, 1.0);
  reduction.error = 0.0;
}

void append(const PointIntegrals& more, PointIntegrals& known) {
  MatrixXd rows(known.rows.rows() + more.rows.rows(), known.rows.cols());
  rows << known.rows, more.rows;
  known.rows = std::move(rows), known.states += more.states;
}

enum class Outcome { good, unknown_states, too_many };

/// Fits points to the known states until fresh ones agree.
Outcome fit_points(const PointIntegrals& known, const PointIntegrals& fresh, PointReduction& reduction) {
  // exact ones with more weight than any error that counts; the fit comes close, make_exact does the rest
  constexpr double k_weight_of_exact = 10.0, k_closer = 0.5, k_progress = 0.9;
  constexpr int k_most_checks = 4, k_most_in_vain = 60;
  const Index points = known.rows.cols();
  const MatrixXd exact = exact_rows(reduction.full);
  MatrixXd all(known.rows.rows() + exact.rows(), points);
  all << known.rows, k_weight_of_exact * exact;
  const VectorXd wanted = all.rowwise().sum();
  NonnegativeFit fit(all, wanted);
  double aim = reduction.options.tolerance, before = wanted.norm();
  int since = 0;  // advances since the residual was `before`
  for (int checks = 0; checks < k_most_checks;) {
    if (2 * std::ssize(fit.columns()) > points) return Outcome::too_many;
    if (!fit.advance()) break;
    // near the limits of rounding columns only take each other's places
    if (const double left = fit.residual().norm(); left < k_progress * before) {
      before = left, since = 0;
    } else if (++since > k_most_in_vain) {
      return Outcome::too_many;
    }
    if (largest_error(known, fit.residual().head(known.rows.rows())) > aim) continue;
    take_fit(fit, reduction);
    const bool positive = make_exact(exact, reduction.kept, reduction.factors);
    reduction.error = largest_error(fresh, errors_of(reduction, fresh));
    if (positive && reduction.error <= reduction.options.tolerance) return Outcome::good;
    aim *= k_closer, ++checks;
  }
  return Outcome::unknown_states;
}

}  // namespace

PointReduction reduce_points(const VolumeBody& body, const PointReductionOptions& options) {
  if (!(options.tolerance > 0.0)) throw ModelError("reduce", number_text(options.tolerance), "a number > 0");
  if (!(options.strain > 0.0)) throw ModelError("strain", number_text(options.strain), "a number > 0");
  constexpr unsigned k_seed = 1, k_seed_of_checks = 2;
  constexpr Index k_first_states = 24, k_checks = 24;
  constexpr double k_most_numbers = 3e7;  // of the samples: 240 MB
  PointReduction reduction{options, body.parameters().quadrature, {}, {}, 0.0};
  PointSampler sampler(body, options.strain, k_seed), checker(body, options.strain, k_seed_of_checks);
  const Index points = std::ssize(reduction.full.points);
  PointIntegrals fresh = checker.draw(k_checks), known = sampler.draw(k_first_states);
  const VectorXd usual = usual_sizes(known);
  scale_rows(usual, fresh), scale_rows(usual, known);
  for (;;) {
    const Outcome outcome = fit_points(known, fresh, reduction);
    if (outcome == Outcome::good) return reduction;
    // more states than points add nothing that a fit to these could miss
    const bool enough = known.rows.rows() > 4 * points || 2.0 * static_cast<double>(known.rows.size()) > k_most_numbers;
    if (outcome == Outcome::too_many || enough) break;
    PointIntegrals more = sampler.draw(known.states);
    scale_rows(usual, more);
    append(more, known);
  }
  keep_all(reduction);
  return reduction;
}

template <typename S>
QuadratureT<S> reduced_quadrature(const QuadratureT<S>& full, const PointReduction& reduction) {
  const std::size_t count = reduction.full.points.size();
  if (full.points.size() != count) {
    throw ModelError("quadrature", std::to_string(full.points.size()) + " points",
                     std::to_string(count) + ", of which some were chosen");
  }
  QuadratureT<S> reduced;
  S volume(0.0), kept_volume(0.0);
  for (const S& weight : full.weights) volume += weight;
  for (std::size_t i = 0; i < reduction.kept.size(); ++i) {
    reduced.points.push_back(full.points[reduction.kept[i]]);
    reduced.weights.push_back(S(reduction.factors[i]) * full.weights[reduction.kept[i]]);
    kept_volume += reduced.weights.back();
  }
  for (S& weight : reduced.weights) weight *= volume / kept_volume;
  return reduced;
}

#define CUTTLE_INSTANTIATE(S) template QuadratureT<S> reduced_quadrature(const QuadratureT<S>&, const PointReduction&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
