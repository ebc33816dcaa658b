// Robots in SDF: what is read of them against closed forms, and that nothing of them gets lost silently.
#include <cmath>
#include <numbers>

#include "cuttle/bodies/rigid_body.h"
#include "io/import_support.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class SdfImport : public RobotImport {
 protected:
  ImportedRobot import_model(const std::string& inside, const std::string& attributes = "name=\"m\"") {
    return import("m.sdf", "<sdf version=\"1.9\"><model " + attributes + ">" + inside + "</model></sdf>");
  }
  std::string said_of(const std::string& inside, const std::string& attributes = "name=\"m\"") {
    return said("m.sdf", "<sdf version=\"1.9\"><model " + attributes + ">\n" + inside + "</model></sdf>");
  }
  static const Marker& marker(const ImportedRobot& imported, const std::string& name) {
    for (const Marker& marker : imported.robot.markers) {
      if (marker.name == name) return marker;
    }
    throw Error("no marker " + name);
  }
};

const char* const k_arm = R"(<link name="a"/><link name="b"><pose>0 0 0.5 0 0 0</pose></link>
  <joint name="j" type="revolute"><pose>0 0 -0.1 0 0 0</pose><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint>)";

TEST_F(SdfImport, JointsWithoutATypeAreNamed) {
  const std::string joint =
      "<link name=\"a\"/><link name=\"b\"/>\n<joint name=\"j\"><parent>a</parent><child>b</child></joint>";
  EXPECT_EQ(said_of(joint),
            "m.sdf:3:2: joint[j].type: found nothing, expected revolute, continuous, prismatic, ball or fixed");
  EXPECT_THAT(
      said_of("<link name=\"a\"/><joint name=\"j\" type=\"universal\"><parent>world</parent><child>a</child></joint>"),
      HasSubstr("joint[j].type: found 'universal', expected revolute,"));
}

// b is 0.5 above a, the joint 0.1 below b
TEST_F(SdfImport, FramesMoveWithWhatTheyAreAttachedTo) {
  const ImportedRobot imported = import_model(std::string(k_arm) + R"(
    <frame name="on_joint" attached_to="j"><pose>0.01 0 0 0 0 0</pose></frame>
    <frame name="on_frame" attached_to="on_joint"><pose>0 0.02 0 0 0 0</pose></frame>
    <frame name="elsewhere" attached_to="b"><pose relative_to="a">0 0 0.03 0 0 0</pose></frame>
    <frame name="on_model"><pose>0 0 0.04 0 0 0</pose></frame>)");
  EXPECT_EQ(marker(imported, "on_joint").place.link, "b") << "a joint's frame moves with its child";
  EXPECT_NEAR(norm(marker(imported, "on_joint").place.pose.position - Vector3{0.01, 0.0, -0.1}), 0.0, 1e-15);
  EXPECT_EQ(marker(imported, "on_frame").place.link, "b");
  EXPECT_NEAR(norm(marker(imported, "on_frame").place.pose.position - Vector3{0.01, 0.02, -0.1}), 0.0, 1e-15);
  EXPECT_EQ(marker(imported, "elsewhere").place.link, "b");
  EXPECT_NEAR(norm(marker(imported, "elsewhere").place.pose.position - Vector3{0.0, 0.0, -0.47}), 0.0, 1e-15);
  EXPECT_EQ(marker(imported, "on_model").place.link, "a") << "the first link, as none is canonical";
  const ImportedRobot canonical =
      import_model(std::string(k_arm) + "<frame name=\"f\"/>", "name=\"m\" canonical_link=\"b\"");
  EXPECT_EQ(marker(canonical, "f").place.link, "b");
  EXPECT_NEAR(norm(marker(canonical, "f").place.pose.position - Vector3{0.0, 0.0, -0.5}), 0.0, 1e-15);
}

