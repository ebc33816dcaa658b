#include "simulation/gradient_system.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithms/gradient_numbers.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "simulation/impulse.h"

namespace cuttle {

GradientSystem::GradientSystem(RobotSystem& plain, const ModelT<Gradient>& variable, std::vector<Signal> inputs,
                               std::vector<InputSlope> slopes, std::vector<double> scales,
                               std::unique_ptr<GradientControllers> controllers)
    : plain_(plain),
      equation_(variable, timed_wrenches(variable), plain.layout().without_works(), {}, &plain.model()),
      rows_(variable, plain.rows()),
      inputs_(std::move(inputs)),
      slopes_(std::move(slopes)),
      scales_(std::move(scales)),
      first_(-std::numeric_limits<double>::infinity()),
      last_(std::numeric_limits<double>::infinity()),
      controllers_(std::move(controllers)),
      q_(variable.nq()),
      u_(variable.nu()) {
  if (driven().empty()) return;
  DrivenJointsT<Gradient>& joints = equation_.driven();
  joints.driven.assign(static_cast<std::size_t>(variable.nv()), 0);
  for (const int k : driven()) joints.driven[static_cast<std::size_t>(k)] = 1;
  joints.a.setZero(variable.nv()), joints.effort.setZero(variable.nv());
  for (const Edge& edge : plain.model().topology().edges) {
    if (edge.nv == 0 || joints.driven[static_cast<std::size_t>(edge.v)] == 0) continue;
    for (int i = 0; i < edge.nq; ++i) driven_places_.push_back(edge.q + i);
  }
}

void GradientSystem::impose(double time, VectorXT<Gradient>& q, VectorXT<Gradient>& v, VectorXT<Gradient>* a) const {
  if (driven().empty()) return;
  VectorXd plain_q = values_of(q), plain_v = values_of(v), plain_a;
  if (a != nullptr) plain_a = values_of(*a);
  plain_.impose(time, plain_q, plain_v, a != nullptr ? &plain_a : nullptr);
  for (const int i : driven_places_) q[i] = Gradient(plain_q[i]);
  for (const int k : driven()) {
    v[k] = Gradient(plain_v[k]);
    if (a != nullptr) (*a)[k] = Gradient(plain_a[k]);
  }
}

VectorXT<Gradient> GradientSystem::start_of_auxiliary() const {
  VectorXT<Gradient> start = VectorXT<Gradient>::Zero(auxiliary_count());
  layout().elements_of(start) = model().element_start();
  if (controllers_) controllers_->start(layout().controllers_of(start));
  return start;
}

void GradientSystem::enter(double begin, double end) {
  plain_.confine(begin, end);
  if (controllers_) controllers_->confine(begin, end);
  first_ = begin, last_ = std::max(begin, std::nextafter(end, begin));
}

void GradientSystem::sample(double time, const VectorXT<Gradient>& q, const VectorXT<Gradient>& v,
                            const VectorXT<Gradient>& auxiliary) {
  if (controllers_) controllers_->sample(time, q, v, auxiliary);
}

void GradientSystem::read_inputs(double time, const VectorXT<Gradient>& q, const VectorXT<Gradient>& v,
                                 const VectorXT<Gradient>& offset, double factor, double stiff_factor) {
  u_.setZero();
  for (std::size_t i = 0; i < inputs_.size(); ++i) u_[static_cast<Eigen::Index>(i)] += Gradient(inputs_[i].at(time));
  for (const InputSlope& slope : slopes_) u_[slope.input].derivative[slope.direction] += slope.slope.at(time);
  if (controllers_) controllers_->control(time, q, v, offset, factor, stiff_factor, u_, control_rates_);
  clip_slack<Gradient>(model(), u_);
}

const VectorXT<Gradient>& GradientSystem::inputs(double time, const VectorXT<Gradient>& q, const VectorXT<Gradient>& v,
                                                 const VectorXT<Gradient>& auxiliary) {
  read_inputs(std::max(time, first_), q, v, auxiliary, 0.0, 0.0);  // as RobotSystem::inputs
  return u_;
}

GradientSystem::Equation::Instant GradientSystem::instant(double time, const VectorXT<Gradient>& q,
                                                          const VectorXT<Gradient>& v, const VectorXT<Gradient>& offset,
                                                          double factor, double stiff_factor) {
  if (heartbeat) heartbeat(time);
  q_ = q;
  normalize<Gradient>(model(), q_);
  const double at = std::clamp(time, first_, last_);
  read_inputs(at, q_, v, offset, factor, stiff_factor);
  return {at, q_, v, u_, offset, factor, stiff_factor};
}

void GradientSystem::rates(double time, const VectorXT<Gradient>& q, const VectorXT<Gradient>& v,
                           const VectorXT<Gradient>& auxiliary, VectorXT<Gradient>& a,
                           VectorXT<Gradient>& auxiliary_rate) {
  if (driven().empty()) {
    equation_.rates(instant(time, q, v, auxiliary, 0.0, 0.0), a, auxiliary_rate);
  } else {
    driven_q_ = q, driven_v_ = v;
    impose(time, driven_q_, driven_v_, &equation_.driven().a);
    equation_.rates(instant(time, driven_q_, driven_v_, auxiliary, 0.0, 0.0), a, auxiliary_rate);
  }
  if (controllers_) layout().controllers_of(auxiliary_rate) = control_rates_;
  if (all(data().singular)) throw SingularMassError("the mass matrix is singular");
}

void GradientSystem::residual(double time, const VectorXT<Gradient>& q, const VectorXT<Gradient>& v,
                              const VectorXT<Gradient>& a, const VectorXT<Gradient>& offset, double factor,
                              double stiff_factor, VectorXT<Gradient>& r, VectorXT<Gradient>& auxiliary_rate) {
  equation_.residual(instant(time, q, v, offset, factor, stiff_factor), a, r, auxiliary_rate);
  if (controllers_) layout().controllers_of(auxiliary_rate) = control_rates_;
}

void GradientSystem::take_up_constraints(const VectorXT<Gradient>& q, const VectorXd& plain_v, VectorXT<Gradient>& v) {
  rows_.hold(plain_.rows());
  rows_.stay_open(data(), q);
  const MatrixXT<Gradient> M = mass_matrix<Gradient>(model(), data(), q), G = rows_.jacobian(data(), q);
  const Impulse impulse(values_of(M), values_of(G));
  // M (after - v) + G^T mu = 0, G after = 0: an iteration of Newton's method at the plain solution has its derivatives
  VectorXT<Gradient> after = plain_v.cast<Gradient>(), left(v.size() + G.rows());
  left << M * (after - v) + G.transpose() * impulse.multipliers(values_of(v)).cast<Gradient>(), G * after;
  subtract_derivatives(impulse.solve(derivatives_of(left)).topRows(v.size()), after);
  v = after;
}

const VectorXT<Gradient>& GradientSystem::constraints(const VectorXT<Gradient>& q) { return rows_.residual(data(), q); }

VectorXT<Gradient> GradientSystem::constraint_velocity(const VectorXT<Gradient>& q, const VectorXT<Gradient>& v) {
  return rows_.jacobian(data(), q) * v;
}

const VectorXT<Gradient>& GradientSystem::constraint_force(const VectorXT<Gradient>& q,
                                                           const VectorXT<Gradient>& lambda) {
  return rows_.force(data(), q, lambda);
}

VectorXT<Gradient> GradientSystem::constraint_acceleration(const VectorXT<Gradient>& q, const VectorXT<Gradient>& v,
                                                           const VectorXd& a) {
  return constraint_velocity(q, a.cast<Gradient>()) + rows_.bias(data(), q, v);
}

}  // namespace cuttle
