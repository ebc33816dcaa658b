#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"

namespace cuttle {

/// What reading a robot's text complains about; empty if nothing.
inline std::string robot_errors(const std::string& text, const Overrides& overrides = {}) {
  try {
    read_robot_text(text, "r.yaml", overrides);
    return "";
  } catch (const FileError& error) {
    return error.what();
  }
}

/// A new directory for the files of one test, removed at its end.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "cuttle_io_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Error("no temporary directory " + name);
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

 private:
  std::string path_;
};

/// What an action says that throws an E.
template <typename E, typename F>
std::string message(const F& action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  }
  return "no error of this type";
}

}  // namespace cuttle
