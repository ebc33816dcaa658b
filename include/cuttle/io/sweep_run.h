#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/io/sweep.h"

namespace CUTTLE_API cuttle {

/// Which whole results a sweep saves.
struct SweepSaving {
  enum class Which { none, all, failed, every };
  Which which = Which::none;
  std::int64_t every = 1;  ///< of every: runs whose number it divides
  std::string folder;      ///< gets NUMBER.h5; a failed run is made again for it
};
/// all | failed | every:K. @throws ArgumentError.
SweepSaving read_sweep_saving(const std::string& text, const std::string& folder);

/// Sweep::run, with results where the saving wants them. Rows of runs that were stopped are not there.
std::vector<SweepRow> run_saved(const Sweep& sweep, const std::vector<std::int64_t>& numbers, const SweepSaving& saving,
                                const std::atomic<bool>* stop);

struct SweepRunOptions {
  int threads = 0;                          ///< 0: one a core
  const std::atomic<bool>* stop = nullptr;  ///< where it becomes true, no run goes on
  SweepSaving saving{};
  /// Called by the calling thread with each row, in any order, and 20 times a second.
  std::function<void(SweepRow)> row = {};
  std::function<void()> heartbeat = {};
};

/// Makes runs of a sweep on threads. @throws FileError if a result cannot be saved; what the functions throw; then no
/// further run is begun.
void run_sweep(const Sweep& sweep, const std::vector<std::int64_t>& numbers, const SweepRunOptions& options);

/// Makes the kernels of this program those of an instruction set, before any of them has run.
/// @param name  baseline | avx2 | avx512.   @throws ArgumentError if the CPU does not have it, or others have run.
void choose_instruction_set(const std::string& name);

/// The runs of a shard: those whose number, divided by `count`, leaves `index`.
struct SweepShard {
  std::int64_t index = 0, count = 1;
};
/// `i/n`, i from 0. @throws ArgumentError.
SweepShard read_sweep_shard(const std::string& text);
/// That of a Slurm job array (SLURM_ARRAY_TASK_ID, _COUNT, _MIN, _STEP); all of the sweep where there is none.
/// @throws ArgumentError for numbers that make no sense.
SweepShard shard_of_job_array();
/// Where a shard is written: sweep.h5 becomes sweep_2_of_8.h5; all of a sweep stays.
std::string shard_path(const std::string& path, const SweepShard& shard);

}  // namespace cuttle
