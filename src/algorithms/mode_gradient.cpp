#include "cuttle/algorithms/mode_gradient.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "algorithms/first_order_motion.h"
#include "algorithms/static_problem.h"
#include "algorithms/target_units.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/compliance.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/error.h"

namespace cuttle {
namespace {

using Eigen::MatrixXcd;
using Eigen::VectorXcd;
using ComplexGradient = std::array<std::complex<double>, k_forward_width>;

constexpr double k_equal_eigenvalues = 1e-6;  // relative: rounding splits equal ones by the root of it
constexpr double k_displacement = 1e-3;       // largest of a difference's steps, of coordinates in their units
constexpr double k_velocity = 1e-4;           // regularized friction changes within little

/// df/dx at 0 by central differences of sixth order.
template <typename F>
VectorXT<ForwardDual> slope_at_zero(const F& f, double step) {
  constexpr std::array k_weights = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
  VectorXT<ForwardDual> slope;
  for (int i = 0; i < 3; ++i) {
    const double x = (i + 1) * step;
    const VectorXT<ForwardDual> difference =
        (f(x) - f(-x)) * ForwardDual(k_weights[static_cast<std::size_t>(i)] / step);
    if (i == 0) slope = difference;
    if (i > 0) slope += difference;
  }
  return slope;
}

/// What a motion needs in forces, then the rates of elements' states: zero in an equilibrium.
class Imbalance {
 public:
  /// @param units  of the coordinates, nv.
  Imbalance(const RestLoadsT<ForwardDual>& loads, VariedRest& at, const VectorXd& units)
      : time_(loads.time), at_(at), units_(units), q_(at.q), states_(at.elements.states) {
    at.take(loads);
  }

  VectorXT<ForwardDual> of(const VectorXd& dq, const VectorXd& v, const VectorXd& a, const VectorXd& ds) {
    const ModelT<ForwardDual>& model = at_.model;
    VectorXT<ForwardDual> q = q_;
    integrate<ForwardDual>(model, q_, dq.cast<ForwardDual>(), q);
    const VectorXT<ForwardDual> velocity = v.cast<ForwardDual>(), acceleration = a.cast<ForwardDual>();
    const VectorXT<ForwardDual> states = states_ + ds.cast<ForwardDual>();
    const EquationOfMotionT<ForwardDual>::Rest rest{.q = q,
                                                    .v = velocity,
                                                    .a = acceleration,
                                                    .u = at_.u,
                                                    .states = states,
                                                    .loads = at_.wrenches,
                                                    .time = time_,
                                                    .site_start = at_.site_start.empty() ? nullptr : &at_.site_start,
                                                    .settle = false};
    VectorXT<ForwardDual> result(model.nv() + states_.size());
    result.head(model.nv()) = inverse_dynamics<ForwardDual>(model, at_.data, q, velocity, acceleration);
    result.head(model.nv()) -= at_.equation->resting_force(rest);
    if (states_.size() > 0) result.tail(states_.size()) = at_.elements.state_rates;
    return result;
  }

  /// Along (dq, v, a, ds) = (x, lambda x, lambda^2 x, s), of which each is a real vector here.
  VectorXT<ForwardDual> slope(const VectorXd& x, const VectorXd& v, const VectorXd& a, const VectorXd& s) {
    const VectorXd none = VectorXd::Zero(x.size()), held = VectorXd::Zero(s.size());
    VectorXT<ForwardDual> sum = VectorXT<ForwardDual>::Zero(x.size() + s.size());
    const double moved = std::max(largest(x.cwiseQuotient(units_)), largest(s));
    if (moved > 0.0) {
      sum += slope_at_zero([&](double h) { return of(h * x, none, none, h * s); }, k_displacement / moved);
    }
    if (largest(v) > 0.0) {
      sum += slope_at_zero([&](double h) { return of(none, h * v, none, held); }, k_velocity / largest(v));
    }
    if (largest(a) > 0.0) sum += of(none, none, a, held) - of(none, none, none, held);  // linear in a
    return sum;
  }

 private:
  static double largest(const VectorXd& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; }

  std::optional<double> time_;
  VariedRest& at_;
  const VectorXd& units_;
  VectorXT<ForwardDual> q_, states_;
};

}  // namespace

struct ModeTangent::Factors {
  std::string name;
  std::vector<Mode> modes;
  VectorXd units;                 ///< of the coordinates: 1, and of lengths the robot's, so that none strains it much
  VectorXcd eigenvalues;          ///< all, also the conjugate ones
  MatrixXcd displacements;        ///< of the coordinates, nv x all
  MatrixXcd states;               ///< m x all
  MatrixXcd of_forces, of_rates;  ///< left vectors, all x nv and all x m: d lambda = of_forces d(-r) + of_rates dh

  /// The lowest modes of a robot that is too large for matrices. @return false: of one that is not.
  bool take_along_tree(const Model& model, Data& data, const StaticLoads& loads, const StaticEquilibrium& equilibrium,
                       int count) {
    if (takes_matrices(model)) return false;
    constexpr int k_equals = 2;  // modes beyond the last one that may have its eigenvalue
    const int wanted = std::min(count + k_equals, model.nv());
    modes = lowest_modes(model, data, loads, equilibrium, wanted);
    StaticProblem problem(model, data, loads_of(loads, equilibrium), equilibrium.q, Stepping::imbalance);
    problem.require_tree();
    problem.begin(equilibrium.q, 1.0);
    const auto weights = problem.weights_of_modes(modes, k_equal_eigenvalues);
    if (!weights) {
      throw StaticsError(fmt::format(
          "'{}': found forces without an energy (friction, torques that keep their axis) beside a body of more than {} "
          "coordinates, expected none of these where frequencies are to have derivatives",
          name, k_most_dense_coordinates));
    }
    const auto found = static_cast<Eigen::Index>(modes.size());
    of_forces = *weights, of_rates.resize(found, 0), states.resize(0, found);
    eigenvalues.resize(found), displacements.resize(model.nv(), found);
    for (Eigen::Index i = 0; i < found; ++i) {
      eigenvalues[i] = modes[static_cast<std::size_t>(i)].eigenvalue;
      displacements.col(i) = modes[static_cast<std::size_t>(i)].shape;
    }
    return true;
  }

