// `cuttle live` as browsers meet it: who is let in, what messages say and what they do.
#include "io/live_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST_F(LiveCommand, LetsInOnlyItsOwnPage) {
  start();
  const std::string own = WebClient(port_).own_host();
  const std::string page = WebClient(port_).get("/", own);
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(page, HasSubstr(R"("kind":"live")"));
  EXPECT_THAT(page, HasSubstr("X-Frame-Options: DENY"));
  EXPECT_THAT(WebClient(port_).get("/", "localhost:" + std::to_string(port_)), StartsWith("HTTP/1.1 200"));
  // as through `ssh -L 9000:..`: the page has another port, and so has its stream
  EXPECT_THAT(WebClient(port_).get("/", "localhost:9000"), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(WebClient(port_).upgrade("localhost:9000", "http://localhost:9000"), 101);
  EXPECT_EQ(WebClient(port_).upgrade(own, "http://localhost:9000"), 403);  // a page of somebody else on this machine
  for (const std::string& host : {std::string("evil.example"), std::string("localhost.evil.example:9000"),
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
  scenario_ = directory_.write("swing_scenario.yaml", std::string(k_live_scenario) +
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
}  // namespace cuttle::CUTTLE_FILE
