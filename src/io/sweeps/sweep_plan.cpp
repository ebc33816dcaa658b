#include "io/sweeps/sweep_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string_view>
#include <utility>

#include "cuttle/error.h"
#include "cuttle/io/named_files.h"
#include "cuttle/io/plain_text.h"

namespace cuttle {
namespace {

using What = SweepSettings::What;

constexpr int k_usual_modes = 3;

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

}  // namespace

Sweep::Plan::Plan(const SweepSettings& settings) : what(settings.what), time_limit(settings.time_limit) {
  if (time_limit && !(*time_limit > 0.0)) {
    throw ArgumentError(fmt::format("--time-limit: found {:g}, expected a number > 0 [s]", *time_limit));
  }
  Overrides overrides;
  read_variables(settings, overrides);
  read_files(settings, overrides);
  find_numbers();
  if (what == What::simulate) no_lanes = find_no_lanes();
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
  std::set<std::string> taken{"row", "status", "reason", "seconds", "version", "instruction_set", "hash", "run_as"};
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

}  // namespace cuttle
