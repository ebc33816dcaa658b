// Models in MJCF: each sample against a robot file that says the same in other words, or against closed forms.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <tuple>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/bodies/rigid_body.h"
#include "io/import_support.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::Contains;
using testing::HasSubstr;

// Two hinges that do not meet, and a slide, on one body; angles in degrees; axes turned by a frame and by euler angles.
TEST_F(RobotImport, MjcfBodiesOfSeveralJointsMoveAsChains) {
  const ImportedRobot imported = import("m.xml", R"(<mujoco model="chain">
  <compiler eulerseq="zyx"/>
  <option gravity="0 1 -5"/>
  <default>
    <joint damping="0.3"/>
    <default class="stiff"><joint stiffness="2" springref="20" armature="0.01"/></default>
  </default>
  <worldbody>
    <frame pos="0 0 1" axisangle="0 0 1 90">
      <body name="a" pos="0.1 0 0" euler="30 20 10">
        <joint name="j1" pos="0.1 0.2 0.3" axis="1 0 0" ref="10"/>
        <joint name="j2" class="stiff" pos="-0.1 0 0.2" axis="0 3 4"/>
        <joint name="j3" type="slide" axis="0 0 1"/>
        <inertial pos="0.01 0.02 0.03" quat="1 0 1 0" mass="2" diaginertia="0.03 0.02 0.04"/>
        <site name="tool" pos="0 0 0.2"/>
        <body name="b" pos="0 0 0.5">
          <joint type="ball"/>
          <geom type="box" size="0.1 0.2 0.3" pos="0 0 0.1" density="100"/>
        </body>
      </body>
    </frame>
  </worldbody>
</mujoco>)");
  const double degree = std::numbers::pi / 180.0, box = 100.0 * 8.0 * 0.1 * 0.2 * 0.3;
  char words[4000];
  std::snprintf(words, sizeof words, R"(cuttle: 1
gravity: [0, 1, -5]
links:
  - {name: f, attach: {pose: {position: [0, 0, 1], rpy: [0, 0, %.17g]}}}
  - {name: body, attach: {pose: {position: [0.1, 0, 0], rpy: [%.17g, %.17g, %.17g]}}}
  - {name: j1, attach: {pose: {position: [0.1, 0.2, 0.3]}}, joint: {type: revolute, axis: [1, 0, 0], damping: 0.3}}
  - {name: j1_back, attach: {pose: {position: [-0.1, -0.2, -0.3]}}}
  - {name: j2, attach: {pose: {position: [-0.1, 0, 0.2]}},
     joint: {type: revolute, axis: [0, 0.6, 0.8], damping: 0.3, stiffness: 2, rest: %.17g, armature: 0.01}}
  - {name: j2_back, attach: {pose: {position: [0.1, 0, -0.2]}}}
  - {name: a, joint: {type: prismatic, axis: [0, 0, 1], damping: 0.3}}
  - {name: a_mass, parent: a, attach: {pose: {position: [0.01, 0.02, 0.03], rpy: [0, %.17g, 0]}},
     body: {type: rigid, mass: 2, inertia: [0.03, 0.02, 0.04, 0, 0, 0]}}
  - {name: b, parent: a, attach: {pose: {position: [0, 0, 0.5]}}, joint: {type: spherical, damping: 0.3},
     body: {type: rigid, mass: %.17g, com: [0, 0, 0.1], inertia: [%.17g, %.17g, %.17g, 0, 0, 0]}}
)",
                90 * degree, 10 * degree, 20 * degree, 30 * degree, 20 * degree, 90 * degree, box,
                box / 3.0 * (0.04 + 0.09), box / 3.0 * (0.01 + 0.09), box / 3.0 * (0.01 + 0.04));
  expect_same_robot(imported.robot, read_robot_text(words, "words.yaml"), {"a", "b"});
  ASSERT_EQ(imported.robot.markers.size(), 1U);
  EXPECT_EQ(imported.robot.markers[0].name, "tool");
  EXPECT_THAT(whats(imported), Contains(HasSubstr("ref of a joint")));
}

