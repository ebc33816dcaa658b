#include "shown_sweep.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <utility>

#include "commands.h"
#include "cuttle/error.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/whole_file.h"
#include "cuttle/view/report.h"
#include "live_server.h"
#include "open_in_browser.h"
#include "stop_on_signal.h"
#include "viewer_page.h"

namespace cuttle {
namespace {

namespace fs = std::filesystem;

/// The file of a sweep's arguments: from here, or from where the sweep is.
std::string found_file(const std::string& named, const std::string& sweep) {
  if (fs::exists(named) || fs::path(named).is_absolute()) return named;
  const fs::path beside = fs::path(sweep).parent_path() / named;
  return fs::exists(beside) ? beside.string() : named;
}

/// Makes the runs of a sweep's file again.
std::unique_ptr<const Sweep> runs_of(const SweepTable& table, const std::string& path, const std::string& source) {
  if (table.head.arguments.empty()) {
    throw FileError(
        fmt::format("{}: found no attribute 'arguments', expected how the sweep was made: its runs cannot "
                    "be made again; `cuttle view {} -o PAGE.html` shows its rows",
                    path, path));
  }
  SweepSettings settings = sweep_settings(table.head.arguments);
  settings.file = source.empty() ? found_file(settings.file, path) : source;
  if (!settings.table.empty()) settings.table = found_file(settings.table, path);
  if (!fs::exists(settings.file)) {
    throw FileError(
        fmt::format("{}: found no file '{}', expected the one that the sweep is of; --source says where it "
                    "is, `cuttle view {} -o PAGE.html` shows the rows without it",
                    path, settings.file, path));
  }
  auto runs = std::make_unique<const Sweep>(settings);
  if (runs->head().hash != table.head.hash || runs->head().plan != table.head.plan) {
    const bool files = runs->head().hash != table.head.hash;
    throw ArgumentError(fmt::format(
        "{}: found {} {}, expected {} as in {}: {}", settings.file,
        files ? "robot and scenario of the hash" : "the plan", files ? runs->head().hash : runs->head().plan,
        files ? table.head.hash : table.head.plan, path, "its runs would be others; --source names the right one"));
  }
  return runs;
}

/// A folder that goes with it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "cuttle_run_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw FileError(name + ": cannot be made");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

ShownRun simulated(const Sweep& runs, std::int64_t number) {
  const TemporaryFolder folder;
  const std::string file = folder.file("run.h5");
  const auto row = runs.run(number, &StopOnSignal::stop, file);
  if (!row) throw Error("interrupted");
  if (row->status != SweepStatus::complete && !fs::exists(file)) throw Error(row->reason);
  return shown_result(file);
}

ShownRun at_rest(const Sweep& runs, std::int64_t number) {
  SweepEquilibrium found = runs.equilibrium(number);
  ShownRun run;
  run.status = "rest", run.robot = std::move(found.robot), run.visuals = std::move(found.visuals);
  run.samples.push_back(std::move(found.sample));
  return run;
}

/// Serves the page until a signal comes.
void serve(const ShownSweep& sweep, std::string page, int port, std::size_t frames, bool no_open) {
  LiveServer::Events events;
  events.page = [&](const std::string& path) -> LiveServer::Page {
    constexpr std::string_view k_run = "/run/";
    std::int64_t number = 0;
    const char* const end = path.data() + path.size();
    const char* const begin = path.starts_with(k_run) ? path.data() + k_run.size() : end;
    const auto read = std::from_chars(begin, end, number);
    if (begin == end || read.ec != std::errc() || read.ptr != end) return {false, "expected / or /run/NUMBER\n"};
    try {
      return {true, sweep_run_page(sweep, number, frames)};
    } catch (const std::exception& error) {
      return {false, fmt::format("run {}: {}\n", number, printable_lines(error.what()))};
    }
  };
  const StopOnSignal signals;
  LiveServer server(std::move(page), port, std::move(events));
  fmt::print("{}\n  open it in a browser on this machine; a click on a run shows it; Ctrl-C ends it\n",
             server.address());
  if (std::fflush(stdout) != 0) throw CLI::RuntimeError(k_exit_failure);  // nobody would know where it is
  if (!no_open) open_in_browser(server.address());
  while (!StopOnSignal::stop) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

}  // namespace

bool ShownSweepOptions::given() const {
  return !axes.x.empty() || !axes.y.empty() || !axes.color.empty() || !bands.empty() || !source.empty();
}

void add_sweep_view_options(CLI::App& command, ShownSweepOptions& options) {
  command
      .add_option("--x", options.axes.x,
                  "of a sweep: column along the horizontal axis (default: the first that varies)")
      ->type_name("COLUMN");
  command
      .add_option("--y", options.axes.y, "of a sweep: column along the vertical axis (default: the first that is kept)")
      ->type_name("COLUMN");
  command
      .add_option("--color", options.axes.color,
                  "of a sweep: column of the points' colors (default: the next that varies)")
      ->type_name("COLUMN");
  command
      .add_option("--bands", options.bands,
                  "of a sweep: columns over time, with commas between, named as --keep of `cuttle sweep`: median and "
                  "quantiles over "
                  "runs, which are simulated again")
      ->type_name("COLUMNS")
      ->take_all()
      ->expected(1);
  command.add_option("--band-runs", options.band_runs, "of a sweep: most runs of the bands")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000000}));
  command
      .add_option("--source", options.source, "of a sweep: its robot or scenario, if it is not where the sweep says")
      ->type_name("FILE");
}

