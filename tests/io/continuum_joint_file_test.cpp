// Continuum joints of robot files: what is read, what is refused and where, what is a warning.
#include <gtest/gtest.h>

#include <string>

#include "cuttle/bodies/continuum_joint.h"
#include "io/io_support.h"

namespace cuttle::CUTTLE_FILE {
namespace {

/// A file whose line 3 is a continuum joint with these keys, from column 81 on.
std::string joint(const std::string& keys, const std::string& after = "") {
  return "cuttle: 1\nlinks:\n  - {name: a, body: {type: continuum_joint, length: 0.2, mass: 1, radius: 0.05" + keys +
         "}}\n" + after;
}

ContinuumJointParameters parameters(const std::string& text) {
  const Robot robot = read_robot_text(text, "r.yaml");
  return dynamic_cast<const ContinuumJoint&>(*robot.links.at(0).body).parameters();
}

TEST(ContinuumJointFile, ReadsEveryKey) {
  const auto all = parameters(
      joint(", stiffness: [12, 11], coupling_stiffness: -1.5, damping: [0.4, 0.5], momentarily_rigid: true"));
  EXPECT_EQ(all.length, 0.2);
  EXPECT_EQ(all.mass, 1.0);
  EXPECT_EQ(all.radius, 0.05);
  EXPECT_EQ(all.stiffness, (std::array{12.0, 11.0}));
  EXPECT_EQ(all.coupling_stiffness, -1.5);
  EXPECT_EQ(all.damping, (std::array{0.4, 0.5}));
  EXPECT_TRUE(all.momentarily_rigid);
  const auto same = parameters(joint(", stiffness: 12, damping: 0.4"));
  EXPECT_EQ(same.stiffness, (std::array{12.0, 12.0}));
  EXPECT_EQ(same.damping, (std::array{0.4, 0.4}));
  const auto few = parameters(joint(""));
  EXPECT_EQ(few.stiffness, (std::array{0.0, 0.0}));
  EXPECT_EQ(few.coupling_stiffness, 0.0);
  EXPECT_EQ(few.damping, (std::array{0.0, 0.0}));
  EXPECT_FALSE(few.momentarily_rigid);
}

TEST(ContinuumJointFile, ReportsMistakesAtTheirPlaces) {
  EXPECT_EQ(robot_errors("cuttle: 1\nlinks: [{name: a, body: {type: continuum_joint}}]\n"),
            "r.yaml:2:25: links[0].body.length: found nothing, expected a number >= 1e-09 [m]\n"
            "r.yaml:2:25: links[0].body.mass: found nothing, expected a number > 0 [kg]\n"
            "r.yaml:2:25: links[0].body.radius: found nothing, expected a number >= 1e-09 [m]");
  EXPECT_EQ(robot_errors(joint(", stiffness: [1, 2, 3]")),
            "r.yaml:3:92: links[0].body.stiffness: found a list of 3, expected a number or a list of 2 for a continuum "
            "joint");
  EXPECT_EQ(robot_errors(joint(", damping: [1, -2]")),
            "r.yaml:3:94: links[0].body.damping[1]: found -2, expected a number >= 0 [N m s/rad]");
  EXPECT_EQ(robot_errors(joint(", stiffness: [1, 4], coupling_stiffness: 2.5")),
            "r.yaml:3:120: links[0].body.coupling_stiffness: found 2.5, expected a number whose square is at most 4, "
            "the product of the two of stiffness [N m/rad]");
  EXPECT_EQ(robot_errors(joint(", momentarily_rigid: 1")),
            "r.yaml:3:100: links[0].body.momentarily_rigid: found 1, expected true or false");
}

TEST(ContinuumJointFile, HasNoPlacesButBaseAndTip) {
  EXPECT_EQ(robot_errors(joint("", "loads: [{type: wrench, link: a, at: {s: 0.1}, force: [1, 0, 0]}]\n")),
            "r.yaml:4:41: loads[0].at.s: found a section on a continuum_joint body, expected base or tip (only rods "
            "have sections)");
  EXPECT_EQ(robot_errors(joint("", "loads: [{type: wrench, link: a, at: {point: [0, 0, 1]}, force: [1, 0, 0]}]\n")),
            "r.yaml:4:45: loads[0].at.point: found a point on a continuum_joint body, expected base or tip");
  EXPECT_EQ(robot_errors(joint("", "loads: [{type: distributed, link: a, force: [1, 0, 0]}]\n")),
            "r.yaml:4:35: loads[0].link: found 'a', which has no rod, expected a link whose body is a rod");
  EXPECT_EQ(
      robot_errors(joint("", "actuators: [{name: t, type: tendon, routing: [{link: a, points: [[0, 0, 0]]}]}]\n")),
      "r.yaml:4:54: actuators[0].routing[0].link: found 'a', a continuum_joint body, expected a rod, a body with "
      "material points or a rigid body");
}

// It is simulated as asked, but nobody shall take its energies for granted.
TEST(ContinuumJointFile, WarnsOfAForceThatDoesNotBalancePower) {
  TemporaryDirectory directory;
  const std::string path = directory.write("r.yaml", joint(", momentarily_rigid: true"));
  const RobotFile file = load_robot_file(path);
  ASSERT_EQ(file.warnings.size(), 1u);
  EXPECT_EQ(file.warnings[0], path +
                                  ":3:100: links[0].body.momentarily_rigid: the inertial force of [J] (11)-(18) "
                                  "does not balance power");
  EXPECT_TRUE(load_robot_file(directory.write("s.yaml", joint(""))).warnings.empty());
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
