#include "algorithms/target_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace cuttle {
namespace {

constexpr double k_longest_part = 0.7;      // in units: about radians
constexpr double k_settled_target = 1e-8;   // of a step, in units
constexpr double k_small_step = 1e-4;       // below it the energy's change drowns in rounding: no line search
constexpr double k_kept_contraction = 0.1;  // of steps with a kept tangent
constexpr double k_hardness = 1e-12;        // softness of hard rows: leaves room for those that depend on each other
constexpr double k_least_damping = 1e-9, k_first_damping = 1e-3, k_turning_damping = 10.0, k_most_damping = 1e9;
constexpr double k_first_weight = 10.0, k_most_weight = 1e6;  // of squared rows beside the energy
constexpr double k_first_softness = 1e-3, k_least_softness = 1e-11, k_most_softness = 1e9;

}  // namespace

TargetSolver::TargetSolver(Eigen::VectorXd unit, int soft, int hard, Eigen::VectorXd tolerance)
    : n_(static_cast<int>(unit.size())),
      soft_(soft),
      hard_(hard),
      m_(soft + hard),
      unit_(std::move(unit)),
      tolerance_(std::move(tolerance)),
      rows_(m_),
      trial_rows_(m_),
      step_(n_),
      gradient_(Eigen::VectorXd::Zero(n_)),
      multipliers_(Eigen::VectorXd::Zero(m_)),
      next_multipliers_(m_),
      x_(n_),
      along_(m_),
      lower_(n_),
      upper_(n_),
      bent_(n_),
      right_(n_ + m_),
      solution_(n_ + m_),
      jacobian_(m_, n_),
      curvature_(Eigen::MatrixXd::Zero(n_, n_)),
      matrix_(n_ + m_, n_ + m_),
      lu_(n_ + m_),
      metric_(n_),
      held_(Eigen::VectorXi::Zero(n_)) {}

void TargetSolver::forget() {
  has_curvature_ = false;
  multipliers_.setZero();
  held_.setZero();
}

bool TargetSolver::within(const Eigen::VectorXd& rows) const {
  for (int i = 0; i < m_; ++i) {
    if (!(std::abs(rows[i]) <= tolerance_[i])) return false;
  }
  return true;
}

double TargetSolver::misfit(const Eigen::VectorXd& rows) const {
  return 0.5 * rows.head(soft_).squaredNorm() + 0.5 * hard_weight_ * rows.tail(hard_).squaredNorm();
}

bool TargetSolver::begin(TargetProblem& problem) {
  step_.setZero();
  if (!problem.look(step_, rows_)) {
    rows_.setConstant(std::numeric_limits<double>::quiet_NaN());  // those of the last call are of another state
    return false;
  }
  problem.move();
  return true;
}

void TargetSolver::linearize(TargetProblem& problem) {
  problem.slopes(jacobian_, gradient_);
  for (int k = 0; k < n_; ++k) jacobian_.col(k) *= unit_[k];
  gradient_.array() *= unit_.array();
  if (energy_unit_ > 0.0) gradient_ /= energy_unit_;
  problem.room(lower_, upper_);
  lower_.array() /= unit_.array();
  upper_.array() /= unit_.array();
  for (int k = 0; k < n_; ++k) {  // a bound that the state has left is not one that holds it
    const double bound = held_[k] < 0 ? lower_[k] : upper_[k];
    if (held_[k] != 0 && std::abs(bound) > 1e-12) held_[k] = 0;
  }
}

void TargetSolver::refresh_curvature(TargetProblem& problem) {
  along_ = (energy_unit_ > 0.0 ? energy_unit_ : 0.0) * multipliers_;
  problem.curvature(along_, curvature_);
  for (int k = 0; k < n_; ++k) curvature_.col(k) *= unit_[k];
  for (int k = 0; k < n_; ++k) curvature_.row(k) *= unit_[k];
  if (energy_unit_ == 0.0) {
    // what soft directions have: rods are a thousand times stiffer along their axis, where they hardly move
    bent_ = curvature_.diagonal();
    double* const end = std::remove_if(bent_.data(), bent_.data() + n_, [](double k) { return !(k > 0.0); });
    std::sort(bent_.data(), end);
    energy_unit_ = end > bent_.data() ? bent_.data()[(end - bent_.data()) / 4] : 1.0;
    gradient_ /= energy_unit_;
  }
  curvature_ /= energy_unit_;
  has_curvature_ = true;
}

