#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/error.h"

namespace CUTTLE_API cuttle {

/// Where a piece of text stands: a file, or an argument of the command line (then without line and column).
struct SourceMark {
  std::shared_ptr<const std::string> source;
  int line = 0;  ///< 1-based; 0: the source as a whole
  int column = 0;

  std::string text() const;  ///< FILE:LINE:COLUMN, or FILE
};

/// The errors of a file, collected: each one line `FILE:LINE:COLUMN: key.path: found X, expected Y`. It keeps the first
/// `k_most_shown` by file (in the order of their first errors), line and column, and counts the others.
class FileErrors {
 public:
  static constexpr std::size_t k_most_shown = 50;

  void add(const SourceMark& mark, const std::string& path, const std::string& found, const std::string& expected);
  /// With the text "found X, expected Y" as somebody else wrote it.
  void add(const SourceMark& mark, const std::string& path, const std::string& found_and_expected);
  /// Takes over what another file threw: all its errors if it collected them, else its text as it is.
  void add(const FileError& error);
  /// Whether an error at this place would be kept now: what is hard to say needs not be said for others.
  bool keeps(const SourceMark& mark) const;
  std::size_t count() const { return count_; }  ///< of all errors
  /// @throws FileError with the lines that are kept, and "and N more" if there are others.
  void throw_if_any() const;

 private:
  struct Entry {
    std::string source;
    std::size_t source_index;
    int line, column;
    std::string text;
  };
  void insert(const std::string& source, int line, int column, std::string text);

  std::vector<Entry> entries_;  // in order
  std::map<std::string, std::size_t> sources_;
  std::size_t count_ = 0;
};

}  // namespace cuttle
