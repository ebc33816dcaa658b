#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "commands.h"
#include "cuttle/error.h"
#include "cuttle/identification/identified_robot.h"
#include "cuttle/identification/motion_experiment.h"
#include "cuttle/io/decimal.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/robot_writer.h"
#include "cuttle/io/whole_file.h"
#include "cuttle/model/spelling.h"
#include "identify_output.h"
#include "identify_report.h"
#include "progress_line.h"
#include "stop_on_signal.h"

namespace cuttle {
namespace {

/// Deviations of channels: COLUMN=VALUE, where `*` in COLUMN stands for any text.
/// @return the channels that have one.
std::set<const MeasuredChannel*> set_deviations(const std::vector<std::string>& given,
                                                const std::vector<Experiment*>& experiments) {
  std::set<const MeasuredChannel*> all;
  for (const std::string& text : listed_entries(given)) {
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const auto value = equals == text.npos ? std::nullopt : parse_decimal(text.substr(equals + 1));
    if (!value || !std::isfinite(*value) || !(*value > 0.0)) {
      throw ArgumentError(fmt::format(
          "--deviation: found '{}', expected COLUMN=NUMBER > 0 of a measured column, in the unit of its quantity",
          text));
    }
    std::vector<std::string> known;
    bool used = false;
    for (Experiment* experiment : experiments) {
      for (MeasuredChannel& channel : experiment->channels()) {
        known.push_back(channel.column), known.push_back(channel.quantity);
        if (!matches_pattern(channel.column, name) && !matches_pattern(channel.quantity, name)) continue;
        channel.deviation = *value, used = true;
        all.insert(&channel);
      }
    }
    if (used) continue;
    throw ArgumentError(
        fmt::format("--deviation: found '{}', which matches no measured column, expected COLUMN=NUMBER "
                    "with the name of one, as '{}', or of its quantity, '*' for any text{}",
                    text, known.front(), did_you_mean(name, known)));
  }
  return all;
}

/// Residuals of meters and newtons cannot be added without saying how good each is, nor those that have a deviation to
/// those that have none.
/// @param with  channels that have a deviation.
void require_deviations(const IdentifyOptions& options, const std::vector<Experiment*>& experiments,
                        const std::set<const MeasuredChannel*>& with) {
  const auto text_of = [](const std::string& unit) { return unit.empty() ? "numbers without a unit" : unit; };
  const std::string& unit = experiments.front()->channels().front().unit;
  const Experiment* first = nullptr;  // and the first channel without one
  const MeasuredChannel *without = nullptr, *of_other_unit = nullptr;
  for (const Experiment* experiment : experiments) {
    for (const MeasuredChannel& channel : experiment->channels()) {
      if (without == nullptr && !with.contains(&channel)) first = experiment, without = &channel;
      if (of_other_unit == nullptr && channel.unit != unit) of_other_unit = &channel;
    }
  }
  if (without == nullptr) return;
  const std::string which = fmt::format("{}: column '{}'", first->label(), without->column);
  if (of_other_unit != nullptr) {
    throw ArgumentError(fmt::format(
        "{}: found measurements in {} and in {}, and no --deviation of this column, expected --deviation COLUMN=NUMBER "
        "for each: what an error of one counts beside one of the other",
        which, text_of(unit), text_of(of_other_unit->unit)));
  }
  if (!options.priors.empty()) {
    throw ArgumentError(fmt::format(
        "{}: found --prior and no --deviation of this column, expected one for each: what a measurement counts beside "
        "what is known",
        which));
  }
  if (!with.empty()) {
    throw ArgumentError(fmt::format(
        "{}: found no --deviation of this column, while others have one, expected one for each or for none", which));
  }
}

void read_loss(const std::string& text, IdentificationOptions& options) {
  const auto colon = text.find(':');
  options.loss = loss_of_name(text.substr(0, colon));
  if (colon == text.npos) return;
  const auto scale = parse_decimal(text.substr(colon + 1));
  if (!scale || !std::isfinite(*scale) || !(*scale > 0.0)) {
    throw ArgumentError(fmt::format("--loss: found '{}', expected NAME or NAME:SCALE with a scale > 0", text));
  }
  options.loss_scale = *scale;
}

/// Whether a text is that of a robot with these numbers: one that stands at an anchor is that of others too.
bool says_the_same(const std::string& text, const Model& wanted) {
  const std::vector<ParameterInfo> expected = wanted.parameters();
  const std::vector<ParameterInfo> found = Model(read_robot_text(text, "identified")).parameters();
  return std::equal(found.begin(), found.end(), expected.begin(), expected.end(),
                    [](const auto& a, const auto& b) { return a.path == b.path && a.value == b.value; });
}

void write_robot_with(const GivenRobot& given, const std::vector<FreeParameter>& parameters, const Model& model,
                      const Identification& found, const std::string& output) {
  const FreedRobot robot(model, parameters, found.values, false);
  if (given.as_in_file && given.alone) {
    const auto text = text_with_identified(given.yaml, given.path, parameters, found);
    if (text && says_the_same(*text, robot.model())) return write_whole_file(output, *text);
  }
  std::string head;
  std::istringstream comments(identified_comments(parameters, found));
  for (std::string line; std::getline(comments, line);) head += line.substr(2) + "\n";  // without "# "
  check_writable(output);  // what is there now, after the fit, may be another file
  write_robot_file(robot.model().robot(), output, true, given.visuals, head);
}

/// The files of the data; of one that is given twice also what it is given for.
std::vector<std::string> labels_of(const std::vector<GivenTable>& tables) {
  std::vector<std::string> labels;
  for (const GivenTable& table : tables) {
    const auto taken = [&](const std::string& label) {
      return std::find(labels.begin(), labels.end(), label) != labels.end();
    };
    std::string label = table.table.file;
    if (taken(label)) label = fmt::format("{} ({})", table.table.file, table.given);
    for (int k = 2; taken(label); ++k) label = fmt::format("{} ({}, {})", table.table.file, table.given, k);
    labels.push_back(std::move(label));
  }
  return labels;
}

/// What follows a fit: where a part of it fails the rest goes on, and what was found is not lost.
class AfterTheFit {
 public:
  template <typename Work>
  void attempt(const Work& work) {
    try {
      work();
    } catch (const std::exception& error) {
      if (first_ == nullptr) first_ = std::current_exception(), why_ = error.what();
    }
  }
  /// The first failure, now that all is said. @param interrupted  that is how the command ends: the failure is said.
  void finish(bool interrupted) const {
    if (first_ == nullptr) return;
    if (!interrupted) std::rethrow_exception(first_);
    fmt::print(stderr, "{}\n", printable(why_));
  }

