#include "control/control_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "algorithms/robot_states.h"
#include "cuttle/error.h"

namespace cuttle {
namespace {

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
    : model_(model), robot_states_(start_of_auxiliary(model)) {
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
}

void ControlLoop::sample(const Instant& at, const VectorXd* sensors, const std::function<void(double)>& heartbeat,
                         VectorXd& u) {
  split(at.states);
  for (AtWork& controller : controllers_) {
    controller.seen = u;
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