TEST_F(RobotImport, MjcfWeighsShapes) {
  std::string way_of_mesh = "legacy";
  const auto mass_of = [&](const std::string& geom) {
    const ImportedRobot imported =
        import("m.xml", "<mujoco><asset><mesh name=\"cube\" file=\"cube.obj\" inertia=\"" + way_of_mesh +
                            "\" scale=\"0.1 0.2 0.3\"/></asset><worldbody><body "
                            "name=\"a\"><joint/>" +
                            geom + "</body></worldbody></mujoco>");
    return dynamic_cast<const RigidBody&>(*imported.robot.links.at(0).body).parameters();
  };
  directory_.write("cube.obj",
                   "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                   "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
  const double pi = std::numbers::pi;
  RigidParameters body = mass_of("<geom type=\"sphere\" size=\"0.1\" mass=\"2\"/>");
  EXPECT_NEAR(body.inertia.xx, 0.4 * 2 * 0.01, 1e-15);
  body = mass_of("<geom type=\"cylinder\" size=\"0.1 0.3\"/>");
  EXPECT_NEAR(body.mass, 1000 * pi * 0.01 * 0.6, 1e-12);
  EXPECT_NEAR(body.inertia.xx, body.mass * (0.01 / 4 + 0.36 / 12), 1e-13);
  EXPECT_NEAR(body.inertia.zz, body.mass * 0.01 / 2, 1e-13);
  body = mass_of("<geom type=\"ellipsoid\" size=\"0.1 0.2 0.3\" mass=\"5\"/>");
  EXPECT_NEAR(body.inertia.xx, 5 * (0.04 + 0.09) / 5, 1e-14);
  // a capsule along x, 2 m long between the centers of its caps: cylinder and sphere by Steiner
  body = mass_of("<geom type=\"capsule\" fromto=\"-1 0 0.5 1 0 0.5\" size=\"0.5\" density=\"1\"/>");
  const double m_c = pi * 0.25 * 2, m_s = 4.0 / 3 * pi * 0.125, r = 0.5, h = 2.0;
  EXPECT_NEAR(body.mass, m_c + m_s, 1e-13);
  EXPECT_NEAR(body.com.z, 0.5, 1e-15);
  EXPECT_NEAR(body.inertia.xx, m_c * r * r / 2 + 0.4 * m_s * r * r, 1e-13);
  EXPECT_NEAR(body.inertia.yy, m_c * (3 * r * r + h * h) / 12 + m_s * (0.4 * r * r + h * (3 * r + 2 * h) / 8), 1e-12);
  // a box as a mesh, both ways of taking its volume
  for (const std::string& way : std::vector<std::string>{"exact", "legacy"}) {
    way_of_mesh = way;
    body = mass_of("<geom type=\"mesh\" mesh=\"cube\" pos=\"-0.05 0 0\"/>");
    EXPECT_NEAR(body.mass, 1000 * 0.006, 1e-12);
    EXPECT_NEAR(norm(body.com - Vector3{0, 0.1, 0.15}), 0.0, 1e-14);
    EXPECT_NEAR(body.inertia.xx, body.mass * (0.04 + 0.09) / 12, 1e-13) << way;
    EXPECT_NEAR(body.inertia.yz, 0.0, 1e-14);
  }
  // two at once
  body = mass_of(
      "<geom type=\"sphere\" size=\"0.1\" mass=\"1\" pos=\"1 0 0\"/><geom type=\"sphere\" size=\"0.1\" mass=\"3\"/>");
  EXPECT_NEAR(body.com.x, 0.25, 1e-15);
  EXPECT_NEAR(body.inertia.yy, 4 * 0.4 * 0.01 + 0.75, 1e-14);
}

TEST_F(RobotImport, MjcfActuatorsAndTendonsActAsThere) {
  const ImportedRobot imported = import("m.xml", R"(<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <body name="a"><joint name="ja" ref="0.1" axis="0 1 0" range="-1 2"/><geom size="0.1" pos="0.2 0 0"/>
      <body name="b" pos="0.4 0 0"><joint name="jb" axis="0 1 0"/><geom size="0.1" pos="0.2 0 0"/></body></body>
  </worldbody>
  <tendon><fixed name="t" stiffness="3" springlength="0.5"><joint joint="ja" coef="2"/><joint joint="jb" coef="-1"/></fixed></tendon>
  <actuator>
    <motor name="plain" joint="jb"/>
    <motor name="geared" joint="jb" gear="10"/>
    <position name="servo" joint="ja" kp="5" kv="0.5" gear="2"/>
    <motor name="cable" tendon="t" gear="4"/>
    <muscle name="muscle" joint="ja"/>
  </actuator>
  <equality><joint joint1="jb" joint2="ja" polycoef="0.1 2 0 0 0"/></equality>
  <keyframe><key name="home" qpos="0 0"/></keyframe>
</mujoco>)");
  const Model model(imported.robot);
  Data data(model);
  ASSERT_EQ(model.nu(), 4);
  VectorXd q(2), v(2), u(4);
  q << 0.3, -0.2;  // qpos of ja: 0.4
  v << 0.5, 0.7;
  u << 1.0, 2.0, 3.0, 4.0;
  const VectorXd nu = actuation_force<double>(model, data, q, u);
  EXPECT_NEAR(nu[0], 3.0 * 5 * 2 + 4.0 * 4 * 2, 1e-12);
  EXPECT_NEAR(nu[1], 1.0 + 2.0 * 10 - 4.0 * 4, 1e-12);
  const VectorXd elements = element_force(model, data, q, v);
  const double servo = 2.0 * (-5.0 * 2.0 * 0.4 - 0.5 * 2.0 * 0.5);
  const double tendon = -3.0 * (2 * 0.4 + 0.2 - 0.5);
  const double gap = (-0.2) - 0.1 - 2.0 * 0.3, joint = -100.0 * gap - 0.5 * (0.7 - 2.0 * 0.5);  // about ref, as MuJoCo
  EXPECT_NEAR(elements[0], servo + 2.0 * tendon - 2.0 * joint, 1e-12);
  EXPECT_NEAR(elements[1], -tendon + joint, 1e-12);
  EXPECT_THAT(whats(imported), Contains("actuator with muscle: left out"));
  EXPECT_THAT(whats(imported), Contains("keyframe of type key: left out"));
}

TEST_F(RobotImport, MjcfIncludesFilesAndNamesMistakes) {
  directory_.write(
      "part.xml",
      "<mujocoinclude><default><default class=\"big\"><geom size=\"0.3\"/></default></default></mujocoinclude>");
  const ImportedRobot imported =
      import("m.xml",
             "<mujoco><include file=\"part.xml\"/><worldbody><body name=\"a\" childclass=\"big\">"
             "<freejoint/><geom mass=\"1\"/></body></worldbody></mujoco>");
  EXPECT_NEAR(dynamic_cast<const RigidBody&>(*imported.robot.links.at(0).body).parameters().inertia.xx, 0.4 * 0.09,
              1e-15);
  EXPECT_EQ(imported.robot.links.at(0).joint->type_name(), "free");
  EXPECT_EQ(said("m.xml", "<mujoco>\n<include file=\"none.xml\"/></mujoco>"),
            "m.xml:2:2: include.file: found 'none.xml', which does not exist, expected a part of a model in MJCF");
  EXPECT_EQ(said("m.xml",
                 "<mujoco><worldbody>\n<body name=\"a\"><joint type=\"screw\"/><geom "
                 "size=\"1\"/></body></worldbody></mujoco>"),
            "m.xml:2:17: joint[a[0]].type: found 'screw', expected hinge, slide, ball or free");
  EXPECT_EQ(
      said("m.xml",
           "<mujoco><worldbody><body name=\"a\"><joint class=\"none\"/><geom size=\"1\"/></body></worldbody></mujoco>"),
      "m.xml:1:36: joint.class: found 'none', which is no class, expected main");
  EXPECT_THAT(said("m.xml",
                   "<mujoco><worldbody><body name=\"a\">\n<geom type=\"box\" size=\"1\"/></body></worldbody></mujoco>"),
              HasSubstr("m.xml:2:2: geom[of a].size: found 1 numbers for a box"));
}

// as MuJoCo, which refuses a file that is included twice; 2^20 times it would be here
TEST_F(RobotImport, MjcfIncludesAFileOnce) {
  directory_.write("part.xml",
                   "<mujocoinclude>\n<include file=\"part.xml\"/><include file=\"./part.xml\"/></mujocoinclude>");
  const std::string again = "include.file: found 'part.xml' again, expected a file that is not included yet";
  EXPECT_EQ(said("m.xml", "<mujoco><include file=\"part.xml\"/></mujoco>"),
            "part.xml:2:2: " + again +
                "\npart.xml:2:28: include.file: found './part.xml' again, expected a file that is not included yet");
  EXPECT_EQ(said("m.xml", "<mujoco>\n<include file=\"m.xml\"/></mujoco>"),
            "m.xml:2:2: include.file: found 'm.xml' again, expected a file that is not included yet");
  for (int i = 0; i < 1010; ++i) {
    directory_.write("p" + std::to_string(i) + ".xml",
                     "<mujocoinclude><include file=\"p" + std::to_string(i + 1) + ".xml\"/></mujocoinclude>");
  }
  EXPECT_THAT(said("m.xml", "<mujoco><include file=\"p0.xml\"/></mujoco>"),
              HasSubstr("include.file: found file 1001, expected at most 1000"));
  std::string deep, deeper = "<include file=\"deep.xml\"/>";
  for (int i = 0; i < 300; ++i) deep += "<body>", deeper = "<body>" + deeper + "</body>";
  for (int i = 0; i < 300; ++i) deep += "</body>";
  directory_.write("deep.xml", "<mujocoinclude>" + deep + "</mujocoinclude>");
  EXPECT_THAT(said("m.xml", "<mujoco><worldbody>" + deeper + "</worldbody></mujoco>"),
              HasSubstr("body: found elements nested 501 deep, expected at most 500"));
}

// MuJoCo's defaults of polycoef, 0 1 0 0 0, hold for those that are not given
TEST_F(RobotImport, MjcfCouplingsTakeMissingCoefficientsFromTheDefault) {
  for (const auto& [given, rest, slope] : {std::tuple{"", 0.0, 1.0}, std::tuple{"polycoef=\"0.1\"", 0.1, 1.0},
                                           std::tuple{"polycoef=\"0.1 2\"", 0.1, 2.0}}) {
    const ImportedRobot imported = import(
        "m.xml", std::string("<mujoco><worldbody><body name=\"a\"><joint name=\"ja\"/><geom size=\"0.1\"/>"
                             "<body name=\"b\"><joint name=\"jb\"/><geom size=\"0.1\"/></body></body></worldbody>"
                             "<equality><joint joint1=\"jb\" joint2=\"ja\" ") +
                     given + "/></equality></mujoco>");
    const Model model(imported.robot);
    Data data(model);
    VectorXd q(2);
    q << 0.3, 0.7;
    const VectorXd force = element_force(model, data, q, VectorXd::Zero(2));
    const double gap = 0.7 - rest - slope * 0.3;
    EXPECT_NEAR(force[1], -100.0 * gap, 1e-12) << given;
    EXPECT_NEAR(force[0], 100.0 * slope * gap, 1e-12) << given;
  }
}

TEST_F(RobotImport, MjcfSaysThatItDrawsWhatMujocoWouldDiscard) {
  const auto model = [](const std::string& flag) {
    return "<mujoco><compiler discardvisual=\"" + flag +
           "\"/><worldbody><body name=\"a\"><joint/><geom size=\"0.1\" contype=\"0\" "
           "conaffinity=\"0\"/></body></worldbody></mujoco>";
  };
  const ImportedRobot imported = import("m.xml", model("true"));
  EXPECT_THAT(whats(imported), testing::ElementsAre(HasSubstr("discardvisual: left out")));
  EXPECT_EQ(imported.visuals.size(), 1U);
  EXPECT_TRUE(import("m.xml", model("false")).notes.empty());
}

// by MuJoCo 4.0.0 (MjModel.from_xml_string): servos by `dampratio`, joints by `springdamper`, which follow from M at
// qpos0
TEST_F(RobotImport, MjcfDampingByRatiosFollowsFromTheInertia) {
  const auto text = [](const std::string& total) {
    return "<mujoco><compiler angle=\"radian\" " + total + R"(/>
  <default><default class="r"><position kp="120" dampratio="0.7" inheritrange="1"/></default></default>
  <worldbody>
    <body name="a"><joint name="ja" axis="0 1 0" range="-1 2" armature="0.05" ref="0.3"/>
      <inertial pos="0 0 0.2" mass="2" diaginertia="0.02 0.02 0.002"/>
      <body name="b" pos="0 0 0.4"><joint name="jb" axis="0 1 0" springdamper="0.25 0.8" range="-1 1" stiffness="7"/>
        <inertial pos="0 0 0.15" mass="1" diaginertia="0.008 0.008 0.001"/>
        <body name="c" pos="0 0 0.3"><joint name="jc" type="ball" springdamper="0.1 2"/>
        <inertial pos="0 0.05 0.1" mass="0.5" diaginertia="0.003 0.002 0.001"/></body></body></body>
    <body name="d" pos="3 0 0"><joint name="jd" type="free" springdamper="0.1 2"/>
        <inertial pos="0 0.05 0.1" mass="0.5" diaginertia="0.003 0.002 0.001"/></body>
  </worldbody>
  <tendon><fixed name="t"><joint joint="ja" coef="2"/><joint joint="jb" coef="-1"/></fixed></tendon>
  <actuator>
    <position class="r" name="m1" joint="ja"/>
    <position class="r" name="m2" joint="jb" kp="40" gear="3"/>
    <position class="r" name="m3" inheritrange="0" tendon="t" gear="2"/>
    <general name="m4" joint="jb" gainprm="50" biastype="affine" biasprm="0 -50 0.5"/>
  </actuator></mujoco>)";
  };
  struct Expected {
    const char* total;
    double kv[4], stiffness[3], damping[3];  // of m1 to m4; of jb, jc, jd
  };
  const Expected k_as_there[] = {{"",
                                  {6.770066945873797, 0.3640237414529937, 0.6388181480612987, 0.8721233906921807},
                                  {0.380299604296213, 0.055649892433489, 0.081037277147488},
                                  {0.121695873374788, 0.044519913946792, 0.06482982171799}},
                                 {"settotalmass=\"10\"",
                                  {9.84604063210346, 0.5456419435459643, 0.9417354459022222, 1.3072419397970132},
                                  {0.854440744582129, 0.138430069779634, 0.20259319286872},
                                  {0.273421038266281, 0.110744055823707, 0.162074554294976}}};
  for (const Expected& expected : k_as_there) {
    const ImportedRobot imported = import("m.xml", text(expected.total));
    const Robot& robot = imported.robot;
    ASSERT_EQ(robot.links.size(), 4U);
    for (std::size_t i = 0; i < 3; ++i) {
      const auto& dynamics = robot.links[i + 1].joint_dynamics;
      const std::size_t nv = i == 0 ? 1 : i == 1 ? 3 : 6;
      ASSERT_EQ(dynamics.stiffness.size(), nv);
      ASSERT_EQ(dynamics.damping.size(), nv);
      EXPECT_NEAR(dynamics.stiffness[nv - 1], expected.stiffness[i], 1e-13);  // printed to 15 digits
      EXPECT_NEAR(dynamics.damping[0], expected.damping[i], 1e-13);
    }
    // the servos' efforts alone: those of the elements under velocities, each by its gear and factors
    const Model model(robot);
    Data data(model);
    ASSERT_EQ(model.nu(), 4);
    VectorXd v = VectorXd::Zero(model.nv());
    v[0] = 0.5, v[1] = -0.2;
    ElementData elements(model);
    element_motion<double>(model, data, model.neutral(), v, elements);
    element_efforts<double>(model, 0.0, VectorXd::Zero(model.nu()), elements);
    const double rates[] = {0.5, 3.0 * -0.2, 2.0 * (2.0 * 0.5 + 0.2), -0.2};  // of the actuators' lengths
    const double gains[] = {120.0, 40.0, 120.0, 50.0};
    const double lengths[] = {0.3, 0.0, 2.0 * 2.0 * 0.3, 0.0};  // at qpos0, where ja is 0.3
    const double gears[2][4] = {{1.0, 0.0, 4.0, 0.0}, {0.0, 3.0, -2.0, 1.0}};
    const VectorXd force = elements.matrix * elements.efforts;
    for (int j = 0; j < 2; ++j) {
      double sum = 0.0;
      for (std::size_t i = 0; i < 4; ++i) sum -= gears[j][i] * (gains[i] * lengths[i] + expected.kv[i] * rates[i]);
      EXPECT_NEAR(force[j], sum, 1e-12 * std::abs(sum)) << j << " " << expected.total;
    }
    EXPECT_THAT(whats(imported), Contains("dampratio of a servo: made its damping, by the file's masses"));
    EXPECT_THAT(whats(imported), Contains("inheritrange of an actuator: left out, as inputs have no limits"));
    EXPECT_THAT(whats(imported), Contains(HasSubstr("free joint of a body that does not stand at the origin")));
  }
  const ImportedRobot massless = import(
      "m.xml",
      "<mujoco><worldbody><body name=\"a\"><joint name=\"j\" springdamper=\"1 1\"/></body></worldbody></mujoco>");
  EXPECT_THAT(whats(massless), testing::ElementsAre(HasSubstr("without a definite mass matrix: left out")));
}

