#include "cuttle/simulation/sensitivities.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "cuttle/error.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/io/whole_file.h"
#include "cuttle/simulation/rollout_function.h"
#include "json_output.h"
#include "progress_line.h"
#include "stop_on_signal.h"
#include "text_table.h"

namespace cuttle {
namespace {

struct SensitivityOptions {
  std::string scenario;
  std::vector<std::string> of, by;
  std::optional<double> at;
  std::string output;
  bool json = false, adjoint = false;
  std::vector<std::string> overrides;
};

/// The same backwards along the run, a way back for each number of the outputs.
Sensitivities adjoint_sensitivities(const Model& model, const Scenario& scenario, const SensitivityOptions& options,
                                    double time, const RunOptions& how) {
  RolloutFunction run(model, scenario, options.of, {time}, options.by);
  Sensitivities found;
  found.times = {time}, found.outputs = run.outputs(), found.parameters = run.parameters();
  const auto n = static_cast<Eigen::Index>(found.outputs.size());
  VectorXd numbers(static_cast<Eigen::Index>(found.parameters.size()));
  for (Eigen::Index i = 0; i < numbers.size(); ++i) numbers[i] = found.parameters[static_cast<std::size_t>(i)].value;
  found.values = {run.run(numbers, how).row(0).transpose()};
  found.derivatives = {MatrixXd(n, numbers.size())};
  for (Eigen::Index i = 0; i < n; ++i) {
    found.derivatives[0].row(i) = run.back(VectorXd::Unit(n, i).transpose()).transpose();
  }
  return found;
}

/// All times, a row each: value, then its derivatives by each parameter, of one output after the other.
std::string csv_of(const Sensitivities& found) {
  std::string text = "time";
  for (const CoordinateInfo& output : found.outputs) {
    text += "," + output.name;
    for (const ParameterInfo& parameter : found.parameters)
      text += fmt::format(",d {}/d {}", output.name, parameter.path);
  }
  text += "\n";
  for (std::size_t t = 0; t < found.times.size(); ++t) {
    text += fmt::format("{:.17g}", found.times[t]);
    for (Eigen::Index i = 0; i < found.values[t].size(); ++i) {
      text += fmt::format(",{:.17g}", found.values[t][i]);
      for (const double derivative : found.derivatives[t].row(i)) text += fmt::format(",{:.17g}", derivative);
    }
    text += "\n";
  }
  return text;
}

void print_text(const Model& model, const Sensitivities& found) {
  fmt::print("{} at t = {:.9g} s\n", model.name(), found.times.back());
  std::vector<TextTable::Column> columns{{"output"}, {"unit"}, {"value", true}};
  for (const ParameterInfo& parameter : found.parameters) columns.push_back({"by " + parameter.path, true});
  TextTable table(columns);
  for (std::size_t i = 0; i < found.outputs.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    std::vector<std::string> cells{found.outputs[i].name, found.outputs[i].unit,
                                   fmt::format("{:.6g}", found.values.back()[row] + 0.0)};
    for (const double d : found.derivatives.back().row(row)) cells.push_back(fmt::format("{:.6g}", d + 0.0));
    table.add(cells);
  }
  fmt::print("{}", table.text());
  std::string units;
  for (const ParameterInfo& parameter : found.parameters) {
    units += fmt::format("{}{} [{}]", units.empty() ? "" : ", ", parameter.path,
                         parameter.unit.empty() ? "1" : parameter.unit);
  }
  fmt::print("derivatives are in the unit of the output, per that of {}\n", units);
}

void print_as_json(const Model& model, const Sensitivities& found) {
  Json result;
  result["robot"] = model.name();
  result["time"] = found.times.back();
  result["of"] = Json::array(), result["units"] = Json::array();
  for (const CoordinateInfo& output : found.outputs) {
    result["of"].push_back(output.name), result["units"].push_back(output.unit);
  }
  result["by"] = Json::array(), result["by_units"] = Json::array(), result["by_values"] = Json::array();
  for (const ParameterInfo& parameter : found.parameters) {
    result["by"].push_back(parameter.path), result["by_units"].push_back(parameter.unit);
    result["by_values"].push_back(parameter.value);
  }
  result["value"] = to_json(found.values.back());
  result["derivative"] = to_json(found.derivatives.back());
  print_json(result);
}

void find_sensitivities(const SensitivityOptions& options) {
  if (!options.output.empty()) {
    check_output_extension("--output", options.output, {".csv"});
    if (options.adjoint) {
      throw ArgumentError("--adjoint: found --output of all times, expected one time: each goes back on its own");
    }
  }
  const ScenarioFile file = load_scenario_file(options.scenario, options.overrides);
  if (!options.output.empty()) check_writable(options.output);
  print_warnings(file.warnings);
  const Model model(file.robot);
  const double end = options.at.value_or(file.scenario.duration);
  if (!(end >= 0.0 && end <= file.scenario.duration)) {
    throw ArgumentError(
        fmt::format("--at: found {:g}, expected a time of the run, 0 to {:g} s", end, file.scenario.duration));
  }
  std::vector<double> times;
  if (!options.output.empty()) {
    const OutputTimes outputs = Simulator(model, file.scenario).output_times();
    for (std::int64_t k = 0; k < outputs.size() && outputs[k] < end; ++k) times.push_back(outputs[k]);
  }
  times.push_back(end);
  const StopOnSignal on_signal;
  ProgressLine line;
  RunOptions how;
  how.stop = &StopOnSignal::stop;
  how.progress = [&line](const Progress& progress) {
    line.show(progress.time / progress.duration, "sensitivities", progress.wall_seconds);
  };
  const Sensitivities found = [&] {
    try {
      if (options.adjoint) return adjoint_sensitivities(model, file.scenario, options, end, how);
      return sensitivities(model, file.scenario, options.of, options.by, times, how);
    } catch (const SimulationError& error) {
      if (!StopOnSignal::stop) throw;
      fmt::print(stderr, "{}\n", error.what());
      throw CLI::RuntimeError(128 + StopOnSignal::signal_number);
    }
  }();
  if (!options.output.empty()) write_whole_file(options.output, csv_of(found));
  if (options.json) {
    print_as_json(model, found);
  } else {
    print_text(model, found);
    if (!options.output.empty()) fmt::print("written: {}\n", options.output);
  }
}

}  // namespace

void add_sensitivities_command(CLI::App& app) {
  auto* command = app.add_subcommand("sensitivities", "Find exact derivatives of a simulated motion by parameters");
  const auto options = std::make_shared<SensitivityOptions>();
  command->add_option("scenario", options->scenario, "scenario file")->type_name("SCENARIO")->required();
  command
      ->add_option("--of", options->of,
                   "q, v, u, FRAME.position, FRAME.velocity, FRAME.rotation (of LINK.tip, a marker, or tip, the last "
                   "link's), energy.kinetic, .gravity, .elastic, .contacts, or a coordinate, velocity or input")
      ->type_name("NAME,..")
      ->required()
      ->delimiter(',');
  command
      ->add_option("--by", options->by,
                   "numbers of the robot as `cuttle parameters` lists them, simulation.inputs.NAME, "
                   "simulation.initial.LINK.q[0], simulation.controllers.NAME.kp[0]")
      ->type_name("PATH,..")
      ->required()
      ->delimiter(',');
  command->add_option("--at", options->at, "time [s]; default: the end of the run")->type_name("TIME");
  command->add_flag("--adjoint", options->adjoint,
                    "backwards along the run: some runs for each number of the outputs, whatever --by has; that may be "
                    "inputs.NAME, all numbers of a signal, q or v");
  command->add_flag("--json", options->json, "print one JSON object, numbers with 17 digits");
  command->add_option("-o,--output", options->output, "write all output times up to that one")->type_name("FILE.csv");
  add_force_option(*command);
  add_set_option(*command, options->overrides);
  command->footer(
      "Fixed steps and implicit methods give the derivatives of their own steps, to rounding; bdf and erk those of "
      "the\n"
      "motion, within the tolerances.\n"
      "Examples:\n"
      "  cuttle sensitivities models/examples/tendon_arm_scenario.yaml --of tip.position --by "
      "materials.silicone.young_modulus,simulation.inputs.coil.to\n"
      "  cuttle sensitivities models/examples/pendulum_scenario.yaml --of q --by "
      "'simulation.initial.arm.q[0]' --json\n"
      "  cuttle sensitivities models/examples/tendon_arm_scenario.yaml --of energy.elastic --by inputs.coil --adjoint");
  command->callback([options] { find_sensitivities(*options); });
}

}  // namespace cuttle
