#include "simulation/lane_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <tuple>

#include "cuttle/error.h"
#include "cuttle/simulation/energy_account.h"
#include "cuttle/simulation/integrator.h"
#include "cuttle/simulation/robot_system.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/energy_watch.h"
#include "simulation/integrators.h"
#include "simulation/robot_lanes.h"
#include "simulation/runge_kutta_step.h"
#include "simulation/sampler.h"
#include "simulation/schedule.h"

namespace cuttle {
namespace {

using Clock = std::chrono::steady_clock;

std::unique_ptr<RobotPack> pack_of(const std::vector<const Model*>& lanes) {
  const RobotPackMaker maker = vector_robot_pack();
  return maker.width > 1 ? maker.make(lanes) : nullptr;
}

/// A run from its start to what is recorded of it.
class Lane {
 public:
  explicit Lane(const LaneRun& run)
      : run_(run),
        simulator_(*run.model, *run.scenario),
        inputs_(input_signals(*run.model, run.scenario->inputs)),
        system_(*run.model, {.inputs = inputs_, .seed = run.scenario->seed}),
        jumps_(system_.discontinuities(outputs().back())),
        arrangement_(arrangement_of(*run.model)) {}

  const OutputTimes& outputs() const { return simulator_.output_times(); }
  const std::vector<Signal>& inputs() const { return inputs_; }
  const std::vector<double>& jumps() const { return jumps_; }
  const Model& model() const { return *run_.model; }
  const Scenario& scenario() const { return *run_.scenario; }

  /// Whether it takes the same steps, and has the same memory.
  bool fits(const Lane& other) const {
    const auto key = [](const Lane& x) {
      return std::tuple(integrator_step(x.scenario().integrator), x.scenario().duration, x.scenario().output_step);
    };
    if (key(*this) != key(other) || jumps_ != other.jumps_) return false;
    if (run_.model == other.run_.model) return true;
    return arrangement_ == other.arrangement_ && difference_of(other.model(), model()).empty();
  }

  /// States of a roll-out: the first ones, and those of its samples.
  void prepare() {
    q_ = simulator_.initial_state().q, v_ = simulator_.initial_state().v;
    const auto rows = static_cast<std::size_t>(outputs().size());
    q_samples_.resize(rows * static_cast<std::size_t>(q_.size()));
    v_samples_.resize(rows * static_cast<std::size_t>(v_.size()));
    works_.resize(rows * StateLayout::k_work_count);
  }
  void lend_to(RolloutRows& rows, std::size_t lane) {
    rows.q[lane] = q_.data(), rows.v[lane] = v_.data();
    rows.q_samples[lane] = q_samples_.data(), rows.v_samples[lane] = v_samples_.data();
    rows.work_samples[lane] = works_.data(), rows.inputs[lane] = &inputs_;
  }

  LaneEnd record(RobotStatus status, bool at_end, double wall_seconds) {
    if (status != RobotStatus::good) return LaneEnd::undecided;
    if (!at_end) return LaneEnd::stopped;
    Outcome outcome;
    try {
      if (!follow(run_.recorder, &outcome)) return LaneEnd::undecided;
    } catch (const Error&) {
      return LaneEnd::undecided;
    }
    if (run_.whole == nullptr) return LaneEnd::complete;
    follow(run_.whole, nullptr);
    outcome.wall_seconds = wall_seconds;
    end(outcome);
    run_.whole->finish(outcome);
    return LaneEnd::complete;
  }

 private:
  /// Gives the samples to a recorder, as a Simulator does. @return whether all of them make sense.
  bool follow(Recorder* recorder, Outcome* outcome) {
    Sampler sampler(model());
    EnergyWatch watch(system_.balances_power());
    EnergyAccount account;
    const std::vector<Stop> stops = stops_of(jumps_, outputs());
    std::size_t next = 0;
    State state = simulator_.initial_state();
    const auto enter = [&](double from) {
      system_.enter(from, next < stops.size() ? stops[next].first : std::numeric_limits<double>::infinity(), state);
    };
    enter(0.0);
    recorder->begin(model(), scenario());
    for (std::int64_t k = 0; k < outputs().size(); ++k) {
      read(k, state);
      for (; next < stops.size() && stops[next].time <= state.time;) {
        const double from = stops[next].last;
        ++next;
        enter(from);
      }
      const Sample& sample = sampler.take(state, system_);
      if (outcome != nullptr) {
        if (!watch.problem(sample).empty()) return false;
        if (k == 0) outcome->energy_terms = sampler.energy_terms(state, system_);
        account.add(sample, *outcome);
        if (k + 1 == outputs().size()) outcome->last = sample;
      }
      recorder->record(sample);
    }
    return true;
  }

  void read(std::int64_t k, State& state) const {
    const auto at = static_cast<std::size_t>(k);
    state.time = outputs()[k];
    state.q = Eigen::Map<const VectorXd>(q_samples_.data() + at * static_cast<std::size_t>(q_.size()), q_.size());
    state.v = Eigen::Map<const VectorXd>(v_samples_.data() + at * static_cast<std::size_t>(v_.size()), v_.size());
    system_.layout().works_of(state.auxiliary) =
        Eigen::Map<const VectorXd>(works_.data() + at * StateLayout::k_work_count, StateLayout::k_work_count);
  }

