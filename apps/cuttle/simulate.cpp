#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "cuttle/error.h"
#include "cuttle/io/decimal.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/simulator.h"
#include "cuttle/view/figure_recorder.h"
#include "cuttle/view/svg_plot.h"
#include "progress_line.h"
#include "stop_on_signal.h"

namespace cuttle {
namespace {

struct SimulateOptions {
  std::string scenario;
  std::string output;
  bool csv = false;
  std::optional<std::string> svg;       ///< empty: beside the output
  std::optional<std::string> duration;  ///< text, so that the reader checks and reports it
  std::vector<std::string> overrides;
};

void show_progress(ProgressLine& line, const Progress& progress) {
  const double wall = std::max(progress.wall_seconds, 1e-9);
  line.show(progress.time / progress.duration,
            fmt::format("{} of {} s  {} x real time", short_number(progress.time), short_number(progress.duration),
                        short_number(progress.time / wall)),
            wall);
}

/// Limits of a controller's inputs, as far as it says them; infinite elsewhere.
struct OutputLimits {
  VectorXd lower, upper;

  OutputLimits(const Controller& controller, std::size_t inputs) {
    const double infinity = std::numeric_limits<double>::infinity();
    const auto count = static_cast<Eigen::Index>(inputs);
    lower.setConstant(count, -infinity), upper.setConstant(count, infinity);
    for (const auto& [key, side] : {std::pair{std::string("limits.lower"), &lower}, {"limits.upper", &upper}}) {
      std::vector<double> values;
      for (const ControllerNumber& number : controller.numbers()) {
        if (number.key.starts_with(key)) values.push_back(number.value);
      }
      if (values.size() == 1) side->setConstant(values[0]);  // one number for all
      for (std::size_t i = 0; values.size() == inputs && i < inputs; ++i) {
        (*side)[static_cast<Eigen::Index>(i)] = values[i];
      }
    }
  }
  bool holds(Eigen::Index input, double u) const {
    const double rounding = 1e-12 * std::abs(u);
    return u <= lower[input] + rounding || u >= upper[input] - rounding;
  }
};

/// How well a controller follows its reference, over the rows of a result.
class TrackingSummary {
 public:
  TrackingSummary(const Model& model, RecordedController recorded, const Controller& controller)
      : model_(&model),
        recorded_(std::move(recorded)),
        limits_(controller, recorded_.columns.inputs.size()),
        at_limit_(recorded_.columns.inputs.size(), 0) {
    for (const CoordinateInfo& info : recorded_.columns.error) {
      if (std::none_of(errors_.begin(), errors_.end(), [&](const Error& one) { return one.unit == info.unit; })) {
        errors_.push_back({info.unit});
      }
    }
  }
  Eigen::Index column_count() const { return recorded_.columns.size(); }

  /// @param values  of its columns: reference, error, inputs, state.
  void add(const VectorXd& values) {
    ++rows_;
    const ControlColumns& columns = recorded_.columns;
    const auto first = static_cast<Eigen::Index>(columns.reference.size());
    for (Error& error : errors_) error.last = 0.0;
    for (std::size_t i = 0; i < columns.error.size(); ++i) {
      const double size = std::abs(values[first + static_cast<Eigen::Index>(i)]);
      for (Error& error : errors_) {
        if (error.unit != columns.error[i].unit || !std::isfinite(size)) continue;
        error.squares += size * size, ++error.count;
        error.largest = std::max(error.largest, size), error.last = std::max(error.last, size);
      }
    }
    const Eigen::Index inputs = first + static_cast<Eigen::Index>(columns.error.size());
    for (std::size_t i = 0; i < columns.inputs.size(); ++i) {
      const auto input = static_cast<Eigen::Index>(i);
      if (limits_.holds(input, values[inputs + input])) ++at_limit_[i];
    }
  }

