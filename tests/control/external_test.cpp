// Controllers that are programs: the example, and what is said of programs that do not do as they should.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "cuttle/control/controllers.h"
#include "cuttle/error.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/simulator.h"
#include "io/io_support.h"
#include "simulation/timed_run.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;

std::vector<Sample> run(const ScenarioFile& file) {
  const Model model(file.robot);
  MemoryRecorder recorder;
  Simulator(model, file.scenario).run({&recorder});
  return recorder.samples();
}

/// Whether a process that was killed is gone within ten seconds; one that nobody has waited for counts as gone.
bool ends(int id) {
  for (int k = 0; k < 1000; ++k, std::this_thread::sleep_for(std::chrono::milliseconds(10))) {
    std::ifstream status("/proc/" + std::to_string(id) + "/stat");
    std::string text;
    if (!std::getline(status, text) || text.find(") Z ") != text.npos) return true;
  }
  return false;
}

TEST(External, ExampleInPythonIsTheSameLawInCpp) {
  ScenarioFile file = load_scenario_file(test::k_source_dir + "/examples/external_controller/scenario.yaml");
  const std::vector<Sample> found = run(file);
  PidSettings motor;
  FeedForwardSettings cable;
  motor.inputs = {"motor"}, motor.reference = {0.5}, motor.kp = {8}, motor.kd = {1}, motor.rate = 200;
  motor.limits = {{-5}, {5}, {}};
  cable.inputs = {"cable"}, cable.feed_inputs = {Signal::ramp(0, 10, 0, 40)}, cable.rate = 200;
  file.scenario.controllers = {{"motor", make_pid(motor)}, {"cable", make_feed_forward(cable)}};
  const std::vector<Sample> expected = run(file);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_LT((found[i].q - expected[i].q).norm(), 1e-9) << found[i].time;
    EXPECT_LT((found[i].u - expected[i].u).norm(), 1e-9) << found[i].time;
  }
  EXPECT_NEAR(found.back().u[1], 4.0 * 0.995, 1.0e-9 + 0.02);
  EXPECT_GT(found.back().q[0], 0.3);
}

#ifdef CUTTLE_OCTAVE
TEST(External, ExampleInMatlabsLanguageIsTheOneInPython) {
  const std::string folder = test::k_source_dir + "/examples/external_controller/";
  const std::vector<Sample> expected = run(load_scenario_file(folder + "scenario.yaml"));
  const std::vector<Sample> found =
      run(load_scenario_file(folder + "octave_scenario.yaml", {"simulation.controllers[0].command=[\"" CUTTLE_OCTAVE
                                                               "\", --no-init-file, controller.m]"}));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_LT((found[i].q - expected[i].q).norm(), 1e-9) << found[i].time;
    EXPECT_LT((found[i].u - expected[i].u).norm(), 1e-9) << found[i].time;
    const Vector3 off = found[i].tips.back().position - expected[i].tips.back().position;
    EXPECT_LT(std::abs(off.x) + std::abs(off.y) + std::abs(off.z), 1e-9) << found[i].time;
  }
}
#endif

TEST(External, RunsWithEveryIntegrator) {
  ScenarioFile file = load_scenario_file(test::k_source_dir + "/examples/external_controller/scenario.yaml");
  file.scenario.duration = 0.1;
  const std::vector<Sample> expected = run(file);
  for (const char* integrator :
       {"bdf", "erk", "rk4", "tsit5", "newmark", "hht", "generalized_alpha", "midpoint", "energy_conserving"}) {
    file.scenario.integrator = {};
    file.scenario.integrator.type = integrator;
    const bool chooses_steps = std::string(integrator) == "bdf" || std::string(integrator) == "erk";
    const bool is_explicit = std::string(integrator) == "rk4" || std::string(integrator) == "tsit5";
    if (!chooses_steps) file.scenario.integrator.step = is_explicit ? 2e-5 : 1e-3;  // of the stretch of the finger
    const std::vector<Sample> found = run(file);
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_LT((found.back().q - expected.back().q).lpNorm<Eigen::Infinity>(), 2e-3) << integrator;
  }
}

const std::string k_robot = R"(cuttle: 1
name: arm
links: [{name: upper, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 0.4, com: [0, 0, 0.1], inertia: [2.0e-3, 2.0e-3, 3.0e-4, 0, 0, 0]}}]
actuators: [{name: motor, type: joint, link: upper}]
)";

