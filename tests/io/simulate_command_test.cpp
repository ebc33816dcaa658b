// `cuttle simulate` as a user runs it: files, summary, exit codes, and what is left when the process is interrupted, is
// killed, or the disk is full.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "cuttle/io/result_reader.h"
#include "io/hdf5_support.h"
#include "io/io_support.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const char* const k_robot = R"(cuttle: 1
name: swing
links:
  - name: arm
    joint: {type: revolute, axis: [0, 1, 0]}
    body: {type: rigid, mass: 1, com: [0, 0, -1], inertia: [0.01, 0.01, 0.01, 0, 0, 0], tip: {position: [0, 0, -1]}}
actuators: [{name: motor, type: joint, link: arm}]
)";
std::string scenario_text(const std::string& more) {
  return "cuttle: 1\nrobot: swing.yaml\nsimulation:\n  initial: {arm: {q: [1.0]}}\n  " + more + "\n";
}

struct Ended {
  int status = 0;
  std::string output, errors;
  int code() const { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }
};

class SimulateCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_.write("swing.yaml", k_robot);
    scenario_ = directory_.write("swing_scenario.yaml", scenario_text("duration: 0.5\n  output_step: 0.1"));
  }
  /// A run that takes hours unless it is ended.
  std::string endless() const {
    return directory_.write("endless.yaml", scenario_text("duration: 1.0e6\n  output_step: 0.001\n"
                                                          "  integrator: {type: rk4, step: 0.001}"));
  }

  /// @param log  what the files for its output are called; by default stdout and stderr.
  pid_t start(std::vector<std::string> arguments, const std::string& log = "std") const {
    arguments.insert(arguments.begin(), {test::k_tool, "simulate"});
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const pid_t process = fork();
    if (process != 0) return process;
    const auto redirect = [this](int descriptor, const std::string& name) {
      dup2(open(directory_.path(name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), descriptor);
    };
    redirect(STDOUT_FILENO, log + "out");
    redirect(STDERR_FILENO, log + "err");
    if (chdir(directory_.path("").c_str()) == 0) execv(argv[0], argv.data());
    _exit(99);
  }
  Ended wait(pid_t process, const std::string& log = "std") const {
    Ended ended;
    waitpid(process, &ended.status, 0);
    ended.output = read(log + "out");
    ended.errors = read(log + "err");
    return ended;
  }
  Ended run(const std::vector<std::string>& arguments) const { return wait(start(arguments)); }
  std::string read(const std::string& name) const {
    std::ifstream file(directory_.path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(directory_.path(name)); }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path(""))) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }
  static long rows_of(const std::string& path) { return static_cast<long>(read_result_file(path).samples.size()); }
  /// Once rows of the endless run are surely in the file.
  static void wait_for_rows() { std::this_thread::sleep_for(std::chrono::milliseconds(1500)); }

  /// Rows of the result, all of the endless run's: time = row * 0.001 and a unit quaternion. -1: not readable.
  long good_rows(const std::string& path, std::string* status) const {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) return -1;
    const auto column = [file](const char* name, hsize_t width) {
      const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
      std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
      if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) values.clear();
      H5Sclose(space), H5Dclose(set);
      EXPECT_EQ(values.size() % width, 0u);
      return values;
    };
    const std::vector<double> time = column("time", 1), q = column("q", 1), tip = column("frames/arm.tip", 7);
    EXPECT_GE(q.size(), time.size());
    EXPECT_GE(tip.size(), 7 * time.size());
    for (std::size_t i = 0; i < time.size(); ++i) {
      EXPECT_DOUBLE_EQ(time[i], 0.001 * static_cast<double>(i));
      const double* p = &tip[7 * i];
      EXPECT_NEAR(p[3] * p[3] + p[4] * p[4] + p[5] * p[5] + p[6] * p[6], 1.0, 1e-12) << "row " << i;
      EXPECT_NEAR(p[0], -std::sin(q[i]), 1e-12);
    }
    *status = attribute_texts(file, "status").at(0);
    H5Fclose(file);
    return static_cast<long>(time.size());
  }

  TemporaryDirectory directory_;
  std::string scenario_;
};