  void end(Outcome& outcome) const {
    outcome.status = RunStatus::complete, outcome.time = outputs().back();
    outcome.integrator = integrator_type(model(), scenario().integrator);
    std::vector<double> ends = jumps_;
    for (std::int64_t k = 1; k < outputs().size(); ++k) ends.push_back(outputs()[k]);
    std::sort(ends.begin(), ends.end());
    double from = 0.0;
    for (const double to : ends) {
      if (!(to > from)) continue;
      outcome.statistics.steps += static_cast<long>(step_count(to - from, *integrator_step(scenario().integrator)));
      from = to;
    }
    outcome.statistics.evaluations = outcome.statistics.steps * find_tableau(model(), scenario().integrator)->stages();
    judge_energy(scenario(), outcome);
  }

  const LaneRun& run_;
  Simulator simulator_;
  std::vector<Signal> inputs_;
  RobotSystem system_;
  std::vector<double> jumps_;  // of inputs and loads, ascending [s]
  Arrangement arrangement_;
  VectorXd q_, v_;
  std::vector<double> q_samples_, v_samples_, works_;
};

/// Lanes that are computed together.
using LaneGroup = std::vector<std::size_t>;

void run_group(const std::vector<std::unique_ptr<Lane>>& lanes, const LaneGroup& group, const std::atomic<bool>& stop,
               std::optional<Clock::time_point> deadline, std::vector<LaneEnd>& ends) {
  const auto start = Clock::now();
  const auto width = static_cast<std::size_t>(lane_count());
  Lane& first = *lanes[group.front()];
  RolloutPlan plan;
  plan.tableau = find_tableau(first.model(), first.scenario().integrator);
  plan.step = *integrator_step(first.scenario().integrator);
  plan.stop = &stop, plan.deadline = deadline;
  Jumps jumps;
  for (const double time : first.jumps()) jumps.emplace(time, time);
  add_targets(jumps, {}, first.outputs(), true, plan);
  std::vector<const Model*> models;
  RolloutRows rows{};
  for (std::size_t k = 0; k < width; ++k) {
    Lane& lane = *lanes[group[std::min(k, group.size() - 1)]];  // lanes without a run repeat the last one
    if (k < group.size()) lane.prepare();
    lane.lend_to(rows, k);
    models.push_back(&lane.model());
  }
  const std::unique_ptr<RobotPack> pack = pack_of(models);
  if (!pack) return;  // a number has made it another robot
  const std::unique_ptr<RobotPack::Workspace> workspace = pack->make_workspace(true);
  const LaneStatus status = pack->rollout(*workspace, plan, rows);
  const double each = std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(group.size());
  for (std::size_t k = 0; k < group.size(); ++k) {
    const bool at_end = !(rows.good_until[k] < plan.targets.back().time);
    ends[group[k]] = lanes[group[k]]->record(status[k], at_end, each);
  }
}

}  // namespace

std::string why_not_in_lanes(const Model& model, const Scenario& scenario) {
  constexpr double k_most_bytes = 0x1p26;  // of the states of a group
  const RungeKuttaTableau* const tableau = find_tableau(model, scenario.integrator);
  if (tableau == nullptr || !integrator_step(scenario.integrator)) {
    return fmt::format("integrator {} is no explicit method of fixed steps",
                       integrator_type(model, scenario.integrator));
  }
  if (!model.loops().empty()) return "the robot has closed loops";
  if (!scenario.controllers.empty()) return "there are controllers";
  if (!scenario.motion.empty()) return "motion is driven";
  if (scenario.strict) return "a wrong energy balance is an error";
  const double samples = std::max(1.0, scenario.duration / scenario.output_step);
  if (8.0 * samples * k_widest_pack * (model.nq() + model.nv()) > k_most_bytes) {
    return "there are too many outputs to be kept";
  }
  const std::vector<const Model*> alike(static_cast<std::size_t>(lane_count()), &model);
  if (state_layout(model).size() != StateLayout::k_work_count || !pack_of(alike)) {
    return "the robot has parts that have no lanes";
  }
  return "";
}

int lane_count() { return vector_robot_pack().width; }

std::vector<LaneEnd> run_in_lanes(const std::vector<LaneRun>& runs, const std::atomic<bool>& stop,
                                  std::optional<Clock::time_point> deadline) {
  std::vector<LaneEnd> ends(runs.size(), LaneEnd::undecided);
  std::vector<std::unique_ptr<Lane>> lanes(runs.size());
  std::vector<LaneGroup> groups;
  const auto width = static_cast<std::size_t>(lane_count());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    try {
      lanes[i] = std::make_unique<Lane>(runs[i]);
    } catch (const Error&) {
      continue;  // undecided
    }
    const auto place = std::find_if(groups.begin(), groups.end(), [&](const LaneGroup& group) {
      return group.size() < width && lanes[i]->fits(*lanes[group.front()]);
    });
    if (place != groups.end()) {
      place->push_back(i);
    } else {
      groups.push_back({i});
    }
  }
  for (const LaneGroup& group : groups) run_group(lanes, group, stop, deadline, ends);
  return ends;
}

}  // namespace cuttle