TEST_F(SdfImport, FramesThatHangOnNothingAreNamed) {
  EXPECT_EQ(said_of(std::string(k_arm) + "\n<frame name=\"f\" attached_to=\"c\"/>"),
            "m.sdf:4:2: pose.relative_to: found 'c', which is no frame, expected __model__, a, b, f or j");
  EXPECT_THAT(said_of(std::string(k_arm) + "\n<frame name=\"f\" attached_to=\"c\"><pose relative_to=\"a\"/></frame>"),
              HasSubstr("m.sdf:4:2: frame[f].attached_to: found 'c', which is no frame"));
  EXPECT_THAT(said_of(std::string(k_arm) + "<frame name=\"f\" attached_to=\"g\"><pose relative_to=\"a\"/></frame>\n"
                                           "<frame name=\"g\" attached_to=\"f\"><pose relative_to=\"a\"/></frame>"),
              HasSubstr("which is attached to itself"));
  EXPECT_THAT(
      said_of(std::string(k_arm) + "<frame name=\"f\" attached_to=\"g\"/><frame name=\"g\" attached_to=\"f\"/>"),
      HasSubstr("which is relative to itself: a cycle"));
  EXPECT_THAT(said_of(k_arm, "name=\"m\" canonical_link=\"c\""),
              HasSubstr("model.canonical_link: found 'c', which is no link"));
}

// the pose of a model is that of its placement frame
TEST_F(SdfImport, ModelsStandWhereTheirPlacementFrameIs) {
  const ImportedRobot imported =
      import_model("<pose>0 0 2 0 0 0</pose>" + std::string(k_arm), "name=\"m\" placement_frame=\"b\"");
  const Model model(imported.robot);
  Data data(model);
  const auto& kinematics = forward_kinematics(model, data, model.neutral());
  EXPECT_NEAR(norm(kinematics.pose(link_of(model, "b").tip).position - Vector3{0.0, 0.0, 2.0}), 0.0, 1e-15);
  EXPECT_NEAR(norm(kinematics.pose(link_of(model, "a").tip).position - Vector3{0.0, 0.0, 1.5}), 0.0, 1e-15);
}

TEST_F(SdfImport, PartsOfLinksAreWhereTheirPosesSay) {
  const ImportedRobot imported = import_model(R"(<link name="a"><pose>1 0 0 0 0 0</pose>
    <inertial><pose relative_to="f">0 0 0.1 0 0 0</pose><mass>2</mass></inertial>
    <visual name="v"><pose relative_to="__model__">0 0.3 0 0 0 0</pose><geometry><sphere><radius>0.1</radius></sphere></geometry></visual></link>
    <frame name="f" attached_to="a"><pose>0 0.2 0 0 0 0</pose></frame>)");
  const auto& body = dynamic_cast<const RigidBody&>(*imported.robot.links.at(0).body).parameters();
  EXPECT_NEAR(norm(body.com - Vector3{0.0, 0.2, 0.1}), 0.0, 1e-15);
  EXPECT_NEAR(norm(imported.visuals.at(0).visual.pose.position - Vector3{-1.0, 0.3, 0.0}), 0.0, 1e-15);
}

TEST_F(SdfImport, ThousandsOfFramesOnEachOtherAreRead) {
  std::string frames;
  const int count = 20000;
  for (int i = 0; i < count; ++i) {
    const std::string on = i == 0 ? "a" : "f" + std::to_string(i - 1);
    frames += "<frame name=\"f" + std::to_string(i) + "\"><pose relative_to=\"" + on + "\">1 0 0 0 0 0</pose></frame>";
  }
  const ImportedRobot imported = import_model(frames + "<link name=\"a\"/>");
  EXPECT_EQ(marker(imported, "f19999").place.pose.position.x, count);
}

