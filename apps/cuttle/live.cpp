#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/driven_loops.h"
#include "cuttle/version.h"
#include "cuttle/view/report.h"
#include "live_server.h"
#include "live_session.h"
#include "open_in_browser.h"
#include "stop_on_signal.h"
#include "viewer_page.h"

namespace cuttle {
namespace {

struct LiveOptions {
  std::string file;
  int port = 8377;
  bool no_open = false;
  std::string output_folder = ".";
  std::vector<std::string> overrides;
};

/// Of a robot alone: at rest, with inputs of zero.
ScenarioFile load(const LiveOptions& options) {
  check_robot_extension(options.file);
  if (is_result(options.file)) {
    throw FileError(fmt::format("{0}: found a result, expected a robot or scenario file; `cuttle view {0}` shows it",
                                options.file));
  }
  if (kind_of_file(options.file) == FileKind::scenario) return load_scenario_file(options.file, options.overrides);
  RobotFile robot = load_robot_file(options.file, options.overrides);
  ScenarioFile file;
  file.robot = std::move(robot.robot), file.robot_yaml = std::move(robot.yaml);
  file.path = file.robot_path = robot.path;
  file.visuals = std::move(robot.visuals), file.robot_files = std::move(robot.files);
  file.warnings = std::move(robot.warnings);
  file.changes = options.overrides;
  drive_loops(file.robot, file.scenario.motion);
  return file;
}

std::string title_of(const std::string& path) {
  std::string title = std::filesystem::path(path).stem().string();
  const std::string ending = "_scenario";
  if (title.size() > ending.size() && title.ends_with(ending)) title.resize(title.size() - ending.size());
  return title;
}

void live(const LiveOptions& options) {
  LiveSetup setup{load(options), title_of(options.file), options.output_folder};
  print_warnings(setup.file.warnings);
  std::error_code error;
  std::filesystem::create_directories(options.output_folder, error);
  if (error) {
    throw FileError(fmt::format("--output-dir: {}: cannot be made: {}", options.output_folder, error.message()));
  }
  const Json data{{"kind", "live"}, {"title", setup.title}, {"version", k_version}};
  std::string page = page_with_data(viewer_page(), data.dump(-1, ' ', false, Json::error_handler_t::replace));
  LiveSession session(std::move(setup));
  const StopOnSignal signals;
  LiveServer server(std::move(page), options.port, session.events());
  fmt::print("{}\n  open it in a browser on this machine; Ctrl-C ends it\n", server.address());
  if (std::fflush(stdout) != 0) throw CLI::RuntimeError(k_exit_failure);  // nobody would know where it is
  if (!options.no_open) open_in_browser(server.address());
  session.run(server, StopOnSignal::stop);
}

}  // namespace

void add_live_command(CLI::App& app) {
  auto* command = app.add_subcommand("live", "Play with a robot in the browser while it is simulated");
  const auto options = std::make_shared<LiveOptions>();
  command->add_option("file", options->file, "robot, which begins at rest, or scenario file")
      ->type_name("ROBOT|SCENARIO")
      ->required();
  command->add_option("--port", options->port, "where the page is; if it is taken, the next free one; 0: any")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535));
  command->add_flag("--no-open", options->no_open, "only print the address");
  command->add_option("--output-dir", options->output_folder, "folder for what is saved and recorded (default: here)")
      ->type_name("FOLDER");
  add_set_option(*command, options->overrides);
  command->footer(
      "Sliders move joints, tendons and chambers, the mouse pulls at the robot. The page is for this machine only;\n"
      "docs/live.md tells more. Ctrl-C ends it and closes a recording.\n"
      "Examples:\n"
      "  cuttle live models/examples/tendon_arm.yaml\n"
      "  cuttle live models/pustina2025/hybrid_arm_scenario.yaml --port 8080 --no-open");
  command->callback([options] { live(*options); });
}

}  // namespace cuttle
