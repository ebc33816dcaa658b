#pragma once

#include <optional>
#include <string>

#include "cuttle/model/model.h"

namespace cuttle {

/// The vector that an option holds as a JSON array; `missing`, which has its size, if the option is not given.
/// @param size_name  what the size is called, for messages: nq.   @throws ArgumentError naming the option.
VectorXd read_json_vector(const std::string& option, const std::optional<std::string>& given, const VectorXd& missing,
                          const char* size_name, const std::string& robot);

}  // namespace cuttle