TEST_F(SimulateCommandTest, WritesWhatIsAskedAndSumsUp) {
  const Ended ended = run({scenario_, "-o", "out/x.h5", "--csv", "--svg"});
  EXPECT_EQ(ended.code(), 0);
  EXPECT_EQ(ended.errors, "");  // no progress bar where there is no terminal
  EXPECT_THAT(ended.output, StartsWith("swing: 0.5 s simulated in "));
  for (const char* part : {"x real time) with erk, the default without elastic bodies\n", "final tip of arm: [",
                           "energy balance error: ", " steps, ", " evaluations, ", "out/x.h5, out/x.csv, out/x.svg"}) {
    EXPECT_THAT(ended.output, HasSubstr(part));
  }
  // of a fall from rest both are the same but for the error
  EXPECT_THAT(ended.output,
              AnyOf(HasSubstr(" of the peak kinetic energy ("), HasSubstr(" of the change of the gravity energy (")));
  EXPECT_TRUE(exists("out/x.h5"));
  EXPECT_THAT(read("out/x.csv"), StartsWith("time,arm.joint.q0,arm.joint.v0,motor,motor.y,arm.tip.x,"));
  EXPECT_THAT(read("out/x.svg"), StartsWith("<svg "));
}

// What moves by rounding alone has no kinetic energy worth comparing with.
TEST_F(SimulateCommandTest, RoundingOfEnergiesIsNoError) {
  const Ended rest =
      run({scenario_, "--set", "simulation.initial.arm.q=[0]", "--set", "robot.gravity=[1e-9, 0, -9.81]"});
  EXPECT_EQ(rest.code(), 0) << rest.errors;
  EXPECT_THAT(rest.output, HasSubstr(" J, rounding of the energies (up to 9.81 J)\n"));
  EXPECT_THAT(rest.output, Not(HasSubstr("peak kinetic")));
}

TEST_F(SimulateCommandTest, NamesFilesAfterTheScenarioAndTakesOverrides) {
  const Ended ended = run({scenario_, "--duration", "0.25", "--svg=drawing.svg", "--set", "simulation.output_step=0.05",
                           "--set", "robot.gravity=[0, 0, -1.62]"});
  EXPECT_EQ(ended.code(), 0) << ended.errors;
  EXPECT_TRUE(exists("swing_scenario.h5"));
  EXPECT_TRUE(exists("drawing.svg"));
  EXPECT_FALSE(exists("swing_scenario.csv"));
  EXPECT_THAT(ended.output, StartsWith("swing: 0.25 s simulated"));
}

TEST_F(SimulateCommandTest, WrongInputEndsWithCode2AndWritesNothing) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"none.yaml"}, "none.yaml"},
      {{scenario_, "--duration", "-1"}, "--duration: found '-1', expected a number > 0 [s]\n"},
      {{scenario_, "--duration", "soon"}, "--duration: found 'soon', expected a number > 0 [s]\n"},
      {{scenario_, "--set", "simulation.integrator.type=euler"}, "simulation.integrator"},
      {{scenario_, "--set", "simulation.inputs={moter: 1}"}, "did you mean 'motor'?"},
      {{scenario_, "-o", "x.csv"}, "--output: found 'x.csv'"},
      {{scenario_, "--svg", "x.png"}, "--svg: found 'x.png'"},
      {{scenario_, "-o", "swing.yaml/x.h5"}, "swing.yaml/x.h5"},
      {{scenario_, "--svg=swing.yaml/x.svg"}, "swing.yaml/x.svg"},
      {{scenario_, "-o", "new/folder/x.h5", "--svg=swing.yaml/x.svg"}, "swing.yaml/x.svg"},
      {{"--csv"}, "scenario is required"},
      {{scenario_, "--no-such-option"}, "--no-such-option"}};
  for (const auto& [arguments, text] : cases) {
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.code(), 2) << text;
    EXPECT_EQ(ended.output, "") << text;
    EXPECT_THAT(ended.errors, HasSubstr(text));
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path(""))) {
      const std::string extension = entry.path().extension();
      EXPECT_TRUE(extension == ".yaml" || extension.empty()) << entry.path();
    }
    EXPECT_FALSE(exists("new")) << text;
  }
}

