#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "commands.h"
#include "cuttle/error.h"
#include "cuttle/identification/identification_job.h"
#include "cuttle/view/identification_page.h"
#include "identify_output.h"
#include "json_output.h"
#include "progress_line.h"
#include "stop_on_signal.h"
#include "viewer_page.h"

namespace cuttle {
namespace {

struct IdentifyOptions {
  IdentificationRequest request;
  bool json = false;
};

/// @throws CLI::RuntimeError with the exit code if it is interrupted before there is anything to show.
void fit(IdentificationJob& job) {
  ProgressLine line;
  const auto begin = std::chrono::steady_clock::now();
  try {
    job.fit(&StopOnSignal::stop, [&](double done, const std::string& words) {
      line.show(done, words, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    });
  } catch (const InterruptedError&) {
    fmt::print(stderr, "interrupted: nothing was compared yet, and nothing is written\n");
    throw CLI::RuntimeError(128 + StopOnSignal::signal_number);
  }
}

void print(const IdentificationOutcome& outcome, const IdentifyOptions& options) {
  if (options.json) {
    print_json(Json::parse(identification_json(outcome)));
  } else {
    print_text(options.request, outcome);
    for (const std::string& path : {outcome.written, outcome.report}) {
      if (!path.empty()) fmt::print("\nwritten: {}", path);
    }
    if (!outcome.written.empty() || !outcome.report.empty()) fmt::print("\n");
  }
  std::fflush(stdout);
}

/// @throws the first failure behind the fit; CLI::RuntimeError with the exit code if the command was interrupted.
void finish(const IdentificationJob& job) {
  const bool stopped = StopOnSignal::stop;
  try {
    job.rethrow_failure();
  } catch (const std::exception& error) {
    if (!stopped) throw;
    fmt::print(stderr, "{}\n", printable(error.what()));
  }
  if (!stopped) return;
  const IdentificationOutcome& outcome = job.outcome();
  const int folds = job.request().folds;
  if (outcome.found.status == LeastSquaresStatus::stopped) {
    fmt::print(stderr, "interrupted: these are the best so far\n");
  } else {
    fmt::print(stderr, "interrupted: the search was finished{}\n",
               folds > 0 ? fmt::format(", and {} of {} folds of the cross-validation",
                                       outcome.cross ? outcome.cross->folds : 0, folds)
                         : "");
  }
  throw CLI::RuntimeError(128 + StopOnSignal::signal_number);
}

void run_identify(const IdentifyOptions& options) {
  IdentificationJob job(options.request);
  if (!options.json) print_warnings(job.warnings());
  job.prepare();
  const StopOnSignal signals;
  fit(job);
  job.write_robot();
  job.validate();
  job.compare_held_out();
  job.write_report([&job] { return identification_page(job, viewer_page()); });
  print(job.outcome(), {job.request(), options.json});
  finish(job);
}

}  // namespace

void add_identify_command(CLI::App& app) {
  auto* command = app.add_subcommand("identify", "Find a robot's parameters from measurements");
  const auto options = std::make_shared<IdentifyOptions>();
  add_identification_options(*command, options->request);
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
