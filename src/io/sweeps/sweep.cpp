#include "cuttle/io/sweep.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <limits>
#include <utility>

#include "cuttle/algorithms/modes.h"
#include "cuttle/error.h"
#include "cuttle/simulation/rest_sample.h"
#include "cuttle/simulation/simulator.h"
#include "cuttle/version.h"
#include "io/sweeps/locked_recorder.h"
#include "io/sweeps/sweep_plan.h"
#include "simulation/lane_runs.h"
#include "spatial/instruction_set.h"

namespace cuttle {
namespace {

using What = SweepSettings::What;
using Clock = std::chrono::steady_clock;

constexpr const char* k_lanes = "lanes";

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Sample sample_at(const EquilibriumTable::Row& at, const StaticEquilibrium& equilibrium) {
  return rest_sample(at.model, at.data, at.loads.u, equilibrium, at.loads.state_loads_at.value_or(0.0));
}

}  // namespace

const char* sweep_status_name(SweepStatus status) {
  switch (status) {
    case SweepStatus::complete:
      return "complete";
    case SweepStatus::failed:
      return "failed";
    case SweepStatus::killed:
      break;
  }
  return "killed";
}

const Model& Sweep::Plan::robot_of(const std::vector<double>& values, std::optional<Model>& changed,
                                   Scenario& run) const {
  if (other_robots) {
    std::vector<ParameterChange> changes;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i].of == SweepNumber::Of::robot) changes.push_back({numbers[i].path, values[i]});
    }
    changed.emplace(model->with(changes));
  }
  const Model& robot = changed ? *changed : *model;
  run = scenario;
  set_sweep_numbers(robot, numbers, values, run);
  return robot;
}

std::string Sweep::Plan::late_text() const {
  return fmt::format("time limit of {:g} s: found the run not at its end, expected that", *time_limit);
}

SweepFound Sweep::Plan::simulate(const std::vector<double>& values, const std::atomic<bool>* stop,
                                 const std::vector<Recorder*>& recorders) const {
  std::optional<Model> changed;
  Scenario run;
  const Model& robot = robot_of(values, changed, run);
  const Simulator simulator(robot, run);
  std::atomic<bool> end = false;
  bool late = false;
  RunOptions options;
  options.stop = &end;
  options.progress = [&](const Progress& progress) {
    late = late || (time_limit && progress.wall_seconds > *time_limit);
    end = late || (stop != nullptr && *stop);
  };
  if (stop != nullptr && *stop) {
    SweepFound none;
    none.stopped = true;
    return none;
  }
  const Outcome outcome = simulator.run(recorders, options);
  SweepFound found;
  if (outcome.status == RunStatus::complete) return found;
  if (late) {
    found.status = SweepStatus::failed;
    found.reason = late_text();
  } else {
    found.stopped = true;
  }
  return found;
}

SweepFound Sweep::Plan::rest(const std::vector<double>& values, const std::atomic<bool>* stop, const AtRest& at) const {
  MatrixXd row(1, static_cast<Eigen::Index>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) row(0, static_cast<Eigen::Index>(i)) = values[i];
  SweepFound found;
  EquilibriumTable::Options options;
  options.from_rest = true, options.threads = 1;
  const auto start = Clock::now();
  options.heartbeat = [&] {
    found.stopped = stop != nullptr && *stop;
    if (found.stopped) throw Error("stopped");
    if (time_limit && seconds_since(start) > *time_limit) {
      throw Error(fmt::format("time limit of {:g} s: found no equilibrium within it, expected one", *time_limit));
    }
  };
  options.found = [&](std::size_t, const EquilibriumTable::Row& solved, const StaticEquilibrium& equilibrium) {
    at(solved, equilibrium);
  };
  const std::vector<TableEquilibrium> rows = equilibria->solve(row, options);
  if (!rows.front().found) found.status = SweepStatus::failed, found.reason = rows.front().trouble;
  return found;
}

void Sweep::Plan::measure(const EquilibriumTable::Row& at, const StaticEquilibrium& equilibrium,
                          SweepFound& found) const {
  if (!mode_columns.empty()) {
    const std::vector<Mode> all = modes(linearized_motion(at.model, at.data, at.loads, equilibrium));
    for (const ModeColumn& column : mode_columns) {
      const bool there = column.mode < all.size();
      found.outputs.push_back(!there             ? std::numeric_limits<double>::quiet_NaN()
                              : column.frequency ? all[column.mode].frequency()
                                                 : all[column.mode].damping_ratio());
    }
  }
  const Sample sample = sample_at(at, equilibrium);
  for (const double value : metrics->at_rest(sweep_blocks(at.model, {}), sample)) found.outputs.push_back(value);
  found.outputs.push_back(static_cast<double>(equilibrium.stability));
  found.outputs.push_back(equilibrium.growth_rate);
  found.outputs.push_back(equilibrium.smallest_stiffness);
}

Sweep::Sweep(const SweepSettings& settings) : plan_(std::make_unique<const Plan>(settings)) {}
Sweep::~Sweep() = default;
const SweepHead& Sweep::head() const { return plan_->head; }
const std::vector<std::string>& Sweep::warnings() const { return plan_->warnings; }
const std::vector<std::string>& Sweep::files() const { return plan_->files; }

