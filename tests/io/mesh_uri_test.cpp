// Where a robot's file says that its meshes are: schemes, packages, escapes; and from which folder it is read.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "io/command_line.h"
#include "io/import/file_uri.h"
#include "io/import_support.h"

namespace cuttle::CUTTLE_FILE {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const char* const k_mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

std::string urdf_with(const std::string& mesh) {
  return "<robot name=\"r\"><link name=\"b\"><inertial><mass value=\"1\"/><inertia ixx=\"0.1\" iyy=\"0.1\" "
         "izz=\"0.1\"/>"
         "</inertial><visual><geometry><mesh filename=\"" +
         mesh + "\"/></geometry></visual></link></robot>";
}

class MeshUri : public RobotImport {
 protected:
  MeshUri() {
    for (const char* const folder : {"my meshes", "100%41", "pkg/demo/meshes", "pkg/demo/urdf", "prefix/share/far"}) {
      fs::create_directories(directory_.path(folder));
    }
    for (const char* const file :
         {"my meshes/t.obj", "100%41/t.obj", "pkg/demo/meshes/T A.OBJ", "prefix/share/far/t.obj"}) {
      directory_.write(file, k_mesh);
    }
  }
  /// Whether a mesh of this name is drawn.
  bool draws(const std::string& mesh, const std::string& urdf = "r.urdf") {
    const ImportedRobot imported = import(urdf, urdf_with(mesh));
    EXPECT_EQ(imported.visuals.size(), imported.notes.empty() ? 1U : 0U);
    return imported.visuals.size() == 1;
  }
};

TEST_F(MeshUri, NamesAreFoundAsProgramsWriteThem) {
  const std::string here = directory_.path("");  // ends with /
  for (const std::string& name :
       {std::string("my meshes/t.obj"), std::string("my%20meshes/t.obj"), std::string("./my meshes/t.obj"),
        std::string("my meshes\\t.obj"), std::string("my%20meshes\\t.obj"), std::string("file:my meshes/t.obj"),
        "file://" + here + "my meshes/t.obj", "file://" + here + "my%20meshes/t.obj", here + "my meshes/t.obj",
        "file:" + here + "my meshes/t.obj", "file://localhost" + here + "my meshes/t.obj",
        std::string("package://./my meshes/t.obj"), std::string("100%41/t.obj"), std::string("100%2541/t.obj")}) {
    EXPECT_TRUE(draws(name)) << name;
  }
  for (const std::string name :
       {"package://demo/meshes/T A.OBJ", "package://demo/meshes/T%20A.OBJ", "model://demo/meshes/T A.OBJ",
        "file://$(find demo)/meshes/T A.OBJ", "$(find demo)/meshes/T%20A.OBJ"}) {
    EXPECT_TRUE(draws(name, "pkg/demo/urdf/r.urdf")) << name;
  }
}

TEST_F(MeshUri, MeshesThatAreNotThereAreNamed) {
  for (const std::string name : {"none.obj", "", "%", "file:", "file://", "package://", "package://demo", "$(find ",
                                 "$(find demo)", "model://a/b%zz.obj", "a%00.obj", "..", "/", "my meshes"}) {
    EXPECT_FALSE(draws(name)) << name;
  }
  EXPECT_THAT(whats(import("r.urdf", urdf_with("package://demo/none.obj"))),
              ElementsAre("mesh that is not there (--package-root, for package://): not drawn"));
}

TEST_F(MeshUri, PackagesOfRosAreFound) {
  const char* const before = std::getenv("AMENT_PREFIX_PATH");
  const std::string kept = before ? before : "";
  EXPECT_FALSE(draws("package://far/t.obj"));
  setenv("AMENT_PREFIX_PATH", ("/nowhere::" + directory_.path("prefix")).c_str(), 1);
  EXPECT_THAT(ros_package_folders(),
              testing::IsSupersetOf({std::string("/nowhere/share"), directory_.path("prefix/share")}));
  EXPECT_TRUE(draws("package://far/t.obj"));
  before ? setenv("AMENT_PREFIX_PATH", kept.c_str(), 1) : unsetenv("AMENT_PREFIX_PATH");
}

/// Commands of a user who has gone to the robot's folder.
class InTheFolder : public CommandLine {
 protected:
  Result run_in(const std::string& folder, const std::string& arguments) {
    return CommandLine::run("--version >/dev/null; cd '" + folder + "' && " + test::k_tool + " " + arguments);
  }
};

TEST_F(InTheFolder, RobotsOfPackagesAreRead) {
  fs::create_directories(directory_.path("demo/urdf"));
  directory_.write("demo/t.obj", k_mesh);
  const std::string folder = directory_.path("demo/urdf");
  directory_.write("demo/urdf/robot.urdf", urdf_with("package://demo/t.obj"));
  directory_.write("demo/urdf/other.urdf", urdf_with("model://other/t.obj"));
  directory_.write("demo/urdf/m.sdf",
                   "<sdf version=\"1.9\"><model name=\"m\"><link name=\"a\"><visual name=\"v\"><geometry><mesh><uri>"
                   "model://demo/t.obj</uri></mesh></geometry></visual></link></model></sdf>");
  directory_.write("demo/urdf/r.yaml", "cuttle: 1\ninclude: {urdf: robot.urdf}\n");
  for (const char* const name : {"robot.urdf", "./robot.urdf", "../urdf/robot.urdf", "m.sdf"}) {
    const Result result = run_in(folder, std::string("import ") + name);
    EXPECT_EQ(result.code, 0) << name << ": " << result.errors;
    EXPECT_THAT(result.output + result.errors, HasSubstr("nothing is left out, changed or assumed")) << name;
  }
  for (const char* const command :
       {"import robot.urdf -o out.yaml", "check robot.urdf", "info robot.urdf", "check r.yaml",
        "view r.yaml --no-open -o page.html", "view robot.urdf --no-open -o page.html"}) {
    const Result result = run_in(folder, command);
    EXPECT_EQ(result.errors.find("filesystem error"), std::string::npos) << command << ": " << result.errors;
  }
  const Result other = run_in(folder, "import other.urdf");
  EXPECT_EQ(other.code, 0) << other.errors;
  EXPECT_THAT(other.output + other.errors, HasSubstr("mesh that is not there (--package-root, for package://): not "
                                                     "drawn (model://other/t.obj)"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
