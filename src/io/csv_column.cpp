#include "io/csv_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cuttle/error.h"
#include "cuttle/io/csv_table.h"
#include "cuttle/io/key_table.h"
#include "io/csv_cells.h"

namespace cuttle {
namespace {

double finite_number(const std::string& path, int line, const CsvCell& cell, const std::string& name) {
  const auto value = csv_number(cell.text);
  if (!value || !std::isfinite(*value)) {
    fail_csv(path, line, cell.column, name, "'" + cell.text + "'", "a finite number");
  }
  return *value;
}

/// Numbers of a table are those of the SI: a unit that says something else would be wrong by its factor.
void require_si(const CsvReader& table, const std::string& path, std::size_t column) {
  if (table.unit_line() == 0) return;
  const CsvCell& unit = table.units()[column];
  if (const std::string trouble = unit_trouble(unit.text); !trouble.empty()) {
    throw FileError(fmt::format("{}:{}:{}: {}: {}: convert the column", path, table.unit_line(), unit.column,
                                table.names()[column].text, trouble));
  }
}

}  // namespace

CsvTable read_csv_table(const NamedText& source) {
  const CsvReader cells(source);
  CsvTable result;
  for (const CsvCell& name : cells.names()) {
    require_si(cells, source.path, result.names.size());
    result.names.push_back(name.text);
    result.places.push_back(fmt::format("{}:{}:{}", source.path, cells.line(), name.column));
  }
  cells.for_each_row([&](int line, const std::vector<CsvCell>& given) {
    std::vector<double> row;
    for (std::size_t c = 0; c < given.size(); ++c) {
      row.push_back(finite_number(source.path, line, given[c], result.names[c]));
    }
    result.rows.push_back(std::move(row));
  });
  return result;
}

std::vector<CsvColumn> read_csv_columns(const NamedText& source, const std::vector<std::string>& columns) {
  const std::string& path = source.path;
  const CsvReader cells(source);
  std::vector<std::string> names;
  for (const CsvCell& name : cells.names()) names.push_back(name.text);
  const auto index_of = [&](const std::string& name, const std::string& expected) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) fail_csv(path, cells.line(), 1, name, "no column of this name", expected);
    const auto index = static_cast<std::size_t>(found - names.begin());
    require_si(cells, path, index);
    return index;
  };
  std::vector<std::size_t> places;
  places.reserve(columns.size());
  for (const std::string& column : columns) places.push_back(index_of(column, one_of(column, names)));
  const std::size_t time = index_of("time", "time among the columns");
  std::vector<double> times;
  std::vector<CsvColumn> result(columns.size());
  cells.for_each_row([&](int line, const std::vector<CsvCell>& row) {
    const double now = finite_number(path, line, row[time], "time");
    if (!times.empty() && !(now > times.back())) {
      fail_csv(path, line, row[time].column, "time", fmt::format("{} after {}", now, times.back()), "increasing times");
    }
    times.push_back(now);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      result[c].values.push_back(finite_number(path, line, row[places[c]], columns[c]));
    }
  });
  for (CsvColumn& column : result) column.times = times;
  return result;
}

}  // namespace cuttle
