// Robots of other programs: each sample against a robot file that says the same in other words, or against closed
// forms.
#include "cuttle/io/robot_import.h"

#include <cmath>
#include <filesystem>

#include "cuttle/elements/coupling.h"
#include "cuttle/elements/joint_limit.h"
#include "io/import_support.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::Contains;
using testing::HasSubstr;

// the same, bodies turned by fixed links instead of by tensors; (1, 2, 2) / 3 is what z turns to by the angle acos(2/3)
// about (-2, 1, 0)
std::string urdf_in_words() {
  const double half = 0.5 * std::acos(2.0 / 3.0), s = std::sin(half) / std::sqrt(5.0);
  char plane[200], back[200];
  std::snprintf(plane, sizeof plane, "[%.17g, %.17g, %.17g, 0]", std::cos(half), -2.0 * s, s);
  std::snprintf(back, sizeof back, "[%.17g, %.17g, %.17g, 0]", std::cos(half), 2.0 * s, -s);
  return std::string(R"(cuttle: 1
links:
  - {name: upper, attach: {pose: {position: [0.1, 0.2, 0.3], rpy: [0.3, -0.2, 0.5]}},
     joint: {type: revolute, axis: [0.6, 0.8, 0], damping: 0.2}}
  - {name: upper_mass, attach: {pose: {position: [0.01, 0.02, 0.15], rpy: [0.4, 0.1, -0.7]}},
     body: {type: rigid, mass: 1.5, inertia: [0.02, 0.03, 0.015, 0.001, -0.002, 0.0005]}}
  - {name: hand, parent: upper, attach: {pose: {position: [0, 0, 0.3], rpy: [0, 0.7, 0]}},
     joint: {type: prismatic, axis: [0, 0, 1]}, body: {type: rigid, mass: 0.4, inertia: [1.0e-3, 2.0e-3, 1.5e-3, 0, 0, 0]}}
  - {name: finger_tip, parent: hand, joint: {type: revolute, axis: [0, 1, 0]},
     body: {type: rigid, mass: 0.1, com: [0, 0, 0.05], inertia: [1.0e-4, 1.0e-4, 1.0e-5, 0, 0, 0]}}
  - {name: turned, parent: upper, attach: {pose: {position: [0.05, 0, 0.2], rpy: [0, 0, 1]}}}
  - {name: plane, parent: turned, attach: {pose: {quaternion: )") +
         plane + R"(}}, joint: {type: planar}}
  - {name: puck, parent: plane, attach: {pose: {quaternion: )" +
         back + R"(}},
     body: {type: rigid, mass: 0.3, com: [0.02, 0, 0], inertia: [1.0e-3, 2.0e-3, 1.2e-3, 1.0e-4, 0, 0]}}
)";
}

TEST_F(RobotImport, UrdfMovesAsTheSameRobotInOtherWords) {
  const ImportedRobot imported = import("arm.urdf", k_urdf);
  EXPECT_EQ(imported.robot.name, "odd_arm");
  expect_same_robot(imported.robot, read_robot_text(urdf_in_words(), "words.yaml"),
                    {"upper", "hand", "finger_tip", "puck"});
}

TEST_F(RobotImport, UrdfSaysWhatIsLostAndChosen) {
  const ImportedRobot imported = import("arm.urdf", k_urdf);
  std::vector<std::string> lines;
  for (const ImportNote& note : imported.notes) {
    lines.push_back(note.text().substr(directory_.path("").size()));
  }
  EXPECT_THAT(
      lines,
      Contains("arm.urdf:10: friction of a joint: left out (an element joint_friction can stand for it) (shoulder)"));
  EXPECT_THAT(lines, Contains("arm.urdf:9: most velocity of a joint: left out (2: shoulder, slide)"));
  EXPECT_THAT(lines, Contains("arm.urdf:19: collision of a link: made `contact` of its link; `contacts` of a robot "
                              "file say what touches (upper)"));
  EXPECT_THAT(lines, Contains("arm.urdf:46: transmission: left out (gear)"));
  EXPECT_THAT(lines, Contains(HasSubstr("mimic of a joint: made a stiff coupling")));
  EXPECT_THAT(lines, Contains(HasSubstr("arm.urdf:9: limit of a joint: made an element of a stiffness")));
  EXPECT_THAT(lines, Contains(HasSubstr("(2: base -> base_1, finger.tip -> finger_tip)")));
  ASSERT_EQ(imported.robot.actuators.size(), 2U);  // the mimic joint has no motor
  EXPECT_EQ(imported.robot.actuators[0].name, "shoulder");
  ASSERT_EQ(imported.robot.elements.size(), 3U);
  const JointLimit* const limit = joint_limit_parameters(*imported.robot.elements[0].law);
  ASSERT_NE(limit, nullptr);
  EXPECT_EQ(limit->lower, -1.0);
  EXPECT_EQ(limit->upper, 1.5);
  EXPECT_EQ(limit->stiffness, 2000.0);  // 20 N m over 0.01 rad
  const Coupling* const mimic = coupling_parameters(*imported.robot.elements[2].law);
  ASSERT_NE(mimic, nullptr);
  EXPECT_EQ(mimic->rest, 0.2);
  ASSERT_EQ(imported.visuals.size(), 1U);
  EXPECT_EQ(imported.visuals[0].visual.pose.position.z, 0.1);
  EXPECT_EQ(imported.visuals[0].visual.color->red, 0.5);
}

// y = q_f - k q_s pulled to its rest: f = (-K e) on the follower and (k K e) on the leader
TEST_F(RobotImport, MimicPullsBothJoints) {
  const ImportedRobot imported = import("arm.urdf", k_urdf);
  Robot robot = imported.robot;
  robot.elements.erase(robot.elements.begin(), robot.elements.begin() + 2);  // limits
  const Model model(robot);
  Data data(model);
  VectorXd q = model.neutral();
  const int leader = link_of(model, "upper").q, follower = link_of(model, "finger_tip").q;
  q[leader] = 0.4, q[follower] = 0.3;
  const VectorXd zero = VectorXd::Zero(model.nv());
  const VectorXd with = element_force(model, data, q, zero);
  const double e = 0.3 + 0.5 * 0.4 - 0.2;
  EXPECT_NEAR(with[follower], -100.0 * e, 1e-12);
  EXPECT_NEAR(with[leader], -0.5 * 100.0 * e, 1e-12);
}

TEST_F(RobotImport, WhatIsWrittenReadsBackTheSame) {
  const ImportedRobot imported = import("arm.urdf", k_urdf);
  const std::string path = directory_.path("arm.yaml");
  write_robot_file(imported.robot, path, false, imported.visuals, "first\nsecond");
  const RobotFile file = load_robot_file(path);
  EXPECT_THAT(file.yaml, testing::StartsWith("# first\n# second\ncuttle: 1\n"));
  EXPECT_EQ(file.visuals.size(), 1U);
  expect_same_robot(file.robot, imported.robot, {"upper", "hand", "finger_tip", "puck"});
}

// as exporters write limits that are none, or of one side
TEST_F(RobotImport, UrdfLimitsMayBeInfinite) {
  const auto limits = [&](const std::string& type, const std::string& attributes) {
    return import("wheel.urdf",
                  "<robot name=\"wheel\"><link name=\"b\"/><joint name=\"spin\" type=\"" + type +
                      "\"><parent link=\"b\"/><child link=\"w\"/><limit " + attributes +
                      "/></joint><link name=\"w\"><inertial><mass value=\"0.5\"/></inertial></link></robot>");
  };
  for (const char* const none :
       {"lower=\"-inf\" upper=\"inf\" effort=\"inf\" velocity=\"inf\"", "lower=\"-INF\" upper=\"+Infinity\"",
        "lower=\"-1e400\" upper=\"1e400\"", "lower=\"-1e16\" upper=\"1e16\" effort=\"inf\""}) {
    for (const char* const type : {"revolute", "prismatic", "continuous"}) {
      const ImportedRobot imported = limits(type, none);
      EXPECT_TRUE(imported.robot.elements.empty()) << none;
      EXPECT_TRUE(imported.notes.empty()) << none;
    }
  }
  const ImportedRobot half = limits("revolute", "lower=\"-inf\" upper=\"0.5\" effort=\"inf\"");
  ASSERT_EQ(half.robot.elements.size(), 1U);
  const JointLimit* const limit = joint_limit_parameters(*half.robot.elements[0].law);
  ASSERT_NE(limit, nullptr);
  EXPECT_EQ(limit->upper, 0.5);
  EXPECT_EQ(limit->stiffness, 100.0);  // the most effort is not known
  const Model model(half.robot);
  Data data(model);
  VectorXd q(1);
  q << -1e9;
  EXPECT_EQ(element_force(model, data, q, VectorXd::Zero(1))[0], 0.0);
  for (const char* const wrong : {"nan", "infi", "1e-400x", "-"}) {
    EXPECT_THAT(message<FileError>([&] { limits("revolute", std::string("upper=\"") + wrong + "\""); }),
                HasSubstr(std::string("joint.limit[spin].upper: found '") + wrong + "', expected a number"));
  }
}

TEST_F(RobotImport, XacroFilesAreNamedAsSuch) {
  const std::string head = "<robot xmlns:xacro=\"http://www.ros.org/wiki/xacro\" name=\"arm\">\n";
  const std::string macro = head + " <xacro:macro name=\"l\"><link name=\"l\"/></xacro:macro></robot>";
  const std::string folder = directory_.path("");
  EXPECT_EQ(said("only_macro.urdf", macro),
            "only_macro.urdf:2:3: found <xacro:macro>, which is xacro, expected URDF: `xacro only_macro.urdf > "
            "robot.urdf` makes it first");
  EXPECT_EQ(said("arm.urdf.xacro", macro),
            "arm.urdf.xacro:2:3: found <xacro:macro>, which is xacro, expected URDF: `xacro arm.urdf.xacro > arm.urdf` "
            "makes it first");
  EXPECT_EQ(
      said("arm.xacro", macro),
      "arm.xacro:2:3: found <xacro:macro>, which is xacro, expected URDF: `xacro arm.xacro > arm.urdf` makes it first");
  EXPECT_THAT(said("a.urdf", head + "<link name=\"seg_${n}\"/></robot>"),
              HasSubstr("a.urdf:2:2: found name=\"seg_${n}\", which is xacro"));
  // what xacro has written keeps the name space
  EXPECT_EQ(import("done.urdf", head + "<link name=\"l\"/></robot>").robot.links.size(), 1U);
}

TEST_F(RobotImport, UrdfNamesMistakes) {
  EXPECT_EQ(said("a.urdf",
                 "<robot name=\"a\">\n <link name=\"x\"/>\n <joint name=\"j\" type=\"revolut\"><parent link=\"x\"/>"
                 "<child link=\"y\"/></joint>\n <link name=\"y\"/></robot>"),
            "a.urdf:3:3: joint[j].type: found 'revolut', expected revolute, continuous, prismatic, fixed, floating or "
            "planar");
  EXPECT_EQ(said("a.urdf",
                 "<robot name=\"a\">\n <link name=\"x\"/>\n <joint name=\"j\" type=\"fixed\"><parent link=\"x\"/>\n"
                 "<child link=\"z\"/></joint></robot>"),
            "a.urdf:4:2: joint[j].child.link: found 'z', which is no link, expected x");
  EXPECT_EQ(said("a.urdf", "<robot name=\"a\"><link name=\"x\"/>\n <link name=\"y\"/></robot>"),
            "a.urdf:2:3: link[y]: found a second root, beside 'x', expected one link that is no joint's child");
  EXPECT_EQ(said("a.urdf",
                 "<robot name=\"a\"><link name=\"x\"><inertial>\n <mass value=\"1,5kg\"/></inertial></link></robot>"),
            "a.urdf:2:3: link.inertial.mass[x].value: found '1,5kg', expected a number");
  EXPECT_THAT(said("a.urdf", "<robot name=\"a\">\n<link name=\"x\">"), HasSubstr("expected XML"));
  EXPECT_THAT(said("a.urdf", "<scene/>"),
              HasSubstr("a.urdf:1:2: found the root element <scene>, expected <robot>, <mujoco> or <sdf>"));
}

TEST_F(RobotImport, ElementsAreNestedWithinABound) {
  const auto nested = [](int depth) {
    std::string open, close;
    for (int i = 0; i < depth; ++i) open += "<x>", close += "</x>";
    return "<robot name=\"a\"><link name=\"b\"/>" + open + close + "</robot>";
  };
  EXPECT_NO_THROW(import("a.urdf", nested(500)));
  EXPECT_THAT(said("a.urdf", nested(501)), HasSubstr("x: found elements nested 501 deep, expected at most 500"));
}

TEST_F(RobotImport, CyclesAreRefused) {
  const auto joint = [](const std::string& name, const std::string& parent, const std::string& child) {
    return "<joint name=\"" + name + "\" type=\"fixed\"><parent link=\"" + parent + "\"/><child link=\"" + child +
           "\"/></joint>";
  };
  EXPECT_THAT(said("a.urdf", "<robot name=\"a\"><link name=\"x\"/><link name=\"y\"/>" + joint("j", "x", "y") +
                                 joint("k", "y", "x") + "</robot>"),
              HasSubstr("a cycle: every link is some joint's child"));
  EXPECT_THAT(said("a.urdf", "<robot name=\"a\"><link name=\"r\"/><link name=\"x\"/><link name=\"y\"/>" +
                                 joint("j", "x", "y") + joint("k", "y", "x") + "</robot>"),
              HasSubstr("a cycle of joints that does not hang on the root"));
}

// a mesh by package://, found below a given root
TEST_F(RobotImport, PackagesAreFoundInGivenRoots) {
  std::filesystem::create_directories(directory_.path("roots/my_robot/meshes"));
  directory_.write("roots/my_robot/meshes/part.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const std::string urdf =
      "<robot name=\"a\"><link name=\"x\"><visual><geometry><mesh filename=\"package://my_robot/meshes/part.obj\" "
      "scale=\"2 3 "
      "1\"/></geometry></visual></link></robot>";
  const ImportedRobot lost = import("a.urdf", urdf);
  EXPECT_TRUE(lost.visuals.empty());
  EXPECT_THAT(whats(lost), Contains(HasSubstr("not drawn")));
  ImportOptions options;
  options.package_roots = {directory_.path("roots")};
  const ImportedRobot found = import("a.urdf", urdf, options);
  ASSERT_EQ(found.visuals.size(), 1U);
  EXPECT_EQ(found.visuals[0].visual.mesh->points[2].y, 3.0);
  EXPECT_TRUE(found.notes.empty());
}

TEST_F(RobotImport, SdfMovesAsTheSameRobotInOtherWords) {
  const ImportedRobot imported = import("m.sdf", R"(<sdf version="1.9"><model name="arm"><pose>0 0 1 0 0 0</pose>
    <link name="a"><pose>0.1 0.2 0 0 0 0.5</pose>
      <inertial><pose>0 0 0.1 0.2 0 0</pose><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.15</izz></inertia></inertial></link>
    <link name="b"><pose relative_to="j">0 0.3 0 0.1 0 0</pose>
      <inertial><mass>1</mass><inertia><ixx>0.01</ixx><iyy>0.02</iyy><izz>0.015</izz></inertia></inertial></link>
    <joint name="root" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 1 0</xyz><dynamics><damping>0.4</damping></dynamics></axis></joint>
    <joint name="j" type="prismatic"><pose relative_to="a">0 0 0.5 0 0.3 0</pose><parent>a</parent><child>b</child>
      <axis><xyz expressed_in="__model__">1 0 0</xyz></axis></joint>
  </model></sdf>)");
  const char* const words = R"(cuttle: 1
links:
  - {name: model, attach: {pose: {position: [0, 0, 1]}}}
  - {name: a, attach: {pose: {position: [0.1, 0.2, 0], rpy: [0, 0, 0.5]}}, joint: {type: revolute, axis: [0, 1, 0], damping: 0.4}}
  - {name: a_mass, attach: {pose: {position: [0, 0, 0.1], rpy: [0.2, 0, 0]}}, body: {type: rigid, mass: 2, inertia: [0.1, 0.2, 0.15, 0, 0, 0]}}
  - {name: back, parent: a, attach: {pose: {rpy: [0, 0, -0.5]}}}
  - {name: slide, joint: {type: prismatic, axis: [1, 0, 0]}}
  - {name: forth, attach: {pose: {rpy: [0, 0, 0.5]}}}
  - {name: j, attach: {pose: {position: [0, 0, 0.5], rpy: [0, 0.3, 0]}}}
  - {name: b, attach: {pose: {position: [0, 0.3, 0], rpy: [0.1, 0, 0]}}, body: {type: rigid, mass: 1, inertia: [0.01, 0.02, 0.015, 0, 0, 0]}}
)";
  expect_same_robot(imported.robot, read_robot_text(words, "words.yaml"), {"a", "b"});
}

// Collada with y up and in centimetres; glTF with y up
TEST_F(RobotImport, ScenesAreDrawnWhereTheirNodesAre) {
  directory_.write("part.dae", R"(<COLLADA><asset><unit meter="0.01"/><up_axis>Y_UP</up_axis></asset>
    <library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="12">0 0 0 1 0 0 0 1 0 1 1 0</float_array></source>
      <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
      <polylist count="1"><input semantic="NORMAL" source="#p" offset="0"/><input semantic="VERTEX" source="#v" offset="1"/>
        <vcount>4</vcount><p>0 0 0 1 0 3 0 2</p></polylist></mesh></geometry></library_geometries>
    <library_visual_scenes><visual_scene id="s"><node><translate>1 2 3</translate><scale>2 2 2</scale>
      <instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
    <scene><instance_visual_scene url="#s"/></scene></COLLADA>)");
  directory_.write("part.gltf", R"({"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}],
    "nodes": [{"mesh": 0, "translation": [1, 2, 3]}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
    "bufferViews": [{"buffer": 0, "byteLength": 36}],
    "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]})");
  const auto points = [&](const std::string& file) {
    return import("a.urdf", "<robot name=\"a\"><link name=\"x\"><visual><geometry><mesh filename=\"" + file +
                                "\"/></geometry></visual></link></robot>")
        .visuals.at(0)
        .visual.mesh;
  };
  const auto dae = points("part.dae");
  ASSERT_EQ(dae->triangles.size(), 2U);
  EXPECT_NEAR(norm(dae->points[3] - Vector3{0.03, -0.03, 0.04}), 0.0, 1e-15);  // (1 + 2, 2 + 2, 3) cm, y up
  const auto gltf = points("part.gltf");
  ASSERT_EQ(gltf->triangles.size(), 1U);
  EXPECT_NEAR(norm(gltf->points[1] - Vector3{2, -3, 2}), 0.0, 1e-15);
  EXPECT_NEAR(norm(gltf->points[2] - Vector3{1, -3, 3}), 0.0, 1e-15);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
