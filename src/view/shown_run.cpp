#include "cuttle/view/shown_run.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "cuttle/error.h"
#include "cuttle/io/result_reader.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/sampler.h"
#include "simulation/schedule.h"

namespace cuttle {
namespace {

/// Peaks and energy error alone.
Outcome balance(const std::vector<Sample>& samples) {
  Outcome energies;
  for (const Sample& sample : samples) account_energy(sample, samples.front().energy(), energies);
  return energies;
}

/// A number of people: 3 digits, large counts in full.
std::string number_text(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                              : fmt::format("{:.3g}", value);
}

std::string coordinates_text(const Model& model) {
  const std::size_t links = model.links().size();
  return fmt::format("{} ({} link{})", model.nv(), links, links == 1 ? "" : "s");
}

/// What a statistic is called for people: "failures" beside a complete run would look like faults of it.
std::string statistic_name(const std::string& name) {
  if (name == "failures") return "rejected steps";
  return name == "wall_seconds" ? "computed in" : name;
}

}  // namespace

ShownRun shown_result(const std::string& path) {
  ResultFile result = read_result_file(path);
  if (result.samples.empty()) throw FileError(path + ": time: found no row, expected at least one");
  ShownRun run;
  run.label = result.robot.name, run.file = path;
  run.status = run_status_name(result.status), run.message = result.message;
  const Model model(result.robot);
  const Sample &first = result.samples.front(), &last = result.samples.back();
  run.facts.emplace_back("duration", fmt::format("{:.6g} s", last.time - first.time));
  run.facts.emplace_back("coordinates", coordinates_text(model));
  const std::string& integrator = result.scenario.integrator.type;
  if (!integrator.empty()) run.facts.emplace_back("integrator", integrator);
  for (const ResultStatistic& statistic : result.statistics) {
    const bool seconds = statistic.name == "wall_seconds";
    run.facts.emplace_back(statistic_name(statistic.name), number_text(statistic.value) + (seconds ? " s" : ""));
  }
  const Outcome energies = balance(result.samples);
  run.facts.emplace_back("energy balance", fmt::format("error {:.1e} J, peak kinetic energy {:.3g} J",
                                                       energies.energy_error, energies.peak_kinetic));
  run.warnings = std::move(result.warnings);
  run.facts.emplace_back("written by", "Cuttle " + result.cuttle_version);
  run.changes = std::move(result.changes);
  run.robot = std::move(result.robot);
  run.visuals = std::move(result.visuals);
  run.controllers = std::move(result.controllers);
  run.samples = std::move(result.samples);
  return run;
}

ShownRun shown_at_rest(const std::string& path, const std::vector<std::string>& overrides) {
  ShownRun run;
  run.file = path, run.status = "rest";
  Scenario scenario;
  if (kind_of_file(path) == FileKind::scenario) {
    ScenarioFile file = load_scenario_file(path, overrides);
    scenario = file.scenario, run.robot = std::move(file.robot), run.visuals = std::move(file.visuals);
    run.changes = std::move(file.changes);
  } else {
    RobotFile file = load_robot_file(path, overrides);
    run.robot = std::move(file.robot), run.visuals = std::move(file.visuals);
    run.changes = overrides;
  }
  run.label = run.robot.name;
  const Model model(run.robot);
  const Simulator simulator(model, scenario);
  RobotSystem system(model, input_signals(model, scenario.inputs));
  run.samples.push_back(Sampler(model).take(simulator.initial_state(), system));
  run.facts.emplace_back("coordinates", coordinates_text(model));
  return run;
}

void label_apart(std::vector<ShownRun>& runs) {
  bool same = false;
  for (std::size_t i = 1; i < runs.size(); ++i) same = same || runs[i].label == runs[0].label;
  if (!same) return;
  for (ShownRun& run : runs) run.label = std::filesystem::path(run.file).stem().string();
}

}  // namespace cuttle
