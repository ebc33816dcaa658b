// No output replaces a file that the command reads, nor one that no Cuttle wrote unless it is told to.
#include "cuttle/io/replaced_files.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <vector>

#include "cuttle/io/result_reader.h"
#include "cuttle/io/whole_file.h"
#include "io/command_line.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const char* const k_robot = R"(cuttle: 1
name: bar
links:
- {name: bar, joint: {type: revolute, axis: [0, 1, 0], stiffness: 20, damping: 0.1}, body: {type: rigid, mass: 2, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01, 0, 0, 0], tip: {position: [0, 0, -1]}}}
actuators: [{name: motor, type: joint, link: bar}]
)";
const char* const k_scenario = R"(cuttle: 1
robot: bar.yaml
simulation:
  {duration: 0.02, output_step: 0.01, initial: {bar: {q: [0.3]}}, inputs: {motor: {type: table, file: torque.csv, column: torque}}}
)";
const std::string k_table = "time,torque\n0,0\n1,2\n";

class ReplacedFiles : public CommandLine {
 protected:
  void SetUp() override {
    robot_ = directory_.write("bar.yaml", k_robot);
    scenario_ = directory_.write("bar_scenario.yaml", k_scenario);
    table_ = directory_.write("torque.csv", k_table);
  }
  std::string read(const std::string& path) const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string in(const std::string& name) const { return directory_.path(name); }

  std::string robot_, scenario_, table_;
};

TEST_F(ReplacedFiles, AnInputIsKeptWhateverItIsCalled) {
  fs::create_directory(in("sub"));
  fs::create_symlink("torque.csv", in("soft.csv"));
  fs::create_hard_link(table_, in("hard.csv"));
  fs::create_directory_symlink(".", in("around"));
  for (const std::string output : {"torque.h5", "sub/../torque.h5", "around/torque.h5", "soft.h5", "hard.h5"}) {
    for (const std::string force : {"", " --force"}) {
      SCOPED_TRACE(output + force);
      const Result refused = run("simulate " + scenario_ + " --csv -o " + in(output) + force);
      EXPECT_EQ(refused.code, 2);
      EXPECT_EQ(refused.output, "");
      EXPECT_THAT(refused.errors, HasSubstr(".csv: found a file that is read here as a CSV table"));
      EXPECT_THAT(refused.errors, HasSubstr("give the output another name"));
      EXPECT_EQ(read(table_), k_table);
      EXPECT_FALSE(fs::exists(in(output)));
      EXPECT_FALSE(fs::exists(in("torque.csv.new")));
    }
  }
  EXPECT_EQ(run("simulate " + scenario_ + " --csv -o " + in("run.h5")).code, 0);
}

// the name under which a file is written until it is whole
TEST_F(ReplacedFiles, AnInputWithTheNameOfAnUnfinishedFileIsKept) {
  directory_.write("run.h5.new", k_table);
  const Result read_one =
      run("simulate " + scenario_ + " -o " + in("run.h5") + " --set simulation.inputs.motor.file=run.h5.new");
  EXPECT_EQ(read_one.code, 2);
  EXPECT_THAT(read_one.errors, HasSubstr("run.h5.new: found a file that is read here as a CSV table"));
  const Result foreign = run("simulate " + scenario_ + " -o " + in("run.h5"));
  EXPECT_EQ(foreign.code, 2);
  EXPECT_THAT(foreign.errors, HasSubstr("run.h5.new: found a file of this name that no Cuttle wrote"));
  EXPECT_EQ(read(in("run.h5.new")), k_table);
}

TEST_F(ReplacedFiles, RobotsAndTablesAreKeptByAllCommands) {
  directory_.write("rows.csv", "motor\n0\n1\n");
  directory_.write("way.csv", "time,bar.tip.x,bar.tip.y,bar.tip.z\n0,0,0,-1\n1,0.1,0,-0.99498743710662\n2,0,0,-1\n");
  directory_.write("measured.csv", "motor,bar.tip.x\n0,0\n1,0.0336\n2,0.0671\n");
  for (const std::string& arguments :
       {"export " + robot_ + " --yaml " + robot_,
        "statics " + robot_ + " --table " + in("rows.csv") + " -o " + in("rows.csv"),
        "statics " + robot_ + " --follow " + in("way.csv") + " -o " + in("way.csv"),
        "identify " + robot_ + " " + in("measured.csv") + " --map motor=motor --free links.bar.joint.stiffness -o " +
            robot_,
        "sensitivities " + scenario_ + " --of bar.joint.q0 --by gravity[2] -o " + table_}) {
    SCOPED_TRACE(arguments);
    const Result refused = run(arguments + " --force");
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.errors, HasSubstr(": found a file that is read here as "));
  }
  EXPECT_EQ(read(robot_), k_robot);
  EXPECT_EQ(read(table_), k_table);
  EXPECT_EQ(read(in("rows.csv")), "motor\n0\n1\n");
  EXPECT_THAT(read(in("way.csv")), HasSubstr("1,0.1,0,-0.99"));
}

