#pragma once

#include <optional>
#include <string>

#include "rest_options.h"

namespace cuttle {

/// Options of `cuttle statics --path`.
struct PathCommandOptions {
  std::optional<std::string> along;  ///< load, input NAME, or the path of a parameter; nothing: no path is wanted
  double from = 0.0, to = 1.0;
  std::optional<double> at;
};
void add_path_options(CLI::App& command, PathCommandOptions& options);

/// Follows the equilibria, prints folds, branch points and all equilibria of one value, and writes all points.
/// @param output  CSV or HDF5; empty: nothing is written.
void print_path(const RestingRobot& robot, const PathCommandOptions& options, const std::string& output, bool json);

}  // namespace cuttle
