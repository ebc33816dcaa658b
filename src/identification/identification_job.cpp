#include "cuttle/identification/identification_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <set>
#include <sstream>

#include "cuttle/error.h"
#include "cuttle/identification/identified_robot.h"
#include "cuttle/identification/motion_experiment.h"
#include "cuttle/io/decimal.h"
#include "cuttle/io/replaced_files.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/robot_writer.h"
#include "cuttle/io/whole_file.h"
#include "cuttle/model/spelling.h"
#include "identification/given_files.h"
#include "io/name_pattern.h"

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
        if (!matches_pattern(name, channel.column) && !matches_pattern(name, channel.quantity)) continue;
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
void require_deviations(const IdentificationRequest& request, const std::vector<Experiment*>& experiments,
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
  if (!request.priors.empty()) {
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

/// What no file needs to be read for.
IdentificationRequest checked(IdentificationRequest request) {
  if (request.length && !(*request.length > 0.0)) {
    throw ArgumentError(fmt::format("--length: found {:g}, expected a length > 0 [m]", *request.length));
  }
  if (!request.output.empty()) check_output_extension("--output", request.output, {".yaml"});
  if (!request.report.empty()) check_output_extension("--report", request.report, {".html"});
  read_loss(request.loss, request.solving);
  between_samples_of_name(request.between);
  return request;
}

}  // namespace

class IdentificationJob::Parts {
 public:
  explicit Parts(IdentificationRequest given)
      : request(checked(std::move(given))), files(request), model(files.robot().robot) {
    for (const std::string& path : {request.output, request.report}) {
      if (request.force && !path.empty()) replacing_.push_back(std::make_unique<ReplaceAnyFile>(path));
    }
  }

  void read_data() {
    const auto motions =
        std::count_if(files.tables().begin(), files.tables().end(), [](const GivenTable& t) { return t.motion; });
    // whole recordings are left out if there are enough of them
    experiments = experiments_of(files.tables(), request.group, motions >= request.folds ? 1 : request.folds);
    for (const std::string& text : listed_entries(request.free)) {
      outcome.parameters.push_back(parse_free_parameter(model, text, set_up_constants(experiments)));
    }
    for (const std::string& text : listed_entries(request.priors)) apply_prior(text, outcome.parameters);
    held_out = experiments_of(files.held_out(), "", 1);
    outcome.labels = labels_of(files.tables()), outcome.held_out_labels = labels_of(files.held_out());
  }

  void choose_weights() {
    const std::set<const MeasuredChannel*> with_deviation = set_deviations(request.deviations, experiments);
    require_deviations(request, experiments, with_deviation);
    request.solving.deviations_known = !with_deviation.empty();
    request.solving.refine_runs = !request.tolerance;
  }

  /// What would be found out too late else.
  void check() const {
    require_distinct(outcome.parameters);
    for (const std::string& path : {request.output, request.report}) {
      if (!path.empty()) check_writable(path);
    }
    if (request.folds > 0) check_folds(outcome.parameters, experiments, request.folds);
  }

  void show(const LeastSquaresProgress& progress,
            const std::function<void(double done, const std::string& words)>& to) const {
    const std::size_t count = outcome.parameters.size(), named = std::min<std::size_t>(count, 3);
    std::string best;
    for (std::size_t i = 0; i < named; ++i) {
      best += fmt::format("{}{:.4g}", i > 0 ? ", " : "", progress.z[static_cast<Eigen::Index>(i)]);
    }
    const double most = static_cast<double>(request.solving.max_evaluations) * request.solving.starts;
    to(std::min(progress.evaluations / most, 1.0),
       fmt::format("best: cost {:.5g} at {}{}", progress.cost, best, count > named ? ", .." : ""));
  }

  /// A step behind the fit.
  template <typename Step>
  void attempt(const Step& step) {
    try {
      step();
    } catch (...) {
      if (failure == nullptr) failure = std::current_exception();
    }
  }

  IdentificationRequest request;
  GivenFiles files;  // has the request's address
  Model model;
  std::vector<Experiment*> experiments, held_out;
  IdentificationOutcome outcome;
  std::exception_ptr failure;

 private:
  std::vector<Experiment*> experiments_of(const std::vector<GivenTable>& tables, const std::string& group,
                                          int stretches) {
    std::vector<Experiment*> made;
    for (const GivenTable& table : tables) {
      owned_.push_back(files.experiment(model, table, group, stretches));
      made.push_back(owned_.back().get());
    }
    return made;
  }

  std::vector<std::unique_ptr<Experiment>> owned_;
  std::vector<std::unique_ptr<ReplaceAnyFile>> replacing_;
};

IdentificationJob::IdentificationJob(IdentificationRequest request)
    : parts_(std::make_unique<Parts>(std::move(request))) {}
IdentificationJob::~IdentificationJob() = default;

void IdentificationJob::prepare() {
  parts_->read_data();
  parts_->choose_weights();
  parts_->check();
}

void IdentificationJob::fit(const std::atomic<bool>* stop,
                            const std::function<void(double done, const std::string& words)>& show) {
  IdentificationOptions& solving = parts_->request.solving;
  solving.stop = stop;
  if (show) solving.progress = [this, show](const LeastSquaresProgress& progress) { parts_->show(progress, show); };
  parts_->outcome.found = identify(parts_->model, parts_->outcome.parameters, parts_->experiments, solving);
}

void IdentificationJob::write_robot() {
  const std::string& output = parts_->request.output;
  if (output.empty()) return;
  parts_->attempt([&] {
    write_robot_with(parts_->files.robot(), parts_->outcome.parameters, parts_->model, parts_->outcome.found, output);
    parts_->outcome.written = output;
  });
}

void IdentificationJob::validate() {
  const IdentificationRequest& request = parts_->request;
  if (request.folds <= 0 || (request.solving.stop != nullptr && *request.solving.stop)) return;
  parts_->attempt([&] {
    CrossValidation cross = cross_validate(parts_->model, parts_->outcome.parameters, parts_->experiments,
                                           parts_->outcome.found, request.folds, request.solving);
    if (cross.folds > 0) parts_->outcome.cross = std::move(cross);
  });
}

void IdentificationJob::compare_held_out() {
  IdentificationOutcome& outcome = parts_->outcome;
  const double tolerance = outcome.found.run_tolerance;
  for (Experiment* experiment : parts_->held_out) {
    if (experiment->run_tolerance() > tolerance && tolerance > 0.0) experiment->set_run_tolerance(tolerance);
    outcome.held_out.emplace_back();
    parts_->attempt([&] {
      outcome.held_out.back() = fit_of(parts_->model, outcome.parameters, outcome.found.values, *experiment);
    });
  }
}

void IdentificationJob::write_report(const std::function<std::string()>& page) {
  const std::string& report = parts_->request.report;
  if (report.empty()) return;
  parts_->attempt([&] {
    write_whole_file(report, page());
    parts_->outcome.report = report;
  });
}

void IdentificationJob::rethrow_failure() const {
  if (parts_->failure != nullptr) std::rethrow_exception(parts_->failure);
}

const IdentificationRequest& IdentificationJob::request() const { return parts_->request; }
const IdentificationOutcome& IdentificationJob::outcome() const { return parts_->outcome; }
std::vector<std::string> IdentificationJob::warnings() const { return parts_->files.warnings(); }
const Model& IdentificationJob::model() const { return parts_->model; }
const std::string& IdentificationJob::robot_path() const { return parts_->files.robot().path; }
const std::vector<LinkVisual>& IdentificationJob::visuals() const { return parts_->files.robot().visuals; }
const std::vector<Experiment*>& IdentificationJob::experiments() const { return parts_->experiments; }
const std::vector<Experiment*>& IdentificationJob::held_out() const { return parts_->held_out; }

}  // namespace cuttle
