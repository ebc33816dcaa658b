#pragma once

#include <optional>
#include <string>

#include "cuttle/api.h"
#include "cuttle/io/file_texts.h"
#include "cuttle/io/robot_file.h"

namespace CUTTLE_API cuttle {

/// A robot file in memory, read as load_robot_file reads one from the disk.
/// @param text  in YAML.
/// @param name  stands for the file in messages.
/// @param files  that the text names, these and no others; nothing: on the disk, in the folder of `name`.
/// @param overrides  as of load_robot_file.
/// @throws FileError with all errors found, a line each.
RobotFile load_robot_text(const std::string& text, const std::string& name, const std::optional<FileTexts>& files = {},
                          const Overrides& overrides = {});

}  // namespace cuttle