void TargetSolver::solve_working_set(bool with_energy, double damping, double softness) {
  auto top = matrix_.topLeftCorner(n_, n_);
  if (with_energy) {
    top = curvature_;
    right_.head(n_) = -gradient_;
  } else {
    top.setZero();
    top.diagonal() = metric_;
    right_.head(n_).setZero();
  }
  top.diagonal().array() += damping;
  matrix_.bottomLeftCorner(m_, n_) = jacobian_;
  matrix_.topRightCorner(n_, m_) = jacobian_.transpose();
  matrix_.bottomRightCorner(m_, m_).setZero();
  matrix_.diagonal().segment(n_, soft_).setConstant(-softness);
  matrix_.diagonal().tail(hard_).setConstant(-k_hardness);
  right_.tail(m_) = -rows_;
  // softness holds back the change of multipliers, not them: at the solution the rows vanish
  if (with_energy) right_.tail(m_) -= k_hardness * multipliers_;
  for (int k = 0; k < n_; ++k) {
    if (held_[k] == 0) continue;
    const double bound = held_[k] < 0 ? lower_[k] : upper_[k];
    right_ -= bound * matrix_.col(k);
    matrix_.col(k).setZero(), matrix_.row(k).setZero();
    matrix_(k, k) = 1.0;
    right_[k] = bound;
  }
  lu_.compute(matrix_);
  solution_ = lu_.solve(right_);
  x_ = solution_.head(n_);
  next_multipliers_ = solution_.tail(m_);
}

bool TargetSolver::change_working_set(bool with_energy, double damping) {
  bool changed = false;
  for (int k = 0; k < n_; ++k) {
    if (held_[k] != 0) continue;
    const int side = x_[k] < lower_[k] - 1e-13 ? -1 : (x_[k] > upper_[k] + 1e-13 ? 1 : 0);
    if (side != 0) held_[k] = side, changed = true;
  }
  if (changed) return true;
  // of what is held, one that would leave its bound for the inside
  int worst = -1;
  double most = 1e-12;
  for (int k = 0; k < n_; ++k) {
    if (held_[k] == 0) continue;
    double push = (damping + (with_energy ? 0.0 : metric_[k])) * x_[k] + jacobian_.col(k).dot(next_multipliers_);
    if (with_energy) push += curvature_.row(k).dot(x_) + gradient_[k];
    if (held_[k] * push > most) most = held_[k] * push, worst = k;
  }
  if (worst >= 0) held_[worst] = 0;
  return worst >= 0;
}

void TargetSolver::find_step(bool with_energy, double damping, double softness) {
  for (int i = 0; i < 3 * n_ + 10; ++i) {
    solve_working_set(with_energy, damping, softness);
    if (!change_working_set(with_energy, damping)) break;
  }
  x_ = x_.cwiseMax(lower_).cwiseMin(upper_);
}

double TargetSolver::believed() const {
  const double size = x_.lpNorm<Eigen::Infinity>();
  return size > k_longest_part ? k_longest_part / size : 1.0;
}

bool TargetSolver::look_along(TargetProblem& problem, double part) {
  step_ = part * unit_.cwiseProduct(x_);
  return problem.look(step_, trial_rows_) && trial_rows_.allFinite();
}

bool TargetSolver::reach(TargetProblem& problem, bool elastic, int most_iterations) {
  if (!begin(problem)) return false;
  metric_.setOnes();
  if (elastic) {  // stiff coordinates move less
    linearize(problem);
    multipliers_.setZero();
    refresh_curvature(problem);
    metric_ += curvature_.diagonal().cwiseMax(0.0);
    has_curvature_ = false;
  }
  hard_weight_ = 10.0;
  double softness = k_first_softness;
  for (int i = 0; i < most_iterations; ++i) {
    if (within(rows_)) return true;
    linearize(problem);
    bool moved = false;
    while (!moved) {
      ++iterations_;
      find_step(false, 0.0, softness);
      if (!x_.allFinite()) return false;
      const double part = believed();
      along_ = rows_;
      along_.noalias() += part * jacobian_ * x_;
      const double before = misfit(rows_);
      double expected = before - misfit(along_);
      if (expected <= 0.0 && hard_ > 0 && !(rows_.tail(hard_).squaredNorm() <= 1e-4 * before) && hard_weight_ < 1e8) {
        hard_weight_ *= 10.0;  // closing the loops takes the frames from their targets
        continue;
      }
      if (expected <= 1e-12 * before && softness <= 1e-2) return false;  // no motion brings the rows nearer
      const bool exists = look_along(problem, part);
      const double gained = exists ? before - misfit(trial_rows_) : -1.0;
      if (gained > 1e-3 * expected && expected > 0.0) {
        moved = true;
        if (gained > 0.7 * expected) softness = std::max(0.03 * softness, k_least_softness);
        if (gained < 0.2 * expected) softness = std::min(5.0 * softness, k_most_softness);
      } else {
        softness = std::max(10.0 * softness, 1e-8);
        if (softness > k_most_softness) return false;
      }
    }
    problem.move();
    rows_ = trial_rows_;
  }
  return within(rows_);
}

