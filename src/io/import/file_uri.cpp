#include "io/import/file_uri.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace cuttle {
namespace {

/// Takes a text off the front of another one, if it stands there.
bool take_front(std::string& text, std::string_view front) {
  if (!text.starts_with(front)) return false;
  text.erase(0, front.size());
  return true;
}

/// With the bytes that stand as % and two hexadecimal digits.
std::string percent_decoded(const std::string& text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const char* const digits = text.data() + i + 1;
    const bool escaped = text[i] == '%' && i + 2 < text.size() &&
                         std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2 && byte != 0;
    decoded += escaped ? static_cast<char>(byte) : text[i];
    if (escaped) i += 2;
  }
  return decoded;
}

/// Splits PACKAGE/PATH.
FileUri in_package(const std::string& rest) {
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const std::string package = rest.substr(0, slash);
  // package://./meshes/a.stl and package:///opt/a.stl name no package
  if (package.empty() || package == "." || package == "..") return {"", rest};
  return {package, rest.substr(std::min(slash + 1, rest.size()))};
}

}  // namespace

std::vector<std::string> FileUri::spellings() const {
  std::vector<std::string> all;
  for (const std::string& text : {path, percent_decoded(path)}) {
    std::string slashes = text;
    std::replace(slashes.begin(), slashes.end(), '\\', '/');
    for (const std::string& spelling : {text, slashes}) {
      if (std::find(all.begin(), all.end(), spelling) == all.end()) all.push_back(spelling);
    }
  }
  return all;
}

FileUri parse_file_uri(const std::string& name) {
  std::string rest = name;
  for (const char* const scheme : {"package://", "model://"}) {
    if (take_front(rest, scheme)) return in_package(rest);
  }
  if (take_front(rest, "file:") && take_front(rest, "//")) {
    if (rest.starts_with("localhost/"))
      rest.erase(0, std::string_view("localhost").size());  // host of file://HOST/PATH
  }
  const std::size_t end = rest.find(')');
  if (end != rest.npos && rest.starts_with("$(find ")) {  // of xacro, where nobody has put it in
    const std::size_t start = std::string_view("$(find ").size();
    return in_package(rest.substr(start, end - start) + rest.substr(end + 1));
  }
  return {"", rest};
}

std::vector<std::string> ros_package_folders() {
  std::vector<std::string> folders;
  for (const auto& [variable, inside] : {std::pair{"ROS_PACKAGE_PATH", ""}, std::pair{"AMENT_PREFIX_PATH", "/share"}}) {
    const char* const value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nobody sets it here
    std::string rest = value == nullptr ? "" : value;
    while (!rest.empty()) {
      const std::size_t colon = std::min(rest.find(':'), rest.size());
      if (colon != 0) folders.push_back(rest.substr(0, colon) + inside);
      rest.erase(0, colon + 1);
    }
  }
  return folders;
}

}  // namespace cuttle
