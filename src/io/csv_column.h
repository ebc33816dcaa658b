#pragma once

#include <string>
#include <vector>

#include "cuttle/io/named_files.h"

namespace cuttle {

/// Two columns of a table in time.
struct CsvColumn {
  std::vector<double> times, values;
};

/// Reads a column of a CSV table (CsvReader); times come from the column `time`.
/// @throws FileError at FILE:LINE:COLUMN as CsvReader, for a cell that is no finite number and times that do not rise.
CsvColumn read_csv_column(const NamedText& file, const std::string& column);

}  // namespace cuttle
