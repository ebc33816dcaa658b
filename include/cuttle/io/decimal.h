#pragma once

#include <optional>
#include <string_view>

#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// A decimal number as programs write it: 12, -0.5, 1e-310; in any locale. What is too small for a double is denormal
/// or 0, what is too large infinite. Nothing if the whole text is no such number.
std::optional<double> parse_decimal(std::string_view text);

}  // namespace cuttle
