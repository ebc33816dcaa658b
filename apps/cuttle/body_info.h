#pragma once

#include <string>

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

}  // namespace cuttle
