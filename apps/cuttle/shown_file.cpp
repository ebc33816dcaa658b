#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "commands.h"
#include "cuttle/error.h"
#include "cuttle/io/robot_import.h"

namespace cuttle {

bool is_result(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  return extension == ".h5" || extension == ".hdf5";
}

void check_robot_extension(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  const auto refuse = [&](const char* why, const char* advice) {
    throw FileError(
        fmt::format("{}: found a robot in a format of other programs ({}){}, expected a robot or scenario "
                    "file in YAML (`cuttle {})",
                    path, extension, why, advice));
  };
  for (const ImportFormat& format : import_formats()) {
    if (std::count(format.endings.begin(), format.endings.end(), extension) > 0) refuse("", "import` makes one of it");
  }
  for (const char* const other : {".xacro", ".usd", ".usda"}) {
    if (extension == other) refuse(", which Cuttle does not read", "new` writes one to start from");
  }
}

ResultFile read_result(const std::string& path) {
  note_read(path, "a result");
  return read_result_file(path);
}

ShownRun shown_file(const std::string& path) {
  check_robot_extension(path);
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".yaml" || extension == ".yml") return shown_at_rest(path);
  note_read(path, "a result");
  return shown_result(path);
}

void check_output_extension(const char* option, const std::string& path, const std::vector<std::string>& extensions) {
  const std::string found = std::filesystem::path(path).extension().string();
  if (std::find(extensions.begin(), extensions.end(), found) != extensions.end()) return;
  throw ArgumentError(
      fmt::format("{}: found '{}', expected a name that ends in {}", option, path, fmt::join(extensions, " or ")));
}

}  // namespace cuttle
