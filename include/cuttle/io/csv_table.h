#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/io/named_files.h"

namespace CUTTLE_API cuttle {

/// A table of numbers.
struct CsvTable {
  std::vector<std::string> names;         ///< of the columns
  std::vector<std::string> places;        ///< of these names, for messages: FILE:LINE:COLUMN
  std::vector<std::vector<double>> rows;  ///< finite numbers, one a column
};

/// Reads a CSV table (docs/format.md, tables). The first line that is not empty and does not begin with # names the
/// columns; a row of their units may follow.
/// @throws FileError at FILE:LINE:COLUMN for a cell that is no finite number, a unit that is not of the SI, a row of
/// another length, a name that is missing or there twice, a table without rows.
CsvTable read_csv_table(const NamedText& file);

}  // namespace cuttle
