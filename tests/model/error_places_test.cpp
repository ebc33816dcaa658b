// Errors and warnings of a Model say as data where they are: in the words of a robot file, whoever describes the robot.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "cuttle/algorithms/kinematics.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/elements/fluid.h"
#include "cuttle/elements/wrench_load.h"
#include "cuttle/error.h"
#include "cuttle/model/model.h"
#include "support/cargo_box.h"
#include "support/loop_robots.h"
#include "support/toy_bodies.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

std::shared_ptr<const Body> weight() {
  RigidParameters p;
  p.mass = 0.1, p.inertia = SymmetricMatrix3::diagonal(1e-4, 1e-4, 1e-4);
  return std::make_shared<RigidBody>(p);
}

/// Two rigid links on hinges, with one of everything.
Robot two_links() {
  Robot robot;
  robot.links.push_back({.name = "upper", .joint = make_revolute_joint<double>({0, 1, 0}), .body = weight()});
  robot.links.push_back({.name = "lower", .joint = make_revolute_joint<double>({0, 1, 0}), .body = weight()});
  robot.markers.push_back({"hand", {"lower", PortLocation::tip(), {}}});
  robot.loads = {make_wrench_load({"lower"}, {}), make_wrench_load({"lower"}, {})};
  robot.actuators = {Actuator::joint("motor", "upper")};
  return robot;
}

struct Case {
  const char* name;
  std::function<void(Robot&)> change;
  std::string path, found, expected, text;
};

std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.name; }

const Case k_cases[] = {
    {"LinkName", [](Robot& r) { r.links[1].name = "a/b"; }, "links[1].name", "'a/b'",
     "a name without '/' (it separates groups in results)",
     "links[1].name: found 'a/b', expected a name without '/' (it separates groups in results)"},
    {"Parent", [](Robot& r) { r.links[1].parent.link = "uper"; }, "links[1].parent", "'uper'",
     "'base' or the name of a link", "lower: parent: found 'uper', expected 'base' or the name of a link"},
    {"Port", [](Robot& r) { r.links[1].parent.at = PortLocation::section(0.1); }, "links[1].attach.at", "{s: 0.1}",
     "base or tip: a rigid body has no cross-sections",
     "lower: attach.at: found {s: 0.1}, expected base or tip: a rigid body has no cross-sections"},
    {"NoBody",
     [](Robot& r) {
       r.links[0].body = nullptr;
       r.links[1].parent.at = PortLocation::section(0.1);
     },
     "links[1].attach.at", "{s}", "base or tip: the link has no rod",
     "lower: attach.at: found {s}, expected base or tip: the link has no rod"},
    {"Attach", [](Robot& r) { r.links[1].parent.pose.rotation.row1.y = std::nan(""); },
     "links[1].attach.pose.rotation[1][1]", "nan", "a finite number",
     "lower: attach.pose.rotation[1][1]: found nan, expected a finite number"},
    {"Joint", [](Robot& r) { r.links[0].joint_dynamics.damping = {-1.0}; }, "links[0].joint.damping", "-1",
     "a number >= 0", "upper: joint.damping: found -1, expected a number >= 0"},
    {"FixedJoint",
     [](Robot& r) {
       r.links[0].joint = nullptr;
       r.links[0].joint_dynamics.damping = {1.0};
     },
     "links[0].joint", "stiffness, damping, armature or rest on a fixed joint", "none",
     "upper: joint: found stiffness, damping, armature or rest on a fixed joint, expected none"},
    {"Marker", [](Robot& r) { r.markers[0].place.link = "hnad"; }, "markers[0].link", "'hnad'",
     "'base' or the name of a link", "marker 'hand': link: found 'hnad', expected 'base' or the name of a link"},
    {"MarkerPort", [](Robot& r) { r.markers[0].place.at = PortLocation::section(0.1); }, "markers[0].at", "{s: 0.1}",
     "base or tip: a rigid body has no cross-sections",
     "marker 'hand': at: found {s: 0.1}, expected base or tip: a rigid body has no cross-sections"},
    {"MarkerName", [](Robot& r) { r.markers.push_back(r.markers[0]); }, "markers[1].name", "'hand' again",
     "unique names", "markers[1].name: found 'hand' again, expected unique names"},
    {"Actuator", [](Robot& r) { r.actuators[0] = Actuator::joint("motor", "upper", 3); }, "actuators[0].index", "3",
     "less than 1 (joint coordinates of the link)",
     "actuator 'motor': index: found 3, expected less than 1 (joint coordinates of the link)"},
    {"MarkerOfATip", [](Robot& r) { r.markers[0].name = "lower.tip"; }, "markers[0].name",
     "'lower.tip', which results call a link's tip", "another name",
     "marker 'lower.tip': name: found 'lower.tip', which results call a link's tip, expected another name"},
    {"ActuatorWithoutTransmission", [](Robot& r) { r.actuators[0].transmission = nullptr; },
     "actuators[0].transmission", "none", "one", "actuator 'motor': transmission: found none, expected one"},
    {"Tendon",
     [](Robot& r) {
       Routing entry;
       entry.link = "lower", entry.points = {{0, 0, 0}}, entry.from = 0.1;
       r.actuators.push_back(Actuator::tendon("t", {entry}));
     },
     "actuators[1].routing[0]", "no points of 'lower', or more than points",
     "points alone (only rods have offset, from and to)",
     "actuator 't': routing[0]: found no points of 'lower', or more than points, expected points alone (only rods have "
     "offset, from and to)"},
    {"Load", [](Robot& r) { r.loads[1].place.link = "lowre"; }, "loads[1].link", "'lowre'",
     "'base' or the name of a link", "loads[1]: link: found 'lowre', expected 'base' or the name of a link"},
    {"Fluid",
     [](Robot& r) {
       Fluid fluid;
       fluid.length = -1.0;
       r.loads[1] = make_fluid_load("lower", fluid);
     },
     "loads[1].length", "-1", "a number > 0 [m]", "loads[1]: length: found -1, expected a number > 0 [m]"},
    {"LoadWithoutLaw", [](Robot& r) { r.loads[1].law = nullptr; }, "loads[1].law", "none", "one",
     "loads[1]: law: found none, expected one"},
    {"Loop",
     [](Robot& r) {
       r.loops = {{.name = "pin", .a = {"lower", PortLocation::tip(), {}}, .b = {"upr", PortLocation::tip(), {}}}};
     },
     "loops[0].b.link", "'upr'", "'base' or the name of a link; did you mean 'upper'?",
     "loop 'pin': b.link: found 'upr', expected 'base' or the name of a link; did you mean 'upper'?"},
    {"Gravity", [](Robot& r) { r.gravity.z = std::nan(""); }, "gravity[2]", "nan", "a finite number",
     "gravity[2]: found nan, expected a finite number"},
    {"Floating",
     [](Robot& r) {
       r.floating_base = true;
       for (Link& link : r.links) link.body = nullptr;
     },
     "base", "", "",
     "base: the free-floating part has no mass, expected a body with mass and inertia fixed to it or to its children"},
};

