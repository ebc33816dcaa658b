#pragma once

#include <cstddef>
#include <string_view>

namespace cuttle {

/// Whether a name is what a pattern stands for: in it `*` stands for any text, `?` for any letter.
inline bool matches_pattern(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() == '*') {
    for (std::size_t i = 0; i <= name.size(); ++i) {
      if (matches_pattern(pattern.substr(1), name.substr(i))) return true;
    }
    return false;
  }
  return !name.empty() && (pattern.front() == '?' || pattern.front() == name.front()) &&
         matches_pattern(pattern.substr(1), name.substr(1));
}

}  // namespace cuttle
