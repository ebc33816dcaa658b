#include "statics_follow.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "commands.h"
#include "cuttle/algorithms/cartesian_path.h"
#include "cuttle/error.h"
#include "cuttle/io/csv_table.h"
#include "cuttle/io/whole_file.h"
#include "cuttle/io/yaml_tree.h"
#include "json_output.h"
#include "target_options.h"

namespace cuttle {
namespace {

/// Paths of frames through the rows of a table with columns `time`, FRAME.x, FRAME.y and FRAME.z, and FRAME.qw, .qx,
/// .qy and .qz where the frame is to be turned too.
struct GivenPaths {
  double begin = 0.0, end = 0.0;
  std::vector<FramePath> paths;
};

constexpr std::array<const char*, 7> k_path_parts{".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"};
using PathColumns = std::array<std::vector<double>, k_path_parts.size()>;

/// Quaternions of one sign from row to row. @throws FileError for one that is not of unit length.
void check_quaternions(const std::string& path, const std::string& name, PathColumns& columns) {
  for (std::size_t row = 0; row < columns[3].size(); ++row) {
    double square = 0.0, beside_last = 0.0;
    for (std::size_t k = 3; k < columns.size(); ++k) {
      square += columns[k][row] * columns[k][row];
      if (row > 0) beside_last += columns[k][row] * columns[k][row - 1];
    }
    if (!(std::abs(std::sqrt(square) - 1.0) < 1e-3)) {
      throw FileError(fmt::format("{}: row {}: {}: found a quaternion of norm {:.6g}, expected 1 within 0.001", path,
                                  row + 1, name, std::sqrt(square)));
    }
    for (std::size_t k = 3; beside_last < 0.0 && k < columns.size(); ++k) columns[k][row] *= -1.0;
  }
}

GivenPaths read_paths(const Model& model, const std::string& path) {
  const CsvTable table = read_csv_table({path, read_text_file(path, "paths of frames in CSV")});
  std::vector<double> times;
  std::map<std::string, PathColumns> frames;
  for (std::size_t c = 0; c < table.names.size(); ++c) {
    const std::string& name = table.names[c];
    const auto part = std::find_if(k_path_parts.begin(), k_path_parts.end(),
                                   [&name](const char* ending) { return name.ends_with(ending); });
    if (part == k_path_parts.end() && name != "time") {
      throw FileError(
          fmt::format("{}: found the column '{}', expected time, or FRAME.x, FRAME.y and FRAME.z of frames, and "
                      "FRAME.qw, FRAME.qx, FRAME.qy and FRAME.qz of those that are to be turned",
                      table.places[c], name));
    }
    std::vector<double>& values =
        part == k_path_parts.end()
            ? times
            : frames[name.substr(0, name.rfind('.'))].at(static_cast<std::size_t>(part - k_path_parts.begin()));
    for (const auto& row : table.rows) values.push_back(row[c]);
  }
  if (times.size() < 3) {
    throw FileError(
        fmt::format("{}: found {} times, expected a column `time` with three rows or more", path, times.size()));
  }
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i] > times[i - 1]) continue;
    throw FileError(fmt::format("{}: row {}: found the time {} after {}, expected times that ascend", path, i + 1,
                                times[i], times[i - 1]));
  }
  GivenPaths result{times.front(), times.back(), {}};
  for (auto& [name, columns] : frames) {
    FramePath one;
    one.name = name;
    one.frame = frame_of(model, "--follow", name);
    const bool turned = std::any_of(columns.begin() + 3, columns.end(), [](const auto& its) { return !its.empty(); });
    for (std::size_t k = 0; k < (turned ? k_path_parts.size() : 3); ++k) {
      if (!columns[k].empty()) continue;
      throw FileError(fmt::format(
          "{}: found no column '{}{}', expected {}", path, name, k_path_parts[k],
          turned ? "x, y, z, qw, qx, qy and qz of a frame that is to be turned" : "x, y and z of each frame"));
    }
    if (turned) check_quaternions(path, name, columns);
    for (std::size_t k = 0; k < 3; ++k) one.position[k] = Signal::spline(times, columns[k]);
    if (turned) {
      one.orientation.emplace();
      for (std::size_t k = 0; k < 4; ++k) (*one.orientation)[k] = Signal::spline(times, columns[k + 3]);
    }
    result.paths.push_back(std::move(one));
  }
  if (result.paths.empty()) {
    throw FileError(path + ": found no column of a frame, expected FRAME.x, FRAME.y and FRAME.z");
  }
  return result;
}