// .. and what a command wrote it may write again
TEST_F(ReplacedFiles, FilesOfOthersAreKeptUnlessForced) {
  ASSERT_EQ(run("simulate " + scenario_ + " -o " + in("r.h5")).code, 0);
  directory_.write("measured.csv", "motor,bar.tip.x\n0,0\n1,0.0336\n2,0.0671\n3,0.1\n");
  directory_.write("rows.csv", "motor\n0\n1\n");
  directory_.write("way.csv", "time,bar.tip.x,bar.tip.y,bar.tip.z\n0,0,0,-1\n1,0.1,0,-0.99498743710662\n2,0,0,-1\n");
  const std::string identify =
      "identify " + robot_ + " " + in("measured.csv") + " --map motor=motor --free links.bar.joint.stiffness ";
  const std::string path = "statics " + robot_ + " --path motor --to 1 -o ";
  const std::vector<std::pair<std::string, std::string>> commands{
      {"simulate " + scenario_ + " -o ", "a.h5"},
      {"simulate " + scenario_ + " --csv -o " + in("b.h5") + " #", "b.csv"},
      {"simulate " + scenario_ + " -o " + in("c.h5") + " --svg ", "c.svg"},
      {path, "d.h5"},
      {path, "e.csv"},
      {"statics " + robot_ + " --table " + in("rows.csv") + " -o ", "f.csv"},
      {"statics " + robot_ + " --follow " + in("way.csv") + " -o ", "g.csv"},
      {"modes " + robot_ + " -o ", "h.csv"},
      {"workspace " + robot_ + " --range 'motor=[0,1]' --samples 4 -o ", "i.svg"},
      {"workspace " + robot_ + " --range 'motor=[0,1]' --samples 4 -o ", "j.csv"},
      {"sensitivities " + scenario_ + " --of bar.joint.q0 --by gravity[2] -o ", "k.csv"},
      {"plot " + in("r.h5") + " -o ", "l.svg"},
      {"view " + in("r.h5") + " --no-open -o ", "m.html"},
      {"compare " + in("r.h5") + " " + in("r.h5") + " -o ", "n.svg"},
      {"export " + in("r.h5") + " --gltf ", "o.glb"},
      {identify + "-o ", "p.yaml"},
      {identify + "--report ", "q.html"},
  };
  for (const auto& [command, name] : commands) {
    SCOPED_TRACE(command + name);
    const std::string mine = "time,torque\n# my notes\n";
    directory_.write(name, mine);
    const auto call = [&, command = command, name = name](const std::string& force) {
      const std::size_t comment = command.find(" #");
      return run(comment == command.npos ? command + in(name) + force : command.substr(0, comment) + force);
    };
    const Result refused = call("");
    EXPECT_EQ(refused.code, 2) << refused.output;
    EXPECT_THAT(refused.errors, HasSubstr(in(name) + ": found a file of this name that no Cuttle wrote"));
    EXPECT_THAT(refused.errors, HasSubstr("--force (in Python replace=True) replaces it"));
    EXPECT_EQ(read(in(name)), mine);
    const Result forced = call(" --force");
    EXPECT_EQ(forced.code, 0) << forced.errors;
    EXPECT_NE(read(in(name)), mine);
    const Result again = call("");
    EXPECT_EQ(again.code, 0) << again.errors;
  }
}

TEST_F(ReplacedFiles, AnEmptyFileMayBeReplacedAndARecordingMayNot) {
  directory_.write("a.h5", "");
  EXPECT_EQ(run("simulate " + scenario_ + " -o " + in("a.h5")).code, 0);
  const std::string recording = "time,bar.joint.q0\n0,0.3\n0.01,0.29\n";  // columns of a result, but not all of them
  directory_.write("b.csv", recording);
  EXPECT_EQ(run("simulate " + scenario_ + " --csv -o " + in("b.h5")).code, 2);
  EXPECT_EQ(read(in("b.csv")), recording);
}

// what a robot has decides which columns a table has: energies of elements stood between those that were looked for
TEST_F(ReplacedFiles, TablesOfEveryRobotMayBeReplacedByTheNextRun) {
  for (const char* const name : {"examples/spring_leg", "examples/servo_finger", "examples/gripped_rod",
                                 "examples/shaken_arm", "jensen2022/arm_valves", "boyer2023/drones"}) {
    const std::string again = "simulate " + test::k_source_dir + "/models/" + name +
                              "_scenario.yaml --duration 0.02 --csv -o " + in("run.h5");
    EXPECT_EQ(run(again).code, 0) << name;
    EXPECT_EQ(run(again).code, 0) << name << ": the second run is refused";
  }
}

TEST_F(ReplacedFiles, TheLibraryAsksTheSame) {
  const std::string path = directory_.write("mine.txt", "mine");
  EXPECT_THAT(message<FileError>([&] { write_whole_file(path, "new"); }), HasSubstr("that no Cuttle wrote"));
  {
    const ReplaceAnyFile any;
    write_whole_file(path, "newer");
    note_read(path, "notes");
    EXPECT_THAT(message<FileError>([&] { write_whole_file(path, "newest"); }),
                HasSubstr("found a file that is read here as notes"));
    EXPECT_EQ(read(path), "newer");
    // a file that took the place of the one that was read is in the same place
    directory_.write("other.txt", "other");
    fs::rename(in("other.txt"), path);
    EXPECT_THAT(message<FileError>([&] { write_whole_file(path, "newest"); }), HasSubstr("is read here as notes"));
    forget_read(path);
    write_whole_file(path, "newest");
  }
  EXPECT_EQ(read(path), "newest");
}

