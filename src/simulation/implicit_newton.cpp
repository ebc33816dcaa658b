#include "simulation/implicit_newton.h"

#include <algorithm>
#include <cmath>

#include "cuttle/error.h"

namespace cuttle {
namespace {

constexpr int k_most_iterations = 40;
constexpr int k_most_halvings = 10;
constexpr double k_absolute = 1e-12, k_relative = 1e-9;  // of corrections, which are rad and m
constexpr double k_good_contraction = 0.1;               // of a kept tangent

double largest(const VectorXd& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; }

}  // namespace

ImplicitNewton::ImplicitNewton(ImplicitSystem& system, IntegratorStatistics& statistics)
    : system_(system),
      statistics_(statistics),
      coordinates_(system.model()),
      nv_(system.model().nv()),
      m_(system.constraint_count()) {
  const int nq = system.model().nq(), size = nv_ + m_;
  q_.resize(nq), q_end_.resize(nq);
  for (VectorXd* x : {&v_, &a_, &w_, &w_rate_, &scaled_, &trial_x_}) x->resize(nv_);
  extra_rate_.resize(system.extra_count());
  trial_lambda_.resize(m_);
  for (VectorXd* x : {&equations_, &scaled_equations_, &correction_, &next_}) x->resize(size);
  matrix_.setZero(size, size);
  by_q_.resize(nv_, nv_);
  lu_ = Eigen::PartialPivLU<MatrixXd>(size);
  iterations_.reserve(k_most_iterations + 1);
}

bool ImplicitNewton::evaluate(double time, const VectorXd& q0, const StepMap& map, const VectorXd& extra,
                              const VectorXd& x, const VectorXd& lambda) {
  scaled_ = map.scale * x;
  w_ = map.rate * x + map.rate_offset;
  w_rate_ = map.second * x + map.second_offset;
  coordinates_.motion_at(q0, scaled_, w_, w_rate_, q_, v_, a_);
  ++statistics_.evaluations;
  try {
    system_.residual(time, q_, v_, a_, extra, equations_.head(nv_), extra_rate_);
    if (m_ > 0) {
      // lambda is held in units of the scaled equations
      equations_.head(nv_) += map.second * (system_.constraint_jacobian(q_).transpose() * lambda);
      if (map.scale == 1.0) {
        system_.constraints(q_, equations_.tail(m_));
      } else {
        coordinates_.configuration_at(q0, x, q_end_);
        system_.constraints(q_end_, equations_.tail(m_));
      }
    }
  } catch (const Error& error) {
    trouble_ = error.what();
    return false;
  }
  if (!equations_.allFinite()) {
    trouble_ = "the equations grew beyond all numbers";
    return false;
  }
  return true;
}

void ImplicitNewton::factor(double time, const VectorXd& q0, const StepMap& map, const VectorXd& extra,
                            const VectorXd& x, const VectorXd& lambda) {
  const DerivativeData& d = system_.residual_derivatives(time, q_, v_, a_, extra);
  ++statistics_.jacobians;
  by_q_ = d.by_q;
  if (m_ > 0) by_q_ += map.second * system_.constraint_stiffness(q_, lambda);
  // rows and multipliers are scaled by the factor of the inertia, so that the matrix is that of an index-1 problem
  const double inverse = 1.0 / map.second;
  coordinates_.chain(scaled_, w_rate_, q_, v_, map.scale * inverse, map.rate * inverse, 1.0, by_q_, d.by_v, d.by_a,
                     matrix_.topLeftCorner(nv_, nv_));
  if (m_ > 0) {
    matrix_.topRightCorner(nv_, m_) = system_.constraint_jacobian(q_).transpose();
    if (map.scale == 1.0) {
      coordinates_.chain(scaled_, q_, 1.0, system_.constraint_jacobian(q_), matrix_.bottomLeftCorner(m_, nv_));
    } else {
      coordinates_.configuration_at(q0, x, q_end_);
      coordinates_.chain(x, q_end_, 1.0, system_.constraint_jacobian(q_end_), matrix_.bottomLeftCorner(m_, nv_));
    }
    matrix_.bottomRightCorner(m_, m_).setZero();
  }
  lu_.compute(matrix_);
  has_tangent_ = true, tangent_second_ = map.second;
}

ImplicitNewton::Iteration ImplicitNewton::measure(double damping) const {
  Iteration i;
  i.damping = damping;
  if (nv_ > 0) i.residual = equations_.head(nv_).cwiseAbs().maxCoeff(&i.worst);
  i.correction = largest(correction_.head(nv_));
  return i;
}

bool ImplicitNewton::solve(double time, const VectorXd& q0, const StepMap& map, const VectorXd& extra, VectorXd& x,
                           VectorXd& lambda) {
  iterations_.clear();
  trouble_.clear();
  if (tangent_second_ != map.second) has_tangent_ = false;
  const auto correct = [&](VectorXd& correction) {
    scaled_equations_.head(nv_) = equations_.head(nv_) / map.second;
    scaled_equations_.tail(m_) = equations_.tail(m_);
    correction = lu_.solve(scaled_equations_);
  };
  const auto small = [&](const VectorXd& correction, double factor) {
    return largest(correction.head(nv_)) <= factor * (k_absolute + k_relative * largest(x));
  };
  if (!evaluate(time, q0, map, extra, x, lambda)) return false;
  bool fresh = false;
  for (int i = 0; i < k_most_iterations; ++i) {
    if (!has_tangent_) {
      factor(time, q0, map, extra, x, lambda);
      fresh = true;
    }
    if (i == 0 || fresh) correct(correction_);
    const double before = largest(correction_.head(nv_));
    if (!std::isfinite(before)) {
      trouble_ = "the tangent of the equations is singular";
      return false;
    }
    // natural monotonicity: the next correction of the same tangent must be smaller
    double damping = 1.0;
    bool taken = false;
    for (int k = 0; k <= k_most_halvings; ++k, damping *= 0.5) {
      trial_x_ = x - damping * correction_.head(nv_);
      trial_lambda_ = lambda - damping * correction_.tail(m_);
      if (!evaluate(time, q0, map, extra, trial_x_, trial_lambda_)) {
        if (!fresh) break;
        continue;
      }
      correct(next_);
      const double after = largest(next_.head(nv_));
      taken = after <= (1.0 - 0.25 * damping) * before || small(next_, 1.0);
      if (taken || !fresh) break;
    }
    iterations_.push_back(measure(damping));
    if (!taken) {
      // at the floor of rounding corrections no longer shrink
      if (fresh && small(correction_, 1e4)) {
        x -= correction_.head(nv_), lambda -= correction_.tail(m_);
        return evaluate(time, q0, map, extra, x, lambda);
      }
      if (fresh) {
        if (trouble_.empty()) trouble_ = "no part of the Newton correction brings the equations closer to balance";
        return false;
      }
      has_tangent_ = false;  // it was of another state
      if (!evaluate(time, q0, map, extra, x, lambda)) return false;
      continue;
    }
    const double after = largest(next_.head(nv_));
    x = trial_x_, lambda = trial_lambda_;
    if (damping == 1.0 && small(next_, 1.0)) {
      x -= next_.head(nv_), lambda -= next_.tail(m_);
      return evaluate(time, q0, map, extra, x, lambda);
    }
    if (after > k_good_contraction * before) has_tangent_ = false;
    std::swap(correction_, next_);
    fresh = false;
  }
  trouble_ = "Newton's method does not converge";
  return false;
}

}  // namespace cuttle
