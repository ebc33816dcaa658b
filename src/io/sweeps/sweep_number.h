#pragma once

#include <string>
#include <vector>

#include "cuttle/model/model.h"
#include "cuttle/simulation/scenario.h"
#include "simulation/run_parameter.h"

namespace cuttle {

/// A number of the robot or the scenario that a sweep of simulations varies, where it was found.
struct SweepNumber {
  enum class Of { robot, state_input_or_gain, setting, statics_input };
  Of of = Of::robot;
  std::string path;  ///< of the robot without `robot.`; of a setting without `simulation.`
  std::string unit;
  ScenarioNumber number = {};  ///< of the scenario, but for settings
};

/// @throws ArgumentError for a path that leads nowhere, with the nearest that does.
SweepNumber find_sweep_number(const Model& model, const Scenario& scenario, const std::string& path);

/// Puts numbers of a scenario into it. Those of the robot are passed over.
/// @param model  that the scenario runs on.   @throws ArgumentError for a value that the number cannot have.
void set_sweep_numbers(const Model& model, const std::vector<SweepNumber>& numbers, const std::vector<double>& values,
                       Scenario& scenario);

}  // namespace cuttle
