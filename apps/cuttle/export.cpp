#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "commands.h"
#include "cuttle/error.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/whole_file.h"
#include "cuttle/view/gltf.h"

namespace cuttle {
namespace {

struct ExportOptions {
  std::string file, gltf;
  std::size_t frames = GltfOptions{}.frames;
};

void export_run(const ExportOptions& options) {
  check_output_extension("--gltf", options.gltf, {".glb"});
  check_writable(options.gltf);
  const ShownRun run = shown_file(options.file);
  const std::string scene = gltf_binary(run, {options.frames});
  write_whole_file(options.gltf, scene);
  fmt::print("{}: {:.1f} MB, {} frames\n", options.gltf, static_cast<double>(scene.size()) / 1e6,
             std::min(run.samples.size(), options.frames));
}

}  // namespace

void add_export_command(CLI::App& app) {
  auto* command = app.add_subcommand("export", "Write a result as a scene for other programs");
  const auto options = std::make_shared<ExportOptions>();
  command->add_option("file", options->file, "result of `cuttle simulate`; a robot or scenario file: the robot at rest")
      ->type_name("RESULT.h5|ROBOT.yaml")
      ->required();
  command->add_option("--gltf", options->gltf, "animated scene in binary glTF 2.0, as Blender imports it")
      ->type_name("FILE.glb")
      ->required();
  command->add_option("--frames", options->frames, "most frames of the animation")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{2}, std::size_t{100000}));
  command->footer(
      "Example:\n"
      "  cuttle export out/hybrid_arm.h5 --gltf out/hybrid_arm.glb");
  command->callback([options] { export_run(*options); });
}

}  // namespace cuttle
