#pragma once

#include <map>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/io/named_files.h"
#include "cuttle/io/result_reader.h"

namespace CUTTLE_API cuttle {

/// A column of numbers.
struct NumberColumn {
  std::string name;
  std::string unit;            ///< empty: not known
  std::vector<double> values;  ///< one a row; NaN: not known
};

/// All columns of a result, named as in its CSV file; `time` is the first. Of rows that are no instants it is their
/// number.
std::vector<NumberColumn> result_columns(const ResultFile& result);

/// A column of text, as the names of experiments.
struct TextColumn {
  std::string name;
  std::vector<std::string> values;  ///< one a row
};

/// What was measured: a CSV table whose columns are numbers or text, with gaps.
struct MeasuredTable {
  std::string file;  ///< for messages
  std::vector<NumberColumn> numbers;
  std::vector<TextColumn> texts;  ///< columns with anything that is no number
  std::size_t row_count = 0;
  /// Where cells stand in the file: lines of the rows, after that of the names, and places in the line by column.
  /// Empty: they stand in none.
  std::vector<int> lines = {};
  std::map<std::string, std::vector<int>> cells = {};

  /// FILE:LINE:COLUMN of a cell, or FILE and the row.
  std::string place(const std::string& column, std::size_t row) const;
  /// Of the name of a column; of one that is not there, of the line of names.
  std::string place(const std::string& column) const;
  /// Of a column of text that has numbers too, as an error says it: where the first text stands. Else empty.
  std::string stray_text(const std::string& column) const;
  /// @throws ArgumentError for a column that says a unit other than the SI's while nobody converts it (`factor` is 1).
  void require_si(const std::string& column, double factor) const;
  /// Null if there is none.
  const NumberColumn* number(const std::string& name) const;
  const TextColumn* text(const std::string& name) const;
  std::vector<std::string> names() const;
};

/// Reads a CSV table whose first line names the columns (docs/format.md, tables). A cell that is empty, `nan` or `NA`
/// is a number that was not measured. Lines that are empty or begin with # are skipped.
/// @throws FileError at FILE:LINE:COLUMN for a row of another length, a name that is missing or there twice, an
/// infinite number, a table without rows.
MeasuredTable read_measured_table(const NamedText& file);

/// The same of a file on the disk. @throws FileError, too, if it cannot be read.
MeasuredTable read_measured_file(const std::string& path);

}  // namespace cuttle
