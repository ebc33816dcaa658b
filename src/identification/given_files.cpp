#include "identification/given_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cuttle/error.h"
#include "cuttle/identification/motion_experiment.h"
#include "cuttle/io/result_columns.h"
#include "cuttle/io/robot_import.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/model/spelling.h"

namespace cuttle {
namespace {

bool has_extension(const std::string& path, std::initializer_list<const char*> extensions) {
  const std::string found = std::filesystem::path(path).extension().string();
  return std::any_of(extensions.begin(), extensions.end(), [&](const char* e) { return found == e; });
}

GivenRobot read_given_robot(const std::string& path, const std::vector<std::string>& overrides) {
  check_robot_extension(path);
  if (kind_of_file(path) == FileKind::robot) {
    RobotFile file = load_robot_file(path, overrides);
    return {std::move(file.robot), path, file.yaml, file.visuals, file.warnings, overrides.empty(), file.files.empty()};
  }
  ScenarioFile file = load_scenario_file(path, overrides);
  return {std::move(file.robot),    file.robot_path,      file.robot_yaml,          file.visuals,
          std::move(file.warnings), file.changes.empty(), file.robot_files.empty(), std::move(file.scenario)};
}

bool has(const MeasuredTable& table, const std::string& column) {
  const std::vector<std::string> names = table.names();
  return std::find(names.begin(), names.end(), column) != names.end();
}

}  // namespace

GivenFiles::GivenFiles(const IdentificationRequest& request)
    : request_(request), maps_(parse_column_maps(request.map)) {
  for (const std::string& file : request.files) {
    if (!has_extension(file, {".csv"})) {
      read(file);
      continue;
    }
    if (robots_.empty()) {
      throw ArgumentError(fmt::format(
          "files: found '{}' before any robot or scenario file, expected the one that it belongs to before it", file));
    }
    add_table(last_, file, tables_);
  }
  if (tables_.empty()) throw ArgumentError("files: found no table of measurements, expected at least one in CSV");
  last_ = first_;
  for (const std::string& file : request.held_out) {
    if (has_extension(file, {".csv"})) {
      add_table(last_, file, held_out_);
    } else {
      read(file);
    }
  }
  require_maps();
}

std::vector<std::string> GivenFiles::warnings() const {
  std::vector<std::string> all;
  for (const auto& [path, robot] : robots_) all.insert(all.end(), robot.warnings.begin(), robot.warnings.end());
  return all;
}

std::unique_ptr<Experiment> GivenFiles::experiment(const Model& model, const GivenTable& given,
                                                   const std::string& group, int stretches) const {
  const GivenRobot& robot = robots_.at(given.given);
  if (!given.motion) {
    return make_equilibrium_experiment(model, given.table, {maps_of(given), group, request_.time, request_.threads});
  }
  return make_motion_experiment(model, *robot.scenario, given.table,
                                {maps_of(given), group, stretches, between_samples_of_name(request_.between),
                                 request_.tolerance.value_or(k_run_tolerance)});
}

void GivenFiles::read(const std::string& path) {
  last_ = path;
  if (robots_.contains(path)) return;
  GivenRobot robot = read_given_robot(path, request_.overrides);
  if (robots_.empty()) {
    first_ = path;
    const Model model(robot.robot);
    for (const CoordinateInfo& input : model.input_info()) inputs_.push_back(input.name);
  } else {
    require_same_robot(path, robot);
  }
  robots_.emplace(path, std::move(robot));
}

/// Parameters are shared by path, so the robots must be one.
void GivenFiles::require_same_robot(const std::string& path, const GivenRobot& robot) const {
  const GivenRobot& first = robots_.at(first_);
  const std::vector<ParameterInfo> expected = Model(first.robot).parameters();
  const std::vector<ParameterInfo> found = Model(robot.robot).parameters();
  std::error_code ignored;
  const bool same_file = std::filesystem::equivalent(first.path, robot.path, ignored);
  const bool same_numbers =
      std::equal(found.begin(), found.end(), expected.begin(), expected.end(),
                 [](const auto& a, const auto& b) { return a.path == b.path && a.value == b.value; });
  if (same_file && same_numbers) return;
  throw ArgumentError(
      fmt::format("files: found the robot {} of {}{}, expected that of {}, {}: all data are of one robot", robot.path,
                  path, same_file ? " with other numbers" : "", first_, first.path));
}

void GivenFiles::add_table(const std::string& given, const std::string& file, std::vector<GivenTable>& tables) const {
  GivenTable table{given, read_measured_file(file)};
  bool has_times = table.table.number("time") != nullptr || table.table.text("time") != nullptr;
  bool scenario = robots_.at(given).scenario.has_value();
  for (const ColumnMap& map : maps_) {
    if (map.quantity != "time" || !has(table.table, map.column)) continue;
    has_times = true;
    if (scenario) continue;
    throw ArgumentError(
        fmt::format("--map: found '{}=time' for {}, expected a scenario file before it: where a motion begins and what "
                    "acts; or no times, of equilibria",
                    map.column, file));
  }
  table.motion = scenario && has_times;
  tables.push_back(std::move(table));
}

/// Every entry of the map is of some table.
void GivenFiles::require_maps() const {
  for (const ColumnMap& map : maps_) {
    const auto has_it = [&](const GivenTable& given) { return has(given.table, map.column); };
    if (std::any_of(tables_.begin(), tables_.end(), has_it)) continue;
    if (std::any_of(held_out_.begin(), held_out_.end(), has_it)) continue;
    const MeasuredTable& table = tables_.front().table;
    throw ArgumentError(fmt::format("{}: found no column '{}'{}, which --map names{}", table.place(map.column),
                                    map.column, tables_.size() > 1 ? " here and in the other tables" : "",
                                    did_you_mean(map.column, table.names())));
  }
}

/// The entries for a table: those of its columns, and those of inputs that others of its kind have, so that one which
/// lacks them is refused.
std::vector<ColumnMap> GivenFiles::maps_of(const GivenTable& given) const {
  std::vector<ColumnMap> own;
  for (const ColumnMap& map : maps_) {
    const auto acts_elsewhere = [&](const GivenTable& other) {
      return other.motion == given.motion && is_input(map.quantity) && has(other.table, map.column);
    };
    if (has(given.table, map.column) || std::any_of(tables_.begin(), tables_.end(), acts_elsewhere)) {
      own.push_back(map);
    }
  }
  return own;
}

bool GivenFiles::is_input(const std::string& name) const {
  return name.starts_with("loads[") || std::find(inputs_.begin(), inputs_.end(), name) != inputs_.end();
}

}  // namespace cuttle
