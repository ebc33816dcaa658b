#pragma once

#include <optional>
#include <string>

#include "rest_options.h"

namespace cuttle {

/// Options of `cuttle statics --path`.
struct PathCommandOptions {
  /// load, an input, a component of a load, or the path of a parameter; nothing: no path is wanted
  std::optional<std::string> along;
  std::optional<double> from, at;
  double to = 1.0;
};
void add_path_options(CLI::App& command, PathCommandOptions& options);

/// Follows the equilibria, prints folds, branch points and all equilibria of one value, and writes all points.
/// @param output  CSV or HDF5; empty: nothing is written.
void print_path(const RestingRobot& robot, const PathCommandOptions& options, const std::string& output, bool json);

}  // namespace cuttle