 private:
  std::exception_ptr first_;
  std::string why_;
};

std::string report_of(const GivenRobot& given, const Model& model, const IdentifyOutcome& outcome,
                      const std::vector<Experiment*>& experiments, const std::vector<Experiment*>& held_out) {
  const FreedRobot identified(model, outcome.parameters, outcome.found.values, false);
  IdentificationPage page{std::filesystem::path(given.path).filename().string(),
                          identified,
                          given.visuals,
                          outcome.found,
                          {},
                          outcome.options.length};
  const auto add = [&](const char* rows, const std::vector<Experiment*>& of, const std::vector<std::string>& labels,
                       const std::vector<ExperimentFit>& fits) {
    for (std::size_t e = 0; e < of.size(); ++e) page.data.push_back({rows, labels[e], of[e], &fits[e]});
  };
  add("fitted", experiments, outcome.labels, outcome.found.fits);
  if (outcome.cross) add("left out", experiments, outcome.labels, outcome.cross->fits);
  add("held out", held_out, outcome.held_out_labels, outcome.held_out);
  return identification_page(page);
}

/// @throws CLI::RuntimeError with the exit code if it is interrupted before there is anything to show.
Identification search(const Model& model, const std::vector<FreeParameter>& parameters,
                      const std::vector<Experiment*>& experiments, const IdentificationOptions& options) {
  try {
    return identify(model, parameters, experiments, options);
  } catch (const InterruptedError&) {
    fmt::print(stderr, "interrupted: nothing was compared yet, and nothing is written\n");
    throw CLI::RuntimeError(128 + StopOnSignal::signal_number);
  }
}

/// What no file needs to be read for.
void check_options(IdentifyOptions& options) {
  if (options.length && !(*options.length > 0.0)) {
    throw ArgumentError(fmt::format("--length: found {:g}, expected a length > 0 [m]", *options.length));
  }
  for (const auto& [option, path, extension] :
       {std::tuple{"--output", &options.output, ".yaml"}, std::tuple{"--report", &options.report, ".html"}}) {
    if (path->empty()) continue;
    check_output_extension(option, *path, {extension});
  }
  read_loss(options.loss, options.solving);
  between_samples_of_name(options.between);
}

/// The command at work, by its steps.
class IdentifyRun {
 public:
  /// Reads the files. @param options  that are checked; outlive this.
  explicit IdentifyRun(IdentifyOptions& options) : options_(options), files_(options) {
    if (!options.json) print_warnings(files_.warnings());
    model_.emplace(given().robot);
  }

