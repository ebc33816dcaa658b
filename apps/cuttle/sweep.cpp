#include "cuttle/io/sweep.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "commands.h"
#include "cuttle/error.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/sweep_file.h"
#include "cuttle/io/sweep_run.h"
#include "json_output.h"
#include "progress_line.h"
#include "stop_on_signal.h"
#include "sweep_options.h"

namespace cuttle {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// What came of a sweep, or of a part of it.
struct Tally {
  std::int64_t wanted = 0, before = 0;  ///< runs of the shard; of them there already
  std::int64_t done = 0, failed = 0;    ///< now
  double seconds = 0.0;
  std::vector<std::pair<std::int64_t, std::string>> reasons;  ///< the first ones
  bool stopped = false;
};

std::string runs_text(std::int64_t count) { return fmt::format("{} run{}", count, count == 1 ? "" : "s"); }

/// Runs of a shard that the table does not have.
std::vector<std::int64_t> missing_runs(const SweepHead& head, const SweepShard& shard, const SweepTable& there) {
  std::unordered_set<std::int64_t> known;
  for (const SweepRow& row : there.rows) known.insert(row.number);
  std::vector<std::int64_t> numbers;
  for (std::int64_t number = shard.index; number < head.count; number += shard.count) {
    if (!known.contains(number)) numbers.push_back(number);
  }
  return numbers;
}

/// The rows of an earlier sweep of the same, for --resume.
SweepTable earlier_rows(const Sweep& sweep, const std::string& output) {
  SweepTable own;
  own.head = sweep.head();
  if (!std::filesystem::exists(output)) return own;
  SweepTable earlier = read_sweep_file(output);
  own.rows = {sweep.unanswered(0, SweepStatus::failed, "")};  // says by which version and instruction set we run
  merged_sweeps({own, earlier}, {"this sweep", output});
  return earlier;
}

void print_plan(const SweepHead& head, const std::vector<double>& first) {
  for (std::size_t i = 0; i < head.parameters.size(); ++i) {
    const SweepColumn& column = head.parameters[i];
    fmt::print("  varied: {}{}, {:g} in the first run\n", column.name,
               column.unit.empty() ? "" : " [" + column.unit + "]", first[i]);
  }
  for (const SweepColumn& column : head.outputs) {
    fmt::print("  kept: {}{}\n", column.name, column.unit.empty() ? "" : " [" + column.unit + "]");
  }
}

Json columns_as_json(const std::vector<SweepColumn>& columns) {
  Json list = Json::array();
  for (const SweepColumn& column : columns) list.push_back({{"name", column.name}, {"unit", column.unit}});
  return list;
}

/// What all rows have in common, for programs.
Json head_as_json(const Sweep& sweep) {
  const SweepHead& head = sweep.head();
  const SweepRow row = sweep.unanswered(0, SweepStatus::failed, "");
  Json result;
  result["plan"] = head.plan, result["runs"] = head.count, result["hash"] = head.hash;
  result["version"] = row.version, result["instruction_set"] = row.instruction_set;
  result["parameters"] = columns_as_json(head.parameters), result["outputs"] = columns_as_json(head.outputs);
  result["files"] = sweep.files(), result["arguments"] = head.arguments;
  result["run_as"] = row.run_as, result["lanes"] = sweep.lanes();
  return result;
}

Json row_as_json(const SweepRow& row) {
  Json result;
  result["row"] = row.number, result["parameters"] = row.parameters, result["outputs"] = row.outputs;
  result["status"] = sweep_status_name(row.status), result["reason"] = row.reason, result["seconds"] = row.seconds;
  result["run_as"] = row.run_as;
  return result;
}

/// Numbers of runs in a line of standard input.
std::vector<std::int64_t> run_numbers(const std::string& line, std::size_t begin) {
  std::vector<std::int64_t> numbers;
  const char* at = line.c_str() + begin;
  while (*at != '\0' || numbers.empty()) {
    char* end = nullptr;
    numbers.push_back(std::strtoll(at, &end, 10));
    if (end == at || (*end != '\0' && *end != ' ')) {
      throw ArgumentError(fmt::format("--lines: found '{}', expected the numbers of runs", printable(line)));
    }
    at = end;
  }
  return numbers;
}

/// Makes the runs whose numbers come from standard input, those of a line together, until that ends or whoever started
/// us does.
void answer_lines(const Sweep& sweep, const SweepOptions& options) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  SweepSaving saving;
  if (options.save) saving = read_sweep_saving(*options.save, options.output);
  const StopOnSignal signals;
  print_json_line(head_as_json(sweep));
  std::fflush(stdout);
  std::string line;
  while (!StopOnSignal::stop && std::getline(std::cin, line)) {
    const bool asks = line.starts_with('?');  // what varies, of a run that is not made
    const std::vector<std::int64_t> numbers = run_numbers(line, asks ? 1 : 0);
    std::vector<SweepRow> rows;
    if (asks) {
      for (const std::int64_t number : numbers) rows.push_back(sweep.unanswered(number, SweepStatus::killed, ""));
    } else {
      rows = run_saved(sweep, numbers, saving, &StopOnSignal::stop);
    }
    for (const SweepRow& row : rows) print_json_line(row_as_json(row));
    if (rows.size() < numbers.size()) break;
    std::fflush(stdout);
  }
}

