#include "statics_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "commands.h"
#include "cuttle/algorithms/equilibrium_table.h"
#include "cuttle/error.h"
#include "cuttle/io/csv_table.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/whole_file.h"
#include "cuttle/io/yaml_tree.h"
#include "cuttle/simulation/rest_sample.h"
#include "json_output.h"
#include "progress_line.h"
#include "stop_on_signal.h"

namespace cuttle {
namespace {

using enum SolvedTable::Status;

/// @throws FileError that names the file and the column.
EquilibriumTable table_of(const RestingRobot& robot, const CsvTable& given) {
  // one by one, so that the place of a wrong column is known
  for (std::size_t c = 0; c < given.names.size(); ++c) {
    try {
      const EquilibriumTable alone(robot.model, robot.loads, robot.q0, {given.names[c]});
    } catch (const ArgumentError& error) {
      throw FileError(given.places[c] + ": " + error.what());
    }
  }
  return {robot.model, robot.loads, robot.q0, given.names};
}

/// Inputs of a row, also of one that was not found.
VectorXd inputs_of(const RestingRobot& robot, const SolvedTable& table, std::size_t row) {
  VectorXd u = robot.loads.u;
  for (std::size_t c = 0; c < table.given.names.size(); ++c) {
    for (int i = 0; i < robot.model.nu(); ++i) {
      if (robot.model.input_info()[static_cast<std::size_t>(i)].name == table.given.names[c]) {
        u[i] = table.given.rows[row][c];
      }
    }
  }
  return u;
}

ResultSequence sequence_of(const Model& model, const SolvedTable& table) {
  constexpr double k_unknown = std::numeric_limits<double>::quiet_NaN();
  ResultSequence sequence;
  sequence.kind = ResultSequence::Kind::table;
  const std::size_t count = table.rows.size();
  const auto add = [&](const std::string& name, const std::string& unit, const auto& value_of,
                       std::vector<std::string> labels = {}) {
    SequenceColumn column{name, unit, std::move(labels), {}};
    for (std::size_t i = 0; i < count; ++i) column.values.push_back(value_of(i));
    sequence.columns.push_back(std::move(column));
  };
  const auto of_found = [&](double StaticEquilibrium::*member) {
    return [&table, member](std::size_t i) { return table.rows[i].found ? *table.rows[i].found.*member : k_unknown; };
  };
  add("row", "", [](std::size_t i) { return static_cast<double>(i); });
  for (std::size_t c = 0; c < table.given.names.size(); ++c) {
    const std::string& name = table.given.names[c];
    const auto& inputs = model.input_info();
    if (std::any_of(inputs.begin(), inputs.end(), [&](const auto& info) { return info.name == name; })) continue;
    add(name, unit_of_column(model, name), [&, c](std::size_t i) { return table.given.rows[i][c]; });
  }
  add("status", "", [&](std::size_t i) { return static_cast<double>(table.status(i)); },
      {"found", "failed", "not reached"});
  const auto stability = [&](std::size_t i) {
    return static_cast<double>(table.rows[i].found ? table.rows[i].found->stability : Stability::unknown);
  };
  std::vector<std::string> names;
  for (const Stability one : {Stability::stable, Stability::neutral, Stability::unstable, Stability::unknown}) {
    names.emplace_back(stability_name(one));
  }
  add("stability", "", stability, names);
  add("growth_rate", "1/s", of_found(&StaticEquilibrium::growth_rate));
  add("smallest_stiffness", "", of_found(&StaticEquilibrium::smallest_stiffness));
  add("residual", "", of_found(&StaticEquilibrium::residual));
  std::vector<std::string> reasons{""};
  std::map<std::string, double> place_of{{"", 0.0}};
  for (const TableEquilibrium& row : table.rows) {
    if (place_of.emplace(row.trouble, static_cast<double>(reasons.size())).second) reasons.push_back(row.trouble);
  }
  add(
      "message", "", [&](std::size_t i) { return place_of.at(table.rows[i].trouble); }, reasons);
  return sequence;
}

std::string rate_text(const SolvedTable& table) {
  const auto done = static_cast<double>(table.rows.size() - table.count(not_reached));
  return fmt::format("{}, {} rows/s", time_text(table.seconds), short_number(done / std::max(table.seconds, 1e-9)));
}

void print_summary(const Model& model, const SolvedTable& table, const std::string& output) {
  const std::size_t failures = table.count(failed);
  std::size_t unstable = 0;
  for (const TableEquilibrium& row : table.rows) unstable += row.found && !row.found->stable() ? 1 : 0;
  fmt::print("{}: {} of {} equilibria found in {}{}{}\n", model.name(), table.count(found), table.rows.size(),
             rate_text(table), unstable > 0 ? fmt::format("; {} not stable", unstable) : "",
             failures > 0 ? fmt::format("; {} failed", failures) : "");
  fmt::print("  written: {}\n", output);
}

/// The first reasons of rows that failed.
void complain(const SolvedTable& table) {
  constexpr std::size_t k_most = 5;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (table.status(i) != failed) continue;
    if (++shown > k_most) break;
    fmt::print(stderr, "row {}: {}\n", i, printable(table.rows[i].trouble));
  }
  if (const std::size_t all = table.count(failed); all > k_most) {
    fmt::print(stderr, ".. and {} more rows failed: the column `message` says why\n", all - k_most);
  }
}

void print_as_json(const Model& model, const SolvedTable& table, const std::string& output) {
  Json result;
  result["robot"] = model.name();
  result["rows"] = table.rows.size();
  result["found"] = table.count(found);
  result["seconds"] = table.seconds;
  result["failed"] = Json::array();
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (table.status(i) == failed) result["failed"].push_back({{"row", i}, {"message", table.rows[i].trouble}});
  }
  result["written"] = output;
  print_json(result);
}

}  // namespace

