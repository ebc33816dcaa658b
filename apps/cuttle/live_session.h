#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/live_simulation.h"
#include "cuttle/view/scene.h"
#include "json_output.h"
#include "live_server.h"

namespace cuttle {

/// What `cuttle live` runs.
struct LiveSetup {
  ScenarioFile file;          ///< robot and scenario; of a robot alone the scenario is what it is by default
  std::string title;          ///< names saved files too: TITLE_live.yaml
  std::string output_folder;  ///< where they go
};

/// Brings clock, simulation and browsers together: the messages of viewer/src/contract.ts. `run` is the thread of the
/// simulation; what the server's thread reports waits in a list.
class LiveSession {
 public:
  explicit LiveSession(LiveSetup setup);

  /// To be given to the server; may be called from its thread at once.
  LiveServer::Events events();
  /// Simulates in real time until `stop`. A recording that runs is closed then.
  void run(LiveServer& server, const std::atomic<bool>& stop);

 private:
  using Clock = std::chrono::steady_clock;
  struct Incoming {
    enum class Kind { opened, closed, message } kind;
    int client;
    std::string text;
  };

  void enqueue(Incoming incoming);
  void wait_until(Clock::time_point time);
  void handle_all();
  void handle(const Incoming& incoming);
  void open(int client);
  void obey(int client, const Json& message);
  /// A number of a message, cut to a range; who sent it is told that it was cut.
  double within(int client, const Json& message, const char* key, double min, double max);
  void take_control(int client);
  /// Before a file is written. @throws ArgumentError if there are as many as a session may write.
  void count_file(const char* what);
  void save(int client);
  void record(int client, bool on);
  void end_recording(const std::string& why);
  void tick();
  void step_once();
  void look_for_trouble();
  void learn_speed(double simulated, double wall);

  std::string hello(bool controls) const;
  std::string state_text();
  std::string frame_bytes();
  std::string free_name(const char* extension) const;
  Overrides robot_changes() const;
  std::vector<std::string> left_out() const;
  std::vector<std::string> comments() const;
  std::string robot_seen_from(const std::string& folder) const;
  void notice(int client, const char* level, const std::string& text);
  void broadcast(const std::string& text);

  LiveSetup setup_;
  LiveSimulation simulation_;
  Scene scene_;
  Json scene_json_;
  std::vector<InputRange> ranges_;
  std::vector<double> numbers_;
  LiveServer* server_ = nullptr;

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Incoming> incoming_;  // shared with the server's thread

  std::vector<int> clients_;
  std::optional<int> controller_;
  bool paused_ = false, changed_ = true, shown_ = false;
  bool failure_told_ = false;
  std::string recording_file_;
  int files_ = 0;  // written
  Clock::time_point last_tick_, last_state_;
  struct Pace {
    double simulated, wall;
  };
  std::deque<Pace> paces_;
  double pace_simulated_ = 0.0, pace_wall_ = 0.0;
};

}  // namespace cuttle
