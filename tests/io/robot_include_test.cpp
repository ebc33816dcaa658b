// Robots of other programs inside robot files, and written as such by the command.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cuttle/bodies/rigid_body.h"
#include "cuttle/io/result_reader.h"
#include "io/command_line.h"
#include "io/import_support.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::Contains;
using testing::HasSubstr;

class IncludedRobot : public RobotImport {
 protected:
  std::string arm_with_finger() {
    directory_.write("arm.urdf", k_urdf);
    return directory_.write("r.yaml", R"(cuttle: 1
include: {urdf: arm.urdf, mount: base, prefix: ur_, pose: {position: [0, 0, 1]}}
links:
  - {name: finger, parent: ur_hand, joint: {type: revolute}, body: {type: rigid, mass: 0.1, com: [0.1, 0, 0]}}
  - {name: nail, body: {type: rigid, mass: 0.01}}
)");
  }
};

TEST_F(IncludedRobot, StandsWhereItIsMounted) {
  const RobotFile file = load_robot_file(arm_with_finger());
  const Model model(file.robot);
  EXPECT_EQ(model.links()[0].name, "ur_base");
  EXPECT_EQ(file.robot.links.back().name, "nail");
  EXPECT_EQ(file.robot.links.back().parent.link, "finger");
  EXPECT_EQ(file.robot.actuators.at(0).name, "ur_shoulder");
  Data data(model);
  const auto& kinematics = forward_kinematics(model, data, model.neutral());
  EXPECT_NEAR(norm(kinematics.pose(link_of(model, "ur_upper").base).position - Vector3{0.1, 0.2, 1.3}), 0.0, 1e-15);
  EXPECT_THAT(file.notes, Contains(HasSubstr("r.yaml:2:10: include:")));
  EXPECT_EQ(file.visuals.size(), 1U);
  EXPECT_EQ(file.visuals[0].link, "ur_upper");
}

TEST_F(IncludedRobot, SaysHowMuchIsLostAndWhatListsIt) {
  const RobotFile file = load_robot_file(arm_with_finger());
  ASSERT_EQ(file.notes.size(), 1U);
  const std::string arm = directory_.path("arm.urdf");
  const std::size_t count = import_robot(arm).notes.size();
  EXPECT_THAT(file.notes[0], HasSubstr("include: of 'arm.urdf' " + std::to_string(count) +
                                       " things are left out, changed or assumed, the first: "));
  EXPECT_THAT(file.notes[0], testing::EndsWith("; `cuttle import " + arm + "` lists all"));
  directory_.write("one.urdf", "<robot name=\"one\"><link name=\"l\"/><gazebo/></robot>");
  const RobotFile one =
      load_robot_file(directory_.write("r.yaml", "cuttle: 1\ninclude: {urdf: one.urdf}\nlinks: [{name: tip}]\n"));
  EXPECT_THAT(one.notes,
              testing::ElementsAre(directory_.path("r.yaml") +
                                   ":2:10: include: of 'one.urdf' 1 thing is left out, changed or assumed: " +
                                   directory_.path("one.urdf") + ":1: gazebo: left out"));
}

TEST_F(IncludedRobot, SaysThatItFallsWithAnotherGravity) {
  directory_.write("m.xml",
                   "<mujoco><option gravity=\"0 0 -3\"/><worldbody><body name=\"a\"><joint/>"
                   "<inertial pos=\"0 0 0\" mass=\"1\"/></body></worldbody></mujoco>");
  const auto warnings = [&](const std::string& gravity) {
    return load_robot_file(directory_.write("r.yaml", "cuttle: 1\n" + gravity + "include: {mjcf: m.xml}\n")).notes;
  };
  EXPECT_THAT(warnings(""),
              testing::ElementsAre(HasSubstr("r.yaml:2:10: include: gravity [0, 0, -3] of 'm.xml': left out, as it "
                                             "falls with that of this robot, [0, 0, -9.81]")));
  EXPECT_THAT(warnings("gravity: [1, 0, -3]\n"), testing::ElementsAre(HasSubstr("that of this robot, [1, 0, -3]")));
  EXPECT_THAT(warnings("gravity: [0, 0, -3]\n"), testing::IsEmpty());
}

TEST_F(IncludedRobot, HasParametersAndTakesChanges) {
  const std::string path = arm_with_finger();
  const Robot heavier = read_robot_file(path, {"robot.links.ur_upper.body.mass=3"});
  const auto find = [](const Robot& robot, const std::string& name) {
    for (const Link& link : robot.links) {
      if (link.name == name) return dynamic_cast<const RigidBody&>(*link.body).parameters().mass;
    }
    return -1.0;
  };
  EXPECT_EQ(find(heavier, "ur_upper"), 3.0);
  const Robot again = Model(read_robot_file(path)).with({{"links.ur_upper.body.mass", 4.0}}).robot();
  EXPECT_EQ(find(again, "ur_upper"), 4.0);
  const Robot other = read_robot_file(path, {"robot.include.prefix=left_", "robot.links.finger.parent=left_hand"});
  EXPECT_EQ(find(other, "left_upper"), 1.5);
}

