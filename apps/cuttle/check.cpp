#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "body_info.h"
#include "commands.h"
#include "cuttle/algorithms/contact_overlap.h"
#include "cuttle/algorithms/mass_check.h"
#include "cuttle/control/controller.h"
#include "cuttle/error.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/model/data.h"
#include "cuttle/model/model.h"
#include "cuttle/simulation/simulator.h"
#include "info_parts.h"

namespace cuttle {
namespace {

struct CheckOptions {
  std::string file;
  std::vector<std::string> overrides;
};

std::string count_text(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// Chambers along rods: for which walls they hold.
void print_rod_chambers(const Robot& robot) {
  std::vector<std::string> chambers;
  for (const Actuator& actuator : robot.actuators) {
    const auto picture = actuator.transmission->picture();
    if (!picture.chamber || !(picture.chamber->area > 0.0)) continue;
    chambers.push_back("'" + actuator.name + "'");
  }
  if (chambers.empty()) return;
  fmt::print(
      "  chamber{} {} along rods: for walls that fibers or rings keep from widening; a wall of rubber alone elongates "
      "by "
      "1 - 2 nu of it (docs/accuracy.md)\n",
      chambers.size() == 1 ? "" : "s", fmt::join(chambers, ", "));
}

void print_robot(const std::string& path, const Model& model) {
  const Robot& robot = model.robot();
  const std::string loops = robot.loops.empty() ? "" : ", " + count_text(robot.loops.size(), "loop");
  fmt::print("{}: ok: robot '{}', {} base, {}{}, nq {}, nv {}, nu {}\n", path, robot.name,
             robot.floating_base ? "floating" : "fixed", count_text(robot.links.size(), "link"), loops, model.nq(),
             model.nv(), model.nu());
  print_rod_chambers(robot);
  for (const Json& volume : volumes_json(robot)) print_fem(volume);
  print_evaluation_time(evaluation_time(model));
}

/// What the contacts' pairs are, and what to know of them where the robot begins.
void print_contacts(const Robot& robot, const Model& model, const VectorXd& q, std::vector<std::string>& warnings) {
  if (robot.contacts.empty()) return;
  for (const Json& contact : contacts_json(model, q)) {
    std::string pairs;
    for (const Json& pair : contact["pairs"]) {
      pairs += fmt::format("{}{} on {} ({})", pairs.empty() ? "" : ", ", pair["a"].get<std::string>(),
                           pair["b"].get<std::string>(), count_text(pair["sites"].get<std::size_t>(), "site"));
    }
    fmt::print("  contact '{}': {}\n", contact["name"].get<std::string>(), pairs);
  }
  for (std::string& sentence : default_frictions(robot)) warnings.push_back(std::move(sentence));
  Data data(model);
  for (const ContactOverlap& overlap : contact_overlaps(model, data, q)) {
    const Diagnostic what = overlap.diagnostic();
    warnings.push_back(robot.source ? what.located(robot.source->place(what.path())).text() : what.text());
  }
}

/// What it is, how much it follows, and the inputs that it sets.
void print_controller(const Model& model, const Scenario& scenario, const RecordedController& recorded) {
  std::string type;
  for (const NamedController& one : scenario.controllers) {
    if (one.name == recorded.name) type = one.controller->type_name();
  }
  std::vector<std::string> inputs;
  for (const int input : recorded.columns.inputs) {
    inputs.push_back(model.input_info()[static_cast<std::size_t>(input)].name);
  }
  constexpr std::size_t k_most = 6;
  std::string listed = fmt::format(
      "{}",
      fmt::join(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(std::min(k_most, inputs.size())), ", "));
  if (inputs.size() > k_most) listed += fmt::format(", .. ({} in all)", inputs.size());
  const std::size_t references = recorded.columns.reference.size();
  fmt::print("  controller '{}', {}{}: sets {}\n", recorded.name, type,
             references == 0 ? "" : ", " + count_text(references, "reference"), listed.empty() ? "nothing" : listed);
}

void check(const CheckOptions& options) {
  std::vector<std::string> warnings;
  if (kind_of_file(options.file) == FileKind::scenario) {
    const ScenarioFile file = load_scenario_file(options.file, options.overrides);
    warnings = file.notes;
    warnings.insert(warnings.end(), file.warnings.begin(), file.warnings.end());
    const Model model(file.robot);
    const std::string massless = always_singular_mass(model);
    if (!massless.empty()) throw FileError(fmt::format("{}: {}", file.robot_path, massless));
    print_robot(file.robot_path, model);
    if (!file.robot.contacts.empty()) {
      const VectorXd start = Simulator(model, file.scenario).initial_state().q;
      print_contacts(file.robot, model, start, warnings);
    }
    const std::string integrator = file.scenario.integrator.type.empty() ? "" : ", " + file.scenario.integrator.type;
    fmt::print("{}: ok: scenario of {:g} s, output every {:g} s{}, {}\n", options.file, file.scenario.duration,
               file.scenario.output_step, integrator, count_text(file.scenario.inputs.size(), "input"));
    for (const RecordedController& controller : recorded_controllers(model, file.scenario.controllers)) {
      print_controller(model, file.scenario, controller);
    }
  } else {
    const RobotFile file = load_robot_file(options.file, options.overrides);
    warnings = file.notes;
    warnings.insert(warnings.end(), file.warnings.begin(), file.warnings.end());
    const Model model(file.robot);
    const std::string massless = always_singular_mass(model);
    if (!massless.empty()) warnings.push_back(massless);
    print_robot(options.file, model);
    print_contacts(file.robot, model, model.neutral(), warnings);
  }
  print_warnings(warnings);
}

}  // namespace

void add_check_command(CLI::App& app) {
  auto* command = app.add_subcommand("check", "Check a robot or scenario file");
  const auto options = std::make_shared<CheckOptions>();
  command->add_option("file", options->file, "robot or scenario file")->required()->type_name("ROBOT_OR_SCENARIO");
  add_set_option(*command, options->overrides);
  command->footer(
      "Prints a summary and warnings; errors come as FILE:LINE:COLUMN: key: found X, expected Y, with exit code 2.\n"
      "Of contacts it says which links touch what, which friction is a default, and what overlaps at the start.\n"
      "A robot whose mass matrix is always singular is warned of, in a scenario it is an error.\n"
      "Example:\n"
      "  cuttle check models/examples/two_segment_arm.yaml");
  command->callback([options] { check(*options); });
}

}  // namespace cuttle
