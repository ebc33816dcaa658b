#include "live_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "cuttle/error.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/whole_file.h"
#include "live_messages.h"

namespace cuttle {
namespace {

using namespace std::chrono_literals;
using Duration = std::chrono::duration<double>;

constexpr std::chrono::microseconds k_frame(16667);
constexpr auto k_state = 200ms;
constexpr double k_most_at_once = 0.05;  // simulated for one frame [s]: what is late stays late
constexpr double k_budget = 0.03;  // of the wall clock for one frame [s]: a robot that is just in time needs all of it
constexpr double k_step_budget = 2.0;  // for one step by hand [s]
constexpr double k_memory = 1.0;       // over which speed is told [s]
constexpr double k_slow = 0.95;        // of real time
constexpr std::size_t k_most_waiting = 256;
constexpr int k_most_files = 100;  // saved and recorded in a session: what only knocks at the port fills no disk

double seconds(Duration duration) { return duration.count(); }

std::string dump(const Json& json) {
  // names may be in any encoding; JSON has only UTF-8
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <typename Number>
void append(std::string& bytes, Number number) {
  static_assert(std::endian::native == std::endian::little);
  char raw[sizeof number];
  std::memcpy(raw, &number, sizeof number);
  bytes.append(raw, sizeof number);
}

}  // namespace

LiveSession::LiveSession(LiveSetup setup)
    : setup_(std::move(setup)),
      simulation_(setup_.file.robot, setup_.file.scenario),
      scene_(setup_.file.robot, setup_.file.visuals),
      scene_json_(Json::parse(scene_.json())),
      ranges_(input_ranges(simulation_.model(), setup_.file.scenario, simulation_.sample().q)),
      numbers_(static_cast<std::size_t>(scene_.size())) {
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const double value = simulation_.input(static_cast<int>(i));
    ranges_[i].min = std::min(ranges_[i].min, value), ranges_[i].max = std::max(ranges_[i].max, value);
  }
}

LiveServer::Events LiveSession::events() {
  return {.opened =
              [this](int client) {
                enqueue({Incoming::Kind::opened, client, {}});
              },
          .closed =
              [this](int client) {
                enqueue({Incoming::Kind::closed, client, {}});
              },
          .received =
              [this](int client, std::string text) {
                enqueue({Incoming::Kind::message, client, std::move(text)});
              },
          .page = {}};
}

void LiveSession::enqueue(Incoming incoming) {
  {
    const std::lock_guard lock(mutex_);
    const bool message = incoming.kind == Incoming::Kind::message;
    if (message && !incoming_.empty() && incoming_.back().kind == Incoming::Kind::message &&
        incoming_.back().client == incoming.client && replaces(incoming.text, incoming_.back().text)) {
      incoming_.back() = std::move(incoming);
      return;
    }
    if (message && incoming_.size() >= k_most_waiting) return;
    incoming_.push_back(std::move(incoming));
  }
  arrived_.notify_one();
}

void LiveSession::wait_until(Clock::time_point time) {
  std::unique_lock lock(mutex_);
  arrived_.wait_until(lock, time, [this] { return !incoming_.empty(); });
}

void LiveSession::run(LiveServer& server, const std::atomic<bool>& stop) {
  server_ = &server;
  simulation_.stop = &stop;
  Clock::time_point next = last_tick_ = last_state_ = Clock::now();
  while (!stop) {
    wait_until(next);
    handle_all();
    const Clock::time_point now = Clock::now();
    if (now >= next) {
      tick();
      next = std::max(next + k_frame, Clock::now());  // frames that are missed are not made up for
    }
    if (changed_ || now - last_state_ >= k_state) {
      last_state_ = now;
      changed_ = false;
      if (!clients_.empty()) server.send_state(state_text());
    }
  }
  end_recording(fmt::format("stopped by the user at t = {:.9g} s", simulation_.time()));
}

void LiveSession::tick() {
  const Clock::time_point now = Clock::now();
  const double wall = seconds(now - last_tick_);
  last_tick_ = now;
  const bool runs = !paused_ && simulation_.failure().empty();
  if (runs) {
    learn_speed(simulation_.advance(std::min(wall, k_most_at_once), k_budget), wall);
    look_for_trouble();
  } else {
    paces_.clear(), pace_simulated_ = pace_wall_ = 0.0;
  }
  if ((runs || !shown_) && !clients_.empty()) {
    server_->send_frame(frame_bytes());
    shown_ = true;
  }
}

void LiveSession::step_once() {
  if (!simulation_.failure().empty()) throw ArgumentError("step: the simulation failed; a reset starts it again");
  if (!paused_) throw ArgumentError("step: found a simulation that runs, expected one that is paused");
  simulation_.advance(setup_.file.scenario.output_step, k_step_budget);
  look_for_trouble();
}

void LiveSession::look_for_trouble() {
  if (const auto trouble = simulation_.take_recording_trouble()) {
    broadcast(dump({{"type", "notice"}, {"level", "error"}, {"text", "the recording ended: " + *trouble}}));
    recording_file_.clear();
    changed_ = true;
  }
  if (simulation_.failure().empty() || failure_told_) return;
  failure_told_ = changed_ = true;
  fmt::print(stderr, "simulation failed: {}\n", simulation_.failure());
  if (!recording_file_.empty()) {
    broadcast(dump({{"type", "saved"}, {"what", "recording"}, {"file", recording_file_}}));
    recording_file_.clear();
  }
}

void LiveSession::learn_speed(double simulated, double wall) {
  paces_.push_back({simulated, wall});
  pace_simulated_ += simulated, pace_wall_ += wall;
  while (paces_.size() > 1 && pace_wall_ - paces_.front().wall >= k_memory) {
    pace_simulated_ -= paces_.front().simulated, pace_wall_ -= paces_.front().wall;
    paces_.pop_front();
  }
}

// --- messages

void LiveSession::handle_all() {
  std::deque<Incoming> list;
  {
    const std::lock_guard lock(mutex_);
    list.swap(incoming_);
  }
  for (const Incoming& incoming : list) handle(incoming);
}

void LiveSession::handle(const Incoming& incoming) {
  const int client = incoming.client;
  if (incoming.kind == Incoming::Kind::opened) return open(client);
  if (incoming.kind == Incoming::Kind::closed) {
    clients_.erase(std::remove(clients_.begin(), clients_.end(), client), clients_.end());
    if (controller_ == client) {
      controller_.reset();
      simulation_.let_go();  // nobody is there to do it
    }
    changed_ = true;
    return;
  }
  const Json message = Json::parse(incoming.text, nullptr, false);
  if (!message.is_object() || !message.contains("type") || !message["type"].is_string()) {
    return notice(client, "error", "message: found no object of JSON with a type, expected one");
  }
  try {
    if (message["type"] == "takeControl") return take_control(client);
    if (controller_ != client) {
      return notice(client, "error", "another browser controls the simulation: this one watches");
    }
    obey(client, message);
  } catch (const std::exception& error) {
    notice(client, "error", error.what());
  }
  changed_ = true, shown_ = false;
}

void LiveSession::open(int client) {
  clients_.push_back(client);
  if (!controller_) controller_ = client;
  server_->send(client, hello(controller_ == client));
  changed_ = true, shown_ = false;
}

void LiveSession::take_control(int client) {
  if (controller_ == client) return;
  if (controller_) {
    simulation_.let_go();  // what its pointer pulled
    server_->send(*controller_, dump({{"type", "role"}, {"role", "watch"}}));
  }
  controller_ = client;
  server_->send(client, dump({{"type", "role"}, {"role", "control"}}));
}

double LiveSession::within(int client, const Json& message, const char* key, double min, double max) {
  const double asked = number_of(message, key), taken = std::clamp(asked, min, max);
  constexpr double k_rounding = 1e-9;  // of the range: what units leave of the end of a slider
  if (std::abs(asked - taken) > k_rounding * (max - min)) {
    const std::string name = message.contains("name") && message["name"].is_string()
                                 ? fmt::format("'{}'", message["name"].get<std::string>())
                                 : message["type"].get<std::string>();
    notice(client, "info",
           fmt::format("{}: {:.6g} is beyond [{:.6g}, {:.6g}]: cut to {:.6g}", name, asked, min, max, taken));
  }
  return taken;
}

void LiveSession::obey(int client, const Json& message) {
  const std::string type = message["type"].get<std::string>();
  if (type == "input") {
    const int index = index_of(message, names_of(simulation_.model().input_info()));
    const InputRange& range = ranges_[static_cast<std::size_t>(index)];
    simulation_.set_input(index, within(client, message, "value", range.min, range.max));
  } else if (type == "joint") {
    const int index = index_of(message, names_of(simulation_.joints()));
    const LiveJoint& joint = simulation_.joints()[static_cast<std::size_t>(index)];
    if (message.contains("target") && message["target"].is_null()) {
      simulation_.release_joint(index);
    } else {
      simulation_.hold_joint(index, within(client, message, "target", joint.min, joint.max));
    }
  } else if (type == "setPoint") {
    const int index = index_of(message, names_of(simulation_.set_points()));
    const LiveSetPoint& set_point = simulation_.set_points()[static_cast<std::size_t>(index)];
    simulation_.move_set_point(index, within(client, message, "value", set_point.min, set_point.max));
  } else if (type == "push") {
    const double link = number_of(message, "link");
    if (link != std::floor(link) || std::abs(link) > 1e6) refuse(message, "link", "the index of a link");
    simulation_.push(static_cast<int>(link), vector_of(message, "point"), vector_of(message, "hand"));
  } else if (type == "pushMove") {
    simulation_.move_push(vector_of(message, "hand"));
  } else if (type == "pushEnd") {
    simulation_.let_go();
  } else if (type == "pause") {
    paused_ = flag_of(message, "on");
  } else if (type == "step") {
    step_once();
  } else if (type == "reset") {
    const bool recorded = simulation_.recording();
    failure_told_ = false;
    try {
      if (recorded) end_recording({});
    } catch (...) {  // a file that cannot be written keeps nobody from a reset
      simulation_.reset();
      throw;
    }
    simulation_.reset();
  } else if (type == "gravity") {
    simulation_.set_gravity(flag_of(message, "on"));
  } else if (type == "save") {
    save(client);
  } else if (type == "record") {
    record(client, flag_of(message, "on"));
  } else {
    throw ArgumentError(fmt::format(
        "type: found '{}', expected one of: input, joint, setPoint, push, pushMove, pushEnd, pause, step, reset, "
        "gravity, save, record, takeControl",
        type.substr(0, 100)));
  }
}

void LiveSession::notice(int client, const char* level, const std::string& text) {
  server_->send(client, dump({{"type", "notice"}, {"level", level}, {"text", text}}));
}

void LiveSession::broadcast(const std::string& text) {
  for (const int client : clients_) server_->send(client, text);
}

std::string LiveSession::hello(bool controls) const {
  Json inputs = Json::array(), joints = Json::array(), set_points = Json::array();
  const Model& model = simulation_.model();
  int input = 0;
  for (const Actuator& actuator : model.robot().actuators) {
    for (std::size_t k = 0; k < actuator.inputs().size(); ++k, ++input) {
      const InputRange& range = ranges_[static_cast<std::size_t>(input)];
      const CoordinateInfo& info = model.input_info()[input];
      inputs.push_back({{"name", info.name},
                        {"kind", actuator.transmission->type_name()},
                        {"unit", info.unit},
                        {"min", range.min},
                        {"max", range.max},
                        {"value", simulation_.input(input)}});
    }
  }
  for (const LiveJoint& joint : simulation_.joints()) {
    joints.push_back(
        {{"name", joint.name}, {"unit", joint.unit}, {"min", joint.min}, {"max", joint.max}, {"index", joints.size()}});
  }
  for (std::size_t i = 0; i < simulation_.set_points().size(); ++i) {
    const LiveSetPoint& own = simulation_.set_points()[i];
    set_points.push_back({{"name", own.name},
                          {"unit", own.unit},
                          {"min", own.min},
                          {"max", own.max},
                          {"value", simulation_.set_point(static_cast<int>(i))}});
  }
  return dump({{"type", "hello"},
               {"title", setup_.title},
               {"scene", scene_json_},
               {"inputs", std::move(inputs)},
               {"joints", std::move(joints)},
               {"setPoints", std::move(set_points)},
               {"role", controls ? "control" : "watch"},
               {"scenarioFile", free_name(".yaml")},
               {"recordFile", free_name(".h5")}});
}

std::string LiveSession::state_text() {
  const Sample& sample = simulation_.sample();
  const double speed = pace_wall_ > 0.0 ? pace_simulated_ / pace_wall_ : 0.0;
  Json inputs = Json::array(), targets = Json::array(), set_points = Json::array();
  for (int i = 0; i < simulation_.model().nu(); ++i) inputs.push_back(simulation_.input(i));
  for (int i = 0; i < static_cast<int>(simulation_.joints().size()); ++i) {
    const auto target = simulation_.joint_target(i);
    targets.push_back(target ? Json(*target) : Json());
  }
  for (int i = 0; i < static_cast<int>(simulation_.set_points().size()); ++i) {
    set_points.push_back(simulation_.set_point(i));
  }
  const bool failed = !simulation_.failure().empty();
  Json json{{"type", "state"},
            {"time", sample.time},
            {"paused", paused_ || failed},
            {"gravity", simulation_.gravity()},
            {"recording", simulation_.recording()},
            {"speed", speed},
            {"tooSlow", pace_wall_ > 0.7 * k_memory && speed < k_slow},
            {"recorded", simulation_.recorded_rows()},
            {"kinetic", sample.kinetic},
            {"gravityEnergy", sample.gravity + 0.0},  // not -0
            {"elastic", sample.elastic + sample.elements},
            {"viewers", clients_.size()},
            {"inputs", std::move(inputs)},
            {"targets", std::move(targets)},
            {"setPoints", std::move(set_points)}};
  if (failed) json["failure"] = simulation_.failure();
  return dump(json);
}

std::string LiveSession::frame_bytes() {
  const auto push = simulation_.pushing();
  const Sample& sample = simulation_.sample();
  scene_.frame(sample, numbers_);
  std::string bytes;
  bytes.reserve(8 + 4 * (numbers_.size() + simulation_.joints().size() + 6));
  append(bytes, sample.time);
  for (const double x : numbers_) append(bytes, static_cast<float>(x));
  for (const LiveJoint& joint : simulation_.joints()) append(bytes, static_cast<float>(sample.q[joint.q]));
  const double nobody = std::numeric_limits<double>::quiet_NaN();
  const Vector3 absent{nobody, nobody, nobody};
  for (const Vector3& x : {push ? push->point : absent, push ? push->target : absent}) {
    for (int k = 0; k < 3; ++k) append(bytes, static_cast<float>(x[k]));
  }
  return bytes;
}

// --- files

/// NAME_live.EXTENSION, or NAME_live-2.EXTENSION and so on: none that is there already.
std::string LiveSession::free_name(const char* extension) const {
  namespace fs = std::filesystem;
  for (int k = 1;; ++k) {
    std::string name = fmt::format("{}_live{}{}", setup_.title, k > 1 ? fmt::format("-{}", k) : "", extension);
    std::error_code error;
    if (!fs::exists(fs::symlink_status(fs::path(setup_.output_folder) / name, error))) return name;
  }
}

std::string LiveSession::robot_seen_from(const std::string& folder) const {
  namespace fs = std::filesystem;
  const fs::path robot = fs::absolute(setup_.file.robot_path).lexically_normal();
  const fs::path relative = robot.lexically_relative(fs::absolute(folder).lexically_normal());
  return relative.empty() ? robot.string() : relative.string();
}

/// What makes the robot other than its file.
Overrides LiveSession::robot_changes() const {
  Overrides changes;
  for (const std::string& setting : setup_.file.changes) {
    if (setting.starts_with("robot.")) changes.push_back(setting);
  }
  if (!simulation_.gravity()) changes.emplace_back("robot.gravity=[0, 0, 0]");
  return changes;
}

/// What acts on the robot now and is no part of a scenario.
std::vector<std::string> LiveSession::left_out() const {
  std::vector<std::string> held;
  for (std::size_t i = 0; i < simulation_.joints().size(); ++i) {
    if (simulation_.joint_target(static_cast<int>(i))) held.push_back(simulation_.joints()[i].name);
  }
  return held;
}

std::vector<std::string> LiveSession::comments() const {
  std::vector<std::string> lines{fmt::format("Saved by `cuttle live` at t = {:.6g} s.", simulation_.time())};
  const std::vector<std::string> held = left_out();
  if (!held.empty()) lines.push_back(fmt::format("{} was held: scenarios have no pushes.", fmt::join(held, ", ")));
  bool inputs_move = false;
  for (const auto& input : setup_.file.scenario.inputs) inputs_move = inputs_move || !input.second.is_constant();
  if (inputs_move) lines.emplace_back("Inputs stay as they were at that time.");
  if (!setup_.file.scenario.controllers.empty()) {
    lines.emplace_back("Controllers of the scenario are left out: copy them from its file.");
  }
  bool of_time = false, integrals = false;
  for (const Load& load : setup_.file.robot.loads) {
    for (const Signal& signal : load.law->signals()) of_time = of_time || !signal.is_constant();
    integrals = integrals || load.law->integral_count() > 0;
  }
  if (of_time) lines.emplace_back("Loads of the robot that depend on time begin anew at time 0.");
  if (integrals) lines.emplace_back("The integrals that loads keep (of drones) begin anew at zero.");
  for (std::string& line : lines) std::replace(line.begin(), line.end(), '\n', ' ');
  return lines;
}

void LiveSession::count_file(const char* what) {
  if (files_ >= k_most_files) {
    throw ArgumentError(
        fmt::format("{}: found {} files that were saved and recorded since `cuttle live` began, and more are not "
                    "written; start it again to go on",
                    what, files_));
  }
  ++files_;
}

void LiveSession::save(int client) {
  namespace fs = std::filesystem;
  count_file("save");
  const std::string name = free_name(".yaml");
  const std::string text =
      scenario_text(simulation_.snapshot(), robot_seen_from(setup_.output_folder), comments(), robot_changes());
  write_whole_file((fs::path(setup_.output_folder) / name).string(), text);
  Json saved{{"type", "saved"}, {"what", "scenario"}, {"file", name}};
  if (const auto held = left_out(); !held.empty()) {
    saved["note"] = fmt::format("That {} is held is no part of a scenario.", fmt::join(held, ", "));
  }
  server_->send(client, dump(saved));
}

void LiveSession::record(int client, bool on) {
  namespace fs = std::filesystem;
  if (!on) return end_recording({});
  if (simulation_.recording()) return notice(client, "info", "it is being recorded already");
  const std::string name = free_name(".h5");
  const std::string path = (fs::path(setup_.output_folder) / name).string();
  check_writable(path);
  count_file("record");
  const std::string scenario =
      scenario_text(simulation_.snapshot(), fs::path(setup_.file.robot_path).filename().string(), comments());
  simulation_.start_recording(
      make_hdf5_recorder(path, {setup_.file.robot_yaml, scenario, robot_changes(), setup_.file.robot_files, {}}));
  recording_file_ = name;
}

void LiveSession::end_recording(const std::string& why) {
  if (!simulation_.recording()) return;
  const std::string name = std::exchange(recording_file_, {});
  simulation_.stop_recording(why);
  fmt::print("recorded: {} ({} rows)\n", (std::filesystem::path(setup_.output_folder) / name).string(),
             simulation_.recorded_rows());
  std::fflush(stdout);
  broadcast(dump({{"type", "saved"}, {"what", "recording"}, {"file", name}}));
}

}  // namespace cuttle
