#pragma once

#include <string>

namespace cuttle {

/// RFC 4180: a field with a comma, quote or line break stands in quotes.
inline std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace cuttle
