#include "cuttle/io/result_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "cuttle/error.h"
#include "cuttle/io/yaml_tree.h"
#include "io/csv_cells.h"
#include "io/results/result_block.h"
#include "io/yaml/yaml_number.h"

namespace cuttle {
namespace {

constexpr double k_not_measured = std::numeric_limits<double>::quiet_NaN();

/// The number that a cell holds; nothing if it is text.
std::optional<double> measured_number(const std::string& cell) {
  if (cell.empty() || cell == "nan" || cell == "NaN") return k_not_measured;
  const auto number = parse_yaml_number(cell);
  return number ? std::optional(number->value) : std::nullopt;
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

MeasuredTable read_measured_table(const NamedText& file) {
  const CsvCells cells = read_csv_cells(file);
  MeasuredTable table;
  table.file = file.path;
  table.row_count = cells.rows.size();
  table.lines.push_back(cells.line);
  for (const CsvCells::Row& row : cells.rows) table.lines.push_back(row.line);
  for (std::size_t c = 0; c < cells.names.size(); ++c) {
    std::vector<int>& places = table.cells[cells.names[c].text];
    places.push_back(cells.names[c].column);
    for (const CsvCells::Row& row : cells.rows) places.push_back(row.cells[c].column);
    NumberColumn numbers{cells.names[c].text, "", {}};
    for (const CsvCells::Row& row : cells.rows) {
      const std::optional<double> number = measured_number(row.cells[c].text);
      if (!number) break;
      if (std::isinf(*number)) {
        fail_csv(file.path, row.line, row.cells[c].column, cells.names[c].text, "'" + row.cells[c].text + "'",
                 "a finite number, or nothing where none was measured");
      }
      numbers.values.push_back(*number);
    }
    if (numbers.values.size() == table.row_count) {
      table.numbers.push_back(std::move(numbers));
      continue;
    }
    TextColumn texts{numbers.name, {}};
    for (const CsvCells::Row& row : cells.rows) texts.values.push_back(row.cells[c].text);
    table.texts.push_back(std::move(texts));
  }
  return table;
}

MeasuredTable read_measured_file(const std::string& path) {
  return read_measured_table({path, read_text_file(path, "a table in CSV")});
}

}  // namespace cuttle
