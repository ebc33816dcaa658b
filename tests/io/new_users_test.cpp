// What stopped people who were new: notes of an `include` once, numbers beyond sense, limits of sliders, inertias that
// are rounded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "cuttle/io/result_reader.h"
#include "cuttle/io/robot_import.h"
#include "io/import_support.h"
#include "io/live_command.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class NewUsers : public CommandLine {
 protected:
  /// A robot of another program inside one, with notes of both kinds: another gravity, and what is left out.
  std::string included() {
    directory_.write(
        "m.xml",
        "<mujoco><option gravity=\"0 0 -3\"/><worldbody><body name=\"a\"><joint name=\"j\" stiffness=\"9\"/>"
        "<geom size=\"0.1\"/></body></worldbody><sensor><gyro/></sensor></mujoco>");
    const std::string file = directory_.write("r.yaml", "cuttle: 1\nname: r\ninclude: {mjcf: m.xml}\n");
    directory_.write("s.yaml", "cuttle: 1\nrobot: r.yaml\nsimulation: {duration: 0.01, output_step: 0.01}\n");
    return file;
  }
  /// A soft finger of 0.2 m.
  std::string finger(const std::string& more = "") {
    return directory_.write("finger.yaml", R"(cuttle: 1
name: arm
gravity: [0, 0, 0]
materials: {rubber: {density: 1000, young_modulus: 1.0e6, poisson_ratio: 0.45, damping_time: 0.05}}
links:
- {name: finger, body: {type: rod, length: 0.2, section: {shape: circle, radius: 0.01}, material: rubber, strain: {kappa_y: constant, sigma_z: constant}}}
actuators: [{name: cable, type: tendon, slack: allow, routing: [{link: finger, offset: [0.005, 0]}]}]
)" + more);
  }
};

TEST_F(NewUsers, NotesOfAnIncludeAreSaidByWhoChecksAndDescribes) {
  const std::string file = included(), scenario = directory_.path("s.yaml");
  for (const std::string& command : {"check " + file, "info " + file, "check " + scenario}) {
    const Result result = run(command);
    EXPECT_EQ(result.code, 0) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr("include: gravity [0, 0, -3] of 'm.xml': left out")) << command;
    EXPECT_THAT(result.errors, HasSubstr("are left out, changed or assumed")) << command;
  }
  const auto json = nlohmann::json::parse(run("info --json " + file).output);
  EXPECT_EQ(json["warnings"].size(), 2u);
  for (const std::string& command :
       {"statics " + file, "eval " + file, "ik " + file + " --target a.tip=[0,0,0]", "parameters " + file,
        "simulate " + scenario + " -o " + directory_.path("o.h5"), "modes " + file}) {
    const Result result = run(command);
    EXPECT_EQ(result.code, 0) << command << result.errors;
    EXPECT_THAT(result.errors, Not(HasSubstr("include"))) << command;
  }
}

TEST_F(NewUsers, CollisionsAreThereAndSayWhatTouches) {
  directory_.write("arm.urdf",
                   "<robot name=\"r\"><link name=\"l\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" "
                   "izz=\"1\"/></inertial><collision><geometry><sphere radius=\"1\"/></geometry></collision></link>"
                   "</robot>");
  EXPECT_THAT(whats(import_robot(directory_.path("arm.urdf"))),
              Contains("collision of a link: made `contact` of its link; `contacts` of a robot file say what touches"));
  included();
  EXPECT_THAT(whats(import_robot(directory_.path("m.xml"))),
              Contains("geom that touches: made `contact` of its link; `contacts` of a robot file say what touches"));
}

