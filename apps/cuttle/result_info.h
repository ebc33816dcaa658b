#pragma once

#include <string>

namespace cuttle {

/// What a result is of, for `cuttle info RESULT.h5`: a simulation, a path, a table or modes, its robot and what it
/// holds.
void print_result_info(const std::string& path, bool json);

}  // namespace cuttle
