#pragma once

#include <map>
#include <string>

#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// Texts of the files that a robot or scenario file names - meshes, networks, tables -, by their names as written
/// there.
using FileTexts = std::map<std::string, std::string>;

}  // namespace cuttle
