// Files that nobody means: aliases that grow, thousands of errors, bytes that are no text, commands for terminals.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "cuttle/io/plain_text.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/io/yaml_tree.h"
#include "io/command_line.h"
#include "io/io_support.h"
#include "io/meshes/gmsh_file.h"
#include "support/meshes.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using HostileCommand = CommandLine;

long line_count(const std::string& text) { return 1 + std::count(text.begin(), text.end(), '\n'); }

/// Lines of a list of links that hang on links which do not exist.
std::string orphans(int count) {
  std::string links;
  for (int i = 0; i < count; ++i) {
    links += "  - {name: link" + std::to_string(i) + ", parent: nobody" + std::to_string(i) + "}\n";
  }
  return links;
}

TEST(YamlTree, AliasesShareWhatTheyStandFor) {
  const YamlNode tree = parse_yaml("a: &x {list: &y [1, 2]}\nb: *x\nc: *y\n", "t.yaml");
  const YamlNode &a = tree.find("a")->value, &b = tree.find("b")->value, &c = tree.find("c")->value;
  EXPECT_EQ(&a.entries(), &b.entries());
  EXPECT_EQ(&a.find("list")->value.items(), &c.items());
  EXPECT_EQ(a.mark.text(), "t.yaml:1:4");
  EXPECT_EQ(b.mark.text(), "t.yaml:2:4");
  EXPECT_EQ(c.mark.text(), "t.yaml:3:4");
}

TEST(YamlTree, AChangeStaysInOnePlace) {
  const YamlNode tree = parse_yaml("a: &x [1, 2]\nb: *x\n", "t.yaml");
  YamlNode copy = tree;
  copy.edit().entries[1].value.edit().items.pop_back();
  EXPECT_EQ(copy.find("b")->value.items().size(), 1u);
  EXPECT_EQ(copy.find("a")->value.items().size(), 2u);
  EXPECT_EQ(tree.find("b")->value.items().size(), 2u);
}

TEST(HostileFile, AnchorsAroundAnchorsAreNotCopied) {
  const int depth = 300, width = 20000;
  std::string text = "cuttle: 1\nname: ";
  for (int i = 0; i < depth; ++i) text += "&a" + std::to_string(i) + " [";
  for (int i = 0; i < width; ++i) text += "1,";
  text += std::string(depth, ']') + "\nlinks: [{name: a}]\n";
  const YamlNode tree = parse_yaml(text, "t.yaml");
  const YamlNode* node = &tree.find("name")->value;
  for (int i = 1; i < depth; ++i) node = &node->items().at(0);
  EXPECT_EQ(node->items().size(), static_cast<std::size_t>(width));
  EXPECT_EQ(robot_errors(text), "r.yaml:2:7: name: found a list of 1, expected a name");
}

