#pragma once

#include <string>
#include <vector>

#include "cuttle/io/named_files.h"

namespace cuttle {

/// Two columns of a table in time.
struct CsvColumn {
  std::vector<double> times, values;
};

/// Reads columns of a CSV table (CsvReader), in this order; times come from the column `time`.
/// @throws FileError at FILE:LINE:COLUMN as CsvReader, for a cell that is no finite number and times that do not rise.
std::vector<CsvColumn> read_csv_columns(const NamedText& file, const std::vector<std::string>& columns);

}  // namespace cuttle
