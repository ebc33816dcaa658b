// Files that have no end, or make a reader wait: every reader refuses them at once, by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/io/plugin.h"
#include "cuttle/io/robot_import.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/io/yaml_tree.h"
#include "io/command_line.h"
#include "io/import/xml_tree.h"
#include "io/io_support.h"
#include "io/regular_file.h"

namespace cuttle::CUTTLE_FILE {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A file that no reader may open, and what it is.
struct Trap {
  std::string name, what;
};

class UnreadableFile : public CommandLine {
 protected:
  UnreadableFile() {
    directory_.write("r.yaml", k_robot);
    EXPECT_EQ(mkfifo(directory_.path("pipe").c_str(), 0600), 0);
    fs::create_symlink("/dev/zero", directory_.path("zeros"));
    fs::create_directory(directory_.path("folder"));
    fs::create_symlink("/proc/self/status", directory_.path("kernel"));
    const std::string huge = directory_.write("huge", "");
    fs::resize_file(huge, k_most_file_bytes + 1);  // a hole
    traps_ = {{"pipe", "a pipe"},
              {"zeros", "a device"},
              {"folder", "a directory"},
              {"kernel", "a file that does not say its size, as those below /proc"},
              {"huge", "a file of 536870913 bytes (at most 536870912 are read)"}};
  }
  static constexpr const char* k_link = "{name: a, joint: {type: revolute}, body: {type: rigid, mass: 1}}";
  static constexpr const char* k_robot =
      "cuttle: 1\nlinks: [{name: a, joint: {type: revolute}, body: {type: rigid, mass: 1}}]\n"
      "actuators: [{name: m, type: joint, link: a}]\n";

  std::vector<Trap> traps_;
};

TEST_F(UnreadableFile, IsNamedWithWhatItIs) {
  for (const Trap& trap : traps_) {
    const std::string path = directory_.path(trap.name);
    EXPECT_EQ(file_trouble(path), trap.what);
    const std::string said = path + ": found " + trap.what + ", expected ";
    EXPECT_EQ(message<FileError>([&] { read_text_file(path, "a list"); }), said + "a list");
    EXPECT_EQ(message<FileError>([&] { read_robot_file(path); }), said + "a robot file");
    EXPECT_EQ(message<FileError>([&] { load_scenario_file(path); }), said + "a scenario file");
    EXPECT_EQ(message<FileError>([&] { import_robot(path); }), said + "a robot in URDF, MJCF or SDF");
  }
  const std::string socket_path = directory_.path("s");
  const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.size() < sizeof(address.sun_path)) {
    std::strcpy(address.sun_path, socket_path.c_str());
    ASSERT_EQ(bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(file_trouble(socket_path), "a socket");
  }
  close(listening);
  EXPECT_EQ(file_trouble(directory_.path("none")), "no such file");
  EXPECT_EQ(file_trouble(directory_.path("r.yaml") + "/below"), "no such file");
}

TEST_F(UnreadableFile, FilesOfAllSizesAreReadWhole) {
  for (const std::size_t size : {0U, 1U, 4096U, 1000003U}) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 7 + i / 251);
    EXPECT_TRUE(read_text_file(directory_.write("bytes", text), "bytes") == text) << size;
  }
}

