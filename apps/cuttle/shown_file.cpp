#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "commands.h"
#include "cuttle/error.h"

namespace cuttle {

ShownRun shown_file(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  return extension == ".yaml" || extension == ".yml" ? shown_at_rest(path) : shown_result(path);
}

void check_output_extension(const char* option, const std::string& path, const std::vector<std::string>& extensions) {
  const std::string found = std::filesystem::path(path).extension().string();
  if (std::find(extensions.begin(), extensions.end(), found) != extensions.end()) return;
  throw ArgumentError(
      fmt::format("{}: found '{}', expected a name that ends in {}", option, path, fmt::join(extensions, " or ")));
}

}  // namespace cuttle
