#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "cuttle/error.h"
#include "cuttle/io/whole_file.h"
#include "cuttle/model/spelling.h"
#include "cuttle/view/point_cloud.h"
#include "json_output.h"
#include "rest_options.h"
#include "statics_table.h"
#include "stop_on_signal.h"
#include "target_options.h"

namespace cuttle {
namespace {

struct WorkspaceOptions {
  RestOptions rest;
  std::vector<std::string> ranges;
  std::optional<std::string> frame;
  int samples = 1000;
  int threads = 0;
  std::string output;
  bool json = false;
};

/// Values that fill the ranges evenly, the same in each call: multiples of the inverse powers of the root of
/// x^(d + 1) = x + 1, [Roberts 2018], which in one dimension is the golden ratio.
CsvTable sampled(const std::vector<std::string>& ranges, int samples) {
  CsvTable table;
  std::vector<std::array<double, 2>> bounds;
  for (const std::string& text : ranges) {
    const auto [name, numbers] = read_named_numbers("--range", text, "NAME=[lowest,highest]");
    if (numbers.size() != 2 || !(numbers[0] < numbers[1])) {
      throw ArgumentError(fmt::format("--range: {}: found [{}], expected [lowest,highest], lowest < highest", name,
                                      fmt::join(numbers, ", ")));
    }
    if (std::find(table.names.begin(), table.names.end(), name) != table.names.end()) {
      throw ArgumentError(fmt::format("--range: {}: found it twice, expected one range", name));
    }
    table.names.push_back(name), table.places.emplace_back("--range");
    bounds.push_back({numbers[0], numbers[1]});
  }
  const auto dimension = static_cast<double>(bounds.size());
  double root = 1.5;
  for (int i = 0; i < 60; ++i) root = std::pow(1.0 + root, 1.0 / (dimension + 1.0));
  for (int k = 0; k < samples; ++k) {
    std::vector<double> row;
    for (std::size_t c = 0; c < bounds.size(); ++c) {
      const double step = std::pow(root, -static_cast<double>(c + 1));
      const double place = 0.5 + step * (k + 1), part = place - std::floor(place);
      row.push_back(bounds[c][0] + part * (bounds[c][1] - bounds[c][0]));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Which pose of a sample is meant: that of a link's tip, or of a marker.
struct ChosenFrame {
  std::string name;
  std::size_t index = 0;
  bool marker = false;
  const Pose& of(const Sample& sample) const { return marker ? sample.markers[index] : sample.tips[index]; }
};
ChosenFrame frame_named(const Model& model, const std::optional<std::string>& name) {
  if (!name) return {model.links().back().name + ".tip", model.links().size() - 1, false};
  std::vector<std::string> known;
  for (std::size_t i = 0; i < model.links().size(); ++i) {
    known.push_back(model.links()[i].name + ".tip");
    if (known.back() == *name) return {*name, i, false};
  }
  for (std::size_t i = 0; i < model.robot().markers.size(); ++i) {
    known.push_back(model.robot().markers[i].name);
    if (known.back() == *name) return {*name, i, true};
  }
  throw ArgumentError(
      fmt::format("--frame: found '{}', expected LINK.tip or a marker{}", *name, did_you_mean(*name, known)));
}

void print_as_json(const Model& model, const SolvedTable& table, const ChosenFrame& frame,
                   const std::vector<CloudPoint>& points) {
  Json result;
  result["robot"] = model.name();
  result["frame"] = frame.name;
  result["samples"] = table.rows.size();
  result["found"] = points.size();
  result["inputs"] = table.given.names;
  result["points"] = Json::array();
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (!table.rows[i].found) continue;
    Json one;
    one["values"] = table.given.rows[i];
    one["position"] = to_json(frame.of(table.samples[i]).position);
    one["stable"] = table.rows[i].found->stable();
    result["points"].push_back(std::move(one));
  }
  print_json(result);
}

void print_text(const Model& model, const SolvedTable& table, const ChosenFrame& frame,
                const std::vector<CloudPoint>& points) {
  const auto unstable = std::count_if(points.begin(), points.end(), [](const CloudPoint& p) { return !p.stable; });
  fmt::print("{}: {} of {} equilibria found{}\n", model.name(), points.size(), table.rows.size(),
             unstable > 0 ? fmt::format("; {} not stable", unstable) : "");
  for (int axis = 0; axis < 3 && !points.empty(); ++axis) {
    const auto [low, high] = std::minmax_element(
        points.begin(), points.end(),
        [axis](const CloudPoint& a, const CloudPoint& b) { return a.position[axis] < b.position[axis]; });
    fmt::print("  {} of {}: {:.6f} to {:.6f} m\n", "xyz"[axis], frame.name, low->position[axis] + 0.0,
               high->position[axis] + 0.0);
  }
}

void solve(const WorkspaceOptions& options) {
  if (!options.output.empty()) {
    check_output_extension("--output", options.output, {".svg", ".h5", ".hdf5", ".csv"});
  }
  const RestingRobot robot = read_resting_robot(options.rest, options.json);
  if (!options.output.empty()) check_writable(options.output);
  const ChosenFrame frame = frame_named(robot.model, options.frame);
  TableCommandOptions how;
  how.threads = options.threads;
  const SolvedTable table = solve_rows(robot, sampled(options.ranges, options.samples), how);
  std::vector<CloudPoint> points;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (!table.rows[i].found) continue;
    points.push_back({frame.of(table.samples[i]).position, table.rows[i].found->stable()});
  }
  if (std::filesystem::path(options.output).extension() == ".svg" && !points.empty()) {
    write_whole_file(options.output, point_cloud_svg(robot.model.name() + ": " + frame.name, points));
  } else if (!options.output.empty()) {
    write_rows(robot, table, options.output);
  }
  if (options.json) {
    print_as_json(robot.model, table, frame, points);
  } else {
    print_text(robot.model, table, frame, points);
    if (!options.output.empty() && !points.empty()) fmt::print("  written: {}\n", options.output);
  }
  if (table.stopped) throw CLI::RuntimeError(128 + StopOnSignal::signal_number);
  if (points.empty()) {
    for (const TableEquilibrium& row : table.rows) {
      if (row.found || row.trouble.empty()) continue;
      fmt::print(stderr, "{}\n", printable(row.trouble));
      break;
    }
    throw CLI::RuntimeError(k_exit_failure);
  }
}

}  // namespace

void add_workspace_command(CLI::App& app) {
  auto* command = app.add_subcommand("workspace", "Find where a frame of a robot can rest, over ranges of inputs");
  const auto options = std::make_shared<WorkspaceOptions>();
  add_rest_options(*command, options->rest);
  command
      ->add_option(
          "--range", options->ranges,
          "an input, or a column of `cuttle statics --table`, and its values, as cable=[0,5] (may be repeated)")
      ->type_name("NAME=[..]")
      ->required()
      ->take_all()
      ->expected(1);
  command->add_option("--frame", options->frame, "LINK.tip or a marker (default: the last link's tip)")
      ->type_name("FRAME");
  command->add_option("--samples", options->samples, "how many points of the ranges, evenly spread")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000000));
  command->add_option("--threads", options->threads, "threads (default: one a core)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  command
      ->add_option("-o,--output", options->output,
                   "the cloud as a figure, or all equilibria as rows of a table; `cuttle view` opens HDF5 files")
      ->type_name("FILE.svg|FILE.h5|FILE.csv");
  add_force_option(*command);
  command->add_flag("--json", options->json, "print one JSON object, numbers with 17 digits");
  command->footer(
      "Each point is an equilibrium, found from that of its neighbor, as by `cuttle statics --table`.\n"
      "Examples:\n"
      "  cuttle workspace models/examples/tendon_arm.yaml --range right=[0,4] --range left=[0,4] -o out/cloud.svg\n"
      "  cuttle workspace models/examples/tendon_arm.yaml --range right=[0,4] --range coil=[0,4] --samples 5000 "
      "--json");
  command->callback([options] { solve(*options); });
}

}  // namespace cuttle
