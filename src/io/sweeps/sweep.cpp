#include "cuttle/io/sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "cuttle/algorithms/equilibrium_table.h"
#include "cuttle/algorithms/modes.h"
#include "cuttle/error.h"
#include "cuttle/io/csv_table.h"
#include "cuttle/io/named_files.h"
#include "cuttle/io/plain_text.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/io/yaml_tree.h"
#include "cuttle/simulation/rest_sample.h"
#include "cuttle/simulation/simulator.h"
#include "cuttle/version.h"
#include "io/sweeps/sweep_formats.h"
#include "io/sweeps/sweep_identified.h"
#include "io/sweeps/sweep_metric.h"
#include "io/sweeps/sweep_number.h"
#include "io/sweeps/sweep_variable.h"
#include "spatial/instruction_set.h"

namespace cuttle {
namespace {

using What = SweepSettings::What;
using Clock = std::chrono::steady_clock;

constexpr int k_usual_modes = 3;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The hash of Fowler, Noll and Vo, 64 bits: it tells files apart that somebody has changed.
class TextHash {
 public:
  void add(const std::string& text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
    for (std::size_t size = text.size(), i = 0; i < 8; ++i, size >>= 8U) add_byte(size & 0xffU);  // ends the text
  }
  void add(const FileTexts& files) {
    for (const auto& [name, text] : files) add(name), add(text);
  }
  std::string text() const { return fmt::format("{:016x}", bits_); }

 private:
  void add_byte(std::uint64_t byte) { bits_ = (bits_ ^ byte) * 0x100000001b3U; }
  std::uint64_t bits_ = 0xcbf29ce484222325U;
};

/// An error as one line.
std::string one_line(const std::string& text) {
  std::string line = printable_lines(text);
  while (line.ends_with('\n')) line.pop_back();
  for (std::size_t at = line.find('\n'); at != line.npos; at = line.find('\n', at)) line.replace(at, 1, "; ");
  return line;
}

const char* what_name(What what) {
  return what == What::simulate ? "simulate" : what == What::statics ? "statics" : "modes";
}

/// Writes a run's result while other threads write theirs.
class LockedRecorder final : public Recorder {
 public:
  explicit LockedRecorder(const std::string& path) : inner_(make_hdf5_recorder(path, {})) {}
  void begin(const Model& model, const Scenario& scenario) override {
    const std::lock_guard lock(sweep_hdf5_mutex());
    inner_->begin(model, scenario);
  }
  void record(const Sample& sample) override {
    const std::lock_guard lock(sweep_hdf5_mutex());
    inner_->record(sample);
  }
  void tick(const IntegratorStatistics& statistics) override {
    const std::lock_guard lock(sweep_hdf5_mutex());
    inner_->tick(statistics);
  }
  void finish(const Outcome& outcome) override {
    const std::lock_guard lock(sweep_hdf5_mutex());
    inner_->finish(outcome);
  }

