#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// Writes a file at once. Missing folders are made; an earlier file of the name stays until all is written.
/// @throws FileError if it cannot be written, or must not be replaced (check_replaceable).
void write_whole_file(const std::string& path, std::string_view bytes);

/// @param option  what gave the output's name, in messages.
/// @throws ArgumentError if the name ends in none of the extensions.
void check_output_extension(const char* option, const std::string& path, const std::vector<std::string>& extensions);

/// Whether there is such a file, and these bytes are all that is in it.
bool has_content(const std::string& path, std::string_view bytes);

}  // namespace cuttle
