#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/error.h"

namespace cuttle {

/// Where a piece of text stands: a file, or an argument of the command line (then without line and column).
struct SourceMark {
  std::shared_ptr<const std::string> source;
  int line = 0;  ///< 1-based; 0: the source as a whole
  int column = 0;

  std::string text() const;  ///< FILE:LINE:COLUMN, or FILE
};

struct YamlEntry;

/// A value of a YAML document with the place where it stands; aliases are expanded. What a scalar means is decided by
/// who reads it (YamlCursor).
struct YamlNode {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  std::string scalar;              ///< as written, without quotes
  bool quoted = false;             ///< 'x', "x", a block or !!str: text, whatever it looks like
  std::vector<YamlNode> items;     ///< of a list
  std::vector<YamlEntry> entries;  ///< of a map, in file order, duplicates kept
  SourceMark mark;

  const YamlEntry* find(const std::string& key) const;  ///< null if there is none
};

struct YamlEntry {
  std::string key;
  SourceMark mark;
  YamlNode value;
};

/// The errors of a file, collected: each one line `FILE:LINE:COLUMN: key.path: found X, expected Y`.
class FileErrors {
 public:
  void add(const SourceMark& mark, const std::string& path, const std::string& found, const std::string& expected);
  /// With the text "found X, expected Y" as somebody else wrote it.
  void add(const SourceMark& mark, const std::string& path, const std::string& found_and_expected);
  /// Takes the lines of an error that another file threw.
  void add(const FileError& error);
  std::size_t count() const { return errors_.size(); }
  /// @throws FileError with all lines, by file in the order of their first errors, then by line and column.
  void throw_if_any() const;

 private:
  struct Entry {
    std::string source;
    int line, column;
    std::string text;
  };
  std::vector<Entry> errors_;
};

/// Reads one YAML document. An empty one is a null node at line 1.
/// @param source  name of the text in messages.
/// @throws FileError at the place of a syntax error.
YamlNode parse_yaml(const std::string& text, const std::string& source);
/// The same for a value of the command line: its marks have no lines.
YamlNode parse_yaml_argument(const std::string& text, const std::string& source);

/// The whole file.
/// @throws FileError `FILE: found X, expected WHAT` if it cannot be read.
std::string read_text_file(const std::string& path, const std::string& what);

}  // namespace cuttle