 private:
  std::unique_ptr<FileRecorder> inner_;
};

Sample sample_at(const EquilibriumTable::Row& at, const StaticEquilibrium& equilibrium) {
  return rest_sample(at.model, at.data, at.loads.u, equilibrium, at.loads.state_loads_at.value_or(0.0));
}

/// What a run of any kind found.
struct Found {
  SweepStatus status = SweepStatus::complete;
  std::string reason;
  std::vector<double> outputs;
  bool stopped = false;
};

/// Of an input, a component of a load, or a parameter.
std::string unit_at_rest(const Model& model, const std::string& name) {
  for (const CoordinateInfo& input : model.input_info()) {
    if (input.name == name) return input.unit;
  }
  const std::string path = name.starts_with("robot.") ? name.substr(6) : name;
  const bool torque = path.starts_with("loads[") && path.find(".torque[") != path.npos;
  const bool force = path.starts_with("loads[") && path.find(".force[") != path.npos;
  if (!torque && !force) return model.parameter(path).unit;
  const auto load =
      static_cast<std::size_t>(std::strtoul(path.c_str() + std::string_view("loads[").size(), nullptr, 10));
  return std::string(torque ? "N m" : "N") + (model.robot().loads.at(load).law->along_link() ? "/m" : "");
}

std::vector<std::string> arguments_of(const SweepSettings& settings) {
  std::vector<std::string> words{settings.file};
  if (settings.what != What::simulate) words.push_back(fmt::format("--{}", what_name(settings.what)));
  const auto add = [&words](const char* option, const std::string& value) {
    if (!value.empty()) words.emplace_back(option), words.push_back(value);
  };
  for (const std::string& text : settings.set) add("--set", text);
  add("--sample", settings.sample);
  if (settings.runs != 0) add("--runs", std::to_string(settings.runs));
  if (settings.seed != 0) add("--seed", std::to_string(settings.seed));
  add("--table", settings.table), add("--identified", settings.identified);
  for (const std::string& text : settings.keep) add("--keep", text);
  return words;
}

}  // namespace

SweepSettings sweep_settings(const std::vector<std::string>& arguments) {
  SweepSettings settings;
  const auto refuse = [](const std::string& found, const char* expected) {
    throw ArgumentError(fmt::format("arguments of the sweep: found {}, expected {}", found, expected));
  };
  if (arguments.empty()) refuse("none", "those of the command that made it");
  settings.file = arguments.front();
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& option = arguments[i];
    if (option == "--statics" || option == "--modes") {
      settings.what = option == "--modes" ? What::modes : What::statics;
      continue;
    }
    if (++i == arguments.size()) refuse("no value of " + printable(option), "one");
    const std::string& value = arguments[i];
    const auto number = [&](auto& into) {
      const auto read = std::from_chars(value.data(), value.data() + value.size(), into);
      if (read.ec != std::errc() || read.ptr != value.data() + value.size()) {
        refuse(fmt::format("{} '{}'", option, printable(value)), "an integer");
      }
    };
    if (option == "--set") {
      settings.set.push_back(value);
    } else if (option == "--keep") {
      settings.keep.push_back(value);
    } else if (option == "--sample") {
      settings.sample = value;
    } else if (option == "--table") {
      settings.table = value;
    } else if (option == "--identified") {
      settings.identified = value;
    } else if (option == "--runs") {
      number(settings.runs);
    } else if (option == "--seed") {
      number(settings.seed);
    } else {
      refuse("'" + printable(option) + "'",
             "--set, --keep, --sample, --table, --identified, --runs, --seed, --statics or --modes");
    }
  }
  return settings;
}

const char* sweep_status_name(SweepStatus status) {
  switch (status) {
    case SweepStatus::complete:
      return "complete";
    case SweepStatus::failed:
      return "failed";
    case SweepStatus::killed:
      break;
  }
  return "killed";
}

struct Sweep::Plan {
  What what = What::simulate;
  std::optional<double> time_limit;
  SweepHead head;
  std::vector<std::string> warnings, files;
  std::vector<LinkVisual> visuals;  // of statics and modes
  // what varies, in the order of the columns: of the table, drawn, lists
  CsvTable table;
  std::vector<SweepVariable> drawn, lists;
  std::optional<IdentifiedNumbers> identified;  // the last ones of what is drawn
  std::optional<SweepSamples> samples;
  std::int64_t table_rows = 1, sample_count = 1, list_count = 1;
  // what runs
  std::unique_ptr<const Model> model;
  Scenario scenario;
  std::vector<SweepNumber> numbers;  // of simulations
  bool other_robots = false;
  std::unique_ptr<const EquilibriumTable> equilibria;  // of statics and modes
  std::unique_ptr<const SweepMetrics> metrics;
  struct ModeColumn {
    bool frequency = true;
    std::size_t mode = 0;
  };
  std::vector<ModeColumn> mode_columns;

