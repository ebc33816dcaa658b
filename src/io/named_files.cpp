#include "cuttle/io/named_files.h"

#include <filesystem>

#include "cuttle/error.h"
#include "io/regular_file.h"

namespace cuttle {

std::optional<NamedText> NamedFiles::read(const YamlMap& map, const std::string& key, const std::string& what) {
  const auto name = map.text(key);
  if (!name) return std::nullopt;
  const auto known = texts_.find(*name);
  if (in_memory_) {
    if (known != texts_.end()) return NamedText{holder_ + ": " + *name, known->second};
    map.fail(key, map.at(key)->found() + ", which " + holder_ + " does not hold", what);
    return std::nullopt;
  }
  const std::string path = path_in(directory_, *name);
  if (known != texts_.end()) return NamedText{path, known->second};
  if (const std::string trouble = file_trouble(path); !trouble.empty()) {
    const std::string which = trouble == k_no_such_file ? ", which does not exist" : ", which is " + trouble;
    map.fail(key, map.at(key)->found() + which, what);
    return std::nullopt;
  }
  try {
    return NamedText{path, texts_[*name] = read_text_file(path, what)};
  } catch (const FileError& error) {
    texts_.erase(*name);
    map.cursor().errors().add(error);
    return std::nullopt;
  }
}

std::string path_in(const std::string& directory, const std::string& path) {
  const std::filesystem::path result = std::filesystem::path(directory) / path;  // an absolute path replaces the left
  return result.lexically_normal().string();
}

std::string directory_of(const std::string& path) { return std::filesystem::path(path).parent_path().string(); }

}  // namespace cuttle
