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
/// `contacts`: what touches what, and how far apart it is in a configuration at time 0.
Json contacts_json(const Model& model, const VectorXd& q);
/// Coefficients of friction that a robot's description leaves out, a sentence each.
std::vector<std::string> default_frictions(const Robot& robot);

}  // namespace cuttle
