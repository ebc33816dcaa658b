#pragma once

#include <cstddef>
#include <sstream>
#include <string>

#include "cuttle/spatial/scalars.h"
#include "cuttle/spatial/vector3.h"

namespace cuttle {

/// A number as messages show it: nine digits, and no more than it needs.
template <typename S>
std::string number_text(const S& value) {
  std::ostringstream out;
  out.precision(9);
  out << scalar_cast<double>(value);
  return out.str();
}

/// "[1, 2]".
template <typename S>
std::string list_text(const S* numbers, std::size_t count) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    text += number_text(numbers[i]);
  }
  text += "]";
  return text;
}
template <typename S>
std::string vector_text(const Vector3T<S>& a) {
  const S numbers[] = {a.x, a.y, a.z};
  return list_text(numbers, 3);
}

}  // namespace cuttle
