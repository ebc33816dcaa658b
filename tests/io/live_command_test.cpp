// `cuttle live` as browsers meet it: who is let in, what messages say, what they do, and what is left at the end.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/wait.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "cuttle/io/result_reader.h"
#include "cuttle/io/scenario_file.h"
#include "io/command_line.h"
#include "io/hdf5_support.h"
#include "io/web_client.h"

namespace cuttle {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Json = nlohmann::json;

const char* const k_robot = R"(cuttle: 1
name: swing
materials: {rubber: {density: 1100, young_modulus: 5.0e5, poisson_ratio: 0.5, damping_time: 0.05}}
links:
  - name: arm
    joint: {type: revolute, axis: [0, 1, 0], damping: 0.05}
    body: {type: rigid, mass: 1, com: [0, 0, -0.3], inertia: [0.01, 0.01, 0.01, 0, 0, 0], tip: {position: [0, 0, -0.5]}}
  - name: soft
    attach: {pose: {rpy: [3.141592653589793, 0, 0]}}
    body: {type: rod, length: 0.3, section: {shape: circle, radius: 0.02}, material: rubber, strain: pcc}
actuators:
  - {name: motor, type: joint, link: arm}
)";
const char* const k_scenario = R"(cuttle: 1
robot: swing.yaml
simulation:
  duration: 1.0
  output_step: 0.01
  initial: {arm: {q: [0.3]}}
)";

class LiveCommand : public CommandLine {
 protected:
  void SetUp() override {
    directory_.write("swing.yaml", k_robot);
    scenario_ = directory_.write("swing_scenario.yaml", k_scenario);
  }
  void TearDown() override {
    if (process_ > 0) end(SIGKILL);
  }