  /// Of one eigenvector, by the mean of whose equals a mode changes.
  ComplexGradient change(Eigen::Index i, Imbalance& imbalance) const {
    const std::complex<double> lambda = eigenvalues[i];
    const VectorXcd x = displacements.col(i), v = lambda * x, a = lambda * v, s = states.col(i);
    const std::array parts = {imbalance.slope(x.real(), v.real(), a.real(), s.real()),
                              imbalance.slope(x.imag(), v.imag(), a.imag(), s.imag())};
    ComplexGradient sum{};
    for (std::size_t part = 0; part < 2; ++part) {
      const std::complex<double> unit(part == 0 ? 1.0 : 0.0, part == 0 ? 0.0 : 1.0);
      for (Eigen::Index row = 0; row < parts[part].size(); ++row) {
        const std::complex<double> left = row < x.size() ? -of_forces(i, row) : of_rates(i, row - x.size());
        for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += left * unit * parts[part][row].derivative[k];
      }
    }
    return sum;
  }
};

ModeTangent::ModeTangent(const Model& model, Data& data, const RestLoads& loads, const StaticEquilibrium& equilibrium,
                         std::optional<int> count)
    : factors_(std::make_unique<Factors>()) {
  if (!model.loops().empty()) {
    throw ArgumentError("'" + model.name() +
                        "': found closed loops, expected a robot without: frequencies of loops have no derivatives");
  }
  factors_->name = model.name();
  factors_->units = VectorXd::Ones(model.nv());
  const double length = std::min(1.0, reach_of(model, data));
  for (int i = 0; i < model.nv(); ++i) {
    if (model.velocity_info()[static_cast<std::size_t>(i)].unit == "m/s") factors_->units[i] = length;
  }
  const StaticLoads acting = static_loads(model, loads);
  if (count && *count > 0 && factors_->take_along_tree(model, data, acting, equilibrium, *count)) return;
  const LinearizedMotion motion = linearized_motion(model, data, acting, equilibrium);
  factors_->modes = cuttle::modes(motion);
  const auto mass = factorized_mass(motion);
  const FirstOrderMotion all = first_order_motion(motion, mass);
  const Eigen::EigenSolver<MatrixXd> solver(all.matrix);
  const Eigen::Index n = motion.mass.rows(), m = motion.state_by_state.rows();
  const MatrixXcd right = all.scale.asDiagonal() * solver.eigenvectors(), left = right.inverse();
  factors_->eigenvalues = solver.eigenvalues();
  factors_->displacements = motion.motions * right.topRows(n);
  factors_->states = right.bottomRows(m);
  const MatrixXd inverse_mass = mass.solve(MatrixXd::Identity(n, n));
  factors_->of_forces = left.middleCols(n, n) * inverse_mass * motion.motions.transpose();
  factors_->of_rates = left.rightCols(m);
}

ModeTangent::~ModeTangent() = default;
ModeTangent::ModeTangent(ModeTangent&&) noexcept = default;

const std::vector<Mode>& ModeTangent::modes() const { return factors_->modes; }

std::vector<ModeNumbersT<ForwardDual>> ModeTangent::vary(const RestLoadsT<ForwardDual>& loads, std::size_t count,
                                                         VariedRest& at) const {
  if (count > factors_->modes.size()) {
    throw StaticsError(
        fmt::format("'{}': found {} modes, expected at least {}", factors_->name, factors_->modes.size(), count));
  }
  Imbalance imbalance(loads, at, factors_->units);
  std::vector<ModeNumbersT<ForwardDual>> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::complex<double> lambda = factors_->modes[i].eigenvalue;
    const double size = std::abs(lambda);
    if (size == 0.0) {
      throw StaticsError(fmt::format("'{}': modes[{}]: found the eigenvalue 0, expected a mode that swings or decays",
                                     factors_->name, i));
    }
    ComplexGradient mean{};
    double equals = 0.0;
    for (Eigen::Index j = 0; j < factors_->eigenvalues.size(); ++j) {
      if (std::abs(factors_->eigenvalues[j] - lambda) > k_equal_eigenvalues * size) continue;
      const ComplexGradient one = factors_->change(j, imbalance);
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += one[k];
      equals += 1.0;
    }
    ModeNumbersT<ForwardDual>& mode = result[i];
    mode.frequency.value = factors_->modes[i].frequency();
    mode.damping_ratio.value = factors_->modes[i].damping_ratio();
    for (std::size_t k = 0; k < mean.size(); ++k) {
      const std::complex<double> slope = mean[k] / equals;
      const double of_size = (std::conj(lambda) * slope).real() / size;
      mode.frequency.derivative[k] = of_size / (2.0 * std::numbers::pi);
      mode.damping_ratio.derivative[k] = -(slope.real() - lambda.real() / size * of_size) / size;
    }
  }
  return result;
}

}  // namespace cuttle