  explicit Plan(const SweepSettings& settings);
  void check(std::int64_t number) const;
  std::vector<double> values(std::int64_t number) const;
  /// Runs until its end, the limit of time or `stop`; what it found is in the recorders.
  Found simulate(const std::vector<double>& values, const std::atomic<bool>* stop,
                 const std::vector<Recorder*>& recorders) const;
  using AtRest = std::function<void(const EquilibriumTable::Row&, const StaticEquilibrium&)>;
  Found rest(const std::vector<double>& values, const std::atomic<bool>* stop, const AtRest& at) const;
  void measure(const EquilibriumTable::Row& at, const StaticEquilibrium& equilibrium, Found& found) const;

 private:
  std::vector<std::string> variable_paths() const;
  void read_variables(const SweepSettings& settings, Overrides& overrides);
  void read_files(const SweepSettings& settings, const Overrides& overrides);
  void find_numbers();
  void choose_outputs(const SweepSettings& settings);
  void describe(const SweepSettings& settings);
  /// Where the user wrote a column's path: the option, or the place in the table.
  std::string place(std::size_t column) const { return column < table.names.size() ? table.places[column] : "--set"; }
};

Sweep::Plan::Plan(const SweepSettings& settings) : what(settings.what), time_limit(settings.time_limit) {
  if (time_limit && !(*time_limit > 0.0)) {
    throw ArgumentError(fmt::format("--time-limit: found {:g}, expected a number > 0 [s]", *time_limit));
  }
  Overrides overrides;
  read_variables(settings, overrides);
  read_files(settings, overrides);
  find_numbers();
  choose_outputs(settings);
  describe(settings);
}

void Sweep::Plan::read_variables(const SweepSettings& settings, Overrides& overrides) {
  for (const std::string& text : settings.set) {
    if (auto variable = read_sweep_variable(text)) {
      (variable->drawn() ? drawn : lists).push_back(std::move(*variable));
    } else {
      overrides.push_back(text);
    }
  }
  if (!settings.table.empty()) {
    const std::string text =
        settings.table_text.empty() ? read_text_file(settings.table, "a table in CSV") : settings.table_text;
    table = read_csv_table({settings.table, text});
    table_rows = static_cast<std::int64_t>(table.rows.size());
  }
  if (!settings.identified.empty()) {
    const std::string text = read_text_file(settings.identified, "a report of `cuttle identify --json`");
    identified = read_identified(text, settings.identified);
    files.push_back(settings.identified);
    for (std::size_t i = 0; i < identified->paths.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      drawn.push_back({identified->paths[i],
                       SweepVariable::Kind::normal,
                       {},
                       identified->values[at],
                       identified->factor.row(at).norm()});
    }
  }
  if (drawn.empty() && (settings.runs != 0 || !settings.sample.empty())) {
    throw ArgumentError(
        fmt::format("{}: found nothing to draw, expected --set PATH=LOWEST:HIGHEST, "
                    "PATH=uniform(LOWEST,HIGHEST) or PATH=normal(MEAN,DEVIATION), or --identified",
                    settings.runs != 0 ? "--runs" : "--sample"));
  }
  if (!drawn.empty()) {
    if (settings.runs == 0) throw ArgumentError("--runs: found none, expected how many samples to draw");
    samples.emplace(settings.sample.empty() ? "lhs" : settings.sample, settings.runs, drawn.size(), settings.seed);
    sample_count = settings.runs;
  }
  double count = static_cast<double>(table_rows) * static_cast<double>(sample_count);
  for (const SweepVariable& list : lists) {
    count *= static_cast<double>(list.values.size());
    list_count *= count <= 0x1p53 ? static_cast<std::int64_t>(list.values.size()) : 1;
  }
  if (count > 1e12) throw ArgumentError(fmt::format("--set: found {:g} runs, expected at most 1e12", count));
  head.count = static_cast<std::int64_t>(count);
  std::set<std::string> seen;
  for (const std::string& path : variable_paths()) {
    if (!seen.insert(path.starts_with("robot.") ? path.substr(6) : path).second) {
      throw ArgumentError(fmt::format("--set: found '{}' to vary twice, expected each path once", path));
    }
  }
}

