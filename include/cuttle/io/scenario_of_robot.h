#pragma once

#include <string>

#include "cuttle/api.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/model/model.h"

namespace CUTTLE_API cuttle {

/// The text of a scenario for a robot that is there already, which is not read: what the text says of it (`robot`) is a
/// name alone. Other files that it names are relative to the folder of `name`.
/// @param name  stands for the scenario's file in messages.
/// @return the scenario, without texts and drawn shapes of a robot.
/// @throws FileError with all errors, a line each; also for `set`, and for a base that moves on a robot whose base is
/// fixed.
ScenarioFile read_scenario_of_robot(const std::string& text, const std::string& name, const Model& model);

}  // namespace cuttle
