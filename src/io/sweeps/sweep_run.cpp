#include "cuttle/io/sweep_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "cuttle/error.h"
#include "simulation/worker_threads.h"
#include "spatial/instruction_set.h"

namespace cuttle {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

/// A number that Slurm says; the default where it says none.
std::int64_t slurm_number(const char* name, std::int64_t usual) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return usual;
  if (const auto number = whole_number(text)) return *number;
  throw ArgumentError(
      fmt::format("{}: found '{}', expected an integer; --shard i/n says which part to run", name, text));
}

class Runs {
 public:
  Runs(const Sweep& sweep, const std::vector<std::int64_t>& numbers, const SweepRunOptions& options)
      : sweep_(sweep), numbers_(numbers), options_(options) {}

  void make() {
    WorkerThreads threads("sweep", options_.threads);
    ended_ = &threads.stop();
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t workers = options_.threads > 0 ? static_cast<std::size_t>(options_.threads) : cores;
    // each takes the next run, or runs that lie side by side, when it is done with one: runs differ in length
    share_ = std::clamp<std::size_t>((numbers_.size() + workers - 1) / workers, 1, sweep_.lanes());
    threads.for_each(
        std::min(workers, numbers_.size()), [this](std::size_t) { work(); }, [this] { hand_over(); });
    hand_over();
  }

 private:
  bool stopped() const { return *ended_ || broken_ || (options_.stop != nullptr && *options_.stop); }

  void work() {
    while (!stopped()) {
      const std::size_t place = next_.fetch_add(share_);
      if (place >= numbers_.size()) return;
      const auto begin = numbers_.begin() + static_cast<std::ptrdiff_t>(place);
      const auto count = static_cast<std::ptrdiff_t>(std::min(share_, numbers_.size() - place));
      std::vector<SweepRow> rows;
      try {
        rows = run_saved(sweep_, {begin, begin + count}, options_.saving, options_.stop);
      } catch (...) {
        broken_ = true;
        throw;
      }
      const std::lock_guard lock(mutex_);
      std::move(rows.begin(), rows.end(), std::back_inserter(done_));
    }
  }

  void hand_over() {
    std::vector<SweepRow> rows;
    {
      const std::lock_guard lock(mutex_);
      rows.swap(done_);
    }
    for (SweepRow& row : rows) {
      if (options_.row) options_.row(std::move(row));
    }
    if (options_.heartbeat) options_.heartbeat();
  }

  const Sweep& sweep_;
  const std::vector<std::int64_t>& numbers_;
  const SweepRunOptions& options_;
  const std::atomic<bool>* ended_ = nullptr;
  std::atomic<std::size_t> next_ = 0;
  std::size_t share_ = 1;             ///< runs that a thread takes at once
  std::atomic<bool> broken_ = false;  ///< what a run could not save ends all
  std::mutex mutex_;
  std::vector<SweepRow> done_;
};

}  // namespace

SweepSaving read_sweep_saving(const std::string& text, const std::string& folder) {
  SweepSaving saving;
  saving.folder = folder;
  if (text == "all" || text == "failed") {
    saving.which = text == "all" ? SweepSaving::Which::all : SweepSaving::Which::failed;
    return saving;
  }
  const auto every = text.starts_with("every:") ? whole_number(std::string_view(text).substr(6)) : std::nullopt;
  if (!every || *every < 1) {
    throw ArgumentError(fmt::format("--save: found '{}', expected all, failed or every:K with an integer K > 0", text));
  }
  saving.which = SweepSaving::Which::every, saving.every = *every;
  return saving;
}

std::vector<SweepRow> run_saved(const Sweep& sweep, const std::vector<std::int64_t>& numbers, const SweepSaving& saving,
                                const std::atomic<bool>* stop) {
  if (saving.which == SweepSaving::Which::none) return sweep.run(numbers, stop);
  const auto file_of = [&saving](std::int64_t number) {
    return (std::filesystem::path(saving.folder) / fmt::format("{}.h5", number)).string();
  };
  std::vector<std::string> files;
  for (const std::int64_t number : numbers) {
    const bool now = saving.which == SweepSaving::Which::all ||
                     (saving.which == SweepSaving::Which::every && number % saving.every == 0);
    files.push_back(now ? file_of(number) : "");
  }
  std::vector<SweepRow> rows = sweep.run(numbers, stop, files);
  if (saving.which != SweepSaving::Which::failed) return rows;
  for (const SweepRow& row : rows) {
    if (row.status != SweepStatus::complete) sweep.run(row.number, stop, file_of(row.number));
  }
  return rows;
}

void run_sweep(const Sweep& sweep, const std::vector<std::int64_t>& numbers, const SweepRunOptions& options) {
  if (!numbers.empty()) Runs(sweep, numbers, options).make();
}

void choose_instruction_set(const std::string& name) {
  setenv("CUTTLE_ISA", name.c_str(), 1);
  const std::string found = instruction_set_name();
  if (found != name) {
    throw ArgumentError(
        fmt::format("--isa: found '{}' where the kernels are those of {}, expected an instruction set that "
                    "this CPU has, baseline, avx2 or avx512",
                    name, found));
  }
}

SweepShard read_sweep_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto index = whole_number(std::string_view(text).substr(0, slash));
  const auto count = slash == text.npos ? std::nullopt : whole_number(std::string_view(text).substr(slash + 1));
  if (!index || !count || *index < 0 || *index >= *count) {
    throw ArgumentError(fmt::format("--shard: found '{}', expected i/n with 0 <= i < n", text));
  }
  return {*index, *count};
}

SweepShard shard_of_job_array() {
  if (std::getenv("SLURM_ARRAY_TASK_ID") == nullptr) return {};
  const std::int64_t id = slurm_number("SLURM_ARRAY_TASK_ID", 0), count = slurm_number("SLURM_ARRAY_TASK_COUNT", 1),
                     least = slurm_number("SLURM_ARRAY_TASK_MIN", 0), step = slurm_number("SLURM_ARRAY_TASK_STEP", 1);
  const std::int64_t index = step > 0 ? (id - least) / step : -1;
  if (index < 0 || index >= count || (id - least) % step != 0) {
    throw ArgumentError(
        fmt::format("SLURM_ARRAY_TASK_ID: found {} of {} tasks from {} in steps of {}, expected an array whose tasks "
                    "have one distance; --shard i/n says which part to run",
                    id, count, least, step));
  }
  return {index, count};
}

std::string shard_path(const std::string& path, const SweepShard& shard) {
  if (shard.count == 1) return path;
  std::filesystem::path file = path;
  const std::string name =
      fmt::format("{}_{}_of_{}{}", file.stem().string(), shard.index, shard.count, file.extension().string());
  return file.replace_filename(name).string();
}

}  // namespace cuttle