std::vector<std::string> Sweep::Plan::variable_paths() const {
  std::vector<std::string> paths = table.names;
  for (const auto* variables : {&drawn, &lists}) {
    for (const SweepVariable& variable : *variables) paths.push_back(variable.path);
  }
  return paths;
}

void Sweep::Plan::read_files(const SweepSettings& settings, const Overrides& overrides) {
  const bool is_robot = kind_of_file(settings.file) == FileKind::robot;
  TextHash hash;
  files.insert(files.begin(), settings.file);
  const auto note_files = [this](const std::string& beside, const FileTexts& named) {
    for (const auto& [name, text] : named) files.push_back(path_in(directory_of(beside), name));
  };
  if (what == What::simulate) {
    if (is_robot) {
      throw ArgumentError(
          fmt::format("{}: found a robot, expected a scenario; a robot has --statics or --modes", settings.file));
    }
    ScenarioFile file = load_scenario_file(settings.file, overrides);
    for (const std::string* text : {&file.scenario_yaml, &file.robot_yaml}) hash.add(*text);
    hash.add(file.files), hash.add(file.robot_files);
    files.push_back(file.robot_path);
    note_files(settings.file, file.files), note_files(file.robot_path, file.robot_files);
    warnings = std::move(file.warnings), scenario = std::move(file.scenario);
    model = std::make_unique<const Model>(file.robot);
  } else {
    if (!is_robot) {
      throw ArgumentError(
          fmt::format("{}: found a scenario, expected a robot for --{}", settings.file, what_name(what)));
    }
    RobotFile file = load_robot_file(settings.file, overrides);
    hash.add(file.yaml), hash.add(file.files);
    note_files(settings.file, file.files);
    warnings = std::move(file.warnings), visuals = std::move(file.visuals);
    model = std::make_unique<const Model>(file.robot);
  }
  head.hash = hash.text();
}

void Sweep::Plan::find_numbers() {
  const std::vector<std::string> paths = variable_paths();
  const auto located = [&](std::size_t column, const auto& find) {
    try {
      return find();
    } catch (const ArgumentError& error) {
      throw ArgumentError(fmt::format("{}: {}", place(column), error.what()));
    }
  };
  if (what == What::simulate) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      numbers.push_back(located(i, [&] { return find_sweep_number(*model, scenario, paths[i]); }));
      other_robots = other_robots || numbers.back().of == SweepNumber::Of::robot;
      head.parameters.push_back({paths[i], numbers.back().unit});
    }
    return;
  }
  StaticLoads loads{VectorXd::Zero(model->nu()), loads_at(*model, 0.0), 0.0};
  for (std::size_t i = 0; i < paths.size(); ++i) {
    // one by one, so that the place of a wrong one is known
    located(i, [&] { return EquilibriumTable(*model, loads, model->neutral(), {paths[i]}); });
    head.parameters.push_back({paths[i], unit_at_rest(*model, paths[i])});
  }
  equilibria = std::make_unique<const EquilibriumTable>(*model, loads, model->neutral(), paths);
}

