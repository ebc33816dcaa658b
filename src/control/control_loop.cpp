#include "control/control_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "algorithms/robot_states.h"
#include "control/bent_slopes.h"
#include "cuttle/error.h"

namespace cuttle {
namespace {

constexpr double k_state_step = 1e-4, k_least_state_step = 1e-9;  // of differences by states

/// What a controller complains about has its name.
template <typename Work>
void naming(const std::string& controller, const Work& work) {
  try {
    work();
  } catch (const SimulationError& error) {
    throw SimulationError(fmt::format("controller '{}': {}", controller, error.what()));
  }
}

}  // namespace

ControlLoop::ControlLoop(const Model& model, const std::vector<NamedController>& controllers, long seed)
    : model_(model), robot_states_(start_of_auxiliary(model)), differences_(model) {
  int state_count = 0;
  for (const NamedController& given : controllers) {
    const std::string where = "controller '" + given.name + "': ";
    if (!given.controller) throw ArgumentError(where + "found none, expected a controller");
    for (const AtWork& other : controllers_) {
      if (other.given.name == given.name) throw ArgumentError(where + "found the name again, expected one of its own");
    }
    try {
      controllers_.push_back({given, given.controller->bind(model), {}, {}, {}, {}, {}, {}, {}});
      const std::vector<std::string> sensors = controllers_.back().law->sensors();
      if (!sensors.empty()) controllers_.back().readings = std::make_unique<SensorReadings>(model, sensors);
    } catch (const ArgumentError& error) {
      throw ArgumentError(where + error.what());
    }
    AtWork& added = controllers_.back();
    added.columns = added.law->columns(model);
    for (VectorXd* x : {&added.seen, &added.output}) x->setZero(model.nu());
    const int count = added.law->state_count();
    for (VectorXd* x : {&added.offset, &added.state, &added.rates}) x->setZero(count);
    state_count += count;
    if (HeldOutputs* const held = added.law->held_outputs()) {
      holders_.push_back({static_cast<int>(controllers_.size()) - 1, held, held_count_});
      held_count_ += static_cast<int>(held->inputs().size());
    }
    std::uint64_t name_hash = 0xcbf29ce484222325U;  // each controller has random numbers of its own (FNV-1a)
    for (const char c : given.name) name_hash = (name_hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    added.law->seed(name_hash ^ static_cast<std::uint64_t>(seed));
  }
  layout_ = state_layout(model).with_controllers(state_count);
  rates_.setZero(state_count);
}

void ControlLoop::start(VectorOutT<double> states) const {
  int at = 0;
  for (const AtWork& controller : controllers_) {
    controller.law->start(states.segment(at, controller.offset.size()));
    at += static_cast<int>(controller.offset.size());
  }
}

void ControlLoop::add_discontinuities(double until, std::vector<double>& times) const {
  for (const AtWork& controller : controllers_) {
    for (const double time : controller.given.controller->discontinuities()) {
      if (time > 0.0) times.push_back(time);
    }
    controller.law->add_events(until, times);
  }
}

void ControlLoop::split(const VectorInT<double>& states) {
  copy_robot_states(layout_, states, layout_.of_robot(), robot_states_);
  int at = layout_.first_controller();
  for (AtWork& controller : controllers_) {
    controller.offset = states.segment(at, controller.offset.size());
    at += static_cast<int>(controller.offset.size());
  }
}

void ControlLoop::add_inputs(const Instant& at, VectorXd& u) {
  if (controllers_.empty()) return;
  split(at.states);
  int first = 0;
  for (AtWork& controller : controllers_) {
    controller.seen = u;
    naming(controller.given.name, [&] {
      ControlArguments before{at.time,           at.q,          at.v,      controller.seen,
                              controller.offset, robot_states_, at.factor, at.stiff_factor};
      if (controller.readings) before.readings = &controller.readings->read(before);
      controller.state = controller.offset;
      if (controller.state.size() > 0) {
        controller.law->state_rates(before, controller.rates);
        controller.state += at.factor * controller.rates;
      }
      ControlArguments now{at.time,          at.q,          at.v,      controller.seen,
                           controller.state, robot_states_, at.factor, at.stiff_factor};
      now.readings = before.readings;
      controller.law->add_inputs(now, u);
    });
    controller.output = u - controller.seen;
    rates_.segment(first, controller.rates.size()) = controller.rates;
    first += static_cast<int>(controller.rates.size());
    if (!u.allFinite()) {
      throw SimulationError(fmt::format("at t = {:.9g} s: controller '{}': found an input that is not finite", at.time,
                                        controller.given.name));
    }
  }
}

void ControlLoop::slopes(const Instant& at, MatrixXd& by_q, MatrixXd& by_v) {
  by_q.setZero(model_.nu(), model_.nv()), by_v.setZero(model_.nu(), model_.nv());
  add_slopes(at, 0, by_q, by_v);
}

void ControlLoop::add_slopes(const Instant& at, std::size_t from, MatrixXd& by_q, MatrixXd& by_v) {
  for (std::size_t i = from; i < controllers_.size(); ++i) {
    AtWork& controller = controllers_[i];
    // what those before it set changes with the motion too: it may read u
    ControlArguments now{at.time,          at.q,          at.v,      controller.seen,
                         controller.state, robot_states_, at.factor, at.stiff_factor};
    if (controller.readings) controller.readings->differentiate(now, {by_q, by_v});
    controller.law->add_derivatives(now, by_q, by_v);
  }
  const VectorXd &seen = controllers_.back().seen, &output = controllers_.back().output;
  for (const auto& tendon : model_.tendons()) {
    if (tendon.slack != Slack::clip || seen[tendon.input] + output[tendon.input] >= 0.0) continue;
    by_q.row(tendon.input).setZero(), by_v.row(tendon.input).setZero();
  }
}

void ControlLoop::input_slopes(const Instant& at, MatrixXd& by_signals, MatrixXd& by_held) {
  by_signals.setIdentity(model_.nu(), model_.nu());
  chain(at, 0, by_signals);
  by_held.setZero(model_.nu(), held_count_);
  for (const Holder& holder : holders_) {
    const std::vector<int>& inputs = holder.held->inputs();
    const auto controller = static_cast<std::size_t>(holder.controller);
    MatrixXd changes = MatrixXd::Zero(model_.nu(), static_cast<Eigen::Index>(inputs.size()));
    const std::vector<HeldOutputs::Gets> got = gets(at, holder);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (got[i] == HeldOutputs::Gets::held) changes(inputs[i], static_cast<Eigen::Index>(i)) = 1.0;
    }
    chain(at, controller + 1, changes);
    by_held.middleCols(holder.first, changes.cols()) = changes;
  }
}

void ControlLoop::rate_slopes(const Instant& at, MatrixXd& by_q, MatrixXd& by_v) {
  by_q.setZero(layout_.controllers, model_.nv()), by_v.setZero(layout_.controllers, model_.nv());
  by_q_.setZero(model_.nu(), model_.nv()), by_v_.setZero(model_.nu(), model_.nv());
  int first = 0;
  MatrixXd own_q, own_v;
  for (AtWork& controller : controllers_) {
    const auto count = static_cast<int>(controller.offset.size());
    ControlArguments before{at.time,           at.q,          at.v,      controller.seen,
                            controller.offset, robot_states_, at.factor, at.stiff_factor};
    if (count > 0) {
      if (controller.readings) controller.readings->differentiate(before, {by_q_, by_v_});
      own_q.setZero(count, model_.nv()), own_v.setZero(count, model_.nv());
      if (!controller.law->rate_derivatives(before, own_q, own_v)) {
        const auto rates = [&](ControlArguments moved, VectorXd& found) {
          if (controller.readings) moved.readings = &controller.readings->read(moved);
          controller.law->state_rates(moved, found);
        };
        differences_(before, {by_q_, by_v_}, rates, own_q, own_v);
      }
      by_q.middleRows(first, count) = own_q, by_v.middleRows(first, count) = own_v;
    }
    first += count;
    if (first == layout_.controllers) return;
    ControlArguments now{at.time,          at.q,          at.v,      controller.seen,
                         controller.state, robot_states_, at.factor, at.stiff_factor};
    if (controller.readings) controller.readings->differentiate(now, {by_q_, by_v_});
    controller.law->add_derivatives(now, by_q_, by_v_);
  }
}

void ControlLoop::rate_input_slopes(const Instant& at, const VectorXd& signals, MatrixXd& by_signals,
                                    MatrixXd& by_held) {
  const VectorXd holds = held();
  const auto rates_at = [&](const VectorXd& u, const VectorXd& holding) {
    hold(holding);
    VectorXd all = u;
    add_inputs(at, all);
    return rates_;
  };
  const auto size_of = [](const VectorXd& x) { return 1e-3 * (1e-3 + (x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0)); };
  const VectorXd found = rates_at(signals, holds);
  const auto find = [&](const VectorXd& x, MatrixXd& slopes, const auto& of) {
    slopes.setZero(layout_.controllers, x.size());
    const double step = size_of(x);
    if (x.size() == 0 || of(x + VectorXd::LinSpaced(x.size(), step, 2.0 * step)) == found) return;  // they read none
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      slopes.col(i) = slope_beside_bends(step, [&](double by) { return of(x + by * VectorXd::Unit(x.size(), i)); });
    }
  };
  find(signals, by_signals, [&](const VectorXd& u) { return rates_at(u, holds); });
  find(holds, by_held, [&](const VectorXd& holding) { return rates_at(signals, holding); });
  rates_at(signals, holds);
}

