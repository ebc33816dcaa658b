#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "commands.h"
#include "cuttle/error.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/result_reader.h"
#include "cuttle/io/robot_writer.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/io/whole_file.h"
#include "cuttle/view/gltf.h"

namespace cuttle {
namespace {

struct ExportOptions {
  std::string file, gltf, yaml;
  Overrides overrides;
  bool force = false;
  std::size_t frames = GltfOptions{}.frames;
};

void export_run(const ExportOptions& options) {
  check_output_extension("--gltf", options.gltf, {".glb"});
  check_writable(options.gltf);
  const ShownRun run = shown_file(options.file);
  if (robot_changes(run)) {
    throw ArgumentError(
        fmt::format("{}: found a path along which the robot itself changes ('{}'), expected a motion of one "
                    "robot: a scene has no other",
                    options.file, run.sequence.along));
  }
  const std::string scene = gltf_binary(run, {options.frames});
  write_whole_file(options.gltf, scene);
  fmt::print("{}: {:.1f} MB, {} frames\n", options.gltf, static_cast<double>(scene.size()) / 1e6,
             std::min(run.samples.size(), options.frames));
}

/// The robot of a file, with changes, and its shapes to draw.
RobotFile robot_of(const ExportOptions& options) {
  RobotFile robot;
  if (is_result(options.file)) {
    if (!options.overrides.empty()) throw ArgumentError("--set", "a change of a result", "a robot or scenario file");
    ResultFile result = read_result_file(options.file);
    robot.robot = std::move(result.robot), robot.visuals = std::move(result.visuals);
    return robot;
  }
  check_robot_extension(options.file);
  if (kind_of_file(options.file) == FileKind::robot) return load_robot_file(options.file, options.overrides);
  ScenarioFile scenario = load_scenario_file(options.file, options.overrides);
  robot.robot = std::move(scenario.robot), robot.visuals = std::move(scenario.visuals);
  robot.warnings = std::move(scenario.warnings);
  return robot;
}

void export_robot(const ExportOptions& options) {
  check_output_extension("--yaml", options.yaml, {".yaml", ".yml"});
  const RobotFile robot = robot_of(options);
  print_warnings(robot.warnings);
  if (!options.force && std::filesystem::exists(options.yaml)) {
    throw FileError(options.yaml + ": found a file of this name, expected none; --force replaces it");
  }
  write_robot_file(robot.robot, options.yaml, options.force, robot.visuals);
  fmt::print("{}: {} links\n", options.yaml, robot.robot.links.size());
}

}  // namespace

void add_export_command(CLI::App& app) {
  auto* command =
      app.add_subcommand("export", "Write a result as a scene for other programs, or a robot as a robot file");
  const auto options = std::make_shared<ExportOptions>();
  command
      ->add_option("file", options->file,
                   "result of `cuttle simulate`, `statics` or `modes`; a robot or scenario file: the robot at rest")
      ->type_name("RESULT.h5|ROBOT.yaml")
      ->required();
  auto* output = command->add_option_group("output", "what to write")->require_option(1);
  output->add_option("--gltf", options->gltf, "animated scene in binary glTF 2.0, as Blender imports it")
      ->type_name("FILE.glb");
  auto* yaml = output->add_option("--yaml", options->yaml, "the robot alone, meshes and networks beside it")
                   ->type_name("FILE.yaml");
  command->add_option("--frames", options->frames, "most frames of the animation")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{2}, std::size_t{100000}));
  add_set_option(*command, options->overrides);
  command->get_option("--set")->needs(yaml);
  command->add_flag("--force", options->force, "replace an existing FILE.yaml")->needs(yaml);
  command->footer(
      "Examples:\n"
      "  cuttle export out/hybrid_arm.h5 --gltf out/hybrid_arm.glb\n"
      "  cuttle export models/examples/pendulum.yaml --set robot.gravity='[0, 0, -1.62]' --yaml on_moon.yaml");
  command->callback([options] { options->yaml.empty() ? export_run(*options) : export_robot(*options); });
}

}  // namespace cuttle