// what a shell pipes into a command is read to its end; a larger text than a pipe holds
TEST_F(UnreadableFile, PipesOfTheShellAreRead) {
  std::string states;
  while (states.size() < 200'000) states += "{\"q\": [0]}\r\n\r\n";
  const std::string file = directory_.write("states.jsonl", "\xEF\xBB\xBF" + states);
  const std::string robot = directory_.path("r.yaml");
  const Result expected = run("eval " + robot + " --states " + file);
  ASSERT_EQ(expected.code, 0) << expected.errors;
  for (const char* const path : {"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}) {
    const Result piped = run("eval " + robot + " --states " + path + " < " + file);
    EXPECT_EQ(piped.output, expected.output) << piped.errors;
    const std::string out = directory_.path("out.txt");
    const std::string command = "cat " + file + " | " + test::k_tool + " eval " + robot + " --states " + path;
    EXPECT_EQ(std::system((command + " > " + out).c_str()), 0);  // NOLINT(cert-env33-c)
    EXPECT_EQ(read_text_file(out, "what was said"), expected.output) << path;
  }
}

// sizes in the header of another machine's library stand elsewhere: what the loader says of it is said
TEST_F(UnreadableFile, ALibraryOfAnotherMachineIsNotCutOff) {
  for (const auto& [kind, order] : {std::pair{1, 1}, {1, 2}, {2, 2}}) {
    std::string header(64, '\1');
    header.replace(0, 16,
                   std::string("\x7f"
                               "ELF") +
                       static_cast<char>(kind) + static_cast<char>(order) + '\1' + std::string(9, '\0'));
    const std::string path = directory_.write("other.so", header);
    const std::string said = message<FileError>([&] { load_plugin(path); });
    EXPECT_THAT(said, HasSubstr("expected a shared library that is a plugin of Cuttle"));
    EXPECT_THAT(said, testing::Not(HasSubstr("cut off")));
  }
}

// the key that names the file has the error
TEST_F(UnreadableFile, IsNamedAtTheKeyOfARobotFile) {
  const std::string volume =
      "cuttle: 1\nmaterials: {m: {model: neo_hookean, density: 1000, c1: 1.0e+5, lame_lambda: 1.0e+6}}\nlinks:\n- "
      "{name: a, body: {type: volume, material: m, ";
  const std::vector<std::pair<std::string, std::string>> robots{
      {"links[0].body.visual.file", std::string("cuttle: 1\nlinks: [{name: a, body: {type: rigid, mass: 1, visual: "
                                                "{shape: mesh, file: TRAP}}}]\n")},
      {"links[0].body.shape.file", volume + "shape: {type: mesh, file: TRAP}, kinematics: {type: ritz}}}\n"},
      {"links[0].body.kinematics.file",
       volume + "shape: {type: cylinder, length: 0.1, radius: 0.01}, kinematics: {type: neural, file: TRAP}}}\n"},
      {"include.urdf", "cuttle: 1\ninclude: {urdf: TRAP}\n"},
      {"include.mjcf", "cuttle: 1\ninclude: {mjcf: TRAP}\n"},
      {"include.sdf", "cuttle: 1\ninclude: {sdf: TRAP}\n"},
      {"loads[0].force[0].file",
       std::string("cuttle: 1\nlinks: [") + k_link +
           "]\nloads: [{type: wrench, link: a, force: [{type: table, file: TRAP, column: f}, 0, 0]}]\n"}};
  for (const auto& [key, text] : robots) {
    for (const Trap& trap : traps_) {
      std::string robot = text;
      robot.replace(robot.find("TRAP"), 4, trap.name);
      const std::string path = directory_.write("of.yaml", robot);
      const std::string said = message<FileError>([&] { read_robot_file(path); });
      EXPECT_THAT(said, HasSubstr(key + ": found '" + trap.name + "', which is " + trap.what + ", expected ")) << key;
      EXPECT_THAT(said, HasSubstr(path + ":")) << key;
    }
  }
}

TEST_F(UnreadableFile, IsNamedAtTheKeyOfAScenario) {
  for (const Trap& trap : traps_) {
    const std::string of_robot =
        directory_.write("s.yaml", "cuttle: 1\nrobot: " + trap.name + "\nsimulation: {duration: 1}\n");
    EXPECT_EQ(message<FileError>([&] { load_scenario_file(of_robot); }),
              of_robot + ":2:8: robot: found '" + trap.name + "' (" + directory_.path(trap.name) + ": " + trap.what +
                  "), expected a robot file, relative to this file");
    const std::string of_table = directory_.write(
        "t.yaml", "cuttle: 1\nrobot: r.yaml\nsimulation: {duration: 1, inputs: {m: {type: table, file: " + trap.name +
                      ", column: x}}}\n");
    EXPECT_THAT(message<FileError>([&] { load_scenario_file(of_table); }),
                HasSubstr("simulation.inputs.m.file: found '" + trap.name + "', which is " + trap.what));
  }
}

TEST_F(UnreadableFile, InFilesOfOtherProgramsIsNamed) {
  for (const Trap& trap : traps_) {
    const std::string urdf =
        directory_.write("r.urdf", "<robot name=\"r\"><link name=\"b\"><visual><geometry><mesh filename=\"" +
                                       trap.name + "\"/></geometry></visual></link></robot>");
    const ImportedRobot imported = import_robot(urdf);
    ASSERT_EQ(imported.notes.size(), 1U);
    const bool is_folder = trap.name == "folder";
    EXPECT_THAT(imported.notes.front().text(),
                HasSubstr(is_folder ? "mesh that is not there" : "found " + trap.what + ", expected a mesh"));
    const std::string mjcf = directory_.write("m.xml", "<mujoco><include file=\"" + trap.name + "\"/></mujoco>");
    EXPECT_THAT(message<FileError>([&] { import_robot(mjcf); }),
                HasSubstr(is_folder ? "found 'folder', which does not exist" : "found " + trap.what + ", expected "));
  }
}

TEST_F(UnreadableFile, EndsEveryCommandAtOnce) {
  const std::string robot = directory_.path("r.yaml"), free = " --free robot.links.a.body.mass";
  for (const Trap& trap : traps_) {
    const std::string path = directory_.path(trap.name);
    std::vector<std::string> commands{"check " + path,
                                      "simulate " + path + " -o " + directory_.path("x.h5"),
                                      "statics " + robot + " --table " + path,
                                      "statics " + robot + " --follow " + path + " --inputs m",
                                      "eval " + robot + " --states " + path,
                                      "import " + path,
                                      "identify " + robot + " " + path + free,
                                      "identify " + robot + " " + path + free + " --map @" + path,
                                      "--plugin " + path + " check " + robot};
    if (trap.name != "huge") commands.push_back("plot " + path);  // results have bounds of their own
    for (const std::string& command : commands) {
      const Result result = run(command);
      EXPECT_EQ(result.code, 2) << command << "\n" << result.errors;
      EXPECT_THAT(result.errors, HasSubstr("found " + trap.what)) << command;
    }
  }
}

// a pipe where the chosen points of a body would be
TEST_F(UnreadableFile, InTheCacheIsNotRead) {
  const std::string robot = directory_.write("v.yaml", R"(cuttle: 1
materials: {rubber: {model: mooney_rivlin, density: 1000, c1: 1.0e4, c2: 2.0e3}}
links:
- name: finger
  body:
    type: volume
    shape: {type: cylinder, length: 0.2, radius: 0.02}
    material: rubber
    quadrature: {reduce: 1.0e-2, strain: 0.2}
    kinematics: {type: lvp, primitives: [{type: twist, modes: [[0, 1]]}, {type: bend, x: [[1]], y: [[1]]}]}
)");
  const char* const before = std::getenv("XDG_CACHE_HOME");
  const std::string kept = before ? before : "", cache = directory_.path("cache"), command = "check " + robot;
  setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  EXPECT_EQ(run(command).code, 0);
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(cache)) {
    if (!entry.is_regular_file()) continue;
    fs::remove(entry.path());
    ASSERT_EQ(mkfifo(entry.path().c_str(), 0600), 0);
    ++files;
  }
  EXPECT_EQ(files, 1);
  EXPECT_EQ(run(command).code, 0);
  before ? setenv("XDG_CACHE_HOME", kept.c_str(), 1) : unsetenv("XDG_CACHE_HOME");
}

TEST(DocumentsOfManyParts, AreRefusedBeforeTheyFillTheMemory) {
  std::string list = "cuttle: 1\nname: [";
  for (int i = 0; i < 5'000'000; ++i) list += "0,";
  EXPECT_THAT(message<FileError>([&] { parse_yaml(list + "0]\n", "r.yaml"); }),
              HasSubstr(": YAML: found more than 5000000 values, expected fewer"));
  std::string elements = "<robot>";
  while (elements.size() < 4 * k_most_xml_parts) elements += "<a/>";
  EXPECT_EQ(message<FileError>([&] {
              parse_xml({"r.urdf", elements + "</robot>"}, {"robot"});
            }),
            "r.urdf: found 4000001 letters < and =, which make elements and attributes, expected at most 4000000");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
