#include "view/sweep_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cuttle/error.h"
#include "cuttle/io/key_table.h"
#include "cuttle/model/spelling.h"

namespace cuttle {
namespace {

/// The finalizer of splitmix64 ([Steele, Lea, Flood 2014]): bits that look independent for numbers that count.
std::uint64_t mixed_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

}  // namespace

void order_by_chance(std::vector<std::int64_t>& numbers) {
  const auto rank = [](std::int64_t number) { return mixed_bits(static_cast<std::uint64_t>(number)); };
  std::sort(numbers.begin(), numbers.end(),
            [&](std::int64_t a, std::int64_t b) { return std::pair(rank(a), a) < std::pair(rank(b), b); });
}

std::vector<ShownColumn> shown_columns(const SweepTable& table) {
  std::vector<ShownColumn> columns;
  const auto add = [&](const SweepColumn& column, ShownColumn::Kind kind, const auto& value_of) {
    ShownColumn& made = columns.emplace_back(ShownColumn{column, kind, {}});
    made.values.reserve(table.rows.size());
    for (const SweepRow& row : table.rows) made.values.push_back(value_of(row));
  };
  for (std::size_t i = 0; i < table.head.parameters.size(); ++i) {
    add(table.head.parameters[i], ShownColumn::Kind::varied, [i](const SweepRow& row) { return row.parameters[i]; });
  }
  for (std::size_t i = 0; i < table.head.outputs.size(); ++i) {
    add(table.head.outputs[i], ShownColumn::Kind::kept, [i](const SweepRow& row) { return row.outputs[i]; });
  }
  add({"row", ""}, ShownColumn::Kind::other, [](const SweepRow& row) { return static_cast<double>(row.number); });
  add({"seconds", "s"}, ShownColumn::Kind::other, [](const SweepRow& row) { return row.seconds; });
  return columns;
}

const ShownColumn& column_named(const std::vector<ShownColumn>& columns, const std::string& name, const char* axis) {
  std::vector<std::string> known;
  for (const ShownColumn& column : columns) {
    if (column.column.name == name) return column;
    known.push_back(column.column.name);
  }
  throw ArgumentError(
      fmt::format("{}: found '{}', expected {}{}", axis, name, join_or(known), did_you_mean(name, known)));
}

SweepAxes chosen_axes(const SweepTable& table, const SweepAxes& wanted) {
  if (table.rows.empty()) throw ArgumentError("sweep: found no row, expected at least one to show");
  const std::vector<ShownColumn> columns = shown_columns(table);
  const std::vector<SweepColumn>&varied = table.head.parameters, &kept = table.head.outputs;
  SweepAxes axes = wanted;
  if (axes.x.empty()) axes.x = varied.empty() ? "row" : varied.front().name;
  if (axes.y.empty()) axes.y = kept.empty() ? "seconds" : kept.front().name;
  if (axes.color.empty() && varied.size() > 1) {
    // what is an axis already would say nothing new
    for (const SweepColumn& column : varied) {
      if (axes.color.empty() && column.name != axes.x && column.name != axes.y) axes.color = column.name;
    }
  }
  column_named(columns, axes.x, "--x"), column_named(columns, axes.y, "--y");
  if (!axes.color.empty()) column_named(columns, axes.color, "--color");
  return axes;
}

}  // namespace cuttle
