#include "cuttle/simulation/live_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/elements/push.h"
#include "cuttle/error.h"
#include "cuttle/simulation/robot_system.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/live_recording.h"
#include "simulation/live_stage.h"
#include "simulation/live_statics.h"
#include "simulation/prescribed_motion.h"
#include "simulation/sampler.h"
#include "simulation/schedule.h"

namespace cuttle {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double k_ramp = 0.02;           // in which inputs and pushes get to where they are sent [s]
constexpr double k_least_horizon = 60.0;  // how far ahead the end of the run is put again and again [s]
constexpr double k_joint_speed = 2.0;     // of a push that turns a joint [rad/s]; along one, times the reach [m/s]
constexpr int k_looks = 8;                // at the clock within the time that `advance` may take
constexpr double k_first_slice = 1e-3;    // before anything is known of how fast the robot is computed [s]
constexpr double k_least_slice = 1e-5;    // where a step takes longer than a look, shorter ones take as long [s]

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Leaves the integrator when the user wants to end the program. No Error: nothing is wrong.
struct Interruption {};

void require_finite(const Vector3& x, const char* what) {
  if (std::isfinite(x.x) && std::isfinite(x.y) && std::isfinite(x.z)) return;
  throw ArgumentError(fmt::format("push: {}: found [{}, {}, {}], expected finite numbers [m]", what, x.x, x.y, x.z));
}

}  // namespace

class LiveSimulation::Live {
 public:
  Live(const Robot& robot, const Scenario& scenario)
      : robot_(robot),
        scenario_(scenario),
        model_(robot),
        initial_(Simulator(model_, scenario).initial_state()),
        scenario_inputs_(input_signals(model_, scenario.inputs)),
        motion_(std::make_shared<PrescribedMotion>(model_, scenario.motion, scenario.duration)),
        motion_end_(motion_->go_on_after(scenario.duration)),
        joints_(live_joints(model_, initial_.q, motion_->coordinates())) {
    if (!model_.loops().empty()) {
      Data data(model_);
      ConstraintData constraints(model_);
      rows_ = select_constraint_rows(model_, data, constraints, initial_.q);
    }
    may_be_negative_.assign(static_cast<std::size_t>(model_.nu()), true);
    for (const auto& tendon : model_.tendons()) {
      may_be_negative_[static_cast<std::size_t>(tendon.input)] = tendon.slack != Slack::error;
    }
    reset();
    references_ = stage_->system.set_points();
    set_points_ = live_set_points(model_, scenario_, references_);
    for (const auto& reference : references_) set_point_values_.push_back(reference.set_point.value);
  }

  void reset() {
    if (recording_) stop_recording({});
    failure_.clear();
    state_ = shown_ = initial_;
    inputs_ = scenario_inputs_;
    set_.assign(inputs_.size(), std::nullopt);
    for (std::size_t i = 0; i < references_.size(); ++i) set_point_values_[i] = references_[i].set_point.value;
    place_.reset();
    spring_.reset();
    held_.assign(joints_.size(), std::nullopt);
    horizon_ = 0.0;
    held_rows_ = rows_;
    rebuild();
  }

  // --- time

  double advance(double duration, double wall_seconds) {
    if (!failure_.empty()) return 0.0;
    const double begin = state_.time, end = begin + duration;
    const auto start = Clock::now();
    const bool hurried = std::isfinite(wall_seconds);
    try {
      while (state_.time < end) {
        const double slice_begin = state_.time;
        const auto slice_start = Clock::now();
        const double part = hurried ? slice(wall_seconds) : end - begin;
        step_to(state_.time + 1.5 * part < end ? state_.time + part : end);  // no rounding of a step is left
        learn_pace(state_.time - slice_begin, seconds_since(slice_start));
        if (seconds_since(start) >= wall_seconds) break;
      }
    } catch (const Interruption&) {
      stage_->driver.change();
    } catch (const std::exception& error) {
      fail(error.what());
    }
    if (recording_) guard_recording([&] { recording_->tick(stage_->integrator->statistics()); });
    return state_.time - begin;
  }

  // --- inputs

