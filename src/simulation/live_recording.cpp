#include "simulation/live_recording.h"

#include <utility>

#include "simulation/energy_watch.h"

namespace cuttle {

LiveRecording::LiveRecording(std::unique_ptr<Recorder> recorder, double step, const std::string& integrator)
    : recorder_(std::move(recorder)), step_(step), start_(std::chrono::steady_clock::now()) {
  outcome_.integrator = integrator;
}

void LiveRecording::begin(const Model& model, const Scenario& scenario) {
  scenario_ = scenario;
  recorder_->begin(model, scenario);
}

void LiveRecording::row(const Sample& sample) {
  if (rows_ == 0) first_ = sample, begin_ = sample.time;
  row_ = sample;
  row_.time = rows_ == 0 ? 0.0 : static_cast<double>(rows_) * step_;
  row_.dissipated -= first_.dissipated, row_.input -= first_.input, row_.load -= first_.load;
  account_.add(row_, outcome_);
  recorder_->record(row_);
  ++rows_;
}

void LiveRecording::energies(const EnergyBalance& energies) {
  EnergyBalance since = energies;
  since.dissipated -= first_.dissipated, since.input -= first_.input, since.load -= first_.load;
  outcome_.exchange.add(since);
}

void LiveRecording::finish(RunStatus status, const std::string& message, const IntegratorStatistics& statistics,
                           const std::vector<std::string>& redundant_rows) {
  outcome_.status = status, outcome_.message = message;
  outcome_.redundant_rows = redundant_rows;
  outcome_.time = row_.time, outcome_.last = row_;
  outcome_.statistics = statistics;
  outcome_.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  judge_energy(scenario_, outcome_);
  recorder_->finish(outcome_);
}

}  // namespace cuttle
