#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

#include "cuttle/error.h"
#include "cuttle/io/plain_text.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/robot_writer.h"
#include "cuttle/io/run_texts.h"
#include "io/results/output_file.h"
#include "io/results/result_layout.h"

namespace cuttle {
namespace {

/// Writes rows into a layout that never changes. If a run has more rows than there is room for, or if much room is left
/// at its end, a file with another layout takes the place of the first.
class Hdf5Recorder final : public FileRecorder {
 public:
  /// @param sequence  what the rows are, if they are no instants.
  Hdf5Recorder(const std::string& path, ResultSource source, const ResultSequence* sequence = nullptr)
      : path_(path), output_(std::make_unique<OutputFile>(path)) {
    head_.source = std::move(source), head_.sequence = sequence;
  }

  void begin(const Model& model, const Scenario& scenario) override {
    output_->prepare();
    if (output_->descriptor() < 0) {
      throw FileError(path_ + ": cannot create the file: found a pipe or a device, expected a file or nothing");
    }
    describe_run(head_.source, model.robot(), {}, scenario);
    head_.environment = run_environment(model, scenario);
    head_.outcome.message = "the simulation runs, or was killed";
    for (const CoordinateInfo& row : model.constraint_info()) head_.loop_rows.push_back(row.name);
    blocks_ = result_blocks(model, recorded_controllers(model, scenario.controllers),
                            recorded_motion(model, scenario.motion));
    if (head_.sequence != nullptr) {
      head_.environment.integrator.clear();
      blocks_.front().columns.front().unit = "1";  // the number of the row
      std::vector<ResultBlock> more = sequence_blocks(*head_.sequence);
      std::move(more.begin(), more.end(), std::back_inserter(blocks_));
    }
    for (const ResultBlock& block : blocks_) row_bytes_ += 8.0 * static_cast<double>(block.width());
    most_pending_ = static_cast<hsize_t>(std::clamp(k_pending_bytes / row_bytes_, 1.0, k_most_pending));
    expected_rows_ = std::max(2.0, std::ceil(scenario.duration / scenario.output_step) + 1);
    pending_.resize(blocks_.size());
    const double first_bytes = std::min(k_first_bytes, 0.5 * largest_file());
    make_layout(static_cast<hsize_t>(std::clamp(first_bytes / row_bytes_, 2.0, expected_rows_)));
    layout_->create(output_->descriptor());
    start_ = Clock::now();
  }

  void record(const Sample& sample) override {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const std::size_t size = pending_[i].size();
      pending_[i].resize(size + blocks_[i].width());
      blocks_[i].read(sample, pending_[i].data() + size);
    }
    if (++pending_rows_ >= most_pending_) flush_rows();
  }

  void tick(const IntegratorStatistics& statistics) override {
    head_.outcome.statistics = statistics;
    if (!kept() || Clock::now() - flushed_ >= std::chrono::milliseconds(500)) flush_rows();
  }

  void finish(const Outcome& outcome) override {
    std::string trouble;
    complete_ = outcome.status == RunStatus::complete;
    try {
      if (!broken_) flush_rows();
    } catch (const FileError& error) {
      trouble = error.what();
    }
    if (kept()) {
      head_.outcome = outcome;
      head_.outcome.wall_seconds = wall_seconds();
      if (!trouble.empty()) head_.outcome.status = RunStatus::failed, head_.outcome.message = trouble;
      end();
    }
    output_->close();
    if (!trouble.empty()) throw FileError(trouble);
  }

  bool kept() const override { return output_->kept(); }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double k_most_pending = 256;        // rows in memory
  static constexpr double k_pending_bytes = 1U << 22;  // of them
  /// Room is made for all rows of a run, and costs nothing where no row is written yet; but none that would show as a
  /// huge file after a kill.
  static constexpr double k_first_bytes = 1U << 28;
  static constexpr double k_spare_bytes = 1U << 20;  // more room than this, and than the rows take, is given back
  static constexpr hsize_t k_copied_rows = 64;

  double wall_seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  void make_layout(hsize_t rows) { layout_ = std::make_unique<ResultLayout>(path_, blocks_, rows, head_); }

  /// Writes the pending rows, then what makes them visible, those of `time` last.
  void flush_rows() {
    if (!kept() && rows_ + pending_rows_ < least_rows(*output_, complete_)) return;
    broken_ = true;  // unless all goes well
    make_room(rows_ + pending_rows_);
    const int file = output_->descriptor();
    if (pending_rows_ > 0) {
      for (std::size_t i = 0; i < blocks_.size(); ++i) {
        layout_->write_rows(file, i, rows_, pending_rows_, pending_[i].data());
        pending_[i].clear();
      }
      rows_ += std::exchange(pending_rows_, 0);
      layout_->show(file, rows_);
    }
    layout_->write_statistics(file, head_.outcome.statistics, wall_seconds());
    keep();
    flushed_ = Clock::now();
    broken_ = false;
  }