std::string csv_of(const Model& model, const EquilibriumPath& path) {
  std::string text = "time";
  for (const auto& info : model.configuration_info()) text += "," + info.name;
  for (const auto& info : model.input_info()) text += "," + info.name;
  for (const auto& info : model.input_info()) text += "," + info.name + ".y";
  text += ",residual,stable\n";
  for (std::size_t i = 0; i < path.times.size(); ++i) {
    const InverseStaticsResult& its = path.samples[i];
    text += fmt::format("{:.17g}", path.times[i]);
    for (const double q : its.equilibrium.q) text += fmt::format(",{:.17g}", q);
    for (const double u : its.u) text += fmt::format(",{:.17g}", u);
    for (const Signal& y : path.actuation) text += fmt::format(",{:.17g}", y.at(path.times[i]));
    text += fmt::format(",{:.17g},{}\n", its.residual, its.equilibrium.stable() ? 1 : 0);
  }
  return text;
}

const CoordinateInfo& coordinate_of(const Model& model, const EquilibriumJump& jump) {
  return model.configuration_info()[static_cast<std::size_t>(jump.coordinate)];
}

void print_jumps(const Model& model, const EquilibriumPath& path) {
  constexpr std::size_t k_most = 5;
  for (std::size_t i = 0; i < std::min(k_most, path.jumps.size()); ++i) {
    const EquilibriumJump& jump = path.jumps[i];
    const CoordinateInfo& info = coordinate_of(model, jump);
    fmt::print(stderr, "jumps at t = {:.6g} s: {} by {:.3g} {} until the next sample, {:.3g} s later\n", jump.begin,
               info.name, jump.change, info.unit, jump.end - jump.begin);
  }
  if (path.jumps.size() > k_most) fmt::print(stderr, "jumps {} times more\n", path.jumps.size() - k_most);
  if (!path.jumps.empty()) {
    fmt::print(stderr,
               "no robot follows there: --samples with more shows whether it is another equilibrium that serves the "
               "path from then on, or a path that is too fast for these\n");
  }
}

}  // namespace

void follow_targets(const RestingRobot& robot, const StaticsTargetOptions& options, const std::string& output,
                    bool json) {
  if (!output.empty()) check_output_extension("--output", output, {".csv"});
  const GivenPaths given = read_paths(robot.model, *options.follow);
  if (!output.empty()) check_writable(output);
  EquilibriumPathOptions how;
  how.statics = read_inverse_statics_options(robot.model, options);
  how.begin = given.begin, how.end = given.end, how.samples = options.samples;
  const EquilibriumPath path = equilibrium_path(robot.model, given.paths, robot.loads, robot.q0, how);
  if (!output.empty()) write_whole_file(output, csv_of(robot.model, path));
  double residual = 0.0;
  std::size_t held = 0, stable = 0;
  for (const InverseStaticsResult& sample : path.samples) {
    residual = std::max(residual, sample.residual);
    held += sample.converged ? 1 : 0, stable += sample.equilibrium.stable() ? 1 : 0;
  }
  if (json) {
    Json result;
    result["robot"] = robot.model.name();
    result["converged"] = path.converged;
    result["stable"] = path.stable;
    result["samples"] = path.samples.size();
    result["residual"] = residual;
    result["deviation"] = path.deviation;
    result["jumps"] = Json::array();
    for (const EquilibriumJump& jump : path.jumps) {
      result["jumps"].push_back({{"begin", jump.begin},
                                 {"end", jump.end},
                                 {"coordinate", coordinate_of(robot.model, jump).name},
                                 {"change", jump.change}});
    }
    result["written"] = output;
    return print_json(result);
  }
  if (output.empty()) {
    fmt::print("{}", csv_of(robot.model, path));
  } else {
    fmt::print("{}: {} of {} samples held, {} stable{}; at most {:.3g} m off, between them {:.3g} m\n  written: {}\n",
               robot.model.name(), held, path.samples.size(), stable, path.jumps.empty() ? "" : ", but it jumps",
               residual, path.deviation, output);
  }
  print_jumps(robot.model, path);
  if (!path.converged) {
    fmt::print(stderr, "{} of {} samples are not held: the column `residual` says how far off they are\n",
               path.samples.size() - held, path.samples.size());
  }
}

}  // namespace cuttle