class PlaceOfModelError : public testing::TestWithParam<Case> {};

TEST_P(PlaceOfModelError, IsThereAsData) {
  EXPECT_NO_THROW(Model{two_links()});
  Robot robot = two_links();
  GetParam().change(robot);
  try {
    const Model model(robot);
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.path().text(), GetParam().path);
    EXPECT_EQ(error.found(), GetParam().found);
    EXPECT_EQ(error.expected(), GetParam().expected);
    EXPECT_STREQ(error.what(), GetParam().text.c_str());
  }
}

std::string name_of(const testing::TestParamInfo<Case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Cases, PlaceOfModelError, testing::ValuesIn(k_cases), name_of);

/// The robot with a body of a user's own in the place of the second.
Robot with_box(bool open = false) {
  Robot robot = two_links();
  robot.links[1].body = std::make_shared<CargoBox>(1.0, open);
  return robot;
}

TEST(PlaceOfOwnBody, StandsBeforeItsOwnPath) {
  try {
    const Model model(with_box(true));  // the shape at rest is not defined
    FAIL() << "no error";
  } catch (const ConfigurationError& error) {
    EXPECT_EQ(error.path(), "links[1].body.cargo.items[1]");
    EXPECT_STREQ(error.what(), "lower: cargo.items[1]: found it beside the box");
  }
  Robot robot = with_box();
  robot.markers[0].place.at = PortLocation::section(0.1);
  try {
    const Model model(robot);
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.path(), "markers[0].at.s");
    EXPECT_STREQ(error.what(), "marker 'hand': at.s: found a section of a box, expected base or tip");
  }
  const Model model(with_box());
  ASSERT_EQ(model.warnings().size(), 1u);
  EXPECT_EQ(model.warnings()[0].path(), "links[1].body.cargo.mass");
  EXPECT_EQ(model.warnings()[0].text(), "lower: cargo.mass: the box is overloaded");
}

TEST(PlaceOfOwnBody, IsKnownWhileTheRobotMoves) {
  Robot robot;
  robot.links.push_back({.name = "soft", .body = std::make_shared<FunctionBody>([] {
                                           FunctionParameters parameters = toy_function();
                                           parameters.points.allow_folding = true;
                                           parameters.position = [](const Vector3& x, const double* q) {
                                             if (q[0] > 1.0)
                                               throw ConfigurationError("bend", "found an angle above 1 rad");
                                             return ToyBody{}.position(x, q);
                                           };
                                           return parameters;
                                         }())});
  const Model model(robot);
  Data data(model);
  try {
    forward_kinematics<double>(model, data, VectorXd::Constant(1, 2.0));
    FAIL() << "no error";
  } catch (const ConfigurationError& error) {
    EXPECT_EQ(error.path(), "links[0].body.bend");
    EXPECT_STREQ(error.what(), "soft: bend: found an angle above 1 rad");
  }
}

TEST(PlaceOfOwnBody, IsKnownWhereItHasNoOtherScalar) {
  try {
    with_box().cast<ForwardDual>();
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.path(), "links[1].body");
    EXPECT_EQ(error.found(), "a cargo_box that exists for double only");
    EXPECT_STREQ(error.what(),
                 "lower: body: found a cargo_box that exists for double only, expected one that exists for ForwardDual "
                 "too");
  }
}

TEST(PlaceOfArgument, IsTheArgument) {
  const Model model(two_links());
  Data data(model);
  const auto error_of = [&](const VectorXd& q) {
    try {
      forward_kinematics<double>(model, data, q);
    } catch (const ArgumentError& error) {
      return error;
    }
    return ArgumentError("none");
  };
  const ArgumentError size = error_of(VectorXd::Zero(3));
  EXPECT_EQ(size.path(), "q");
  EXPECT_EQ(size.found(), "size 3");
  EXPECT_STREQ(size.what(), "forward_kinematics: q: found size 3, expected 2 (nq of 'robot')");
  VectorXd q = VectorXd::Zero(2);
  q[1] = std::nan("");
  EXPECT_EQ(error_of(q).path(), "q[1]");
  EXPECT_EQ(error_of(q).expected(), "a finite number");
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
