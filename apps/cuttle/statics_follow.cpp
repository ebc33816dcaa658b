#include "statics_follow.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

/// Paths of frames through the rows of a table with columns `time`, FRAME.x, FRAME.y and FRAME.z.
struct GivenPaths {
  double begin = 0.0, end = 0.0;
  std::vector<FramePath> paths;
};

GivenPaths read_paths(const Model& model, const std::string& path) {
  const CsvTable table = read_csv_table({path, read_text_file(path, "paths of frames in CSV")});
  std::vector<double> times;
  std::map<std::string, std::array<std::vector<double>, 3>> frames;
  for (std::size_t c = 0; c < table.names.size(); ++c) {
    const std::string& name = table.names[c];
    const bool axis = name.size() > 2 && name[name.size() - 2] == '.' && name.back() >= 'x' && name.back() <= 'z';
    if (!axis && name != "time") {
      throw FileError(fmt::format("{}: found the column '{}', expected time, or FRAME.x, FRAME.y and FRAME.z of frames",
                                  table.places[c], name));
    }
    auto& values =
        axis ? frames[name.substr(0, name.size() - 2)].at(static_cast<std::size_t>(name.back() - 'x')) : times;
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
  for (const auto& [name, axes] : frames) {
    FramePath one;
    one.name = name;
    one.frame = frame_of(model, "--follow", name);
    for (std::size_t k = 0; k < 3; ++k) {
      if (axes[k].empty()) {
        throw FileError(
            fmt::format("{}: found no column '{}.{}', expected x, y and z of each frame", path, name, "xyz"[k]));
      }
      one.position[k] = Signal::spline(times, axes[k]);
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
    result["written"] = output;
    return print_json(result);
  }
  if (output.empty()) {
    fmt::print("{}", csv_of(robot.model, path));
  } else {
    fmt::print("{}: {} of {} samples held, {} stable; at most {:.3g} m off, between them {:.3g} m\n  written: {}\n",
               robot.model.name(), held, path.samples.size(), stable, residual, path.deviation, output);
  }
  if (!path.converged) {
    fmt::print(stderr, "{} of {} samples are not held: the column `residual` says how far off they are\n",
               path.samples.size() - held, path.samples.size());
  }
}

}  // namespace cuttle
