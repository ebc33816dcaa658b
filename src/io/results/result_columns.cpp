#include "cuttle/io/result_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "cuttle/error.h"
#include "cuttle/io/plain_text.h"
#include "cuttle/io/yaml_tree.h"
#include "io/csv_cells.h"
#include "io/results/result_block.h"

namespace cuttle {
namespace {

constexpr double k_not_measured = std::numeric_limits<double>::quiet_NaN();

/// The number that a cell holds; nothing if it is text.
std::optional<double> measured_number(const std::string& cell) {
  return is_missing(cell) ? k_not_measured : csv_number(cell);
}

template <typename Column>
const Column* find_column(const std::vector<Column>& columns, const std::string& name) {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

}  // namespace

std::vector<NumberColumn> result_columns(const ResultFile& result) {
  const Model model(result.robot);
  std::vector<NumberColumn> columns;
  for (const ResultBlock& block : result_blocks(model, result.controllers, result.motion)) {
    const std::size_t first = columns.size();
    for (const auto& column : block.columns) {
      columns.push_back({column.header, column.unit, {}});
      columns.back().values.reserve(result.samples.size());
    }
    std::vector<double> row(block.width());
    for (const Sample& sample : result.samples) {
      block.read(sample, row.data());
      for (std::size_t i = 0; i < row.size(); ++i) columns[first + i].values.push_back(row[i]);
    }
  }
  return columns;
}

const NumberColumn* MeasuredTable::number(const std::string& name) const { return find_column(numbers, name); }
const TextColumn* MeasuredTable::text(const std::string& name) const { return find_column(texts, name); }

std::vector<std::string> MeasuredTable::names() const {
  std::vector<std::string> all;
  for (const NumberColumn& column : numbers) all.push_back(column.name);
  for (const TextColumn& column : texts) all.push_back(column.name);
  return all;
}

std::string MeasuredTable::place(const std::string& column, std::size_t row) const {
  const auto found = cells.find(column);
  if (found == cells.end() || row + 1 >= lines.size()) return fmt::format("{}: row {}", file, row);
  return fmt::format("{}:{}:{}", file, lines[row + 1], found->second[row + 1]);
}

std::string MeasuredTable::place(const std::string& column) const {
  if (lines.empty()) return file;
  const auto found = cells.find(column);
  return fmt::format("{}:{}:{}", file, lines.front(), found == cells.end() ? 1 : found->second.front());
}

std::string MeasuredTable::stray_text(const std::string& column) const {
  const TextColumn* const found = text(column);
  if (found == nullptr) return "";
  const auto is_text = [](const std::string& cell) { return !measured_number(cell); };
  const auto first = std::find_if(found->values.begin(), found->values.end(), is_text);
  const bool has_number = std::any_of(found->values.begin(), found->values.end(),
                                      [&](const std::string& cell) { return !is_missing(cell) && !is_text(cell); });
  if (!has_number) return "";
  return fmt::format("{}: {}: found '{}', expected a number, or nothing where none was measured",
                     place(column, static_cast<std::size_t>(first - found->values.begin())), printable(column),
                     beginning(printable(*first), 100));
}

void MeasuredTable::require_si(const std::string& column, double factor) const {
  const NumberColumn* const found = number(column);
  if (found == nullptr || factor != 1.0) return;
  if (const std::string trouble = unit_trouble(found->unit); !trouble.empty()) {
    throw ArgumentError(
        fmt::format("{}: {}: {}: --map COLUMN=NAME*FACTOR converts it", place(column), printable(column), trouble));
  }
}

MeasuredTable read_measured_table(const NamedText& file) {
  const CsvReader cells(file);
  MeasuredTable table;
  table.file = file.path;
  table.lines.push_back(cells.line());
  std::vector<std::vector<std::string>> columns(cells.names().size());
  for (const CsvCell& name : cells.names()) table.cells[name.text] = {name.column};
  cells.for_each_row([&](int line, const std::vector<CsvCell>& row) {
    table.lines.push_back(line);
    for (std::size_t c = 0; c < row.size(); ++c) {
      table.cells[cells.names()[c].text].push_back(row[c].column);
      columns[c].push_back(row[c].text);
    }
  });
  table.row_count = table.lines.size() - 1;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string& name = cells.names()[c].text;
    NumberColumn numbers{name, cells.unit_line() != 0 ? cells.units()[c].text : "", {}};
    for (const std::string& cell : columns[c]) {
      const std::optional<double> number = measured_number(cell);
      if (!number) break;
      if (std::isinf(*number)) {
        const std::size_t row = numbers.values.size() + 1;
        fail_csv(file.path, table.lines[row], table.cells[name][row], name, "'" + cell + "'",
                 "a finite number, or nothing where none was measured");
      }
      numbers.values.push_back(*number);
    }
    if (numbers.values.size() == table.row_count) {
      table.numbers.push_back(std::move(numbers));
    } else {
      table.texts.push_back({name, std::move(columns[c])});
    }
  }
  return table;
}

MeasuredTable read_measured_file(const std::string& path) {
  return read_measured_table({path, read_text_file(path, "a table in CSV")});
}

}  // namespace cuttle
