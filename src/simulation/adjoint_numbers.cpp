// Reverse mode ends here: from what forces are worth to what the numbers behind them are.
#include "simulation/adjoint_numbers.h"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/differentiated_groups.h"
#include "control/control_loop.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/error.h"

namespace cuttle {

AdjointNumbers::AdjointNumbers(RobotSystem& system, const RobotSystem::Setup& setup,
                               const std::vector<RunParameter>& numbers, const Scenario* scenario)
    : model_(system.model()),
      system_(system),
      states_(system),
      data_(model_),
      no_states_(VectorXd::Zero(system.auxiliary_count())) {
  held_count_ = system.control().held_count();
  std::vector<std::string> paths;
  std::vector<RunParameter> of_motion;
  for (const RunParameter& number : numbers) {
    if (number.of == RunParameter::Of::robot) paths.push_back(number.info.path);
    if (number.of == RunParameter::Of::motion) of_motion.push_back(number);
  }
  robot_count_ = static_cast<int>(paths.size()), motion_count_ = static_cast<int>(of_motion.size());
  controller_count_ = static_cast<int>(numbers.size()) - robot_count_ - motion_count_;
  if (motion_count_ > 0) driven_ = MotionSlopes::along(model_, *scenario, of_motion);
  robot_paths_ = paths;
  if (robot_count_ > 0) along_tree_ = std::make_unique<WorthOfNumbers>(model_, paths);
  for (const Through kind : {Through::all, Through::acting, Through::controllers}) {
    std::vector<Eigen::Index> places;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      if (through(k) == kind) places.push_back(static_cast<Eigen::Index>(k));
    }
    // those that change the equations themselves, then those that controllers alone follow
    std::vector<std::string> own;
    for (const Eigen::Index place : places) {
      if (place < robot_count_ && kind != Through::controllers) own.push_back(paths[static_cast<std::size_t>(place)]);
    }
    const auto add = [&](std::size_t first, std::size_t count, ModelT<ForwardDual> variable) {
      const auto begin = places.begin() + static_cast<std::ptrdiff_t>(first);
      add_group(setup, numbers, scenario, {begin, begin + static_cast<std::ptrdiff_t>(count)}, kind,
                std::move(variable));
    };
    differentiate_in_groups(model_, own, add);
    for (std::size_t first = own.size(); first < places.size(); first += k_forward_width) {
      add(first, std::min<std::size_t>(k_forward_width, places.size() - first), differentiate(model_, {}));
    }
  }
  if (groups_.empty()) return;
  residual_.resize(model_.nv()), auxiliary_rate_.resize(groups_.front()->system->auxiliary_count());
}

AdjointNumbers::Through AdjointNumbers::through(std::size_t number) const {
  const bool of_robot = static_cast<int>(number) < robot_count_, is_controlled = !system_.control().empty();
  if (of_robot && !along_tree_->knows(number)) return Through::all;
  if (static_cast<int>(number) >= robot_count_ + controller_count_) return Through::all;
  // laws of elements may take what controllers set
  if (is_controlled && states_.elements_take_inputs()) return Through::acting;
  if (of_robot && along_tree_->acts_beside(number)) return Through::acting;
  return is_controlled ? Through::controllers : Through::tree;
}

void AdjointNumbers::add_group(const RobotSystem::Setup& setup, const std::vector<RunParameter>& numbers,
                               const Scenario* scenario, std::vector<Eigen::Index> places, Through through,
                               ModelT<ForwardDual> variable) {
  std::vector<RunParameter> own;
  own.reserve(places.size());
  for (const Eigen::Index place : places) own.push_back(numbers[static_cast<std::size_t>(place)]);
  auto group = std::make_unique<Group>(Group{std::move(variable), nullptr, std::move(places), through});
  group->system = std::make_unique<ForwardSystem>(system_, group->model, setup.inputs, std::vector<InputSlope>{},
                                                  std::vector<double>(own.size(), 1.0),
                                                  controllers_along(system_, setup.controllers, setup.seed, own), true,
                                                  driven_ ? MotionSlopes::along(model_, *scenario, own) : nullptr);
  groups_.push_back(std::move(group));
}

