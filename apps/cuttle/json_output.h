#pragma once

#include <nlohmann/json.hpp>

namespace cuttle {

/// Keys stay in the order in which they were set.
using Json = nlohmann::ordered_json;

/// Prints with 17 significant digits: every number reads back as the same double. Arrays of numbers and of text take
/// one line, and so does an object in an array.
void print_json(const Json& json);

}  // namespace cuttle