TEST_F(SimulateCommandTest, AFailedStartLeavesEarlierFilesAlone) {
  const std::string of_cuttle = "\x89HDF\r\n\x1a\n cuttle_version";
  directory_.write("x.h5", of_cuttle + "earlier result");
  std::filesystem::create_directory(directory_.path("x.csv"));
  const Ended directory = run({scenario_, "-o", "x.h5", "--csv"});
  EXPECT_EQ(directory.code(), 2);
  EXPECT_EQ(directory.errors, "x.csv: cannot create the file: a directory has this name\n");
  EXPECT_EQ(read("x.h5"), of_cuttle + "earlier result");
  EXPECT_TRUE(exists("x.csv"));

  directory_.write("lock.h5", of_cuttle + "in use");
  const int held = open(directory_.path("lock.h5").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(held, LOCK_SH), 0);
  const Ended locked = run({scenario_, "-o", "lock.h5"});
  close(held);
  EXPECT_EQ(locked.code(), 2);
  EXPECT_EQ(locked.errors, "lock.h5: cannot create the file: another program has it open and locked\n");
  EXPECT_EQ(read("lock.h5"), of_cuttle + "in use");

  EXPECT_EQ(run({scenario_, "-o", "lock.h5"}).code(), 0);  // free again
  EXPECT_NE(read("lock.h5"), of_cuttle + "in use");
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path(""))) {
    EXPECT_NE(entry.path().extension(), ".new") << entry.path();
  }
}

TEST_F(SimulateCommandTest, ResultsGoThroughSymbolicLinks) {
  std::filesystem::create_directory(directory_.path("data"));
  std::filesystem::create_symlink("data/real.h5", directory_.path("x.h5"));
  EXPECT_EQ(run({scenario_, "-o", "x.h5"}).code(), 0);
  EXPECT_TRUE(std::filesystem::is_symlink(directory_.path("x.h5")));
  EXPECT_TRUE(exists("data/real.h5"));
}

// What is lost late is only the drawing: the results are there, and the summary says so.
TEST_F(SimulateCommandTest, ADrawingThatCannotBeWrittenEndsWithCode1AfterTheSummary) {
  const pid_t process = start({endless(), "-o", "x.h5", "--svg=drawings/x.svg"});
  wait_for_rows();
  directory_.write("drawings", "a file in the way");
  kill(process, SIGINT);
  const Ended interrupted = wait(process);
  EXPECT_EQ(interrupted.code(), 130);
  EXPECT_THAT(interrupted.output, HasSubstr("written: x.h5\n"));
  EXPECT_THAT(interrupted.errors, HasSubstr("drawings/x.svg: cannot"));

  std::filesystem::create_symlink("/dev/full", directory_.path("full.svg"));
  const Ended complete = run({scenario_, "-o", "x.h5", "--svg=full.svg"});
  EXPECT_EQ(complete.code(), 1);
  EXPECT_THAT(complete.output, HasSubstr("written: x.h5\n"));
  EXPECT_THAT(complete.errors, StartsWith("full.svg: cannot be written: "));
}

TEST_F(SimulateCommandTest, ABareSvgOptionBeforeTheScenarioDoesNotTakeIt) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--svg", scenario_}, {"--svg", scenario_, "-o", "swing_scenario.h5"}}) {
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.code(), 0) << ended.errors;
    EXPECT_TRUE(exists("swing_scenario.svg"));
    std::filesystem::remove(directory_.path("swing_scenario.svg"));
  }
}

