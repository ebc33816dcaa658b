#include "cuttle/algorithms/statics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "contact_output.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/compliance.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/held_equilibrium.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
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
  std::vector<std::string> holds;  ///< NAME=VALUE
  std::string output;
  bool json = false;
};

/// Coordinates that `--hold` keeps: nv, not 0 for these, and where in q.
/// @throws ArgumentError that names the option.
std::vector<char> read_holds(const Model& model, const std::vector<std::string>& given, VectorXd& q) {
  std::vector<char> held;
  if (!given.empty()) held.assign(static_cast<std::size_t>(model.nv()), 0);
  for (const std::string& text : given) {
    const auto fail = [&text](const std::string& expected) {
      throw ArgumentError(fmt::format("--hold: found '{}', expected {}", text, expected));
    };
    const auto equals = text.find('=');
    const Json value = Json::parse(equals == std::string::npos ? "" : text.substr(equals + 1), nullptr, false);
    const Json values = value.is_array() ? value : Json::array({value});
    if (!std::all_of(values.begin(), values.end(), [](const Json& one) { return one.is_number(); })) {
      fail("JOINT=NUMBER, or JOINT=[..] for a joint of several coordinates");
    }
    std::string name = text.substr(0, equals);
    for (const Actuator& actuator : model.robot().actuators) {  // a motor stands for its joint, as in scenarios
      if (actuator.name == name && actuator.transmission->type_name() == "joint") {
        name = actuator.transmission->links().front();
        break;
      }
    }
    std::vector<std::string> joints;
    bool known = false;
    for (const auto& link : model.links()) {
      if (link.joint_nq > 0) joints.push_back(link.name);
      if (link.name != name || link.joint_nq == 0) continue;
      known = true;
      if (static_cast<int>(values.size()) != link.joint_nq) {
        fail(fmt::format("{} number{}: the coordinates of its joint", link.joint_nq, link.joint_nq == 1 ? "" : "s"));
      }
      for (int i = 0; i < link.joint_nq; ++i) q[link.q + i] = values[static_cast<std::size_t>(i)];
      std::fill_n(held.begin() + link.v, link.joint_nv, char{1});
    }
    if (known) continue;
    if (joints.empty()) fail(fmt::format("no --hold: no link of '{}' has a joint with coordinates", model.name()));
    fail(fmt::format("the joint of a link, or its motor: {}{}", fmt::join(joints, ", "), did_you_mean(name, joints)));
  }
  check_configuration<double>(model, q, "--hold");
  return held;
}

/// Rounding errors of coordinates and positions are not worth their digits.
double without_rounding(double x) { return std::abs(x) < 1e-12 ? 0.0 : x; }
double to_micrometers(double x) { return std::round(1e6 * x) / 1e6 + 0.0; }  // -0 is 0

std::string holding_text(const Model& model, const std::vector<char>& held, const VectorXd& holding_force) {
  TextTable table({{"held"}, {"force that holds it", true}, {"unit"}});
  for (int i = 0; i < model.nv(); ++i) {
    if (held[static_cast<std::size_t>(i)] == 0) continue;
    const CoordinateInfo& info = model.velocity_info()[static_cast<std::size_t>(i)];
    table.add({info.name, fmt::format("{:.6g}", without_rounding(holding_force[i])),
               info.unit.starts_with("rad") ? "N m" : "N"});
  }
  return table.text();
}

