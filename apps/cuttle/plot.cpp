#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "cuttle/error.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/sweep_file.h"
#include "cuttle/io/whole_file.h"
#include "cuttle/view/curve_plot.h"
#include "shown_sweep.h"

namespace cuttle {
namespace {

struct PlotOptions {
  std::vector<std::string> files;
  std::vector<std::string> what;    // with commas
  std::vector<std::string> labels;  // of the files; empty: their names
  std::string output, size;
  bool list = false;
  CurvePlotOptions curves;
  ShownSweepOptions sweep;
};

/// Reads a number > 0 from the front of a text and takes it away.
std::optional<double> take_number(std::string& text) {
  double value = 0.0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value) || !(value > 0.0)) return std::nullopt;
  text.erase(0, static_cast<std::size_t>(stopped - text.data()));
  return value;
}

/// WIDTH or WIDTHxHEIGHT, and a unit; millimeters if there is none.
void read_size(const std::string& text, CurvePlotOptions& curves) {
  static const std::map<std::string, double> k_units{{"", 1.0},    {"mm", 1.0},       {"cm", 10.0},
                                                     {"in", 25.4}, {"pt", 25.4 / 72}, {"px", 25.4 / 96}};
  std::string rest = text;
  const auto width = take_number(rest);
  std::optional<double> height;
  bool good = width.has_value();
  if (good && rest.starts_with('x')) {
    rest.erase(0, 1);
    height = take_number(rest);
    good = height.has_value();
  }
  const auto unit = k_units.find(rest);
  if (!good || unit == k_units.end()) {
    throw ArgumentError(fmt::format(
        "--size: found '{}', expected a width as 84, or width and height as 84x60, in mm or with one of px, pt, cm, in",
        text));
  }
  curves.width = *width * unit->second;
  if (height) curves.height = *height * unit->second;
}

/// Files' names tell runs apart, or their paths where names do not.
std::string label_of(const std::string& file, const std::vector<std::string>& files) {
  const auto stem = [](const std::string& path) { return std::filesystem::path(path).stem().string(); };
  const auto same = std::count_if(files.begin(), files.end(), [&](const auto& f) { return stem(f) == stem(file); });
  return same > 1 ? file : stem(file);
}

/// Beside the first result, with the names of all; `simulate --svg` writes a figure with the result's own name.
std::string default_output(const std::vector<std::string>& files) {
  const std::filesystem::path first = files[0];
  std::string name = first.stem().string();
  for (std::size_t i = 1; i < files.size(); ++i) name += "_and_" + std::filesystem::path(files[i]).stem().string();
  return (first.parent_path() / (name + "_curves.svg")).string();
}

/// A point a run, and bands over time.
void plot_sweep(PlotOptions options) {
  const std::string& file = options.files[0];
  if (options.output.empty()) options.output = default_output(options.files);
  check_output_extension("--output", options.output, {".svg"});
  if (!options.what.empty() || options.curves.from || options.curves.to) {
    throw ArgumentError(
        fmt::format("{}: found a sweep, expected a result for --what, --from or --to; a sweep has --x, "
                    "--y, --color and --bands",
                    file));
  }
  const ShownSweep sweep = shown_sweep(file, options.sweep, false);
  SweepFigureOptions figure;
  figure.axes = options.sweep.axes, figure.title = options.curves.title;
  if (!options.size.empty()) read_size(options.size, options.curves);
  figure.width = options.curves.width;
  figure.height = options.curves.height;
  const std::string svg = sweep_figure(sweep.table, sweep.bands, figure);
  check_writable(options.output);
  write_whole_file(options.output, svg);
  fmt::print("written: {}\n", options.output);
}

