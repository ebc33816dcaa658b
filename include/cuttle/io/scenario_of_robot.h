#pragma once

#include <memory>
#include <string>

#include "cuttle/api.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/model/model.h"

namespace CUTTLE_API cuttle {

/// The text of a scenario for a robot that is there already, which is not read: what the text says of it (`robot`) is a
/// name alone. Other files that it names are relative to the folder of `name`.
/// @param name  stands for the scenario's file in messages.
/// @return the scenario, without texts and drawn shapes of a robot. Its robot is that of the model, but for what the
/// scenario drives: loops have joints for that (drive_loops), and a base floats.
/// @throws FileError with all errors, a line each; also for `set`.
ScenarioFile read_scenario_of_robot(const std::string& text, const std::string& name, const Model& model);

/// What a run of such a scenario takes: `model`, or one of the scenario's robot where that is another.
std::shared_ptr<const Model> model_of_run(const ScenarioFile& file, std::shared_ptr<const Model> model);

}  // namespace cuttle
