#include <filesystem>

#include "commands.h"

namespace cuttle {

bool is_result(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  return extension == ".h5" || extension == ".hdf5";
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

}  // namespace cuttle
