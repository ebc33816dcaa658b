#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "cuttle/io/result_file.h"
#include "io/sweeps/sweep_formats.h"

namespace cuttle {

/// Writes a run's result while other threads write theirs.
class LockedRecorder final : public Recorder {
 public:
  explicit LockedRecorder(const std::string& path) : inner_(make_hdf5_recorder(path, {})) {}
  void begin(const Model& model, const Scenario& scenario) override {
    const std::lock_guard lock(sweep_hdf5_mutex());
    inner_->begin(model, scenario);
  }
  void record(const Sample& sample) override {
    const std::lock_guard lock(sweep_hdf5_mutex());
    inner_->record(sample);
  }
  void tick(const IntegratorStatistics& statistics) override {
    const std::lock_guard lock(sweep_hdf5_mutex());
    inner_->tick(statistics);
  }
  void finish(const Outcome& outcome) override {
    const std::lock_guard lock(sweep_hdf5_mutex());
    inner_->finish(outcome);
  }

 private:
  std::unique_ptr<FileRecorder> inner_;
};

}  // namespace cuttle