void print_text(const Model& model, const StaticEquilibrium& found, const StaticLoads& loads, Data& data) {
  fmt::print("{}: equilibrium found in {} load step{}, {} iterations; largest force left {:.2g}\n", model.name(),
             found.load_steps, found.load_steps == 1 ? "" : "s", found.iterations, found.residual);
  if (found.by_path) {
    fmt::print("  where the loads lead to at once is unstable: found {}\n",
               model.site_laws().empty() ? "on the path of the loads (--path load)" : "along its softest motion");
  }
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
  const std::string elements = element_outputs_text(
      model, element_outputs_at_rest(model, data, loads.u, found, loads.state_loads_at.value_or(0.0)));
  if (!elements.empty()) fmt::print("{}\n", elements);
  const std::string contacts =
      contacts_text(model, data, found.q, loads.state_loads_at.value_or(0.0), found.site_states);
  if (!contacts.empty()) fmt::print("{}\n", contacts);
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

/// @param holding_force  of held coordinates; empty: none is held.
void print_as_json(const Model& model, const StaticEquilibrium& found, const StaticLoads& loads, Data& data,
                   const VectorXd& holding_force) {
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
  for (const auto& link : model.links()) {
    frames[link.name + ".base"] = to_json(kinematics.pose(link.base));
    frames[link.name + ".tip"] = to_json(kinematics.pose(link.tip));
  }
  for (const Marker& marker : model.robot().markers) {
    frames[marker.name] = to_json(kinematics.pose(model.marker_frame(marker.name)));
  }
  result["frames"] = frames;
  const VectorXd outputs = element_outputs_at_rest(model, data, loads.u, found, loads.state_loads_at.value_or(0.0));
  result["elements"] = Json::object();
  for (Eigen::Index i = 0; i < outputs.size(); ++i) {
    result["elements"][model.element_output_info()[static_cast<std::size_t>(i)].name] = outputs[i];
  }
  result["slack"] = slack_tendons(model, outputs);
  if (!model.site_laws().empty()) {
    const VectorXd still = VectorXd::Zero(model.nv());
    result["contacts"] = contacts_json(model, forward_kinematics<double>(model, data, found.q, still),
                                       loads.state_loads_at.value_or(0.0), found.site_states);
  }
  if (holding_force.size() > 0) {
    result["holding_force"] = to_json(holding_force);
  } else if (takes_matrices(model)) {
    const EquilibriumStiffness stiffness = equilibrium_stiffness(model, data, loads, found);
    result["stiffness"] = to_json(stiffness.stiffness);
    result["compliance"] = compliances(model, data, found, stiffness);
  }
  result["not_finite"] = fields_not_finite(result);
  print_json(result);
}

void solve(const StaticsOptions& options) {
  RestingRobot robot = read_resting_robot(options.rest, options.json);
  const std::vector<char> held = read_holds(robot.model, options.holds, robot.q0);
  if (options.path.along) return print_path(robot, options.path, options.output, options.json);
  if (options.table.file) return solve_table(robot, options.table, options.output, options.json);
  if (options.target.follow) return follow_targets(robot, options.target, options.output, options.json);
  if (!options.output.empty()) {
    throw ArgumentError(
        "--output: found no --path, no --table and no --follow, expected one of them: it is their points that are "
        "written");
  }
  if (options.target.targets.empty() &&
      (options.target.inputs || !options.target.limits.empty() || options.target.least_tension)) {
    throw ArgumentError(std::string(options.target.inputs            ? "--inputs"
                                    : !options.target.limits.empty() ? "--limit"
                                                                     : "--least-tension") +
                        ": found no --target and no --follow, expected one of them: inputs change to hold a frame");
  }
  if (!options.target.targets.empty()) return solve_targets(robot, options.target, options.json);
  Data data(robot.model);
  StaticEquilibrium found;
  VectorXd holding_force;
  if (held.empty()) {
    found = static_equilibrium(robot.model, data, robot.loads, robot.q0);
  } else {
    HeldEquilibrium result = held_equilibrium(robot.model, data, robot.loads, robot.q0, held);
    found = std::move(result.equilibrium), holding_force = std::move(result.holding_force);
  }
  if (options.json) {
    print_as_json(robot.model, found, robot.loads, data, holding_force);
  } else {
    print_text(robot.model, found, robot.loads, data);
    warn_of_strains(robot.model, found.q);
    if (!held.empty()) fmt::print("\n{}", holding_text(robot.model, held, holding_force));
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
  auto* hold = command->add_option("--hold", options->holds,
                                   "a joint that stays at a value, as shoulder=0.3, by its link or its motor (may be "
                                   "repeated)");
  hold->type_name("JOINT=VALUE")->take_all()->expected(1);
  for (const char* other : {"--path", "--table", "--target", "--follow"}) hold->excludes(other);
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
      "  cuttle statics models/examples/servo_finger.yaml --hold turn=0.5\n"
      "  cuttle statics models/examples/tendon_arm.yaml --path right --to 5 -o out/path.h5\n"
      "  cuttle statics models/examples/tendon_arm.yaml --follow circle.csv -o out/references.csv\n"
      "  cuttle statics models/examples/tendon_arm.yaml --table inputs.csv -o out/equilibria.csv");
  command->callback([options] { solve(*options); });
}

}  // namespace cuttle