VectorXd ControlLoop::worth_of_states(const Instant& at, const VectorXd& signals, const VectorXd& by_u,
                                      const VectorXd& by_rate, const std::function<bool(int)>& rests) {
  VectorXd states = at.states, worth = VectorXd::Zero(states.size());
  if (controllers_.empty()) return worth;
  const auto value_at = [&](const VectorXd& moved) {
    VectorXd u = signals;
    add_inputs({at.time, at.q, at.v, moved, at.factor, at.stiff_factor}, u);
    return by_u.dot(u) + by_rate.dot(rates_);
  };
  const double value = value_at(states);
  const VectorXd rates = rates_;
  const int first = layout_.first_controller(), after = first + layout_.controllers;
  const auto step_of = [&](int k) {
    const double rate = k >= first && k < after ? std::abs(rates[k - first]) : 0.0;
    return k_state_step * (std::abs(states[k]) + rate) + k_least_state_step;
  };
  const auto along = [&](int from, int to) {
    for (int k = from; k < to; ++k) {
      if (rests(k)) continue;
      const VectorXd slope = slope_beside_bends(step_of(k), [&](double by) {
        VectorXd moved = states;
        moved[k] += by;
        return VectorXd(VectorXd::Constant(1, value_at(moved)));
      });
      worth[k] = slope[0];
    }
  };
  along(first, after);
  const auto along_if_seen = [&](int from, int to) {
    VectorXd moved = states;
    for (int k = from; k < to; ++k) moved[k] += step_of(k);
    if (from < to && value_at(moved) != value) along(from, to);
  };
  // few laws look at those of loads, elements and contacts
  along_if_seen(layout_.works, first), along_if_seen(after, static_cast<int>(states.size()));
  value_at(states);
  return worth;
}

