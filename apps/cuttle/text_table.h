#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cuttle {

/// "1 link", "2 links".
std::string counted(std::size_t count, const char* noun);

/// Aligned columns on a terminal, two spaces between and before them. A column of numbers stands to the right.
class TextTable {
 public:
  struct Column {
    std::string title;
    bool number = false;
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// One text a column.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// The titles and the rows; nothing if there is no row.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace cuttle
