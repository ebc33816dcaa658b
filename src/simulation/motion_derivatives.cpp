#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include "algorithms/forward_numbers.h"
#include "algorithms/velocity_closing.h"
#include "cuttle/algorithms/equilibrium_gradient.h"
#include "cuttle/algorithms/parameter_gradient.h"
#include "cuttle/error.h"
#include "cuttle/simulation/sensitivities.h"
#include "simulation/forward_integrator.h"
#include "simulation/run_driver.h"
#include "simulation/run_parameter.h"
#include "simulation/schedule.h"
#include "simulation/timed_run.h"

namespace cuttle {

struct MotionDerivatives::Plan {
  Plan(const Model& its_model, const Scenario& its_scenario, const std::vector<std::string>& by,
       const std::vector<InputNumber>& numbers);

  const Model& model;
  Scenario scenario;
  Simulator simulator;
  std::vector<Signal> inputs;
  std::shared_ptr<const PrescribedMotion> motion = nullptr;  ///< null: nothing is driven
  ConstraintRows rows;
  std::vector<RunParameter> parameters;
  std::vector<ParameterInfo> infos;
  std::vector<std::vector<std::size_t>> groups;  ///< of at most eight, those of the robot first

  struct GroupRun;
  /// What is driven, a step along a number.
  std::shared_ptr<const PrescribedMotion> motion_at(const RunParameter& number, double step) const {
    return number.of == RunParameter::Of::motion ? motion_with(model, scenario, number, number.info.value + step)
                                                 : motion;
  }
};

/// A run along the directions of a group.
struct MotionDerivatives::Plan::GroupRun final : private GuidedRun {
  GroupRun(const Plan& its_plan, const std::vector<std::size_t>& its_group);
  /// To ascending times of the run.
  void go(const std::vector<double>& times, const std::function<void(const DifferentiatedMotion&)>& visit,
          const std::function<void(double)>& heartbeat);

 private:
  std::vector<RunParameter> numbers() const;
  std::vector<std::string> robot_paths() const;
  std::vector<InputSlope> slopes() const;
  std::vector<double> scales() const;
  /// Null without controllers.
  std::unique_ptr<ForwardControllers> controllers();
  void find_start();
  void settle(const State& initial);
  void balance_sites(const State& initial);
  /// @param changed  the robot and its controllers there.
  VectorXd balanced_sites(const State& initial, std::size_t direction, double step,
                          const ControlledVariant& changed) const;
  void require_closed();
  const ForwardState& state() const { return begun_ ? integrator_->state() : start_; }
  double time() const override { return state().time; }
  void enter(double from, double until) override;
  void restart() override;
  void advance(double target, double limit) override;

