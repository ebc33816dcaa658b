#include "cuttle/view/shown_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "cuttle/error.h"
#include "cuttle/io/result_reader.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/driven_loops.h"
#include "cuttle/simulation/energy_account.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/sampler.h"
#include "simulation/schedule.h"
#include "view/mode_motion.h"

namespace cuttle {
namespace {

/// Peaks and energy error alone.
Outcome balance(const std::vector<Sample>& samples) {
  Outcome energies;
  EnergyAccount account;
  for (const Sample& sample : samples) account.add(sample, energies);
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

/// Names and values of a simulation's header.
void add_facts_of_simulation(const ResultFile& result, const Model& model, ShownRun& run) {
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
}

void add_computing_time(const ResultFile& result, ShownRun& run) {
  for (const ResultStatistic& statistic : result.statistics) {
    if (statistic.name != "wall_seconds" || statistic.value <= 0.0) continue;
    run.facts.emplace_back("computed in", number_text(statistic.value) + " s");
  }
}

/// A walk along a path, as fast on all of its branches; from one to the next it jumps.
void walk_along(ResultFile& result, ShownRun& run) {
  constexpr double k_jump = 1e-3, k_point = 0.05, k_least = 6.0, k_most = 40.0;  // [s]
  const std::vector<double>&branches = result.sequence.column("branch").values,
        &arcs = result.sequence.column("arc_length").values, &parameters = result.sequence.column("parameter").values,
        &kinds = result.sequence.column("kind").values;
  const auto ways = [&](std::size_t i) { return branches[i] == branches[i - 1] ? arcs[i] - arcs[i - 1] : 0.0; };
  double length = 0.0;
  for (std::size_t i = 1; i < arcs.size(); ++i) length += std::max(ways(i), 0.0);
  const double seconds = std::clamp(k_point * static_cast<double>(arcs.size()), k_least, k_most);
  const double speed = length > 0.0 ? length / seconds : 1.0;
  double time = 0.0;
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    if (i > 0) time += branches[i] == branches[i - 1] ? std::max(ways(i) / speed, 1e-6) : k_jump;
    result.samples[i].time = time;
  }
  const auto [low, high] = std::minmax_element(parameters.begin(), parameters.end());
  const auto count = [&](double kind) { return std::count(kinds.begin(), kinds.end(), kind); };
  run.facts.emplace_back("along", fmt::format("{} from {:.4g} to {:.4g} {}", result.sequence.along, *low, *high,
                                              result.sequence.along_unit));
  run.facts.emplace_back("branches", fmt::format("{}", result.sequence.branch_end.size()));
  run.facts.emplace_back("points", fmt::format("{}", arcs.size()));
  run.facts.emplace_back("folds", fmt::format("{}", count(1.0)));
  run.facts.emplace_back("branch points", fmt::format("{}", count(2.0)));
}

/// Rows without an equilibrium have no robot to draw.
void leave_out_unknown(ResultFile& result, ShownRun& run) {
  const std::vector<double> status = result.sequence.column("status").values;
  const std::size_t all = status.size();
  const auto keep_found = [&status](auto& values) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < status.size(); ++i) {
      if (status[i] != 0.0) continue;
      if (kept != i) values[kept] = std::move(values[i]);
      ++kept;
    }
    values.resize(kept);
  };
  keep_found(result.samples);
  for (SequenceColumn& column : result.sequence.columns) keep_found(column.values);
  run.facts.emplace_back("rows", fmt::format("{}", all));
  if (result.samples.size() == all) return;
  run.facts.emplace_back("not shown", fmt::format("{}, no equilibrium was found", all - result.samples.size()));
}

/// What stands above a path, a table or modes; the samples become what is drawn.
void show_sequence(ResultFile& result, const Model& model, ShownRun& run) {
  run.facts.emplace_back("coordinates", coordinates_text(model));
  switch (result.sequence.kind) {
    case ResultSequence::Kind::path:
      walk_along(result, run);
      break;
    case ResultSequence::Kind::table:
      leave_out_unknown(result, run);
      break;
    case ResultSequence::Kind::modes:
      run.facts.emplace_back("modes", fmt::format("{}", result.samples.size()));
      result.samples = mode_motion(result.robot, result.visuals, result.sequence, result.samples.front());
      break;
    case ResultSequence::Kind::simulation:
      break;
  }
  if (result.samples.empty()) {
    throw FileError(result.path + ": found no equilibrium in any row, expected at least one to show");
  }
  add_computing_time(result, run);
}

}  // namespace

ShownRun shown_result(const std::string& path) {
  ResultFile result = read_result_file(path);
  if (result.samples.empty()) throw FileError(path + ": time: found no row, expected at least one");
  ShownRun run;
  run.label = result.robot.name, run.file = path;
  run.status = run_status_name(result.status), run.message = result.message;
  const Model model(result.robot);
  if (result.sequence.kind == ResultSequence::Kind::simulation) {
    add_facts_of_simulation(result, model, run);
  } else {
    show_sequence(result, model, run);
  }
  run.warnings = std::move(result.warnings);
  run.facts.emplace_back("written by", "Cuttle " + result.cuttle_version);
  run.changes = std::move(result.changes);
  run.robot = std::move(result.robot);
  run.visuals = std::move(result.visuals);
  run.controllers = std::move(result.controllers);
  run.motion = std::move(result.motion);
  run.samples = std::move(result.samples);
  run.sequence = std::move(result.sequence);
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
    drive_loops(run.robot, scenario.motion);
  }
  run.label = run.robot.name;
  const Model model(run.robot);
  const Simulator simulator(model, scenario);
  RobotSystem system(model, {.inputs = input_signals(model, scenario.inputs)});
  run.samples.push_back(Sampler(model).take(simulator.initial_state(), system));
  run.facts.emplace_back("coordinates", coordinates_text(model));
  return run;
}

bool robot_changes(const ShownRun& run) {
  if (run.sequence.kind != ResultSequence::Kind::path || run.sequence.along == "load") return false;
  const Model model(run.robot);
  const auto& inputs = model.input_info();
  return std::none_of(inputs.begin(), inputs.end(), [&run](const auto& i) { return i.name == run.sequence.along; });
}

void label_apart(std::vector<ShownRun>& runs) {
  bool same = false;
  for (std::size_t i = 1; i < runs.size(); ++i) same = same || runs[i].label == runs[0].label;
  if (!same) return;
  for (ShownRun& run : runs) run.label = std::filesystem::path(run.file).stem().string();
}

}  // namespace cuttle
