#include "simulation/forward_system.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithms/displacement.h"
#include "algorithms/forward_numbers.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "simulation/impulse.h"

namespace cuttle {
namespace {

/// With more coordinates than that, numbers with derivatives cost less than derivatives as matrices of them all.
constexpr int k_most_by_matrices = 150;

/// Whether all that acts follows time, configuration, velocity and inputs of actuators.
bool can_be_tangent(const RobotSystem& plain) {
  const auto& elements = plain.model().elements();
  return plain.model().nv() <= k_most_by_matrices && plain.layout().size() == plain.layout().works &&
         plain.constraint_count() == 0 && plain.rows().dropped.empty() && plain.driven().empty() &&
         std::none_of(elements.begin(), elements.end(), [](const auto& e) { return e.law->input_count() > 0; });
}

}  // namespace

ForwardSystem::ForwardSystem(RobotSystem& plain, const ModelT<ForwardDual>& variable, std::vector<Signal> inputs,
                             std::vector<InputSlope> slopes, std::vector<double> scales,
                             std::unique_ptr<ForwardControllers> controllers, bool varies_robot,
                             std::shared_ptr<const MotionSlopes> driven)
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
      u_(variable.nu()),
      is_tangent_(can_be_tangent(plain)),
      moves_alone_(!varies_robot && (!controllers_ || controllers_->is_exact())),
      plain_data_(plain.model()),
      plain_a_(variable.nv()),
      plain_auxiliary_(VectorXd::Zero(plain.auxiliary_count())),
      plain_rate_(plain_auxiliary_),
      left_(variable.nv()),
      driven_slopes_(std::move(driven)) {
  if (is_tangent_) plain.prepare_derivatives();
  if (this->driven().empty()) return;
  DrivenJointsT<ForwardDual>& joints = equation_.driven();
  joints.driven.assign(static_cast<std::size_t>(variable.nv()), 0);
  for (const int k : this->driven()) joints.driven[static_cast<std::size_t>(k)] = 1;
  joints.a.setZero(variable.nv()), joints.effort.setZero(variable.nv());
  for (const Edge& edge : plain.model().topology().edges) {
    if (edge.nv == 0 || joints.driven[static_cast<std::size_t>(edge.v)] == 0) continue;
    for (int i = 0; i < edge.nq; ++i) driven_places_.push_back(edge.q + i);
  }
}

void ForwardSystem::impose(double time, VectorXT<ForwardDual>& q, VectorXT<ForwardDual>& v,
                           VectorXT<ForwardDual>* a) const {
  if (driven().empty()) return;
  VectorXd plain_q = values_of(q), plain_v = values_of(v), plain_a;
  if (a != nullptr) plain_a = values_of(*a);
  plain_.impose(time, plain_q, plain_v, a != nullptr ? &plain_a : nullptr);
  for (const int i : driven_places_) q[i] = ForwardDual(plain_q[i]);
  for (const int k : driven()) {
    v[k] = ForwardDual(plain_v[k]);
    if (a != nullptr) (*a)[k] = ForwardDual(plain_a[k]);
  }
  if (!driven_slopes_) return;
  const MotionSlopes::Slopes slopes = driven_slopes_->at(plain_.signal_time(time));
  VectorXT<ForwardDual> change = VectorXT<ForwardDual>::Zero(v.size()), moved(q.size());
  const auto add = [&](const MatrixXd& by, VectorXT<ForwardDual>& to) {
    for (const int k : driven()) {
      for (Eigen::Index i = 0; i < by.cols(); ++i) to[k].derivative[i] += by(k, i);
    }
  };
  add(slopes.q, change), add(slopes.v, v);
  if (a != nullptr) add(slopes.a, *a);
  VectorXd there = plain_.model().neutral();  // what is not driven may have left the quaternions' sphere in a stage
  for (const int i : driven_places_) there[i] = plain_q[i];
  integrate<ForwardDual>(model(), there.cast<ForwardDual>(), change, moved);
  for (const int i : driven_places_) q[i] = moved[i];
}

VectorXT<ForwardDual> ForwardSystem::start_of_auxiliary() const {
  VectorXT<ForwardDual> start = VectorXT<ForwardDual>::Zero(auxiliary_count());
  layout().elements_of(start) = model().element_start();
  if (controllers_) controllers_->start(layout().controllers_of(start));
  return start;
}

void ForwardSystem::enter(double begin, double end) {
  plain_.confine(begin, end);
  if (controllers_) controllers_->confine(begin, end);
  first_ = begin, last_ = std::max(begin, std::nextafter(end, begin));
}

void ForwardSystem::sample(double time, const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v,
                           const VectorXT<ForwardDual>& auxiliary) {
  if (!controllers_) return;
  read_signals(time);
  controllers_->sample(time, q, v, auxiliary, u_);
}

void ForwardSystem::read_signals(double time) {
  u_.setZero();
  for (std::size_t i = 0; i < inputs_.size(); ++i) u_[static_cast<Eigen::Index>(i)] += ForwardDual(inputs_[i].at(time));
  for (const InputSlope& slope : slopes_) u_[slope.input].derivative[slope.direction] += slope.slope.at(time);
}

void ForwardSystem::read_inputs(double time, const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v,
                                const VectorXT<ForwardDual>& offset, double factor, double stiff_factor) {
  read_signals(time);
  if (controllers_) controllers_->control(time, q, v, offset, factor, stiff_factor, u_, control_rates_);
  clip_slack<ForwardDual>(model(), u_);
}

const VectorXT<ForwardDual>& ForwardSystem::inputs(double time, const VectorXT<ForwardDual>& q,
                                                   const VectorXT<ForwardDual>& v,
                                                   const VectorXT<ForwardDual>& auxiliary) {
  read_inputs(std::max(time, first_), q, v, auxiliary, 0.0, 0.0);  // as RobotSystem::inputs
  return u_;
}

ForwardSystem::Equation::Instant ForwardSystem::instant(double time, const VectorXT<ForwardDual>& q,
                                                        const VectorXT<ForwardDual>& v,
                                                        const VectorXT<ForwardDual>& offset, double factor,
                                                        double stiff_factor) {
  if (heartbeat) heartbeat(time);
  q_ = q;
  normalize<ForwardDual>(model(), q_);
  const double at = std::clamp(time, first_, last_);
  read_inputs(at, q_, v, offset, factor, stiff_factor);
  return {at, q_, v, u_, offset, factor, stiff_factor};
}

void ForwardSystem::rates(double time, const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v,
                          const VectorXT<ForwardDual>& auxiliary, VectorXT<ForwardDual>& a,
                          VectorXT<ForwardDual>& auxiliary_rate) {
  if (is_tangent_) {
    tangent_rates(time, q, v, a);
    return;
  }
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

void ForwardSystem::residual(double time, const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v,
                             const VectorXT<ForwardDual>& a, const VectorXT<ForwardDual>& offset, double factor,
                             double stiff_factor, VectorXT<ForwardDual>& r, VectorXT<ForwardDual>& auxiliary_rate) {
  equation_.residual(instant(time, q, v, offset, factor, stiff_factor), a, r, auxiliary_rate);
  if (controllers_) layout().controllers_of(auxiliary_rate) = control_rates_;
}

ForwardSystem::Acting ForwardSystem::acting(double time, const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v,
                                            const VectorXT<ForwardDual>& a, const VectorXT<ForwardDual>& offset,
                                            double factor, double stiff_factor, const VectorXd& weights,
                                            std::optional<bool> actuators, VectorXT<ForwardDual>& auxiliary_rate) {
  const Equation::Instant at = instant(time, q, v, offset, factor, stiff_factor);
  ForwardDual work(0.0);
  auxiliary_rate.setZero();
  if (actuators) work = equation_.work(at, a, weights, *actuators, auxiliary_rate);
  if (controllers_) layout().controllers_of(auxiliary_rate) = control_rates_;
  return {work, u_};
}

// The motion solves M(q) a + rest(q, v) = A(q) u: along a direction M a' is what is left of the rest.
void ForwardSystem::tangent_rates(double time, const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v,
                                  VectorXT<ForwardDual>& a) {
  if (heartbeat) heartbeat(time);
  plain_q_ = values_of(q), plain_v_ = values_of(v);
  plain_.rates(time, plain_q_, plain_v_, plain_auxiliary_, plain_a_, plain_rate_);
  const DerivativeData& d =
      plain_.residual_derivatives(time, plain_q_, plain_v_, plain_a_, {plain_auxiliary_}, VectorXd());
  const Eigen::PartialPivLU<MatrixXd> mass(d.by_a);
  a = plain_a_.cast<ForwardDual>();
  tangent_residual(d, time, q, v, a, left_);
  subtract_derivatives(mass.solve(derivatives_of(left_)), a);
}

VectorXd ForwardSystem::opened(const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v) {
  const MatrixXd places = derivatives_of(constraints(q)), velocities = derivatives_of(constraint_velocity(q, v));
  return places.cwiseAbs().colwise().maxCoeff().cwiseMax(velocities.cwiseAbs().colwise().maxCoeff()).transpose();
}

void ForwardSystem::tangent_residual(const DerivativeData& d, double time, const VectorXT<ForwardDual>& q,
                                     const VectorXT<ForwardDual>& v, const VectorXT<ForwardDual>& a,
                                     VectorXT<ForwardDual>& r) {
  const auto count = static_cast<Eigen::Index>(scales_.size());
  plain_q_ = values_of(q), plain_v_ = values_of(v);
  MatrixXd slopes;
  if (moves_alone_) {
    slopes.setZero(v.size(), count);
    subtract_signals(time, slopes);
  } else {
    VectorXT<ForwardDual> none;
    equation_.residual(instant(time, plain_q_.cast<ForwardDual>(), plain_v_.cast<ForwardDual>(), none, 0.0, 0.0),
                       values_of(a).cast<ForwardDual>(), r, none);
    slopes = derivatives_of(r).leftCols(count);
  }
  const MatrixXd q_slopes = derivatives_of(q);
  MatrixXd displacements(v.size(), count);
  for (Eigen::Index k = 0; k < count; ++k)
    displacement(plain_.model(), plain_q_, q_slopes.col(k), displacements.col(k));
  slopes +=
      d.by_q * displacements + d.by_v * derivatives_of(v).leftCols(count) + d.by_a * derivatives_of(a).leftCols(count);
  r.setZero();
  for (Eigen::Index i = 0; i < r.size(); ++i) {
    for (Eigen::Index k = 0; k < count; ++k) r[i].derivative[k] = slopes(i, k);
  }
}

void ForwardSystem::subtract_signals(double time, MatrixXd& slopes) {
  if (slopes_.empty()) return;
  MatrixXd by_direction = MatrixXd::Zero(u_.size(), slopes.cols());
  const double at = std::clamp(time, first_, last_);
  for (const InputSlope& slope : slopes_) by_direction(slope.input, slope.direction) += slope.slope.at(at);
  plain_.input_slopes(time, plain_q_, plain_v_, {plain_auxiliary_}, by_signals_, by_held_);
  slopes -= actuation_matrix<double>(plain_.model(), plain_data_, plain_q_) * (by_signals_ * by_direction);
}

void ForwardSystem::take_up_constraints(const VectorXT<ForwardDual>& q, const VectorXd& plain_v,
                                        VectorXT<ForwardDual>& v) {
  rows_.hold(plain_.rows());
  rows_.stay_open(data(), q);
  const MatrixXT<ForwardDual> M = mass_matrix<ForwardDual>(model(), data(), q), G = rows_.jacobian(data(), q);
  const Impulse impulse(values_of(M), values_of(G));
  // M (after - v) + G^T mu = 0, G after = 0: an iteration of Newton's method at the plain solution has its derivatives
  VectorXT<ForwardDual> after = plain_v.cast<ForwardDual>(), left(v.size() + G.rows());
  left << M * (after - v) + G.transpose() * impulse.multipliers(values_of(v)).cast<ForwardDual>(), G * after;
  subtract_derivatives(impulse.solve(derivatives_of(left)).topRows(v.size()), after);
  v = after;
}

const VectorXT<ForwardDual>& ForwardSystem::constraints(const VectorXT<ForwardDual>& q) {
  return rows_.residual(data(), q);
}

VectorXT<ForwardDual> ForwardSystem::constraint_velocity(const VectorXT<ForwardDual>& q,
                                                         const VectorXT<ForwardDual>& v) {
  return rows_.jacobian(data(), q) * v;
}

const VectorXT<ForwardDual>& ForwardSystem::constraint_force(const VectorXT<ForwardDual>& q,
                                                             const VectorXT<ForwardDual>& lambda) {
  return rows_.force(data(), q, lambda);
}

VectorXT<ForwardDual> ForwardSystem::constraint_acceleration(const VectorXT<ForwardDual>& q,
                                                             const VectorXT<ForwardDual>& v,
                                                             const VectorXT<ForwardDual>& a) {
  return constraint_velocity(q, a) + rows_.bias(data(), q, v);
}

}  // namespace cuttle
