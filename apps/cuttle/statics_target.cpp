#include "statics_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands.h"
#include "cuttle/algorithms/inverse_statics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
#include "json_output.h"
#include "target_options.h"
#include "text_table.h"

namespace cuttle {
namespace {

/// @throws ArgumentError that names the option.
int input_named(const Model& model, const char* option, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& info : model.input_info()) names.push_back(info.name);
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) {
    throw ArgumentError(fmt::format("{}: found '{}', expected one of the inputs {}{}", option, name,
                                    fmt::join(names, ", "), did_you_mean(name, names)));
  }
  return static_cast<int>(at - names.begin());
}

void print_text(const Model& model, const std::vector<FrameTarget>& targets, const InverseStaticsResult& found) {
  fmt::print("{}: {} in {} iterations\n", model.name(),
             found.converged ? "held" : "NOT held; the nearest equilibrium found", found.iterations);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    fmt::print("  {} off\n", target_error_text(targets[i], found.errors[i]));
  }
  for (const int i : found.active_limits) {
    const bool is_tendon = std::any_of(model.tendons().begin(), model.tendons().end(),
                                       [i](const auto& tendon) { return tendon.input == i; });
    const CoordinateInfo& info = model.input_info()[i];
    fmt::print("  {} is {}\n", info.name,
               is_tendon && info.unit == "N" && found.u[i] == 0.0 ? "slack" : "at its limit");
  }
  fmt::print("  the equilibrium is {}; largest force left {:.2g}\n\n", stability_name(found.equilibrium.stability),
             found.equilibrium.residual);
  TextTable inputs({{"input"}, {"value", true}, {"unit"}});
  for (int i = 0; i < model.nu(); ++i) {
    const auto& info = model.input_info()[i];
    inputs.add({info.name, fmt::format("{:.6g}", found.u[i] + 0.0), info.unit});
  }
  fmt::print("{}\n", inputs.text());
  TextTable coordinates({{"coordinate"}, {"value", true}, {"unit"}});
  for (int i = 0; i < model.nq(); ++i) {
    const auto& info = model.configuration_info()[i];
    const double q = found.equilibrium.q[i];
    coordinates.add({info.name, fmt::format("{:.6g}", std::abs(q) < 1e-12 ? 0.0 : q), info.unit});
  }
  fmt::print("{}", coordinates.text());
}

void print_as_json(const Model& model, const std::vector<FrameTarget>& targets, const InverseStaticsResult& found) {
  Json result;
  result["robot"] = model.name();
  result["converged"] = found.converged;
  result["q"] = to_json(found.equilibrium.q);
  result["u"] = to_json(found.u);
  result["residual"] = found.residual;
  result["targets"] = target_errors_json(targets, found.errors);
  result["iterations"] = found.iterations;
  result["active_limits"] = Json::array();
  for (const int i : found.active_limits) result["active_limits"].push_back(model.input_info()[i].name);
  result["least_inputs"] = found.least_inputs;
  result["force_residual"] = found.equilibrium.residual;
  result["multipliers"] = to_json(found.equilibrium.multipliers);
  result["smallest_stiffness"] = found.equilibrium.smallest_stiffness;
  result["stable"] = found.equilibrium.stable();
  result["stability"] = stability_name(found.equilibrium.stability);
  result["growth_rate"] = found.equilibrium.growth_rate;
  Data data(model);
  const auto& kinematics = forward_kinematics<double>(model, data, found.equilibrium.q);
  Json frames = Json::object();
  for (const auto& link : model.links()) frames[link.name + ".tip"] = to_json(kinematics.pose(link.tip));
  result["frames"] = frames;
  result["not_finite"] = fields_not_finite(result);
  print_json(result);
}

/// @throws ArgumentError if no tendon has a tension for its input, or may not pull as much.
void hold_tendons_taut(const Model& model, double least, InputLimits& limits) {
  bool has_tendon = false;
  for (const auto& tendon : model.tendons()) {
    const CoordinateInfo& info = model.input_info()[static_cast<std::size_t>(tendon.input)];
    if (info.unit != "N") continue;  // one that is wound: its input is a length
    has_tendon = true;
    double& lower = limits.lower[tendon.input];
    lower = std::max(lower, least);
    const double upper = limits.upper[tendon.input];
    if (lower <= upper) continue;
    throw ArgumentError(fmt::format(
        "--least-tension: found {:g} N, expected at most {:g} N, which is the limit of '{}'", least, upper, info.name));
  }
  if (!has_tendon) {
    throw ArgumentError("--least-tension: found no tendon of '" + model.name() +
                        "' that a tension drives, expected one");
  }
}

}  // namespace

InverseStaticsOptions read_inverse_statics_options(const Model& model, const StaticsTargetOptions& options) {
  InverseStaticsOptions result;
  result.limits = input_limits(model);
  for (const std::string& text : options.limits) {
    const auto [name, numbers] = read_named_numbers("--limit", text, "INPUT=[lowest,highest]");
    const int input = input_named(model, "--limit", name);
    if (numbers.size() != 2 || !(numbers[0] <= numbers[1])) {
      throw ArgumentError(
          fmt::format("--limit: {}: found [{}], expected [lowest,highest]", name, fmt::join(numbers, ", ")));
    }
    result.limits.lower[input] = numbers[0], result.limits.upper[input] = numbers[1];
  }
  if (options.least_tension) hold_tendons_taut(model, *options.least_tension, result.limits);
  if (!options.inputs) return result;
  for (std::size_t begin = 0; begin <= options.inputs->size();) {
    const std::size_t end = std::min(options.inputs->find(',', begin), options.inputs->size());
    result.inputs.push_back(input_named(model, "--inputs", options.inputs->substr(begin, end - begin)));
    begin = end + 1;
  }
  return result;
}

void add_statics_target_options(CLI::App& command, StaticsTargetOptions& options) {
  add_target_option(command, options.targets);
  command
      .add_option("--inputs", options.inputs,
                  "with --target or --follow: the inputs that may change, with commas between (default: all); the "
                  "others stay as "
                  "--input has them")
      ->type_name("NAME,..");
  command
      .add_option(
          "--limit", options.limits,
          "with --target or --follow: range of an input, as cable=[0,20] (default: tendons pull; may be repeated)")
      ->type_name("NAME=[..]")
      ->take_all()
      ->expected(1);
  command
      .add_option("--least-tension", options.least_tension,
                  "with --target or --follow: what each tendon pulls at least, so that none goes slack [N]")
      ->type_name("NUMBER")
      ->check(CLI::NonNegativeNumber);
  auto* follow = command
                     .add_option("--follow", options.follow,
                                 "equilibria that carry frames along paths: columns time, FRAME.x, FRAME.y and FRAME.z "
                                 "of a CSV file, and FRAME.qw, .qx, .qy and .qz for poses, with splines between its "
                                 "rows")
                     ->type_name("FILE.csv")
                     ->excludes("--target");
  command.add_option("--samples", options.samples, "with --follow: equilibria, evenly in time")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(3, 1000000))
      ->needs(follow);
}

void solve_targets(const RestingRobot& robot, const StaticsTargetOptions& options, bool json) {
  const std::vector<FrameTarget> targets = read_targets(robot.model, options.targets);
  const InverseStaticsResult found =
      inverse_statics(robot.model, targets, robot.loads, robot.q0, read_inverse_statics_options(robot.model, options));
  if (json) {
    print_as_json(robot.model, targets, found);
  } else {
    print_text(robot.model, targets, found);
    warn_of_strains(robot.model, found.equilibrium.q);
  }
}

}  // namespace cuttle