  /// Starts the tool; its port is known when this returns.
  void start(std::vector<std::string> more = {}) {
    std::vector<std::string> words{CUTTLE_TOOL, "live", scenario_,      "--no-open",
                                   "--port",    "0",    "--output-dir", directory_.path("saved")};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::filesystem::remove(directory_.path("output"));  // of an earlier one
    port_ = 0;
    process_ = fork();
    if (process_ == 0) {
      dup2(open(directory_.path("output").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
      execv(argv[0], argv.data());
      _exit(99);
    }
    const std::string beginning = "http://127.0.0.1:";
    for (int k = 0; k < 1000 && port_ == 0; ++k) {
      const std::string output = read("output");
      if (output.find('\n') != std::string::npos && output.rfind(beginning, 0) == 0) {
        port_ = std::stoi(output.substr(beginning.size()));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ASSERT_GT(port_, 0) << read("output");
  }
  /// Exit code.
  int end(int signal) {
    kill(process_, signal);
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(directory_.path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  WebClient browser() {
    WebClient client(port_);
    EXPECT_EQ(client.upgrade(client.own_host(), "http://" + client.own_host()), 101);
    return client;
  }
  /// The next message of JSON that is what one waits for; null: none came in ten seconds.
  static Json wait_for(WebClient& client, const std::function<bool(const Json&)>& wanted) {
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::seconds(10)) {
      const auto message = client.next(10.0);
      if (!message.whole) return {};
      if (message.binary) continue;
      const Json json = Json::parse(message.data);
      if (wanted(json)) return json;
    }
    return {};
  }
  static Json wait_for(WebClient& client, const std::string& type) {
    return wait_for(client, [&](const Json& json) { return json["type"] == type; });
  }
  static void say(WebClient& client, const Json& message) { client.send_text(message.dump()); }

  struct Frame {
    double time = -1.0;
    std::vector<float> numbers;
  };
  /// The first frame that is what one waits for; without numbers: none came.
  static Frame wait_for_frame(WebClient& client, const std::function<bool(const Frame&)>& wanted) {
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::seconds(20)) {
      const auto message = client.next(10.0);
      if (!message.whole) return {};
      if (!message.binary) continue;
      Frame frame;
      std::memcpy(&frame.time, message.data.data(), 8);
      frame.numbers.resize((message.data.size() - 8) / 4);
      std::memcpy(frame.numbers.data(), message.data.data() + 8, message.data.size() - 8);
      if (wanted(frame)) return frame;
    }
    return {};
  }

  static std::set<std::string> keys_of(const Json& json) {
    std::set<std::string> keys;
    for (const auto& [key, value] : json.items()) keys.insert(key);
    return keys;
  }
  /// Rows of a result, and its status.
  std::pair<long, std::string> recording(const std::string& path) const {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) return {-1, ""};
    const hid_t times = H5Dopen2(file, "time", H5P_DEFAULT), space = H5Dget_space(times);
    const long rows = static_cast<long>(H5Sget_simple_extent_npoints(space));
    const std::string status = attribute_texts(file, "status").at(0);
    H5Sclose(space), H5Dclose(times), H5Fclose(file);
    return {rows, status};
  }

  std::string scenario_;
  pid_t process_ = 0;
  int port_ = 0;
};

TEST_F(LiveCommand, LetsInOnlyItsOwnPage) {
  start();
  const std::string own = WebClient(port_).own_host();
  const std::string page = WebClient(port_).get("/", own);
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(page, HasSubstr(R"("kind":"live")"));
  EXPECT_THAT(page, HasSubstr("X-Frame-Options: DENY"));
  EXPECT_THAT(WebClient(port_).get("/", "localhost:" + std::to_string(port_)), StartsWith("HTTP/1.1 200"));
  for (const std::string& host : {std::string("evil.example"), "127.0.0.1:" + std::to_string(port_ + 1),
                                  "evil.example:" + std::to_string(port_)}) {
    EXPECT_THAT(WebClient(port_).get("/", host), StartsWith("HTTP/1.1 403")) << host;
    EXPECT_EQ(WebClient(port_).upgrade(host, "http://" + own), 403) << host;
  }
  for (const std::string& origin :
       {std::string("http://evil.example"), "https://" + own, std::string("null"), "http://" + own + ".evil.example"}) {
    EXPECT_EQ(WebClient(port_).upgrade(own, origin), 403) << origin;
  }
  EXPECT_EQ(WebClient(port_).upgrade(own, "http://localhost:" + std::to_string(port_)), 101);
  EXPECT_THAT(WebClient(port_).get("/etc/passwd", own), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(WebClient(port_).get("/live", own), StartsWith("HTTP/1.1 426"));
  EXPECT_EQ(end(SIGINT), 0);
}

TEST_F(LiveCommand, SaysHelloAsTheContractHasIt) {
  start();
  WebClient client = browser();
  const Json hello = wait_for(client, "hello");
  EXPECT_EQ(keys_of(hello), (std::set<std::string>{"type", "title", "scene", "inputs", "joints", "setPoints", "role",
                                                   "scenarioFile", "recordFile"}));
  EXPECT_EQ(hello["title"], "swing");
  EXPECT_EQ(hello["role"], "control");
  EXPECT_EQ(hello["scenarioFile"], "swing_live.yaml");
  EXPECT_EQ(hello["recordFile"], "swing_live.h5");
  ASSERT_EQ(hello["inputs"].size(), 1u);
  EXPECT_EQ(keys_of(hello["inputs"][0]), (std::set<std::string>{"name", "kind", "unit", "min", "max", "value"}));
  EXPECT_EQ(hello["inputs"][0]["kind"], "joint");
  EXPECT_LT(hello["inputs"][0]["min"], 0.0);
  ASSERT_EQ(hello["joints"].size(), 1u);
  EXPECT_EQ(keys_of(hello["joints"][0]), (std::set<std::string>{"name", "unit", "min", "max", "index"}));
  EXPECT_EQ(hello["joints"][0]["unit"], "rad");
  const Json state = wait_for(client, "state");
  EXPECT_EQ(keys_of(state), (std::set<std::string>{"type", "time", "paused", "gravity", "recording", "speed", "tooSlow",
                                                   "recorded", "kinetic", "gravityEnergy", "elastic", "viewers",
                                                   "inputs", "targets", "setPoints"}));
  EXPECT_EQ(state["viewers"], 1);
  const Frame frame = wait_for_frame(client, [](const Frame&) { return true; });
  EXPECT_EQ(frame.numbers.size(), hello["scene"]["size"].get<std::size_t>() + 1 + 6);
  EXPECT_TRUE(std::isnan(frame.numbers.back())) << "nobody pushes";
}

TEST_F(LiveCommand, SlidersAndHandsMoveTheRobot) {
  start();
  WebClient client = browser();
  const Json hello = wait_for(client, "hello");
  const std::size_t size = hello["scene"]["size"].get<std::size_t>();
  say(client, {{"type", "joint"}, {"name", hello["joints"][0]["name"]}, {"target", 1.0}});
  EXPECT_EQ(wait_for(client, [](const Json& json) { return json["type"] == "state" && json["targets"][0] == 1.0; })
                .value("type", ""),
            "state");
  const Frame moved = wait_for_frame(client, [&](const Frame& frame) { return frame.numbers[size] > 0.85f; });
  EXPECT_FALSE(moved.numbers.empty()) << "the joint does not get to its target";
  const int at = hello["scene"]["frames"][hello["scene"]["links"][1]["tip"].get<std::size_t>()]["at"].get<int>();
  say(client, {{"type", "joint"}, {"name", hello["joints"][0]["name"]}, {"target", nullptr}});
  const auto point = [&](const Frame& frame) {
    return Json{frame.numbers[static_cast<std::size_t>(at)], frame.numbers[static_cast<std::size_t>(at) + 1],
                frame.numbers[static_cast<std::size_t>(at) + 2]};
  };
  say(client, {{"type", "push"}, {"link", 1}, {"point", point(moved)}, {"hand", {0.6, 0.3, -0.4}}});
  const Frame pushed = wait_for_frame(client, [&](const Frame& frame) { return !std::isnan(frame.numbers.back()); });
  ASSERT_EQ(pushed.numbers.size(), size + 7);
  const Frame there = wait_for_frame(
      client, [&](const Frame& frame) { return frame.numbers[static_cast<std::size_t>(at) + 1] > 0.05f; });
  EXPECT_FALSE(there.numbers.empty()) << "the tip does not follow the hand to the side";
  say(client, {{"type", "pushEnd"}});
  EXPECT_FALSE(wait_for_frame(client, [](const Frame& f) { return std::isnan(f.numbers.back()); }).numbers.empty());
  say(client, {{"type", "input"}, {"name", "motor"}, {"value", 0.5}});
  EXPECT_FALSE(
      wait_for(client, [](const Json& json) { return json["type"] == "state" && json["inputs"][0] == 0.5; }).is_null());
}

TEST_F(LiveCommand, SetPointsMoveWhatControllersFollow) {
  scenario_ = directory_.write("swing_scenario.yaml", std::string(k_scenario) +
                                                          "  controllers: [{name: hold, type: pid, inputs: [motor], "
                                                          "reference: [0.2], kp: 40, kd: 4}]\n");
  start();
  WebClient client = browser();
  const Json hello = wait_for(client, "hello");
  ASSERT_EQ(hello["setPoints"].size(), 1u);
  const Json& own = hello["setPoints"][0];
  EXPECT_EQ(keys_of(own), (std::set<std::string>{"name", "unit", "min", "max", "value"}));
  EXPECT_EQ(own["name"], "hold: motor");
  EXPECT_EQ(own["unit"], "rad");
  EXPECT_EQ(own["value"], 0.2);
  const std::size_t size = hello["scene"]["size"].get<std::size_t>();
  say(client, {{"type", "setPoint"}, {"name", "hold: motor"}, {"value", -0.5}});
  EXPECT_FALSE(wait_for(client, [](const Json& json) {
                 return json["type"] == "state" && json["setPoints"][0] == -0.5;
               }).is_null());
  EXPECT_FALSE(wait_for_frame(client, [&](const Frame& frame) { return frame.numbers[size] < -0.3f; }).numbers.empty());
  say(client, {{"type", "setPoint"}, {"name", "hold: motr"}, {"value", 0.0}});
  EXPECT_THAT(wait_for(client, "notice")["text"].get<std::string>(),
              HasSubstr(R"(setPoint: name: found "hold: motr", expected one of: hold: motor)"));
  say(client, {{"type", "save"}});
  EXPECT_FALSE(wait_for(client, "saved").is_null());
  EXPECT_THAT(read("saved/swing_scenario_live.yaml") + read("saved/swing_live.yaml"),
              HasSubstr("Controllers of the scenario are left out"));
}

TEST_F(LiveCommand, PausesStepsAndResets) {
  start();
  WebClient client = browser();
  wait_for(client, "hello");
  say(client, {{"type", "step"}});
  EXPECT_THAT(wait_for(client, "notice")["text"].get<std::string>(), HasSubstr("paused"));
  say(client, {{"type", "pause"}, {"on", true}});
  const auto paused = [](const Json& json) { return json["type"] == "state" && json["paused"] == true; };
  const double time = wait_for(client, paused)["time"].get<double>();
  EXPECT_EQ(wait_for(client, "state")["time"], time);
  say(client, {{"type", "step"}});
  EXPECT_FALSE(wait_for(client, [&](const Json& json) {
                 return json["type"] == "state" && std::abs(json["time"].get<double>() - time - 0.01) < 1e-9;
               }).is_null());
  say(client, {{"type", "gravity"}, {"on", false}});
  const Json weightless =
      wait_for(client, [](const Json& json) { return json["type"] == "state" && json["gravity"] == false; });
  EXPECT_EQ(weightless["gravityEnergy"], 0.0);
  say(client, {{"type", "reset"}});
  EXPECT_FALSE(
      wait_for(client, [](const Json& json) { return json["type"] == "state" && json["time"] == 0.0; }).is_null());
}

TEST_F(LiveCommand, TheSecondWatchesUntilItTakesControl) {
  start();
  auto first = std::make_unique<WebClient>(browser());
  EXPECT_EQ(wait_for(*first, "hello")["role"], "control");
  WebClient second = browser();
  EXPECT_EQ(wait_for(second, "hello")["role"], "watch");
  say(second, {{"type", "pause"}, {"on", true}});
  EXPECT_THAT(wait_for(second, "notice")["text"].get<std::string>(), HasSubstr("watches"));
  say(second, {{"type", "takeControl"}});
  EXPECT_EQ(wait_for(second, "role")["role"], "control");
  EXPECT_EQ(wait_for(*first, "role")["role"], "watch");
  say(*first, {{"type", "reset"}});
  EXPECT_THAT(wait_for(*first, "notice")["text"].get<std::string>(), HasSubstr("watches"));
  say(*first, {{"type", "takeControl"}});
  EXPECT_EQ(wait_for(second, "role")["role"], "watch");
  first.reset();
  EXPECT_FALSE(
      wait_for(second, [](const Json& json) { return json["type"] == "state" && json["viewers"] == 1; }).is_null());
  say(second, {{"type", "takeControl"}});
  EXPECT_EQ(wait_for(second, "role")["role"], "control");
  say(second, {{"type", "pause"}, {"on", true}});
  EXPECT_FALSE(
      wait_for(second, [](const Json& json) { return json["type"] == "state" && json["paused"] == true; }).is_null());
}

TEST_F(LiveCommand, AnswersNonsenseWithANotice) {
  start();
  WebClient client = browser();
  wait_for(client, "hello");
  for (const auto& [text, part] :
       {std::pair<std::string, std::string>{"{", "found no object"},
        {"[1]", "found no object"},
        {R"({"type": "fly"})", "type: found 'fly'"},
        {R"({"type": "input", "name": "motr", "value": 1})", R"(input: name: found "motr", expected one of: motor)"},
        {R"({"type": "input", "name": "motor", "value": "x"})", R"(input: value: found "x", expected a number)"},
        {R"({"type": "joint", "name": "arm.joint.q0"})", "joint: target: found nothing, expected a number"},
        {R"({"type": "push", "link": 9, "point": [0, 0, 0], "hand": [0, 0, 0]})", "push: link: found 9"},
        {R"({"type": "push", "link": 0, "point": [0, 0], "hand": [0, 0, 0]})", "push: point: found [0,0]"},
        {R"({"type": "pushMove", "hand": [0, 0, 0]})", "found no push, expected one"},
        {R"({"type": "pause", "on": 1})", "pause: on: found 1, expected true or false"}}) {
    client.send_text(text);
    const Json notice = wait_for(client, "notice");
    EXPECT_EQ(notice["level"], "error");
    EXPECT_THAT(notice["text"].get<std::string>(), HasSubstr(part)) << text;
  }
  client.send_text(std::string(40000, ' '));  // longer than any message may be: the server hangs up
  EXPECT_TRUE(wait_for(client, "never").is_null());
  WebClient next = browser();
  EXPECT_EQ(wait_for(next, "hello")["role"], "control");
}

TEST_F(LiveCommand, ABrowserThatNeverReadsSlowsNobody) {
  start();
  WebClient deaf(port_, 2048);  // what the system would keep for it is small too
  ASSERT_EQ(deaf.upgrade(deaf.own_host(), "http://" + deaf.own_host()), 101);
  WebClient client = browser();
  const Json hello = wait_for(client, "hello");
  const double begin = wait_for(client, "state")["time"].get<double>();
  const auto start = std::chrono::steady_clock::now();
  const Frame later = wait_for_frame(client, [&](const Frame& frame) { return frame.time > begin + 3.0; });
  EXPECT_FALSE(later.numbers.empty());
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 12.0);
}

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
  EXPECT_THAT(read("saved/swing_live.yaml"), HasSubstr("arm.joint.q0 was held: scenarios have no perturbations"));
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

TEST_F(LiveCommand, RefusesWhatItCannotRun) {
  const Result folder = run("live " + scenario_ + " --output-dir " + directory_.path("swing.yaml/below"));
  EXPECT_EQ(folder.code, 2);
  EXPECT_THAT(folder.errors, StartsWith("--output-dir: "));
  EXPECT_EQ(run("live no.yaml").code, 2);
  EXPECT_EQ(run("live").code, 2);
  const Result port = run("live " + scenario_ + " --port 70000");
  EXPECT_EQ(port.code, 2);
  EXPECT_THAT(port.errors, HasSubstr("--port"));
}

}  // namespace
}  // namespace cuttle
