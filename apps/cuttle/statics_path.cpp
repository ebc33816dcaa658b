#include "statics_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "commands.h"
#include "cuttle/algorithms/equilibrium_path.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/whole_file.h"
#include "json_output.h"
#include "text_table.h"

namespace cuttle {
namespace {

/// What `--path` names. @throws ArgumentError if the robot has no input or parameter of the name.
PathParameter parameter_of(const Model& model, const PathCommandOptions& options) {
  PathParameter parameter{PathParameter::Kind::load, {}, options.from, options.to};
  if (*options.along == "load") return parameter;
  parameter.name = *options.along;
  const auto& inputs = model.input_info();
  const bool input = std::any_of(inputs.begin(), inputs.end(), [&](const auto& i) { return i.name == parameter.name; });
  parameter.kind = input ? PathParameter::Kind::input : PathParameter::Kind::parameter;
  return parameter;
}

const char* kind_name(PathPoint::Kind kind) {
  return kind == PathPoint::Kind::fold ? "fold" : kind == PathPoint::Kind::branch ? "branch point" : "regular";
}

Vector3 last_tip(const Model& model, Data& data, const VectorXd& q) {
  return forward_kinematics<double>(model, data, q).pose(model.links().back().tip).position;
}

void print_text(const Model& model, const std::string& along, const std::vector<PathBranch>& path,
                const std::vector<FoundEquilibrium>& found, double at) {
  Data data(model);
  for (std::size_t i = 0; i < path.size(); ++i) {
    const PathBranch& branch = path[i];
    fmt::print("branch {}{}: {} points, ends at {} {:.6g}: {}\n", i,
               branch.parent < 0 ? "" : fmt::format(" (of branch {})", branch.parent), branch.points.size(), along,
               branch.points.back().parameter, branch.end);
    for (const PathPoint& point : branch.points) {
      if (point.kind == PathPoint::Kind::regular) continue;
      fmt::print("  {} at {} {:.9g}\n", kind_name(point.kind), along, point.parameter);
    }
  }
  fmt::print("\nequilibria at {} {:.6g}\n", along, at);
  TextTable table(
      {{"branch", true}, {"stability"}, {"growth rate [1/s]", true}, {"tip x [m]", true}, {"y", true}, {"z", true}});
  for (const auto& [branch, equilibrium] : found) {
    const Vector3 p = model.links().empty() ? Vector3() : last_tip(model, data, equilibrium.q);
    table.add({std::to_string(branch), stability_name(equilibrium.stability),
               fmt::format("{:.4g}", equilibrium.growth_rate), fmt::format("{:.6f}", p.x), fmt::format("{:.6f}", p.y),
               fmt::format("{:.6f}", p.z)});
  }
  fmt::print("{}", table.text());
}

Json equilibrium_json(const StaticEquilibrium& equilibrium) {
  Json json;
  json["stability"] = stability_name(equilibrium.stability);
  json["growth_rate"] = equilibrium.growth_rate;
  json["q"] = to_json(equilibrium.q);
  return json;
}

void print_as_json(const Model& model, const std::string& along, const std::vector<PathBranch>& path,
                   const std::vector<FoundEquilibrium>& found, double at) {
  Json result;
  result["robot"] = model.name();
  result["along"] = along;
  result["branches"] = Json::array();
  for (const PathBranch& branch : path) {
    Json one;
    one["parent"] = branch.parent;
    one["end"] = branch.end;
    one["points"] = Json::array();
    for (const PathPoint& point : branch.points) {
      Json entry = equilibrium_json(point.equilibrium);
      entry["kind"] = kind_name(point.kind), entry["parameter"] = point.parameter;
      entry["arc_length"] = point.arc_length;
      one["points"].push_back(std::move(entry));
    }
    result["branches"].push_back(std::move(one));
  }
  result["at"] = at;
  result["equilibria"] = Json::array();
  for (const FoundEquilibrium& one : found) {
    Json entry = equilibrium_json(one.equilibrium);
    entry["branch"] = one.branch;
    result["equilibria"].push_back(std::move(entry));
  }
  print_json(result);
}

/// One line a point: where it is on the path, its configuration, and the tips.
std::string csv_text(const Model& model, const std::vector<PathBranch>& path) {
  Data data(model);
  std::string text = "branch,kind,parameter,arc_length,stability,growth_rate";
  for (const auto& info : model.configuration_info()) text += "," + info.name;
  for (const auto& link : model.links()) text += fmt::format(",{0}.tip.x,{0}.tip.y,{0}.tip.z", link.name);
  text += "\n";
  for (std::size_t i = 0; i < path.size(); ++i) {
    for (const PathPoint& point : path[i].points) {
      const StaticEquilibrium& found = point.equilibrium;
      text += fmt::format("{},{},{:.17g},{:.17g},{},{:.17g}", i, kind_name(point.kind), point.parameter,
                          point.arc_length, stability_name(found.stability), found.growth_rate);
      for (const double q : found.q) text += fmt::format(",{:.17g}", q);
      const auto& kinematics = forward_kinematics<double>(model, data, found.q);
      for (const auto& link : model.links()) {
        const Vector3 p = kinematics.pose(link.tip).position;
        text += fmt::format(",{:.17g},{:.17g},{:.17g}", p.x, p.y, p.z);
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace

void add_path_options(CLI::App& command, PathCommandOptions& options) {
  auto* path =
      command
          .add_option(
              "--path", options.along,
              "follow the equilibria while this changes: load (the part of gravity, inputs and loads that acts), an "
              "input, or a parameter, as links.arm.body.length")
          ->type_name("NAME");
  command.add_option("--from", options.from, "where the path begins (default: 0)")->type_name("NUMBER")->needs(path);
  command.add_option("--to", options.to, "where it ends (default: 1)")->type_name("NUMBER")->needs(path);
  command.add_option("--at", options.at, "list all equilibria of the path at this value (default: that of --to)")
      ->type_name("NUMBER")
      ->needs(path);
  command.add_option("-o,--output", options.output, "write all points of the path")->type_name("FILE.csv")->needs(path);
}

void print_path(const RestingRobot& robot, const PathCommandOptions& options, bool json) {
  const Model& model = robot.model;
  if (!options.output.empty()) {
    check_output_extension("--output", options.output, {".csv"});
    check_writable(options.output);
  }
  const PathParameter parameter = parameter_of(model, options);
  const double at = options.at.value_or(options.to);
  const std::vector<PathBranch> path = follow_equilibria(model, robot.loads, robot.q0, parameter);
  const auto found = equilibria_at(model, robot.loads, robot.q0, parameter, path, at);
  if (!options.output.empty()) write_whole_file(options.output, csv_text(model, path));
  if (json) {
    print_as_json(model, *options.along, path, found, at);
  } else {
    print_text(model, *options.along, path, found, at);
  }
}

}  // namespace cuttle
