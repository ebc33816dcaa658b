#include "cuttle/algorithms/statics.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "cuttle/io/decimal.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/model/spelling.h"
#include "json_input.h"
#include "json_output.h"
#include "text_table.h"

namespace cuttle {
namespace {

struct StaticsOptions {
  std::string file;
  std::vector<std::string> inputs;  // NAME=VALUE
  std::optional<std::string> q0;
  double time = 0.0;
  bool without_loads = false;
  bool json = false;
  std::vector<std::string> overrides;
};

VectorXd read_inputs(const Model& model, const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (const auto& info : model.input_info()) names.push_back(info.name);
  VectorXd u = VectorXd::Zero(model.nu());
  for (const std::string& text : given) {
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      throw ArgumentError(fmt::format("--input: found '{}', expected one of the inputs {}{}", name,
                                      fmt::join(names, ", "), did_you_mean(name, names)));
    }
    const auto value = parse_decimal(equals == std::string::npos ? "" : text.substr(equals + 1));
    if (!value || !std::isfinite(*value)) {
      throw ArgumentError(fmt::format("--input: found '{}', expected NAME=NUMBER", text));
    }
    u[at - names.begin()] = *value;
  }
  return u;
}

/// Rounding errors of coordinates and positions are not worth their digits.
double without_rounding(double x) { return std::abs(x) < 1e-12 ? 0.0 : x; }
double to_micrometers(double x) { return std::round(1e6 * x) / 1e6 + 0.0; }  // -0 is 0

void print_text(const Model& model, const StaticEquilibrium& found, Data& data) {
  fmt::print("{}: equilibrium found in {} load step{}, {} iterations; largest force left {:.2g}\n", model.name(),
             found.load_steps, found.load_steps == 1 ? "" : "s", found.iterations, found.residual);
  if (found.all_at_once) fmt::print("  the loads could not grow step by step: other equilibria may be meant\n");
  fmt::print("  smallest eigenvalue of the stiffness: {:.4g} ({})\n", found.smallest_stiffness,
             found.stable() ? "stable" : "not stable");
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

void print_as_json(const Model& model, const StaticEquilibrium& found, const VectorXd& u, Data& data) {
  Json result;
  result["robot"] = model.name();
  result["q"] = to_json(found.q);
  result["u"] = to_json(u);
  result["multipliers"] = to_json(found.multipliers);
  result["residual"] = found.residual;
  result["smallest_stiffness"] = found.smallest_stiffness;
  result["stable"] = found.stable();
  result["load_steps"] = found.load_steps;
  result["all_at_once"] = found.all_at_once;
  result["iterations"] = found.iterations;
  result["actuation_coordinates"] = to_json(actuation_coordinates<double>(model, data, found.q));
  result["energy"] = {{"gravity", gravity_energy<double>(model, data, found.q)},
                      {"elastic", elastic_energy<double>(model, data, found.q)}};
  const auto& kinematics = forward_kinematics<double>(model, data, found.q);
  Json frames = Json::object();
  for (const auto& link : model.links()) frames[link.name + ".tip"] = to_json(kinematics.pose(link.tip));
  result["frames"] = frames;
  result["not_finite"] = fields_not_finite(result);
  print_json(result);
}

void solve(const StaticsOptions& options) {
  const RobotFile file = load_robot_file(options.file, options.overrides);
  if (!options.json) print_warnings(file.warnings);
  const Model model(file.robot);
  StaticLoads loads;
  loads.u = read_inputs(model, options.inputs);
  try {
    apply_slack<double>(model, loads.u);
  } catch (const ArgumentError& error) {
    throw ArgumentError(std::string("--input: ") + error.what());
  }
  if (!options.without_loads) loads.external = loads_at(model, options.time), loads.state_loads_at = options.time;
  VectorXd q0 = read_json_vector("--q", options.q0, model.neutral(), "nq", model.name());
  check_configuration<double>(model, q0, "--q");
  Data data(model);
  const StaticEquilibrium found = static_equilibrium(model, data, loads, q0);
  if (options.json) {
    print_as_json(model, found, loads.u, data);
  } else {
    print_text(model, found, data);
  }
}

}  // namespace

void add_statics_command(CLI::App& app) {
  auto* command = app.add_subcommand("statics", "Find the equilibrium of a robot under inputs, loads and gravity");
  const auto options = std::make_shared<StaticsOptions>();
  command->add_option("robot", options->file, "robot file")->required()->type_name("ROBOT");
  command->add_option("--input", options->inputs, "an actuator's input, as cable=3 (may be repeated; others are 0)")
      ->type_name("NAME=VALUE")
      ->take_all()
      ->expected(1);
  command->add_option("--q", options->q0, "where to start (default: zero, identity for rotations)")
      ->type_name("'[..]'");
  command->add_option("--time", options->time, "of the robot's loads, if they are signals (default: 0)")
      ->type_name("SECONDS");
  command->add_flag("--unloaded", options->without_loads, "without the robot's loads");
  command->add_flag("--json", options->json, "print one JSON object, numbers with 17 digits");
  add_set_option(*command, options->overrides);
  command->footer(
      "Gravity, inputs and loads grow step by step from none.\n"
      "Example:\n"
      "  cuttle statics models/examples/tendon_arm.yaml --input right=3");
  command->callback([options] { solve(*options); });
}

}  // namespace cuttle
