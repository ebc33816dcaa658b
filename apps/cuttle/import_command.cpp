#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "commands.h"
#include "cuttle/error.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/robot_import.h"
#include "cuttle/io/robot_writer.h"
#include "text_table.h"

namespace cuttle {
namespace {

struct RobotImport {
  std::string file, output;
  ImportOptions options;
  bool force = false, no_visuals = false;
};

void import_to_file(const RobotImport& run) {
  const bool writes = !run.output.empty();
  if (writes) check_output_extension("--output", run.output, {".yaml", ".yml"});
  if (writes) check_free(run.output, run.force);
  const auto any = run.force ? std::make_unique<ReplaceAnyFile>() : nullptr;
  ImportOptions options = run.options;
  options.draws = !run.no_visuals;
  const ImportedRobot imported = import_robot(run.file, options);
  std::string head = fmt::format("Imported from {}.\n", std::filesystem::path(run.file).filename().string());
  if (!imported.notes.empty()) head += "Left out, changed or assumed (docs/importing.md):\n";
  for (const ImportNote& note : imported.notes) {
    fmt::print("{}\n", printable(note.text()));
    head += "  " + note.text() + "\n";
  }
  if (writes) check_writable(run.output);
  if (writes) write_robot_file(imported.robot, run.output, run.force, imported.visuals, head);
  const std::size_t count = imported.notes.size();
  fmt::print("{}: {}, {}; {}\n", writes ? run.output : run.file, counted(imported.robot.links.size(), "link"),
             counted(imported.robot.actuators.size(), "actuator"),
             count == 0   ? "nothing is left out, changed or assumed"
             : count == 1 ? "the line above says what is left out, changed or assumed"
                          : fmt::format("the {} lines above say what is left out, changed or assumed", count));
}

}  // namespace

void add_import_command(CLI::App& app) {
  const std::string formats = import_format_list(&ImportFormat::name);
  std::string files;
  for (const ImportFormat& format : import_formats()) files += (files.empty() ? "FILE" : "|FILE") + format.endings[0];
  auto* command = app.add_subcommand("import", fmt::format("Write a robot of another program ({}) as a robot file",
                                                           import_format_list(&ImportFormat::name, ", ")));
  const auto run = std::make_shared<RobotImport>();
  command->add_option("file", run->file, "robot in " + formats + "; which one, its root element says")
      ->required()
      ->type_name(files);
  command
      ->add_option("-o,--output", run->output,
                   "robot file to write, meshes beside it in OBJ (default: none, only print what would be left out)")
      ->type_name("FILE.yaml");
  command
      ->add_option("--package-root", run->options.package_roots,
                   "folder that holds packages, for package://NAME/.. (may be repeated); then come ROS_PACKAGE_PATH "
                   "and the folders around the file")
      ->type_name("FOLDER")
      ->take_all()
      ->expected(1);
  command->add_option("--prefix", run->options.prefix, "put before all names")->type_name("TEXT");
  command->add_flag("--floating", run->options.floating, "the root of a URDF or SDF can move freely: a floating base");
  command->add_flag("--no-visuals", run->no_visuals, "without shapes to draw");
  command->add_flag("--force", run->force, "replace an existing FILE.yaml");
  command->footer(
      "What is left out, changed or assumed is printed, and noted at the head of the robot file.\n"
      "Examples:\n"
      "  cuttle import ur10e.urdf -o ur10e.yaml --package-root ~/ros/src\n"
      "  cuttle import humanoid.xml -o humanoid.yaml");
  command->callback([run] { import_to_file(*run); });
}

}  // namespace cuttle