  void read_data() {
    const auto motions = static_cast<int>(std::count_if(files_.tables().begin(), files_.tables().end(),
                                                        [](const GivenTable& table) { return table.motion; }));
    // whole recordings are left out if there are enough of them
    const int stretches = motions >= options_.folds ? 1 : options_.folds;
    experiments_ = experiments_of(files_.tables(), options_.group, stretches);
    for (const std::string& text : listed_entries(options_.free)) {
      parameters_.push_back(parse_free_parameter(*model_, text, set_up_constants(experiments_)));
    }
    for (const std::string& text : listed_entries(options_.priors)) apply_prior(text, parameters_);
    held_out_ = experiments_of(files_.held_out(), "", 1);
  }
  void choose_weights() {
    const std::set<const MeasuredChannel*> with_deviation = set_deviations(options_.deviations, experiments_);
    require_deviations(options_, experiments_, with_deviation);
    options_.solving.deviations_known = !with_deviation.empty();
    options_.solving.refine_runs = !options_.tolerance;
  }
  /// What would be found out too late else.
  void check() const {
    require_distinct(parameters_);
    for (const std::string& path : {options_.output, options_.report}) {
      if (!path.empty()) check_writable(path);
    }
    if (options_.folds > 0) check_folds(parameters_, experiments_, options_.folds);
  }

  void fit() {
    line_.emplace();
    begin_ = std::chrono::steady_clock::now();
    options_.solving.stop = &StopOnSignal::stop;
    options_.solving.progress = [this](const LeastSquaresProgress& progress) { show(progress); };
    found_ = search(*model_, parameters_, experiments_, options_.solving);
    result_.emplace(IdentifyOutcome{
        options_, parameters_, found_, labels_of(files_.tables()), labels_of(files_.held_out()), {}, {}, {}});
  }
  void write_robot() {
    if (options_.output.empty()) return;
    after_.attempt([&] {
      write_robot_with(given(), parameters_, *model_, found_, options_.output);
      result_->written = options_.output;
    });
  }
  void validate() {
    if (options_.folds <= 0 || StopOnSignal::stop) return;
    after_.attempt([&] {
      CrossValidation cross =
          cross_validate(*model_, parameters_, experiments_, found_, options_.folds, options_.solving);
      if (cross.folds > 0) result_->cross = std::move(cross);
    });
  }
  void compare_held_out() {
    for (Experiment* experiment : held_out_) {
      if (experiment->run_tolerance() > found_.run_tolerance && found_.run_tolerance > 0.0) {
        experiment->set_run_tolerance(found_.run_tolerance);
      }
      result_->held_out.emplace_back();
      after_.attempt([&] { result_->held_out.back() = fit_of(*model_, parameters_, found_.values, *experiment); });
    }
  }
  void write_report() {
    if (options_.report.empty()) return;
    after_.attempt([&] {
      write_whole_file(options_.report, report_of(given(), *model_, *result_, experiments_, held_out_));
      report_written_ = options_.report;
    });
  }
  void print() const {
    if (options_.json) {
      print_as_json(*result_);
    } else {
      print_text(*result_);
      for (const std::string& path : {result_->written, report_written_}) {
        if (!path.empty()) fmt::print("\nwritten: {}", path);
      }
      if (!result_->written.empty() || !report_written_.empty()) fmt::print("\n");
    }
    std::fflush(stdout);
  }
  /// @throws the first failure after the fit; CLI::RuntimeError with the exit code if the command was interrupted.
  void finish() const {
    const bool stopped = StopOnSignal::stop;
    after_.finish(stopped);
    if (!stopped) return;
    if (found_.status == LeastSquaresStatus::stopped) {
      fmt::print(stderr, "interrupted: these are the best so far\n");
    } else {
      fmt::print(stderr, "interrupted: the search was finished{}\n",
                 options_.folds > 0 ? fmt::format(", and {} of {} folds of the cross-validation",
                                                  result_->cross ? result_->cross->folds : 0, options_.folds)
                                    : "");
    }
    throw CLI::RuntimeError(128 + StopOnSignal::signal_number);
  }

