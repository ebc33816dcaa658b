#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/simulation/energy_account.h"
#include "cuttle/simulation/recorder.h"

namespace cuttle {

/// A recording of a part of a live simulation, as a run that begins with its first row: times and works count from
/// there.
class LiveRecording {
 public:
  LiveRecording(std::unique_ptr<Recorder> recorder, double step, const std::string& integrator);
  void begin(const Model& model, const Scenario& scenario);

  /// Time of the simulation at which the next row is due.
  double next_row() const { return begin_ + static_cast<double>(rows_) * step_; }
  void row(const Sample& sample);
  /// Of a state between two rows.
  void energies(const EnergyBalance& energies);
  /// Outcome::energy_terms.
  void energy_terms(double terms) { outcome_.energy_terms = terms; }
  long rows() const { return rows_; }
  void tick(const IntegratorStatistics& statistics) { recorder_->tick(statistics); }
  void finish(RunStatus status, const std::string& message, const IntegratorStatistics& statistics,
              const std::vector<std::string>& redundant_rows);

 private:
  std::unique_ptr<Recorder> recorder_;
  double step_;
  long rows_ = 0;
  double begin_ = 0.0;
  Scenario scenario_;
  Sample first_, row_;
  Outcome outcome_;
  EnergyAccount account_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace cuttle