TEST_F(SimulateCommandTest, TheShortestDurationHasTwoOutputs) {
  const Ended ended = run({scenario_, "--duration", "1e-12", "-o", "x.h5", "--csv"});
  EXPECT_EQ(ended.code(), 0) << ended.errors;
  const std::string csv = read("x.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  EXPECT_THAT(csv, HasSubstr("\n9.9999999999999998e-13,"));
}

TEST_F(SimulateCommandTest, FailureEndsWithCode1AndKeepsWhatWasGood) {
  directory_.write("loose.yaml", std::string(k_robot) + "gravity: [0, 0, -9.81]\n");
  const Ended ended = run({scenario_, "-o", "x.h5", "--csv", "--set", "robot.links.arm.body.mass=0", "--set",
                           "robot.links.arm.body.inertia=[0, 0, 0, 0, 0, 0]"});
  EXPECT_EQ(ended.code(), 1);
  EXPECT_THAT(ended.errors, HasSubstr("simulation failed: t = 0 s: "));
  EXPECT_THAT(ended.errors, HasSubstr("arm"));
  EXPECT_THAT(ended.errors, HasSubstr("kept in x.h5, x.csv"));
  std::string status;
  EXPECT_EQ(good_rows(directory_.path("x.h5"), &status), 1);
  EXPECT_EQ(status, "failed");
}

TEST_F(SimulateCommandTest, FailureInTheInitialStateKeepsEarlierFiles) {
  ASSERT_EQ(run({scenario_, "-o", "x.h5", "--csv", "--svg"}).code(), 0);
  const std::string hdf5 = read("x.h5"), csv = read("x.csv"), svg = read("x.svg");
  const Ended ended = run({scenario_, "-o", "x.h5", "--csv", "--svg", "--set", "robot.links.arm.body.mass=0", "--set",
                           "robot.links.arm.body.inertia=[0, 0, 0, 0, 0, 0]"});
  EXPECT_EQ(ended.code(), 1);
  EXPECT_THAT(ended.errors, HasSubstr("simulation failed: t = 0 s: "));
  EXPECT_THAT(ended.errors,
              HasSubstr("not written, as nothing was computed beyond the initial state (earlier files stay as "
                        "they were): x.h5, x.csv, x.svg\n"));
  EXPECT_THAT(ended.errors, Not(HasSubstr("kept in")));
  EXPECT_EQ(read("x.h5"), hdf5);
  EXPECT_EQ(read("x.csv"), csv);
  EXPECT_EQ(read("x.svg"), svg);
  EXPECT_THAT(names(), Not(testing::Contains(HasSubstr(".new"))));
}

// Of two runs at once one has the file for itself: whole, and with nothing left beside it.
TEST_F(SimulateCommandTest, RunsAtOnceDoNotShareAFile) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    const pid_t first = start({scenario_, "-o", "x.h5", "--csv"}, "first"),
                second = start({scenario_, "-o", "x.h5", "--csv", "--duration", "5"}, "second");
    const Ended ends[] = {wait(first, "first"), wait(second, "second")};
    ASSERT_TRUE(ends[0].code() == 0 || ends[1].code() == 0) << ends[0].errors << ends[1].errors;
    for (const Ended& ended : ends) {
      if (ended.code() == 0) continue;
      EXPECT_EQ(ended.code(), 2);
      EXPECT_THAT(ended.errors, testing::AnyOf(HasSubstr("another run is writing it now, and has "),
                                               HasSubstr("another program has it open and locked")));
    }
    const long rows = rows_of(directory_.path("x.h5"));
    EXPECT_TRUE((ends[0].code() == 0 && rows == 6) || (ends[1].code() == 0 && rows == 51)) << rows;
    EXPECT_THAT(names(), Not(testing::Contains(HasSubstr(".new"))));
  }
  const pid_t first = start({endless(), "-o", "x.h5"}, "first");
  wait_for_rows();
  const Ended second = run({scenario_, "-o", "x.h5"});
  kill(first, SIGINT);
  const Ended ended = wait(first, "first");
  EXPECT_EQ(second.code(), 2);
  EXPECT_EQ(second.errors, "x.h5: cannot create the file: another program has it open and locked\n");
  EXPECT_THAT(ended.output, HasSubstr("written: x.h5\n"));
  std::string status;
  EXPECT_GT(good_rows(directory_.path("x.h5"), &status), 1000);
}

// What a killed run leaves beside the target is one file, which the next run takes over.
TEST_F(SimulateCommandTest, AnotherRunTakesOverWhatAKilledOneLeft) {
  directory_.write("x.h5.new", "\x89HDF\r\n\x1a\n cuttle_version" + std::string(1 << 20, 'x'));
  EXPECT_EQ(run({scenario_, "-o", "x.h5"}).code(), 0);
  EXPECT_EQ(rows_of(directory_.path("x.h5")), 6);
  EXPECT_FALSE(exists("x.h5.new"));
}

