// Every kind of error in a robot file, with its wording and its place: the document, links, joints and loops.
#include <gtest/gtest.h>

#include <string>

#include "io/mistake.h"

namespace cuttle::CUTTLE_FILE {
namespace {

class RobotMistake : public MistakeTest {};

TEST_P(RobotMistake, IsReportedAtItsPlace) { expect_error(); }

INSTANTIATE_TEST_SUITE_P(
    Document, RobotMistake,
    testing::Values(
        Mistake{"Empty", "", "r.yaml:1:1: found nothing, expected a mapping"},
        Mistake{"List", "- 1\n", "r.yaml:1:1: found a list of 1, expected a mapping"},
        Mistake{
            "Syntax", "cuttle: 1\nlinks: [1, 2\n",
            "r.yaml:3:1: YAML: found a list that begins with [ and does not end, expected a ] behind its last item"},
        Mistake{"Tab", "cuttle: 1\nbase:\n\tmotion: fixed\n",
                "r.yaml:3:1: YAML: found a tab before the first word of a line, expected spaces: YAML indents by "
                "spaces alone"},
        Mistake{"TabInList", "cuttle: 1\nlinks:\n  - name: a\n \tbody: {type: rigid, mass: 1}\n",
                "r.yaml:4:2: YAML: found a tab before the first word of a line, expected spaces: YAML indents by "
                "spaces alone"},
        Mistake{"Indentation", "cuttle: 1\nbase:\n  motion: fixed\n pose: {}\n",
                "r.yaml:4:2: YAML: found a line whose indentation fits no line above it, expected keys of one mapping "
                "below each other"},
        Mistake{"OpenMapping", "cuttle: 1\nbase: {motion: fixed\n",
                "r.yaml:3:1: YAML: found a mapping that begins with { and does not end, expected a } behind its last "
                "value"},
        Mistake{"TwoValues", "cuttle: 1: 2\n",
                "r.yaml:1:10: YAML: found a ':' where no value can begin, expected one key and its value in each line"},
        Mistake{"UnknownAlias", "cuttle: *one\n",
                "r.yaml:1:9: YAML: found a syntax error (the referenced anchor is not defined), expected valid YAML"},
        Mistake{"AliasInItself", "cuttle: &x [*x]\n",
                "r.yaml:1:13: YAML: found an alias inside the value that it stands for, expected a value without "
                "itself inside"},
        Mistake{"KeyIsAList", "? [a]\n: 1\n", "r.yaml:1:3: YAML: found a key that is no text, expected text"},
        Mistake{"TwoDocuments", "cuttle: 1\n---\ncuttle: 1\n",
                "r.yaml:3:1: YAML: found a second document, expected one document a file"},
        Mistake{"NoVersion", "links: [{name: a}]\n",
                "r.yaml:1:1: cuttle: found nothing, expected 1, the version of the format"},
        Mistake{"OtherVersion", "cuttle: 2\nlinks: [{name: a}]\n",
                "r.yaml:1:9: cuttle: found 2, expected 1, the version of the format that this Cuttle reads"},
        Mistake{"NoLinks", "cuttle: 1\n", "r.yaml:1:1: links: found nothing, expected a list of mappings"},
        Mistake{"EmptyLinks", "cuttle: 1\nlinks: []\n",
                "r.yaml:2:8: links: found an empty list, expected at least one link"},
        Mistake{"LinksAreNoList", "cuttle: 1\nlinks: {a: {}}\n",
                "r.yaml:2:8: links: found a mapping, expected a list of mappings"},
        Mistake{"LinkIsNoMapping", link("7"), "r.yaml:3:5: links[0]: found 7, expected a mapping"},
        Mistake{"EmptyValue", "cuttle: 1\ngravity:\nlinks: [{name: a}]\n",
                "r.yaml:2:1: gravity: found nothing, expected a list of 3 numbers [m/s^2]"},
        Mistake{"UnknownKey", "cuttle: 1\ngravty: [0, 0, 0]\nlinks: [{name: a}]\n",
                "r.yaml:2:1: gravty: found an unknown key, expected cuttle, name, gravity, base, materials, include, "
                "links, "
                "actuators, elements, loads, loops, obstacles, contacts, markers, sensors or visual; did you mean "
                "'gravity'?"},
        Mistake{"DuplicateKey", "cuttle: 1\nname: x\nlinks: [{name: a}]\nname: y\n",
                "r.yaml:4:1: name: found this key again, expected it once (r.yaml:2:1)"},
        Mistake{"WrongSize", "cuttle: 1\ngravity: [0, 0]\nlinks: [{name: a}]\n",
                "r.yaml:2:10: gravity: found a list of 2, expected a list of 3 numbers [m/s^2]"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Links, RobotMistake,
    testing::Values(
        Mistake{"NoName", link("parent: base"), "r.yaml:3:5: links[0].name: found nothing, expected a name"},
        Mistake{"NumberAsName", link("name: 12"),
                "r.yaml:3:11: links[0].name: found 12, expected a name (in quotes, if it is meant as text)"},
        Mistake{"NameWithDot", link("name: a.b"),
                "r.yaml:3:11: links[0].name: found 'a.b', expected a name without any of . / [ ]"},
        Mistake{
            "ReservedName", link("name: base"),
            "r.yaml:3:11: links[0].name: found 'base', which is reserved for the robot's base, expected another name"},
        Mistake{"NameTwice", link("name: a\n  - name: a"),
                "r.yaml:4:11: links[1].name: found 'a' again, expected a name of its own (r.yaml:3:5 has it)"},
        Mistake{
            "UnknownParent", link("name: arm\n  - {name: hand, parent: amr}"),
            "r.yaml:4:26: links[1].parent: found 'amr', which is no link, expected base or arm; did you mean 'arm'?"},
        Mistake{"OwnParent", link("{name: a, parent: a}"),
                "r.yaml:3:23: links[0].parent: found 'a', which is the link itself, expected 'base' or a link that "
                "stands earlier in the file"},
        Mistake{"LaterParent", link("{name: a, parent: b}\n  - {name: b, parent: base}"),
                "r.yaml:3:23: links[0].parent: found 'b', which stands later (r.yaml:4:5), expected 'base' or a link "
                "that stands earlier in the file"},
        Mistake{"Cycle", link("{name: a, parent: c}\n  - {name: b, parent: a}\n  - {name: c, parent: b}"),
                "r.yaml:3:23: links[0].parent: found 'c', which hangs on this link itself: a cycle, expected 'base' or "
                "a link that stands earlier in the file"},
        Mistake{"UnknownPort", link("{name: a, attach: {at: middle}}"),
                "r.yaml:3:28: links[0].attach.at: found 'middle', expected base, tip or {s: number [m]}"},
        Mistake{"SectionOfTheBase", link("{name: a, attach: {at: {s: 0.1}}}"),
                "r.yaml:3:32: links[0].attach.at.s: found a section on the robot's base, expected base or tip (only "
                "rods have sections)"},
        Mistake{"SectionOfRigidBody",
                link("{name: a, body: {type: rigid, mass: 1}}\n  - {name: b, attach: {at: {s: 0.1}}}"),
                "r.yaml:4:32: links[1].attach.at.s: found a section on a rigid body, expected base or tip (only rods "
                "have sections)"},
        Mistake{"PoseTwice", link("{name: a, attach: {pose: {rpy: [0, 0, 0], quaternion: [1, 0, 0, 0]}}}"),
                "r.yaml:3:59: links[0].attach.pose.quaternion: found it beside rpy, expected one of the two"},
        Mistake{"Quaternion", link("{name: a, attach: {pose: {quaternion: [1, 0, 0.1, 0]}}}"),
                "r.yaml:3:43: links[0].attach.pose.quaternion: found norm 1.00498756, expected [w, x, y, z] of norm 1 "
                "(within 1e-6)"},
        Mistake{"BaseMotion", "cuttle: 1\nbase: {motion: flying}\nlinks: [{name: a}]\n",
                "r.yaml:2:16: base.motion: found 'flying', expected fixed or floating"},
        Mistake{"FloatingWithoutMass", "cuttle: 1\nbase: {motion: floating}\nlinks: [{name: a}]\n",
                "r.yaml:2:7: base: the free-floating part has no mass, expected a body with mass and inertia fixed to "
                "it or to its children"},
        Mistake{"Visual", link("{name: a, visual: {shape: ball}}"),
                "r.yaml:3:31: links[0].visual.shape: found 'ball', expected box, cylinder, sphere or mesh"},
        Mistake{"VisualKey", link("{name: a, visual: {shape: sphere, radius: 1, radios: 1}}"),
                "r.yaml:3:50: links[0].visual.radios: found an unknown key, expected shape, radius, "
                "color or pose; did you mean 'radius'?"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Joints, RobotMistake,
    testing::Values(
        Mistake{"NoType", link("{name: a, joint: {axis: [0, 0, 1]}}"),
                "r.yaml:3:22: links[0].joint.type: found nothing, expected fixed, revolute, prismatic, cylindrical, "
                "universal, spherical, planar or free"},
        Mistake{"UnknownType", link("{name: a, joint: {type: revolut}}"),
                "r.yaml:3:29: links[0].joint.type: found 'revolut', expected fixed, revolute, prismatic, cylindrical, "
                "universal, spherical, planar or free; did you mean 'revolute'?"},
        Mistake{"KeyOfOtherType", link("{name: a, joint: {type: spherical, axis: [0, 0, 1]}}"),
                "r.yaml:3:40: links[0].joint.axis: found a key that type spherical does not have, expected type, "
                "stiffness, damping, armature, rest or visual"},
        Mistake{"ZeroAxis", link("{name: a, joint: {type: revolute, axis: [0, 0, 0]}}"),
                "r.yaml:3:45: links[0].joint.axis: found [0, 0, 0], expected an axis that is not zero"},
        Mistake{"OneAxis", link("{name: a, joint: {type: universal, axes: [[0, 0, 1]]}}"),
                "r.yaml:3:46: links[0].joint.axes: found a list of 1, expected a list of two axes [x, y, z]"},
        Mistake{"StiffnessSize", link("{name: a, joint: {type: planar, stiffness: [1, 2]}}"),
                "r.yaml:3:48: links[0].joint.stiffness: found a list of 2, expected a number or a list of 3 for a "
                "planar joint"},
        Mistake{"NegativeDamping", link("{name: a, joint: {type: revolute, damping: -1}}"),
                "r.yaml:3:48: links[0].joint.damping: found -1, expected a number >= 0 [N m s/rad]"},
        Mistake{"RestQuaternion", link("{name: a, joint: {type: spherical, rest: [1, 1, 0, 0]}}"),
                "r.yaml:3:46: links[0].joint.rest: found a quaternion with a norm that differs from 1 by 0.414, "
                "expected a quaternion [w, x, y, z] with norm 1 (within 1e-6)"},
        Mistake{"RestSize", link("{name: a, joint: {type: spherical, rest: 0}}"),
                "r.yaml:3:46: links[0].joint.rest: found 0, expected a quaternion [w, x, y, z]"}),
    name_of);

/// A linkage of two arms whose loop is in line 6.
std::string loop(const std::string& text) {
  const std::string body = "body: {type: rigid, mass: 1, com: [0.1, 0, 0], tip: {position: [0.2, 0, 0]}}}";
  return "cuttle: 1\nlinks:\n  - {name: left, joint: {type: revolute}, " + body +
         "\n  - {name: right, parent: base, joint: {type: revolute}, " + body + "\nloops:\n  - " + text + "\n";
}

INSTANTIATE_TEST_SUITE_P(
    Loops, RobotMistake,
    testing::Values(
        Mistake{"LoopWithoutType", loop("{name: l, a: {link: left}, b: {link: right}}"),
                "r.yaml:6:5: loops[0].type: found nothing, expected fixed, revolute, spherical, prismatic or "
                "universal"},
        Mistake{"LoopType", loop("{name: l, type: hinge, a: {link: left}, b: {link: right}}"),
                "r.yaml:6:21: loops[0].type: found 'hinge', expected fixed, revolute, spherical, prismatic or "
                "universal"},
        Mistake{"LoopWithoutEnd", loop("{name: l, type: fixed, a: {link: left}}"),
                "r.yaml:6:5: loops[0].b: found nothing, expected a mapping"},
        Mistake{"LoopOfAnUnknownLink", loop("{name: l, type: fixed, a: {link: left}, b: {link: rihgt}}"),
                "r.yaml:6:55: loops[0].b.link: found 'rihgt', which is no link, expected base, left or right; did you "
                "mean 'right'?"},
        Mistake{"LoopAxisOnAFixedOne",
                loop("{name: l, type: fixed, axis: [0, 0, 1], a: {link: left}, b: {link: right}}"),
                "r.yaml:6:28: loops[0].axis: found a key that type fixed does not have, expected type, name, a, b or "
                "drive"},
        Mistake{"LoopAxisOfZero", loop("{name: l, type: revolute, axis: [0, 0, 0], a: {link: left}, b: {link: right}}"),
                "r.yaml:6:37: loops[0].axis: found [0, 0, 0], expected an axis that is not zero"},
        Mistake{"LoopOfOnePlace", loop("{name: l, type: fixed, a: {link: left}, b: {link: left, at: base}}"),
                "r.yaml:6:48: loops[0].b: found 'left', which is fixed to a ('left'), expected a place that can move "
                "against it"},
        Mistake{"LoopAtASectionOfARigidBody",
                loop("{name: l, type: fixed, a: {link: left, at: {s: 0.1}}, b: {link: right}}"),
                "r.yaml:6:52: loops[0].a.at.s: found a section on a rigid body, expected base or tip (only rods have "
                "sections)"},
        Mistake{"LoopTwice",
                loop("{name: l, type: fixed, a: {link: left}, b: {link: right}}\n  - {name: l, type: spherical, a: "
                     "{link: left}, b: {link: base}}"),
                "r.yaml:7:12: loops[1].name: found 'l' again, expected a name of its own"}),
    name_of);

TEST(RobotErrors, AllAreFoundAtOnceInTheOrderOfTheFile) {
  const std::string text = robot_errors(R"(cuttle: 1
gravity: [0, 0, down]
links:
  - name: arm
    body: {type: rigid, mass: heavy, tip: {position: [0, 0]}}
  - name: hand
    parent: amr
    joint: {type: revolute, stifness: 3}
actuators:
  - {name: m, type: joint, link: arms}
materials: {m: {density: -1}}
)");
  EXPECT_EQ(
      text,
      "r.yaml:2:17: gravity[2]: found 'down', expected a number [m/s^2]\n"
      "r.yaml:5:31: links[0].body.mass: found 'heavy', expected a number >= 0 [kg]\n"
      "r.yaml:5:54: links[0].body.tip.position: found a list of 2, expected a list of 3 numbers [m]\n"
      "r.yaml:7:13: links[1].parent: found 'amr', which is no link, expected base or arm; did you mean 'arm'?\n"
      "r.yaml:8:29: links[1].joint.stifness: found an unknown key, expected type, axis, stiffness, damping, "
      "armature, rest or visual; did you mean 'stiffness'?\n"
      "r.yaml:10:34: actuators[0].link: found 'arms', which is no link, expected arm or hand; did you mean 'arm'?\n"
      "r.yaml:11:26: materials.m.density: found -1, expected a number > 0 [kg/m^3]");
}

TEST(RobotErrors, AFileThatIsMissing) {
  TemporaryDirectory directory;
  const auto message = [](const std::string& path) {
    try {
      read_robot_file(path);
      return std::string();
    } catch (const FileError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(message(directory.path("no.yaml")),
            directory.path("no.yaml") + ": found no such file, expected a robot file");
  EXPECT_EQ(message(directory.path("")), directory.path("") + ": found a directory, expected a robot file");
}

TEST(RobotErrors, AliasesCannotFillTheMemory) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int k = 1; k < 10; ++k) text += ", " + before;
    text += "]\n";
  }
  const std::string error = robot_errors(text);
  EXPECT_NE(error.find("YAML: found aliases that expand to more than 100000 values, expected fewer"), error.npos)
      << error;
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
