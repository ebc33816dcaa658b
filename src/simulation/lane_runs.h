#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/model/model.h"
#include "cuttle/simulation/recorder.h"
#include "cuttle/simulation/scenario.h"

namespace cuttle {

/// A run that lies beside others in the lanes of the CPU's vector registers.
struct LaneRun {
  const Model* model = nullptr;
  const Scenario* scenario = nullptr;
  Recorder* recorder = nullptr;  ///< gets the samples; of a run that is not complete some of them, and never its end
  Recorder* whole = nullptr;     ///< gets a complete run, with its end, and nothing of others; null: nobody wants it
};

/// What became of it.
enum class LaneEnd {
  complete,
  stopped,    ///< or the deadline has come
  undecided,  ///< something is wrong: a Simulator says what
};

/// Why runs of a scenario cannot be made in lanes; empty: they can. Robots of which a Batch has no lanes, methods but
/// explicit ones of fixed steps, and what a Simulator alone does.
std::string why_not_in_lanes(const Model& model, const Scenario& scenario);
/// How many runs lie side by side.
int lane_count();

/// Makes runs of scenarios that can be made in lanes, on this thread. Each is the same, bit for bit, whatever lies
/// beside it, also nothing: it agrees with that of a Simulator to rounding, its account of work included.
/// @param stop, deadline  where one says so, steps end.
/// @throws what the recorders of whole runs throw.
std::vector<LaneEnd> run_in_lanes(const std::vector<LaneRun>& runs, const std::atomic<bool>& stop,
                                  std::optional<std::chrono::steady_clock::time_point> deadline = {});

}  // namespace cuttle
