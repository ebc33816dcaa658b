#include "cuttle/simulation/robot_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "algorithms/element_slopes.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/state_loads.h"
#include "simulation/diagnosis.h"
#include "simulation/prescribed_motion.h"
#include "simulation/robot_senses.h"
#include "simulation/robot_system_impl.h"

namespace cuttle {

template class RobotSystemT<double>;

namespace {

TimedWrenches wrenches_of(const Model& model) {
  TimedWrenches wrenches;
  for (const auto& bound : model.loads()) wrenches.push_back(bound.wrench);
  return wrenches;
}

}  // namespace

RobotSystem::RobotSystem(const Model& model, std::vector<Signal> inputs, ConstraintRows rows, StateLoads perturbations)
    : Engine(model, wrenches_of(model), Accounts::work, std::move(perturbations)),
      balances_power_(std::all_of(model.robot().links.begin(), model.robot().links.end(),
                                  [](const Link& link) { return !link.body || link.body->balances_power(); })),
      robot_states_(start_of_auxiliary(model)),
      rows_(std::move(rows)) {
  set_inputs(std::move(inputs));
  if (!model.loops().empty()) constraints_.emplace(model);
  jacobian_.resize(constraint_count(), model.nv());
  acting_.reserve(acting_.capacity() + 2 * model.loops().size());
}
RobotSystem::~RobotSystem() = default;

VectorXd RobotSystem::start_of_auxiliary(const Model& model) {
  const int works_and_integrals = k_account_count + load_integral_count(model);
  VectorXd auxiliary(works_and_integrals + model.element_start().size());
  auxiliary << VectorXd::Zero(works_and_integrals), model.element_start();
  return auxiliary;
}

std::vector<double> RobotSystem::discontinuities(double until) const {
  std::vector<double> times;
  const auto add = [&times](const Signal& signal) {
    for (const double time : signal.discontinuities()) {
      if (time > 0.0) times.push_back(time);
    }
  };
  for (const Signal& signal : inputs_) add(signal);
  for (const Load& given : model_->robot().loads) {
    for (const double time : given.law->discontinuities()) {
      if (time > 0.0) times.push_back(time);
    }
  }
  for (const auto& element : model_->elements()) {
    for (const double time : element.law->discontinuities()) {
      if (time > 0.0) times.push_back(time);
    }
  }
  if (motion_) {
    for (const double time : motion_->discontinuities()) {
      if (time > 0.0) times.push_back(time);
    }
  }
  for (const ControllerAtWork& controller : controllers_) {
    for (const double time : controller.given.controller->discontinuities()) {
      if (time > 0.0) times.push_back(time);
    }
    controller.law->add_events(until, times);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

void RobotSystem::enter(double begin, double end) {
  first_ = begin;
  last_ = std::max(begin, std::nextafter(end, begin));
}

void RobotSystem::act(double time, const VectorXd& q, const VectorXd& v, const AuxiliaryStates& auxiliary,
                      VectorXd& u) {
  signals(time, u);
  control(time, q, v, auxiliary, u);
  try {
    apply_slack<double>(*model_, u);
  } catch (const ArgumentError& error) {
    throw SimulationError(fmt::format("at t = {:.9g} s: {}", time, error.what()));
  }
}

void RobotSystem::inputs(double time, const VectorXd& q, const VectorXd& v, const VectorXd& auxiliary, VectorXd& u) {
  // a state at a jump may have a time that is rounded to before it
  act(std::max(time, first_), q, v, {auxiliary}, u);
}

void RobotSystem::actuation(const VectorInT<double>& q, VectorOutT<double> y) {
  y = actuation_coordinates<double>(*model_, data_, q);
}

void RobotSystem::begin(double time, VectorInT<double> q, VectorInT<double> v, const AuxiliaryStates& auxiliary) {
  if (heartbeat) heartbeat(time);
  require_finite(*model_, q, v);
  read_inputs(time, q, v, auxiliary);
}

void RobotSystem::read_inputs(double time, VectorInT<double> q, VectorInT<double> v, const AuxiliaryStates& auxiliary) {
  const bool refused = read_signals(time, q);
  if (!refused && controllers_.empty()) return;
  v_ = v;
  act(signal_time(time), q_, v_, auxiliary, u_);  // throws if it must
}

void RobotSystem::rates(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> auxiliary,
                        VectorOutT<double> a, VectorOutT<double> auxiliary_rate) {
  if (!motion_) {
    true_rates(time, q, v, auxiliary, a, auxiliary_rate);
    return;
  }
  driven_q_ = q, driven_v_ = v;
  impose(time, driven_q_, driven_v_, &driven_joints_.a);
  true_rates(time, driven_q_, driven_v_, auxiliary, a, auxiliary_rate);
}

void RobotSystem::true_rates(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> auxiliary,
                             VectorOutT<double> a, VectorOutT<double> auxiliary_rate) {
  if (controllers_.empty()) {
    begin(time, q, v, {robot_states_});  // which nobody reads
  } else {
    auxiliary_ = auxiliary;
    begin(time, q, v, {auxiliary_});
  }
  Engine::rates(time, v, auxiliary, a, auxiliary_rate);
  control_rates(auxiliary_rate.segment(first_control_state(), control_state_count()));
}

struct RobotSystem::Derivatives {
  Derivatives(const Model& model, std::size_t state_loads)
      : dynamics(model),
        frame(model),
        loads(state_loads),
        external(load_wrench_count(model) + state_loads + 2 * model.loops().size()),
        change(6, model.nv()),
        elements(model) {}
  DerivativeData dynamics;
  FrameDerivatives frame;
  std::vector<StateLoadDerivativeT<double>> loads;
  std::vector<ExternalWrench> external;
  MatrixXd change;
  ElementSlopes elements;
  MatrixXd control_by_q, control_by_v, force_by_input;
};

auto RobotSystem::state_solver(double time, const AuxiliaryStates& auxiliary) {
  return [this, time, &auxiliary] {
    solve_element_states(*model_, signal_time(time), u_, auxiliary.offset.tail(element_state_count()),
                         {StateCoupling::Kind::step, auxiliary.stiff_factor}, elements_);
  };
}

void RobotSystem::solve_auxiliary(double time, VectorInT<double> v, VectorInT<double> a,
                                  const AuxiliaryStates& auxiliary) {
  Engine::solve_auxiliary(time, v, a, auxiliary.offset.segment(k_account_count, integral_count_), auxiliary.factor,
                          state_solver(time, auxiliary));
}

void RobotSystem::residual(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> a,
                           const AuxiliaryStates& auxiliary, VectorOutT<double> r, VectorOutT<double> auxiliary_rate) {
  begin(time, q, v, auxiliary);
  control_rates(auxiliary_rate.segment(first_control_state(), control_state_count()));
  Engine::residual(time, v, a, auxiliary.offset.segment(k_account_count, integral_count_), auxiliary.factor,
                   state_solver(time, auxiliary), r, auxiliary_rate);
}

void RobotSystem::equation_of_motion(double time, VectorInT<double> q, VectorInT<double> v,
                                     const AuxiliaryStates& auxiliary, MatrixXd& M, VectorXd& rest) {
  begin(time, q, v, auxiliary);
  const VectorInT<double> no_acceleration = data_.zero;
  solve_auxiliary(time, v, no_acceleration, auxiliary);
  find_forces(time, v);
  collect_acting();
  rest = mass_inverse_dynamics<double>(*model_, data_, q_, v, no_acceleration) - tau_;
  M = data_.mass_matrix;
  if (!acting_.empty()) rest -= external_force<double>(*model_, data_, q_, acting_);
}

void RobotSystem::prepare_derivatives() {
  if (!derivatives_) derivatives_ = std::make_unique<Derivatives>(*model_, state_load_wrenches_.size());
}

const DerivativeData& RobotSystem::residual_derivatives(double time, VectorInT<double> q, VectorInT<double> v,
                                                        VectorInT<double> a, const AuxiliaryStates& auxiliary,
                                                        VectorInT<double> lambda) {
  prepare_derivatives();
  read_inputs(time, q, v, auxiliary);
  if (!controllers_.empty()) control_slopes(time, v, auxiliary);
  solve_auxiliary(time, v, a, auxiliary);
  if (!model_->elements().empty()) element_efforts<double>(*model_, signal_time(time), u_, elements_);
  if (!state_load_wrenches_.empty()) {
    state_load_derivatives<double>(*model_, state_loads(), data_.kinematics, signal_time(time), integrals_,
                                   derivatives_->loads);
  }
  std::vector<ExternalWrench>& external = derivatives_->external;
  std::copy(loads_.begin(), loads_.end(), external.begin());
  std::copy(state_load_wrenches_.begin(), state_load_wrenches_.end(),
            external.begin() + static_cast<std::ptrdiff_t>(loads_.size()));
  const bool loops = !rows_.kept.empty();
  if (loops) {
    // what the loops push is a load on the other side of the equation
    const std::span<ExternalWrench> reactions = std::span(external).last(2 * model_->loops().size());
    spread_multipliers(lambda, multipliers_);
    constraint_wrenches<double>(*model_, data_, *constraints_, q_, multipliers_, reactions);
    for (ExternalWrench& reaction : reactions) reaction.wrench = -1.0 * reaction.wrench;
  }
  inverse_dynamics_derivatives(*model_, data_, derivatives_->dynamics, q_, v, a, {&u_, external});
  subtract_state_load_slopes(auxiliary.factor);
  if (!model_->elements().empty()) {
    subtract_element_slopes(*model_, derivatives_->dynamics, signal_time(time), q_, v, u_,
                            {StateCoupling::Kind::step, auxiliary.stiff_factor}, elements_, derivatives_->elements);
  }
  if (!controllers_.empty()) subtract_control_slopes();
  for (const auto& [q_index, k, law] : coordinate_perturbations_) {
    const double rest = 0.0;
    double slopes[2];  // by coordinate and velocity
    law->derivatives({signal_time(time), &rest, q_.data() + q_index, v.data() + k, nullptr, nullptr}, slopes);
    derivatives_->dynamics.by_q(k, k) -= slopes[0];
    derivatives_->dynamics.by_v(k, k) -= slopes[1];
  }
  if (loops) {
    derivatives_->dynamics.by_q +=
        constraint_wrench_derivative<double>(*model_, data_, *constraints_, q_, multipliers_);
  }
  return derivatives_->dynamics;
}

void RobotSystem::control_slopes(double time, VectorInT<double> v, const AuxiliaryStates& auxiliary) {
  MatrixXd &by_q = derivatives_->control_by_q, &by_v = derivatives_->control_by_v;
  by_q.setZero(model_->nu(), model_->nv()), by_v.setZero(model_->nu(), model_->nv());
  v_ = v;
  for (ControllerAtWork& controller : controllers_) {
    // what those before it set changes with the motion too: it may read u
    ControlArguments at{
        signal_time(time),     q_, v_, controller.seen, controller.state, robot_states_, auxiliary.factor,
        auxiliary.stiff_factor};  // of read_inputs
    if (controller.readings) controller.readings->differentiate(at, {by_q, by_v});
    controller.law->add_derivatives(at, by_q, by_v);
  }
  const VectorXd &seen = controllers_.back().seen, &output = controllers_.back().output;
  for (const auto& tendon : model_->tendons()) {
    if (tendon.slack != Slack::clip || seen[tendon.input] + output[tendon.input] >= 0.0) continue;
    by_q.row(tendon.input).setZero(), by_v.row(tendon.input).setZero();
  }
}

void RobotSystem::subtract_control_slopes() {
  const MatrixXd &by_q = derivatives_->control_by_q, &by_v = derivatives_->control_by_v;
  DerivativeData& d = derivatives_->dynamics;
  MatrixXd& force_by_input = derivatives_->force_by_input;
  force_by_input = actuation_matrix<double>(*model_, data_, q_);
  const TransmissionsT<double>& actuation = model_->actuation();
  for (int k = 0; k < model_->nu(); ++k) {
    if (actuation.is_driven(k)) force_by_input.col(k).setZero();  // that of its law is among the elements'
  }
  if (!model_->elements().empty()) force_by_input.noalias() += elements_.matrix * derivatives_->elements.by_input;
  d.by_q.noalias() -= force_by_input * by_q;
  d.by_v.noalias() -= force_by_input * by_v;
}

void RobotSystem::subtract_state_load_slopes(double coupling) {
  // the wrenches' turning with their frames is in already
  DerivativeData& d = derivatives_->dynamics;
  FrameDerivatives& frame = derivatives_->frame;
  MatrixXd& change = derivatives_->change;
  const Vector3& gravity = model_->robot().gravity;
  for (std::size_t i = 0; i < state_load_wrenches_.size(); ++i) {
    StateLoadDerivativeT<double>& slopes = derivatives_->loads[i];
    // integrals follow the motion in the step: x = offset + coupling dx/dt
    slopes.by_pose += coupling * slopes.by_integral * slopes.rate_by_pose;
    slopes.by_velocity += coupling * slopes.by_integral * slopes.rate_by_velocity;
    frame_derivatives(*model_, d, state_load_wrenches_[i].frame, frame);
    // true accelerations: gravity, which they lack, turns against the frame
    const Vector3 g = data_.kinematics.pose(state_load_wrenches_[i].frame).rotation.transpose_times(gravity);
    for (Eigen::Index k = 0; k < change.cols(); ++k) {
      const Vector3 turned = cross(g, {frame.jacobian(0, k), frame.jacobian(1, k), frame.jacobian(2, k)});
      for (int r = 0; r < 3; ++r) frame.acceleration_by_q(3 + r, k) += turned[r];
    }
    const auto add = [&](MatrixXd& to) { to.noalias() -= frame.jacobian.transpose() * change; };
    change.noalias() = slopes.by_pose * frame.jacobian + slopes.by_velocity * frame.velocity_by_q +
                       slopes.by_acceleration * frame.acceleration_by_q;
    add(d.by_q);
    change.noalias() = slopes.by_velocity * frame.jacobian + slopes.by_acceleration * frame.acceleration_by_v;
    add(d.by_v);
    change.noalias() = slopes.by_acceleration * frame.jacobian;
    add(d.by_a);
  }
}

void RobotSystem::constraints(VectorInT<double> q, VectorOutT<double> phi) {
  const VectorXd& all = constraint_residual<double>(*model_, data_, *constraints_, q);
  for (std::size_t i = 0; i < rows_.kept.size(); ++i) phi[static_cast<Eigen::Index>(i)] = all[rows_.kept[i]];
}

const MatrixXd& RobotSystem::constraint_jacobian(VectorInT<double> q) {
  if (rows_.kept.empty()) return jacobian_;
  const MatrixXd& all = cuttle::constraint_jacobian<double>(*model_, data_, *constraints_, q);
  for (std::size_t i = 0; i < rows_.kept.size(); ++i) {
    jacobian_.row(static_cast<Eigen::Index>(i)) = all.row(rows_.kept[i]);
  }
  return jacobian_;
}

void RobotSystem::constraint_bias(VectorInT<double> q, VectorInT<double> v, VectorOutT<double> bias) {
  const VectorXd& all = cuttle::constraint_bias<double>(*model_, data_, *constraints_, q, v);
  for (std::size_t i = 0; i < rows_.kept.size(); ++i) bias[static_cast<Eigen::Index>(i)] = all[rows_.kept[i]];
}

void RobotSystem::spread_multipliers(VectorInT<double> lambda, VectorXd& all) const {
  all.setZero(model_->constraint_count());
  for (std::size_t i = 0; i < rows_.kept.size(); ++i) all[rows_.kept[i]] = lambda[static_cast<Eigen::Index>(i)];
}

std::string RobotSystem::opened_loop(VectorInT<double> q) {
  return rows_.dropped.empty() ? "" : cuttle::opened_loop(*model_, data_, *constraints_, rows_, q);
}

void RobotSystem::require_closed_loops(double time, VectorInT<double> q) {
  const std::string opened = opened_loop(q);
  if (!opened.empty()) throw SimulationError(fmt::format("t = {:.9g} s: {}", time, opened));
}

void RobotSystem::move_elements(VectorInT<double> q, VectorInT<double> v, VectorInT<double> auxiliary) {
  q_ = q;
  normalize<double>(*model_, q_);
  element_motion<double>(*model_, data_, q_, v, elements_);
  elements_.states = auxiliary.tail(element_state_count());
}

const ElementData& RobotSystem::elements(double time, VectorInT<double> q, VectorInT<double> v,
                                         VectorInT<double> auxiliary, const VectorXd& u) {
  if (model_->elements().empty()) return elements_;
  move_elements(q, v, auxiliary);
  element_efforts<double>(*model_, time, u, elements_);
  element_outputs<double>(*model_, time, u, elements_);
  return elements_;
}

std::optional<EnergyBalance> RobotSystem::energy_balance(VectorInT<double> q, VectorInT<double> v,
                                                         VectorInT<double> auxiliary) {
  if (!balances_power_) return std::nullopt;
  q_ = q;
  normalize<double>(*model_, q_);
  EnergyBalance balance;
  balance.kinetic = kinetic_energy<double>(*model_, data_, q_, v);
  balance.gravity = gravity_energy<double>(*model_, data_, q_);
  balance.elastic = elastic_energy<double>(*model_, data_, q_);
  if (!model_->elements().empty()) {
    move_elements(q, v, auxiliary);
    u_.setZero();  // energy is a function of transmissions and states alone
    element_efforts<double>(*model_, 0.0, u_, elements_);
    balance.elastic += elements_.stored_energy;
  }
  balance.energy = balance.kinetic + balance.gravity + balance.elastic;
  balance.dissipated = auxiliary[dissipated], balance.input = auxiliary[input], balance.load = auxiliary[load];
  balance.work = balance.input + balance.load - balance.dissipated;
  return balance;
}

}  // namespace cuttle