  void set_input(int index, double value) {
    const auto i = static_cast<std::size_t>(index);
    if (index < 0 || i >= inputs_.size()) {
      throw ArgumentError(fmt::format("input: found index {}, expected 0 to {}", index, inputs_.size() - 1));
    }
    const std::string& name = model_.input_info()[i].name;
    if (!std::isfinite(value)) throw ArgumentError(fmt::format("{}: found {}, expected a finite number", name, value));
    if (value < 0.0 && !may_be_negative_[i]) {
      throw ArgumentError(fmt::format("{}: found {:g}, expected a tension >= 0: the tendon cannot push", name, value));
    }
    set_[i] = value;
    inputs_[i] = way(inputs_[i].at(state_.time), value, k_ramp);
    stage_->system.set_input(index, inputs_[i]);
    change();
  }
  double input(int index) const {
    const auto i = static_cast<std::size_t>(index);
    return set_[i].value_or(inputs_[i].at(state_.time));
  }

  // --- set-points

  void move_set_point(int index, double value) {
    const LiveSetPoint& set_point = set_point_at(index);
    if (!std::isfinite(value)) {
      throw ArgumentError(fmt::format("{}: found {}, expected a finite number", set_point.name, value));
    }
    const auto i = static_cast<std::size_t>(index);
    set_point_values_[i] = value;
    stage_->system.move_set_point(references_[i].controller, references_[i].index, value);
    change();
  }
  double set_point(int index) const {
    set_point_at(index);
    return set_point_values_[static_cast<std::size_t>(index)];
  }

  // --- gravity

  void set_gravity(bool on) {
    if (on == gravity_) return;
    const double before = gravity_energy<double>(stage_->model, stage_->data, state_.q);
    gravity_ = on;
    rebuild();
    // what the switch gives or takes is work from outside
    stage_->system.layout().works_of(state_.auxiliary)[StateLayout::load] +=
        gravity_energy<double>(stage_->model, stage_->data, state_.q) - before;
  }

  // --- pushes

  void hold_joint(int index, double target) {
    const LiveJoint& joint = joint_at(index);
    if (!std::isfinite(target)) {
      throw ArgumentError(fmt::format("{}: found {}, expected a finite number", joint.name, target));
    }
    std::optional<HeldJoint>& held = held_[static_cast<std::size_t>(index)];
    const double from = held ? held->way.at(state_.time) : state_.q[joint.q];
    if (!held) {
      held.emplace();
      held->q = joint.q, held->v = joint.v;
      held->spring = coordinate_spring(stage_->model, stage_->data, state_.q, joint.v, joint.max - joint.min,
                                       motion_->coordinates());
    }
    const double speed = k_joint_speed * (joint.unit == "m" ? robot_reach(model_) : 1.0);
    held->target = target;
    held->way = way(from, target, std::max(k_ramp, std::abs(target - from) / speed));
    perturb_joints();
  }
  void release_joint(int index) {
    joint_at(index);
    held_[static_cast<std::size_t>(index)].reset();
    perturb_joints();
  }

  void push(int link, const Vector3& point, const Vector3& target) {
    const int count = static_cast<int>(model_.links().size());
    if (link < 0 || link >= count) {
      throw ArgumentError(fmt::format("push: link: found {}, expected 0 to {}", link, count - 1));
    }
    require_finite(point, "point");
    require_finite(target, "hand");
    const Place place = nearest_place(robot_, model_, state_.q, link, point);
    const Model marked(changed_robot(robot_, true, place));
    Data data(marked);
    const Frame frame = marked.marker_frame(k_push_marker);
    spring_ = point_spring(marked, data, state_.q, frame, motion_->coordinates());
    place_ = place;
    rebuild();
    // it begins where the point is: no jump
    const Vector3 from = point_position();
    stage_->push->law().move(from.x, from.y, from.z);
    send_push(target);
  }
  void move_push(const Vector3& target) {
    if (!place_) throw ArgumentError("pushMove: found no push, expected one that was started before");
    require_finite(target, "hand");
    send_push(target);
  }
  void let_go() {
    if (!place_) return;
    place_.reset();
    spring_.reset();
    rebuild();
  }
  std::optional<Push> pushing() {
    if (!place_) return std::nullopt;
    Push push;
    const Frame& frame = stage_->push->frames().front();
    const auto& kinematics = forward_kinematics<double>(stage_->model, stage_->data, state_.q, state_.v);
    const FrameMotionT<double> motion{kinematics.pose(frame), kinematics.velocity_of(frame), {}};
    push.point = motion.pose.position;
    push.target = stage_->push->law().target(state_.time);
    push.force = motion.pose.rotation * stage_->push->wrench(0, state_.time, motion, nullptr).force;
    push.limit = spring_->limit;
    return push;
  }

  // --- state