TEST_F(IncludedRobot, NamesMistakes) {
  directory_.write("arm.urdf", k_urdf);
  const auto errors = [&](const std::string& include) {
    const std::string path = directory_.write("r.yaml", "cuttle: 1\ninclude: " + include + "\nlinks: [{name: tip}]\n");
    std::string text = message<FileError>([&] { load_robot_file(path); });
    const std::string prefix = directory_.path("");
    for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) text.erase(at, prefix.size());
    return text;
  };
  EXPECT_EQ(
      errors("{urdf: none.urdf}"),
      "r.yaml:2:17: include.urdf: found 'none.urdf', which does not exist, expected a robot in URDF, MJCF or SDF");
  EXPECT_THAT(errors("{urdf: arm.urdf, mount: tipp}"),
              HasSubstr("include.mount: found 'tipp', which is no link, expected base or tip"));
  EXPECT_THAT(errors("{mjcf: arm.urdf}"), HasSubstr("arm.urdf:2:2: found the root element <robot>, expected <mujoco>"));
  EXPECT_EQ(errors("{mount: base}"),
            "r.yaml:2:10: include: found none of urdf, mjcf and sdf, expected one of them: a file");
  EXPECT_THAT(errors("[{urdf: arm.urdf}, {urdf: arm.urdf}]"), HasSubstr("'upper' again"));
}

TEST_F(IncludedRobot, StaysInItsResult) {
  const std::string path = arm_with_finger();
  directory_.write("s.yaml",
                   "cuttle: 1\nrobot: r.yaml\nsimulation: {duration: 0.01, output_step: 0.01, integrator: {type: rk4, "
                   "step: 0.001}}\n");
  const std::string result = directory_.path("out.h5");
  const std::string command =
      test::k_tool + " simulate " + directory_.path("s.yaml") + " -o " + result + " >/dev/null 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::filesystem::remove(path);
  std::filesystem::remove(directory_.path("arm.urdf"));
  const ResultFile read = read_result_file(result);
  EXPECT_EQ(read.robot.links.front().name, "ur_base");
  EXPECT_EQ(read.visuals.size(), 1U);
}

TEST_F(IncludedRobot, MayBeTheWholeRobot) {
  directory_.write("arm.urdf", k_urdf);
  const RobotFile file = load_robot_file(directory_.write("r.yaml", "cuttle: 1\ninclude: {urdf: arm.urdf}\n"));
  EXPECT_EQ(file.robot.links.size(), 5U);
  EXPECT_THAT(robot_errors("cuttle: 1\n"), HasSubstr("links: found nothing, expected a list of mappings"));
}

TEST_F(IncludedRobot, LosesShapesOfItsWorldOnALink) {
  directory_.write("m.xml",
                   "<mujoco><worldbody><geom name=\"floor\" type=\"box\" size=\"1 1 0.1\"/><body name=\"a\"><joint/>"
                   "<geom size=\"0.1\" contype=\"0\" conaffinity=\"0\"/></body></worldbody></mujoco>");
  ImportOptions options;
  EXPECT_EQ(import_robot(directory_.path("m.xml"), options).visuals.size(), 2U);
  options.mount = {"hand", PortLocation::tip(), {}};
  const ImportedRobot mounted = import_robot(directory_.path("m.xml"), options);
  EXPECT_EQ(mounted.visuals.size(), 1U);
  EXPECT_THAT(whats(mounted), Contains(HasSubstr("shapes of the world: not drawn")));
}

class ImportCommand : public CommandLine {};

TEST_F(ImportCommand, WritesARobotFileAndSaysWhatIsLost) {
  const std::string urdf = directory_.write("arm.urdf", k_urdf), yaml = directory_.path("arm.yaml");
  const Result result = run("import " + urdf + " -o " + yaml);
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("friction of a joint: left out"));
  EXPECT_THAT(result.output, HasSubstr("arm.yaml: 5 links, 2 actuators; "));
  std::ifstream file(yaml);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_THAT(text, testing::StartsWith("# Imported from arm.urdf.\n"));
  EXPECT_THAT(text, HasSubstr("friction of a joint: left out"));
  EXPECT_EQ(run("check " + yaml).code, 0);
  std::filesystem::remove(yaml);
  const Result listed = run("import " + urdf);
  EXPECT_EQ(listed.code, 0) << listed.errors;
  EXPECT_THAT(listed.output, HasSubstr("friction of a joint: left out"));
  EXPECT_THAT(listed.output, HasSubstr("arm.urdf: 5 links, 2 actuators; "));
  EXPECT_FALSE(std::filesystem::exists(yaml));
  EXPECT_EQ(run("import " + urdf + " -o " + yaml).code, 0);
  EXPECT_THAT(run("import " + urdf + " -o " + yaml).errors, HasSubstr("--force (in Python replace=True) replaces it"));
  EXPECT_EQ(run("import " + urdf + " --force -o " + yaml).code, 0);
  const std::string states =
      directory_.write("states.jsonl", "{\"q\": [0.1, 0, 0, 0, 0, 0]}\n{\"v\": [1, 0, 0, 0, 0, 0]}\n");
  const Result evaluated = run("eval " + yaml + " --states " + states);
  EXPECT_EQ(std::count(evaluated.output.begin(), evaluated.output.end(), '\n'), 2) << evaluated.errors;
  EXPECT_THAT(run("eval " + yaml + " --states " + directory_.write("bad.jsonl", "{}\n{\"p\": [1]}\n")).errors,
              HasSubstr("bad.jsonl:2: found the key 'p', expected q, v, a, tau or u"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
