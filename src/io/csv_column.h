#pragma once

#include <string>
#include <vector>

#include "cuttle/io/named_files.h"

namespace cuttle {

/// Two columns of a table in time.
struct CsvColumn {
  std::vector<double> times, values;
};

/// Reads a column of a CSV table whose first line names the columns; times come from the column `time`, or from the
/// first if there is none. Lines that are empty or begin with # are skipped.
/// @throws FileError at FILE:LINE:COLUMN.
CsvColumn read_csv_column(const NamedText& file, const std::string& column);

}  // namespace cuttle
