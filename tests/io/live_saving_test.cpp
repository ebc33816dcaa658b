// What is left of `cuttle live`: saved scenarios and recordings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>

#include "cuttle/io/result_reader.h"
#include "cuttle/io/scenario_file.h"
#include "io/live_command.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST_F(LiveCommand, SavesAScenarioThatGoesOnThere) {
  start();
  WebClient client = browser();
  wait_for(client, "hello");
  say(client, {{"type", "input"}, {"name", "motor"}, {"value", 0.25}});
  say(client, {{"type", "pause"}, {"on", true}});
  const Json state =
      wait_for(client, [](const Json& json) { return json["type"] == "state" && json["paused"] == true; });
  for (const char* name : {"swing_live.yaml", "swing_live-2.yaml"}) {
    say(client, {{"type", "save"}});
    const Json saved = wait_for(client, "saved");
    EXPECT_EQ(saved["what"], "scenario");
    EXPECT_EQ(saved["file"], name);
    const std::string path = directory_.path(std::string("saved/") + name);
    EXPECT_EQ(run("check " + path).code, 0);
    const ScenarioFile file = load_scenario_file(path);
    EXPECT_EQ(file.scenario.inputs.at("motor").at(0.0), 0.25);
    EXPECT_EQ(file.scenario.initial.at("arm").q.size(), 1u);
    EXPECT_EQ(file.scenario.initial.at("soft").v.size(), 3u);
    EXPECT_EQ(run("simulate " + path + " -o " + directory_.path("on.h5") + " --duration 0.05").code, 0);
  }
}

// What only knocks at the port again and again fills no disk.
TEST_F(LiveCommand, SavesAHundredFilesAndSaysThatThisIsAll) {
  start();
  WebClient client = browser();
  wait_for(client, "hello");
  say(client, {{"type", "pause"}, {"on", true}});
  for (int k = 0; k < 99; ++k) {
    say(client, {{"type", "save"}});
    ASSERT_EQ(wait_for(client, "saved")["what"], "scenario") << k;
  }
  say(client, {{"type", "record"}, {"on", true}});
  say(client, {{"type", "record"}, {"on", false}});
  EXPECT_EQ(wait_for(client, "saved")["file"], "swing_live.h5");
  for (const Json& message : {Json{{"type", "save"}}, Json{{"type", "record"}, {"on", true}}}) {
    say(client, message);
    const Json refused = wait_for(client, "notice");
    EXPECT_EQ(refused["level"], "error");
    EXPECT_THAT(refused["text"].get<std::string>(),
                StartsWith(message["type"].get<std::string>() + ": found 100 files that were saved and recorded"));
  }
  long files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path("saved"))) files += entry.exists();
  EXPECT_EQ(files, 100);
}

TEST_F(LiveCommand, ASavedScenarioHoldsAllThatWasChanged) {
  start({"--set", "robot.links.arm.body.mass=1.5", "--set", "simulation.output_step=0.02"});
  WebClient client = browser();
  wait_for(client, "hello");
  say(client, {{"type", "gravity"}, {"on", false}});
  say(client, {{"type", "input"}, {"name", "motor"}, {"value", -0.125}});
  say(client, {{"type", "joint"}, {"name", "arm.joint.q0"}, {"target", 0.5}});
  say(client, {{"type", "pause"}, {"on", true}});
  const Json state = wait_for(client, [](const Json& json) {
    return json["type"] == "state" && json["paused"] == true && json["targets"][0] == 0.5;
  });
  say(client, {{"type", "save"}});
  const Json saved = wait_for(client, "saved");
  EXPECT_THAT(saved["note"].get<std::string>(), HasSubstr("arm.joint.q0"));
  const std::string path = directory_.path("saved/swing_live.yaml");
  EXPECT_EQ(run("check " + path).code, 0);
  const ScenarioFile file = load_scenario_file(path);
  EXPECT_EQ(file.robot.gravity.z, 0.0);
  EXPECT_EQ(Model(file.robot).links()[0].rest_inertia.mass, 1.5);
  EXPECT_EQ(file.scenario.output_step, 0.02);
  EXPECT_EQ(file.scenario.inputs.at("motor").at(0.0), -0.125);
  EXPECT_THAT(read("saved/swing_live.yaml"), HasSubstr("arm.joint.q0 was held: scenarios have no pushes"));
  // and live goes on from there, with all of it
  EXPECT_EQ(end(SIGINT), 0);
  scenario_ = path;
  start();
  WebClient next = browser();
  wait_for(next, "hello");
  const Json again = wait_for(next, "state");
  EXPECT_EQ(again["gravityEnergy"], 0.0);
  EXPECT_EQ(again["inputs"][0], -0.125);
}