bool TargetSolver::settle(TargetProblem& problem, int most_iterations) {
  if (!begin(problem)) return false;
  double last = std::numeric_limits<double>::infinity(), damping = k_least_damping, weight = k_first_weight;
  for (int i = 0; i < most_iterations; ++i) {
    ++iterations_;
    linearize(problem);
    bool fresh = !has_curvature_;
    if (fresh) refresh_curvature(problem);
    find_step(true, damping, k_hardness);
    if (!x_.allFinite()) return false;
    double size = x_.lpNorm<Eigen::Infinity>();
    if (!fresh && size > 0.5 * last) {  // the tangent was of another state
      refresh_curvature(problem), fresh = true;
      find_step(true, damping, k_hardness);
      size = x_.lpNorm<Eigen::Infinity>();
    }
    if (damping > k_first_damping && size <= k_settled_target) {  // is that the end, or damping that holds it?
      damping = k_first_damping;
      find_step(true, damping, k_hardness);
      size = x_.lpNorm<Eigen::Infinity>();
    }
    if (within(rows_) && size <= k_settled_target) {
      multipliers_ = next_multipliers_;
      return true;
    }
    while (size > k_longest_part && damping < k_turning_damping) {  // turn it to where the energy falls
      damping = std::max(10.0 * damping, k_first_damping);
      find_step(true, damping, k_hardness);
      size = x_.lpNorm<Eigen::Infinity>();
    }
    double part = believed();
    bool undamped = damping <= k_first_damping;
    if (size <= k_small_step && undamped) {
      if (fresh && size > 0.5 * last) return false;
      if (!look_along(problem, 1.0)) return false;
      damping = std::max(1e-3 * damping, k_least_damping);
    } else {
      // Line search on the augmented Lagrangian: with the multipliers at hand it has no minimum off the rows.
      double slope = 0.0;
      for (;;) {
        bent_ = damping * x_;
        bent_.noalias() += curvature_ * x_;
        if (x_.dot(bent_) + weight * rows_.squaredNorm() >= 1e-9 * x_.squaredNorm()) {
          along_.noalias() = jacobian_ * x_;
          slope = gradient_.dot(x_) + next_multipliers_.dot(along_) + weight * rows_.dot(along_);
          if (slope < 0.0) break;
        }
        // along x the energy is no minimum: if x is the way to the rows, that does not matter, else lean against it
        if (rows_.squaredNorm() >= 1e-4 * x_.squaredNorm() && weight < k_most_weight) {
          weight *= 10.0;
          continue;
        }
        if (!fresh) {
          multipliers_ = next_multipliers_;
          refresh_curvature(problem), fresh = true;
        } else {
          damping = std::max(10.0 * damping, k_first_damping);
          if (damping > k_most_damping) return false;
        }
        find_step(true, damping, k_hardness);
        if (!x_.allFinite()) return false;
        size = x_.lpNorm<Eigen::Infinity>(), part = believed();
      }
      undamped = damping <= k_first_damping;
      const auto merit = [&](const Eigen::VectorXd& rows) {
        return problem.energy() / energy_unit_ + next_multipliers_.dot(rows) + 0.5 * weight * rows.squaredNorm();
      };
      step_.setZero();
      if (!problem.look(step_, trial_rows_)) return false;
      const double before = merit(trial_rows_);
      bool lower = false;
      for (int k = 0; k < 12 && !lower; ++k, part *= 0.5) {
        if (!look_along(problem, part)) continue;
        const double after = merit(trial_rows_);
        lower = after <= before + 1e-4 * part * slope + 1e-14 * std::abs(before);
        if (lower) break;
      }
      if (!lower) {
        multipliers_ = next_multipliers_;
        if (!fresh) {
          refresh_curvature(problem);
        } else {
          damping = std::max(10.0 * damping, k_first_damping);
          if (damping > k_most_damping) return false;
        }
        continue;
      }
      damping = part < 0.3 ? std::max(10.0 * damping, k_first_damping) : std::max(0.1 * damping, k_least_damping);
    }
    problem.move();
    rows_ = trial_rows_;
    multipliers_ = next_multipliers_;
    const double contraction = std::min(1.0, size / std::min(last, 1.0));
    if (undamped && part == 1.0 && size * contraction <= k_settled_target && within(rows_)) return true;
    if (part < 1.0 || contraction > k_kept_contraction) has_curvature_ = false;
    last = part == 1.0 ? size : std::numeric_limits<double>::infinity();
  }
  return false;
}

}  // namespace cuttle
