#pragma once

#include <optional>
#include <string>

#include "cuttle/io/named_files.h"
#include "cuttle/io/scenario_file.h"
#include "io/robot/robot_source.h"

namespace cuttle {

/// A scenario file in memory.
struct ScenarioText {
  std::string yaml;
  std::string source;  ///< name of the file in messages
  NamedFiles files;    ///< that it names, except for the robot
};

/// Reads the text of a scenario file and checks it against its robot.
/// @param robot  in the place of the file that the scenario names, where that would be if it has no source; nothing:
/// that file.
ScenarioFile read_scenario_source(ScenarioText text, std::optional<RobotText> robot, const Overrides& overrides);

}  // namespace cuttle