void AdjointNumbers::require_closed_start(const std::vector<RunParameter>& numbers, const State& start) const {
  const VectorXT<ForwardDual> q = start.q.cast<ForwardDual>(), v = start.v.cast<ForwardDual>();
  for (const auto& group : groups_) {
    if (group->through == Through::controllers) continue;
    const VectorXd opened = group->system->opened(q, v);
    for (std::size_t k = 0; k < group->places.size(); ++k) {
      cuttle::require_closed_start(numbers[static_cast<std::size_t>(group->places[k])],
                                   opened[static_cast<Eigen::Index>(k)]);
    }
  }
}

void AdjointNumbers::refuse_of_robot(const char* what) const {
  if (robot_count_ == 0) return;
  throw ArgumentError(
      fmt::format("{}: found a number of a robot with {}, through which there is no way back yet, expected another: "
                  "differentiate forward (MotionDerivatives, `cuttle sensitivities` without --adjoint)",
                  robot_paths_.front(), what));
}

void AdjointNumbers::confine(double begin, double end) {
  system_.confine(begin, end);
  for (const auto& group : groups_) group->system->enter(begin, end);
}

void AdjointNumbers::sample(double time, const State& state) {
  system_.sample(time, state);
  const VectorXd feeding_back = system_.layout().feeding_back_of(state.auxiliary);
  for (const auto& group : groups_) {
    group->system->sample(time, state.q.cast<ForwardDual>(), state.v.cast<ForwardDual>(),
                          feeding_back.cast<ForwardDual>());
  }
}

std::vector<std::vector<VectorXd>> AdjointNumbers::held() const {
  std::vector<std::vector<VectorXd>> all;
  for (const auto& group : groups_) all.push_back(group->system->controllers()->held());
  return all;
}

void AdjointNumbers::hold(const std::vector<std::vector<VectorXd>>& held) {
  for (std::size_t i = 0; i < groups_.size(); ++i) groups_[i]->system->controllers()->hold(held[i]);
}

VectorXd AdjointNumbers::worth(const AdjointInstant& at) {
  VectorXd worth(count());
  const VectorXd no_rates = VectorXd::Zero(states_.count());
  const VectorXd by_inputs = states_.to_inputs(
      {at.time, at.q, at.v, at.a, at.auxiliary != nullptr ? *at.auxiliary : no_states_, at.factor, at.stiff_factor},
      -at.force, at.by_state_rate != nullptr ? *at.by_state_rate : no_rates);
  system_.input_slopes(at.time, at.q, at.v,
                       {at.auxiliary != nullptr ? *at.auxiliary : no_states_, at.factor, at.stiff_factor}, by_signals_,
                       by_held_);
  worth.head(model_.nu()) = by_signals_.transpose() * by_inputs;
  worth.tail(held_count_) = by_held_.transpose() * by_inputs;
  if (at.by_state_rate != nullptr) add_worth_of_control_rates(at, worth);
  if (given_count() > 0) worth.segment(model_.nu(), given_count()) = worth_of_given(at);
  return worth;
}