  /// Puts the file into place once all that it has is on the disk.
  void keep() {
    if (kept()) return;
    if (fdatasync(output_->descriptor()) != 0) throw FileError(path_ + ": cannot be written: " + std::strerror(errno));
    output_->keep();
  }

  void make_room(hsize_t rows) {
    if (rows <= layout_->capacity()) return;
    auto twice = static_cast<double>(2 * layout_->capacity());
    if (expected_rows_ >= static_cast<double>(rows)) twice = std::min(twice, expected_rows_);
    move_to_layout_for(std::max(static_cast<hsize_t>(twice), rows));
  }

  /// Writes a new file with all rows so far. If that fails, the old one stays as it is.
  void move_to_layout_for(hsize_t capacity) {
    auto layout = std::make_unique<ResultLayout>(path_, blocks_, capacity, head_);
    const bool begun = kept();  // else there is no row yet, and the name of a new file is taken by this run itself
    std::unique_ptr<OutputFile> next = begun ? output_->successor() : nullptr;
    const int from = output_->descriptor(), to = begun ? next->descriptor() : from;
    if (!begun && ftruncate(to, 0) != 0) throw FileError(path_ + ": cannot be written: " + std::strerror(errno));
    layout->create(to);
    std::vector<double> rows;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      rows.resize(k_copied_rows * blocks_[i].width());
      for (hsize_t first = 0; first < rows_; first += k_copied_rows) {
        const hsize_t count = std::min(k_copied_rows, rows_ - first);
        layout_->read_rows(from, i, first, count, rows.data());
        layout->write_rows(to, i, first, count, rows.data());
      }
    }
    layout->show(to, rows_);
    if (begun) next->keep(), output_ = std::move(next);
    layout_ = std::move(layout);
  }

  /// Says how the run ended: in the file as it is, or in another one that has no more room than rows.
  void end() {
    const double spare = static_cast<double>(layout_->capacity() - rows_) * row_bytes_;
    const bool much = spare > k_spare_bytes && layout_->capacity() > 2 * rows_;
    if (much || !layout_->can_say(head_.outcome)) {
      try {
        return move_to_layout_for(rows_);
      } catch (const FileError&) {  // as on a full disk: the file is good as it is
      }
    }
    layout_->write_statistics(output_->descriptor(), head_.outcome.statistics, head_.outcome.wall_seconds);
    layout_->write_end(output_->descriptor(), head_.outcome);
  }

  std::string path_;
  std::unique_ptr<OutputFile> output_;
  ResultHead head_;
  std::vector<ResultBlock> blocks_;
  std::unique_ptr<ResultLayout> layout_;
  std::vector<std::vector<double>> pending_;  ///< rows that are not yet in the file, by block
  double row_bytes_ = 0.0, expected_rows_ = 0.0;
  hsize_t rows_ = 0, pending_rows_ = 0, most_pending_ = 1;
  bool broken_ = false;    ///< a write failed
  bool complete_ = false;  ///< the run is
  Clock::time_point start_, flushed_;
};

}  // namespace

ResultSource result_source(const ScenarioFile& file) {
  return {file.robot_yaml, file.scenario_yaml, file.overrides, file.robot_files, file.files};
}

void write_sequence_hdf5(const std::string& path, const ResultSource& source, const Model& model,
                         const ResultSequence& sequence, std::vector<Sample> samples, const Outcome& outcome) {
  check_sequence(sequence, samples.size());
  Scenario scenario;  // nothing of it is read: it says how many rows to expect
  scenario.duration = std::max(1.0, static_cast<double>(samples.size()) - 1.0), scenario.output_step = 1.0;
  Hdf5Recorder recorder(path, source, &sequence);
  recorder.begin(model, scenario);
  try {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      samples[i].time = static_cast<double>(i);
      recorder.record(samples[i]);
    }
  } catch (...) {
    Outcome failed;
    failed.status = RunStatus::failed, failed.message = "it could not be written";
    recorder.finish(failed);
    throw;
  }
  recorder.finish(outcome);
}

void describe_run(ResultSource& source, const Robot& robot, const std::vector<LinkVisual>& visuals,
                  const Scenario& scenario) {
  const auto try_to_write = [](std::string& text, const auto& write) {
    if (!text.empty()) return;
    try {
      write();
    } catch (const Error& error) {
      text = fmt::format("{}{}\n", k_not_written, printable(error.what()));
    }
  };
  try_to_write(source.robot_yaml, [&] {
    WrittenRobot written = write_robot(robot, visuals);
    source.robot_yaml = std::move(written.yaml), source.robot_files = std::move(written.files);
  });
  try_to_write(source.scenario_yaml,
               [&] { source.scenario_yaml = scenario_text(scenario, "robot.yaml", {}, {}, &source.scenario_files); });
}

std::unique_ptr<FileRecorder> make_hdf5_recorder(const std::string& path, const ResultSource& source) {
  return std::make_unique<Hdf5Recorder>(path, source);
}

}  // namespace cuttle