// Driven joints, bases and frames of loops: what is saved goes on with them, and results know their efforts.
TEST_F(LiveCommand, DrivenMotionIsSavedAndRecorded) {
  directory_.write("held.yaml", R"(cuttle: 1
links:
  - name: ball
    joint: {type: free}
    body: {type: rigid, mass: 1, com: [0, 0, -0.1], inertia: [0.01, 0.02, 0.03, 0, 0, 0]}
loops:
  - {name: grip, type: spherical, a: {link: base}, b: {link: ball, at: base}, drive: {position: [{type: sine, amplitude: 0.1, frequency: 0.5}, 0, 0]}}
)");
  const std::string start_of = "cuttle: 1\nsimulation:\n  duration: 1\n  output_step: 0.01\n";
  struct Case {
    std::string name, text, effort;
  };
  for (const auto& [name, text, effort] :
       {Case{"joint", start_of + "  motion: {arm: [{type: sine, amplitude: 0.3, frequency: 0.5}]}\nrobot: swing.yaml\n",
             "arm"},
        Case{"base",
             start_of + "  motion: {base: {position: [{type: sine, amplitude: 0.1, frequency: 0.5}, 0, 1]}}\nrobot: "
                        "swing.yaml\n",
             "base"},
        Case{"loop", start_of + "robot: held.yaml\n", "grip_drive_x"}}) {
    SCOPED_TRACE(name);
    scenario_ = directory_.write(name + ".yaml", text);
    start();
    WebClient client = browser();
    wait_for(client, "hello");
    say(client, {{"type", "record"}, {"on", true}});
    EXPECT_FALSE(
        wait_for(client, [](const Json& json) { return json["type"] == "state" && json["recorded"] > 10; }).is_null());
    say(client, {{"type", "record"}, {"on", false}});
    EXPECT_EQ(wait_for(client, "saved")["file"], name + "_live.h5");
    say(client, {{"type", "save"}});
    EXPECT_EQ(wait_for(client, "saved")["file"], name + "_live.yaml");
    EXPECT_EQ(end(SIGINT), 0);
    const ResultFile result = read_result_file(directory_.path("saved/" + name + "_live.h5"));
    ASSERT_FALSE(result.motion.empty());
    EXPECT_EQ(result.motion[0].name, effort);
    EXPECT_GT(result.samples.back().motion.norm(), 0.0);
    const Result saved =
        run("simulate " + directory_.path("saved/" + name + "_live.yaml") + " -o " + directory_.path(name + "_on.h5"));
    EXPECT_EQ(saved.code, 0) << saved.errors;
    const ResultFile on = read_result_file(directory_.path(name + "_on.h5"));
    // x = a sin(w t): v is not as at time 0, and they fit
    const int q = name == "loop" ? 7 : 0;
    const int v = name == "loop" ? 6 : name == "base" ? 3 : 0;
    const double amplitude = name == "joint" ? 0.3 : 0.1, w = 3.141592653589793;
    const Sample& first = on.samples.front();
    EXPECT_GT(std::abs(first.q[q]), 0.01 * amplitude);
    EXPECT_NEAR(std::hypot(first.q[q], first.v[v] / w), amplitude, 1e-9);
  }
}

TEST_F(LiveCommand, RecordsUntilItIsToldOrEnds) {
  start();
  WebClient client = browser();
  wait_for(client, "hello");
  say(client, {{"type", "record"}, {"on", true}});
  EXPECT_FALSE(wait_for(client, [](const Json& json) {
                 return json["type"] == "state" && json["recording"] == true && json["recorded"] > 20;
               }).is_null());
  say(client, {{"type", "record"}, {"on", false}});
  const Json saved = wait_for(client, "saved");
  EXPECT_EQ(saved["what"], "recording");
  EXPECT_EQ(saved["file"], "swing_live.h5");
  const auto [rows, status] = recording(directory_.path("saved/swing_live.h5"));
  EXPECT_GT(rows, 20);
  EXPECT_EQ(status, "complete");

  say(client, {{"type", "record"}, {"on", true}});
  wait_for(client, [](const Json& json) {
    return json["type"] == "state" && json["recording"] == true && json["recorded"] > 10;
  });
  EXPECT_EQ(end(SIGINT), 0);
  const auto [more, interrupted] = recording(directory_.path("saved/swing_live-2.h5"));
  EXPECT_GT(more, 10);
  EXPECT_EQ(interrupted, "interrupted");
  EXPECT_THAT(read("output"), HasSubstr("swing_live-2.h5 ("));
}

TEST_F(LiveCommand, RecordingsNeedNoOtherFileAndKnowWhatWasChanged) {
  const std::string mesh = directory_.write("plate.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  scenario_ = directory_.write("plate.yaml", R"(cuttle: 1
links:
  - name: plate
    joint: {type: revolute, axis: [0, 1, 0]}
    body: {type: rigid, mass: 1, com: [0.2, 0, 0], visual: {shape: mesh, file: plate.obj}}
)");
  start({"--set", "robot.base.pose.position=[0, 0, 2.5]"});
  WebClient client = browser();
  wait_for(client, "hello");
  say(client, {{"type", "gravity"}, {"on", false}});
  say(client, {{"type", "record"}, {"on", true}});
  wait_for(client, [](const Json& json) { return json["type"] == "state" && json["recorded"] > 2; });
  say(client, {{"type", "record"}, {"on", false}});
  EXPECT_EQ(wait_for(client, "saved")["file"], "plate_live.h5");
  std::filesystem::remove(mesh);
  const ResultFile result = read_result_file(directory_.path("saved/plate_live.h5"));
  EXPECT_GT(result.samples.size(), 2u);
  EXPECT_EQ(result.robot.gravity.z, 0.0);
  EXPECT_EQ(result.robot.base_pose.position.z, 2.5);
  EXPECT_EQ(result.visuals.size(), 1u);
}
}  // namespace
}  // namespace cuttle::CUTTLE_FILE