MatrixXd AdjointNumbers::by_signals_and_held(const AdjointInstant& at) {
  const AuxiliaryStates auxiliary{at.auxiliary != nullptr ? *at.auxiliary : no_states_, at.factor, at.stiff_factor};
  const StateAdjoint::InputSlopes slopes =
      states_.input_slopes({at.time, at.q, at.v, at.a, auxiliary.offset, at.factor, at.stiff_factor});
  system_.input_slopes(at.time, at.q, at.v, auxiliary, by_signals_, by_held_);
  const int nu = model_.nu(), nv = model_.nv();
  MatrixXd all = MatrixXd::Zero(nv + states_.count(), nu + held_count_);
  const auto fill = [&](int first, const MatrixXd& by_signals, const MatrixXd& by_held) {
    all.block(first, 0, by_signals.rows(), nu) = by_signals;
    all.block(first, nu, by_held.rows(), held_count_) = by_held;
  };
  fill(0, slopes.forces * by_signals_, slopes.forces * by_held_);
  fill(nv + states_.slow(), slopes.rates * by_signals_, slopes.rates * by_held_);
  const StateLayout& layout = system_.layout();
  if (layout.controllers == 0) return all;
  find_control_rate_slopes(at);
  fill(nv + layout.integrals, rates_by_signals_, rates_by_held_);
  return all;
}

VectorXd AdjointNumbers::worth_of_given(const AdjointInstant& at) {
  VectorXd worth = VectorXd::Zero(given_count());
  if (along_tree_) add_worth_along_tree(at, worth);
  if (groups_.empty()) return worth;
  const bool has_actuators = along_tree_ && along_tree_->has_actuators();
  const VectorXd by_actuators = worth_of_actuators(at);
  for (const auto& group : groups_) {
    ForwardSystem& system = *group->system;
    VectorXT<ForwardDual> q = at.q.cast<ForwardDual>(), v = at.v.cast<ForwardDual>(), a = at.a.cast<ForwardDual>();
    if (system.moves_driven()) system.impose(at.time, q, v, &a);
    // the residual is what is left of the forces: a number that adds to it takes from them
    const auto subtract = [&](const VectorXT<ForwardDual>& residual, const VectorXd& of) {
      for (Eigen::Index i = 0; i < of.size(); ++i) {
        for (std::size_t k = 0; k < group->places.size(); ++k) {
          worth[group->places[k]] -= of[i] * residual[i].derivative[k];
        }
      }
    };
    VectorXT<ForwardDual> states = system.start_of_auxiliary();
    if (at.auxiliary != nullptr) states = system_.layout().feeding_back_of(*at.auxiliary).cast<ForwardDual>();
    if (group->through == Through::all) {
      system.residual(at.time, q, v, a, states, at.factor, at.stiff_factor, residual_, auxiliary_rate_);
      subtract(residual_, at.force);
    } else {
      const bool of_controllers = group->through == Through::controllers;
      const std::optional<bool> actuators = of_controllers ? std::nullopt : std::optional<bool>(!has_actuators);
      const ForwardSystem::Acting acting =
          system.acting(at.time, q, v, a, states, at.factor, at.stiff_factor, at.force, actuators, auxiliary_rate_);
      for (std::size_t k = 0; k < group->places.size(); ++k) worth[group->places[k]] -= acting.work.derivative[k];
      if (of_controllers || has_actuators) subtract(acting.inputs, -by_actuators);
    }
    if (at.auxiliary != nullptr) {
      subtract(auxiliary_rate_.tail(at.by_state_rate->size()), -*at.by_state_rate);
    }
    if (group->through == Through::controllers) continue;
    if (at.lambda.size() > 0) subtract(system.constraint_force(q, at.lambda.cast<ForwardDual>()), at.force);
    if (at.closing == AdjointInstant::Closing::position) {
      VectorXT<ForwardDual> closed = at.closed_q.cast<ForwardDual>(), trash = v;
      if (system.moves_driven()) system.impose(at.closed_time, closed, trash);
      subtract(system.constraints(closed), at.worth_of_rows);
    } else if (at.closing == AdjointInstant::Closing::acceleration) {
      subtract(system.constraint_acceleration(q, v, a), at.worth_of_rows);
    }
  }
  return worth;
}

