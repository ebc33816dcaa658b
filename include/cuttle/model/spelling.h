#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// Number of single-character insertions, deletions, replacements and swaps of neighbors that turn a into b.
int edit_distance(const std::string& a, const std::string& b);
/// The `count` known names that are nearest to a name, nearest first.
std::vector<std::string> nearest_names(const std::string& name, const std::vector<std::string>& known,
                                       std::size_t count);
/// "; did you mean 'NAME'?" for the nearest known name, or nothing if none is near.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& known);

}  // namespace cuttle
