#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "commands.h"
#include "cuttle/error.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/whole_file.h"
#include "json_output.h"
#include "templates.h"

namespace cuttle {
namespace {

namespace fs = std::filesystem;

struct NewOptions {
  std::string file;
  bool force = false;
};

bool only_plain_characters(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::strchr("_-./", c) != nullptr;
  });
}

/// A text as a YAML value that is surely no number, list, comment ..: in quotes unless it is a name with `_` or
/// `.yaml`.
std::string yaml_text(const std::string& text) {
  const bool letter_first = text[0] == '_' || std::isalpha(static_cast<unsigned char>(text[0])) != 0;
  const bool plain = letter_first && only_plain_characters(text) && text.find_first_of("_.") != std::string::npos;
  return plain ? text : Json(text).dump();
}

/// A file's name as an argument of a shell.
std::string shell_text(const std::string& text) {
  if (only_plain_characters(text)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string filled(std::string text, const std::string& placeholder, const std::string& value) {
  for (std::size_t at = 0; (at = text.find(placeholder, at)) != std::string::npos; at += value.size()) {
    text.replace(at, placeholder.size(), value);
  }
  return text;
}

void write_templates(const NewOptions& options) {
  const fs::path robot = options.file;
  const std::string extension = robot.extension().string(), name = robot.stem().string();
  if (extension != ".yaml" && extension != ".yml") {
    throw ArgumentError(fmt::format("FILE: found '{}', expected a name that ends in .yaml", options.file));
  }
  const std::string robot_name = robot.filename().string();
  if (std::any_of(robot_name.begin(), robot_name.end(), [](unsigned char c) { return std::iscntrl(c) != 0; })) {
    throw ArgumentError("FILE: found a control character in the name, expected a name that can be printed");
  }
  const fs::path scenario = robot.parent_path() / (name + "_scenario" + extension);
  for (const fs::path& file : {robot, scenario}) check_free(file.string(), options.force);
  const auto any = options.force ? std::make_unique<ReplaceAnyFile>() : nullptr;
  for (const fs::path& file : {robot, scenario}) check_writable(file.string());
  const auto fill = [&](const char* text) {
    std::string result = filled(text, "@NAME@", yaml_text(name));
    result = filled(result, "@ROBOT@", shell_text(robot_name));
    result = filled(result, "@SCENARIO@", shell_text(scenario.filename().string()));
    return filled(result, "@ROBOT_TEXT@", yaml_text(robot_name));
  };
  write_whole_file(robot.string(), fill(k_robot_template));
  write_whole_file(scenario.string(), fill(k_scenario_template));
  fmt::print("written: {}, {}\n", robot.string(), scenario.string());
  const std::string check = "cuttle check " + shell_text(scenario.string());
  const std::string info = "cuttle info " + shell_text(robot.string());
  const std::string simulate = "cuttle simulate " + shell_text(scenario.string());
  const std::string view = "cuttle view " + shell_text(scenario.stem().string() + ".h5");
  const std::string live = "cuttle live " + shell_text(robot.string());
  fmt::print(
      "Both are complete. Read them, change them, and:\n"
      "  {1:<{0}}  finds mistakes in both\n"
      "  {2:<{0}}  tells what the robot is made of\n"
      "  {3:<{0}}  computes how it moves\n"
      "  {4:<{0}}  shows that in a browser, in 3D and with curves\n"
      "  {5:<{0}}  lets you push and drive it with the mouse\n",
      simulate.size(), check, info, simulate, view, live);
}

}  // namespace

void add_new_command(CLI::App& app) {
  auto* command = app.add_subcommand("new", "Write a robot and a scenario to start from, with comments");
  const auto options = std::make_shared<NewOptions>();
  command->add_option("file", options->file, "robot file to write; the scenario goes beside it, as FILE_scenario.yaml")
      ->required()
      ->type_name("FILE.yaml");
  command->add_flag("--force", options->force, "replace existing files");
  command->footer(
      "Example:\n"
      "  cuttle new my_arm.yaml        writes my_arm.yaml and my_arm_scenario.yaml");
  command->callback([options] { write_templates(*options); });
}

}  // namespace cuttle
