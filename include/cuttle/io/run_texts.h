#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/io/result_file.h"

namespace CUTTLE_API cuttle {

/// Fills the texts that are empty, of a run that has no files. Where a part of it has no text, that of robot or
/// scenario says which instead.
void describe_run(ResultSource& source, const Robot& robot, const std::vector<LinkVisual>& visuals,
                  const Scenario& scenario);

/// A scenario and its robot as they were read, from their texts and the files that these name alone.
/// @param name  stands for the scenario's file in messages.
/// @throws FileError with all errors of both, a line each.
ScenarioFile read_scenario_again(const ResultSource& source, const std::string& name);

}  // namespace cuttle