  Scenario snapshot() const {
    Scenario scenario;
    scenario.duration = scenario_.duration, scenario.output_step = scenario_.output_step;
    scenario.seed = scenario_.seed, scenario.integrator = scenario_.integrator;
    scenario.energy_error_limit = scenario_.energy_error_limit, scenario.strict = scenario_.strict;
    const auto part = [](const VectorXd& x, int first, int count) {
      return std::vector<double>(x.data() + first, x.data() + first + count);
    };
    VectorXd q = state_.q, v = state_.v;
    if (!scenario_.motion.empty()) {
      const double now = motion_ended() ? motion_end_ : state_.time;
      if (!motion_ended()) scenario.duration = std::min(scenario.duration, motion_end_ - now);
      scenario.motion = motion_from(scenario_.motion, now);
      PrescribedMotion(model_, scenario.motion, scenario.duration).impose(0.0, q, v, nullptr);
    }
    if (model_.robot().floating_base) scenario.initial["base"] = {part(q, 0, 7), part(v, 0, 6)};
    for (const auto& link : model_.links()) {
      if (link.nq == 0) continue;
      scenario.initial[link.name] = {part(q, link.q, link.nq), part(v, link.v, link.nv)};
    }
    for (int i = 0; i < model_.nu(); ++i) scenario.inputs[model_.input_info()[i].name] = input(i);
    return scenario;
  }
  const Sample& sample() {
    if (!sample_) {
      sample_ = &stage_->sampler.take(state_, stage_->system);
      shown_ = state_;
    }
    return *sample_;
  }

  // --- recording

  void start_recording(std::unique_ptr<Recorder> recorder) {
    if (recording_) throw ArgumentError("record: found a recording that runs, expected none");
    auto recording = std::make_unique<LiveRecording>(std::move(recorder), scenario_.output_step,
                                                     integrator_type(model_, scenario_.integrator));
    recording->begin(model_, snapshot());
    recording->row(sample());
    recording->energy_terms(stage_->sampler.energy_terms(state_, stage_->system));
    recording_ = std::move(recording);
  }
  void stop_recording(const std::string& why) {
    if (!recording_) return;
    const auto recording = std::move(recording_);
    recorded_rows_ = recording->rows();
    finish(*recording, why.empty() ? RunStatus::complete : RunStatus::interrupted, why);
  }
  void finish(LiveRecording& recording, RunStatus status, const std::string& why) {
    recording.finish(status, why, stage_->integrator->statistics(), stage_->system.rows().dropped_names(model_));
  }
  long recorded_rows() const { return recording_ ? recording_->rows() : recorded_rows_; }

  const Model& model() const { return model_; }
  const Scenario& scenario() const { return scenario_; }
  const State& state() const { return state_; }
  const std::vector<LiveJoint>& joints() const { return joints_; }
  const std::string& failure() const { return failure_; }
  const std::vector<LiveSetPoint>& set_points() const { return set_points_; }
  bool gravity() const { return gravity_; }
  bool recording() const { return recording_ != nullptr; }
  std::optional<std::string> take_trouble() { return std::exchange(trouble_, std::nullopt); }
  std::optional<double> target(int joint) const {
    joint_at(joint);
    const auto& held = held_[static_cast<std::size_t>(joint)];
    return held ? std::optional<double>(held->target) : std::nullopt;
  }
  const std::atomic<bool>* const* stop = nullptr;

 private:
  struct HeldJoint {
    int q = 0, v = 0;
    PushSpring spring;
    Signal way;  ///< to the target
    double target = 0.0;
  };

  const LiveJoint& joint_at(int index) const {
    if (index < 0 || index >= static_cast<int>(joints_.size())) {
      throw ArgumentError(fmt::format("joint: found index {}, expected 0 to {}", index, joints_.size() - 1));
    }
    return joints_[static_cast<std::size_t>(index)];
  }

  const LiveSetPoint& set_point_at(int index) const {
    if (index < 0 || index >= static_cast<int>(set_points_.size())) {
      throw ArgumentError(
          fmt::format("set-point: found index {}, expected one of {} set-points", index, set_points_.size()));
    }
    return set_points_[static_cast<std::size_t>(index)];
  }

