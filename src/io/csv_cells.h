#pragma once

#include <string>
#include <vector>

#include "cuttle/io/named_files.h"

namespace cuttle {

/// The cells of a CSV table as they stand in the file.
struct CsvCells {
  struct Cell {
    std::string text;
    int column;  ///< of its first character, 1-based
  };
  struct Row {
    int line;
    std::vector<Cell> cells;  ///< as many as there are names
  };
  int line = 1;  ///< of the names
  std::vector<Cell> names;
  std::vector<Row> rows;
};

/// @throws FileError for a row of another length, a name that is missing or there twice, a table without rows.
CsvCells read_csv_cells(const NamedText& source);

/// @throws FileError at FILE:LINE:COLUMN: key: found X, expected Y.
[[noreturn]] void fail_csv(const std::string& path, int line, int column, const std::string& key,
                           const std::string& found, const std::string& expected);

}  // namespace cuttle