void Sweep::Plan::choose_outputs(const SweepSettings& settings) {
  const bool at_rest = what != What::simulate;
  std::vector<std::string> keep = settings.keep;
  if (keep.empty() && what == What::modes) {
    for (int i = 0; i < std::min(k_usual_modes, model->nv()); ++i) {
      keep.push_back(fmt::format("frequency[{}]", i)), keep.push_back(fmt::format("damping_ratio[{}]", i));
    }
  } else if (keep.empty()) {
    keep.emplace_back(model->links().empty() ? "energy.total" : "tip");
  }
  std::vector<std::string> of_samples;
  for (const std::string& text : keep) {
    std::size_t mode = 0;
    const bool frequency = text.starts_with("frequency["), damping = text.starts_with("damping_ratio[");
    if (what != What::modes || (!frequency && !damping)) {
      of_samples.push_back(text);
      continue;
    }
    const std::string number = text.substr(text.find('[') + 1);
    const bool good = number.ends_with(']') && number.size() > 1 && number.size() < 10 &&
                      std::all_of(number.begin(), number.end() - 1, [](char c) { return c >= '0' && c <= '9'; });
    if (good) mode = std::stoul(number);
    if (!good || mode >= 2 * static_cast<std::size_t>(model->nv())) {
      throw ArgumentError(fmt::format("--keep {}: found no such mode, expected frequency[0] and on", text));
    }
    mode_columns.push_back({frequency, mode});
    head.outputs.push_back({text, frequency ? "Hz" : ""});
  }
  metrics = std::make_unique<const SweepMetrics>(*model, sweep_blocks(*model, scenario), of_samples, at_rest);
  for (const SweepMetric& metric : metrics->all()) head.outputs.push_back(metric.made);
  if (at_rest) {
    head.outputs.insert(head.outputs.end(), {{"stability", ""}, {"growth_rate", "1/s"}, {"smallest_stiffness", ""}});
  }
  std::set<std::string> taken{"row", "status", "reason", "seconds", "version", "instruction_set", "hash"};
  for (const SweepColumn& column : head.parameters) taken.insert(column.name);
  for (const SweepColumn& column : head.outputs) {
    if (!taken.insert(column.name).second) {
      throw ArgumentError(
          fmt::format("--keep: found '{}' twice, expected another name, as NAME={}", column.name, column.name));
    }
  }
}

void Sweep::Plan::describe(const SweepSettings& settings) {
  TextHash numbers_of_table;
  for (const auto& row : table.rows) {
    for (const double value : row) numbers_of_table.add(fmt::format("{}", value));
  }
  std::string text = what_name(what);
  if (table_rows > 1 || !table.names.empty()) {
    text += fmt::format("; table of {} rows, {}", table_rows, numbers_of_table.text());
  }
  if (samples) {
    text += fmt::format("; {} samples, {}, seed {}", sample_count, settings.sample.empty() ? "lhs" : settings.sample,
                        settings.seed);
  }
  for (const SweepVariable& variable : drawn) {
    text +=
        fmt::format("; {} {} {} {}", variable.path, variable.kind == SweepVariable::Kind::normal ? "normal" : "uniform",
                    variable.first, variable.second);
  }
  if (identified) {
    TextHash factor;
    for (const double value : identified->factor.reshaped()) factor.add(fmt::format("{}", value));
    text += fmt::format("; covariance of the last {}, {}", identified->paths.size(), factor.text());
  }
  for (const SweepVariable& variable : lists) {
    TextHash values;
    for (const double value : variable.values) values.add(fmt::format("{}", value));
    text += fmt::format("; {} list of {}, {}", variable.path, variable.values.size(), values.text());
  }
  head.plan = one_line(text);
  head.arguments = arguments_of(settings);
}

void Sweep::Plan::check(std::int64_t number) const {
  if (number >= 0 && number < head.count) return;
  throw ArgumentError(fmt::format("sweep: found run {}, expected 0 to {}", number, head.count - 1));
}

std::vector<double> Sweep::Plan::values(std::int64_t number) const {
  const std::int64_t in_lists = number % list_count, rest = number / list_count;
  const std::int64_t sample = rest % sample_count, row = rest / sample_count;
  std::vector<double> values;
  if (!table.names.empty()) values = table.rows[static_cast<std::size_t>(row)];
  const std::size_t own = drawn.size() - (identified ? identified->paths.size() : 0);  // independent ones
  for (std::size_t j = 0; j < own; ++j) values.push_back(drawn[j].at(samples->at(sample, j)));
  if (identified) {
    VectorXd z(identified->values.size());
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      z[i] = normal_quantile(samples->at(sample, own + static_cast<std::size_t>(i)));
    }
    for (Eigen::Index i = 0; i < z.size(); ++i) values.push_back(identified->at(i, z));
  }
  std::int64_t stride = list_count, left = in_lists;
  for (const SweepVariable& list : lists) {
    stride /= static_cast<std::int64_t>(list.values.size());
    values.push_back(list.values[static_cast<std::size_t>(left / stride)]);
    left %= stride;
  }
  return values;
}

