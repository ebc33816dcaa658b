#include "simulation/robot_senses.h"

#include <limits>

#include "algorithms/robot_states.h"
#include "simulation/prescribed_motion.h"

namespace cuttle {

RobotSenses::RobotSenses(const Model& model)
    : model_(model),
      suite_(model),
      q_(model.nq()),
      v_(model.nv()),
      a_(VectorXd::Zero(model.nv())),
      robot_states_(start_of_auxiliary(model)),
      unknown_(VectorXd::Constant(model.constraint_count(), std::numeric_limits<double>::quiet_NaN())) {}

void RobotSenses::find_acceleration(EquationOfMotion& equation, const PrescribedMotion* motion, const State& state,
                                    const VectorXd& u) {
  q_ = state.q, v_ = state.v;
  normalize<double>(model_, q_);
  // not confined to a stretch: at a jump the value from the right, as of inputs
  if (motion != nullptr) motion->impose(state.time, q_, v_, &equation.driven().a);
  equation.accelerations({state.time, q_, v_, u, state.auxiliary}, state.multipliers, a_);
}

const VectorXd& RobotSenses::read(EquationOfMotion& equation, const PrescribedMotion* motion, const State& state,
                                  const VectorXd& u) {
  if (suite_.needs_acceleration()) find_acceleration(equation, motion, state, u);
  q_ = state.q;
  normalize<double>(model_, q_);
  const ElementData& elements = equation.elements({state.time, q_, state.v, u, state.auxiliary});
  copy_robot_states(equation.layout(), state.auxiliary, equation.layout().of_robot(), robot_states_);
  const bool knows_loops = state.multipliers.size() == unknown_.size();
  return suite_.read(
      {state.time, q_, state.v, a_, u, robot_states_, knows_loops ? state.multipliers : unknown_, elements});
}

const VectorXd& RobotSenses::motion_efforts(EquationOfMotion& equation, const PrescribedMotion* motion,
                                            const State& state, const VectorXd& u) {
  find_acceleration(equation, motion, state, u);
  const std::vector<int>& coordinates = motion->coordinates();
  efforts_.resize(static_cast<Eigen::Index>(coordinates.size()));
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    efforts_[static_cast<Eigen::Index>(i)] = equation.driven().effort[coordinates[i]];
  }
  return efforts_;
}

}  // namespace cuttle