  /// From a value to another, beginning now.
  Signal way(double from, double to, double duration) const {
    return from == to ? Signal(to) : Signal::ramp(state_.time, state_.time + duration, from, to);
  }
  void send_push(const Vector3& to) {
    const Vector3 from = stage_->push->law().target(state_.time);
    stage_->push->law().move(way(from.x, to.x, k_ramp), way(from.y, to.y, k_ramp), way(from.z, to.z, k_ramp));
    change();
  }
  void perturb_joints() {
    std::vector<CoordinatePush> all;
    for (const auto& held : held_) {
      if (!held) continue;
      all.push_back({held->q, held->v, std::make_shared<CoordinatePushLaw<double>>(held->spring, held->way)});
    }
    stage_->system.set_coordinate_pushes(std::move(all));
    change();
  }
  Vector3 point_position() {
    const Frame& frame = stage_->push->frames().front();
    return forward_kinematics<double>(stage_->model, stage_->data, state_.q).pose(frame).position;
  }

  /// A stage for the robot as it is now.
  void rebuild() {
    const std::shared_ptr<PointPush> before = stage_ ? stage_->push : nullptr;
    if (stage_ && state_.time > 0.0) held_rows_ = stage_->system.rows();
    stage_ = std::make_unique<LiveStage>(changed_robot(robot_, gravity_, place_), scenario_, inputs_, held_rows_,
                                         scenario_.motion.empty() ? nullptr : motion_, spring_, state_);
    if (before && stage_->push) stage_->push->law().follow(before->law());
    for (std::size_t i = 0; i < references_.size(); ++i) {
      stage_->system.move_set_point(references_[i].controller, references_[i].index, set_point_values_[i]);
    }
    stage_->system.heartbeat = [this](double) {
      if (stop && *stop && (*stop)->load(std::memory_order_relaxed)) throw Interruption();
    };
    stage_->integrator->on_energies = [this](const EnergyBalance& energies) {
      if (recording_) recording_->energies(energies);
    };
    perturb_joints();
  }

  /// Something jumped or bends from now on.
  void change() {
    sample_ = nullptr;
    plan_stops();
  }
  /// Stops up to the horizon, which moves ahead of the time.
  void plan_stops() {
    if (state_.time >= horizon_) horizon_ = std::max(scenario_.duration, state_.time + k_least_horizon);
    stage_->integrator->expect_end(horizon_);
    const OutputTimes outputs(horizon_, scenario_.output_step);
    Itinerary ahead = itinerary_of(stage_->system, scenario_.integrator, outputs, state_.time);
    ahead.end = std::min(horizon_, motion_end_);
    stage_->driver.plan(std::move(ahead));
  }

  /// To the next place where something happens, at most to `target`.
  void step_to(double target) {
    if (motion_ended()) end_with_motion();
    if (state_.time >= horizon_) plan_stops();
    if (recording_) target = std::min(target, std::max(recording_->next_row(), state_.time));
    sample_ = nullptr;
    stage_->driver.step_to(target);
    if (recording_ && state_.time >= recording_->next_row()) guard_recording([&] { recording_->row(sample()); });
  }

  bool motion_ended() const {
    constexpr double k_nearby = 1e-9;  // of a stop that is put to an output nearby
    return state_.time >= motion_end_ - k_nearby * (1.0 + scenario_.output_step);
  }
  [[noreturn]] void end_with_motion() {
    if (recording_) guard_recording([&] { stop_recording("the driven motion ended"); });
    throw SimulationError(fmt::format(
        "at t = {:.9g} s: found the end of the driven motion, where a signal jumps; a reset begins anew, and "
        "signals without a jump of their velocity go on",
        state_.time));
  }

  /// Steps that some looks at the clock fit into; whole steps of methods with fixed steps.
  double slice(double wall_seconds) const {
    const double wanted = pace_ > 0.0 ? std::max(wall_seconds / k_looks / pace_, k_least_slice) : k_first_slice;
    const double step = integrator_step(scenario_.integrator).value_or(0.0);
    return step > 0.0 ? step * std::max(1.0, std::floor(wanted / step)) : wanted;
  }
  void learn_pace(double simulated, double wall) {
    constexpr double k_memory = 0.8;
    if (!(simulated > 0.0)) return;
    const double seen = wall / simulated;
    pace_ = pace_ > 0.0 ? k_memory * pace_ + (1.0 - k_memory) * seen : seen;
  }

  void fail(const std::string& why) {
    failure_ = why;
    sample_ = nullptr;
    stage_->driver.change();
    try {
      sample();
    } catch (const Error&) {  // the state has left sense
      state_ = shown_;
    }
    if (!recording_) return;
    const auto recording = std::move(recording_);
    recorded_rows_ = recording->rows();
    try {
      finish(*recording, RunStatus::failed, why);
    } catch (const std::exception& error) {
      trouble_ = error.what();
    }
  }
  /// A full disk ends the recording, not the simulation.
  template <typename Function>
  void guard_recording(const Function& function) {
    try {
      function();
    } catch (const FileError& error) {
      trouble_ = error.what();
      if (recording_) recorded_rows_ = recording_->rows();
      recording_.reset();
    }
  }

