#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "commands.h"
#include "contact_output.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/constraints.h"
#include "cuttle/algorithms/elements.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/sites.h"
#include "cuttle/algorithms/state_loads.h"
#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/io/yaml_tree.h"
#include "json_input.h"
#include "json_output.h"

namespace cuttle {
namespace {

struct EvalOptions {
  std::string file;
  std::optional<std::string> q, v, a, tau, u;  // JSON arrays
  std::string states;                          // file with such arrays, a line each state
  bool loads = false;
  bool contacts = false;
  std::vector<std::string> overrides;
};

/// Generalized forces of actuators and of elements, which are as they begin, at time 0.
VectorXd input_and_element_force(const Model& model, Data& data, const VectorXd& q, const VectorXd& v,
                                 const VectorXd& u) {
  VectorXd force = actuation_force<double>(model, data, q, u);
  if (model.elements().empty()) return force;
  ElementData elements(model);
  element_motion<double>(model, data, q, v, elements);
  element_efforts<double>(model, 0.0, u, elements);
  return force + elements.matrix * elements.efforts;
}

/// a of M a = tau + nu + J^T f - c - g - s; null with a reason where M is singular, or loops hold the robot.
void add_forward_dynamics(const Model& model, Data& data, const EvalOptions& options, const VectorXd& q,
                          const VectorXd& v, const VectorXd& tau, const VectorXd& u, Json& result) {
  if (!model.loops().empty()) {
    result["forward_dynamics"] = nullptr;
    result["forward_dynamics_error"] = fmt::format(
        "found the closed loop '{}' of '{}', whose forces are not in M a = tau + nu - c - g - s, expected "
        "a robot without loops",
        model.loops().front().name, model.name());
    return;
  }
  std::vector<ExternalWrench> loads;
  std::vector<AddedInertia> added;
  if (options.loads) {
    const std::size_t of_time = load_wrench_count(model), of_state = state_load_count(model);
    loads.resize(of_time + of_state), added.resize(of_state);
    const std::span<ExternalWrench> all(loads);
    load_wrenches<double>(model, 0.0, all.first(of_time));
    const VectorXd integrals = VectorXd::Zero(load_integral_count(model));
    state_load_biases<double>(model, forward_kinematics<double>(model, data, q, v), 0.0, integrals, all.last(of_state));
    state_load_inertias<double>(model, added);
  }
  if (options.contacts && !model.site_laws().empty()) {
    Sites sites(model);
    sites.take(forward_kinematics<double>(model, data, q, v), 0.0, VectorXd::Zero(sites.state_count()));
    sites.append_wrenches(loads);
  }
  try {
    const VectorXd applied = tau + input_and_element_force(model, data, q, v, u);
    result["forward_dynamics"] = to_json(forward_dynamics<double>(model, data, q, v, applied, loads, added));
  } catch (const SingularMassError& error) {
    result["forward_dynamics"] = nullptr;
    result["forward_dynamics_error"] = error.what();
  }
}

/// What each contact does, its bristles unloaded.
Json unloaded_contacts(const Model& model, Data& data, const VectorXd& q, const VectorXd& v) {
  if (model.site_laws().empty()) return Json::object();
  const int count = Sites(model).state_count();
  return contacts_json(model, forward_kinematics<double>(model, data, q, v), 0.0, VectorXd::Zero(count));
}

Json evaluated(const Model& model, Data& data, const EvalOptions& options) {
  const auto read = [&model](const char* option, const std::optional<std::string>& given, const VectorXd& missing,
                             const char* size) { return read_json_vector(option, given, missing, size, model.name()); };
  const VectorXd zero = VectorXd::Zero(model.nv());
  VectorXd q = read("--q", options.q, model.neutral(), "nq");
  const VectorXd v = read("--v", options.v, zero, "nv"), a = read("--a", options.a, zero, "nv");
  const VectorXd tau = read("--tau", options.tau, zero, "nv");
  VectorXd u = read("--u", options.u, VectorXd::Zero(model.nu()), "nu");
  check_configuration<double>(model, q, "--q");
  try {
    apply_slack<double>(model, u);
  } catch (const ArgumentError& error) {
    throw ArgumentError(std::string("--u: ") + error.what());
  }

  Json result;
  result["robot"] = model.name();
  result["nq"] = model.nq();
  result["nv"] = model.nv();
  result["nu"] = model.nu();
  result["inertial_inverse_dynamics"] = to_json(inertial_inverse_dynamics(model, data, q, v, a));
  result["inverse_dynamics"] = to_json(inverse_dynamics(model, data, q, v, a));
  try {
    result["mass_matrix"] = to_json(mass_matrix(model, data, q));
  } catch (const ArgumentError& error) {  // a body with too many coordinates for a dense matrix
    result["mass_matrix"] = nullptr;
    result["mass_matrix_error"] = error.what();
  }
  result["coriolis_force"] = to_json(coriolis_force(model, data, q, v));
  result["gravity_force"] = to_json(gravity_force(model, data, q));
  result["elastic_force"] = to_json(elastic_force(model, data, q));
  result["damping_force"] = to_json(damping_force(model, data, q, v));
  add_forward_dynamics(model, data, options, q, v, tau, u, result);
  result["actuation_matrix"] = to_json(actuation_matrix(model, data, q));
  result["actuation_coordinates"] = to_json(actuation_coordinates(model, data, q));
  result["energy"] = {{"kinetic", kinetic_energy(model, data, q, v)},
                      {"gravity", gravity_energy(model, data, q)},
                      {"elastic", elastic_energy(model, data, q)}};
  if (!model.loops().empty()) {
    ConstraintData constraints(model);
    const VectorXd residual = constraint_residual(model, data, constraints, q);
    for (const BoundLoop& loop : model.loops()) {
      result["loops"][loop.name] = {{"residual", to_json(VectorXd(residual.segment(loop.row, loop.row_count())))}};
    }
  }
  if (options.contacts) result["contacts"] = unloaded_contacts(model, data, q, v);
  const auto& kinematics = forward_kinematics(model, data, q);
  Json frames = Json::object();
  for (const auto& link : model.links()) {
    frames[link.name + ".base"] = to_json(kinematics.pose(link.base));
    frames[link.name + ".tip"] = to_json(kinematics.pose(link.tip));
  }
  for (const Marker& marker : model.robot().markers) {
    frames[marker.name] = to_json(kinematics.pose(model.marker_frame(marker.name)));
  }
  result["frames"] = frames;
  if (const auto names = fields_not_finite(result); !names.empty()) {
    throw Error(
        fmt::format("eval: {}: found a value that is not finite, expected less extreme --q, --v, --a, --tau, --u",
                    fmt::join(names, ", ")));
  }
  return result;
}

/// The states of a file: each line an object with what the options of these names take.
void evaluate_states(const Model& model, Data& data, const EvalOptions& options) {
  const std::string text = read_text_file(options.states, "states, a JSON object each line");
  std::istringstream lines{std::string(without_byte_order_mark(text))};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    const auto fail = [&](const std::string& found, const std::string& expected) {
      throw FileError(fmt::format("{}:{}: found {}, expected {}", options.states, number, found, expected));
    };
    const Json state = Json::parse(line, nullptr, false);
    if (!state.is_object()) fail("no object of JSON", "{\"q\": [..], \"v\": [..], \"a\": [..]}");
    EvalOptions one = options;
    for (const auto& [key, value] : state.items()) {
      std::optional<std::string>* const target = key == "q"     ? &one.q
                                                 : key == "v"   ? &one.v
                                                 : key == "a"   ? &one.a
                                                 : key == "tau" ? &one.tau
                                                 : key == "u"   ? &one.u
                                                                : nullptr;
      if (target == nullptr) fail("the key '" + key + "'", "q, v, a, tau or u");
      *target = value.dump();
    }
    try {
      print_json_line(evaluated(model, data, one));
    } catch (const ArgumentError& error) {
      throw FileError(fmt::format("{}:{}: {}", options.states, number, error.what()));
    }
  }
}

void evaluate(const EvalOptions& options) {
  const Model model(read_robot_file(options.file, options.overrides));
  Data data(model);
  if (!options.states.empty()) return evaluate_states(model, data, options);
  print_json(evaluated(model, data, options));
}

}  // namespace

