// `cuttle new`: its files are valid and run, and so is every alternative in them.
#include <gmock/gmock.h>

#include <optional>
#include <regex>
#include <vector>

#include "io/command_line.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class NewCommand : public CommandLine {
 protected:
  std::string read(const std::string& name) const {
    std::ifstream file(directory_.path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static std::string quoted(const std::string& text) {
    return "'" + std::regex_replace(text, std::regex("'"), "'\\''") + "'";
  }
  void create(const std::string& name) {
    const Result result = run("new " + quoted(directory_.path(name)));
    ASSERT_EQ(result.code, 0) << result.errors;
  }
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The text with line `index` - an alternative - in force, as the template's head tells the user to do it.
/// @return nothing if that line is no alternative.
std::optional<std::string> with_alternative(std::vector<std::string> lines, std::size_t index) {
  static const std::regex alternative("( *)# (.*)"), key("( *)([a-z_]+):.*");
  const std::string written = lines[index];
  std::smatch match;
  if (!std::regex_match(written, match, alternative)) return std::nullopt;
  lines[index] = match[1].str() + match[2].str();
  const std::string indent = match[1].str();
  std::smatch own;
  std::optional<std::size_t> replaced;
  if (std::regex_match(lines[index], own, key)) {
    for (std::size_t i = index; i-- > 0;) {
      std::smatch other;
      const std::size_t at = lines[i].find_first_not_of(' ');
      if (at == std::string::npos || lines[i][at] == '#') continue;
      if (at < indent.size()) break;  // the mapping begins here
      if (std::regex_match(lines[i], other, key) && other[1] == own[1] && other[2] == own[2]) {
        replaced = i;
        break;
      }
    }
  }
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i != replaced) text += lines[i] + "\n";
  }
  return text;
}

TEST_F(NewCommand, WritesARobotAndAScenarioThatRun) {
  const std::string robot = directory_.path("my_arm.yaml"), scenario = directory_.path("my_arm_scenario.yaml");
  const Result result = run("new " + robot);
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.errors, "");
  EXPECT_THAT(result.output, StartsWith("written: " + robot + ", " + scenario + "\n"));
  for (const std::string& next : {"cuttle check " + scenario, "cuttle info " + robot, "cuttle simulate " + scenario,
                                  std::string("cuttle view my_arm_scenario.h5"), "cuttle live " + robot}) {
    EXPECT_THAT(result.output, HasSubstr("\n  " + next));
  }
  for (const std::string& file : {robot, scenario}) {
    const Result check = run("check " + file);
    EXPECT_EQ(check.code, 0) << check.errors;
    EXPECT_EQ(check.errors, "");
  }
  EXPECT_THAT(run("check " + robot).output, HasSubstr("robot 'my_arm'"));
  const Result simulated = run("simulate " + scenario + " -o " + directory_.path("x.h5"));
  EXPECT_EQ(simulated.code, 0) << simulated.errors;
  EXPECT_THAT(simulated.output, StartsWith("my_arm: 6 s simulated"));
}

// One at a time: checked, and simulated for a moment, so that the two files still fit.
TEST_F(NewCommand, EveryAlternativeOfTheTemplatesIsValid) {
  create("my_arm.yaml");
  int count = 0;
  for (const std::string name : {"my_arm.yaml", "my_arm_scenario.yaml"}) {
    const std::string original = read(name);
    const std::vector<std::string> lines = lines_of(original);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto text = with_alternative(lines, i);
      if (!text) continue;
      SCOPED_TRACE(name + ": " + lines[i]);
      directory_.write(name, *text);
      const std::string scenario = directory_.path("my_arm_scenario.yaml");
      const Result check = run("check " + scenario);
      EXPECT_EQ(check.code, 0) << check.errors;
      EXPECT_EQ(check.errors, "");
      const Result simulated = run("simulate " + scenario + " --duration 0.05 -o " + directory_.path("x.h5"));
      EXPECT_EQ(simulated.code, 0) << simulated.errors;
      ++count;
    }
    directory_.write(name, original);
  }
  EXPECT_GE(count, 30);
}

TEST_F(NewCommand, TeachesTheMainKeys) {
  create("my_arm.yaml");
  const std::string text = read("my_arm.yaml") + read("my_arm_scenario.yaml");
  for (const char* key : {"type: rod", "type: rigid", "joint:", "materials:", "actuators:", "loads:", "strain:",
                          "section:", "attach:", "integrator:", "initial:", "inputs:", "output_step:", "duration:"}) {
    EXPECT_THAT(text, HasSubstr(key));
  }
  EXPECT_EQ(text.find('@'), std::string::npos);  // nothing is left to fill in
}

TEST_F(NewCommand, NeverOverwritesUnlessForced) {
  const std::string robot = directory_.path("a.yaml"), scenario = directory_.path("a_scenario.yaml");
  for (const std::string& existing : {robot, scenario}) {
    std::filesystem::remove(robot), std::filesystem::remove(scenario);
    std::ofstream(existing) << "mine";
    const Result refused = run("new " + robot);
    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(refused.output, "");
    EXPECT_EQ(refused.errors,
              existing + ": found a file of this name, expected none; --force (in Python replace=True) replaces it\n");
    EXPECT_EQ(read(std::filesystem::path(existing).filename()), "mine");
    EXPECT_FALSE(std::filesystem::exists(existing == robot ? scenario : robot));
  }
  EXPECT_EQ(run("new --force " + robot).code, 0);
  EXPECT_EQ(run("check " + scenario).code, 0);
}

TEST_F(NewCommand, TakesNamesThatNeedQuotes) {
  for (const std::string name : {"1e5", "true", "two words", "it's #1: a", "\"quoted\"", "null", "- x", "\xC3\xA4rm"}) {
    SCOPED_TRACE(name);
    create("new folder/" + name + ".yaml");
    const Result check = run("check " + quoted(directory_.path("new folder/" + name + "_scenario.yaml")));
    EXPECT_EQ(check.code, 0) << check.errors;
    EXPECT_THAT(check.output, HasSubstr("robot '" + name + "'"));
  }
}

TEST_F(NewCommand, SaysWhyItCannotWrite) {
  const Result extension = run("new my_arm");
  EXPECT_EQ(extension.code, 2);
  EXPECT_EQ(extension.errors, "FILE: found 'my_arm', expected a name that ends in .yaml\n");
  const Result control = run("new \"$(printf 'a\\nb.yaml')\"");
  EXPECT_EQ(control.code, 2);
  EXPECT_THAT(control.errors, StartsWith("FILE: found a control character"));
  const std::string file = directory_.write("file", "");
  const Result folder = run("new " + file + "/a.yaml");
  EXPECT_EQ(folder.code, 2);
  EXPECT_THAT(folder.errors, HasSubstr("file/a.yaml: "));
  const Result full = run("new --force /dev/full/a.yaml");
  EXPECT_EQ(full.code, 2);
  std::filesystem::create_symlink("/dev/full", directory_.path("b.yaml"));
  const Result disk = run("new --force " + directory_.path("b.yaml"));
  EXPECT_EQ(disk.code, 2);
  EXPECT_THAT(disk.errors, HasSubstr("b.yaml: cannot be written: No space left on device"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
