#include "simulation/robot_senses.h"

#include "algorithms/element_slopes.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/constraints.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/error.h"
#include "cuttle/model/spelling.h"

namespace cuttle {
namespace {

std::vector<std::size_t> places_of_sensors(const Model& model, const std::vector<std::string>& names) {
  const std::vector<NamedSensor>& sensors = model.robot().sensors;
  std::vector<std::string> known;
  known.reserve(sensors.size());
  for (const NamedSensor& sensor : sensors) known.push_back(sensor.name);
  std::vector<std::size_t> places;
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      throw ArgumentError("sensors: found no sensor '" + name + "', expected " +
                          (known.empty() ? "none: the robot has no sensors" : "one" + did_you_mean(name, known)));
    }
    const auto place = static_cast<std::size_t>(found - known.begin());
    if (sensors[place].sensor->needs_acceleration()) {
      throw ArgumentError("sensors: found '" + name + "', of type " + sensors[place].sensor->type_name() +
                          ", which depends on accelerations, expected one that does not: a law with a clock has all "
                          "sensors at its samples");
    }
    places.push_back(place);
  }
  return places;
}

}  // namespace

RobotSystem::Readings::Readings(const Model& model, const std::vector<std::string>& names)
    : model_(model),
      suite_(model, places_of_sensors(model, names)),
      data_(model),
      elements_(model),
      differences_(model),
      u_(VectorXd::Zero(model.nu())),
      states_(start_of_auxiliary(model)),
      values_(VectorXd::Zero(suite_.size())),
      no_acceleration_(VectorXd::Constant(model.nv(), std::numeric_limits<double>::quiet_NaN())),
      no_multipliers_(VectorXd::Constant(model.constraint_count(), std::numeric_limits<double>::quiet_NaN())) {}

const VectorXd& RobotSystem::Readings::read(const ControlArguments& at) {
  u_ = at.u;
  clip_slack<double>(model_, u_);
  states_ = at.robot_state;
  if (!model_.elements().empty()) {
    const Eigen::Index count = model_.element_start().size();
    element_motion<double>(model_, data_, at.q, at.v, elements_);
    solve_element_states(model_, at.time, u_, at.robot_state.tail(count), {StateCoupling::Kind::step, at.stiff_factor},
                         elements_);
    states_.tail(count) = elements_.states;
    element_efforts<double>(model_, at.time, u_, elements_);
  }
  return suite_.read({at.time, at.q, at.v, no_acceleration_, u_, states_, no_multipliers_, elements_});
}

void RobotSystem::Readings::differentiate(ControlArguments& at, const InputSlopes& before) {
  by_q_.setZero(suite_.size(), model_.nv()), by_v_.setZero(suite_.size(), model_.nv());
  differences_(
      at, before, [this](const ControlArguments& near, VectorXd& value) { value = read(near); }, by_q_, by_v_);
  values_ = read(at);
  at.readings = &values_, at.readings_by_q = &by_q_, at.readings_by_v = &by_v_;
}

const VectorXd& RobotSystem::sense(double time, VectorInT<double> q, VectorInT<double> v, const VectorXd& auxiliary,
                                   const VectorXd& multipliers, const VectorXd& u) {
  begin_senses(q, v, auxiliary);
  Senses& s = *senses_;
  if (s.suite.needs_acceleration()) {
    u_ = u;
    find_acceleration(time, s.v, multipliers, s.a);
  }
  const ElementData& elements = this->elements(time, q, v, auxiliary, u);
  q_ = q;
  normalize<double>(*model_, q_);
  const bool knows_loops = multipliers.size() == s.unknown.size();
  return s.suite.read({time, q_, s.v, s.a, u, robot_states_, knows_loops ? multipliers : s.unknown, elements});
}

void RobotSystem::begin_senses(VectorInT<double> q, VectorInT<double> v, const VectorXd& auxiliary) {
  if (!senses_) senses_ = std::make_unique<Senses>(*model_);
  senses_->v = v;
  split(auxiliary);
  q_ = q;
  normalize<double>(*model_, q_);
}

void RobotSystem::find_acceleration(double time, VectorInT<double> v, const VectorXd& multipliers, VectorXd& a) {
  Senses& s = *senses_;
  const double first = first_, last = last_;
  confine(time, time);  // at a jump the value from the right, as of `inputs`
  try {
    impose(time, q_, s.v, &driven_joints_.a);
    read_loads(time);
    Engine::rates(time, v, robot_states_, a, s.rates);
    if (!model_->loops().empty()) {
      if (multipliers.size() != s.unknown.size() || !multipliers.allFinite()) throw SimulationError("no multipliers");
      constraint_wrenches<double>(*model_, data_, *constraints_, q_, multipliers, s.reactions);
      for (ExternalWrench& reaction : s.reactions) reaction.wrench = -1.0 * reaction.wrench;
      acting_.insert(acting_.end(), s.reactions.begin(), s.reactions.end());
      a = solve_motion(v);
    }
  } catch (const Error&) {  // a robot of an implicit method may have none: coordinates without mass
    a.setConstant(std::numeric_limits<double>::quiet_NaN());
    driven_joints_.effort = a;
  }
  confine(first, last);
}

}  // namespace cuttle
