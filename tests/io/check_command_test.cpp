// `cuttle check` of robots whose mass matrix is singular whatever their configuration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/command_line.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using CheckCommand = CommandLine;

std::string body(const std::string& more = "") {
  return "body: {type: rigid, mass: 1, com: [0.1, 0.02, 0.3], inertia: [0.02, 0.03, 0.04, 0, 0, 0]" + more + "}";
}
std::string robot(const std::string& links) { return "cuttle: 1\nname: thing\nlinks:\n" + links; }

// Base and joint can turn against each other and leave the only body where it is.
TEST_F(CheckCommand, NamesAFloatingBaseWhoseOnlyBodyHangsOnAJoint) {
  const std::string text = robot("  - {name: arm, joint: {type: revolute, axis: [0.3, 1, 0.2]}, " + body() + "}\n");
  const Result floating = run("check " + directory_.write("f.yaml", text + "base: {motion: floating}\n"));
  EXPECT_EQ(floating.code, 0);
  EXPECT_THAT(floating.errors, HasSubstr("warning: the base, link 'arm': the mass matrix is singular in every "
                                         "configuration: a motion of "));
  EXPECT_THAT(floating.errors, HasSubstr("arm.joint.v0"));
  EXPECT_EQ(run("check " + directory_.write("x.yaml", text)).errors, "");
  const std::string hub = "  - {name: hub, " + body() + "}\n";
  const std::string two = text + "  - {name: hub, parent: base, " + body() + "}\n" + "base: {motion: floating}\n";
  EXPECT_EQ(run("check " + directory_.write("two.yaml", two)).errors, "");

  directory_.write("f.yaml", text + "base: {motion: floating}\n");
  const std::string scenario = directory_.write("s.yaml", "cuttle: 1\nrobot: f.yaml\nsimulation: {duration: 1}\n");
  const Result refused = run("check " + scenario);
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.output, "");
  EXPECT_THAT(refused.errors, HasSubstr("f.yaml: the base, link 'arm': the mass matrix is singular"));
}

// The end of a chain: each joint by itself.
TEST_F(CheckCommand, NamesAMasslessEndThatMoves) {
  const std::string arm = "  - {name: arm, joint: {type: revolute, axis: [0, 1, 0]}, " + body() + "}\n";
  for (const char* joint : {"type: revolute, axis: [1, 0, 0]", "type: prismatic, axis: [0, 0, 1]", "type: universal",
                            "type: spherical", "type: planar"}) {
    const std::string stub = "  - {name: stub, joint: {" + std::string(joint);
    const Result bare = run("check " + directory_.write("bare.yaml", robot(arm + stub + "}}\n")));
    EXPECT_EQ(bare.code, 0) << joint;
    EXPECT_THAT(bare.errors, HasSubstr("warning: link 'stub': the mass matrix is singular in every")) << joint;
    const Result whole = run("check " + directory_.write("whole.yaml", robot(arm + stub + "}, " + body() + "}\n")));
    EXPECT_EQ(whole.errors, "") << joint;
  }
  const std::string motor = "  - {name: stub, joint: {type: revolute, axis: [1, 0, 0], armature: 0.01}}\n";
  EXPECT_EQ(run("check " + directory_.write("motor.yaml", robot(arm + motor))).errors, "");
}

// Two joints about one line through a straight arm are singular there alone: that is the motion's business.
TEST_F(CheckCommand, SingularAtOneConfigurationIsNoFault) {
  const std::string line =
      "  - {name: wrist, joint: {type: revolute, axis: [0, 0, 1]}}\n"
      "  - {name: bend, joint: {type: revolute, axis: [0, 1, 0]}}\n"
      "  - {name: hand, joint: {type: revolute, axis: [0, 0, 1]}, " +
      body() + "}\n";
  EXPECT_EQ(run("check " + directory_.write("line.yaml", robot(line))).errors, "");
}

// a slide of 1 kg without forces, which a motor of at most 2 N pushes to 1 m: it starts at its limit
TEST_F(CheckCommand, SpeaksOfControllersAndRunsSayHowTheyFollow) {
  directory_.write(
      "r.yaml",
      "cuttle: 1\nname: cart\ngravity: [0, 0, 0]\nlinks:\n  - {name: slide, joint: {type: prismatic}, body: "
      "{type: rigid, mass: 1}}\nactuators: [{name: motor, type: joint, link: slide}]\n");
  const std::string scenario = directory_.write(
      "s.yaml",
      "cuttle: 1\nrobot: r.yaml\nsimulation:\n  duration: 4\n  controllers:\n  - {name: pusher, type: pid, reference: "
      "[1], kp: 4, kd: 4, limits: {lower: -2, upper: 2}}\n");
  const Result checked = run("check " + scenario);
  ASSERT_EQ(checked.code, 0) << checked.errors;
  EXPECT_THAT(checked.output, HasSubstr("  controller 'pusher', pid, 1 reference: sets motor\n"));
  const Result result = run("simulate " + scenario + " -o " + directory_.path("s.h5"));
  ASSERT_EQ(result.code, 0) << result.errors;
  // 2 N until 4 (1 - x) - 4 v = 2 with v = 2 t, x = t^2: t = sqrt(1.5) - 1 = 0.2247 s of 4 s; then (1 + t) e^-2t
  EXPECT_THAT(result.output, HasSubstr("pusher: error RMS "));
  EXPECT_THAT(result.output, HasSubstr(" m, largest 1, "));
  EXPECT_THAT(result.output, HasSubstr("pusher: motor at its limit in 5.7"));  // 23 of 401 rows
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
