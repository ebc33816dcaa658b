#include "cuttle/algorithms/modes.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "algorithms/first_order_motion.h"
#include "algorithms/tree_modes.h"
#include "cuttle/error.h"

namespace cuttle {
namespace {

constexpr double k_machine_eps = std::numeric_limits<double>::epsilon();
constexpr double k_matrix_rounding =
    100.0 * k_machine_eps;             // of a matrix that comes from sums over points and links, beside its norm
constexpr double k_symmetric = 1e-12;  // relative difference of halves that rounding and Newton's residual leave

bool is_symmetric_matrix(const MatrixXd& A) { return (A - A.transpose()).norm() <= k_symmetric * A.norm(); }

/// 1 / sqrt(m_i) of each coordinate; 1 of all where some move no mass.
VectorXd scales_by(const MatrixXd& mass) {
  const VectorXd inertia = mass.diagonal();
  if (inertia.size() == 0 || !(inertia.minCoeff() > 0.0)) return VectorXd::Ones(inertia.size());
  return inertia.cwiseSqrt().cwiseInverse();
}

/// Smallest eigenvalue of a symmetric matrix, 0 where it is rounding. It is that of A / sqrt(m_i m_j), with the same
/// signs: so rounding is judged in one unit, where coordinates are angles, lengths and strains.
double smallest_eigenvalue(const MatrixXd& A, const MatrixXd& mass) {
  if (A.size() == 0) return std::numeric_limits<double>::infinity();
  const VectorXd scale = scales_by(mass);
  const MatrixXd symmetric = scale.asDiagonal() * MatrixXd(0.5 * (A + A.transpose())) * scale.asDiagonal();
  const VectorXd all = Eigen::SelfAdjointEigenSolver<MatrixXd>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
  return std::abs(all[0]) <= k_matrix_rounding * all.cwiseAbs().maxCoeff() ? 0.0 : all[0];
}

/// Whether the forces are those of an energy, and damping takes energy or nothing.
bool has_energy(const LinearizedMotion& motion) {
  if (motion.state_by_state.size() > 0 || !is_symmetric_matrix(motion.stiffness)) return false;
  if (motion.damping.isZero(0.0)) return true;
  return is_symmetric_matrix(motion.damping) && smallest_eigenvalue(motion.damping, motion.mass) >= 0.0;
}

/// Cholesky factor of a mass matrix, or another. @return whether it is positive definite: every motion moves mass.
bool factorize_mass(const MatrixXd& mass, Eigen::LLT<MatrixXd>& factor) {
  factor.compute(mass);
  if (factor.info() != Eigen::Success) return false;
  const VectorXd pivots = factor.matrixLLT().diagonal().cwiseAbs2();
  return (pivots.array() > k_matrix_rounding * mass.diagonal().array()).all();
}

/// Whether damping outweighs the part of the stiffness that is no energy's, as of a torque about fixed axes: then every
/// motion dies out. With the skew part N of the stiffness grown from none, an eigenvalue would have to cross the
/// imaginary axis at some i w, where (K - w^2 M) + i (w D - i N) is singular. It is not where its first part is
/// positive definite, up to the lowest frequency, nor where its second is, from the largest eigenvalue of N beside D
/// on. That costs a tenth of the problem of the first order, whose answer beyond is another.
bool outweighs_circulation(const LinearizedMotion& motion) {
  constexpr double k_margin = 1.0 + 1e-6;
  if (motion.mass.size() == 0 || motion.state_by_state.size() > 0 || !is_symmetric_matrix(motion.damping)) return false;
  const MatrixXd symmetric = 0.5 * (motion.stiffness + motion.stiffness.transpose());
  Eigen::LLT<MatrixXd> stiffness, damping;
  if (!factorize_mass(symmetric, stiffness) || !factorize_mass(motion.damping, damping)) return false;
  const auto beside = [](const Eigen::LLT<MatrixXd>& factor, const MatrixXd& A) -> MatrixXd {
    const MatrixXd rows = factor.matrixL().solve(A);
    return factor.matrixL().solve(rows.transpose());
  };
  const auto largest = [](const MatrixXd& A) {
    return Eigen::SelfAdjointEigenSolver<MatrixXd>(0.5 * (A + A.transpose()), Eigen::EigenvaluesOnly)
        .eigenvalues()[A.rows() - 1];
  };
  const MatrixXd skew = beside(damping, 0.5 * (motion.stiffness - motion.stiffness.transpose()));
  // squares of frequencies: the largest where D is definite no more, and one over the lowest of the robot
  return k_margin * largest(skew.transpose() * skew) * largest(beside(stiffness, motion.mass)) < 1.0;
}

/// Scales coordinates by powers of two until rows and columns are of one size, which leaves eigenvalues as they are and
/// makes small ones more accurate (Osborne 1960). @return the scales: x = scale y.
VectorXd balance_sizes(MatrixXd& A) {
  constexpr int k_most_sweeps = 100;
  VectorXd scale = VectorXd::Ones(A.rows());
  bool changed = true;
  for (int sweep = 0; changed && sweep < k_most_sweeps; ++sweep) {
    changed = false;
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      const double diagonal = std::abs(A(i, i));
      const double row = A.row(i).lpNorm<1>() - diagonal, column = A.col(i).lpNorm<1>() - diagonal;
      if (!(row > 0.0) || !(column > 0.0)) continue;
      const double factor = std::exp2(std::round(0.5 * std::log2(row / column)));
      if (factor == 1.0) continue;
      A.row(i) /= factor, A.col(i) *= factor;
      scale[i] *= factor;
      changed = true;
    }
  }
  return scale;
}

}  // namespace

