#include "cuttle/io/whole_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cuttle/error.h"
#include "io/results/output_file.h"

namespace cuttle {

void write_whole_file(const std::string& path, std::string_view bytes) {
  OutputFile output(path);
  output.prepare();
  std::ofstream file(output.current(), std::ios::binary);
  if (!file) throw FileError(path + ": cannot create the file: " + std::strerror(errno));
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw FileError(path + ": cannot be written: " + std::strerror(errno));
  output.keep();
}

void check_output_extension(const char* option, const std::string& path, const std::vector<std::string>& extensions) {
  const std::string found = std::filesystem::path(path).extension().string();
  if (std::find(extensions.begin(), extensions.end(), found) != extensions.end()) return;
  throw ArgumentError(
      fmt::format("{}: found '{}', expected a name that ends in {}", option, path, fmt::join(extensions, " or ")));
}

bool has_content(const std::string& path, std::string_view bytes) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) != bytes.size()) {
    return false;
  }
  std::ifstream file(path, std::ios::binary);
  std::string found(bytes.size(), '\0');
  return file.read(found.data(), static_cast<std::streamsize>(found.size())) && found == bytes;
}

}  // namespace cuttle
