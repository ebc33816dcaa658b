#pragma once

#include <string>

#include "cuttle/io/robot_file.h"
#include "io/yaml_tree.h"

namespace cuttle {

/// Reads the text of a robot file and builds a Model from it to see that one can be built.
/// @param source     name of the file in messages.
/// @param directory  that files which it names are relative to.
RobotFile read_robot_source(const std::string& yaml, const std::string& source, const std::string& directory,
                            const Overrides& overrides);

/// Directory of a path, "" for the current one.
std::string directory_of(const std::string& path);

}  // namespace cuttle
