#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cuttle/algorithms/equilibrium_table.h"
#include "cuttle/io/csv_table.h"
#include "cuttle/simulation/recorder.h"
#include "rest_options.h"

namespace cuttle {

/// Options of `cuttle statics --table`.
struct TableCommandOptions {
  std::optional<std::string> file;
  bool from_rest = false;
  int threads = 0;
};
void add_table_options(CLI::App& command, TableCommandOptions& options);

/// The rows of a table and what came of them.
struct SolvedTable {
  enum Status { found, failed, not_reached };
  CsvTable given;
  std::vector<TableEquilibrium> rows;
  std::vector<Sample> samples;
  double seconds = 0.0;
  bool stopped = false;

  Status status(std::size_t row) const;
  std::size_t count(Status wanted) const;
};

/// Unit of a parameter of the robot, with or without `robot.`, or of a component of a load, as loads[0].force[2].
std::string unit_of_column(const Model& model, const std::string& name);
/// @throws FileError that names the place of a column that is wrong.
SolvedTable solve_rows(const RestingRobot& robot, CsvTable given, const TableCommandOptions& options);
/// As HDF5 or CSV, by the file's name.
void write_rows(const RestingRobot& robot, const SolvedTable& table, const std::string& output);

/// Finds the equilibria of all rows and writes them: to a file, or as CSV to the standard output.
/// @param output  file; empty: none.
void solve_table(const RestingRobot& robot, const TableCommandOptions& options, const std::string& output, bool json);

}  // namespace cuttle
