#include "simulation/robot_senses.h"

#include "cuttle/algorithms/constraints.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/error.h"

namespace cuttle {

const VectorXd& RobotSystem::sense(double time, VectorInT<double> q, VectorInT<double> v, const VectorXd& auxiliary,
                                   const VectorXd& multipliers, const VectorXd& u) {
  if (!senses_) senses_ = std::make_unique<Senses>(*model_);
  Senses& s = *senses_;
  s.v = v;
  split(auxiliary);
  const bool knows_loops = multipliers.size() == s.unknown.size();
  if (s.suite.needs_acceleration()) {
    q_ = q;
    normalize<double>(*model_, q_);
    u_ = u;
    find_acceleration(time, v, knows_loops ? multipliers : s.unknown, s.a);
  }
  const ElementData& elements = this->elements(time, q, v, auxiliary, u);
  q_ = q;
  normalize<double>(*model_, q_);
  return s.suite.read({time, q_, s.v, s.a, u, robot_states_, knows_loops ? multipliers : s.unknown, elements});
}

void RobotSystem::find_acceleration(double time, VectorInT<double> v, const VectorXd& multipliers, VectorXd& a) {
  Senses& s = *senses_;
  const double first = first_, last = last_;
  confine(time, time);  // at a jump the value from the right, as of `inputs`
  try {
    read_loads(time);
    Engine::rates(time, v, robot_states_, a, s.rates);
    if (!model_->loops().empty()) {
      if (!multipliers.allFinite()) throw SimulationError("no multipliers");
      constraint_wrenches<double>(*model_, data_, *constraints_, q_, multipliers, s.reactions);
      for (ExternalWrench& reaction : s.reactions) reaction.wrench = -1.0 * reaction.wrench;
      acting_.insert(acting_.end(), s.reactions.begin(), s.reactions.end());
      a = forward_dynamics<double>(*model_, data_, q_, v, tau_, acting_, added_);
    }
  } catch (const Error&) {  // a robot of an implicit method may have none: coordinates without mass
    a.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  confine(first, last);
}

}  // namespace cuttle