double smallest_stiffness(const MatrixXd& K, const MatrixXd& mass) {
  const double judged = smallest_eigenvalue(K, mass);
  if (K.size() == 0 || judged == 0.0) return judged;
  const MatrixXd symmetric = 0.5 * (K + K.transpose());
  const VectorXd all = Eigen::SelfAdjointEigenSolver<MatrixXd>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
  if (std::abs(all[0]) > k_matrix_rounding * all.cwiseAbs().maxCoeff()) return all[0];
  // beside large ones of other units it is rounding here, yet not in one unit: of the inverse it is the largest
  const VectorXd scale = scales_by(mass);
  const MatrixXd scaled = scale.asDiagonal() * symmetric * scale.asDiagonal();
  const MatrixXd inverse = scale.asDiagonal() * MatrixXd(scaled.inverse()) * scale.asDiagonal();
  const VectorXd of_inverse =
      Eigen::SelfAdjointEigenSolver<MatrixXd>(0.5 * (inverse + inverse.transpose()), Eigen::EigenvaluesOnly)
          .eigenvalues();
  return 1.0 / of_inverse[judged > 0.0 ? of_inverse.size() - 1 : 0];
}

FirstOrderMotion first_order_motion(const LinearizedMotion& motion, const Eigen::LLT<MatrixXd>& mass) {
  const Eigen::Index n = motion.mass.rows(), m = motion.state_by_state.rows(), size = 2 * n + m;
  FirstOrderMotion result;
  MatrixXd& A = result.matrix;
  A = MatrixXd::Zero(size, size);
  A.block(0, n, n, n).setIdentity();
  A.block(n, 0, n, n) = -mass.solve(motion.stiffness);
  A.block(n, n, n, n) = -mass.solve(motion.damping);
  A.block(n, 2 * n, n, m) = mass.solve(motion.state_force);
  A.block(2 * n, 0, m, n) = motion.state_by_x;
  A.block(2 * n, n, m, n) = motion.state_by_rate;
  A.block(2 * n, 2 * n, m, m) = motion.state_by_state;
  result.scale = balance_sizes(A);
  return result;
}

void normalize_shape(Mode& mode) {
  Eigen::Index largest = 0;
  if (mode.shape.size() == 0 || !(mode.shape.cwiseAbs().maxCoeff(&largest) > 0.0)) return;
  const std::complex<double> unit = mode.shape[largest];
  mode.shape /= unit, mode.states /= unit;
}

Eigen::LLT<MatrixXd> factorized_mass(const LinearizedMotion& motion) {
  Eigen::LLT<MatrixXd> mass;
  if (!factorize_mass(motion.mass, mass)) {
    throw SingularMassError("modes: the mass matrix is singular: a motion that moves no mass has no frequency");
  }
  return mass;
}