/// The error of a run with a program. @param rest  keys after the program.
std::string error_of(const std::string& command, const std::string& rest = ", timeout: 5, rate: 100") {
  try {
    run(
        read_scenario_text("cuttle: 1\nrobot: arm.yaml\nsimulation:\n  duration: 0.05\n  controllers:\n    - {name: "
                           "ext, type: external, command: " +
                               command + rest + "}\n",
                           "s.yaml", k_robot));
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(External, NamesWhatAProgramDoesWrong) {
  EXPECT_EQ(error_of("[sh, -c, 'while read line; do echo \"{\\\"u\\\": [0.5]}\"; done']"), "none");
  EXPECT_EQ(error_of("[no-such-program]"),
            "controller 'ext': command: found 'no-such-program', which does not start (No such file or directory), "
            "expected a program");
  EXPECT_EQ(error_of("[sh, -c, 'sleep 60']", ", timeout: 0.05, rate: 100"),
            "controller 'ext': at t = 0 s: found no answer of the program within 0.05 s, expected a line");
  EXPECT_EQ(error_of("[sh, -c, 'read line; echo \"{\\\"u\\\": [0.5]}\"; exit 3']"),
            "controller 'ext': at t = 0.01 s: found the program at its end (exit code 3), expected an answer to each "
            "line");
  EXPECT_EQ(error_of("[sh, -c, 'kill -9 $$']"),
            "controller 'ext': at t = 0 s: found the program at its end (signal 9), expected an answer to each line");
  for (const char* answer : {"hello", "{\\\"u\\\": 1}", "{\\\"u\\\": []}", "{\\\"u\\\": [1, 2]}", "{\\\"u\\\": [true]}",
                             "{\\\"u\\\": [1e999]}", "[1]", ""}) {
    EXPECT_THAT(error_of(std::string("[sh, -c, 'read line; echo \"") + answer + "\"; read line']"),
                HasSubstr("', expected {\"u\": [1 finite number]}"))
        << answer;
  }
  EXPECT_THAT(error_of("[]"), HasSubstr("command: found none, expected a program and its arguments"));
  EXPECT_THAT(error_of("[sh]", ""), HasSubstr("rate: found none, expected samples a second [Hz]"));
  EXPECT_THAT(error_of("[sh]", ", rate: 100, timeout: 0"), HasSubstr("timeout"));
}

// A program that never answers is not waited for once somebody wants the run to end; a time-out beyond what clocks
// count is one.
TEST(External, ProgramsThatDoNotAnswerEndWithTheRun) {
  TemporaryDirectory directory;
  const std::string ids = directory.path("ids"), child = directory.path("child");
  const ScenarioFile file = read_scenario_text(
      "cuttle: 1\nrobot: arm.yaml\nsimulation:\n  duration: 0.05\n  controllers:\n    - {name: ext, type: external, "
      "command: [sh, -c, 'trap \"\" TERM HUP; sleep 60 & echo $! > " +
          child + "; echo $$ > " + ids + "; read line; sleep 60'], rate: 100, timeout: 1e10}\n",
      "s.yaml", k_robot);
  std::atomic<bool> stop = false;
  std::thread user([&] {
    while (!std::filesystem::exists(ids) || std::filesystem::file_size(ids) == 0) std::this_thread::yield();
    stop = true;
  });
  RunOptions options;
  options.stop = &stop;
  const Model model(file.robot);
  const Outcome outcome = Simulator(model, file.scenario).run({}, options);
  user.join();
  EXPECT_EQ(outcome.status, RunStatus::interrupted) << outcome.message;
  for (const std::string& name : {ids, child}) {
    int id = 0;
    ASSERT_TRUE(std::ifstream(name) >> id);
    EXPECT_TRUE(ends(id)) << name;
  }
}

// Nor is it blamed for that end, by runs that come to given times.
TEST(External, ProgramsAreNotBlamedForAnEndThatTheUserWants) {
  const ScenarioFile file = read_scenario_text(
      "cuttle: 1\nrobot: arm.yaml\nsimulation:\n  duration: 0.05\n  controllers:\n    - {name: ext, type: external, "
      "command: [sh, -c, 'read line; sleep 60'], rate: 100}\n",
      "s.yaml", k_robot);
  const std::atomic<bool> stop = true;
  try {
    run_to_times(
        Model(file.robot), file.scenario, {0.05}, [](const TimedState&) {}, &stop);
    FAIL() << "no error";
  } catch (const SimulationError& error) {
    EXPECT_STREQ(error.what(), "stopped by the user at t = 0 s");
  }
}

// A run that ends, for whatever reason, leaves no program behind, nor what that has started; and none starts before a
// run.
TEST(External, ProgramsLiveAsLongAsTheRun) {
  TemporaryDirectory directory;
  const std::string ids = directory.path("ids"), child = directory.path("child");
  for (const bool deaf : {false, true}) {  // one that does not care for the end of its input
    const std::string script = "sleep 60 & echo $! > " + child + "; echo $$ >> " + ids +
                               "; while read line; do echo \"{\\\"u\\\": [0]}\"; done" +
                               (deaf ? "; trap \"\" TERM HUP; sleep 30" : "");
    const ScenarioFile file = read_scenario_text(
        "cuttle: 1\nrobot: arm.yaml\nsimulation:\n  duration: 0.05\n  controllers:\n    - {name: ext, type: external, "
        "command: [sh, -c, '" +
            script + "'], rate: 100}\n",
        "s.yaml", k_robot);
    EXPECT_FALSE(std::ifstream(ids).is_open());
    run(file);
    int id = 0;
    ASSERT_TRUE(std::ifstream(ids) >> id);
    EXPECT_NE(kill(id, 0), 0) << id;
    ASSERT_TRUE(std::ifstream(child) >> id);
    EXPECT_TRUE(ends(id)) << id;
    std::filesystem::remove(ids);
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
