#include "simulation/stable_step.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"

namespace cuttle {
namespace {

using Complex = std::complex<double>;

constexpr double k_growth = 1e-6;            // of a step that counts as none
constexpr double k_farthest = 20.0;          // no method of a few stages reaches it
constexpr int k_samples = 2000;              // up to there
constexpr double k_increment = 1.5e-8;       // of coordinates and velocities
constexpr double k_state_increment = 1e-10;  // of auxiliary states: bristles are micrometers long
constexpr double k_slow = 1e-3;              // [1/s]

/// What a step makes of y' = z y.
Complex growth(const RungeKuttaTableau& tableau, Complex z) {
  std::vector<Complex> stages;
  for (const auto& row : tableau.a) {
    Complex y = 1.0;
    for (std::size_t i = 0; i < row.size(); ++i) y += z * row[i] * stages[i];
    stages.push_back(y);
  }
  Complex end = 1.0;
  for (std::size_t i = 0; i < stages.size(); ++i) end += z * tableau.b[i] * stages[i];
  return end;
}

/// The rates of (q, v, auxiliary).
VectorXd rates_at(System& system, double time, const VectorXd& y) {
  const Model& model = system.model();
  const int nq = model.nq(), nv = model.nv(), n = system.auxiliary_count();
  VectorXd q = y.head(nq), v = y.segment(nq, nv), auxiliary = y.tail(n);
  VectorXd q_rate(nq), a(nv), auxiliary_rate(n);
  system.rates(time, q, v, auxiliary, a, auxiliary_rate);
  configuration_rate<double>(model, q, v, q_rate);
  VectorXd rate(y.size());
  rate << q_rate, a, auxiliary_rate;
  return rate;
}

}  // namespace

double stable_length(const RungeKuttaTableau& tableau, double real, double imaginary) {
  const Complex direction(real, imaginary);
  const auto grows = [&](double s) { return std::abs(growth(tableau, s * direction)) > 1.0 + k_growth; };
  for (int i = 1; i <= k_samples; ++i) {
    if (!grows(k_farthest * i / k_samples)) continue;
    double low = k_farthest * (i - 1) / k_samples, high = k_farthest * i / k_samples;
    for (int k = 0; k < 20; ++k) {
      const double middle = 0.5 * (low + high);
      (grows(middle) ? high : low) = middle;
    }
    return low;
  }
  return k_farthest;
}

std::optional<double> stable_step(System& system, const RungeKuttaTableau& tableau, const State& state) {
  VectorXd y(state.q.size() + state.v.size() + state.auxiliary.size());
  y << state.q, state.v, state.auxiliary;
  const auto motion = state.q.size() + state.v.size();
  Eigen::Index count = y.size();
  for (const auto& law : system.model().site_laws()) count -= law->state_count();  // the last ones
  y.tail(y.size() - count).setZero();  // one that has overshot would make all stiff
  MatrixXd slopes(count, count);
  try {
    const VectorXd rate = rates_at(system, state.time, y);
    for (Eigen::Index j = 0; j < count; ++j) {
      VectorXd moved = y;
      moved[j] += j < motion ? k_increment * std::max(1.0, std::abs(y[j])) : k_state_increment;
      slopes.col(j) = (rates_at(system, state.time, moved) - rate).head(count) / (moved[j] - y[j]);
    }
  } catch (const Error&) {
    return std::nullopt;
  }
  if (!slopes.allFinite()) return std::nullopt;
  const Eigen::EigenSolver<MatrixXd> solver(slopes, false);
  if (solver.info() != Eigen::Success) return std::nullopt;
  double longest = std::numeric_limits<double>::infinity();
  for (const Complex& eigenvalue : solver.eigenvalues()) {
    const double size = std::abs(eigenvalue);
    if (size < k_slow || size * longest < 0.1) continue;
    const Complex direction = eigenvalue / size;
    // what grows by itself may; differences turn what only vibrates by a little
    const double real = std::min(direction.real(), 0.0);
    if (direction.real() > 1e-2) continue;
    longest = std::min(
        longest, stable_length(tableau, real, std::copysign(std::sqrt(1.0 - real * real), direction.imag())) / size);
  }
  return longest;
}

}  // namespace cuttle