namespace {

/// Motions that meet no force and move no state of an element, as those of a robot that floats.
/// @return n x k, each with one entry that is 1 where the others have 0.
MatrixXd free_motions(const LinearizedMotion& motion, const Eigen::LLT<MatrixXd>& mass) {
  const Eigen::Index n = motion.mass.rows(), m = motion.state_by_state.rows();
  if (n == 0) return MatrixXd(0, 0);
  // per unit of mass: squares of frequencies, of which rounding leaves a part of the largest
  MatrixXd rows(n + m, n);
  rows.topRows(n) = mass.matrixL().solve(motion.stiffness);
  rows.bottomRows(m) = motion.state_by_x;
  rows = mass.matrixL().solve(rows.transpose().eval()).transpose().eval();
  for (const auto& [first, count] : {std::pair{Eigen::Index{0}, n}, std::pair{n, m}}) {
    const double norm = rows.middleRows(first, count).norm();
    if (norm > 0.0) rows.middleRows(first, count) /= norm;
  }
  Eigen::ColPivHouseholderQR<MatrixXd> factor;
  factor.setThreshold(k_matrix_rounding);
  factor.compute(rows);
  const Eigen::Index rank = factor.rank(), k = n - rank;
  if (k == 0) return MatrixXd(n, 0);
  MatrixXd free(n, k);
  free.topRows(rank) = -factor.matrixR()
                            .topLeftCorner(rank, rank)
                            .template triangularView<Eigen::Upper>()
                            .solve(factor.matrixR().topRightCorner(rank, k));
  free.bottomRows(k).setIdentity();
  free = mass.matrixU().solve(factor.colsPermutation() * free);
  const Eigen::ColPivHouseholderQR<MatrixXd> picked(free.transpose());
  const Eigen::VectorXi order = picked.colsPermutation().indices().head(k);
  MatrixXd block(k, k);
  for (Eigen::Index i = 0; i < k; ++i) block.row(i) = free.row(order[i]);
  return free * block.inverse();
}

/// The same small motions in x = basis y.
LinearizedMotion in_basis(const LinearizedMotion& motion, const MatrixXd& basis) {
  LinearizedMotion result = motion;
  result.motions = motion.motions * basis;
  for (MatrixXd* const matrix : {&result.mass, &result.damping, &result.stiffness}) {
    *matrix = (basis.transpose() * *matrix * basis).eval();
  }
  result.state_force = basis.transpose() * motion.state_force;
  result.state_by_x = motion.state_by_x * basis, result.state_by_rate = motion.state_by_rate * basis;
  return result;
}

/// Modes of x, its rate and the states, in an eigenvalue problem of the first order. A free motion is one mode of
/// eigenvalue 0: where it does not slow down by itself 0 is a double eigenvalue, of its place and of its speed, of
/// which rounding would leave its square root.
/// @param shapes  false: eigenvalues alone, at a third of the price, and their rounding where something hangs on it.
std::vector<Mode> solve_modes(const LinearizedMotion& given, const Eigen::LLT<MatrixXd>& given_mass, bool shapes) {
  const Eigen::Index n = given.mass.rows(), m = given.state_by_state.rows();
  if (n + m == 0) return {};
  const MatrixXd free = free_motions(given, given_mass);
  const Eigen::Index k = free.cols(), size = 2 * n - k + m;
  LinearizedMotion motion = given;
  if (k > 0) {
    // the first k coordinates are free: nothing depends on them, so they are left out
    motion = in_basis(given, Eigen::HouseholderQR<MatrixXd>(free).householderQ() * MatrixXd::Identity(n, n));
  }
  FirstOrderMotion first = first_order_motion(motion, k > 0 ? factorized_mass(motion) : given_mass);
  const MatrixXd A = first.matrix.bottomRightCorner(size, size);
  const VectorXd scale = first.scale.tail(size);
  const Eigen::EigenSolver<MatrixXd> solver(A, shapes);
  if (solver.info() != Eigen::Success) throw SimulationError("modes: the eigenvalue problem does not converge");
  const Eigen::MatrixXcd vectors = shapes ? solver.eigenvectors() : Eigen::MatrixXcd();
  // what rounding leaves in an eigenvalue is how far another change of the matrix, as large, moves it: condition
  // numbers of single eigenvectors would be infinite for two equal modes, of a rod's two planes
  const double change = k_matrix_rounding * A.norm() / static_cast<double>(std::max<Eigen::Index>(size, 1));
  const auto in_doubt = [&](const std::complex<double>& eigenvalue) {
    return eigenvalue.real() >= 0.0 || std::abs(eigenvalue) < 10.0 * std::sqrt(k_machine_eps) * A.norm();
  };
  Eigen::VectorXcd others = solver.eigenvalues();
  if (shapes || std::any_of(others.begin(), others.end(), in_doubt)) {
    MatrixXd changed = A;
    for (Eigen::Index i = 0; i < A.size(); ++i)
      changed.data()[i] += change * std::sin(1.0 + static_cast<double>(i * i));
    others = Eigen::EigenSolver<MatrixXd>(changed, false).eigenvalues();
  }
  const bool undamped =
      motion.damping.isZero(0.0) && has_energy(motion) && smallest_eigenvalue(motion.stiffness, motion.mass) >= 0.0;
  std::vector<Mode> all;
  for (Eigen::Index i = 0; i < k; ++i) {
    Mode mode;
    mode.rounding = change;
    mode.shape = (given.motions * free.col(i)).cast<std::complex<double>>(), mode.states.setZero(m);
    normalize_shape(mode);
    all.push_back(std::move(mode));
  }
  Eigen::Index speeds_left = k;  // of free motions that keep their speed
  for (Eigen::Index i = 0; i < size; ++i) {
    Mode mode;
    mode.eigenvalue = solver.eigenvalues()[i];
    if (mode.eigenvalue.imag() < 0.0) continue;
    mode.rounding = std::max(change, 2.0 * (others.array() - mode.eigenvalue).abs().minCoeff());
    if (std::abs(mode.eigenvalue) <= mode.rounding) mode.eigenvalue = 0.0;
    if (mode.eigenvalue == 0.0 && speeds_left-- > 0) continue;
    if (undamped || std::abs(mode.eigenvalue.real()) <= mode.rounding) mode.eigenvalue.real(0.0);
    if (!shapes) {
      all.push_back(std::move(mode));
      continue;
    }
    const Eigen::VectorXcd z = scale.asDiagonal() * vectors.col(i);
    Eigen::VectorXcd x(n);
    x.tail(n - k) = z.head(n - k);
    if (mode.eigenvalue == 0.0) {
      x.head(k).setZero();
    } else {
      x.head(k) = z.segment(n - k, k) / solver.eigenvalues()[i];  // x' = lambda x
    }
    mode.shape = motion.motions * x, mode.states = z.tail(m);
    normalize_shape(mode);
    all.push_back(std::move(mode));
  }
  sort_by_size(all);
  return all;
}

}  // namespace

