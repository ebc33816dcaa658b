#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "cuttle/error.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/integrator.h"
#include "cuttle/simulation/simulator.h"
#include "json_output.h"
#include "table1_models.h"
#include "text_table.h"

namespace cuttle {
namespace {

struct BenchOptions {
  std::string what;
  std::string integrator = "newmark";
  std::optional<double> step;
  double stiffness = 1.0;
  bool robust = false;
  bool json = false;
};

constexpr double k_table_step = 0.01, k_robust_step = 0.1;  // [s], the paper's
constexpr double k_least_cpu_time = 0.5;                    // of all runs of one rod [s]
constexpr std::size_t k_least_runs = 3;
constexpr double k_factors[] = {0.01, 0.1, 1.0, 10.0, 100.0};
const char* const k_others[] = {"[10],[11]", "[24]", "[26]", "[27]", "article"};

/// A row of [B] Table I: the robot and its scenario, and what the paper measured in the order of k_others ("fails": 0).
struct Rod {
  const char* name;
  const char* file;  ///< of the scenario, for messages
  const char* robot;
  const char* scenario;
  std::array<double, std::size(k_others)> others;
};
const Rod k_rods[] = {{"stiff cantilever rod",
                       "cantilever_stiff_scenario.yaml",
                       k_cantilever_stiff,
                       k_cantilever_stiff_scenario,
                       {71.9, 336, 6173, 4.5, 7.1}},
                      {"soft cantilever rod",
                       "cantilever_soft_scenario.yaml",
                       k_cantilever_soft,
                       k_cantilever_soft_scenario,
                       {0, 133, 1675, 1.9, 9.1}},
                      {"stiff flying rod",
                       "flying_rod_stiff_scenario.yaml",
                       k_flying_rod_stiff,
                       k_flying_rod_stiff_scenario,
                       {52.2, 36, 2806, 7.2, 8.5}},
                      {"soft flying rod",
                       "flying_rod_soft_scenario.yaml",
                       k_flying_rod_soft,
                       k_flying_rod_soft_scenario,
                       {0, 1.6, 609, 1.8, 7.9}}};

double step_of(const BenchOptions& options) {
  return options.step.value_or(options.robust ? k_robust_step : k_table_step);
}
bool chooses_steps(const BenchOptions& options) {
  const std::vector<IntegratorType> known = integrator_types();
  return std::any_of(known.begin(), known.end(),
                     [&](const IntegratorType& type) { return type.name == options.integrator && !type.takes_step; });
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// The rod's scenario with another method of integration, and all its moduli times a factor.
struct Case {
  Case(const Rod& rod, const BenchOptions& options, double factor)
      : Case(read_scenario_text(rod.scenario, rod.file, rod.robot), options, factor) {}

  Model model;
  Scenario scenario;

 private:
  Case(const ScenarioFile& file, const BenchOptions& options, double factor)
      : model(stiffer(Model(file.robot), factor)), scenario(file.scenario) {
    IntegratorOptions integrator;
    integrator.type = options.integrator;
    integrator.relative_tolerance = scenario.integrator.relative_tolerance;
    integrator.absolute_tolerance = scenario.integrator.absolute_tolerance;
    const double step = step_of(options);
    if (!chooses_steps(options) || options.step) integrator.step = step;
    scenario.integrator = integrator;
    // outputs never cut a step
    scenario.output_step = step * std::max(1.0, std::ceil(scenario.output_step / step - 1e-9));
  }

  static Model stiffer(const Model& model, double factor) {
    std::vector<ParameterChange> changes;
    for (const ParameterInfo& parameter : model.parameters()) {
      const bool modulus = parameter.path.ends_with("young_modulus");
      if (modulus || parameter.path.find("body.stiffness[") != std::string::npos) {
        changes.push_back({parameter.path, factor * parameter.value});
      }
    }
    return model.with(changes);
  }
};

/// What became of a run, even of one that failed.
class Ending final : public Recorder {
 public:
  Outcome outcome;
  void begin(const Model&, const Scenario&) override {}
  void record(const Sample&) override {}
  void finish(const Outcome& found) override { outcome = found; }
};

struct Measured {
  Outcome outcome;
  double ratio = 0.0;  ///< CPU time over simulated time, median
  std::size_t runs = 0;
};

Measured measure(const Simulator& simulator, std::size_t least_runs, double least_time) {
  Measured result;
  Ending ending;
  std::vector<double> ratios;
  double total = 0.0;
  while (ratios.size() < least_runs || total < least_time) {
    const double start = cpu_seconds();
    try {
      simulator.run({&ending});
    } catch (const SimulationError&) {  // told by the outcome
    }
    const double seconds = cpu_seconds() - start;
    result.outcome = ending.outcome;
    ratios.push_back(seconds / std::max(ending.outcome.time, 1e-9));
    total += seconds;
    if (ending.outcome.status != RunStatus::complete) break;
  }
  std::sort(ratios.begin(), ratios.end());
  result.runs = ratios.size();
  result.ratio = ratios[ratios.size() / 2];
  return result;
}

std::string per_step(long count, const Outcome& outcome) {
  return fmt::format("{:.2f}",
                     static_cast<double>(count) / static_cast<double>(std::max(1L, outcome.statistics.steps)));
}

/// Largest energy error beside the peak kinetic energy.
std::string energy_text(const Outcome& outcome) {
  return outcome.peak_kinetic > 0.0 ? fmt::format("{:.1e}", outcome.energy_error / outcome.peak_kinetic) : "-";
}

std::string method_text(const BenchOptions& options) {
  return chooses_steps(options) ? options.integrator
                                : fmt::format("{}, dt = {:g} s", options.integrator, step_of(options));
}

Json as_json(const Rod& rod, double factor, const Measured& measured) {
  const Outcome& o = measured.outcome;
  Json row;
  row["rod"] = rod.name;
  row["stiffness_factor"] = factor;
  row["status"] = run_status_name(o.status);
  if (!o.message.empty()) row["message"] = o.message;
  row["simulated_seconds"] = o.time;
  row["runs"] = measured.runs;
  row["time_ratio"] = measured.ratio;
  row["steps"] = o.statistics.steps;
  row["evaluations"] = o.statistics.evaluations;
  row["tangents"] = o.statistics.jacobians;
  row["failed_steps"] = o.statistics.failures;
  row["energy_error"] = o.energy_error;
  row["peak_kinetic_energy"] = o.peak_kinetic;
  for (std::size_t i = 0; i < std::size(k_others); ++i) {
    row["paper"][k_others[i]] = rod.others[i] > 0.0 ? Json(rod.others[i]) : Json("fails");
  }
  return row;
}

/// @return whether all runs were complete.
bool compare(const BenchOptions& options) {
  std::vector<TextTable::Column> columns{{"CPU time / simulated time"}};
  for (const char* other : k_others) columns.push_back({other, true});
  for (const char* own : {"Cuttle", "steps", "evaluations/step", "tangents/step", "energy error"}) {
    columns.push_back({own, true});
  }
  TextTable table(columns);
  Json list = Json::array();
  bool complete = true;
  for (const Rod& rod : k_rods) {
    const Case given(rod, options, options.stiffness);
    const Measured measured = measure(Simulator(given.model, given.scenario), k_least_runs, k_least_cpu_time);
    const Outcome& o = measured.outcome;
    std::vector<std::string> row{rod.name};
    for (const double other : rod.others) row.push_back(other > 0.0 ? fmt::format("{:g}", other) : "fails");
    const bool good = o.status == RunStatus::complete;
    complete = complete && good;
    row.push_back(good ? fmt::format("{:.2g}", measured.ratio) : "fails");
    row.push_back(fmt::format("{}", o.statistics.steps));
    row.push_back(per_step(o.statistics.evaluations, o));
    row.push_back(per_step(o.statistics.jacobians, o));
    row.push_back(energy_text(o));
    table.add(row);
    list.push_back(as_json(rod, options.stiffness, measured));
    if (!good) fmt::print(stderr, "{}: {}\n", rod.name, o.message);
  }
  if (options.json) {
    print_json(list);
    return complete;
  }
  fmt::print("Table I of [B] (Boyer 2023), and Cuttle with {}{}\n\n{}", method_text(options),
             options.stiffness == 1.0 ? "" : fmt::format(", stiffness times {:g}", options.stiffness), table.text());
  fmt::print(
      "\nThe paper's columns are from its machine (i9-9880H, MATLAB; [24] is PyElastica), Cuttle's from this one: "
      "medians\n"
      "of CPU time over at least {} runs, with outputs and energies. Energy errors are relative to the peak kinetic "
      "energy.\n",
      k_least_runs);
  return complete;
}

/// The claim of [B] X.A: one step length for stiffness times 0.01 to 100.
bool compare_stiffness(const BenchOptions& options) {
  TextTable table({{"rod"},
                   {"stiffness", true},
                   {"result"},
                   {"steps", true},
                   {"halved", true},
                   {"evaluations/step", true},
                   {"energy error", true},
                   {"CPU time / simulated time", true}});
  Json list = Json::array();
  bool complete = true;
  for (const Rod& rod : k_rods) {
    for (const double factor : k_factors) {
      const Case given(rod, options, factor * options.stiffness);
      Measured measured;
      try {
        measured = measure(Simulator(given.model, given.scenario), 1, 0.0);
      } catch (const Error& error) {  // the equilibrium at the start
        measured.outcome.status = RunStatus::failed;
        measured.outcome.message = error.what();
      }
      const Outcome& o = measured.outcome;
      const bool good = o.status == RunStatus::complete;
      complete = complete && good;
      table.add({rod.name, fmt::format("x {:g}", factor * options.stiffness), good ? "ok" : "failed",
                 fmt::format("{}", o.statistics.steps), fmt::format("{}", o.statistics.failures),
                 per_step(o.statistics.evaluations, o), energy_text(o), fmt::format("{:.2g}", measured.ratio)});
      list.push_back(as_json(rod, factor * options.stiffness, measured));
      if (!good) fmt::print(stderr, "{}, stiffness x {:g}: {}\n", rod.name, factor * options.stiffness, o.message);
    }
  }
  if (options.json) {
    print_json(list);
    return complete;
  }
  fmt::print("Rods of [B] X.A with {}\n\n{}", method_text(options), table.text());
  fmt::print(
      "\n'halved' counts steps that Newton's method did not solve at once; energy errors are relative to the peak "
      "kinetic\n"
      "energy.\n");
  return complete;
}

void bench(const BenchOptions& options) {
  if (!(options.stiffness > 0.0) || !std::isfinite(options.stiffness)) {
    throw ArgumentError(fmt::format("--stiffness: found {:g}, expected a number > 0", options.stiffness));
  }
  if (options.step && (!(*options.step > 0.0) || !std::isfinite(*options.step))) {
    throw ArgumentError(fmt::format("--step: found {:g}, expected a number > 0 [s]", *options.step));
  }
  const bool complete = options.robust ? compare_stiffness(options) : compare(options);
  if (!complete) throw CLI::RuntimeError(k_exit_failure);
}

}  // namespace

void add_bench_command(CLI::App& app) {
  std::vector<std::string> integrators;
  for (const IntegratorType& type : integrator_types()) integrators.push_back(type.name);
  auto* command = app.add_subcommand("bench", "Measure how fast rods of a paper are simulated on this machine");
  const auto options = std::make_shared<BenchOptions>();
  command
      ->add_option("what", options->what,
                   "table1: Table I of Boyer et al. 2023, stiff and soft cantilever and flying rod")
      ->required()
      ->type_name("WHAT")
      ->check(CLI::IsMember({"table1"}));
  command->add_option("--step", options->step, "step of the integrator (default: 0.01 s, with --robust 0.1 s)")
      ->type_name("SECONDS");
  command->add_option("--integrator", options->integrator, "method of integration (default: newmark)")
      ->type_name("TYPE")
      ->check(CLI::IsMember(integrators));
  command->add_option("--stiffness", options->stiffness, "multiply the rods' moduli (default: 1)")->type_name("FACTOR");
  command->add_flag("--robust", options->robust,
                    "instead test whether steps of 0.1 s work with 0.01 to 100 times the stiffness");
  command->add_flag("--json", options->json, "print a JSON list, numbers with 17 digits");
  command->footer(
      "Robots and scenarios are those of models/boyer2023, which are part of this program. Exit code 1: a run failed.\n"
      "Examples:\n"
      "  cuttle bench table1\n"
      "  cuttle bench table1 --robust --integrator generalized_alpha");
  command->callback([options] { bench(*options); });
}

}  // namespace cuttle