Found Sweep::Plan::simulate(const std::vector<double>& values, const std::atomic<bool>* stop,
                            const std::vector<Recorder*>& recorders) const {
  std::optional<Model> changed;
  if (other_robots) {
    std::vector<ParameterChange> changes;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i].of == SweepNumber::Of::robot) changes.push_back({numbers[i].path, values[i]});
    }
    changed.emplace(model->with(changes));
  }
  const Model& robot = changed ? *changed : *model;
  Scenario run = scenario;
  set_sweep_numbers(robot, numbers, values, run);
  const Simulator simulator(robot, run);
  std::atomic<bool> end = false;
  bool late = false;
  RunOptions options;
  options.stop = &end;
  options.progress = [&](const Progress& progress) {
    late = late || (time_limit && progress.wall_seconds > *time_limit);
    end = late || (stop != nullptr && *stop);
  };
  if (stop != nullptr && *stop) {
    Found none;
    none.stopped = true;
    return none;
  }
  const Outcome outcome = simulator.run(recorders, options);
  Found found;
  if (outcome.status == RunStatus::complete) return found;
  if (late) {
    found.status = SweepStatus::failed;
    found.reason = fmt::format("time limit of {:g} s: found the run not at its end, expected that", *time_limit);
  } else {
    found.stopped = true;
  }
  return found;
}

Found Sweep::Plan::rest(const std::vector<double>& values, const std::atomic<bool>* stop, const AtRest& at) const {
  MatrixXd row(1, static_cast<Eigen::Index>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) row(0, static_cast<Eigen::Index>(i)) = values[i];
  Found found;
  EquilibriumTable::Options options;
  options.from_rest = true, options.threads = 1;
  const auto start = Clock::now();
  options.heartbeat = [&] {
    found.stopped = stop != nullptr && *stop;
    if (found.stopped) throw Error("stopped");
    if (time_limit && seconds_since(start) > *time_limit) {
      throw Error(fmt::format("time limit of {:g} s: found no equilibrium within it, expected one", *time_limit));
    }
  };
  options.found = [&](std::size_t, const EquilibriumTable::Row& solved, const StaticEquilibrium& equilibrium) {
    at(solved, equilibrium);
  };
  const std::vector<TableEquilibrium> rows = equilibria->solve(row, options);
  if (!rows.front().found) found.status = SweepStatus::failed, found.reason = rows.front().trouble;
  return found;
}

void Sweep::Plan::measure(const EquilibriumTable::Row& at, const StaticEquilibrium& equilibrium, Found& found) const {
  if (!mode_columns.empty()) {
    const std::vector<Mode> all = modes(linearized_motion(at.model, at.data, at.loads, equilibrium));
    for (const ModeColumn& column : mode_columns) {
      const bool there = column.mode < all.size();
      found.outputs.push_back(!there             ? std::numeric_limits<double>::quiet_NaN()
                              : column.frequency ? all[column.mode].frequency()
                                                 : all[column.mode].damping_ratio());
    }
  }
  const Sample sample = sample_at(at, equilibrium);
  for (const double value : metrics->at_rest(sweep_blocks(at.model, {}), sample)) found.outputs.push_back(value);
  found.outputs.push_back(static_cast<double>(equilibrium.stability));
  found.outputs.push_back(equilibrium.growth_rate);
  found.outputs.push_back(equilibrium.smallest_stiffness);
}