  void print() const {
    for (const Error& error : errors_) {
      if (error.count == 0) continue;
      fmt::print("  {}: error RMS {:.3g} {}, largest {:.3g}, {:.3g} at the end\n", recorded_.name,
                 std::sqrt(error.squares / error.count), error.unit, error.largest, error.last);
    }
    for (std::size_t i = 0; i < at_limit_.size(); ++i) {
      if (at_limit_[i] == 0) continue;
      const auto input = static_cast<std::size_t>(recorded_.columns.inputs[i]);
      fmt::print("  {}: {} at its limit in {:.3g} % of the rows\n", recorded_.name, model_->input_info()[input].name,
                 100.0 * at_limit_[i] / rows_);
    }
  }

 private:
  struct Error {  // of all its columns of one unit
    std::string unit;
    double squares = 0.0, largest = 0.0, last = 0.0;
    int count = 0;
  };
  const Model* model_;
  RecordedController recorded_;
  OutputLimits limits_;
  std::vector<int> at_limit_;
  std::vector<Error> errors_;
  int rows_ = 0;
};

/// Knows whether the other recorders have begun, and what there is to say at the end.
class Witness final : public Recorder {
 public:
  bool begun = false;
  bool recorded = false;
  std::vector<std::string> warnings;
  std::vector<TrackingSummary> tracking;

  void begin(const Model& model, const Scenario& scenario) override {
    begun = true;
    const std::vector<RecordedController> all = recorded_controllers(model, scenario.controllers);
    for (std::size_t i = 0; i < all.size(); ++i) {
      tracking.emplace_back(model, all[i], *scenario.controllers[i].controller);
    }
  }
  void record(const Sample& sample) override {
    recorded = true;
    Eigen::Index first = 0;
    for (TrackingSummary& one : tracking) {
      if (first + one.column_count() > sample.control.size()) break;
      one.add(sample.control.segment(first, one.column_count()));
      first += one.column_count();
    }
  }
  void finish(const Outcome& outcome) override { warnings = outcome.warnings; }
};

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

struct OutputFiles {
  std::string hdf5, csv, svg;  // empty: not wanted, or not written

