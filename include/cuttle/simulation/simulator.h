#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/model.h"
#include "cuttle/simulation/recorder.h"
#include "cuttle/simulation/scenario.h"

namespace CUTTLE_API cuttle {

/// Shown to the user while a simulation runs.
struct Progress {
  double time = 0.0;          ///< reached [s]
  double duration = 0.0;      ///< [s]
  double wall_seconds = 0.0;  ///< since the start
};

struct RunOptions {
  std::function<void(const Progress&)> progress;  ///< about ten times a second
  const std::atomic<bool>* stop = nullptr;        ///< set from elsewhere (Ctrl-C): the run ends, `interrupted`
};

/// Times of the output: multiples of the step, and the end; at least 0 and the end. A list that takes no memory.
class OutputTimes {
 public:
  static constexpr double k_most = 1e9;  ///< rows of a result: some 100 GB of a small robot
  OutputTimes(double duration, double step);
  std::int64_t size() const { return size_; }
  double operator[](std::int64_t k) const { return k + 1 < size_ ? static_cast<double>(k) * step_ : duration_; }
  double back() const { return duration_; }
  /// The one within `tolerance` of a time, or nothing.
  std::optional<double> near(double time, double tolerance) const;

 private:
  double duration_, step_;
  std::int64_t size_;
};

class VelocityClosing;  // algorithms/velocity_closing.h of the library

/// Runs a scenario on a robot: initial state, inputs and loads over time, stops at their discontinuities, output times.
/// @code
/// MemoryRecorder memory;
/// const Outcome outcome = Simulator(model, scenario).run({&memory});
/// @endcode
class Simulator {
 public:
  /// Checks all of the scenario against the robot. The model must outlive the simulator. Closed loops are assembled:
  /// the initial state is the one that closes them nearest to what the scenario says, which stays if the rest can close
  /// them (close_loops, close_velocities).
  /// @throws ArgumentError: key, what was found, what was expected.
  Simulator(const Model& model, const Scenario& scenario);
  ~Simulator();

  const State& initial_state() const;
  /// How closing the loops has changed its velocities; null: not at all.
  const VelocityClosing* velocity_closing() const;
  const OutputTimes& output_times() const;

  /// Simulates from the initial state and gives every sample to every recorder. The run fails at the first sample that
  /// is not finite, or whose energy is far more than can have come in; no recorder gets that sample.
  /// @throws SimulationError with link, time and state if the run fails, or if the energy error of a `strict` scenario
  /// is above its limit: after all recorders have finished with status `failed`. ArgumentError if a recorder is null.
  Outcome run(const std::vector<Recorder*>& recorders, const RunOptions& options = {}) const;

 private:
  struct Plan;
  std::unique_ptr<const Plan> plan_;
};

}  // namespace cuttle
