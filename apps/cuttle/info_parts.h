#pragma once

#include <vector>

#include "cuttle/model/model.h"
#include "json_output.h"

namespace cuttle {

// Parts of what `cuttle info --json` prints.

Json coordinates_json(const std::vector<CoordinateInfo>& coordinates);
/// `u`: inputs of actuators.
Json inputs_json(const Model& model);
/// `elements`, and their inputs behind those of actuators in `u`.
void add_elements(const Model& model, Json& info);
Json sensors_json(const Model& model);

}  // namespace cuttle