  Robot robot_;
  Scenario scenario_;
  Model model_;
  State initial_;
  std::vector<Signal> scenario_inputs_;
  std::shared_ptr<PrescribedMotion> motion_;  // of nothing, if nothing is driven
  double motion_end_;                         // where a signal jumps after the scenario, or infinity
  std::vector<LiveJoint> joints_;
  ConstraintRows rows_, held_rows_;    // at the start, and by now
  std::vector<char> may_be_negative_;  // of inputs

  State state_;
  State shown_;  // the last one of which a sample was taken
  std::vector<Signal> inputs_;
  std::vector<std::optional<double>> set_;      // inputs that somebody set
  std::vector<ControllerSetPoint> references_;  // constant ones of the controllers, as the scenario has them
  std::vector<LiveSetPoint> set_points_;        // what is shown of them
  std::vector<double> set_point_values_;        // as they are
  bool gravity_ = true;
  std::optional<Place> place_;  // where a push pulls
  std::optional<PushSpring> spring_;
  std::vector<std::optional<HeldJoint>> held_;
  std::unique_ptr<LiveStage> stage_;
  const Sample* sample_ = nullptr;  // of state_; null: not yet made
  double horizon_ = 0.0;
  double pace_ = 0.0;  // wall seconds a second simulated
  std::string failure_;
  std::unique_ptr<LiveRecording> recording_;
  long recorded_rows_ = 0;
  std::optional<std::string> trouble_;
};

LiveSimulation::LiveSimulation(const Robot& robot, const Scenario& scenario)
    : live_(std::make_unique<Live>(robot, scenario)) {
  live_->stop = &stop;
}
LiveSimulation::~LiveSimulation() = default;

const Model& LiveSimulation::model() const { return live_->model(); }
double LiveSimulation::time() const { return live_->state().time; }
const Sample& LiveSimulation::sample() { return live_->sample(); }
std::string LiveSimulation::integrator() const { return integrator_type(live_->model(), live_->scenario().integrator); }
double LiveSimulation::advance(double duration, double wall_seconds) { return live_->advance(duration, wall_seconds); }
const std::string& LiveSimulation::failure() const { return live_->failure(); }
void LiveSimulation::reset() { live_->reset(); }
void LiveSimulation::set_input(int index, double value) { live_->set_input(index, value); }
double LiveSimulation::input(int index) const { return live_->input(index); }
const std::vector<LiveSetPoint>& LiveSimulation::set_points() const { return live_->set_points(); }
void LiveSimulation::move_set_point(int index, double value) { live_->move_set_point(index, value); }
double LiveSimulation::set_point(int index) const { return live_->set_point(index); }
bool LiveSimulation::gravity() const { return live_->gravity(); }
void LiveSimulation::set_gravity(bool on) { live_->set_gravity(on); }
const std::vector<LiveJoint>& LiveSimulation::joints() const { return live_->joints(); }
void LiveSimulation::hold_joint(int joint, double target) { live_->hold_joint(joint, target); }
void LiveSimulation::release_joint(int joint) { live_->release_joint(joint); }
std::optional<double> LiveSimulation::joint_target(int joint) const { return live_->target(joint); }
void LiveSimulation::push(int link, const Vector3& point, const Vector3& target) { live_->push(link, point, target); }
void LiveSimulation::move_push(const Vector3& target) { live_->move_push(target); }
void LiveSimulation::let_go() { live_->let_go(); }
std::optional<LiveSimulation::Push> LiveSimulation::pushing() { return live_->pushing(); }
Scenario LiveSimulation::snapshot() const { return live_->snapshot(); }
void LiveSimulation::start_recording(std::unique_ptr<Recorder> recorder) {
  live_->start_recording(std::move(recorder));
}
void LiveSimulation::stop_recording(const std::string& why) { live_->stop_recording(why); }
bool LiveSimulation::recording() const { return live_->recording(); }
long LiveSimulation::recorded_rows() const { return live_->recorded_rows(); }
std::optional<std::string> LiveSimulation::take_recording_trouble() { return live_->take_trouble(); }

}  // namespace cuttle
