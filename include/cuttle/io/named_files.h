#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/io/file_texts.h"
#include "cuttle/io/yaml_cursor.h"

namespace CUTTLE_API cuttle {

/// A file's text, and the file's name in messages.
struct NamedText {
  std::string path, text;
};

/// The files that a robot or scenario file names: on the disk, or as a result keeps them. Remembers what it was asked
/// for, so that a result can keep it.
class NamedFiles {
 public:
  /// @param directory  that their names are relative to.
  explicit NamedFiles(std::string directory) : directory_(std::move(directory)) {}
  /// Files in memory and no others. @param holder  what holds them, in messages.
  NamedFiles(FileTexts texts, std::string holder)
      : texts_(std::move(texts)), holder_(std::move(holder)), in_memory_(true) {}

  /// The file that a key names. Nothing, with an error at the key, if there is no such file or it cannot be read.
  /// @param what  it should be: "a mesh of Gmsh".
  std::optional<NamedText> read(const YamlMap& map, const std::string& key, const std::string& what);

  /// All that were read.
  const FileTexts& texts() const { return texts_; }
  const std::string& directory() const { return directory_; }

 private:
  std::string directory_;
  FileTexts texts_;
  std::string holder_;
  bool in_memory_ = false;
};

/// `path` as seen from a directory; absolute paths stay.
std::string path_in(const std::string& directory, const std::string& path);

/// Directory of a path, "" for the current one.
std::string directory_of(const std::string& path);

}  // namespace cuttle