void ControlLoop::state_slopes(const Instant& at, const VectorXd& signals, MatrixXd& of_inputs, MatrixXd& of_rates) {
  const VectorXd states = at.states;
  const auto found_at = [&](const VectorXd& moved) {
    VectorXd u = signals;
    add_inputs({at.time, at.q, at.v, moved, at.factor, at.stiff_factor}, u);
    VectorXd both(u.size() + rates_.size());
    both << u, rates_;
    return both;
  };
  const VectorXd found = found_at(states);
  const Eigen::Index first = layout_.works, count = states.size() - first, integrals = layout_.integrals;
  const Eigen::Index after = integrals + layout_.controllers;
  of_inputs.setZero(signals.size(), count), of_rates.setZero(rates_.size(), count);
  const auto step_of = [&](Eigen::Index k) {
    const double rate = k >= integrals && k < after ? std::abs(found[signals.size() + k - integrals]) : 0.0;
    return k_state_step * (std::abs(states[first + k]) + rate) + k_least_state_step;
  };
  const auto find = [&](Eigen::Index from, Eigen::Index to) {
    for (Eigen::Index k = from; k < to; ++k) {
      const VectorXd slope = slope_beside_bends(step_of(k), [&](double by) {
        VectorXd moved = states;
        moved[first + k] += by;
        return found_at(moved);
      });
      of_inputs.col(k) = slope.head(signals.size()), of_rates.col(k) = slope.tail(of_rates.rows());
    }
  };
  find(integrals, after);
  const auto find_if_seen = [&](Eigen::Index from, Eigen::Index to) {
    VectorXd moved = states;
    for (Eigen::Index k = from; k < to; ++k) moved[first + k] += step_of(k);
    if (from < to && found_at(moved) != found) find(from, to);
  };
  find_if_seen(0, integrals), find_if_seen(after, count);  // few laws look at those of loads, elements and contacts
  found_at(states);
}