std::vector<double> Sweep::values(std::int64_t number) const {
  plan_->check(number);
  return plan_->values(number);
}

SweepSettings::What Sweep::what() const { return plan_->what; }

std::optional<SweepCurves> Sweep::curves(std::int64_t number, const std::vector<std::string>& columns,
                                         const std::atomic<bool>* stop) const {
  if (plan_->what != What::simulate) {
    throw ArgumentError("sweep: found equilibria, expected simulations: they have curves over time");
  }
  const std::vector<double> varied = values(number);
  const SweepMetrics chosen(*plan_->model, sweep_blocks(*plan_->model, plan_->scenario), columns, true, "--bands");
  CurveRecorder recorder(chosen);
  const SweepFound found = plan_->simulate(varied, stop, {&recorder});
  if (found.stopped) return std::nullopt;
  if (found.status != SweepStatus::complete) throw Error(found.reason);
  return recorder.curves();
}

SweepEquilibrium Sweep::equilibrium(std::int64_t number) const {
  if (plan_->what == What::simulate) {
    throw ArgumentError("sweep: found simulations, expected --statics or --modes: they have equilibria");
  }
  SweepEquilibrium result;
  const SweepFound found =
      plan_->rest(values(number), nullptr, [&](const EquilibriumTable::Row& at, const StaticEquilibrium& equilibrium) {
        result.robot = at.model.robot(), result.sample = sample_at(at, equilibrium);
      });
  if (found.status != SweepStatus::complete) throw Error(found.reason);
  result.visuals = plan_->visuals;
  return result;
}

int Sweep::lanes() const { return plan_->what == What::simulate && plan_->no_lanes.empty() ? lane_count() : 1; }
const std::string& Sweep::why_no_lanes() const { return plan_->no_lanes; }

SweepRow Sweep::unanswered(std::int64_t number, SweepStatus status, const std::string& reason) const {
  SweepRow row;
  row.number = number, row.parameters = values(number), row.status = status, row.reason = one_line(reason);
  row.outputs.assign(plan_->head.outputs.size(), std::numeric_limits<double>::quiet_NaN());
  row.version = k_version, row.instruction_set = instruction_set_name(), row.hash = plan_->head.hash;
  row.run_as = lanes() > 1 ? k_lanes : what_name(plan_->what);
  return row;
}

std::optional<SweepRow> Sweep::run(std::int64_t number, const std::atomic<bool>* stop,
                                   const std::string& result) const {
  std::vector<SweepRow> rows = run(std::vector<std::int64_t>{number}, stop, {result});
  if (rows.empty()) return std::nullopt;
  return std::move(rows.front());
}

std::vector<SweepRow> Sweep::run(const std::vector<std::int64_t>& numbers, const std::atomic<bool>* stop,
                                 const std::vector<std::string>& results) const {
  const auto result_of = [&results](std::size_t i) { return results.empty() ? std::string() : results.at(i); };
  std::vector<SweepRow> made, waiting;
  std::vector<std::string> files;
  const auto width = static_cast<std::size_t>(lanes());
  const auto make = [&] {
    const std::vector<bool> there = plan_->run_beside(waiting, stop, files);
    for (std::size_t k = 0; k < waiting.size(); ++k) {
      if (there[k]) made.push_back(std::move(waiting[k]));
    }
    waiting.clear(), files.clear();
  };
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::string file = result_of(i);
    if (!file.empty() && plan_->what != What::simulate) {
      throw ArgumentError("--save: found it for equilibria, expected it for simulations alone");
    }
    SweepRow row = unanswered(numbers[i], SweepStatus::failed, "");
    if (width > 1) {
      waiting.push_back(std::move(row)), files.push_back(file);
      if (waiting.size() == width) make();
    } else if (plan_->run_alone(row, stop, file)) {
      made.push_back(std::move(row));
    }
  }
  if (!waiting.empty()) make();
  return made;
}

bool Sweep::Plan::run_alone(SweepRow& row, const std::atomic<bool>* stop, const std::string& result) const {
  row.run_as = what_name(what);
  const auto start = Clock::now();
  try {
    SweepFound found;
    if (what == What::simulate) {
      MetricRecorder recorder(*metrics);
      std::vector<Recorder*> recorders{&recorder};
      std::optional<LockedRecorder> file;
      if (!result.empty()) recorders.push_back(&file.emplace(result));
      found = simulate(row.parameters, stop, recorders);
      if (found.status == SweepStatus::complete && !found.stopped) found.outputs = recorder.values();
    } else {
      std::vector<double> outputs;
      found = rest(row.parameters, stop, [&](const EquilibriumTable::Row& at, const StaticEquilibrium& equilibrium) {
        SweepFound measured;
        measure(at, equilibrium, measured);
        outputs = std::move(measured.outputs);
      });
      found.outputs = std::move(outputs);
    }
    if (found.stopped) return false;
    row.status = found.status, row.reason = one_line(found.reason);
    if (found.status == SweepStatus::complete) row.outputs = std::move(found.outputs);
  } catch (const FileError& error) {
    if (!result.empty()) throw;  // the file of the run
    row.reason = one_line(error.what());
  } catch (const std::exception& error) {
    row.reason = one_line(error.what());
  }
  row.seconds += seconds_since(start);
  return true;
}

}  // namespace cuttle
