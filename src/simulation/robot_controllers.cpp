// The controllers of a RobotSystem: what they see, set and record.
#include <fmt/format.h>

#include <cstdint>

#include "cuttle/algorithms/actuation.h"
#include "simulation/robot_senses.h"
#include "simulation/robot_system_impl.h"

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

VectorXd RobotSystem::with_controllers(const VectorXd& auxiliary) const {
  const int first = first_control_state(), rest = static_cast<int>(auxiliary.size()) - first;
  VectorXd all(auxiliary.size() + control_state_count());
  all.head(first) = auxiliary.head(first), all.tail(rest) = auxiliary.tail(rest);
  int at = first;
  for (const ControllerAtWork& controller : controllers_) {
    controller.law->start(all.segment(at, controller.law->state_count()));
    at += controller.law->state_count();
  }
  return all;
}

void RobotSystem::set_controllers(const std::vector<NamedController>& controllers, long seed) {
  controllers_.clear();
  control_state_count_ = 0;
  for (const NamedController& given : controllers) {
    const std::string where = "controller '" + given.name + "': ";
    if (!given.controller) throw ArgumentError(where + "found none, expected a controller");
    for (const ControllerAtWork& other : controllers_) {
      if (other.given.name == given.name) throw ArgumentError(where + "found the name again, expected one of its own");
    }
    try {
      controllers_.push_back({given, given.controller->bind(*model_), {}, {}, {}, {}, {}, {}, {}});
      const std::vector<std::string> sensors = controllers_.back().law->sensors();
      if (!sensors.empty()) controllers_.back().readings = std::make_unique<Readings>(*model_, sensors);
    } catch (const ArgumentError& error) {
      throw ArgumentError(where + error.what());
    }
    ControllerAtWork& added = controllers_.back();
    added.columns = added.law->columns(*model_);
    for (VectorXd* x : {&added.seen, &added.output}) x->setZero(model_->nu());
    const int count = added.law->state_count();
    for (VectorXd* x : {&added.offset, &added.state, &added.rates}) x->setZero(count);
    control_state_count_ += count;
    std::uint64_t name_hash = 0xcbf29ce484222325U;  // each controller has random numbers of its own (FNV-1a)
    for (const char c : given.name) name_hash = (name_hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    added.law->seed(name_hash ^ static_cast<std::uint64_t>(seed));
  }
  robot_states_ = start_of_auxiliary(*model_);
}

std::vector<RobotSystem::ControllerSetPoint> RobotSystem::set_points() const {
  std::vector<ControllerSetPoint> all;
  for (std::size_t i = 0; i < controllers_.size(); ++i) {
    int index = 0;
    for (SetPoint& own : controllers_[i].law->set_points()) {
      all.push_back({static_cast<int>(i), index++, std::move(own)});
    }
  }
  return all;
}
void RobotSystem::move_set_point(int controller, int index, double value) {
  controllers_[static_cast<std::size_t>(controller)].law->move_set_point(index, value);
}

void RobotSystem::split(VectorInT<double> auxiliary) {
  const int first = first_control_state();
  robot_states_.head(first) = auxiliary.head(first);
  robot_states_.tail(element_state_count()) = auxiliary.tail(element_state_count());
  int at = first;
  for (ControllerAtWork& controller : controllers_) {
    controller.offset = auxiliary.segment(at, controller.offset.size());
    at += static_cast<int>(controller.offset.size());
  }
}

void RobotSystem::control(double time, const VectorXd& q, const VectorXd& v, const AuxiliaryStates& auxiliary,
                          VectorXd& u) {
  if (controllers_.empty()) return;
  split(auxiliary.offset);
  const double factor = auxiliary.factor, stiff = auxiliary.stiff_factor;
  for (ControllerAtWork& controller : controllers_) {
    controller.seen = u;
    naming(controller.given.name, [&] {
      ControlArguments before{time, q, v, controller.seen, controller.offset, robot_states_, factor, stiff};
      if (controller.readings) before.readings = &controller.readings->read(before);
      controller.state = controller.offset;
      if (controller.state.size() > 0) {
        controller.law->state_rates(before, controller.rates);
        controller.state += factor * controller.rates;
      }
      ControlArguments at{time, q, v, controller.seen, controller.state, robot_states_, factor, stiff};
      at.readings = before.readings;
      controller.law->add_inputs(at, u);
    });
    controller.output = u - controller.seen;
    if (!u.allFinite()) {
      throw SimulationError(fmt::format("at t = {:.9g} s: controller '{}': found an input that is not finite", time,
                                        controller.given.name));
    }
  }
}

void RobotSystem::sample(double time, const VectorXd& q, const VectorXd& v, const VectorXd& auxiliary,
                         const VectorXd& multipliers) {
  if (controllers_.empty()) return;
  const VectorXd* sensors = nullptr;
  if (!model_->robot().sensors.empty()) {
    if (!senses_) senses_ = std::make_unique<Senses>(*model_);
    q_ = q;
    normalize<double>(*model_, q_);
    signals(time, senses_->u);
    control(time, q_, v, {auxiliary}, senses_->u);  // what is held until now
    clip_slack<double>(*model_, senses_->u);
    sensors = &sense(time, q, v, auxiliary, multipliers, senses_->u);
  }
  q_ = q;
  normalize<double>(*model_, q_);
  signals(time, u_);
  split(auxiliary);
  for (ControllerAtWork& controller : controllers_) {
    controller.seen = u_;
    ControlArguments at{time, q_, v, controller.seen, controller.offset, robot_states_};
    at.sensors = sensors;
    if (heartbeat) at.heartbeat = &heartbeat;
    if (controller.readings) at.readings = &controller.readings->read(at);
    naming(controller.given.name, [&] {
      controller.law->sample(at);
      controller.law->add_inputs(at, u_);
    });
  }
}

void RobotSystem::record_controllers(double time, const VectorXd& q, const VectorXd& v, VectorXd& numbers) {
  int size = 0;
  for (const ControllerAtWork& controller : controllers_) size += controller.columns.size();
  numbers.resize(size);
  int first = 0;
  const auto next = [&](auto count) {
    const int begin = first;
    first += static_cast<int>(count);
    return numbers.segment(begin, static_cast<int>(count));
  };
  for (ControllerAtWork& controller : controllers_) {
    const ControlColumns& columns = controller.columns;
    auto reference = next(columns.reference.size()), error = next(columns.error.size());
    auto output = next(columns.inputs.size()), state = next(columns.state.size());
    for (std::size_t i = 0; i < columns.inputs.size(); ++i) {
      output[static_cast<Eigen::Index>(i)] = controller.output[columns.inputs[i]];
    }
    ControlArguments at{time, q, v, controller.seen, controller.state, robot_states_};
    if (controller.readings) at.readings = &controller.readings->read(at);
    controller.law->record(at, reference, error, state);
  }
}

void RobotSystem::control_rates(VectorOutT<double> rates) const {
  int at = 0;
  for (const ControllerAtWork& controller : controllers_) {
    rates.segment(at, controller.rates.size()) = controller.rates;
    at += static_cast<int>(controller.rates.size());
  }
}

}  // namespace cuttle