TEST_F(SdfImport, NothingIsLostSilently) {
  const ImportedRobot imported = import(
      "m.sdf",
      R"(<sdf version="1.9" xmlns:ign="x"><light name="sun"/><model name="m" ign:odd="1" odd="1"><pose relative_to="x">0 0 0 0 0 0</pose>
  <self_collide>1</self_collide>
  <link name="a" kind="x"><gravity>0</gravity>
    <inertial kind="x"><mass>1</mass><density>3</density><inertia><ixx>1</ixx><odd>1</odd></inertia></inertial>
    <visual name="v"><pose unit="mm"/><transparency>0.5</transparency>
      <material><diffuse>1 0 0 1</diffuse><ambient>1 0 0 1</ambient></material>
      <geometry><box><size>1 1 1</size><bevel>1</bevel></box></geometry></visual>
    <visual name="w"/>
    <visual name="x"><geometry><cylinder><radius>-1</radius><length>1</length></cylinder></geometry></visual></link>
  <link name="b"/><link name="c"/><link name="d"/><link name="e"/>
  <joint name="j" type="revolute" odd="1"><parent>a</parent><child>b</child><physics/>
    <axis odd="1"><xyz odd="1">0 1 0</xyz><initial_position>1</initial_position>
      <limit><lower>-1</lower><upper>1</upper><stiffness>1e8</stiffness><dissipation>1</dissipation></limit>
      <dynamics><damping>-0.3</damping><spring_stiffness>-2</spring_stiffness><odd>1</odd></dynamics></axis></joint>
  <joint name="ball" type="ball"><parent>b</parent><child>c</child>
    <axis><xyz>0 1 0</xyz><dynamics><spring_stiffness>3</spring_stiffness></dynamics><limit><lower>0</lower></limit></axis></joint>
  <joint name="fixed" type="fixed"><parent>c</parent><child>d</child><axis><xyz>0 1 0</xyz></axis></joint>
  <joint name="free" type="continuous"><parent>d</parent><child>e</child>
    <axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis></joint>
  <frame name="f" attached_to="b" odd="1"><odd/></frame>
</model></sdf>)");
  EXPECT_THAT(
      whats(imported),
      UnorderedElementsAre(
          "light beside the model: left out", "attribute odd of a model: left out",
          "relative_to of the pose of a model: left out", "self_collide of a model: left out",
          "attribute kind of a link: left out", "gravity of a link: left out",
          "attribute kind of an inertial: left out", "density of an inertial: left out", "odd of an inertia: left out",
          "attribute unit of a pose: left out", "transparency of a visual: left out", "ambient of a material: left out",
          "bevel of a box: left out", "visual without a geometry: not drawn", "cylinder without a size: not drawn",
          "attribute odd of a joint: left out", "physics of a joint: left out", "attribute odd of an axis: left out",
          "attribute odd of the xyz of an axis: left out", "initial_position of an axis: left out",
          "stiffness of the limit of a joint: left out", "dissipation of the limit of a joint: left out",
          HasSubstr("limit of a joint: made an element"), "damping of a joint below 0: taken as 0",
          "spring_stiffness of a joint below 0: taken as 0", "odd of the dynamics of a joint: left out",
          "spring of a ball joint: left out", "limit of the axis of a ball joint: left out",
          "axis of a fixed joint: left out", "limits of a continuous joint: left out",
          "attribute odd of a frame: left out", "odd of a frame: left out", "frame of the model: made a marker"));
}

TEST_F(SdfImport, NumbersThatAreNoneAreNamed) {
  const auto visual = [&](const std::string& inside) {
    return said_of("<link name=\"a\"><visual name=\"v\">" + inside + "</visual></link>");
  };
  EXPECT_THAT(visual("<geometry><sphere><radius>r</radius></sphere></geometry>"),
              HasSubstr("sphere.radius: found 'r', expected a number"));
  EXPECT_THAT(visual("<geometry><mesh><uri>a.obj</uri><scale>1 1</scale></mesh></geometry>"),
              HasSubstr("mesh.scale: found '1 1', expected 3 numbers"));
  EXPECT_THAT(visual("<material><diffuse>red</diffuse></material>"),
              HasSubstr("material.diffuse: found 'red', expected 3 or 4 numbers"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
