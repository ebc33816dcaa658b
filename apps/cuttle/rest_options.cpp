#include "rest_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "commands.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/elements.h"
#include "cuttle/error.h"
#include "cuttle/io/decimal.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/model/spelling.h"
#include "json_input.h"
#include "text_table.h"

namespace cuttle {
namespace {

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

}  // namespace

void add_rest_options(CLI::App& command, RestOptions& options) {
  command.add_option("robot", options.file, "robot file")->required()->type_name("ROBOT");
  command.add_option("--input", options.inputs, "an actuator's input, as cable=3 (may be repeated; others are 0)")
      ->type_name("NAME=VALUE")
      ->take_all()
      ->expected(1);
  command.add_option("--q", options.q0, "where to start (default: zero, identity for rotations)")->type_name("'[..]'");
  command.add_option("--time", options.time, "time at which the robot's loads are taken [s] (default: 0)")
      ->type_name("SECONDS");
  command.add_flag("--unloaded", options.without_loads, "without the robot's loads");
  command
      .add_option("--friction", options.friction,
                  "friction of contacts: from_start, as if the robot had come straight from its start, or none")
      ->check(CLI::IsMember({"from_start", "none"}))
      ->capture_default_str();
  add_set_option(command, options.overrides);
}

RestingRobot read_resting_robot(const RestOptions& options, bool quiet) {
  const RobotFile file = load_robot_file(options.file, options.overrides);
  if (!quiet) print_warnings(file.warnings);
  RestingRobot result{Model(file.robot), {}, {}, {file.yaml, "", options.overrides, file.files, {}}};
  const Model& model = result.model;
  result.loads.u = read_inputs(model, options.inputs);
  try {
    apply_slack<double>(model, result.loads.u);
  } catch (const ArgumentError& error) {
    throw ArgumentError(std::string("--input: ") + error.what());
  }
  if (!options.without_loads) {
    result.loads.external = loads_at(model, options.time), result.loads.state_loads_at = options.time;
  }
  if (options.friction == "none") result.loads.friction = StaticLoads::Friction::none;
  result.q0 = read_json_vector("--q", options.q0, model.neutral(), "nq", model.name());
  check_configuration<double>(model, result.q0, "--q");
  return result;
}

VectorXd element_outputs_at_rest(const Model& model, Data& data, const VectorXd& u, const StaticEquilibrium& found,
                                 double time) {
  if (model.elements().empty()) return VectorXd();
  ElementData elements(model);
  element_motion<double>(model, data, found.q, VectorXd::Zero(model.nv()), elements);
  elements.states = found.element_states;
  element_efforts<double>(model, time, u, elements);
  element_outputs<double>(model, time, u, elements);
  return elements.outputs;
}

std::vector<std::string> slack_tendons(const Model& model, const VectorXd& element_outputs) {
  const std::string ending = ".tension";
  std::vector<std::string> names;
  for (Eigen::Index i = 0; i < element_outputs.size(); ++i) {
    const std::string& name = model.element_output_info()[static_cast<std::size_t>(i)].name;
    if (name.ends_with(ending) && element_outputs[i] == 0.0) {
      names.push_back(name.substr(0, name.size() - ending.size()));
    }
  }
  return names;
}

std::string element_outputs_text(const Model& model, const VectorXd& element_outputs) {
  if (element_outputs.size() == 0) return "";
  TextTable table({{"element"}, {"value", true}, {"unit"}});
  for (Eigen::Index i = 0; i < element_outputs.size(); ++i) {
    const CoordinateInfo& info = model.element_output_info()[static_cast<std::size_t>(i)];
    table.add({info.name, fmt::format("{:.6g}", element_outputs[i] + 0.0), info.unit});  // -0 is 0
  }
  const std::vector<std::string> slack = slack_tendons(model, element_outputs);
  return table.text() + (slack.empty() ? "" : fmt::format("  slack: {}\n", fmt::join(slack, ", ")));
}

}  // namespace cuttle