/// Says how many runs, how long and how large, by making some of them.
void try_out(const Sweep& sweep, const std::vector<std::int64_t>& numbers, int jobs) {
  constexpr double k_patience = 2.0;  // [s]
  const SweepHead& head = sweep.head();
  fmt::print("{} of {} to make\n", runs_text(static_cast<std::int64_t>(numbers.size())), head.count);
  print_plan(head, sweep.values(numbers.empty() ? 0 : numbers.front()));
  if (sweep.lanes() > 1) {
    fmt::print("  run in lanes, {} side by side\n", sweep.lanes());
  } else if (!sweep.why_no_lanes().empty()) {
    fmt::print("  run as `cuttle simulate` does, one by one: {}\n", sweep.why_no_lanes());
  }
  const StopOnSignal signals;
  const auto start = Clock::now();
  std::size_t tried = 0, failed = 0;
  const auto most = std::min<std::size_t>(numbers.size(), 10), beside = static_cast<std::size_t>(sweep.lanes());
  while (tried < most && seconds_since(start) < k_patience) {
    std::vector<std::int64_t> some;  // evenly over the sweep: runs differ in length
    for (std::size_t k = tried; k < std::min(most, tried + beside); ++k) {
      some.push_back(numbers[k * numbers.size() / most]);
    }
    const std::vector<SweepRow> rows = sweep.run(some, &StopOnSignal::stop);
    for (const SweepRow& row : rows) failed += row.status == SweepStatus::complete ? 0 : 1;
    tried += rows.size();
    if (rows.size() < some.size()) break;
  }
  if (tried == 0) return;
  const double each = seconds_since(start) / static_cast<double>(tried);
  const int threads = jobs > 0 ? jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  constexpr double k_row_bytes = 60;  // in HDF5: number, status, time, words
  const double bytes = static_cast<double>(numbers.size()) *
                       (k_row_bytes + 8.0 * static_cast<double>(head.parameters.size() + head.outputs.size()));
  fmt::print("  {} tried: {} each, {} failed; about {} on {} thread{}, {:.3g} MB in HDF5\n",
             runs_text(static_cast<std::int64_t>(tried)), time_text(each), failed,
             time_text(each * static_cast<double>(numbers.size()) / threads), threads, threads == 1 ? "" : "s",
             1e-6 * bytes);
}

Tally make_runs(const Sweep& sweep, const std::vector<std::int64_t>& numbers, SweepWriter& writer,
                const SweepOptions& options, const std::string& output) {
  Tally tally;
  const auto total = static_cast<double>(numbers.size());
  const auto start = Clock::now();
  const StopOnSignal signals;
  ProgressLine line;
  auto shown = Clock::time_point();
  SweepRunOptions how;
  how.threads = options.jobs, how.stop = &StopOnSignal::stop;
  if (options.save) {
    const std::filesystem::path file = output;
    how.saving = read_sweep_saving(*options.save, (file.parent_path() / (file.stem().string() + "_runs")).string());
  }
  how.row = [&](SweepRow row) {
    constexpr std::size_t k_most = 5;
    ++tally.done;
    if (row.status != SweepStatus::complete) {
      ++tally.failed;
      if (tally.reasons.size() < k_most) tally.reasons.emplace_back(row.number, row.reason);
    }
    writer.add(std::move(row));
  };
  how.heartbeat = [&] {
    writer.tick();
    if (Clock::now() - shown < std::chrono::milliseconds(100)) return;
    shown = Clock::now();
    const double wall = std::max(seconds_since(start), 1e-9);
    const auto done = static_cast<double>(tally.done);
    line.show(done / total,
              fmt::format("{} of {} runs  {} runs/s  {} failed", tally.done, numbers.size(), short_number(done / wall),
                          tally.failed),
              wall);
  };
  run_sweep(sweep, numbers, how);
  writer.finish();
  tally.seconds = seconds_since(start), tally.stopped = StopOnSignal::stop;
  return tally;
}

void print_as_json(const SweepHead& head, const Tally& tally, const std::string& output) {
  Json result;
  result["runs"] = head.count, result["part"] = tally.wanted, result["before"] = tally.before;
  result["done"] = tally.done, result["failed"] = tally.failed, result["seconds"] = tally.seconds;
  result["hash"] = head.hash, result["plan"] = head.plan;
  result["written"] = tally.done + tally.before > 0 ? Json(output) : Json();
  print_json(result);
}

void print_summary(const Tally& tally, const std::string& output) {
  fmt::print("{} in {}, {} runs/s{}{}\n", runs_text(tally.done), time_text(tally.seconds),
             short_number(static_cast<double>(tally.done) / std::max(tally.seconds, 1e-9)),
             tally.failed > 0 ? fmt::format("; {} failed", tally.failed) : "",
             tally.before > 0 ? fmt::format("; {} were there", tally.before) : "");
  if (tally.done + tally.before > 0) fmt::print("  written: {}\n", output);
}