std::vector<HeldOutputs::Gets> ControlLoop::gets(const Instant& at, const Holder& holder) const {
  std::vector<HeldOutputs::Gets> all(holder.held->inputs().size());
  const VectorXd& seen = controllers_[static_cast<std::size_t>(holder.controller)].seen;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = holder.held->gets(static_cast<int>(i), at.time, seen);
  return all;
}

// A change of what laws see is asked for in the place of one by a coordinate.
void ControlLoop::chain(const Instant& at, std::size_t from, MatrixXd& changes) {
  const Eigen::Index width = model_.nv();
  by_q_.setZero(model_.nu(), width), by_v_.setZero(model_.nu(), width);
  add_slopes(at, from, by_q_, by_v_);
  for (Eigen::Index first = 0; first < changes.cols(); first += width) {
    const Eigen::Index count = std::min(width, changes.cols() - first);
    part_.setZero(model_.nu(), width), by_v_.setZero();
    part_.leftCols(count) = changes.middleCols(first, count);
    add_slopes(at, from, part_, by_v_);
    changes.middleCols(first, count) = part_.leftCols(count) - by_q_.leftCols(count);
  }
}

VectorXd ControlLoop::held() const {
  VectorXd all(held_count_);
  for (const Holder& holder : holders_) all.segment(holder.first, holder.held->held().size()) = holder.held->held();
  return all;
}

void ControlLoop::hold(const VectorXd& held) {
  for (const Holder& holder : holders_) holder.held->hold(held.segment(holder.first, holder.held->held().size()));
}