VectorXd AdjointNumbers::worth_of_touches(const StateAdjoint::Instant& at, const std::vector<WorthOfTouch>& touches) {
  VectorXd worth = VectorXd::Zero(count());
  const VectorXT<ForwardDual> states = system_.layout().feeding_back_of(at.offset).cast<ForwardDual>();
  for (const auto& group : groups_) {
    if (group->through == Through::controllers) continue;  // where the robot is does not follow them
    ForwardSystem& system = *group->system;
    VectorXT<ForwardDual> q = at.q.cast<ForwardDual>(), v = at.v.cast<ForwardDual>(), a = at.a.cast<ForwardDual>();
    if (system.moves_driven()) system.impose(at.time, q, v, &a);
    system.residual(at.time, q, v, a, states, at.factor, at.stiff_factor, residual_, auxiliary_rate_);
    for (const WorthOfTouch& touch : touches) {
      const auto begun = begun_states(*system.sites(), touch.touch, at.time);
      for (std::size_t k = 0; k < group->places.size(); ++k) {
        worth[model_.nu() + group->places[k]] += touch.along(begun, static_cast<int>(k));
      }
    }
  }
  return worth;
}

VectorXd AdjointNumbers::worth_of_driven(double time, const VectorXd& by_q, const VectorXd& by_v,
                                         const VectorXd& by_a) const {
  VectorXd worth = VectorXd::Zero(count());
  if (!driven_) return worth;
  const MotionSlopes::Slopes slopes = driven_->at(system_.signal_time(time));
  worth.segment(model_.nu() + robot_count_ + controller_count_, motion_count_) =
      slopes.q.transpose() * by_q + slopes.v.transpose() * by_v + slopes.a.transpose() * by_a;
  return worth;
}

VectorXd AdjointNumbers::worth_of_actuators(const AdjointInstant& at) {
  VectorXd q = at.q;
  normalize<double>(model_, q);
  VectorXd worth = actuation_matrix<double>(model_, data_, q).transpose() * at.force;
  for (int i = 0; i < model_.nu(); ++i) {
    if (model_.actuation().is_driven(i)) worth[i] = 0.0;  // an element's
  }
  return worth;
}

void AdjointNumbers::add_worth_along_tree(const AdjointInstant& at, VectorXd& worth) {
  const double time = system_.signal_time(at.time);
  VectorXd q = at.q, u;
  normalize<double>(model_, q);
  system_.signals(time, u);
  const VectorXd& states = at.auxiliary != nullptr ? *at.auxiliary : no_states_;
  system_.control().add_inputs({time, q, at.v, states, at.factor, at.stiff_factor}, u);
  clip_slack<double>(model_, u);
  along_tree_->add({time, q, at.v, at.a, u}, at.force, -1.0, worth);
}

/// Laws with states may read inputs.
void AdjointNumbers::add_worth_of_control_rates(const AdjointInstant& at, VectorXd& worth) {
  const VectorXd of_controllers = states_.layout().controllers_of(*at.by_state_rate);
  if (!of_controllers.any()) return;
  find_control_rate_slopes(at);
  worth.head(model_.nu()) += rates_by_signals_.transpose() * of_controllers;
  worth.tail(held_count_) += rates_by_held_.transpose() * of_controllers;
}

void AdjointNumbers::find_control_rate_slopes(const AdjointInstant& at) {
  const double time = system_.signal_time(at.time);
  VectorXd q = at.q, signals;
  normalize<double>(model_, q);
  system_.signals(time, signals);
  system_.control().rate_input_slopes({time, q, at.v, *at.auxiliary, at.factor, at.stiff_factor}, signals,
                                      rates_by_signals_, rates_by_held_);
}

VectorXd AdjointNumbers::worth_of_start(const VectorXd& by_states) const {
  VectorXd worth = VectorXd::Zero(given_count());
  for (const auto& group : groups_) {
    const VectorXT<ForwardDual> start = group->system->start_of_auxiliary();
    for (Eigen::Index i = 0; i < by_states.size(); ++i) {
      for (std::size_t k = 0; k < group->places.size(); ++k) {
        worth[group->places[k]] += by_states[i] * start[i].derivative[k];
      }
    }
  }
  return worth;
}

}  // namespace cuttle
