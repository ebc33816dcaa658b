#include "io/csv_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "cuttle/error.h"
#include "cuttle/io/csv_table.h"
#include "cuttle/io/key_table.h"
#include "cuttle/io/plain_text.h"
#include "cuttle/io/yaml_tree.h"
#include "io/csv_cells.h"
#include "io/yaml/yaml_number.h"

namespace cuttle {
namespace {

using Cell = CsvCells::Cell;

std::vector<Cell> split(const std::string& line) {
  std::vector<Cell> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    const std::string cell = line.substr(begin, end - begin);
    const std::size_t first = cell.find_first_not_of(" \t\""), last = cell.find_last_not_of(" \t\"");
    const bool empty = first == cell.npos;
    cells.push_back(
        {empty ? "" : cell.substr(first, last - first + 1), static_cast<int>(begin + (empty ? 0 : first)) + 1});
    begin = end + 1;
  }
  return cells;
}

/// Whether a line has nothing to read; takes a carriage return off its end.
bool is_silent(std::string& line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line.find_first_not_of(" \t") == line.npos || line.front() == '#';
}

}  // namespace

void fail_csv(const std::string& path, int line, int column, const std::string& key, const std::string& found,
              const std::string& expected) {
  throw FileError(fmt::format("{}:{}:{}: {}: found {}, expected {}", path, line, column, printable(key),
                              beginning(printable(found), 100), printable(expected)));
}

CsvCells read_csv_cells(const NamedText& source) {
  const std::string& path = source.path;
  require_plain_text(source.text, path);
  std::istringstream file(source.text);
  CsvCells result;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (is_silent(line)) continue;
    std::vector<Cell> cells = split(line);
    if (result.names.empty()) {
      for (std::size_t c = 0; c < cells.size(); ++c) {
        const Cell& cell = cells[c];
        if (cell.text.empty()) fail_csv(path, number, cell.column, "a column", "no name", "one of its own");
        for (std::size_t before = 0; before < c; ++before) {
          if (cells[before].text != cell.text) continue;
          fail_csv(path, number, cell.column, cell.text, "two columns of this name", "one");
        }
      }
      result.names = std::move(cells), result.line = number;
      continue;
    }
    if (cells.size() != result.names.size()) {
      fail_csv(path, number, 1, "row", fmt::format("{} cells", cells.size()),
               fmt::format("{}, as there are columns", result.names.size()));
    }
    result.rows.push_back({number, std::move(cells)});
  }
  if (result.rows.empty()) {
    fail_csv(path, 1, 1, "table", "no rows", "a line of names and at least one row of numbers");
  }
  return result;
}

CsvTable read_csv_table(const NamedText& source) {
  const CsvCells cells = read_csv_cells(source);
  CsvTable result;
  for (const Cell& name : cells.names) {
    result.names.push_back(name.text);
    result.places.push_back(fmt::format("{}:{}:{}", source.path, cells.line, name.column));
  }
  for (const CsvCells::Row& given : cells.rows) {
    std::vector<double> row;
    for (std::size_t c = 0; c < given.cells.size(); ++c) {
      const auto value = parse_yaml_number(given.cells[c].text);
      if (!value || !std::isfinite(value->value)) {
        fail_csv(source.path, given.line, given.cells[c].column, result.names[c], "'" + given.cells[c].text + "'",
                 "a finite number");
      }
      row.push_back(value->value);
    }
    result.rows.push_back(std::move(row));
  }
  return result;
}

CsvColumn read_csv_column(const NamedText& source, const std::string& column) {
  const std::string& path = source.path;
  require_plain_text(source.text, path);
  std::istringstream file(source.text);
  CsvColumn result;
  std::vector<std::string> names;
  std::size_t time_index = 0, value_index = 0;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (is_silent(line)) continue;
    const std::vector<Cell> cells = split(line);
    if (names.empty()) {
      for (const Cell& cell : cells) names.push_back(cell.text);
      const auto found = std::find(names.begin(), names.end(), column);
      if (found == names.end()) {
        fail_csv(path, number, 1, column, "no column of this name", one_of(column, names));
      }
      value_index = static_cast<std::size_t>(found - names.begin());
      const auto time = std::find(names.begin(), names.end(), "time");
      if (time == names.end()) fail_csv(path, number, 1, "time", "no column of this name", "time among the columns");
      time_index = static_cast<std::size_t>(time - names.begin());
      continue;
    }
    if (cells.size() != names.size()) {
      fail_csv(path, number, 1, column, fmt::format("{} cells", cells.size()), fmt::format("{}", names.size()));
    }
    const auto value_of = [&](std::size_t index) {
      const auto value = parse_yaml_number(cells[index].text);
      if (!value || !std::isfinite(value->value)) {
        fail_csv(path, number, cells[index].column, names[index], "'" + cells[index].text + "'", "a finite number");
      }
      return value->value;
    };
    const double time = value_of(time_index);
    if (!result.times.empty() && !(time > result.times.back())) {
      fail_csv(path, number, cells[time_index].column, names[time_index],
               fmt::format("{} after {}", time, result.times.back()), "increasing times");
    }
    result.times.push_back(time);
    result.values.push_back(value_of(value_index));
  }
  if (result.times.empty()) fail_csv(path, 1, 1, column, "no rows", "a line of names and at least one row of numbers");
  return result;
}

}  // namespace cuttle
