// Completion as shells ask for it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "cuttle/io/scenario_file.h"
#include "cuttle/io/setting_paths.h"
#include "io/format_parts.h"
#include "io/robot/robot_tables.h"
#include "io/scenario/scenario_tables.h"
#include "support/format.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

const std::string k_tool = test::k_tool;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// What the tool answers to a shell, without descriptions.
std::vector<std::string> answers(const std::string& words) {
  std::vector<std::string> lines = lines_of(run_command(k_tool + " complete zsh " + words).output);
  for (std::string& line : lines) line = line.substr(0, line.find('\t'));
  return lines;
}

class BashCompletion : public testing::Test {
 protected:
  BashCompletion() {
    directory_.write("arm.yaml", "cuttle: 1\nlinks: [{name: a}]\n");
    directory_.write("s.yaml", "cuttle: 1\nrobot: arm.yaml\nsimulation: {integrator: {type: rk4, step: 1}}\n");
    directory_.write("result.h5", "");
    std::filesystem::create_directory(directory_.path("more"));
  }
  /// COMPREPLY of a real bash for these words (as bash divides them), the last at the cursor.
  std::vector<std::string> reply(const std::vector<std::string>& words) {
    std::string script = "source <(" + k_tool + " completion bash)\nCOMP_WORDS=(cuttle";
    for (const std::string& word : words) script += " '" + word + "'";
    script += ")\nCOMP_CWORD=" + std::to_string(words.size()) + "\n_cuttle '" + k_tool +
              "' || exit 3\n((${#COMPREPLY[@]})) && printf '%s\\n' \"${COMPREPLY[@]}\"\nexit 0\n";
    const std::string file = directory_.write("script.sh", script);
    const CommandOutput result = run_command("cd " + directory_.path("") + " && bash --norc " + file);
    EXPECT_EQ(result.code, 0) << result.output;
    return lines_of(result.output);
  }

  TemporaryDirectory directory_;
};

TEST_F(BashCompletion, OfCommands) {
  EXPECT_THAT(reply({"si"}), ElementsAre("simulate"));
  EXPECT_THAT(reply({""}), Contains("check"));
  EXPECT_THAT(reply({"nothing"}), IsEmpty());
}

TEST_F(BashCompletion, OfOptions) {
  EXPECT_THAT(reply({"simulate", "--out"}), ElementsAre("--output"));
  EXPECT_THAT(reply({"simulate", "s.yaml", "--du"}), ElementsAre("--duration"));
  EXPECT_THAT(reply({"eval", "--du"}), IsEmpty());
}

