#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuttle/io/named_files.h"

namespace cuttle {

/// A cell of a CSV table as it stands in the file, without quotes and the spaces around it.
struct CsvCell {
  std::string text;
  int column = 1;  ///< of its first character, 1-based
};

/// A table as loggers and spreadsheets write them: the only reader of CSV. The first line that is not empty and does
/// not begin with # names the columns.
///
/// Cells stand between commas, semicolons or tabs: what divides the line of names and the first rows alike, and makes
/// most numbers there. Lines end as on any system; a mark of the byte order is passed over. A cell in quotes may
/// hold what divides cells. The first column is left out if it has no name (an index), columns and ends of rows without
/// any text are, too, and rows without any. A row below the names that has texts where numbers follow has the units.
/// Numbers may have decimal commas where nothing else can be meant.
class CsvReader {
 public:
  /// @throws FileError at FILE:LINE:COLUMN for a row of another length, a name that is missing or there twice, names
  /// that are numbers, a row of texts that are no units, a comma that may be that of decimals or of thousands, a table
  /// without rows.
  explicit CsvReader(const NamedText& source);

  int line() const { return line_; }  ///< of the names
  const std::vector<CsvCell>& names() const { return names_; }
  int unit_line() const { return unit_line_; }                  ///< 0: no row of units
  const std::vector<CsvCell>& units() const { return units_; }  ///< one a name, without brackets; empty: none

  using Row = std::function<void(int line, const std::vector<CsvCell>& cells)>;
  /// Calls use(line, cells) for each row, with as many cells as there are names.
  void for_each_row(const Row& use) const;

 private:
  void choose_separator(std::size_t end);
  std::vector<CsvCell> split(int line, std::string_view text) const;
  std::vector<CsvCell> row(int line, std::string_view text) const;
  void read_names();
  void leave_out_columns();
  void find_units();
  void find_decimal_commas();

  std::string path_;
  std::string_view text_;
  std::vector<std::pair<int, std::string_view>> lines_;  ///< those that say something, by their numbers
  char separator_ = ',';
  bool decimal_commas_ = false;
  std::size_t width_ = 0;          ///< cells in the line of names, without empty ones at its end
  std::vector<std::size_t> kept_;  ///< columns that are not left out
  int line_ = 1, unit_line_ = 0;
  std::vector<CsvCell> names_, units_;
};

/// Whether a cell says that nothing was measured: empty, nan, NA, N/A, null, none, in any capitals.
bool is_missing(const std::string& cell);

/// The number in a cell, infinite ones too. Nothing if there is none.
std::optional<double> csv_number(const std::string& cell);

/// What is wrong with numbers that have a unit other than that of the SI, as an error says it: "found the unit 'ms',
/// expected s, of which it is 0.001". Empty for units of the SI and for what is no unit that is known.
std::string unit_trouble(const std::string& unit);

/// @throws FileError at FILE:LINE:COLUMN: key: found X, expected Y.
[[noreturn]] void fail_csv(const std::string& path, int line, int column, const std::string& key,
                           const std::string& found, const std::string& expected);

}  // namespace cuttle
