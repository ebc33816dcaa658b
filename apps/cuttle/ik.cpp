#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "cuttle/algorithms/inverse_kinematics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"
#include "json_input.h"
#include "json_output.h"
#include "target_options.h"
#include "text_table.h"

namespace cuttle {
namespace {

struct IkOptions {
  std::string file;
  std::vector<std::string> targets, limits, overrides;
  std::optional<std::string> q0;
  bool nearest = false;
  bool json = false;
};

void print_text(const Model& model, const std::vector<FrameTarget>& targets, const InverseKinematicsResult& found) {
  fmt::print("{}: {} in {} iterations from {} start{}\n", model.name(),
             found.converged ? "reached" : "NOT reached; the nearest configuration found", found.iterations,
             found.starts, found.starts == 1 ? "" : "s");
  for (std::size_t i = 0; i < targets.size(); ++i) {
    fmt::print("  {} off\n", target_error_text(targets[i], found.errors[i]));
  }
  for (const int i : found.active_limits) fmt::print("  {} is at its limit\n", model.configuration_info()[i].name);
  if (found.elastic_energy > 0.0) {
    fmt::print("  elastic energy {:.6g} J{}\n", found.elastic_energy, found.least_energy ? ", the least nearby" : "");
  }
  TextTable table({{"coordinate"}, {"value", true}, {"unit"}});
  for (int i = 0; i < model.nq(); ++i) {
    const auto& info = model.configuration_info()[i];
    table.add({info.name, fmt::format("{:.6g}", std::abs(found.q[i]) < 1e-12 ? 0.0 : found.q[i]), info.unit});
  }
  fmt::print("\n{}", table.text());
}

void print_as_json(const Model& model, const std::vector<FrameTarget>& targets, const InverseKinematicsResult& found) {
  Json result;
  result["robot"] = model.name();
  result["converged"] = found.converged;
  result["q"] = to_json(found.q);
  result["residual"] = found.residual;
  result["targets"] = target_errors_json(targets, found.errors);
  result["iterations"] = found.iterations;
  result["starts"] = found.starts;
  result["active_limits"] = Json::array();
  for (const int i : found.active_limits) result["active_limits"].push_back(model.configuration_info()[i].name);
  result["least_energy"] = found.least_energy;
  result["elastic_energy"] = found.elastic_energy;
  Data data(model);
  const auto& kinematics = forward_kinematics<double>(model, data, found.q);
  Json frames = Json::object();
  for (const auto& link : model.links()) frames[link.name + ".tip"] = to_json(kinematics.pose(link.tip));
  result["frames"] = frames;
  print_json(result);
}

void solve(const IkOptions& options) {
  const RobotFile file = load_robot_file(options.file, options.overrides);
  if (!options.json) print_warnings(file.warnings);
  const Model model(file.robot);
  const std::vector<FrameTarget> targets = read_targets(model, options.targets);
  VectorXd q0 = read_json_vector("--q", options.q0, model.neutral(), "nq", model.name());
  check_configuration<double>(model, q0, "--q");
  InverseKinematicsOptions how;
  how.limits = read_coordinate_limits(model, options.limits);
  how.least_energy = !options.nearest;
  const InverseKinematicsResult found = inverse_kinematics(model, targets, q0, how);
  if (options.json) {
    print_as_json(model, targets, found);
  } else {
    print_text(model, targets, found);
    warn_of_strains(model, found.q);
  }
}

}  // namespace

void add_ik_command(CLI::App& app) {
  auto* command = app.add_subcommand("ik", "Find a configuration in which frames of a robot are where they should be");
  const auto options = std::make_shared<IkOptions>();
  command->add_option("robot", options->file, "robot file")->required()->type_name("ROBOT");
  add_target_option(*command, options->targets);
  command->get_option("--target")->required();
  command->add_option("--q", options->q0, "where to start (default: zero, identity for rotations)")
      ->type_name("'[..]'");
  command
      ->add_option("--limit", options->limits,
                   "range of a coordinate, as arm.joint.q0=[-1,1], instead of that of a joint_limit (may be repeated)")
      ->type_name("COORDINATE=[..]")
      ->take_all()
      ->expected(1);
  command->add_flag("--nearest", options->nearest,
                    "a configuration near to the start, not one of least elastic energy");
  add_set_option(*command, options->overrides);
  command->add_flag("--json", options->json, "print one JSON object, numbers with 17 digits");
  command->footer(
      "Loops stay closed, and rods keep a length above 0. A target that cannot be reached is no error: the answer "
      "says\n"
      "how far off the nearest configuration is. Forces play no part: `cuttle statics --target` finds the inputs that\n"
      "hold a frame.\n"
      "Examples:\n"
      "  cuttle ik models/pustina2025/hybrid_arm.yaml --target soft_finger.tip=[0.5,0.3,2.4]\n"
      "  cuttle ik models/examples/two_segment_arm.yaml --target segment2.tip=[0.2,0,-0.4] --json");
  command->callback([options] { solve(*options); });
}

}  // namespace cuttle