TEST_F(BashCompletion, OfValues) {
  EXPECT_THAT(reply({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(reply({"completion", "z"}), ElementsAre("zsh"));
  EXPECT_THAT(reply({"simulate", "s.yaml", "--duration", ""}), IsEmpty());  // any number
}

TEST_F(BashCompletion, OfFilesOfTheRightKind) {
  EXPECT_THAT(reply({"simulate", ""}), testing::UnorderedElementsAre("arm.yaml", "s.yaml", "more"));
  EXPECT_THAT(reply({"simulate", "s.yaml", "-o", ""}), testing::UnorderedElementsAre("result.h5", "more"));
  EXPECT_THAT(reply({"simulate", "s.yaml", "--output", "=", "r"}), ElementsAre("result.h5"));
  EXPECT_THAT(reply({"simulate", "a"}), ElementsAre("arm.yaml"));
}

TEST_F(BashCompletion, OfSettings) {
  EXPECT_THAT(reply({"check", "arm.yaml", "--set", "robot.gr"}), ElementsAre("robot.gravity="));
  EXPECT_THAT(reply({"check", "arm.yaml", "--set", "robot.links."}), ElementsAre("robot.links.a."));
  EXPECT_THAT(reply({"simulate", "s.yaml", "--set", "si"}), ElementsAre("simulation."));
  EXPECT_THAT(reply({"check", "arm.yaml", "--set", "robot.base.m"}),
              ElementsAre("robot.base.motion="));  // not in the file
  // bash divides words at =, and replaces what stands behind it
  EXPECT_THAT(reply({"simulate", "s.yaml", "--set", "simulation.integrator.type", "=", "t"}), ElementsAre("tsit5"));
  EXPECT_THAT(reply({"simulate", "s.yaml", "--set", "simulation.integrator.type", "="}),
              ElementsAre("bdf", "erk", "rk4", "tsit5", "newmark", "hht", "generalized_alpha", "midpoint",
                          "energy_conserving"));
  EXPECT_THAT(reply({"simulate", "s.yaml", "--set", "=", "robot.base", "=", ""}), IsEmpty());
  EXPECT_THAT(reply({"simulate", "missing.yaml", "--set", "si"}), IsEmpty());
}

// What `plot --what` can name of a result, controllers' columns too.
TEST_F(BashCompletion, OfCurvesOfControllers) {
  directory_.write(
      "driven.yaml",
      "cuttle: 1\nlinks: [{name: a, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 1, "
      "com: [0, 0, 0.1], inertia: [1, 1, 1, 0, 0, 0]}}]\nactuators: [{name: motor, type: joint, link: a}]\n");
  directory_.write("held.yaml",
                   "cuttle: 1\nrobot: driven.yaml\nsimulation: {duration: 0.1, controllers: [{name: hold, type: pid, "
                   "inputs: [motor], reference: [0.2], kp: 1, ki: 1}]}\n");
  ASSERT_EQ(run_command("cd " + directory_.path("") + " && " + k_tool + " simulate held.yaml -o held.h5").code, 0);
  EXPECT_THAT(reply({"plot", "held.h5", "--what", "refe"}), Contains("reference"));
  EXPECT_THAT(reply({"plot", "held.h5", "--what", "controllers.hold.e"}), ElementsAre("controllers.hold.error.motor"));
  EXPECT_THAT(reply({"plot", "held.h5", "--what", "q,controllers.hold.s"}),
              ElementsAre("q,controllers.hold.state.motor"));
}

TEST(OtherShells, CanReadTheirScripts) {
  for (const char* command : {"bash -n", "zsh -n", "fish --no-execute"}) {
    const std::string shell = std::string(command).substr(0, std::string(command).find(' '));
    if (run_command("command -v " + shell).code != 0) continue;  // bash is everywhere
    const TemporaryDirectory directory;
    const std::string script = run_command(fmt::format("{} completion {}", k_tool, shell)).output;
    const CommandOutput read = run_command(fmt::format("{} {}", command, directory.write("script", script)));
    EXPECT_EQ(read.code, 0) << shell << ": " << read.output;
    EXPECT_NE(script.find(" complete " + shell), script.npos) << script;
  }
}

TEST(OtherShells, CompleteToo) {
  if (run_command("command -v fish").code != 0) GTEST_SKIP() << "no fish here";
  const std::string path = k_tool.substr(0, k_tool.rfind('/'));
  const CommandOutput result =
      run_command("PATH=" + path +
                  ":$PATH fish --no-config -c 'cuttle completion fish | source; complete -C \"cuttle simulate --ou\"'");
  EXPECT_EQ(result.output.substr(0, 9), "--output\t") << result.output;
}

// Whatever options a command has, its help and its completion know the same.
TEST(Completion, KnowsEveryCommandAndOptionOfTheHelp) {
  const auto commands = answers("''");
  EXPECT_GE(commands.size(), 4u);
  const std::string help = run_command(k_tool + " --help").output;
  const std::size_t list = help.find("Subcommands:\n");
  ASSERT_NE(list, help.npos);
  const std::regex command_line("^  ([a-z]+) .*");
  std::vector<std::string> in_help;
  for (const std::string& line : lines_of(help.substr(list))) {
    std::smatch match;
    if (line.empty()) break;
    if (std::regex_match(line, match, command_line)) in_help.push_back(match[1]);
  }
  EXPECT_EQ(commands, in_help);
  for (const std::string& command : commands) {
    const std::string text = run_command(fmt::format("{} {} --help", k_tool, command)).output;
    const std::regex option("\n  [^ ]*?(--[a-z][a-z-]*)");
    std::vector<std::string> options;
    for (auto match = std::sregex_iterator(text.begin(), text.end(), option); match != std::sregex_iterator();
         ++match) {
      options.push_back((*match)[1]);
    }
    EXPECT_GE(options.size(), 1u) << text;
    EXPECT_EQ(answers(command + " --"), options) << command;
  }
}

TEST(Completion, UnderstandsTheLineBeforeTheCursor) {
  EXPECT_THAT(answers("simulate --svg ''"), ElementsAre(":files svg", ":files yaml yml"));  // its value may be left out
  EXPECT_THAT(answers("simulate --svg --cs"), ElementsAre("--csv"));
  EXPECT_THAT(answers("simulate -o x.h5 ''"), ElementsAre(":files yaml yml"));
  EXPECT_THAT(answers("simulate s.yaml ''"), IsEmpty());
  EXPECT_THAT(answers("simulate --output=''"), ElementsAre(":files h5"));
  EXPECT_THAT(answers("--ver"), ElementsAre("--version"));
}

class SettingPathsOfSamples : public testing::TestWithParam<FormatSample> {};

// What completion proposes, --set takes.
TEST_P(SettingPathsOfSamples, CanBeSet) {
  const TemporaryDirectory directory;
  write_sample_companions(directory);
  const bool scenario = GetParam().scenario;
  const std::string path = directory.write("sample.yaml", GetParam().text);
  std::vector<std::string> proposed;
  for (const SettingPath& setting : setting_paths(path)) proposed.push_back(setting.path);
  const YamlNode file = parse_yaml(GetParam().text, path);
  int count = 0;
  for (const KeyPlace& place : key_places(file, scenario ? k_scenario_table : k_robot_table)) {
    if (place.name == "cuttle" || place.path == "set") continue;
    const std::string name = scenario ? place.path : "robot." + place.path;
    EXPECT_THAT(proposed, Contains(name));
    const YamlEntry* entry = place.mapping->find(place.name);
    const std::string value = entry ? yaml_text(entry->value) : place.key ? place.key->default_value : "";
    // the list as a whole has links that are included too
    if (place.path == "links" && place.mapping->find("include") != nullptr) continue;
    if (value.empty() || (!entry && place.name == "quaternion") || name == "robot") continue;
    if (!entry && !place.table->rules.empty()) continue;  // beside another key it may be refused
    const auto is_missing = [&](const Key& key) {
      return key.required && key.name != place.name && place.mapping->find(key.name) == nullptr;
    };
    if (!entry && std::any_of(place.table->keys.begin(), place.table->keys.end(), is_missing))
      continue;  // to be set before it
    const Overrides overrides{fmt::format("{}={}", name, value)};
    if (scenario) {
      EXPECT_NO_THROW(load_scenario_file(path, overrides)) << overrides[0];
    } else {
      EXPECT_NO_THROW(read_robot_file(path, overrides)) << overrides[0];
    }
    ++count;
  }
  EXPECT_GT(count, 3);
}

std::string sample_name(const testing::TestParamInfo<FormatSample>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Samples, SettingPathsOfSamples, testing::ValuesIn(format_samples()), sample_name);

TEST(SettingPaths, OfAScenarioHaveItsRobot) {
  const TemporaryDirectory directory;
  write_sample_companions(directory);
  const std::string path = directory.write("s.yaml", "cuttle: 1\nrobot: arm.yaml\nsimulation: {duration: 1}\n");
  std::vector<std::string> paths;
  for (const SettingPath& setting : setting_paths(path)) paths.push_back(setting.path);
  EXPECT_THAT(paths, Contains("simulation.output_step"));
  EXPECT_THAT(paths, Contains("robot.links.shoulder.body.mass"));
  EXPECT_THAT(paths, Contains("robot.actuators.motor.index"));
  EXPECT_THAT(paths, Not(Contains("robot.cuttle")));
  const std::string lost = directory.write("t.yaml", "cuttle: 1\nrobot: lost.yaml\nsimulation: {duration: 1}\n");
  EXPECT_FALSE(setting_paths(lost).empty());
  EXPECT_THROW(setting_paths(directory.path("lost.yaml")), FileError);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
