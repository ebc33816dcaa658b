#include "algorithms/newton_solver.h"

#include <algorithm>
#include <cmath>

namespace cuttle {
namespace {

constexpr int k_most_iterations = 40;
constexpr std::size_t k_easy_iterations = 10;
constexpr double k_absolute = 1e-12, k_relative = 1e-9;  // of corrections, in rad and m
constexpr double k_reach = 1.0;                          // of one correction, in rad and m or beside what is there
constexpr double k_rounding = 1e4;                       // times these, where corrections no longer shrink
constexpr double k_least_contraction = 1e-3;             // that is believed of the next correction
constexpr double k_nothing = 1e-15;                      // a correction beside all of it that need not be made
constexpr double k_nothing_of_multipliers = 1e-12;       // beside them
constexpr double k_multipliers = 1e-4;                   // of corrections, where a kept tangent gives multipliers

}  // namespace

NewtonSolver::NewtonSolver(int unknowns, int displacements, bool matrices)
    : displacements_(displacements),
      equations_(unknowns),
      correction_(unknowns),
      next_(unknowns),
      trial_(unknowns),
      matrix_(Eigen::MatrixXd::Zero(matrices ? unknowns : 0, matrices ? unknowns : 0)),
      dense_(std::make_unique<FactoredMatrix>(matrix_.rows())) {
  iterations_.reserve(k_most_iterations + 1);
}

double NewtonSolver::largest(const Eigen::VectorXd& z) const {
  return displacements_ > 0 ? z.head(displacements_).cwiseAbs().maxCoeff() : 0.0;
}

bool NewtonSolver::strained() const {
  return iterations_.size() > k_easy_iterations ||
         std::any_of(iterations_.begin(), iterations_.end(), [](const Iteration& i) { return i.damping < 1.0; });
}

bool NewtonSolver::small(const Eigen::VectorXd& correction, const Eigen::VectorXd& z, double factor) const {
  return largest(correction) <= factor * (k_absolute + k_relative * largest(z));
}

double NewtonSolver::left_after_next() const {
  double left = 0.0;
  for (Eigen::Index i = 0; i < displacements_; ++i) {
    const double last = std::abs(correction_[i]), next = std::abs(next_[i]);
    const double contraction = std::max(k_least_contraction, next < last ? next / last : 1.0);
    left = std::max(left, next / std::max(1.0, 1.0 / contraction - 1.0));
  }
  return left;
}

bool NewtonSolver::steady_multipliers(const Eigen::VectorXd& correction, const Eigen::VectorXd& z) const {
  const Eigen::Index count = z.size() - displacements_;
  if (count == 0) return true;
  return correction.tail(count).cwiseAbs().maxCoeff() <=
         k_absolute + k_multipliers * z.tail(count).cwiseAbs().maxCoeff();
}

void NewtonSolver::take_tangent(NewtonProblem& problem, const Eigen::VectorXd& z) {
  factored_ = problem.factored(z);
  if (factored_ == nullptr) {
    if (matrix_.rows() != z.size()) matrix_.setZero(z.size(), z.size());
    problem.tangent(z, matrix_);
    dense_->compute(matrix_);
    factored_ = dense_.get();
  }
  has_tangent_ = true;
  ++tangents_;
}

void NewtonSolver::apply_inverse(const Eigen::VectorXd& right, Eigen::VectorXd& result) const {
  factored_->solve(right, result);
}

bool NewtonSolver::solve(NewtonProblem& problem, Eigen::VectorXd& z) {
  iterations_.clear();
  trouble_.clear();
  const auto evaluate = [&](const Eigen::VectorXd& at) {
    if (!problem.equations(at, equations_, trouble_)) return false;
    if (equations_.allFinite()) return true;
    trouble_ = "the equations grew beyond all numbers";
    return false;
  };
  if (!evaluate(z)) return false;
  bool fresh = false, corrected = false;
  for (int i = 0; i < k_most_iterations; ++i) {
    if (!has_tangent_) {
      take_tangent(problem, z);
      fresh = true;
      corrected = false;
    }
    if (!corrected) apply_inverse(equations_, correction_);
    const double before = largest(correction_);
    Iteration now;
    if (displacements_ > 0) now.residual = equations_.head(displacements_).cwiseAbs().maxCoeff(&now.worst);
    now.correction = before;
    if (!std::isfinite(before)) {
      iterations_.push_back(now);
      trouble_ = "the tangent of the equations is singular";
      return false;
    }
    bool taken = false;
    // far away there are other solutions, rods wound up many times, that nobody means
    const double most = before > 0.0 ? std::min(1.0, k_reach * std::max(1.0, largest(z)) / before) : 1.0;
    for (int k = 0; k <= most_halvings_ && !taken; ++k) {
      now.damping = std::ldexp(most, -k);
      trial_ = z - now.damping * correction_;
      if (evaluate(trial_)) {
        apply_inverse(equations_, next_);
        taken = largest(next_) <= (1.0 - 0.25 * now.damping) * before || small(next_, trial_, 1.0);
      }
      if (!fresh) break;
    }
    iterations_.push_back(now);
    if (!taken && !fresh) {  // the tangent was of another state
      has_tangent_ = false;
      if (!evaluate(z)) return false;
      continue;
    }
    if (!taken) {
      if (small(correction_, z, k_rounding)) {
        z -= correction_;
        return evaluate(z);
      }
      if (trouble_.empty())
        trouble_ = "Newton's method finds no step, however short, that brings the equations closer to balance";
      return false;
    }
    trouble_.clear();
    z = trial_;
    if (now.damping == 1.0 && left_after_next() <= k_absolute + k_relative * largest(z)) {
      if (fresh || steady_multipliers(next_, z)) {
        z -= next_;
        return evaluate(z);
      }
      // displacements that constraints fix converge by any tangent; multipliers with one of a robot that was turned
      // otherwise grow from step to step
      has_tangent_ = false;
      continue;
    }
    if (largest(next_) > good_contraction_ * before) has_tangent_ = false;
    correction_.swap(next_);
    corrected = true, fresh = false;
  }
  trouble_ = "Newton's method does not converge";
  return false;
}

bool NewtonSolver::is_nothing(const Eigen::VectorXd& correction, const Eigen::VectorXd& z) const {
  const Eigen::Index count = z.size() - displacements_;
  if (!(largest(correction) <= k_nothing * largest(z))) return false;
  return count == 0 ||
         correction.tail(count).cwiseAbs().maxCoeff() <= k_nothing_of_multipliers * z.tail(count).cwiseAbs().maxCoeff();
}

bool NewtonSolver::polish(NewtonProblem& problem, Eigen::VectorXd& z) {
  // first by the tangent that has found it: the new one is then made so near the solution that it serves there too
  apply_inverse(equations_, correction_);
  z -= correction_;
  if (!problem.equations(z, equations_, trouble_)) return false;
  take_tangent(problem, z);
  moved_ = 0.0;
  bool settled = false;
  for (int i = 0; i < 2 && !settled; ++i) {
    apply_inverse(equations_, correction_);
    if (is_nothing(correction_, z)) break;
    // of so small a correction the next one is rounding
    settled = small(correction_, z, 1.0) && steady_multipliers(correction_, z);
    z -= correction_;
    moved_ += largest(correction_);
    if (!problem.equations(z, equations_, trouble_)) return false;
  }
  return equations_.allFinite();
}

}  // namespace cuttle
