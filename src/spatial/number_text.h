#pragma once

#include <sstream>
#include <string>

#include "cuttle/spatial/scalars.h"

namespace cuttle {

/// A number as messages show it: nine digits, and no more than it needs.
template <typename S>
std::string number_text(const S& value) {
  std::ostringstream out;
  out.precision(9);
  out << scalar_cast<double>(value);
  return out.str();
}

}  // namespace cuttle