TEST_F(RobotImport, MjcfFreeJointsAtTheOriginNeedNoWord) {
  const auto notes = [&](const char* pose) {
    return whats(import(
        "m.xml",
        std::string("<mujoco><worldbody><body name=\"e\" ") + pose +
            "><freejoint/><inertial mass=\"1\" pos=\"0 0 0\" diaginertia=\"1 1 1\"/></body></worldbody></mujoco>"));
  };
  EXPECT_THAT(notes(""), testing::IsEmpty());
  EXPECT_THAT(notes("pos=\"-0.5 0 0\""), testing::ElementsAre(HasSubstr("while qpos is the pose in the world")));
  EXPECT_THAT(notes("quat=\"0 1 0 0\""), testing::SizeIs(1));
}

TEST_F(RobotImport, MjcfClosesLoops) {
  const ImportedRobot imported = import("m.xml", R"(<mujoco><compiler angle="radian"/><worldbody>
    <body name="a" pos="0 0 1"><joint axis="0 1 0"/><geom size="0.1"/></body>
    <body name="b" pos="0.5 0 1" euler="0 0 1"><joint axis="0 1 0"/><geom size="0.1"/></body>
  </worldbody><equality><connect name="pin" body1="a" body2="b" anchor="0.25 0 0.1"/><weld name="w" body1="b"/></equality></mujoco>)");
  ASSERT_EQ(imported.robot.loops.size(), 2U);
  EXPECT_EQ(imported.robot.loops[0].type, LoopType::spherical);
  // both frames at the anchor in the world: (0.25, 0, 1.1), seen from b, which is turned by 1 rad about z
  const Vector3 in_b = imported.robot.loops[0].b.pose.position;
  EXPECT_NEAR(in_b.x, -0.25 * std::cos(1.0), 1e-15);
  EXPECT_NEAR(in_b.y, 0.25 * std::sin(1.0), 1e-15);
  EXPECT_NEAR(in_b.z, 0.1, 1e-15);
  EXPECT_EQ(imported.robot.loops[1].type, LoopType::fixed);
}