  std::vector<std::string> all() const {
    std::vector<std::string> files;
    for (const std::string& file : {hdf5, csv, svg}) {
      if (!file.empty()) files.push_back(file);
    }
    return files;
  }
};

/// Takes the files away that a run has not written, and says so.
std::string forget_unwritten(OutputFiles& files, const FileRecorder& hdf5, const FileRecorder* csv) {
  std::vector<std::string> unwritten;
  if (!hdf5.kept()) unwritten.push_back(std::exchange(files.hdf5, ""));
  if (csv != nullptr && !csv->kept()) unwritten.push_back(std::exchange(files.csv, ""));
  if (!hdf5.kept() && !files.svg.empty()) unwritten.push_back(std::exchange(files.svg, ""));
  if (unwritten.empty()) return "";
  return "not written, as nothing was computed beyond the initial state (earlier files stay as they were): " +
         joined(unwritten);
}

/// A number > 0 [s].
double read_duration(const std::string& text) {
  const auto seconds = parse_decimal(text);
  if (!seconds || !std::isfinite(*seconds) || !(*seconds > 0.0)) {
    throw ArgumentError(fmt::format("--duration: found '{}', expected a number > 0 [s]", text));
  }
  return *seconds;
}

/// `--svg SCENARIO`: the option has taken the only file name, and no drawing is named *.yaml.
void give_back_scenario(SimulateOptions& options) {
  if (!options.scenario.empty()) return;
  const std::string extension = options.svg ? std::filesystem::path(*options.svg).extension().string() : "";
  if (extension != ".yaml" && extension != ".yml") throw CLI::RequiredError("scenario");
  options.scenario = std::exchange(*options.svg, "");
}

OutputFiles output_files(const SimulateOptions& options) {
  namespace fs = std::filesystem;
  OutputFiles files;
  files.hdf5 = options.output.empty() ? fs::path(options.scenario).stem().string() + ".h5" : options.output;
  const std::string extension = fs::path(files.hdf5).extension().string();
  if (extension != ".h5" && extension != ".hdf5") {
    throw ArgumentError(
        fmt::format("--output: found '{}', expected a name that ends in .h5 (--csv and --svg write the "
                    "other formats beside it)",
                    files.hdf5));
  }
  const auto beside = [&files](const char* other) { return fs::path(files.hdf5).replace_extension(other).string(); };
  if (options.csv) files.csv = beside(".csv");
  if (options.svg) {
    files.svg = options.svg->empty() ? beside(".svg") : *options.svg;
    if (fs::path(files.svg).extension() != ".svg") {
      throw ArgumentError(fmt::format("--svg: found '{}', expected a name that ends in .svg, or none", files.svg));
    }
  }
  return files;
}

/// Methods with chosen steps resolve every vibration that nothing damps: rods with rich bases have very fast ones.
bool follows_vibrations(const Model& model, const Scenario& scenario, const Outcome& outcome) {
  constexpr double k_undamped = 1e-2;       // part of the kinetic energy that damping took
  constexpr double k_steps_an_output = 20;  // more show nothing
  const double steps = static_cast<double>(outcome.statistics.steps);
  return model.has_elastic_bodies() && !integrator_step(scenario.integrator) && outcome.wall_seconds > outcome.time &&
         outcome.last.dissipated < k_undamped * outcome.peak_kinetic &&
         steps * scenario.output_step > k_steps_an_output * outcome.time;
}

void print_summary(const Model& model, const Scenario& scenario, const Outcome& outcome) {
  const double wall = std::max(outcome.wall_seconds, 1e-9);
  const std::string reason = choose_integrator(model, scenario.integrator).reason;
  fmt::print("{}: {:.6g} s simulated in {} ({} x real time) with {}{}\n", model.name(), outcome.time,
             time_text(outcome.wall_seconds), short_number(outcome.time / wall), outcome.integrator,
             reason.empty() ? "" : ", the default " + reason);
  if (!model.links().empty() && !outcome.last.tips.empty()) {
    const Vector3 p = outcome.last.tips.back().position;
    const auto rounded = [](double x) { return std::round(1e6 * x) / 1e6 + 0.0; };  // -0 is 0
    fmt::print("  final tip of {}: [{:.6f}, {:.6f}, {:.6f}] m\n", model.links().back().name, rounded(p.x), rounded(p.y),
               rounded(p.z));
  }
  fmt::print("  energy balance error: {:.2g} J", outcome.energy_error);
  if (outcome.energy_error <= outcome.energy_rounding()) {
    fmt::print(", rounding of the energies (up to {:.4g} J)", outcome.peak_energy);
  } else if (const auto largest = outcome.exchange.largest(); largest.value > 0.0) {
    fmt::print(", {:.2g} of {} ({:.4g} J)", outcome.energy_error / largest.value, largest.name, largest.value);
  }
  fmt::print("\n  {} steps, {} evaluations, {} steps rejected\n", outcome.statistics.steps,
             outcome.statistics.evaluations, outcome.statistics.failures);
  if (follows_vibrations(model, scenario, outcome)) {
    fmt::print(
        "  slow: steps of {:.2g} s follow fast vibrations that nothing damps. A fixed step does not have to:\n"
        "    --set 'simulation.integrator={{type: energy_conserving, step: {:g}}}'\n"
        "  nor do vibrations last with 'damping_time' in the materials. docs/accuracy.md\n",
        outcome.time / static_cast<double>(outcome.statistics.steps), 0.5 * scenario.output_step);
  }
}

void simulate(const SimulateOptions& options) {
  OutputFiles files = output_files(options);
  std::vector<std::string> overrides = options.overrides;
  if (options.duration) overrides.push_back(fmt::format("simulation.duration={}", read_duration(*options.duration)));
  const ScenarioFile file = load_scenario_file(options.scenario, overrides);
  print_warnings(file.warnings);
  const Model model(file.robot);
  const Simulator simulator(model, file.scenario);
  for (const std::string& output : files.all()) check_writable(output);

  FigureRecorder figure;
  Witness witness;
  const auto hdf5 = make_hdf5_recorder(files.hdf5, result_source(file));
  const auto csv = files.csv.empty() ? nullptr : make_csv_recorder(files.csv);
  std::vector<Recorder*> recorders{hdf5.get()};
  if (csv) recorders.push_back(csv.get());
  if (!files.svg.empty()) recorders.push_back(&figure);
  recorders.push_back(&witness);

  std::optional<Outcome> outcome;
  std::string failure;
  {
    const StopOnSignal signals;
    ProgressLine line;
    RunOptions run;
    run.stop = &StopOnSignal::stop;
    run.progress = [&line](const Progress& progress) { show_progress(line, progress); };
    try {
      outcome = simulator.run(recorders, run);
    } catch (const Error& error) {
      if (!witness.begun) throw;  // a file cannot be created
      failure = error.what();
    }
  }
  const std::string unwritten = forget_unwritten(files, *hdf5, csv.get());
  std::string svg_trouble;
  try {
    if (!files.svg.empty() && witness.recorded) {
      write_svg_plot(files.svg, file.robot, figure.samples(), {.title = {}, .balance = &figure.balance()});
    }
  } catch (const Error& error) {
    svg_trouble = error.what();
    files.svg.clear();  // the results are good all the same
  }
  const std::string written = joined(files.all());
  if (outcome) {
    print_summary(model, file.scenario, *outcome);
    for (const TrackingSummary& one : witness.tracking) one.print();
    if (!written.empty()) fmt::print("  written: {}\n", written);
    std::fflush(stdout);
  }
  if (!svg_trouble.empty()) fmt::print(stderr, "{}\n", svg_trouble);
  // of a strict run the warning is why it failed
  if (outcome || !file.scenario.strict) print_warnings(witness.warnings);
  if (outcome) {
    if (outcome->status == RunStatus::complete && svg_trouble.empty()) return;
    if (outcome->status == RunStatus::complete) throw CLI::RuntimeError(k_exit_failure);
    fmt::print(stderr, "interrupted: {}\n", outcome->message);
    if (!unwritten.empty()) fmt::print(stderr, "{}\n", unwritten);
    throw CLI::RuntimeError(128 + StopOnSignal::signal_number);
  }
  fmt::print(stderr, "simulation failed: {}\n", failure);
  if (!written.empty()) fmt::print(stderr, "the motion before the failure is kept in {}\n", written);
  if (!unwritten.empty()) fmt::print(stderr, "{}\n", unwritten);
  throw CLI::RuntimeError(k_exit_failure);
}

}  // namespace

void add_simulate_command(CLI::App& app) {
  auto* command = app.add_subcommand("simulate", "Simulate a scenario and write what happened");
  const auto options = std::make_shared<SimulateOptions>();
  command->add_option("scenario", options->scenario, "scenario file (required)")->type_name("SCENARIO");
  command
      ->add_option("-o,--output", options->output, "result file in HDF5 (default: the scenario's name with .h5, here)")
      ->type_name("FILE.h5");
  command->add_flag("--csv", options->csv, "write the same as text too, beside the result");
  command->add_option("--svg", options->svg, "draw the motion and the energies (default: beside the result)")
      ->type_name("FILE.svg")
      ->expected(0, 1);
  add_force_option(*command);
  command->add_option("--duration", options->duration, "time to simulate [s], instead of the scenario's")
      ->type_name("SECONDS");
  add_set_option(*command, options->overrides);
  command->footer(
      "Exit codes: 0 complete, 1 the simulation failed, 2 wrong files or arguments (nothing is written), 128 + N\n"
      "interrupted by signal N, as 130 by Ctrl-C. The motion before a failure or Ctrl-C is kept. A run that fails at\n"
      "once leaves an earlier result as it was.\n"
      "Examples:\n"
      "  cuttle simulate models/examples/pendulum_scenario.yaml -o out/pendulum.h5 --csv\n"
      "  cuttle simulate models/pustina2025/hybrid_arm_scenario.yaml -o out/hybrid_arm.h5 --svg --duration 2\n"
      "  cuttle simulate models/examples/pcc_arm_scenario.yaml --set robot.materials.silicone.young_modulus=1e6");
  command->callback([options] {
    give_back_scenario(*options);
    simulate(*options);
  });
}

}  // namespace cuttle
