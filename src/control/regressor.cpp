#include "control/regressor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/error.h"

namespace cuttle {
namespace {

constexpr double k_change = 0.1;  // of each value, where the force is taken again

Model with_values(const Model& model, const std::vector<std::string>& paths, const VectorXd& values) {
  std::vector<ParameterChange> changes;
  changes.reserve(paths.size());
  for (std::size_t k = 0; k < paths.size(); ++k) changes.push_back({paths[k], values[static_cast<Eigen::Index>(k)]});
  return model.with(changes);
}

/// A motion that is nothing special.
struct SomeMotion {
  explicit SomeMotion(const Model& model) : q(model.nq()), v(model.nv()), v_r(model.nv()), a_r(model.nv()) {
    VectorXd step(model.nv());
    for (int i = 0; i < model.nv(); ++i) {
      step[i] = 0.01 * std::sin(1.0 + 2.3 * i), v[i] = std::cos(0.7 * i), v_r[i] = std::sin(0.4 + i);
      a_r[i] = std::cos(1.1 + 1.7 * i);
    }
    const VectorXd neutral = model.neutral();
    integrate<double>(model, neutral, step, q);
  }
  VectorXd q, v, v_r, a_r;
};

}  // namespace

Regressor::Regressor(const Model& model, const std::vector<std::string>& paths, const VectorXd& values)
    : values_(values), changes_(values.size()) {
  const int nv = model.nv();
  const auto count = static_cast<Eigen::Index>(paths.size());
  Y.setZero(nv, count), rest.setZero(nv);
  weighted_by_q.setZero(count, nv), weighted_by_v.setZero(count, nv);
  constexpr double k_unread = std::numeric_limits<double>::quiet_NaN();  // nothing was read
  q_.setConstant(model.nq(), k_unread);
  for (VectorXd* x : {&v_, &v_r_, &a_r_}) x->setConstant(nv, k_unread);
  const Model at_values = with_values(model, paths, values);
  variants_.reserve(paths.size() + 1);
  variants_.push_back(std::make_unique<Variant>(at_values));
  for (std::size_t k = 0; k < paths.size(); ++k) {
    const auto index = static_cast<Eigen::Index>(k);
    const double value = values[index], other = value + k_change * (value == 0.0 ? 1.0 : value);
    changes_[index] = other - value;
    variants_.push_back(std::make_unique<Variant>(at_values.with({{paths[k], other}})));
  }
  choose_summands(at_values);
  require_affine(model, paths);
}

/// c is quadratic in the velocity, and damping linear or, of a body of somebody's own, at least odd. With the symmetric
/// c(x, y) of c(v) = c(v, v), which is C(q, x) y, each list gives c(v, v_r), s(v_r), g and M a_r once.
void Regressor::choose_summands(const Model& model) {
  const SomeMotion at(model);
  Data data(model);
  const auto damping = [&](const VectorXd& v) -> VectorXd { return damping_force<double>(model, data, at.q, v); };
  const VectorXd both = at.v + at.v_r, parts = damping(at.v) + damping(at.v_r);
  constexpr double k_linear_tolerance = 100.0 * std::numeric_limits<double>::epsilon();
  if ((damping(both) - parts).norm() <= k_linear_tolerance * parts.norm()) {
    summands_ = {{0.25, 1, 0.75, 0}, {-0.25, 1, -1.25, 0}, {1, 0, 0.5, 1}};
  } else {
    summands_ = {{1, 0, 0, 1},       {0.5, 0, 1, 0},     {-0.5, 0, -1, 0},  {0.125, 1, 1, 0},
                 {0.125, -1, -1, 0}, {-0.125, 1, -1, 0}, {-0.125, -1, 1, 0}};
  }
}

void Regressor::read(const VectorXd& q, const VectorXd& v, const VectorXd& v_r, const VectorXd& a_r) {
  if (q == q_ && v == v_ && v_r == v_r_ && a_r == a_r_) return;  // for the law's states, and again for its force
  for (const auto& variant : variants_) {
    variant->force.setZero();
    for (const Summand& x : summands_) {
      velocity_ = x.of_v * v + x.of_v_r * v_r, acceleration_ = x.of_a_r * a_r;
      variant->force += x.weight * inverse_dynamics<double>(variant->model, variant->data, q, velocity_, acceleration_);
    }
  }
  rest = variants_[0]->force;
  for (Eigen::Index k = 0; k < Y.cols(); ++k) {
    Y.col(k) = (variants_[static_cast<std::size_t>(k) + 1]->force - variants_[0]->force) / changes_[k];
  }
  rest.noalias() -= Y * values_;
  q_ = q, v_ = v, v_r_ = v_r, a_r_ = a_r;
}

void Regressor::differentiate(Variant& variant, const VectorXd& q, const VectorXd& v, const VectorXd& v_r,
                              const VectorXd& a_r, const ReferenceSlopes& reference) {
  const Eigen::Index nv = v.size();
  variant.by_q.setZero(nv, nv), variant.by_v.setZero(nv, nv);
  if (!variant.derivatives) variant.derivatives.emplace(variant.model);
  const DerivativeData& d = *variant.derivatives;
  for (const Summand& x : summands_) {
    velocity_ = x.of_v * v + x.of_v_r * v_r, acceleration_ = x.of_a_r * a_r;
    inverse_dynamics_derivatives(variant.model, variant.data, *variant.derivatives, q, velocity_, acceleration_);
    variant.by_q += x.weight * d.by_q;
    variant.by_v += (x.weight * x.of_v) * d.by_v;
    if (x.of_v_r != 0.0) {
      variant.by_q.noalias() += (x.weight * x.of_v_r) * d.by_v * reference.v_r_by_q;
      variant.by_v.noalias() += (x.weight * x.of_v_r) * d.by_v * reference.v_r_by_v;
    }
    if (x.of_a_r != 0.0) variant.by_v.noalias() += (x.weight * x.of_a_r) * d.by_a * reference.a_r_by_v;
  }
}

void Regressor::read_slopes(const VectorXd& q, const VectorXd& v, const VectorXd& v_r, const VectorXd& a_r,
                            const ReferenceSlopes& reference, const VectorXd& theta, const VectorXd& r) {
  Variant& itself = *variants_[0];
  differentiate(itself, q, v, v_r, a_r, reference);
  force_by_q = itself.by_q, force_by_v = itself.by_v;
  for (Eigen::Index k = 0; k < Y.cols(); ++k) {
    Variant& changed = *variants_[static_cast<std::size_t>(k) + 1];
    differentiate(changed, q, v, v_r, a_r, reference);
    changed.by_q = (changed.by_q - itself.by_q) / changes_[k];
    changed.by_v = (changed.by_v - itself.by_v) / changes_[k];
    force_by_q += (theta[k] - values_[k]) * changed.by_q;
    force_by_v += (theta[k] - values_[k]) * changed.by_v;
    weighted_by_q.row(k).noalias() = r.transpose() * changed.by_q;
    weighted_by_v.row(k).noalias() = r.transpose() * changed.by_v;
  }
}

/// Between the values that Y is from, and by the single terms.
void Regressor::require_affine(const Model& model, const std::vector<std::string>& paths) {
  constexpr double k_nothing = 1e-9;  // of forces
  const SomeMotion at(model);
  const VectorXd other = values_ + 0.5 * changes_, zero = VectorXd::Zero(model.nv());
  const Model changed = with_values(model, paths, other);
  Data data(changed);
  VectorXd expected = inverse_dynamics<double>(changed, data, at.q, zero, at.a_r);
  expected += damping_force<double>(changed, data, at.q, at.v_r);
  expected += 0.25 * coriolis_force<double>(changed, data, at.q, VectorXd(at.v + at.v_r));
  expected -= 0.25 * coriolis_force<double>(changed, data, at.q, VectorXd(at.v - at.v_r));
  read(at.q, at.v, at.v_r, at.a_r);
  const VectorXd found = rest + Y * other;
  if ((found - expected).norm() <= k_nothing * (rest.norm() + (Y * other).norm() + expected.norm())) return;
  throw ArgumentError(Diagnostic("parameters", "a force that is not affine in them together",
                                 "parameters as stiffnesses, dampings, masses or gravity, that multiply no other"));
}

}  // namespace cuttle
