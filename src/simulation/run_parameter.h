#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cuttle/model/parameters.h"
#include "cuttle/simulation/scenario.h"
#include "model/signal_slope.h"

namespace cuttle {

/// Steps of differences of bristles in balance: of parameters' sizes; of velocities; and of positions, where robots
/// touch by micrometers [m/s, m, rad].
inline constexpr double k_balance_step = 1e-4, k_balance_velocity = 1e-6, k_balance_position = 1e-8,
                        k_balance_place = 1e-7;
/// Such a difference, of second order. @param balanced  bristles so many steps away. @param side  open_side.
template <typename Balanced>
VectorXd slope_of_balance(const Balanced& balanced, double step, int side) {
  if (side == 0) return (balanced(1) - balanced(-1)) / (2.0 * step);
  return (4.0 * balanced(side) - balanced(2 * side) - 3.0 * balanced(0)) / (2.0 * side * step);
}

/// A number that a run depends on, where it was found.
struct RunParameter {
  enum class Of { robot, configuration, velocity, input, controller, motion };
  Of of = Of::robot;
  ParameterInfo info;    ///< path: of a robot's number without `robot.`
  int index = 0;         ///< in q, in v, of the input, or of the controller
  SignalSlope slope;     ///< of the input
  std::string key = {};  ///< of the controller (Controller::numbers)
};

/// The size of a change that is one of the number itself; of zero: one.
inline double size_of(const RunParameter& number) {
  return number.info.value != 0.0 ? std::abs(number.info.value) : 1.0;
}

/// The step of a difference of bristles in balance. Places and lengths move what touches, and what is zero may stand
/// for anything: of them a step that the touch bears. @param size  of a change that is one of the number.
inline double balance_step(const RunParameter& number, double size) {
  if (number.of == RunParameter::Of::configuration) return k_balance_position;
  if (number.of == RunParameter::Of::velocity) return k_balance_velocity;
  const bool moves = number.info.unit == "m" || number.info.unit == "rad" || number.info.value == 0.0;
  return moves ? std::min(k_balance_place, k_balance_step * size) : k_balance_step * size;
}

/// Loops are closed at a start that is given by moving what is free; how that depends on a number nobody knows.
/// @param opened  how far a change of 1 of the number opens them [rad, m, rad/s, m/s].
/// @throws ArgumentError unless that is nothing.
void require_closed_start(const RunParameter& number, double opened);

/// Where a number of a scenario stands.
struct ScenarioNumber {
  RunParameter::Of of = RunParameter::Of::configuration;
  std::string part, key;  ///< of the initial state, or input, or controller, or signal of the driven motion; key of its
                          ///< signal, or among its numbers
  int index = 0;          ///< in q or v of the part
  double value = 0.0;     ///< also where the scenario leaves it out
  std::string unit;
};
/// @param path  simulation.initial.LINK.q[0], simulation.inputs.NAME.amplitude, ... @throws ArgumentError for another.
ScenarioNumber find_scenario_number(const Model& model, const Scenario& scenario, const std::string& path);
/// Another value for it.
void set_scenario_number(const Model& model, Scenario& scenario, const ScenarioNumber& number, double value);

/// @throws ArgumentError for what has no derivatives where something is driven.
void refuse_beside_motion(const Model& model, const Scenario& scenario);

/// @throws ArgumentError for a number of what is driven: its motion is given.
void refuse_driven_number(const DrivenMotion& motion, const RunParameter& parameter);

/// @throws ArgumentError for a path that leads nowhere.
RunParameter find_run_parameter(const Model& model, const Scenario& scenario, const std::string& path);

}  // namespace cuttle