void sweep(const SweepOptions& options) {
  const SweepShard shard = options.shard ? read_sweep_shard(*options.shard) : shard_of_job_array();
  const std::string output = shard_path(options.output, shard);
  const Sweep all(options.settings);
  print_warnings(all.warnings());
  if (options.save && options.settings.what != SweepSettings::What::simulate) {
    throw ArgumentError("--save: found it for equilibria, expected it for simulations alone");
  }
  if (options.save) read_sweep_saving(*options.save, "");
  if (options.lines) return answer_lines(all, options);
  SweepTable before;
  before.head = all.head();
  if (options.resume) before = earlier_rows(all, output);
  Tally tally;
  tally.before = static_cast<std::int64_t>(before.rows.size());
  const std::vector<std::int64_t> numbers = missing_runs(all.head(), shard, before);
  if (options.dry_run && options.json) return print_json(head_as_json(all));
  if (options.dry_run) return try_out(all, numbers, options.jobs);
  SweepWriter writer(output, std::move(before));
  const std::int64_t there = tally.before;
  tally = make_runs(all, numbers, writer, options, output);
  tally.before = there, tally.wanted = there + static_cast<std::int64_t>(numbers.size());
  if (options.json) {
    print_as_json(all.head(), tally, output);
  } else {
    print_summary(tally, output);
  }
  std::fflush(stdout);
  for (const auto& [number, reason] : tally.reasons) fmt::print(stderr, "run {}: {}\n", number, printable(reason));
  if (const auto more = tally.failed - static_cast<std::int64_t>(tally.reasons.size()); more > 0) {
    fmt::print(stderr, ".. and {} more failed: the column `reason` says why\n", more);
  }
  if (tally.stopped) {
    fmt::print(stderr, "interrupted: {} of {} not made; --resume goes on\n", tally.wanted - tally.before - tally.done,
               runs_text(tally.wanted));
    throw CLI::RuntimeError(128 + StopOnSignal::signal_number);
  }
  if (tally.done > 0 && tally.failed == tally.done) throw CLI::RuntimeError(k_exit_failure);
}

void merge(const SweepOptions& options) {
  std::vector<SweepTable> parts;
  for (const std::string& file : options.merge) {
    parts.push_back(read_sweep_file(file));
    note_read(file, "a part of a sweep");
  }
  SweepTable merged = merged_sweeps(parts, options.merge);
  const auto rows = static_cast<std::int64_t>(merged.rows.size()), count = merged.head.count;
  const auto failed = std::count_if(merged.rows.begin(), merged.rows.end(),
                                    [](const SweepRow& row) { return row.status != SweepStatus::complete; });
  SweepWriter writer(options.output, std::move(merged));
  writer.finish();
  fmt::print("{} of {}{}\n", rows, runs_text(count), failed > 0 ? fmt::format("; {} failed", failed) : "");
  if (rows > 0) fmt::print("  written: {}\n", options.output);
  std::fflush(stdout);
  if (rows < count)
    fmt::print(stderr, "warning: found no row of {}; --resume of --shard makes them\n", runs_text(count - rows));
}

}  // namespace

void add_sweep_command(CLI::App& app) {
  auto* command =
      app.add_subcommand("sweep", "Make many runs of a scenario whose numbers vary, and keep a row of each");
  const auto options = std::make_shared<SweepOptions>();
  add_sweep_options(*command, *options);
  command->footer(
      "A run that fails is a row with its reason. The file is whole whenever the command ends, Ctrl-C and kill "
      "included;\n"
      "--resume goes on. Rows are the same, bit for bit, for any --jobs and --shard on one instruction set. "
      "docs/sweeps.md\n"
      "Exit codes: 0 done, 1 all runs failed, 2 wrong files or arguments, 128 + N interrupted by signal N.\n"
      "Examples:\n"
      "  cuttle sweep models/examples/pendulum_scenario.yaml --set robot.gravity[2]=-9.81,-1.62 --keep "
      "max:energy.kinetic "
      "-o out/planets.csv\n"
      "  cuttle sweep models/examples/tendon_arm_scenario.yaml --set "
      "'robot.materials.silicone.young_modulus=normal(2e5,1e4)' --sample sobol --runs 256 -o out/soft.h5\n"
      "  cuttle sweep models/examples/tendon_arm.yaml --statics --set right=0:4:41 -o out/reach.csv\n"
      "  cuttle sweep --merge out/soft_0_of_2.h5 out/soft_1_of_2.h5 -o out/soft.h5");
  command->callback([options] {
    const bool writes = !options->dry_run && !options->lines;
    if (options->output.empty() && writes) throw CLI::RequiredError("--output");
    if (!options->output.empty() && !options->lines)
      check_output_extension("--output", options->output, {".h5", ".hdf5", ".csv"});
    if (!options->isa.empty()) choose_instruction_set(options->isa);
    if (!options->merge.empty()) return merge(*options);
    if (options->settings.file.empty()) throw CLI::RequiredError("file");
    if (options->statics) options->settings.what = SweepSettings::What::statics;
    if (options->modes) options->settings.what = SweepSettings::What::modes;
    sweep(*options);
  });
}

}  // namespace cuttle
