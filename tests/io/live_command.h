#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "io/command_line.h"
#include "io/hdf5_support.h"
#include "io/web_client.h"
#include "support/paths.h"

/// `cuttle live` as browsers meet it.
namespace cuttle {

using Json = nlohmann::json;

inline const char* const k_live_robot = R"(cuttle: 1
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
inline const char* const k_live_scenario = R"(cuttle: 1
robot: swing.yaml
simulation:
  duration: 1.0
  output_step: 0.01
  initial: {arm: {q: [0.3]}}
)";

/// A swing with a soft arm, run by the tool in a process of its own.
class LiveCommand : public CommandLine {
 protected:
  void SetUp() override {
    directory_.write("swing.yaml", k_live_robot);
    scenario_ = directory_.write("swing_scenario.yaml", k_live_scenario);
  }
  void TearDown() override {
    if (process_ > 0) end(SIGKILL);
  }

  /// Starts the tool; its port is known when this returns.
  void start(std::vector<std::string> more = {}) {
    std::vector<std::string> words{test::k_tool, "live", scenario_,      "--no-open",
                                   "--port",     "0",    "--output-dir", directory_.path("saved")};
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
  /// What one waits for comes at once, but with sanitizers on a busy machine [s].
  static constexpr double k_longest_wait = 60.0;
  /// The next message of JSON that is what one waits for; null: none came.
  static Json wait_for(WebClient& client, const std::function<bool(const Json&)>& wanted) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(k_longest_wait);
    while (std::chrono::steady_clock::now() < end) {
      const auto message = client.next(k_longest_wait);
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
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(k_longest_wait);
    while (std::chrono::steady_clock::now() < end) {
      const auto message = client.next(k_longest_wait);
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

}  // namespace cuttle