  const Plan& plan_;
  const std::vector<std::size_t>& group_;
  ModelT<ForwardDual> variable_;
  RobotSystem plain_;
  ForwardSystem system_;
  ForwardState start_;
  std::unique_ptr<ForwardIntegrator> integrator_;
  bool begun_ = false;
};

namespace {

using Of = RunParameter::Of;

/// A program's own number. @throws ArgumentError for an input that there is not.
RunParameter run_parameter_of(const Model& model, const InputNumber& number) {
  const auto& inputs = model.input_info();
  const auto input =
      std::find_if(inputs.begin(), inputs.end(), [&](const auto& info) { return info.name == number.input; });
  if (input == inputs.end()) {
    throw ArgumentError(fmt::format("{}: found no such input '{}' of an actuator", number.path, number.input));
  }
  RunParameter found;
  found.of = Of::input, found.index = static_cast<int>(input - inputs.begin()), found.slope = {number.slope};
  found.info.path = number.path, found.info.unit = input->unit, found.info.value = number.value;
  return found;
}

}  // namespace

MotionDerivatives::Plan::Plan(const Model& its_model, const Scenario& its_scenario, const std::vector<std::string>& by,
                              const std::vector<InputNumber>& numbers)
    : model(its_model),
      scenario(its_scenario),
      simulator(its_model, its_scenario),
      inputs(input_signals(its_model, its_scenario.inputs)) {
  motion = motion_of(model, scenario);
  refuse_beside_motion(model, scenario);
  for (std::size_t i = 0; i < by.size(); ++i) {
    const auto own = std::find_if(numbers.begin(), numbers.end(), [&](const auto& n) { return n.path == by[i]; });
    parameters.push_back(own != numbers.end() ? run_parameter_of(model, *own)
                                              : find_run_parameter(model, scenario, by[i]));
    infos.push_back(parameters.back().info);
    require_same_states(model, parameters.back());
    if (i % k_forward_width == 0) groups.emplace_back();
    groups.back().push_back(i);
  }
  if (groups.empty()) groups.emplace_back();
  for (auto& group : groups) {
    std::stable_partition(group.begin(), group.end(), [&](std::size_t i) { return parameters[i].of == Of::robot; });
  }
  for (const RunParameter& parameter : parameters) refuse_driven_number(scenario.motion, parameter);
  rows = held_rows(model, simulator.initial_state().q);
  for (const auto& group : groups) GroupRun(*this, group);  // refuses what has no derivatives
}

MotionDerivatives::Plan::GroupRun::GroupRun(const Plan& its_plan, const std::vector<std::size_t>& its_group)
    : plan_(its_plan),
      group_(its_group),
      variable_(differentiate(plan_.model, robot_paths())),
      plain_(plan_.model, {.inputs = plan_.inputs,
                           .rows = plan_.rows,
                           .controllers = plan_.scenario.controllers,
                           .seed = plan_.scenario.seed,
                           .motion = plan_.motion}),
      system_(plain_, variable_, plan_.inputs, slopes(), scales(), controllers(), !robot_paths().empty(),
              MotionSlopes::along(plan_.model, plan_.scenario, numbers())) {
  find_start();
  integrator_ = make_forward_integrator(system_, plan_.scenario.integrator);
}

std::vector<std::string> MotionDerivatives::Plan::GroupRun::robot_paths() const {
  std::vector<std::string> paths;
  for (const std::size_t i : group_) {
    if (plan_.parameters[i].of == Of::robot) paths.push_back(plan_.parameters[i].info.path);
  }
  return paths;
}

std::vector<InputSlope> MotionDerivatives::Plan::GroupRun::slopes() const {
  std::vector<InputSlope> found;
  for (std::size_t k = 0; k < group_.size(); ++k) {
    const RunParameter& parameter = plan_.parameters[group_[k]];
    if (parameter.of == Of::input) found.push_back({parameter.index, static_cast<int>(k), parameter.slope.at_time});
  }
  return found;
}

std::vector<double> MotionDerivatives::Plan::GroupRun::scales() const {
  std::vector<double> found;
  for (const std::size_t i : group_) found.push_back(size_of(plan_.parameters[i]));
  return found;
}

std::unique_ptr<ForwardControllers> MotionDerivatives::Plan::GroupRun::controllers() {
  return controllers_along(plain_, plan_.scenario.controllers, plan_.scenario.seed, numbers());
}

std::vector<RunParameter> MotionDerivatives::Plan::GroupRun::numbers() const {
  std::vector<RunParameter> found;
  for (const std::size_t i : group_) found.push_back(plan_.parameters[i]);
  return found;
}

void MotionDerivatives::Plan::GroupRun::find_start() {
  const State& initial = plan_.simulator.initial_state();
  start_.q = initial.q.cast<ForwardDual>(), start_.v = initial.v.cast<ForwardDual>();
  start_.auxiliary = system_.start_of_auxiliary();
  for (std::size_t k = 0; k < group_.size(); ++k) {
    const RunParameter& parameter = plan_.parameters[group_[k]];
    if (parameter.of == Of::configuration) start_.q[parameter.index].derivative[k] = 1.0;
    if (parameter.of == Of::velocity) start_.v[parameter.index].derivative[k] = 1.0;
  }
  normalize<ForwardDual>(variable_, start_.q);
  if (system_.moves_driven()) system_.impose(0.0, start_.q, start_.v);
  system_.layout().elements_of(start_.auxiliary) = plain_.layout().elements_of(initial.auxiliary).cast<ForwardDual>();
  system_.layout().sites_of(start_.auxiliary) = plain_.layout().sites_of(initial.auxiliary).cast<ForwardDual>();
  if (plan_.scenario.statics) {
    settle(initial);
  } else if (!plan_.model.site_laws().empty()) {
    balance_sites(initial);
  }
  if (const VelocityClosing* closing = plan_.simulator.velocity_closing()) {
    const MatrixXd slopes = closing->slopes(variable_, initial.q);
    for (Eigen::Index i = 0; i < slopes.rows(); ++i) {
      for (int k = 0; k < k_forward_width; ++k) start_.v[i].derivative[k] += slopes(i, k);
    }
  }
  if (system_.constraint_count() > 0) require_closed();
}

void MotionDerivatives::Plan::GroupRun::settle(const State& initial) {
  StaticLoads loads = loads_before_start(plan_.model, *plan_.scenario.statics);
  if (!plan_.scenario.statics->friction) loads.friction = StaticLoads::Friction::none;
  Data data(plan_.model);
  loads.start = plan_.model.neutral();  // from where the run's own search has come
  if (!plan_.model.loops().empty()) {
    ConstraintData constraints(plan_.model);
    close_loops(plan_.model, data, constraints, loads.start);
  }
  const StaticEquilibrium equilibrium = static_equilibrium(plan_.model, data, loads, initial.q);
  const EquilibriumTangent tangent(plan_.model, data, {.u = loads.u, .time = loads.state_loads_at}, equilibrium);
  VariedRest rest(variable_, plan_.model);
  tangent.vary({.u = loads.u.cast<ForwardDual>(), .time = loads.state_loads_at}, rest);
  const auto follow = [](const VectorXT<ForwardDual>& found, auto&& start) {
    for (Eigen::Index i = 0; i < found.size(); ++i) {
      const double value = start[i].value;
      start[i] = found[i];
      start[i].value = value;
    }
  };
  follow(rest.q, start_.q);
  follow(rest.elements.states, system_.layout().elements_of(start_.auxiliary));
  if (plan_.model.site_laws().empty()) return;
  rest.equation->resting_force(rest.rest(loads.state_loads_at));
  follow(rest.equation->sites()->states(), system_.layout().sites_of(start_.auxiliary));
}

/// Bristles begin in balance with what acts, or on their cones: a search, which exists for double alone. How they
/// depend on the directions is a difference of two of them.
void MotionDerivatives::Plan::GroupRun::balance_sites(const State& initial) {
  auto sites = system_.layout().sites_of(start_.auxiliary);
  for (std::size_t k = 0; k < group_.size(); ++k) {
    const Of of = plan_.parameters[group_[k]].of;
    const double step = balance_step(plan_.parameters[group_[k]], system_.scales()[k]);
    VariantsAlong variants(plan_.model, plan_.scenario.controllers, plan_.parameters[group_[k]]);
    const auto balanced = [&](int steps) {
      return balanced_sites(initial, k, steps * step, variants.at(steps * step));
    };
    const bool may_end = of == Of::robot || of == Of::controller;
    const int side = may_end ? open_side([&](int to) { variants.at(to * step); }) : 0;
    const VectorXd slope = slope_of_balance(balanced, step, side);
    for (Eigen::Index i = 0; i < slope.size(); ++i) sites[i].derivative[k] = slope[i];
  }
}

/// Those of the start a step along a direction.
VectorXd MotionDerivatives::Plan::GroupRun::balanced_sites(const State& initial, std::size_t direction, double step,
                                                           const ControlledVariant& changed) const {
  const RunParameter& parameter = plan_.parameters[group_[direction]];
  RobotSystem system(*changed.model, {.inputs = plan_.inputs,
                                      .rows = plan_.rows,
                                      .controllers = changed.controllers,
                                      .seed = plan_.scenario.seed,
                                      .motion = plan_.motion_at(parameter, step)});
  if (parameter.of == Of::input) system.held_inputs()[parameter.index] += step * parameter.slope.at_time.at(0.0);
  State state = initial;
  for (Eigen::Index i = 0; i < state.q.size(); ++i) state.q[i] += step * start_.q[i].derivative[direction];
  for (Eigen::Index i = 0; i < state.v.size(); ++i) state.v[i] += step * start_.v[i].derivative[direction];
  system.begin_in_balance(state);
  return system.layout().sites_of(state.auxiliary);
}

void MotionDerivatives::Plan::GroupRun::require_closed() {
  const VectorXd opened = system_.opened(start_.q, start_.v);
  for (std::size_t k = 0; k < group_.size(); ++k) {
    RunParameter number = plan_.parameters[group_[k]];
    number.info = plan_.infos[group_[k]];
    require_closed_start(number, opened[static_cast<Eigen::Index>(k)]);
  }
}

void MotionDerivatives::Plan::GroupRun::enter(double from, double until) {
  system_.enter(from, until);
  system_.sample(from, state().q, state().v, state().auxiliary);
}

void MotionDerivatives::Plan::GroupRun::restart() {
  if (begun_) {
    integrator_->go_on();
  } else {
    integrator_->begin(start_, plan_.simulator.output_times().back());
  }
  begun_ = true;
}

void MotionDerivatives::Plan::GroupRun::advance(double target, double limit) {
  try {
    integrator_->advance(target, limit);
    plain_.require_closed_loops(target, values_of(integrator_->state().q));
  } catch (const SimulationError&) {
    throw;
  } catch (const Error& error) {  // of an algorithm: numbers too large for it, a shape that is none
    throw SimulationError(fmt::format("after t = {:.9g} s: {}", integrator_->state().time, error.what()));
  }
}

void MotionDerivatives::Plan::GroupRun::go(const std::vector<double>& times,
                                           const std::function<void(const DifferentiatedMotion&)>& visit,
                                           const std::function<void(double)>& heartbeat) {
  plain_.heartbeat = system_.heartbeat = heartbeat;
  const OutputTimes& outputs = plan_.simulator.output_times();
  DataT<ForwardDual> data(variable_);
  RunDriver driver(*this);
  driver.plan(itinerary_of(plain_, plan_.scenario.integrator, outputs));
  driver.visit(outputs, times, [&] {
    const ForwardState& now = state();
    const VectorXT<ForwardDual> u = system_.inputs(now.time, now.q, now.v, now.auxiliary);
    const VectorXT<ForwardDual> states = system_.layout().elements_of(now.auxiliary);
    const VectorXT<ForwardDual> sites = system_.layout().sites_of(now.auxiliary);
    visit({now.time, group_, variable_, data, now.q, now.v, u, states, sites});
  });
}

MotionDerivatives::MotionDerivatives(const Model& model, const Scenario& scenario, const std::vector<std::string>& by,
                                     const std::vector<InputNumber>& numbers)
    : plan_(std::make_unique<const Plan>(model, scenario, by, numbers)) {}
MotionDerivatives::~MotionDerivatives() = default;

const std::vector<ParameterInfo>& MotionDerivatives::parameters() const { return plan_->infos; }

void MotionDerivatives::run(const std::vector<double>& times,
                            const std::function<void(const DifferentiatedMotion&)>& visit,
                            const RunOptions& options) const {
  const double duration = plan_->scenario.duration;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] >= (i > 0 ? times[i - 1] : 0.0) && times[i] <= duration) continue;
    throw ArgumentError(
        fmt::format("times[{}]: found {:g}, expected ascending times of the run, 0 to {:g} s", i, times[i], duration));
  }
  const auto begin = std::chrono::steady_clock::now();
  auto shown = begin;
  const double whole = duration * static_cast<double>(plan_->groups.size());
  for (std::size_t i = 0; i < plan_->groups.size(); ++i) {
    Plan::GroupRun(*plan_, plan_->groups[i]).go(times, visit, [&](double time) {
      if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed)) {
        throw SimulationError(fmt::format("stopped by the user at t = {:.9g} s", time));
      }
      const auto now = std::chrono::steady_clock::now();
      if (!options.progress || now - shown < std::chrono::milliseconds(100)) return;
      shown = now;
      options.progress(
          {duration * static_cast<double>(i) + time, whole, std::chrono::duration<double>(now - begin).count()});
    });
  }
}

}  // namespace cuttle
