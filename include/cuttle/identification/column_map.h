#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// Which quantity of a robot a column of measurements is: COLUMN=QUANTITY, or COLUMN=QUANTITY*FACTOR where the column
/// has another unit: tip_x=tip.x*0.001 of millimeters. An offset in SI stands behind the factor, and behind the time
/// also without one: clock=time-12.5, t_ms=time*0.001-12.5.
struct ColumnMap {
  std::string column;
  std::string quantity;  ///< named as results name their columns: tip.x, cable, arm.kappa_x.0
  double factor = 1.0;   ///< quantity in SI = factor * column + offset
  double offset = 0.0;
  double in_si(double value) const { return factor * value + offset; }
};

/// @param texts  each with one entry, or several with commas between; @FILE stands for the lines of a file, where lines
/// that begin with # are comments.
/// @throws ArgumentError `--map: found X, expected ..`, FileError for a file that cannot be read.
std::vector<ColumnMap> parse_column_maps(const std::vector<std::string>& texts);

/// What an option with lists means: entries with commas between, or @FILE with one a line.
std::vector<std::string> listed_entries(const std::vector<std::string>& texts);

}  // namespace cuttle