std::string unit_of_column(const Model& model, const std::string& name) {
  const std::string path = name.starts_with("robot.") ? name.substr(6) : name;
  if (!path.starts_with("loads[")) return model.parameter(path).unit;
  const std::string unit = path.find(".torque[") != path.npos ? "N m" : path.find(".force[") != path.npos ? "N" : "";
  if (unit.empty()) return model.parameter(path).unit;
  const auto load = static_cast<std::size_t>(std::atoi(path.c_str() + std::strlen("loads[")));
  return model.robot().loads.at(load).law->along_link() ? unit + "/m" : unit;
}

SolvedTable::Status SolvedTable::status(std::size_t row) const {
  return rows[row].found ? Status::found : rows[row].trouble.empty() ? not_reached : failed;
}
std::size_t SolvedTable::count(Status wanted) const {
  std::size_t all = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) all += status(i) == wanted ? 1 : 0;
  return all;
}

SolvedTable solve_rows(const RestingRobot& robot, CsvTable given, const TableCommandOptions& options) {
  SolvedTable table;
  table.given = std::move(given);
  const EquilibriumTable solver = table_of(robot, table.given);
  const std::size_t count = table.given.rows.size();
  MatrixXd values(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(table.given.names.size()));
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < table.given.names.size(); ++c) {
      values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(c)) = table.given.rows[i][c];
    }
  }
  table.samples.resize(count);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  ProgressLine line;
  const StopOnSignal signals;
  EquilibriumTable::Options solving;
  solving.from_rest = options.from_rest, solving.threads = options.threads, solving.stop = &StopOnSignal::stop;
  solving.progress = [&](std::size_t done) {
    const double wall = std::max(elapsed(), 1e-9);
    line.show(static_cast<double>(done) / static_cast<double>(count),
              fmt::format("{} of {} rows  {} rows/s", done, count, short_number(static_cast<double>(done) / wall)),
              wall);
  };
  solving.found = [&](std::size_t row, const EquilibriumTable::Row& at, const StaticEquilibrium& equilibrium) {
    table.samples[row] = rest_sample(at.model, at.data, at.loads.u, equilibrium, at.loads.state_loads_at.value_or(0.0));
  };
  table.rows = solver.solve(values, solving);
  table.seconds = elapsed();
  table.stopped = StopOnSignal::stop;
  for (std::size_t i = 0; i < count; ++i) {
    if (!table.rows[i].found) table.samples[i] = unknown_sample(robot.model, inputs_of(robot, table, i));
  }
  return table;
}

void write_rows(const RestingRobot& robot, const SolvedTable& table, const std::string& output) {
  const ResultSequence sequence = sequence_of(robot.model, table);
  if (std::filesystem::path(output).extension() == ".csv") {
    return write_whole_file(output, sequence_csv(robot.model, sequence, table.samples));
  }
  Outcome outcome;
  outcome.status = table.stopped ? RunStatus::interrupted : RunStatus::complete;
  if (table.stopped)
    outcome.message = fmt::format("stopped by a signal: {} rows not reached", table.count(not_reached));
  outcome.wall_seconds = table.seconds;
  write_sequence_hdf5(output, robot.source, robot.model, sequence, table.samples, outcome);
}

void add_table_options(CLI::App& command, TableCommandOptions& options) {
  auto* table = command
                    .add_option("--table", options.file,
                                "equilibria of all rows of a table, whose columns are named like inputs or like "
                                "parameters, as loads[0].force[2]")
                    ->type_name("FILE.csv");
  command
      .add_flag("--from-rest", options.from_rest,
                "find each row by itself, not from the nearest one that is known (slower)")
      ->needs(table);
  command.add_option("--threads", options.threads, "threads of the table (default: one a core)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024))
      ->needs(table);
}

void solve_table(const RestingRobot& robot, const TableCommandOptions& options, const std::string& output, bool json) {
  if (!output.empty()) check_output_extension("--output", output, {".csv", ".h5", ".hdf5"});
  CsvTable given = read_csv_table({*options.file, read_text_file(*options.file, "a table in CSV")});
  if (!output.empty()) check_writable(output);
  const SolvedTable table = solve_rows(robot, std::move(given), options);
  if (output.empty() && !json) {
    fmt::print("{}", sequence_csv(robot.model, sequence_of(robot.model, table), table.samples));
  } else if (!output.empty()) {
    write_rows(robot, table, output);
  }
  if (json) {
    print_as_json(robot.model, table, output);
  } else if (!output.empty()) {
    print_summary(robot.model, table, output);
  }
  std::fflush(stdout);
  if (!json) complain(table);
  if (table.stopped) {
    fmt::print(stderr, "interrupted: {} of {} rows not reached\n", table.count(not_reached), table.rows.size());
    throw CLI::RuntimeError(128 + StopOnSignal::signal_number);
  }
  if (table.count(found) == 0) throw CLI::RuntimeError(k_exit_failure);
}

}  // namespace cuttle
