#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuttle/view/sweep_view.h"

namespace cuttle {

/// A column of a sweep with all of its numbers.
struct ShownColumn {
  SweepColumn column;
  enum class Kind { varied, kept, other } kind = Kind::other;
  std::vector<double> values;  ///< a row each; NaN where it has none
};

/// What varies, what is kept, then the number of the run and the time that it took.
std::vector<ShownColumn> shown_columns(const SweepTable& table);
/// @throws ArgumentError that names the axis.
const ShownColumn& column_named(const std::vector<ShownColumn>& columns, const std::string& name, const char* axis);

/// Puts numbers of runs into an order by chance, always the same: the first ones stand for all, where an even stride
/// would take some values of a list more often than others.
void order_by_chance(std::vector<std::int64_t>& numbers);

}  // namespace cuttle
