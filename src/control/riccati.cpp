// The algebraic Riccati equation (CARE) of optimal control, by doubling.
#include "control/riccati.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

#include "cuttle/error.h"

namespace cuttle {
namespace {

constexpr double k_on_axis = 1e-10;  // real part of an eigenvalue, beside the largest, that counts as none
constexpr double k_converged = 1e-15;
constexpr double k_residual = 1e-8;  // of the equation, beside its terms
constexpr int k_most_doublings = 80;

[[noreturn]] void refuse(const std::string& found) {
  throw ArgumentError(
      "found " + found +
      ", expected an equilibrium that the inputs can make stable, and weights of all states that do not "
      "decay");
}

/// Geometric mean of the least and the largest eigenvalue of the Hamiltonian matrix.
double shift_of(const MatrixXd& A, const MatrixXd& G, const MatrixXd& H) {
  const Eigen::Index n = A.rows();
  MatrixXd hamiltonian(2 * n, 2 * n);
  hamiltonian << A, -G, -H, -A.transpose();
  const Eigen::EigenSolver<MatrixXd> solver(hamiltonian, false);
  if (solver.info() != Eigen::Success) refuse("no eigenvalues of the linearized robot");
  const double largest = solver.eigenvalues().cwiseAbs().maxCoeff(), least = solver.eigenvalues().cwiseAbs().minCoeff();
  for (const auto& value : solver.eigenvalues()) {
    if (std::abs(value.real()) > k_on_axis * largest) continue;
    refuse(fmt::format("a mode of {:.3g} rad/s that is neither controlled nor decays", std::abs(value.imag())));
  }
  // or a little off, as no real eigenvalue of A may be the shift
  const double mean = std::sqrt(largest * least);
  const auto eigenvalues = A.eigenvalues().eval();
  double shift = mean, distance = -1.0;
  for (const double candidate : {mean, 1.5 * mean, 0.6 * mean}) {
    const double nearest = (eigenvalues.array() - candidate).abs().minCoeff() / candidate;
    if (nearest > 2.0 * distance) shift = candidate, distance = nearest;
  }
  return shift;
}

}  // namespace

MatrixXd solve_riccati(const MatrixXd& A, const MatrixXd& G, const MatrixXd& H) {
  const Eigen::Index n = A.rows();
  const MatrixXd one = MatrixXd::Identity(n, n);
  const double shift = shift_of(A, G, H);
  const MatrixXd shifted = (A - shift * one).inverse();
  const MatrixXd W = (A.transpose() - shift * one + H * shifted * G).inverse();
  MatrixXd A_k = one + 2.0 * shift * W.transpose();
  MatrixXd G_k = 2.0 * shift * shifted * G * W, X = 2.0 * shift * W * H * shifted;
  double change = 1.0;
  for (int k = 0; k < k_most_doublings && change > k_converged; ++k) {
    const MatrixXd S = (one + G_k * X).inverse();
    const MatrixXd added = A_k.transpose() * X * S * A_k;
    const MatrixXd G_next = G_k + A_k * S * G_k * A_k.transpose();
    A_k = A_k * S * A_k;
    G_k = 0.5 * (G_next + G_next.transpose());
    X += 0.5 * (added + added.transpose());
    change = added.norm() / X.norm();
  }
  const MatrixXd AX = A.transpose() * X, quadratic = X * G * X;
  const double residual =
      (AX + AX.transpose() - quadratic + H).norm() / (2.0 * AX.norm() + quadratic.norm() + H.norm());
  if (!(residual < k_residual)) refuse(fmt::format("a residual of {:.1e} of the Riccati equation", residual));
  return X;
}

}  // namespace cuttle