void ControlLoop::law_slopes(const Instant& at, int index, LawSlopes& slopes) {
  const Eigen::Index nu = model_.nu(), width = model_.nv();
  AtWork& controller = controllers_[static_cast<std::size_t>(index)];
  HeldOutputs* const held = controller.law->held_outputs();
  const ControlArguments now{at.time, at.q, at.v, controller.seen, controller.state, robot_states_};
  // by the motion beside changes of what it sees
  const auto ask = [&](MatrixXd& by_q, MatrixXd& by_v) {
    if (held == nullptr) {
      ControlArguments arguments = now;
      if (controller.readings) controller.readings->differentiate(arguments, {by_q, by_v});
      controller.law->add_derivatives(arguments, by_q, by_v);
      return;
    }
    const std::vector<int>& inputs = held->inputs();
    const auto count = static_cast<Eigen::Index>(inputs.size());
    MatrixXd own_q = MatrixXd::Zero(count, width), own_v = own_q;
    held->slopes(now, {by_q, by_v}, own_q, own_v);
    by_q.setZero(), by_v.setZero();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      by_q.row(inputs[i]) = own_q.row(static_cast<Eigen::Index>(i));
      by_v.row(inputs[i]) = own_v.row(static_cast<Eigen::Index>(i));
    }
  };
  slopes.by_q.setZero(nu, width), slopes.by_v.setZero(nu, width), slopes.by_u.setZero(nu, nu);
  ask(slopes.by_q, slopes.by_v);
  for (Eigen::Index first = 0; first < nu; first += width) {
    const Eigen::Index count = std::min(width, nu - first);
    part_.setZero(nu, width), by_v_.setZero(nu, width);
    part_.block(first, 0, count, count).setIdentity();
    ask(part_, by_v_);
    slopes.by_u.middleCols(first, count) = part_.leftCols(count) - slopes.by_q.leftCols(count);
  }
  if (held == nullptr) slopes.by_u.diagonal().array() -= 1.0;  // what it adds alone
  add_memory_slopes(now, controller, slopes);
  add_state_slopes(now, controller, slopes);
}

void ControlLoop::add_state_slopes(const ControlArguments& now, AtWork& controller, LawSlopes& slopes) {
  HeldOutputs* const held = controller.law->held_outputs();
  const Eigen::Index nu = model_.nu(), memory = held != nullptr ? held->memory_count() : 0;
  const auto found_at = [&](const VectorXd& own, const VectorXd& robot) {
    VectorXd u = held != nullptr ? VectorXd(VectorXd::Zero(nu + memory)) : controller.seen;
    if (held != nullptr) {
      const VectorXd said = held->said_with(now, robot);
      const std::vector<int>& inputs = held->inputs();
      for (std::size_t i = 0; i < inputs.size(); ++i) u[inputs[i]] = said[static_cast<Eigen::Index>(i)];
      u.tail(memory) = said.tail(memory);
    } else {
      ControlArguments arguments{now.time, now.q, now.v, controller.seen, own, robot};
      if (controller.readings) arguments.readings = &controller.readings->read(arguments);
      controller.law->add_inputs(arguments, u);
    }
    return u;
  };
  const StateLayout all = layout_.without_works();
  const auto begin = [&] {
    if (slopes.by_state.size() > 0) return;
    slopes.by_state.setZero(nu, all.size()), slopes.memory_by_state.setZero(memory, all.size());
  };
  const auto find = [&](VectorXd states, Eigen::Index k, double size, Eigen::Index column, const auto& function) {
    const double value = states[k], step = k_state_step * (std::abs(value) + size) + k_least_state_step;
    const VectorXd slope = slope_beside_bends(step, [&](double by) {
      states[k] = value + by;
      return function(states);
    });
    slopes.by_state.col(column) = slope.head(nu), slopes.memory_by_state.col(column) = slope.tail(memory);
  };
  Eigen::Index first = all.integrals;
  for (const AtWork* before = controllers_.data(); before != &controller; ++before) first += before->state.size();
  for (Eigen::Index k = 0; k < controller.state.size(); ++k) {
    begin();
    find(controller.state, k, 1.0, first + k, [&](const VectorXd& own) { return found_at(own, robot_states_); });
  }
  const Eigen::Index works = layout_.works;
  if (robot_states_.size() == works) return;
  const auto of_robot = [&](const VectorXd& robot) { return found_at(controller.state, robot); };
  VectorXd moved = robot_states_;  // few laws look at those
  for (Eigen::Index k = works; k < moved.size(); ++k)
    moved[k] += k_state_step * std::abs(moved[k]) + k_least_state_step;
  if (of_robot(moved) == of_robot(robot_states_)) return;
  begin();
  for (Eigen::Index k = works; k < moved.size(); ++k) {
    const Eigen::Index place = k - works;
    find(robot_states_, k, 0.0, place < all.integrals ? place : place + all.controllers, of_robot);
  }
}