TEST_F(ReplacedFiles, TablesOfOthersWithNamesLikeCuttlesAreKept) {
  for (const char* const header : {"time,d left,d right", "time,x,d left", "time,x,d y/d gravity[2]", "time,x,d x/d ",
                                   "time,d x/d p", "time,residual,stable,note", "time,residual,stability"}) {
    EXPECT_FALSE(is_written_by_cuttle(directory_.write("a.csv", std::string(header) + "\n0,1,2\n"))) << header;
  }
  for (const char* const header :
       {"time,x,d x/d p", "time,x,d x/d p,d x/d gravity[2],y,d y/d p,d y/d gravity[2]", "time,q,u,residual,stable"}) {
    EXPECT_TRUE(is_written_by_cuttle(directory_.write("a.csv", std::string(header) + "\n0,1,2\n"))) << header;
  }
}

// an editor puts a new file in the place of the old one, whose number another file may get
TEST_F(ReplacedFiles, AFileThatIsReadAgainAndAgainIsTheOneThatIsThereNow) {
  const ReplaceAnyFile any;
  const std::string path = directory_.write("edited.txt", "0");
  note_read(path, "notes");
  fs::create_hard_link(path, in("first.txt"));
  for (int i = 1; i < 5; ++i) {
    directory_.write("next.txt", std::to_string(i));
    fs::rename(in("next.txt"), path);
    note_read(path, "notes");
  }
  fs::create_hard_link(path, in("last.txt"));
  EXPECT_NO_THROW(check_replaceable(in("first.txt")));
  EXPECT_THAT(message<FileError>([&] { check_replaceable(path); }), HasSubstr("is read here as notes"));
  EXPECT_THAT(message<FileError>([&] { check_replaceable(in("last.txt")); }), HasSubstr("is read here as notes"));
  forget_read(in("last.txt"));
  EXPECT_NO_THROW(check_replaceable(path));
}

// Beyond the limit of a file's size a write would end the process by a signal.
class SizeLimit : public ReplacedFiles {
 protected:
  /// @param blocks  of 512 bytes, as POSIX has them.
  Result run_within(int blocks, const std::string& arguments) {
    const std::string script = directory_.write(
        "limited.sh", "ulimit -f " + std::to_string(blocks) + "\nexec " + test::k_tool + " " + arguments + "\n");
    Result result;
    const int status =
        std::system(("sh " + script + " >" + in("out.txt") + " 2>" + in("err.txt")).c_str());  // NOLINT(cert-env33-c)
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    result.output = read(in("out.txt")), result.errors = read(in("err.txt"));
    return result;
  }
};

TEST_F(SizeLimit, NewLeavesTheOldFileWhole) {
  directory_.write("a.yaml", "mine");
  const Result refused = run_within(2, "new --force " + in("a.yaml"));
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.errors, HasSubstr("a.yaml: cannot be written: File too large"));
  EXPECT_EQ(read(in("a.yaml")), "mine");
  EXPECT_FALSE(fs::exists(in("a.yaml.new")));
  EXPECT_FALSE(fs::exists(in("a_scenario.yaml")));
}

TEST_F(SizeLimit, ARunKeepsWhatWasGood) {
  const std::string scenario = directory_.write("long.yaml", R"(cuttle: 1
robot: bar.yaml
simulation: {duration: 40, output_step: 0.001, initial: {bar: {q: [0.3]}}, integrator: {type: rk4, step: 1.0e-3}}
)");
  const Result csv = run_within(9000, "simulate " + scenario + " --csv -o " + in("long.h5"));
  EXPECT_EQ(csv.code, 1) << csv.errors;
  EXPECT_THAT(csv.errors, HasSubstr("cannot be written: File too large"));
  EXPECT_THAT(csv.errors, HasSubstr("the motion before the failure is kept in"));
  const ResultFile kept = read_result_file(in("long.h5"));
  EXPECT_GT(kept.samples.size(), 100u);
  EXPECT_NE(kept.status, RunStatus::complete);
  // HDF5 wants a file of the size that it will have, and has to be asked before
  const Result small = run_within(2000, "simulate " + scenario + " -o " + in("small.h5"));
  EXPECT_EQ(small.code, 1) << small.errors;
  EXPECT_THAT(small.errors, HasSubstr("small.h5: cannot be written: File too large"));
  const Result none = run_within(20, "simulate " + scenario + " -o " + in("none.h5"));
  EXPECT_EQ(none.code, 2) << none.errors;
  EXPECT_THAT(none.errors, HasSubstr("none.h5: cannot be written: File too large"));
  EXPECT_FALSE(fs::exists(in("none.h5")));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
