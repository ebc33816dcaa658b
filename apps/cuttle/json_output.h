#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cuttle {

/// Keys stay in the order in which they were set.
using Json = nlohmann::ordered_json;

/// Prints with 17 significant digits: every number reads back as the same double. Arrays of numbers and of text take
/// one line, and so does an object in an array.
void print_json(const Json& json);

/// Names of the fields at the top of an object that hold a number which JSON has no word for.
std::vector<std::string> fields_not_finite(const Json& object);

}  // namespace cuttle
