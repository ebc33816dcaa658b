#include "cuttle/algorithms/statics.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "commands.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/compliance.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "json_output.h"
#include "rest_options.h"
#include "statics_follow.h"
#include "statics_path.h"
#include "statics_table.h"
#include "statics_target.h"
#include "text_table.h"

namespace cuttle {
namespace {

struct StaticsOptions {
  RestOptions rest;
  PathCommandOptions path;
  TableCommandOptions table;
  StaticsTargetOptions target;
  std::string output;
  bool json = false;
};

/// Rounding errors of coordinates and positions are not worth their digits.
double without_rounding(double x) { return std::abs(x) < 1e-12 ? 0.0 : x; }
double to_micrometers(double x) { return std::round(1e6 * x) / 1e6 + 0.0; }  // -0 is 0

void print_text(const Model& model, const StaticEquilibrium& found, Data& data) {
  fmt::print("{}: equilibrium found in {} load step{}, {} iterations; largest force left {:.2g}\n", model.name(),
             found.load_steps, found.load_steps == 1 ? "" : "s", found.iterations, found.residual);
  if (found.by_path)
    fmt::print("  where the loads lead to at once is unstable: found on the path of the loads (--path load)\n");
  if (found.all_at_once) fmt::print("  the loads could not grow step by step: other equilibria may be meant\n");
  fmt::print(
      "  smallest eigenvalue of the stiffness: {:.4g} ({}{})\n", found.smallest_stiffness,
      stability_name(found.stability),
      found.stability == Stability::unstable ? fmt::format(", grows by exp({:.4g} t / s)", found.growth_rate) : "");
  fmt::print("  energy: gravity {:.6g} J, elastic {:.6g} J\n\n", gravity_energy<double>(model, data, found.q),
             elastic_energy<double>(model, data, found.q));
  TextTable coordinates({{"coordinate"}, {"value", true}, {"unit"}});
  for (int i = 0; i < model.nq(); ++i) {
    const auto& info = model.configuration_info()[i];
    coordinates.add({info.name, fmt::format("{:.6g}", without_rounding(found.q[i])), info.unit});
  }
  fmt::print("{}\n", coordinates.text());
  const auto& kinematics = forward_kinematics<double>(model, data, found.q);
  TextTable tips({{"tip of"}, {"x [m]", true}, {"y [m]", true}, {"z [m]", true}});
  for (const auto& link : model.links()) {
    const Vector3 p = kinematics.pose(link.tip).position;
    tips.add({link.name, fmt::format("{:.6f}", to_micrometers(p.x)), fmt::format("{:.6f}", to_micrometers(p.y)),
              fmt::format("{:.6f}", to_micrometers(p.z))});
  }
  fmt::print("{}", tips.text());
}

/// Compliance of each tip and marker by its name; infinite where the robot moves freely.
Json compliances(const Model& model, Data& data, const StaticEquilibrium& found,
                 const EquilibriumStiffness& stiffness) {
  Json result = Json::object();
  const auto add = [&](const std::string& name, const Frame& frame) {
    if (stiffness.singular) {
      result[name] = std::numeric_limits<double>::infinity();
    } else {
      result[name] = to_json(MatrixXd(frame_compliance(model, data, found, stiffness, frame)));
    }
  };
  for (const auto& link : model.links()) add(link.name + ".tip", link.tip);
  for (const Marker& marker : model.robot().markers) add(marker.name, model.marker_frame(marker.name));
  return result;
}

void print_as_json(const Model& model, const StaticEquilibrium& found, const StaticLoads& loads, Data& data) {
  Json result;
  result["robot"] = model.name();
  result["q"] = to_json(found.q);
  result["u"] = to_json(loads.u);
  result["multipliers"] = to_json(found.multipliers);
  result["residual"] = found.residual;
  result["smallest_stiffness"] = found.smallest_stiffness;
  result["stable"] = found.stable();
  result["stability"] = stability_name(found.stability);
  result["growth_rate"] = found.growth_rate;
  result["load_steps"] = found.load_steps;
  result["all_at_once"] = found.all_at_once;
  result["by_path"] = found.by_path;
  result["iterations"] = found.iterations;
  result["actuation_coordinates"] = to_json(actuation_coordinates<double>(model, data, found.q));
  result["energy"] = {{"gravity", gravity_energy<double>(model, data, found.q)},
                      {"elastic", elastic_energy<double>(model, data, found.q)}};
  const auto& kinematics = forward_kinematics<double>(model, data, found.q);
  Json frames = Json::object();
  for (const auto& link : model.links()) frames[link.name + ".tip"] = to_json(kinematics.pose(link.tip));
  result["frames"] = frames;
  const EquilibriumStiffness stiffness = equilibrium_stiffness(model, data, loads, found);
  result["stiffness"] = to_json(stiffness.stiffness);
  result["compliance"] = compliances(model, data, found, stiffness);
  result["not_finite"] = fields_not_finite(result);
  print_json(result);
}

void solve(const StaticsOptions& options) {
  const RestingRobot robot = read_resting_robot(options.rest, options.json);
  if (options.path.along) return print_path(robot, options.path, options.output, options.json);
  if (options.table.file) return solve_table(robot, options.table, options.output, options.json);
  if (options.target.follow) return follow_targets(robot, options.target, options.output, options.json);
  if (!options.output.empty()) {
    throw ArgumentError(
        "--output: found no --path, no --table and no --follow, expected one of them: it is their points that are "
        "written");
  }
  if (options.target.targets.empty() && (options.target.inputs || !options.target.limits.empty())) {
    throw ArgumentError(std::string(options.target.inputs ? "--inputs" : "--limit") +
                        ": found no --target and no --follow, expected one of them: inputs change to hold a frame");
  }
  if (!options.target.targets.empty()) return solve_targets(robot, options.target, options.json);
  Data data(robot.model);
  const StaticEquilibrium found = static_equilibrium(robot.model, data, robot.loads, robot.q0);
  if (options.json) {
    print_as_json(robot.model, found, robot.loads, data);
  } else {
    print_text(robot.model, found, data);
  }
}

}  // namespace

void add_statics_command(CLI::App& app) {
  auto* command = app.add_subcommand("statics", "Find the equilibrium of a robot under inputs, loads and gravity");
  const auto options = std::make_shared<StaticsOptions>();
  add_rest_options(*command, options->rest);
  add_path_options(*command, options->path);
  add_table_options(*command, options->table);
  command->get_option("--table")->excludes("--path");
  add_statics_target_options(*command, options->target);
  for (const char* target : {"--target", "--follow"}) {
    for (const char* other : {"--path", "--table"}) command->get_option(target)->excludes(other);
  }
  command
      ->add_option("-o,--output", options->output,
                   "write all points of the path, the rows of the table, or the equilibria that follow")
      ->type_name("FILE.h5|FILE.csv");
  add_force_option(*command);
  command->add_flag("--json", options->json, "print one JSON object, numbers with 17 digits");
  command->footer(
      "Gravity, inputs and loads grow step by step from none.\n"
      "Examples:\n"
      "  cuttle statics models/examples/tendon_arm.yaml --input right=3\n"
      "  cuttle statics models/examples/tendon_arm.yaml --target lower.tip=[0.1,0,-0.4] --inputs right,left\n"
      "  cuttle statics models/examples/tendon_arm.yaml --path right --to 5 -o out/path.h5\n"
      "  cuttle statics models/examples/tendon_arm.yaml --follow circle.csv -o out/references.csv\n"
      "  cuttle statics models/examples/tendon_arm.yaml --table inputs.csv -o out/equilibria.csv");
  command->callback([options] { solve(*options); });
}

}  // namespace cuttle
