#include "statics_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "commands.h"
#include "cuttle/algorithms/equilibrium_path.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/whole_file.h"
#include "cuttle/model/model.h"
#include "cuttle/simulation/rest_sample.h"
#include "json_output.h"
#include "statics_table.h"
#include "text_table.h"

namespace cuttle {
namespace {

/// What `--path` names. @throws ArgumentError for a value at which the robot's parameter cannot begin.
PathParameter parameter_of(const Model& model, const PathCommandOptions& options) {
  PathParameter parameter{PathParameter::Kind::load, {}, options.from.value_or(0.0), options.to};
  if (*options.along == "load") return parameter;
  parameter.name = *options.along;
  parameter.kind = PathParameter::Kind::input;
  const auto& inputs = model.input_info();
  if (std::any_of(inputs.begin(), inputs.end(), [&](const auto& i) { return i.name == parameter.name; })) {
    return parameter;
  }
  if (parameter.name.starts_with("robot.")) parameter.name.erase(0, std::strlen("robot."));
  const auto& all = model.parameters();
  const bool known = std::any_of(all.begin(), all.end(), [&](const auto& p) { return p.path == parameter.name; });
  parameter.kind =
      !known && parameter.name.starts_with("loads[") ? PathParameter::Kind::component : PathParameter::Kind::parameter;
  if (!known || options.from) return parameter;
  try {
    model.with(parameter.name, parameter.from);
  } catch (const Error& error) {
    throw ArgumentError(std::string(error.what()) + "; the path begins at --from, at 0 where that is not given");
  }
  return parameter;
}

/// Branches that go back out of the range say how to see more of them.
void offer_wider_range(const PathParameter& parameter, std::vector<PathBranch>& path) {
  const double wider = parameter.from - 0.5 * (parameter.to - parameter.from);
  for (PathBranch& branch : path) {
    if (branch.goes_back) branch.end += fmt::format(" (--from {:.6g})", wider);
  }
}

const char* kind_name(PathPoint::Kind kind) {
  return kind == PathPoint::Kind::fold ? "fold" : kind == PathPoint::Kind::branch ? "branch point" : "regular";
}

/// Where a robot that rests on a branch leaves it as the parameter goes on: the fold at which that loses its stability.
struct PathJump {
  std::size_t branch = 0, point = 0;
  int coordinate = 0;  ///< of v: the one that changes most to the nearest stable equilibrium; -1: there is none
  double change = 0.0;
  int to_branch = -1;
};

std::vector<PathJump> jumps_of(const RestingRobot& robot, const PathParameter& parameter,
                               const std::vector<PathBranch>& path) {
  constexpr double k_beyond = 1e-6;  // of the range
  std::vector<PathJump> jumps;
  const auto stable = [](const PathPoint& point) { return point.equilibrium.stability == Stability::stable; };
  for (std::size_t b = 0; b < path.size(); ++b) {
    const std::vector<PathPoint>& points = path[b].points;
    for (std::size_t i = 1; i + 1 < points.size(); ++i) {
      if (points[i].kind != PathPoint::Kind::fold || stable(points[i - 1]) == stable(points[i + 1])) continue;
      const PathPoint& before = stable(points[i - 1]) ? points[i - 1] : points[i + 1];
      const double beyond =
          std::copysign(k_beyond * std::abs(parameter.to - parameter.from), points[i].parameter - before.parameter);
      PathJump jump{b, i, -1, 0.0, -1};
      double nearest = std::numeric_limits<double>::infinity();
      for (const FoundEquilibrium& found :
           equilibria_at(robot.model, robot.loads, robot.q0, parameter, path, points[i].parameter + beyond)) {
        if (found.equilibrium.stability != Stability::stable || robot.model.nv() == 0) continue;
        VectorXd moved(robot.model.nv());
        difference<double>(robot.model, points[i].equilibrium.q, found.equilibrium.q, moved);
        if (moved.norm() >= nearest) continue;
        nearest = moved.norm();
        moved.cwiseAbs().maxCoeff(&jump.coordinate);
        jump.change = moved[jump.coordinate], jump.to_branch = found.branch;
      }
      jumps.push_back(jump);
    }
  }
  return jumps;
}

std::string jump_text(const Model& model, const PathJump& jump) {
  if (jump.coordinate < 0) return "jumps from there: no branch that was followed has a stable equilibrium beyond";
  const CoordinateInfo& info = model.velocity_info()[static_cast<std::size_t>(jump.coordinate)];
  const bool of_joint = info.unit.ends_with("/s");
  return fmt::format("jumps from there to branch {}: {} by {:.3g} {}", jump.to_branch, info.name, jump.change,
                     of_joint ? info.unit.substr(0, info.unit.size() - 2) : info.unit);
}

Vector3 last_tip(const Model& model, Data& data, const VectorXd& q) {
  return forward_kinematics<double>(model, data, q).pose(model.links().back().tip).position;
}

void print_text(const Model& model, const std::string& along, const std::vector<PathBranch>& path,
                const std::vector<FoundEquilibrium>& found, double at, const std::vector<PathJump>& jumps) {
  Data data(model);
  for (std::size_t i = 0; i < path.size(); ++i) {
    const PathBranch& branch = path[i];
    fmt::print("branch {}{}: {} points, ends at {} {:.6g}: {}\n", i,
               branch.parent < 0 ? "" : fmt::format(" (of branch {})", branch.parent), branch.points.size(), along,
               branch.points.back().parameter, branch.end);
    for (std::size_t k = 0; k < branch.points.size(); ++k) {
      const PathPoint& point = branch.points[k];
      if (point.kind == PathPoint::Kind::regular) continue;
      const auto jump = std::find_if(jumps.begin(), jumps.end(),
                                     [&](const PathJump& one) { return one.branch == i && one.point == k; });
      fmt::print("  {} at {} {:.9g}{}\n", kind_name(point.kind), along, point.parameter,
                 jump == jumps.end() ? "" : "; " + jump_text(model, *jump));
    }
  }
  fmt::print("\nequilibria at {} {:.6g}\n", along, at);
  if (found.empty()) return fmt::print("none: no branch that was followed comes there\n");
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
                   const std::vector<FoundEquilibrium>& found, double at, const std::vector<PathJump>& jumps) {
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
  result["jumps"] = Json::array();
  for (const PathJump& jump : jumps) {
    Json one{{"branch", jump.branch}, {"parameter", path[jump.branch].points[jump.point].parameter}};
    one["to_branch"] = jump.coordinate < 0 ? Json(nullptr) : Json(jump.to_branch);
    one["coordinate"] = jump.coordinate < 0
                            ? Json(nullptr)
                            : Json(model.velocity_info()[static_cast<std::size_t>(jump.coordinate)].name);
    one["change"] = jump.coordinate < 0 ? Json(nullptr) : Json(jump.change);
    result["jumps"].push_back(std::move(one));
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

/// Rows of a result: one a point, branch by branch.
struct PathRows {
  ResultSequence sequence;
  std::vector<Sample> samples;
};

std::string unit_of_path(const Model& model, const PathParameter& parameter) {
  if (parameter.kind == PathParameter::Kind::load) return "";
  for (const CoordinateInfo& input : model.input_info()) {
    if (parameter.kind == PathParameter::Kind::input && input.name == parameter.name) return input.unit;
  }
  return unit_of_column(model, parameter.name);
}

PathRows rows_of(const RestingRobot& robot, const std::string& along, const PathParameter& parameter,
                 const std::vector<PathBranch>& path) {
  const Model& model = robot.model;
  PathRows rows;
  ResultSequence& sequence = rows.sequence;
  sequence.kind = ResultSequence::Kind::path;
  sequence.along = along, sequence.along_unit = unit_of_path(model, parameter);
  const auto column = [&sequence](const char* name, const std::string& unit, std::vector<std::string> labels = {}) {
    sequence.columns.push_back({name, unit, std::move(labels), {}});
  };
  column("branch", "");
  column("kind", "", {"regular", "fold", "branch point"});
  column("parameter", sequence.along_unit);
  column("arc_length", "");
  column("stability", "", {"stable", "neutral", "unstable", "unknown"});
  column("growth_rate", "1/s");
  column("smallest_stiffness", "");
  Data data(model);
  VectorXd u = robot.loads.u;
  for (std::size_t i = 0; i < path.size(); ++i) {
    sequence.branch_end.push_back(path[i].end);
    sequence.branch_parent.push_back(path[i].parent);
    for (const PathPoint& point : path[i].points) {
      const StaticEquilibrium& found = point.equilibrium;
      const double numbers[] = {static_cast<double>(i),  static_cast<double>(point.kind),      point.parameter,
                                point.arc_length,        static_cast<double>(found.stability), found.growth_rate,
                                found.smallest_stiffness};
      for (std::size_t c = 0; c < std::size(numbers); ++c) sequence.columns[c].values.push_back(numbers[c]);
      const double time = robot.loads.state_loads_at.value_or(0.0);
      if (parameter.kind == PathParameter::Kind::parameter) {
        const Model other = model.with(parameter.name, point.parameter);
        Data its_data(other);
        rows.samples.push_back(rest_sample(other, its_data, u, found, time));
        continue;
      }
      if (parameter.kind == PathParameter::Kind::load) u = point.parameter * robot.loads.u;
      for (int k = 0; parameter.kind == PathParameter::Kind::input && k < model.nu(); ++k) {
        if (model.input_info()[static_cast<std::size_t>(k)].name == parameter.name) u[k] = point.parameter;
      }
      rows.samples.push_back(rest_sample(model, data, u, found, time));
    }
  }
  return rows;
}

void write_path(const std::string& output, const RestingRobot& robot, const PathRows& rows, double seconds) {
  if (std::filesystem::path(output).extension() == ".csv") {
    return write_whole_file(output, sequence_csv(robot.model, rows.sequence, rows.samples));
  }
  Outcome outcome;
  outcome.status = RunStatus::complete, outcome.wall_seconds = seconds;
  write_sequence_hdf5(output, robot.source, robot.model, rows.sequence, rows.samples, outcome);
}

}  // namespace

void add_path_options(CLI::App& command, PathCommandOptions& options) {
  auto* path =
      command
          .add_option(
              "--path", options.along,
              "follow the equilibria while this changes: load (the part of gravity, inputs and loads that acts), an "
              "input, a component of a load, as loads[0].force[2], or a parameter, as links.arm.body.length")
          ->type_name("NAME");
  command.add_option("--from", options.from, "where the range begins, and a path other than load (default: 0)")
      ->type_name("NUMBER")
      ->needs(path);
  command.add_option("--to", options.to, "where it ends (default: 1)")->type_name("NUMBER")->needs(path);
  command.add_option("--at", options.at, "list all equilibria of the path at this value (default: that of --to)")
      ->type_name("NUMBER")
      ->needs(path);
}

void print_path(const RestingRobot& robot, const PathCommandOptions& options, const std::string& output, bool json) {
  const Model& model = robot.model;
  if (!output.empty()) {
    check_output_extension("--output", output, {".csv", ".h5", ".hdf5"});
    check_writable(output);
  }
  const auto start = std::chrono::steady_clock::now();
  const PathParameter parameter = parameter_of(model, options);
  const double at = options.at.value_or(options.to);
  std::vector<PathBranch> path = follow_equilibria(model, robot.loads, robot.q0, parameter);
  const auto found = equilibria_at(model, robot.loads, robot.q0, parameter, path, at);
  const std::vector<PathJump> jumps = jumps_of(robot, parameter, path);
  offer_wider_range(parameter, path);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!output.empty()) write_path(output, robot, rows_of(robot, *options.along, parameter, path), seconds);
  const Model shown = parameter.kind == PathParameter::Kind::parameter ? model.with(parameter.name, at) : model;
  if (json) {
    print_as_json(model, *options.along, path, found, at, jumps);
  } else {
    print_text(shown, *options.along, path, found, at, jumps);
    if (!output.empty()) fmt::print("written: {}\n", output);
  }
}

}  // namespace cuttle