void plot(PlotOptions options) {
  if (options.files.size() == 1 && is_sweep_file(options.files[0])) return plot_sweep(std::move(options));
  if (std::filesystem::exists(options.files[0]) && options.sweep.given()) {
    throw ArgumentError(
        fmt::format("{}: found no sweep, expected one for --x, --y, --color, --bands or --source", options.files[0]));
  }
  if (options.list) {
    for (const std::string& file : options.files) {
      const ShownRun run = shown_result(file);
      for (const std::string& name : curve_names(run.robot, run.controllers, run.motion)) fmt::print("{}\n", name);
    }
    return;
  }
  if (options.output.empty()) options.output = default_output(options.files);
  check_output_extension("--output", options.output, {".svg"});
  if (!options.what.empty()) {
    options.curves.what.clear();
    for (const std::string& names : options.what) {
      for (const std::string& name : CLI::detail::split(names, ',')) options.curves.what.push_back(name);
    }
  }
  if (!options.size.empty()) read_size(options.size, options.curves);
  if (!options.labels.empty() && options.labels.size() != options.files.size()) {
    throw ArgumentError("--labels", fmt::format("{} names", options.labels.size()),
                        fmt::format("one for each of the {} results", options.files.size()));
  }
  std::vector<ShownRun> runs;
  for (const std::string& file : options.files) {
    note_read(file, "a result");
    runs.push_back(shown_result(file));
    const std::size_t i = runs.size() - 1;
    runs.back().label = options.labels.empty() ? label_of(file, options.files) : options.labels[i];
  }
  check_writable(options.output);
  write_whole_file(options.output, curve_plot(runs, options.curves));
  fmt::print("written: {}\n", options.output);
}

}  // namespace

void add_plot_command(CLI::App& app) {
  auto* command = app.add_subcommand("plot", "Draw curves of results over time, as a figure for papers");
  const auto options = std::make_shared<PlotOptions>();
  command
      ->add_option("file", options->files,
                   "results of `cuttle simulate` or `cuttle statics`; several lie over each other; or a sweep")
      ->type_name("RESULT.h5|SWEEP.h5")
      ->required()
      ->expected(1, CLI::detail::expected_max_vector_size);
  command->add_option("-o,--output", options->output, "figure to write (default: RESULT_curves.svg beside the result)")
      ->type_name("FILE.svg");
  add_force_option(*command);
  command
      ->add_option(
          "--what", options->what,
          "panels, with commas between: q, v, u, y, energy, works, tip, LINK.tip, tips, frames, elements, contacts, "
          "motion, sensors, loops, multipliers, of controllers reference, error, output, control_state, or columns by "
          "name, as "
          "arm.kappa_x.0 or '*.kappa_x'; a + b shares a panel, written a+b (default: q,tip,energy, and error "
          "of controllers)")
      ->type_name("NAMES")
      ->take_all()
      ->expected(1);
  command->add_flag("--list", options->list,
                    "print all names that --what takes for this result, one a line, and draw nothing");
  command->add_option("--from", options->curves.from, "first time to draw [s]; of a path what changes along it")
      ->type_name("SECONDS");
  command->add_option("--to", options->curves.to, "last time to draw, likewise")->type_name("SECONDS");
  command
      ->add_option("--size", options->size,
                   "width, or width and height, in mm or with px, pt, cm, in (default: 84, a column of a paper)")
      ->type_name("WxH");
  command
      ->add_option("--labels", options->labels,
                   "what legends call the results, in their order, with commas between (default: their files' names)")
      ->type_name("NAME,..")
      ->delimiter(',')
      ->take_all()
      ->expected(1);
  command->add_option("--title", options->curves.title, "above the figure (default: none)")->type_name("TEXT");
  add_sweep_view_options(*command, options->sweep);
  command->footer(
      "Examples:\n"
      "  cuttle plot out/hybrid_arm.h5\n"
      "  cuttle plot out/soft.h5 --y upper.tip.z --bands upper.tip.x     (of `cuttle sweep`)\n"
      "  cuttle plot out/hybrid_arm.h5 --what q,energy,tip --from 0 --to 2 --size 174x120 -o figure.svg\n"
      "  cuttle plot out/path.h5 --what arm.tip.x\n"
      "  cuttle plot out/pcc.h5 out/pcs.h5 --what '*.kappa_x,arm.tip.x+arm.tip.z' -o comparison.svg");
  command->callback([options] { plot(*options); });
}

}  // namespace cuttle
