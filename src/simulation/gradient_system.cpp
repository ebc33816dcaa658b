#include "simulation/gradient_system.h"

#include "cuttle/algorithms/constraints.h"
#include "simulation/diagnosis.h"
#include "simulation/robot_system_impl.h"

namespace cuttle {

template class RobotSystemT<Gradient>;

namespace {

TimedWrenches timed_wrenches(const ModelT<Gradient>& model) {
  TimedWrenches wrenches;
  for (const auto& bound : model.loads()) wrenches.push_back(bound.wrench);
  return wrenches;
}

}  // namespace

GradientSystem::GradientSystem(RobotSystem& plain, const ModelT<Gradient>& variable, std::vector<Signal> inputs,
                               std::vector<InputSlope> slopes, std::vector<double> scales)
    : Engine(variable, timed_wrenches(variable), Accounts::none),
      plain_(plain),
      slopes_(std::move(slopes)),
      scales_(std::move(scales)),
      values_(plain.model()) {
  set_inputs(std::move(inputs));
  if (!variable.loops().empty()) constraints_.emplace(variable);
}

VectorXT<Gradient> GradientSystem::start_of_auxiliary() const {
  VectorXT<Gradient> start = VectorXT<Gradient>::Zero(auxiliary_count());
  start.tail(element_states()) = model_->element_start();
  if (controllers_) controllers_->start(start.segment(integral_count_, control_state_count()));
  return start;
}

void GradientSystem::enter(double begin, double end) {
  plain_.enter(begin, end);
  if (controllers_) controllers_->enter(begin, end);
  confine(begin, std::max(begin, std::nextafter(end, begin)));
}

void GradientSystem::sample(double time, const VectorXT<Gradient>& q, const VectorXT<Gradient>& v,
                            const VectorXT<Gradient>& auxiliary) {
  if (controllers_) controllers_->sample(time, q, v, auxiliary);
}

void GradientSystem::read_inputs(double time, const VectorXT<Gradient>& q, const VectorXT<Gradient>& v,
                                 const VectorXT<Gradient>& offset, double factor, double stiff_factor) {
  signals(time, u_);
  for (const InputSlope& slope : slopes_) u_[slope.input].derivative[slope.direction] += slope.slope.at(time);
  if (controllers_) controllers_->control(time, q, v, offset, factor, stiff_factor, u_, control_rates_);
  clip_slack<Gradient>(*model_, u_);
}

const VectorXT<Gradient>& GradientSystem::inputs(double time, const VectorXT<Gradient>& q, const VectorXT<Gradient>& v,
                                                 const VectorXT<Gradient>& auxiliary) {
  read_inputs(std::max(time, first_), q, v, auxiliary, 0.0, 0.0);  // as RobotSystem::inputs
  return u_;
}

void GradientSystem::begin(double time, const VectorXT<Gradient>& q, const VectorXT<Gradient>& v,
                           const VectorXT<Gradient>& offset, double factor, double stiff_factor) {
  if (heartbeat) heartbeat(time);
  read_signals(time, q);
  read_inputs(signal_time(time), q_, v, offset, factor, stiff_factor);
}

void GradientSystem::rates(double time, const VectorXT<Gradient>& q, const VectorXT<Gradient>& v,
                           const VectorXT<Gradient>& auxiliary, VectorXT<Gradient>& a,
                           VectorXT<Gradient>& auxiliary_rate) {
  begin(time, q, v, auxiliary, 0.0, 0.0);
  Engine::rates(time, v, auxiliary, a, auxiliary_rate);
  if (controllers_) auxiliary_rate.segment(integral_count_, control_state_count()) = control_rates_;
  if (all(data_.singular)) throw SingularMassError("the mass matrix is singular");
}

void GradientSystem::solve_states(double time, const VectorXT<Gradient>& offset, StateCoupling coupling) {
  solve_element_states(plain_.model(), *model_, signal_time(time), u_, offset, coupling, values_, elements_);
}

void GradientSystem::residual(double time, const VectorXT<Gradient>& q, const VectorXT<Gradient>& v,
                              const VectorXT<Gradient>& a, const VectorXT<Gradient>& offset, double factor,
                              double stiff_factor, VectorXT<Gradient>& r, VectorXT<Gradient>& auxiliary_rate) {
  begin(time, q, v, offset, factor, stiff_factor);
  const VectorXT<Gradient> of_elements = offset.tail(element_states());
  Engine::residual(
      time, v, a, offset.head(integral_count_), factor,
      [&] {
        solve_states(time, of_elements, {StateCoupling::Kind::step, stiff_factor});
      },
      r, auxiliary_rate);
  if (controllers_) auxiliary_rate.segment(integral_count_, control_state_count()) = control_rates_;
}

void GradientSystem::keep_rows(const std::vector<int>& kept) {
  kept_ = kept;
  multipliers_.setZero(model_->constraint_count());
}

VectorXT<Gradient> GradientSystem::kept_rows(const VectorXT<Gradient>& every) const {
  VectorXT<Gradient> found(constraint_count());
  for (int i = 0; i < constraint_count(); ++i) found[i] = every[kept_[static_cast<std::size_t>(i)]];
  return found;
}

VectorXT<Gradient> GradientSystem::constraints(const VectorXT<Gradient>& q) {
  return kept_rows(constraint_residual<Gradient>(*model_, data_, *constraints_, q));
}

VectorXT<Gradient> GradientSystem::constraint_velocity(const VectorXT<Gradient>& q, const VectorXT<Gradient>& v) {
  return kept_rows(constraint_jacobian<Gradient>(*model_, data_, *constraints_, q) * v);
}

VectorXT<Gradient> GradientSystem::constraint_force(const VectorXT<Gradient>& q, const VectorXT<Gradient>& lambda) {
  for (int i = 0; i < constraint_count(); ++i) multipliers_[kept_[static_cast<std::size_t>(i)]] = lambda[i];
  return cuttle::constraint_force<Gradient>(*model_, data_, *constraints_, q, multipliers_);
}

VectorXT<Gradient> GradientSystem::constraint_acceleration(const VectorXT<Gradient>& q, const VectorXT<Gradient>& v,
                                                           const VectorXd& a) {
  return constraint_velocity(q, a.cast<Gradient>()) +
         kept_rows(constraint_bias<Gradient>(*model_, data_, *constraints_, q, v));
}

}  // namespace cuttle