TEST(HostileFile, ThousandsOfErrorsAreCountedAndTheFirstAreShown) {
  const std::string error = robot_errors("cuttle: 1\nlinks:\n" + orphans(5000));
  EXPECT_EQ(line_count(error), 51);
  EXPECT_TRUE(error.ends_with("\nand 4950 more")) << error;
  EXPECT_TRUE(
      error.starts_with("r.yaml:3:27: links[0].parent: found 'nobody0', which is no link, expected base\n"
                        "r.yaml:4:27: links[1].parent: found 'nobody1', which is no link, expected base or link0\n"))
      << error;
  EXPECT_NE(error.find("r.yaml:52:28: links[49].parent: found 'nobody49', which is no link, expected "), error.npos);
  EXPECT_LT(error.size(), 20'000u);
}

TEST(HostileFile, OfManyNamesTheNearestAreNamed) {
  std::string text = "cuttle: 1\nlinks:\n";
  for (int i = 0; i < 1000; ++i) {
    text += "  - {name: link" + std::to_string(i) + ", joint: {type: revolute}, body: {type: rigid, mass: 1}}\n";
  }
  EXPECT_EQ(robot_errors(text + "  - {name: last, parent: lnk777}\n"),
            "r.yaml:1003:26: links[1000].parent: found 'lnk777', which is no link, expected link777, link177, link277, "
            "link377, link477 or one of 996 others; did you mean 'link777'?");
}

TEST(HostileFile, ErrorsOfScenarioAndRobotAreCountedTogether) {
  const TemporaryDirectory directory;
  directory.write("r.yaml", "cuttle: 1\nlinks:\n" + orphans(40));
  std::string scenario = "cuttle: 1\nrobot: r.yaml\nsimulation:\n  duration: 1\n";
  for (int i = 0; i < 20; ++i) scenario += "  key" + std::to_string(i) + ": 1\n";
  const std::string path = directory.write("s.yaml", scenario);
  const std::string error = message<FileError>([&] { load_scenario_file(path); });
  EXPECT_EQ(line_count(error), 51);
  EXPECT_TRUE(error.ends_with("\nand 10 more")) << error;
  EXPECT_TRUE(error.starts_with(path + ":5:3: simulation.key0: found an unknown key, expected ")) << error;
}

TEST(HostileFile, InputsOfAScenarioThatDoNotExistAreCounted) {
  std::string scenario = "cuttle: 1\nrobot: r.yaml\nsimulation:\n  duration: 1\n  inputs:\n";
  for (int i = 0; i < 300; ++i) scenario += "    input" + std::to_string(i) + ": 1\n";
  const std::string robot = "cuttle: 1\nlinks: [{name: a, joint: {type: revolute}, body: {type: rigid, mass: 1}}]\n";
  const std::string error = message<FileError>([&] { read_scenario_text(scenario, "s.yaml", robot); });
  EXPECT_EQ(line_count(error), 51);
  EXPECT_TRUE(error.ends_with("\nand 250 more")) << error;
}

struct Text {
  const char* name;
  std::string bytes;
  std::string error;  ///< of the text behind "name: "
};
std::ostream& operator<<(std::ostream& out, const Text& text) { return out << text.name; }

class TextThatIsNone : public testing::TestWithParam<Text> {};

TEST_P(TextThatIsNone, IsRefusedAtItsPlace) {
  EXPECT_EQ(robot_errors("cuttle: 1\nname: " + GetParam().bytes + "\nlinks: [{name: a}]\n"),
            "r.yaml:2:" + GetParam().error + ", expected text in UTF-8");
}

INSTANTIATE_TEST_SUITE_P(
    HostileFile, TextThatIsNone,
    testing::Values(Text{"Latin1", "caf\xe9", "10: found the byte E9, which is not UTF-8"},
                    Text{"LoneContinuation", "a\x80", "8: found the byte 80, which is not UTF-8"},
                    Text{"Overlong", "\xc0\x80", "7: found the byte C0, which is not UTF-8"},
                    Text{"OverlongOfThree", "\xe0\x80\x80", "7: found the byte E0, which is not UTF-8"},
                    Text{"Surrogate", "\xed\xa0\x80", "7: found the byte ED, which is not UTF-8"},
                    Text{"BehindUnicode", "\xf4\x90\x80\x80", "7: found the byte F4, which is not UTF-8"},
                    Text{"CutOff", "\xe2\x82", "7: found the byte E2, which is not UTF-8"},
                    Text{"InAComment", "x # \xfc", "11: found the byte FC, which is not UTF-8"},
                    Text{"Escape", "\x1b[31mred", "7: found the control character U+001B"},
                    Text{"Zero", std::string("a\0b", 3), "8: found the control character U+0000"},
                    Text{"Delete", "\x7f", "7: found the control character U+007F"},
                    Text{"C1", "\xc2\x9b", "7: found the control character U+009B"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(HostileFile, NamesMayHaveTheLettersOfAllLanguages) {
  for (const std::string name : {"größe", "腕", "\xf0\x9f\xa6\x91", "\xef\xbf\xbd"}) {
    const Robot robot = read_robot_text(
        "cuttle: 1\nname: " + name + "\nlinks: [{name: a, joint: {type: revolute}, body: {type: rigid, mass: 1}}]\n",
        "r.yaml");
    EXPECT_EQ(robot.name, name);
  }
}

TEST(HostileFile, OtherFilesMustBeTextToo) {
  const TemporaryDirectory directory;
  const std::string links = "links: [{name: a, joint: {type: revolute}, body: {type: rigid, mass: 1}}]\n";
  directory.write("r.yaml", "cuttle: 1\n" + links + "actuators: [{name: m, type: joint, link: a}]\n");
  const std::string table = directory.write("t.csv", "time,caf\xe9\n0,1\n");
  const std::string with_table = directory.write(
      "s.yaml",
      "cuttle: 1\nrobot: r.yaml\nsimulation: {duration: 1, inputs: {m: {type: table, file: t.csv, column: x}}}\n");
  EXPECT_EQ(message<FileError>([&] { load_scenario_file(with_table); }),
            table + ":1:9: found the byte E9, which is not UTF-8, expected text in UTF-8");
  const std::string scenario = directory.write("s2.yaml", "cuttle: 1\nrobot: r\xe9.yaml\n");
  EXPECT_EQ(message<FileError>([&] { load_scenario_file(scenario); }),
            scenario + ":2:9: found the byte E9, which is not UTF-8, expected text in UTF-8");

  std::string mesh = test::msh_text(test::box_mesh({0.1, 0.1, 0.1}, 1, 1, 1), "4.1");
  mesh += "$Comments\n\xfc\n$EndComments\n";
  const std::string path = directory.write("m.msh", mesh);
  EXPECT_EQ(message<FileError>([&] { read_gmsh_file(path); }),
            path + ":" + std::to_string(line_count(mesh) - 2) +
                ":1: found the byte FC, which is not UTF-8, expected text in UTF-8");
}

TEST(HostileFile, OverridesMustBeText) {
  const std::string text = "cuttle: 1\nlinks: [{name: a, joint: {type: revolute}, body: {type: rigid, mass: 1}}]\n";
  EXPECT_EQ(robot_errors(text, {"robot.name=caf\xe9"}),
            "--set:1:15: found the byte E9, which is not UTF-8, expected text in UTF-8");
}

TEST(HostileFile, NamesAndTextsHaveNoControlCharacters) {
  const std::string expected = " without control characters";
  EXPECT_EQ(robot_errors("cuttle: 1\nlinks: [{name: \"a\\e[31m\"}]\n"),
            "r.yaml:2:16: links[0].name: found 'a\\x1b[31m', expected a name" + expected);
  EXPECT_EQ(robot_errors("cuttle: 1\nlinks: [{name: \"a\\u009b1m\"}]\n"),
            "r.yaml:2:16: links[0].name: found 'a\\xc2\\x9b1m', expected a name" + expected);
  EXPECT_EQ(robot_errors("cuttle: 1\nmaterials: {\"a\\0\": {density: 1}}\nlinks: [{name: a}]\n"),
            "r.yaml:2:13: materials.a\\x00: found 'a\\x00', expected a name" + expected);
  const std::string scenario = "cuttle: 1\nrobot: \"a\\tb\"\nsimulation: {duration: 1}\n";
  const std::string robot = "cuttle: 1\nlinks: [{name: a, joint: {type: revolute}, body: {type: rigid, mass: 1}}]\n";
  EXPECT_EQ(message<FileError>([&] { read_scenario_text(scenario, "s.yaml", robot); }),
            "s.yaml:2:8: robot: found 'a\\x09b', expected text" + expected);
}

TEST(HostileFile, MessagesAreOneLineAndNotEndless) {
  const std::string error = robot_errors("cuttle: 1\n\"a\\nb\\e[2J\": 1\nlinks: [{name: a}]\n");
  EXPECT_TRUE(error.starts_with("r.yaml:2:1: a\\x0ab\\x1b[2J: found an unknown key")) << error;
  EXPECT_LT(robot_errors("cuttle: 1\n" + std::string(1'000'000, 'k') + ": 1\nlinks: [{name: a}]\n").size(), 10'000u);
  EXPECT_LT(robot_errors("cuttle: " + std::string(1'000'000, '1') + "\nlinks: [{name: a}]\n").size(), 10'000u);
}

TEST_F(HostileCommand, NothingOfAFileCommandsTheTerminal) {
  const std::string bad = directory_.write("bad.yaml", "cuttle: 1\n\"\\e]0;title\\a\": 1\nlinks: [{name: a}]\n");
  const Result refused = run("check " + bad);
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(refused.errors.starts_with(bad + ":2:1: \\x1b]0;title\\x07: found an unknown key")) << refused.errors;
}

TEST_F(HostileCommand, DenormalNumbersAreNumbers) {
  directory_.write("m.obj", "v 0 0 0\nv 1 0 1e-310\nv 0 1 1e-400\nf 1 2 3\n");
  const std::string robot = directory_.write(
      "r.yaml",
      "cuttle: 1\ngravity: [0, 0, 1.0e-310]\nlinks:\n  - name: a\n    joint: {type: revolute, stiffness: 1}\n    body: "
      "{type: rigid, mass: 1, visual: [{shape: sphere, radius: 1.0e-310}, {shape: mesh, file: m.obj}]}\nactuators: "
      "[{name: m, type: joint, link: a}]\n");
  const std::string page = directory_.path("r.html");
  const Result viewed = run("view " + robot + " --no-open -o " + page);
  EXPECT_EQ(viewed.code, 0) << viewed.errors;
  const Result balanced = run("statics " + robot + " --input m=1e-310");
  EXPECT_EQ(balanced.code, 0) << balanced.errors;
  EXPECT_EQ(run("statics " + robot + " --input m=0x10").code, 2);
}

TEST_F(HostileCommand, AStiffnessThatOverflowsIsNamed) {
  const std::string robot = model("examples/fem_finger.yaml");
  const Result result = run("check " + robot + " --set robot.materials.rubber.lame_lambda=1e200");
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(result.errors.starts_with(robot)) << result.errors;
  EXPECT_NE(result.errors.find("modes: found no vibration modes ("), std::string::npos) << result.errors;
}

TEST(HostileFile, ABodyThatFoldsAtRestIsNamed) {
  const TemporaryDirectory directory;
  directory.write(
      "n.json",
      "{\"format\": \"cuttle-mlp-1\", \"scale\": 0.1, \"base_weight\": \"linear\", \"layers\": [{\"weight\": "
      "[[-30, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]], \"bias\": [0, 0, 0], \"activation\": \"identity\"}]}");
  const std::string path = directory.write(
      "r.yaml",
      "cuttle: 1\nmaterials: {rubber: {model: neo_hookean, density: 1000, c1: 1.0e+5, lame_lambda: 1.0e+6}}\nlinks:\n  "
      "- "
      "name: arm\n    body: {type: volume, shape: {type: cylinder, length: 0.1, radius: 0.01}, material: rubber, "
      "kinematics: {type: neural, file: n.json}}\n  - {name: tool, body: {type: rigid, mass: 1}}\n");
  const std::string error = message<FileError>([&] { read_robot_file(path); });
  EXPECT_TRUE(error.starts_with(path + ":")) << error;
  EXPECT_NE(error.find("the body folds onto itself"), error.npos) << error;
}

TEST(PlainText, BeginningsEndWithAWholeCharacter) {
  EXPECT_EQ(beginning("größe", 4), "gr\u00f6...");
  EXPECT_EQ(beginning("größe", 3), "gr...");
  EXPECT_EQ(beginning("größe", 7), "größe");
}

TEST(PlainText, PrintableEscapesBytesThatAreNoText) {
  EXPECT_EQ(printable("a\xe9"
                      "b\n\xc3\xb6"),
            "a\\xe9b\\x0aö");
  EXPECT_EQ(printable_lines("a\n\x1b"), "a\n\\x1b");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
