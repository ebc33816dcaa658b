#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "commands.h"
#include "cuttle/error.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/result_reader.h"
#include "cuttle/io/robot_export.h"
#include "cuttle/io/robot_writer.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/io/whole_file.h"
#include "cuttle/view/gltf.h"
#include "json_output.h"
#include "text_table.h"

namespace cuttle {
namespace {

struct ExportRun {
  std::string file, gltf, yaml, output;
  Overrides overrides;
  ExportOptions other;  // for other programs
  bool urdf = false, mjcf = false, json = false, force = false;
  std::size_t frames = GltfOptions{}.frames;
};

void export_run(const ExportRun& options) {
  check_output_extension("--gltf", options.gltf, {".glb"});
  const ShownRun run = shown_file(options.file);
  check_writable(options.gltf);
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
RobotFile robot_of(const ExportRun& options) {
  RobotFile robot;
  if (is_result(options.file)) {
    if (!options.overrides.empty()) throw ArgumentError("--set", "a change of a result", "a robot or scenario file");
    ResultFile result = read_result(options.file);
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

void write_yaml(const ExportRun& options) {
  check_output_extension("--yaml", options.yaml, {".yaml", ".yml"});
  const RobotFile robot = robot_of(options);
  print_warnings(robot.warnings);
  check_free(options.yaml, options.force);
  check_writable(options.yaml);
  write_robot_file(robot.robot, options.yaml, options.force, robot.visuals);
  fmt::print("{}: {}\n", options.yaml, counted(robot.robot.links.size(), "link"));
}

Json chain_as_json(const ExportedChain& chain) {
  Json result{{"link", chain.link},
              {"segments", chain.segments},
              {"length", chain.length},
              {"frequency", chain.frequency},
              {"body_frequency", chain.body_frequency}};
  if (chain.free_frequency > 0.0) result["free_frequency"] = chain.free_frequency;
  if (chain.tip_distance) result["tip_distance"] = *chain.tip_distance;
  if (chain.free_distance) result["free_distance"] = *chain.free_distance;
  return result;
}

/// For another program: what is lost goes to stderr, the text to a file or to stdout.
void write_for_others(const ExportRun& options) {
  if (!options.output.empty()) {
    check_output_extension(
        "--output", options.output,
        {options.urdf ? std::vector<std::string>{".urdf"} : std::vector<std::string>{".xml", ".mjcf"}});
    check_free(options.output, options.force);
  } else if (options.json) {
    throw ArgumentError("--json", "no --output", "the file that the robot is written to");
  }
  const RobotFile robot = robot_of(options);
  print_warnings(robot.warnings);
  if (!options.output.empty()) check_writable(options.output);
  ExportedRobot exported =
      export_robot(robot.robot, options.urdf ? ExportFormat::urdf : ExportFormat::mjcf, robot.visuals, options.other);
  if (options.output.empty() && !exported.files.empty()) {
    exported.notes.push_back({"meshes, which go beside a file alone (--output): not written", {}});
  }
  for (const ExportedChain& chain : exported.chains) fmt::print(stderr, "{}\n", printable(chain.text()));
  for (const ExportNote& note : exported.notes) fmt::print(stderr, "{}\n", printable(note.text()));
  if (options.output.empty()) return fmt::print("{}", exported.text);
  write_exported_robot(exported, options.output);
  if (!options.json) {
    const std::size_t count = exported.notes.size();
    return fmt::print("{}: {}; {}\n", options.output, counted(robot.robot.links.size(), "link"),
                      count == 0   ? "nothing is lost"
                      : count == 1 ? "the line above says what is lost or changed"
                                   : fmt::format("the {} lines above say what is lost or changed", count));
  }
  Json result{{"file", options.output}, {"chains", Json::array()}, {"notes", Json::array()}};
  for (const ExportedChain& chain : exported.chains) result["chains"].push_back(chain_as_json(chain));
  for (const ExportNote& note : exported.notes) {
    result["notes"].push_back(Json{{"what", note.what}, {"names", note.names}});
  }
  print_json(result);
}

}  // namespace

void add_export_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "export", "Write a result as a scene, or a robot as a robot file, URDF or MJCF, for other programs");
  const auto options = std::make_shared<ExportRun>();
  command
      ->add_option("file", options->file,
                   "result of `cuttle simulate`, `statics` or `modes`; a robot or scenario file: the robot at rest")
      ->type_name("RESULT.h5|ROBOT.yaml")
      ->required();
  auto* output = command->add_option_group("output", "what to write")->require_option(1);
  output->add_option("--gltf", options->gltf, "animated scene in binary glTF 2.0, as Blender imports it")
      ->type_name("FILE.glb");
  output->add_option("--yaml", options->yaml, "the robot alone, meshes and networks beside it")->type_name("FILE.yaml");
  output->add_flag("--urdf", options->urdf, "the robot in URDF; soft bodies as chains of rigid segments");
  output->add_flag("--mjcf", options->mjcf, "the robot in MuJoCo's MJCF; soft bodies as chains of rigid segments");
  command
      ->add_option("-o,--output", options->output,
                   "file of --urdf or --mjcf, meshes beside it; without it the text goes to the standard output")
      ->type_name("FILE.urdf|FILE.xml");
  command
      ->add_option("--segments", options->other.segments,
                   "segments of the chain that replaces a soft body (--urdf, --mjcf); its error is printed")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(1, 200));
  command->add_flag("--allow-loss", options->other.allow_loss,
                    "replace bodies and joints that URDF and MJCF do not have by rigid bodies and fixed joints");
  command->add_flag("--json", options->json, "print what was written and lost by --urdf or --mjcf as one JSON object");
  command->add_option("--frames", options->frames, "most frames of the animation")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{2}, std::size_t{100000}));
  add_set_option(*command, options->overrides);
  command->get_option("--set")->excludes("--gltf");
  command->add_flag("--force", options->force,
                    "replace existing files; those that the command reads are never replaced");
  for (const char* const option : {"--output", "--segments", "--allow-loss", "--json"}) {
    command->get_option(option)->excludes("--gltf")->excludes("--yaml");
  }
  command->footer(
      "Examples:\n"
      "  cuttle export out/hybrid_arm.h5 --gltf out/hybrid_arm.glb\n"
      "  cuttle export models/examples/pendulum.yaml --set robot.gravity='[0, 0, -1.62]' --yaml on_moon.yaml\n"
      "  cuttle export models/examples/tendon_arm.yaml --mjcf -o tendon_arm.xml --segments 20");
  command->callback([options] {
    const auto any = options->force ? std::make_unique<ReplaceAnyFile>() : nullptr;
    if (options->urdf || options->mjcf) {
      write_for_others(*options);
    } else {
      options->yaml.empty() ? export_run(*options) : write_yaml(*options);
    }
  });
}

}  // namespace cuttle