 private:
  const GivenRobot& given() const { return files_.robot(); }
  std::vector<Experiment*> experiments_of(const std::vector<GivenTable>& tables, const std::string& group,
                                          int stretches) {
    std::vector<Experiment*> experiments;
    experiments.reserve(tables.size());
    for (const GivenTable& table : tables) {
      owned_.push_back(files_.experiment(*model_, table, group, stretches));
      experiments.push_back(owned_.back().get());
    }
    return experiments;
  }
  void show(const LeastSquaresProgress& progress) {
    std::string best;
    for (std::size_t i = 0; i < std::min<std::size_t>(parameters_.size(), 3); ++i) {
      best += fmt::format("{}{:.4g}", i > 0 ? ", " : "", progress.z[static_cast<Eigen::Index>(i)]);
    }
    line_->show(static_cast<double>(progress.evaluations) / options_.solving.max_evaluations / options_.solving.starts,
                fmt::format("best: cost {:.5g} at {}{}", progress.cost, best, parameters_.size() > 3 ? ", .." : ""),
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count());
  }

  IdentifyOptions& options_;
  GivenFiles files_;
  std::optional<Model> model_;
  std::vector<std::unique_ptr<Experiment>> owned_;
  std::vector<Experiment*> experiments_, held_out_;
  std::vector<FreeParameter> parameters_;
  Identification found_;
  std::optional<IdentifyOutcome> result_;
  AfterTheFit after_;
  std::optional<ProgressLine> line_;
  std::chrono::steady_clock::time_point begin_;
  std::string report_written_;
};

void run_identify(IdentifyOptions options) {
  check_options(options);
  IdentifyRun run(options);
  run.read_data();
  run.choose_weights();
  run.check();
  const StopOnSignal signals;
  run.fit();
  run.write_robot();
  run.validate();
  run.compare_held_out();
  run.write_report();
  run.print();
  run.finish();
}

}  // namespace

void add_identify_command(CLI::App& app) {
  auto* command = app.add_subcommand("identify", "Find a robot's parameters from measurements");
  const auto options = std::make_shared<IdentifyOptions>();
  command
      ->add_option(
          "file", options->files,
          "robot and scenario files, each followed by its tables: behind a scenario recordings of motions, with "
          "a column `time`; else equilibria, inputs and measurements by row")
      ->type_name("FILE.yaml|FILE.csv")
      ->required()
      ->expected(2, CLI::detail::expected_max_vector_size);
  const auto add_list = [command](const char* name, std::vector<std::string>& list, const char* about,
                                  const char* type) {
    return command->add_option(name, list, about)->type_name(type)->take_all()->expected(1);
  };
  add_list("--free", options->free,
           "numbers to find, with commas between: a parameter's path, within bounds as PATH=lo:hi, by its logarithm as "
           "PATH=lo:hi:log; one number for all paths that match with *, or with + between; of the set-up COLUMN.bias, "
           "COLUMN.scale, of motions time.shift, simulation.initial.LINK.q[0], simulation.inputs.NAME.KEY, with "
           "TABLE: before it of one table; @FILE has one a line",
           "PATH[=lo:hi[:log]]")
      ->required();
  add_list("--map", options->map,
           "what a column is: time, an input, or what was measured by the names of results' columns, as "
           "mocap_x=hand.tip.x, servo_mm=cable*0.001 or t_ms=time*0.001-12.5; @FILE has one a line (default: columns "
           "of these names)",
           "COLUMN=NAME");
  add_list("--deviation", options->deviations,
           "standard deviation of a column's errors, in the unit of its quantity, for each column or for none; * in "
           "COLUMN stands for any text (default: the same for all, which the residuals tell)",
           "COLUMN=NUMBER");
  add_list("--prior", options->priors, "what is known beside the data, with its standard deviation",
           "NAME=VALUE:DEVIATION");
  command
      ->add_option(
          "--loss", options->loss,
          "squares, or against outliers soft_l1, huber, cauchy, beyond SCALE deviations (default: squares; SCALE "
          "from the residuals)")
      ->type_name("NAME[:SCALE]");
  command
      ->add_option("--starts", options->solving.starts,
                   "searches: one from the values of the file, others from random ones (default: 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 10000));
  command->add_option("--seed", options->solving.seed, "seed of the random starts (default: 0)")->type_name("N");
  command
      ->add_option("--folds", options->folds,
                   "cross-validation: predict each of so many parts of the rows from the others; of motions whole "
                   "recordings, or stretches of time of fewer")
      ->type_name("N")
      ->check(CLI::Range(2, 10000));
  command->add_option("--group", options->group, "rows with the same text in this column are left out together")
      ->type_name("COLUMN");
  add_list(
      "--held-out", options->held_out,
      "another table, predicted and not learned from; of a motion after --held-out SCENARIO, if it has another one",
      "FILE.csv");
  command->add_option("--length", options->length, "errors of positions also in percent of it [m]")
      ->type_name("METERS");
  command->add_option("--time", options->time, "time at which the robot's loads are taken [s] (default: 0)")
      ->type_name("SECONDS");
  command
      ->add_option("--tolerance", options->tolerance,
                   fmt::format("relative, of runs whose integrator chooses its steps: one that the scenario asks to be "
                               "better is not (default: {:g}, and finer until it moves no value by 2 % of the half "
                               "width of its interval)",
                               k_run_tolerance))
      ->type_name("NUMBER")
      ->check(CLI::Range(IntegratorOptions::k_least_relative_tolerance, IntegratorOptions::k_most_relative_tolerance));
  command
      ->add_option("--between", options->between,
                   "what a recorded input is between its samples: spline, linear, hold (default: spline)")
      ->type_name("NAME");
  command
      ->add_option("--evaluations", options->solving.max_evaluations, "most evaluations of each search (default: 200)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--threads", options->threads, "threads (default: one a core)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  add_set_option(*command, options->overrides);
  command->add_option("-o,--output", options->output, "the robot file with what was found, intervals as comments")
      ->type_name("FILE.yaml");
  command->add_option("--report", options->report, "page with the numbers, data and model in 3D, and residuals")
      ->type_name("FILE.html");
  add_force_option(*command);
  command->add_flag("--json", options->json, "print one JSON object, numbers with 17 digits");
  command->footer(
      "Ctrl-C ends the search with the best so far. docs/identification.md explains all of it with two real robots.\n"
      "Examples:\n"
      "  cuttle identify arm.yaml shapes.csv --free materials.silicone.young_modulus=1e5:1e6:log -o identified.yaml\n"
      "  cuttle identify arm.yaml shapes.csv --free @free.txt --map @columns.txt --folds 8 --report fit.html\n"
      "  cuttle identify release_scenario.yaml release.csv --free materials.silicone.damping_time,time.shift");
  command->callback([options] { run_identify(*options); });
}

}  // namespace cuttle