void add_eval_command(CLI::App& app) {
  auto* command = app.add_subcommand("eval", "Evaluate a robot's dynamics at one state and print them as JSON");
  const auto options = std::make_shared<EvalOptions>();
  command->add_option("robot", options->file, "robot file")->required()->type_name("ROBOT");
  const auto add = [command](const char* name, std::optional<std::string>& target, const char* help) {
    command->add_option(name, target, help)->type_name("'[..]'");
  };
  add("--q", options->q, "configuration (default: zero, identity for rotations)");
  add("--v", options->v, "velocity (default: zero)");
  add("--a", options->a, "acceleration, for the inverse dynamics (default: zero)");
  add("--tau", options->tau, "generalized force, for the forward dynamics (default: zero)");
  add("--u", options->u, "actuator inputs, for the forward dynamics (default: zero)");
  command
      ->add_option("--states", options->states,
                   "many states: a file with an object of JSON each line, keys q, v, a, tau, u; prints a line each")
      ->type_name("FILE.jsonl");
  command->add_flag("--loads", options->loads, "with the robot's loads at time 0 in the forward dynamics");
  command->add_flag("--contacts", options->contacts,
                    "with the robot's contacts at time 0, their bristles unloaded: what they do, also in the forward "
                    "dynamics");
  add_set_option(*command, options->overrides);
  command->footer(
      "Vectors are JSON arrays. Units are SI; angles are in rad.\n"
      "Example:\n"
      "  cuttle eval models/examples/pendulum.yaml --q '[0.5]' --v '[1]' --set robot.gravity='[0, 0, -1.62]'");
  command->callback([options] { evaluate(*options); });
}

}  // namespace cuttle
