#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cuttle/model/model.h"

namespace cuttle {

/// Keys stay in the order in which they were set.
using Json = nlohmann::ordered_json;

Json to_json(const VectorXd& values);
Json to_json(const MatrixXd& values);  ///< by rows
Json to_json(const Vector3& values);
Json to_json(const Pose& pose);  ///< position, and rotation by rows

/// Prints with 17 significant digits: every number reads back as the same double; one that is not finite, which JSON
/// has no word for, as null. Arrays of numbers and of text take one line, and so does an object in an array.
void print_json(const Json& json);
/// The same on one line.
void print_json_line(const Json& json);

/// Names of the fields at the top of an object that hold a number which JSON has no word for.
std::vector<std::string> fields_not_finite(const Json& object);

}  // namespace cuttle
