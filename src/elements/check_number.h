#pragma once

#include <cmath>
#include <string>

#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {

/// @throws ModelError unless the number is finite and at least 0.
template <typename S>
void check_not_negative(const char* key, const S& value, const char* unit) {
  using std::isfinite;
  if (isfinite(value) && !any(value < S(0.0))) return;
  throw ModelError(key, number_text(value), std::string("a number >= 0 [") + unit + "]");
}

/// @throws ModelError unless the number is finite and above 0.
template <typename S>
void check_positive(const char* key, const S& value, const char* unit) {
  using std::isfinite;
  if (isfinite(value) && any(value > S(0.0))) return;
  throw ModelError(key, number_text(value), std::string("a number > 0 [") + unit + "]");
}

}  // namespace cuttle