// names, order and places as MuJoCo 4.0.0 has them: inner numbers first, frames one after the other
TEST_F(RobotImport, MjcfReplicatesParts) {
  const ImportedRobot imported = import("m.xml", R"(<mujoco><worldbody>
    <body name="root"><joint name="o"/><geom size="0.1"/></body>
    <replicate count="3" offset="0.1 0 0" euler="0 0 30"><replicate count="2" sep="_" offset="0 1 0">
      <body name="b" pos="1 0 0"><joint name="j"/><geom size="0.1"/><site name="s"/></body>
    </replicate></replicate></worldbody>
    <tendon><fixed name="t"><joint joint="j" coef="2"/></fixed></tendon>
    <actuator><motor name="m" tendon="t"/><motor name="last" joint="o"/></actuator>
    <equality><joint name="e" joint1="o" joint2="j"/></equality></mujoco>)");
  std::vector<std::string> links, actuators;
  for (const Link& link : imported.robot.links) links.push_back(link.name);
  for (const Actuator& actuator : imported.robot.actuators) actuators.push_back(actuator.name);
  EXPECT_THAT(links, testing::ElementsAre("root", "b_00", "b_10", "b_01", "b_11", "b_02", "b_12"));
  EXPECT_THAT(actuators, testing::ElementsAre("last", "m_00", "m_10", "m_01", "m_11", "m_02", "m_12"));
  EXPECT_EQ(imported.robot.markers.size(), 6U);
  EXPECT_THAT(whats(imported), Contains("equality between a replicated part and another: left out"));
  const Model model(imported.robot);
  Data data(model);
  const auto& kinematics = forward_kinematics(model, data, model.neutral());
  const auto place = [&](const char* link) { return kinematics.pose(link_of(model, link).base).position; };
  const double c = std::cos(std::numbers::pi / 6), s = 0.5;
  EXPECT_LT(norm(place("b_01") - Vector3{0.1 + c, s, 0.0}), 1e-15);
  EXPECT_LT(norm(place("b_02") - Vector3{0.1 + 0.1 * c + 0.5, 0.1 * s + c, 0.0}), 1e-15);
  EXPECT_LT(norm(place("b_11") - Vector3{0.1 + c - s, s + c, 0.0}), 1e-15);
  EXPECT_THAT(said("m.xml", "<mujoco><worldbody>\n<replicate count=\"0\"/></worldbody></mujoco>"),
              HasSubstr("m.xml:2:2: replicate.count: found 0, expected a whole number > 0"));
  EXPECT_THAT(said("m.xml", "<mujoco><worldbody><replicate count=\"1e6\"><geom/></replicate></worldbody></mujoco>"),
              HasSubstr("expected at most 100000 replicated elements"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