TEST_F(SimulateCommandTest, InterruptKeepsEverySampleSoFar) {
  const pid_t process = start({endless(), "-o", "x.h5", "--csv"});
  wait_for_rows();
  kill(process, SIGINT);
  const Ended ended = wait(process);
  EXPECT_EQ(ended.code(), 130);
  EXPECT_THAT(ended.errors, StartsWith("interrupted: stopped by the user at t = "));
  EXPECT_THAT(ended.output, HasSubstr("energy balance error"));
  std::string status;
  const long rows = good_rows(directory_.path("x.h5"), &status);
  EXPECT_GT(rows, 1000);
  EXPECT_EQ(status, "interrupted");
  const std::string csv = read("x.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), rows + 1);
}

TEST_F(SimulateCommandTest, KillLeavesAReadableFile) {
  for (const int extra : {0, 70, 140, 210}) {
    const pid_t process = start({endless(), "-o", "x.h5"});
    wait_for_rows();
    std::this_thread::sleep_for(std::chrono::milliseconds(extra));
    kill(process, SIGKILL);
    EXPECT_TRUE(WIFSIGNALED(wait(process).status));
    std::string status;
    EXPECT_GT(good_rows(directory_.path("x.h5"), &status), 1000);
    EXPECT_EQ(status, "interrupted");
  }
}

TEST_F(SimulateCommandTest, FullDiskLeavesAReadableFileAndAClearMessage) {
  const std::string disk = directory_.path("disk");
  std::filesystem::create_directory(disk);
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=1m") != 0) {
    GTEST_SKIP() << "NOT TESTED: a small file system cannot be mounted here (needs root)";
  }
  const Ended hdf5 = run({endless(), "-o", "disk/x.h5"});
  std::string status;
  const long rows = good_rows(disk + "/x.h5", &status);
  std::filesystem::remove(disk + "/x.h5");
  const Ended csv = run({endless(), "-o", "disk/x.h5", "--csv"});
  const std::string text = read("disk/x.csv");
  // an earlier result stays where no row of another one finds room
  std::filesystem::remove(disk + "/x.csv"), std::filesystem::remove(disk + "/x.h5");
  const Ended earlier = run({scenario_, "-o", "disk/x.h5"});
  const std::string bytes = read("disk/x.h5");
  directory_.write("disk/filler", std::string(1 << 20, 'x'));
  const Ended without_room = run({scenario_, "-o", "disk/x.h5"});
  const std::string bytes_after = read("disk/x.h5");
  const bool left = exists("disk/x.h5.new");
  umount(disk.c_str());
  EXPECT_EQ(hdf5.code(), 1);
  EXPECT_THAT(hdf5.errors, HasSubstr("disk/x.h5: cannot be written: No space left on device"));
  EXPECT_THAT(hdf5.errors, HasSubstr("the motion before the failure is kept in disk/x.h5\n"));
  EXPECT_GT(rows, 1000);
  EXPECT_EQ(status, "failed");
  EXPECT_EQ(csv.code(), 1);
  EXPECT_THAT(csv.errors, HasSubstr("disk"));
  ASSERT_FALSE(text.empty());
  EXPECT_EQ(text.back(), '\n');
  EXPECT_EQ(earlier.code(), 0);
  EXPECT_NE(without_room.code(), 0);
  EXPECT_THAT(without_room.errors, HasSubstr("disk/x.h5: cannot be written: No space left on device"));
  EXPECT_TRUE(bytes_after == bytes);
  EXPECT_FALSE(left);
}

// A limit that is met before any row: whatever was there stays, and the message says so.
TEST_F(SimulateCommandTest, AFileSizeLimitKeepsAnEarlierResult) {
  ASSERT_EQ(run({scenario_, "-o", "x.h5"}).code(), 0);
  const std::string earlier = read("x.h5");
  rlimit unlimited{};
  getrlimit(RLIMIT_FSIZE, &unlimited);
  rlimit small = unlimited;
  small.rlim_cur = 20000;  // some of the structure fits in
  std::signal(SIGXFSZ, SIG_IGN), setrlimit(RLIMIT_FSIZE, &small);
  const pid_t process = start({scenario_, "-o", "x.h5"});
  setrlimit(RLIMIT_FSIZE, &unlimited), std::signal(SIGXFSZ, SIG_DFL);
  const Ended ended = wait(process);
  EXPECT_NE(ended.code(), 0);
  EXPECT_THAT(ended.errors, HasSubstr("x.h5: cannot be written: "));
  EXPECT_TRUE(read("x.h5") == earlier);
  EXPECT_FALSE(exists("x.h5.new"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
