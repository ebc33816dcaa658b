#pragma once

#include <regex>
#include <string>
#include <vector>

namespace cuttle {

/// Why the text is no well-formed XML of elements, attributes and texts; empty if it is.
inline std::string xml_problem(const std::string& text) {
  static const std::regex tag("<(/?)([A-Za-z]+)((?: [A-Za-z0-9:-]+=\"[^\"<>]*\")*) ?(/?)>");
  std::vector<std::string> open;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] != '<') {
      if (text[at] == '>') return "stray > at " + std::to_string(at);
      ++at;
      continue;
    }
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) return "open tag at the end";
    const std::string found = text.substr(at, end + 1 - at);
    std::smatch match;
    if (!std::regex_match(found, match, tag)) return "bad tag " + found.substr(0, 80);
    if (match[1] == "/") {
      if (open.empty() || open.back() != match[2]) return "unexpected " + found;
      open.pop_back();
    } else if (match[4] != "/") {
      open.push_back(match[2]);
    }
    at = end + 1;
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

}  // namespace cuttle