void sort_by_size(std::vector<Mode>& modes) {
  constexpr double k_equal = 1e-9;
  const auto size = [](const Mode& mode) { return std::abs(mode.eigenvalue); };
  std::stable_sort(modes.begin(), modes.end(), [&](const Mode& a, const Mode& b) { return size(a) < size(b); });
  for (auto begin = modes.begin(); begin != modes.end();) {
    const auto end = std::find_if(begin, modes.end(), [&](const Mode& mode) {
      return size(mode) - size(*begin) > std::max({k_equal * size(*begin), begin->rounding, mode.rounding});
    });
    std::stable_sort(begin, end,
                     [](const Mode& a, const Mode& b) { return a.eigenvalue.real() > b.eigenvalue.real(); });
    begin = end;
  }
}

double Mode::frequency() const { return std::abs(eigenvalue) / (2.0 * std::numbers::pi); }
double Mode::damping_ratio() const {
  return eigenvalue == 0.0 ? 0.0 : -eigenvalue.real() / std::abs(eigenvalue) + 0.0;  // -0 is 0
}

const char* stability_name(Stability stability) {
  switch (stability) {
    case Stability::stable:
      return "stable";
    case Stability::neutral:
      return "neutral";
    case Stability::unstable:
      return "unstable";
    case Stability::unknown:
      break;
  }
  return "unknown";
}

std::vector<Mode> modes(const LinearizedMotion& motion) { return solve_modes(motion, factorized_mass(motion), true); }

StabilityOfMotion stability_of(const LinearizedMotion& motion) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const bool energy = has_energy(motion);
  if (energy) {
    const double smallest = smallest_eigenvalue(motion.stiffness, motion.mass);
    if (smallest >= 0.0) return {smallest > 0.0 ? Stability::stable : Stability::neutral, 0.0};
  }
  Eigen::LLT<MatrixXd> mass;
  if (!factorize_mass(motion.mass, mass)) {
    return energy ? StabilityOfMotion{Stability::unstable, infinity} : StabilityOfMotion{Stability::unknown, nan};
  }
  if (!energy && outweighs_circulation(motion)) return {Stability::stable, 0.0};
  StabilityOfMotion result{Stability::stable, 0.0};
  for (const Mode& mode : solve_modes(motion, mass, false)) {
    const double growth = mode.eigenvalue.real();
    if (std::abs(mode.eigenvalue) <= mode.rounding && result.stability == Stability::stable) {
      result.stability = Stability::neutral;
    }
    if (growth <= mode.rounding) continue;
    result.stability = Stability::unstable;
    result.growth_rate = std::max(result.growth_rate, growth);
  }
  if (energy) result.stability = Stability::unstable;  // also where it grows so slowly that rounding hides it
  return result;
}

}  // namespace cuttle