ShownSweep shown_sweep(const std::string& path, const ShownSweepOptions& options, bool with_runs) {
  ShownSweep shown;
  shown.file = path;
  note_read(path, "a sweep");
  shown.table = read_sweep_file(path);
  chosen_axes(shown.table, options.axes);  // says what is wrong before anything takes long
  std::vector<std::string> columns;
  for (const std::string& names : options.bands) {
    for (const std::string& name : CLI::detail::split(names, ',')) columns.push_back(name);
  }
  if (with_runs || !columns.empty()) shown.runs = runs_of(shown.table, path, options.source);
  if (!columns.empty()) {
    const StopOnSignal signals;
    shown.bands = sweep_bands(*shown.runs, shown.table, columns, options.band_runs, 0, &StopOnSignal::stop);
    if (StopOnSignal::stop) throw CLI::RuntimeError(128 + StopOnSignal::signal_number);
  }
  return shown;
}

std::string sweep_run_page(const ShownSweep& sweep, std::int64_t number, std::size_t frames) {
  const bool simulation = sweep.runs->what() == SweepSettings::What::simulate;
  const std::vector<double> varied = sweep.runs->values(number);
  ShownRun run = simulation ? simulated(*sweep.runs, number) : at_rest(*sweep.runs, number);
  run.label = fmt::format("run {}", number), run.file = fmt::format("{}, {}", sweep.file, run.label);
  for (std::size_t i = 0; i < varied.size(); ++i) {
    const SweepColumn& column = sweep.table.head.parameters[i];
    run.facts.insert(run.facts.begin() + static_cast<std::ptrdiff_t>(i),
                     {column.name, fmt::format("{:.6g}{}{}", varied[i], column.unit.empty() ? "" : " ", column.unit)});
  }
  ReportOptions report;
  report.title = fmt::format("{}, run {}", fs::path(sweep.file).stem().string(), number), report.frames = frames;
  return report_page(viewer_page(), {run}, report);
}

void view_sweep(const std::string& path, const ViewSweepOptions& options, const std::string& output, std::size_t frames,
                bool no_open) {
  const bool serves = output.empty() && !options.run;
  const ShownSweep sweep = shown_sweep(path, options.shown, serves || options.run);
  const std::string stem = fs::path(path).stem().string();
  std::string page, target = output;
  if (options.run) {
    page = sweep_run_page(sweep, *options.run, frames);
    const std::string name = fmt::format("{}_run_{}.html", stem, *options.run);
    if (target.empty()) target = (fs::path(path).parent_path() / name).string();
  } else {
    page = sweep_page(viewer_page(), sweep.table, sweep.bands, {stem, options.shown.axes, path, serves});
  }
  if (serves) return serve(sweep, std::move(page), options.port, frames, no_open);
  check_output_extension("--output", target, {".html", ".htm"});
  check_writable(target);
  write_whole_file(target, page);
  fmt::print("{}: {:.1f} MB, opens in any browser, needs no network\n", target, static_cast<double>(page.size()) / 1e6);
  if (!no_open && !open_in_browser(target)) fmt::print("  no desktop to open it: open the file in a browser\n");
}

}  // namespace cuttle
