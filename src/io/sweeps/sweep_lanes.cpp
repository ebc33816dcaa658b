#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "cuttle/error.h"
#include "io/sweeps/locked_recorder.h"
#include "io/sweeps/sweep_plan.h"
#include "simulation/lane_runs.h"

// Runs of a sweep that lie beside each other in lanes.

namespace cuttle {
namespace {

using Clock = std::chrono::steady_clock;

/// A run that is made ready: its robot and scenario, and what follows it.
struct ReadyRun {
  explicit ReadyRun(const SweepMetrics& metrics) : recorder(metrics) {}
  std::optional<Model> changed;
  Scenario scenario;
  const Model* model = nullptr;
  MetricRecorder recorder;
  std::unique_ptr<LockedRecorder> file;
};

}  // namespace

std::string Sweep::Plan::find_no_lanes() const {
  for (const SweepNumber& number : numbers) {
    // times of inputs never vary
    if (number.of == SweepNumber::Of::setting && number.path != "seed" && number.path != "energy_error_limit") {
      return fmt::format("simulation.{} changes the steps of a run", number.path);
    }
    // whether one acts at all is decided for all lanes
    if (number.of == SweepNumber::Of::robot && number.path.starts_with("loads")) return "loads vary";
  }
  return why_not_in_lanes(*model, scenario);
}

std::vector<bool> Sweep::Plan::run_beside(std::vector<SweepRow>& rows, const std::atomic<bool>* stop,
                                          const std::vector<std::string>& results) const {
  static const std::atomic<bool> k_never = false;
  const auto start = Clock::now();
  std::vector<bool> there(rows.size(), false);
  std::vector<std::unique_ptr<ReadyRun>> ready;
  std::vector<LaneRun> runs;
  std::vector<std::size_t> places;  // of the runs, among the rows
  std::vector<LaneEnd> ends(rows.size(), LaneEnd::undecided);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto run = std::make_unique<ReadyRun>(*metrics);
    try {
      run->model = &robot_of(rows[i].parameters, run->changed, run->scenario);
    } catch (const std::exception&) {
      continue;  // made alone, it says what is wrong
    }
    if (!results[i].empty()) run->file = std::make_unique<LockedRecorder>(results[i]);
    runs.push_back({run->model, &run->scenario, &run->recorder, run->file.get()});
    places.push_back(i), ready.push_back(std::move(run));
  }
  std::optional<Clock::time_point> deadline;
  if (time_limit) {
    deadline = start + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(std::min(*time_limit, 1e8)));  // what a clock can have
  }
  const std::vector<LaneEnd> of_runs = run_in_lanes(runs, stop != nullptr ? *stop : k_never, deadline);
  const double each = std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(rows.size());
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const std::size_t i = places[k];
    ends[i] = of_runs[k];
    if (ends[i] == LaneEnd::complete) {
      rows[i].status = SweepStatus::complete, rows[i].outputs = ready[k]->recorder.values();
    }
  }
  ready.clear();  // files are free for those that are made again
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].seconds = each;
    there[i] = ends[i] == LaneEnd::complete;
    const bool stopped = stop != nullptr && *stop;
    if (there[i] || stopped) continue;
    if (ends[i] == LaneEnd::undecided) {
      there[i] = run_alone(rows[i], stop, results[i]);
    } else if (rows.size() > 1) {  // too late together: each has its own time
      std::vector<SweepRow> one{std::move(rows[i])};
      there[i] = run_beside(one, stop, {results[i]}).front();
      rows[i] = std::move(one.front());
    } else {
      rows[i].status = SweepStatus::failed, there[i] = true;
      rows[i].reason = late_text();
    }
  }
  return there;
}

}  // namespace cuttle
