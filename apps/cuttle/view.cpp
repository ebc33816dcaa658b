#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "cuttle/error.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/sweep_file.h"
#include "cuttle/io/whole_file.h"
#include "cuttle/view/report.h"
#include "open_in_browser.h"
#include "shown_sweep.h"
#include "viewer_page.h"

namespace cuttle {
namespace {

struct ViewOptions {
  std::vector<std::string> files;
  bool compare = false, no_open = false;
  std::string output;
  std::size_t frames = ReportOptions{}.frames;
  ViewSweepOptions sweep;
};

/// Beside the result; of two results beside the first, with both names. Robot and scenario files may lie where nothing
/// should be written: their pages go to the current folder.
std::string default_output(const std::vector<std::string>& files) {
  namespace fs = std::filesystem;
  const fs::path first = files[0];
  std::string name = first.stem().string();
  if (files.size() > 1) name += "_and_" + fs::path(files[1]).stem().string();
  const bool result = first.extension() != ".yaml" && first.extension() != ".yml";
  return ((result ? first.parent_path() : fs::path()) / (name + ".html")).string();
}

void view(const ViewOptions& options) {
  if (options.files.size() == 1 && is_sweep_file(options.files[0])) {
    return view_sweep(options.files[0], options.sweep, options.output, options.frames, options.no_open);
  }
  if (std::filesystem::exists(options.files[0]) && (options.sweep.run || options.sweep.shown.given())) {
    throw ArgumentError(fmt::format(
        "{}: found no sweep, expected one for --x, --y, --color, --bands, --source or --run", options.files[0]));
  }
  if (options.compare && options.files.size() != 2) {
    throw ArgumentError(fmt::format("--compare: found {} file, expected two results", options.files.size()));
  }
  const std::string output = options.output.empty() ? default_output(options.files) : options.output;
  check_output_extension("--output", output, {".html", ".htm"});
  std::vector<ShownRun> runs;
  for (const std::string& file : options.files) runs.push_back(shown_file(file));
  check_writable(output);
  for (const ShownRun& run : runs) {
    if (runs.size() < 2 || run.sequence.kind == ResultSequence::Kind::simulation) continue;
    throw ArgumentError(
        fmt::format("{}: found a result of the kind '{}', expected two simulations to compare (`cuttle plot` "
                    "draws several paths over each other)",
                    run.file, sequence_kind_name(run.sequence.kind)));
  }
  label_apart(runs);
  ReportOptions report;
  report.frames = options.frames;
  const std::string page = report_page(viewer_page(), runs, report);
  write_whole_file(output, page);

  fmt::print("{}: {:.1f} MB, opens in any browser, needs no network\n", output, static_cast<double>(page.size()) / 1e6);
  for (const ShownRun& run : runs) {
    const bool all =
        run.sequence.kind == ResultSequence::Kind::path || run.sequence.kind == ResultSequence::Kind::modes;
    if (!all && run.samples.size() > options.frames) {
      fmt::print("  {}: {} of {} rows are frames of the animation (--frames); the plots have all\n", run.label,
                 options.frames, run.samples.size());
    }
  }
  if (options.no_open) return;
  if (!open_in_browser(output)) fmt::print("  no desktop to open it: open the file in a browser\n");
}

}  // namespace

void add_view_command(CLI::App& app) {
  auto* command = app.add_subcommand("view", "Show a result in the browser: the robot in 3D, and all curves");
  const auto options = std::make_shared<ViewOptions>();
  command
      ->add_option(
          "file", options->files,
          "result of `cuttle simulate`, or two to compare; of `statics` or `modes`; a sweep; a robot or scenario "
          "file shows the robot at rest")
      ->type_name("RESULT.h5|SWEEP.h5|ROBOT.yaml")
      ->required()
      ->expected(1, 2);
  command->add_flag("--compare", options->compare, "two runs over each other, with their differences");
  command
      ->add_option(
          "-o,--output", options->output,
          "page to write (default: beside the result; of a robot file here; of a sweep none: the page is served, and a "
          "click on a run shows it)")
      ->type_name("FILE.html");
  command->add_option("--frames", options->frames, "most frames of the animation of a run")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{2}, std::size_t{100000}));
  add_force_option(*command);
  command->add_flag("--no-open", options->no_open, "only write the page; of a sweep only print where it is served");
  add_sweep_view_options(*command, options->sweep.shown);
  command->add_option("--run", options->sweep.run, "of a sweep: make this run again and show it")->type_name("NUMBER");
  command
      ->add_option("--port", options->sweep.port,
                   "of a sweep: where the page is served; if it is taken, the next free one; 0: any")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535));
  command->footer(
      "The page is one file that holds everything: mail it, open it from a USB stick. docs/viewing.md tells its keys.\n"
      "Examples:\n"
      "  cuttle view out/hybrid_arm.h5\n"
      "  cuttle view --compare out/pcc.h5 out/pcs.h5 -o out/comparison.html\n"
      "  cuttle view out/path.h5     (of `cuttle statics --path`: each point, and the diagram)\n"
      "  cuttle view out/soft.h5 --y upper.tip.z --bands upper.tip.x     (of `cuttle sweep`; Ctrl-C ends it)\n"
      "  cuttle view models/examples/tendon_arm.yaml");
  command->callback([options] { view(*options); });
}

}  // namespace cuttle
