// The command with the same kinds as a plugin, and the program that has them.
#include "cuttle/io/plugin.h"

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "own_kinds_fixture.h"

namespace cuttle::CUTTLE_FILE {
namespace {

const std::string k_plugin = std::string("--plugin ") + CUTTLE_OWN_KINDS;

TEST_F(OwnKinds, ToolReadsThemFromAPlugin) {
  const std::string robot = k_example + "arm.yaml", result_file = directory_.path("arm.h5");
  EXPECT_EQ(run("check " + robot).code, 2);
  for (const std::string& command : {k_plugin + " check " + robot, "check " + robot + " " + k_plugin}) {
    const Result result = run(command);
    EXPECT_EQ(result.code, 0) << command << "\n" << result.errors;
  }
  const Result parameters = run(k_plugin + " parameters " + robot);
  EXPECT_THAT(parameters.output, HasSubstr("elements.muscle.braid_angle"));
  for (const char* method : {"bdf", "newmark"}) {
    const Result result = run(k_plugin + " simulate " + k_example + "arm_scenario.yaml -o " + result_file + " --svg " +
                              directory_.path("run.svg") + " --set simulation.duration=0.1 --set " +
                              "robot.links.finger.body.stiffness=0.1 --set simulation.integrator.type=" + method);
    EXPECT_EQ(result.code, 0) << result.output << result.errors;
  }
  const std::string pad = directory_.path("pad.h5");
  for (const char* method : {"ralston", "rk4"}) {
    const Result run_of_pad =
        run(k_plugin + " simulate " + k_example + "pad_scenario.yaml -o " + pad +
            " --set robot.materials.rubber.limit=3 --set simulation.duration=0.02 --set simulation.integrator.type=" +
            method);
    EXPECT_EQ(run_of_pad.code, 0) << run_of_pad.output << run_of_pad.errors;
  }
  Result result = run(k_plugin + " view " + result_file + " -o " + directory_.path("arm.html") + " --no-open");
  EXPECT_EQ(result.code, 0) << result.errors;
  for (const std::string what : {"q", "elements", "elements.muscle.tension"}) {
    result = run(k_plugin + " plot " + result_file + " --what " + what + " -o " + directory_.path("plot.svg"));
    EXPECT_EQ(result.code, 0) << what << ": " << result.errors;
  }
  result = run("plot " + result_file + " -o " + directory_.path("other.svg"));
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.errors, HasSubstr("links[0].joint.type: found 'screw', expected fixed, revolute"));
}

TEST_F(OwnKinds, ShellsCompleteKeysOfAPlugin) {
  const std::string line = "check " + k_example + "arm.yaml --set robot.links.finger.body.sti";
  EXPECT_EQ(run("complete zsh " + k_plugin + " " + line).output, "robot.links.finger.body.stiffness=\n");
  EXPECT_EQ(run("complete zsh --plugin=" CUTTLE_OWN_KINDS " " + line).output, "robot.links.finger.body.stiffness=\n");
  EXPECT_EQ(run("complete zsh " + line).output, "");
  const Result wrong = run("complete zsh --plugin nowhere.so " + line);
  EXPECT_EQ(wrong.code, 0);
  EXPECT_EQ(wrong.output + wrong.errors, "");
}

TEST_F(OwnKinds, PluginsAreCheckedBeforeTheyAreUsed) {
  const auto refused = [&](const std::string& file) {
    const Result result = run("--plugin " + file + " check " + model("examples/pendulum.yaml"));
    EXPECT_EQ(result.code, 2) << file;
    return result.errors;
  };
  EXPECT_EQ(refused("nowhere.so"), "nowhere.so: found nothing, expected a shared library that is a plugin of Cuttle\n");
  const std::string text = directory_.write("text.so", "no library");
  EXPECT_THAT(refused(text), HasSubstr(text + ": found '"));
  EXPECT_THAT(refused(text), HasSubstr("', expected a shared library that is a plugin of Cuttle"));
  EXPECT_EQ(refused(CUTTLE_LIBRARY), std::string(CUTTLE_LIBRARY) +
                                         ": found a shared library without CUTTLE_PLUGIN, expected a shared library "
                                         "that is a plugin of Cuttle\n");
  EXPECT_EQ(refused(CUTTLE_OTHER_PLUGIN), std::string(CUTTLE_OTHER_PLUGIN) +
                                              ": found a plugin for 'Cuttle 0.0.0, C++ ABI 1', expected one for '" +
                                              CUTTLE_BUILD + "'\n");
  EXPECT_EQ(refused(CUTTLE_THROWING_PLUGIN), std::string(CUTTLE_THROWING_PLUGIN) +
                                                 ": found an exception of unknown type while its kinds are registered, "
                                                 "expected one derived from std::exception, or none\n");
  EXPECT_EQ(refused(CUTTLE_OWN_KINDS " " + k_plugin),
            std::string(CUTTLE_OWN_KINDS) +
                ": kind of body: type: found 'flexure' again, expected a type that is not there yet\n");
}

// The loader maps what the headers of the file say, and who reads beyond its end is ended by a signal.
TEST_F(OwnKinds, PluginsThatAreCutOffAreRefusedAtEveryLength) {
  std::ifstream stream(CUTTLE_OWN_KINDS, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(stream), {}};
  for (const double part : {0.0, 1e-5, 0.001, 0.1, 0.5}) {
    const auto size = static_cast<std::size_t>(part * static_cast<double>(whole.size()));
    const std::string file = directory_.write("cut.so", whole.substr(0, size));
    const Result result = run("--plugin " + file + " check " + model("examples/pendulum.yaml"));
    EXPECT_EQ(result.code, 2) << size << " bytes: " << result.errors;
    EXPECT_THAT(result.errors, testing::StartsWith(file + ": found ")) << size;
    if (part < 0.1) continue;
    EXPECT_THAT(result.errors,
                HasSubstr(": found a shared library of " + std::to_string(size) + " bytes that is cut off"));
  }
}

TEST_F(OwnKinds, ProgramRunsThem) {
  const std::string command =
      std::string(CUTTLE_OWN_PROGRAM) + " " + k_example + "arm_scenario.yaml " + directory_.path("arm.h5") + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::array<char, 4096> buffer{};
  const std::size_t size = std::fread(buffer.data(), 1, buffer.size() - 1, pipe);
  const std::string output(buffer.data(), size);
  EXPECT_EQ(pclose(pipe), 0) << output;
  EXPECT_THAT(output, HasSubstr("51 rows by bdf"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
