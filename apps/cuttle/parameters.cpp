#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/model/model.h"
#include "text_table.h"

namespace cuttle {
namespace {

struct ParametersOptions {
  std::string file;
  std::vector<std::string> overrides;
  bool json = false;
};

void print_parameters_as_json(const std::vector<ParameterInfo>& parameters) {
  auto list = nlohmann::ordered_json::array();
  for (const ParameterInfo& p : parameters) {
    list.push_back({{"path", p.path}, {"value", p.value}, {"unit", p.unit}, {"given", p.given}});
  }
  fmt::print("{}\n", list.dump(2));
}

void print_table(const std::vector<ParameterInfo>& parameters) {
  TextTable table({{"path"}, {"value", true}, {"unit"}, {"from"}});
  for (const ParameterInfo& p : parameters) {
    // a number is the shortest text that reads as the same number
    table.add({p.path, fmt::format("{}", p.value), p.unit, p.given ? "given" : "default"});
  }
  fmt::print("{}", table.text());
}

void list_parameters(const ParametersOptions& options) {
  const RobotFile file = load_robot_file(options.file, options.overrides);
  const std::vector<ParameterInfo> parameters = Model(file.robot).parameters();
  if (options.json) {
    print_parameters_as_json(parameters);
  } else {
    print_table(parameters);
  }
  print_warnings(file.warnings);
}

}  // namespace

void add_parameters_command(CLI::App& app) {
  auto* command = app.add_subcommand("parameters", "List the numbers of a robot by path, with values and units");
  const auto options = std::make_shared<ParametersOptions>();
  command->add_option("robot", options->file, "robot file")->required()->type_name("ROBOT");
  command->add_flag("--json", options->json, "print a JSON list of {path, value, unit, given}");
  add_set_option(*command, options->overrides);
  command->footer(
      "The paths are those of --set, without its leading 'robot.', and of Model::with in C++. A material that several\n"
      "links share is listed once. The last column says where a number is from: 'given' by the file or\n"
      "--set, or the 'default' of a key that the file leaves out.\n"
      "Example:\n"
      "  cuttle parameters models/examples/two_segment_arm.yaml --set robot.gravity[2]=-1.62");
  command->callback([options] { list_parameters(*options); });
}

}  // namespace cuttle
