#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// A value that `--set` can name.
struct SettingPath {
  std::string path;                  ///< "robot.links.arm.body.length"
  std::vector<std::string> choices;  ///< its values, if they are few
};

/// What `--set` can name of a robot or scenario file, in the order of the file: keys that it has, and keys that its
/// mappings could have. A scenario's robot comes after it, if it can be read.
/// @throws FileError if the file cannot be read or is no YAML; its contents may be wrong.
std::vector<SettingPath> setting_paths(const std::string& file);

}  // namespace cuttle
