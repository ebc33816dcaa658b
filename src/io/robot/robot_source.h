#pragma once

#include <string>

#include "cuttle/io/named_files.h"
#include "cuttle/io/robot_file.h"

namespace cuttle {

/// A robot file in memory.
struct RobotText {
  std::string yaml;
  std::string source;  ///< name of the file in messages
  NamedFiles files;    ///< that it names
};

/// Reads the text of a robot file and builds a Model from it to see that one can be built.
RobotFile read_robot_source(RobotText text, const Overrides& overrides);

}  // namespace cuttle