Sweep::Sweep(const SweepSettings& settings) : plan_(std::make_unique<const Plan>(settings)) {}
Sweep::~Sweep() = default;
const SweepHead& Sweep::head() const { return plan_->head; }
const std::vector<std::string>& Sweep::warnings() const { return plan_->warnings; }
const std::vector<std::string>& Sweep::files() const { return plan_->files; }

std::vector<double> Sweep::values(std::int64_t number) const {
  plan_->check(number);
  return plan_->values(number);
}

SweepSettings::What Sweep::what() const { return plan_->what; }

std::optional<SweepCurves> Sweep::curves(std::int64_t number, const std::vector<std::string>& columns,
                                         const std::atomic<bool>* stop) const {
  if (plan_->what != What::simulate) {
    throw ArgumentError("sweep: found equilibria, expected simulations: they have curves over time");
  }
  const std::vector<double> varied = values(number);
  const SweepMetrics chosen(*plan_->model, sweep_blocks(*plan_->model, plan_->scenario), columns, true, "--bands");
  CurveRecorder recorder(chosen);
  const Found found = plan_->simulate(varied, stop, {&recorder});
  if (found.stopped) return std::nullopt;
  if (found.status != SweepStatus::complete) throw Error(found.reason);
  return recorder.curves();
}

SweepEquilibrium Sweep::equilibrium(std::int64_t number) const {
  if (plan_->what == What::simulate) {
    throw ArgumentError("sweep: found simulations, expected --statics or --modes: they have equilibria");
  }
  SweepEquilibrium result;
  const Found found =
      plan_->rest(values(number), nullptr, [&](const EquilibriumTable::Row& at, const StaticEquilibrium& equilibrium) {
        result.robot = at.model.robot(), result.sample = sample_at(at, equilibrium);
      });
  if (found.status != SweepStatus::complete) throw Error(found.reason);
  result.visuals = plan_->visuals;
  return result;
}

SweepRow Sweep::unanswered(std::int64_t number, SweepStatus status, const std::string& reason) const {
  SweepRow row;
  row.number = number, row.parameters = values(number), row.status = status, row.reason = one_line(reason);
  row.outputs.assign(plan_->head.outputs.size(), std::numeric_limits<double>::quiet_NaN());
  row.version = k_version, row.instruction_set = instruction_set_name(), row.hash = plan_->head.hash;
  return row;
}

std::optional<SweepRow> Sweep::run(std::int64_t number, const std::atomic<bool>* stop,
                                   const std::string& result) const {
  if (!result.empty() && plan_->what != What::simulate) {
    throw ArgumentError("--save: found it for equilibria, expected it for simulations alone");
  }
  SweepRow row = unanswered(number, SweepStatus::failed, "");
  const auto start = Clock::now();
  try {
    Found found;
    if (plan_->what == What::simulate) {
      MetricRecorder recorder(*plan_->metrics);
      std::vector<Recorder*> recorders{&recorder};
      std::optional<LockedRecorder> file;
      if (!result.empty()) recorders.push_back(&file.emplace(result));
      found = plan_->simulate(row.parameters, stop, recorders);
      if (found.status == SweepStatus::complete && !found.stopped) found.outputs = recorder.values();
    } else {
      std::vector<double> outputs;
      found =
          plan_->rest(row.parameters, stop, [&](const EquilibriumTable::Row& at, const StaticEquilibrium& equilibrium) {
            Found measured;
            plan_->measure(at, equilibrium, measured);
            outputs = std::move(measured.outputs);
          });
      found.outputs = std::move(outputs);
    }
    if (found.stopped) return std::nullopt;
    row.status = found.status, row.reason = one_line(found.reason);
    if (found.status == SweepStatus::complete) row.outputs = std::move(found.outputs);
  } catch (const FileError& error) {
    if (!result.empty()) throw;  // the file of the run
    row.reason = one_line(error.what());
  } catch (const std::exception& error) {
    row.reason = one_line(error.what());
  }
  row.seconds = seconds_since(start);
  return row;
}

}  // namespace cuttle