void ControlLoop::add_memory_slopes(const ControlArguments& now, AtWork& controller, LawSlopes& slopes) {
  const Eigen::Index nu = model_.nu(), width = model_.nv();
  HeldOutputs* const held = controller.law->held_outputs();
  const Eigen::Index memory = held != nullptr ? held->memory_count() : 0;
  if (memory == 0) return;
  const auto count = static_cast<Eigen::Index>(held->inputs().size());
  MatrixXd by_q(count, width), by_v(count, width);
  // by the motion beside changes of the inputs before it
  const auto ask = [&](const MatrixXd& before, MatrixXd& of_memory, MatrixXd& rest) {
    const MatrixXd none = MatrixXd::Zero(nu, width);
    by_q.setZero(), by_v.setZero();
    held->slopes(now, {before, none}, by_q, by_v);
    of_memory.setZero(memory, width), rest.setZero(memory, width);
    held->memory_slopes(now, by_q, by_v, of_memory, rest);
  };
  ask(MatrixXd::Zero(nu, width), slopes.memory_by_q, slopes.memory_by_v);
  slopes.memory_by_u.setZero(memory, nu);
  MatrixXd moved, rest;
  for (Eigen::Index first = 0; first < nu; first += width) {
    const Eigen::Index of_inputs = std::min(width, nu - first);
    part_.setZero(nu, width);
    part_.block(first, 0, of_inputs, of_inputs).setIdentity();
    ask(part_, moved, rest);
    slopes.memory_by_u.middleCols(first, of_inputs) = (moved - slopes.memory_by_q).leftCols(of_inputs);
  }
  held->slopes_of_memory(now, slopes.by_memory, slopes.memory_by_memory);
}

void ControlLoop::sample(const Instant& at, const VectorXd* sensors, const std::function<void(double)>& heartbeat,
                         VectorXd& u) {
  split(at.states);
  for (AtWork& controller : controllers_) {
    controller.seen = u, controller.state = controller.offset;
    ControlArguments now{at.time, at.q, at.v, controller.seen, controller.offset, robot_states_};
    now.sensors = sensors;
    if (heartbeat) now.heartbeat = &heartbeat;
    if (controller.readings) now.readings = &controller.readings->read(now);
    naming(controller.given.name, [&] {
      controller.law->sample(now);
      controller.law->add_inputs(now, u);
    });
  }
}

void ControlLoop::record(const Instant& at, VectorXd& numbers) {
  int size = 0;
  for (const AtWork& controller : controllers_) size += controller.columns.size();
  numbers.resize(size);
  int first = 0;
  const auto next = [&](auto count) {
    const int begin = first;
    first += static_cast<int>(count);
    return numbers.segment(begin, static_cast<int>(count));
  };
  for (AtWork& controller : controllers_) {
    const ControlColumns& columns = controller.columns;
    auto reference = next(columns.reference.size()), error = next(columns.error.size());
    auto output = next(columns.inputs.size()), state = next(columns.state.size());
    for (std::size_t i = 0; i < columns.inputs.size(); ++i) {
      output[static_cast<Eigen::Index>(i)] = controller.output[columns.inputs[i]];
    }
    ControlArguments now{at.time, at.q, at.v, controller.seen, controller.state, robot_states_};
    if (controller.readings) now.readings = &controller.readings->read(now);
    controller.law->record(now, reference, error, state);
  }
}

std::vector<ControllerSetPoint> ControlLoop::set_points() const {
  std::vector<ControllerSetPoint> all;
  for (std::size_t i = 0; i < controllers_.size(); ++i) {
    int index = 0;
    for (SetPoint& own : controllers_[i].law->set_points()) {
      all.push_back({static_cast<int>(i), index++, std::move(own)});
    }
  }
  return all;
}

void ControlLoop::move_set_point(int controller, int index, double value) {
  controllers_[static_cast<std::size_t>(controller)].law->move_set_point(index, value);
}

}  // namespace cuttle
