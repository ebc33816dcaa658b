#pragma once

#include <optional>
#include <string>

#include "cuttle/model/model.h"
#include "cuttle/model/robot.h"
#include "json_output.h"
#include "text_table.h"

namespace cuttle {

/// A part of the text of `cuttle info`: nothing without rows.
void print_part(const std::string& title, const TextTable& table);
std::string number_text(const Json& number);  ///< six digits; 0 has no sign
std::string error_text(const Json& error);    ///< two digits, or that it is rounding

/// What `cuttle info` says about deforming bodies, as JSON and as text.
Json rods_json(const Robot& robot);
Json volumes_json(const Robot& robot);
void print_rods(const Json& rods);
void print_volumes(const Json& volumes);
/// Of finite elements: coordinates, and by how much mesh and modes are too stiff. Nothing of other volumes.
void print_fem(const Json& volume);
/// Of a robot with volumes: one inverse dynamics at the reference configuration, the least of five [s].
std::optional<double> evaluation_time(const Model& model);
void print_evaluation_time(const std::optional<double>& seconds);

}  // namespace cuttle
