#include "control/regressor.h"

#include <algorithm>
#include <cmath>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/error.h"

namespace cuttle {
namespace {

Model with_values(const Model& model, const std::vector<std::string>& paths, const VectorXd& values) {
  std::vector<ParameterChange> changes;
  for (std::size_t k = 0; k < paths.size(); ++k) changes.push_back({paths[k], values[static_cast<Eigen::Index>(k)]});
  return model.with(changes);
}

template <typename S>
void reference_force(const ModelT<S>& model, DataT<S>& data, const VectorXT<S>& q, const VectorXT<S>& v_r,
                     const VectorXT<S>& a_r, const VectorXT<S>& sum, const VectorXT<S>& difference,
                     const VectorXT<S>& zero, VectorXT<S>& force) {
  force = inverse_dynamics<S>(model, data, q, zero, a_r);
  force += damping_force<S>(model, data, q, v_r);
  force += S(0.25) * coriolis_force<S>(model, data, q, sum);
  force -= S(0.25) * coriolis_force<S>(model, data, q, difference);
}

}  // namespace

Regressor::Regressor(const Model& model, const std::vector<std::string>& paths, const VectorXd& values)
    : values_(values) {
  const int nv = model.nv();
  Y.setZero(nv, static_cast<Eigen::Index>(paths.size())), rest.setZero(nv);
  const Model at_values = with_values(model, paths, values);
  for (std::size_t first = 0; first < paths.size(); first += k_gradient_width) {
    const std::size_t end = std::min(paths.size(), first + k_gradient_width);
    variables_.push_back(std::make_unique<Variable>(
        differentiate(at_values, {paths.begin() + static_cast<long>(first), paths.begin() + static_cast<long>(end)})));
  }
  q_.resize(model.nq());
  for (auto* x : {&v_, &v_r_, &a_r_, &sum_, &difference_, &zero_, &force_}) x->setConstant(nv, Gradient(0.0));
  require_affine(model, paths);
}

void Regressor::read(const VectorXd& q, const VectorXd& v, const VectorXd& v_r, const VectorXd& a_r) {
  for (Eigen::Index i = 0; i < q.size(); ++i) q_[i] = Gradient(q[i]);
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    v_r_[i] = Gradient(v_r[i]), a_r_[i] = Gradient(a_r[i]);
    sum_[i] = Gradient(v[i] + v_r[i]), difference_[i] = Gradient(v[i] - v_r[i]);
  }
  for (std::size_t part = 0; part < variables_.size(); ++part) {
    reference_force<Gradient>(variables_[part]->model, variables_[part]->data, q_, v_r_, a_r_, sum_, difference_, zero_,
                              force_);
    const Eigen::Index first = static_cast<Eigen::Index>(part) * k_gradient_width;
    const Eigen::Index count = std::min<Eigen::Index>(k_gradient_width, Y.cols() - first);
    for (Eigen::Index i = 0; i < Y.rows(); ++i) {
      for (Eigen::Index k = 0; k < count; ++k) Y(i, first + k) = force_[i].derivative[k];
      if (part == 0) rest[i] = force_[i].value;
    }
  }
  rest.noalias() -= Y * values_;
}

/// At a configuration and velocities that are nothing special, with other values.
void Regressor::require_affine(const Model& model, const std::vector<std::string>& paths) {
  constexpr double k_change = 0.1;    // of each value
  constexpr double k_nothing = 1e-9;  // of forces
  const int nv = model.nv();
  VectorXd other = values_, step(nv), v(nv), v_r(nv), a_r(nv), q(model.nq());
  for (Eigen::Index k = 0; k < other.size(); ++k) other[k] += k_change * (other[k] == 0.0 ? 1.0 : other[k]);
  for (int i = 0; i < nv; ++i) {
    step[i] = 0.01 * std::sin(1.0 + 2.3 * i), v[i] = std::cos(0.7 * i), v_r[i] = std::sin(0.4 + i);
    a_r[i] = std::cos(1.1 + 1.7 * i);
  }
  const VectorXd neutral = model.neutral(), zero = VectorXd::Zero(nv);
  integrate<double>(model, neutral, step, q);
  const Model changed = with_values(model, paths, other);
  Data data(changed);
  VectorXd expected(nv);
  reference_force<double>(changed, data, q, v_r, a_r, v + v_r, v - v_r, zero, expected);
  read(q, v, v_r, a_r);
  const VectorXd found = rest + Y * other;
  if ((found - expected).norm() <= k_nothing * (rest.norm() + (Y * other).norm() + expected.norm())) return;
  throw ArgumentError(Diagnostic("parameters", "a force that is not affine in them together",
                                 "parameters as stiffnesses, dampings, masses or gravity, that multiply no other"));
}

}  // namespace cuttle
