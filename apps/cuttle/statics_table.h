#pragma once

#include <optional>
#include <string>

#include "rest_options.h"

namespace cuttle {

/// Options of `cuttle statics --table`.
struct TableCommandOptions {
  std::optional<std::string> file;
  bool from_rest = false;
  int threads = 0;
};
void add_table_options(CLI::App& command, TableCommandOptions& options);

/// Finds the equilibria of all rows and writes them: to a file, or as CSV to the standard output.
/// @param output  file; empty: none.
void solve_table(const RestingRobot& robot, const TableCommandOptions& options, const std::string& output, bool json);

}  // namespace cuttle