TEST_F(NewUsers, RodsStrainedBeyondSenseAreNamed) {
  const std::string file = finger();
  // E A e = F with E A = 314.16 N: 1000 N makes 4.18 of 1
  const std::string pulled = finger("loads: [{type: wrench, link: finger, force: [0, 0, 1000]}]\n");
  Result result = run("statics " + pulled);
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.errors, HasSubstr("warning: finger: stretched to 4.18 times its length"));
  EXPECT_THAT(run("statics " + pulled + " --set robot.loads[0].force[2]=300").errors, Not(HasSubstr("stretched")));
  result = run("statics " + finger() + " --input cable=-2000");
  EXPECT_THAT(result.errors, HasSubstr("warning: finger: "));
  // a run says when it happened, in its result too
  finger("loads: [{type: wrench, link: finger, force: [0, 0, 1000]}]\n");
  const std::string scenario =
      directory_.write("s.yaml", "cuttle: 1\nrobot: finger.yaml\nsimulation: {duration: 1, output_step: 0.01}\n");
  result = run("simulate " + scenario + " -o " + directory_.path("o.h5"));
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(result.errors, testing::ContainsRegex("t = 0\\.[0-9]+ s: finger: stretched to 3\\.[0-9]+ times"));
  const auto warnings = read_result_file(directory_.path("o.h5")).warnings;
  EXPECT_THAT(warnings, Contains(HasSubstr("finger: stretched to 3.")));
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(NewUsers, InverseKinematicsNamesStrainsAndLeavesLengths) {
  const std::string file = finger();
  auto result = run("ik " + file + " --target finger.tip=[0,0,-0.1]");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("arm: NOT reached"));
  const auto json = nlohmann::json::parse(run("ik " + file + " --target finger.tip=[0,0,-0.1] --json").output);
  EXPECT_GT(json["q"][1], -0.2);
  result = run("ik " + file + " --target finger.tip=[0,0,0.8]");
  EXPECT_THAT(result.output, HasSubstr("arm: reached"));
  EXPECT_THAT(result.errors, HasSubstr("warning: finger: stretched to 4 times its length"));
}

// Points that a volume cannot take its tip to ended with an error about a body that folds onto itself.
TEST_F(NewUsers, PointsOutOfReachOfAVolumeAreNoError) {
  for (const char* const target : {"[0,0,-0.01]", "[0,0,2]"}) {
    const Result result = run("ik " + model("examples/lvp_finger.yaml") + " --target finger.tip=" + target);
    EXPECT_EQ(result.code, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr("lvp_finger: NOT reached; the nearest configuration found")) << target;
  }
}

TEST_F(NewUsers, RoundedInertiasAreNoNews) {
  const auto notes = [&](double largest) {
    return whats(import_robot(directory_.write(
        "l.urdf",
        "<robot name=\"r\"><link name=\"l\"><inertial><mass value=\"1\"/><inertia ixx=\"0.01\" iyy=\"0.02\" "
        "izz=\"" +
            std::to_string(largest) + "\"/></inertial></link></robot>")));
  };
  const auto odd = HasSubstr("inertia that no real body has");
  EXPECT_THAT(notes(0.03 * (1.0 + 0.9e-3)), Not(Contains(odd)));
  EXPECT_THAT(notes(0.03 * (1.0 + 1.2e-3)), Contains(odd));
}

TEST_F(LiveCommand, SaysThatATypedValueBeyondALimitWasCut) {
  start();
  WebClient client = browser();
  const Json hello = wait_for(client, "hello");
  const double most = hello["inputs"][0]["max"];
  say(client, {{"type", "input"}, {"name", "motor"}, {"value", 0.5 * most}});
  say(client, {{"type", "input"}, {"name", "motor"}, {"value", 10.0 * most}});
  const Json notice = wait_for(client, "notice");  // the first: none came of what is within
  ASSERT_FALSE(notice.is_null());
  EXPECT_THAT(notice["text"].get<std::string>(), HasSubstr("'motor': "));
  EXPECT_THAT(notice["text"].get<std::string>(), HasSubstr(" is beyond ["));
  EXPECT_THAT(notice["text"].get<std::string>(), HasSubstr("]: cut to "));
  EXPECT_FALSE(wait_for(client, [most](const Json& json) {
                 return json["type"] == "state" && std::abs(json["inputs"][0].get<double>() - most) < 1e-9 * most;
               }).is_null());
  EXPECT_EQ(end(SIGINT), 0);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
