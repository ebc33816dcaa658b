#pragma once

#include <cstdint>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/simulation/energy_account.h"
#include "cuttle/simulation/recorder.h"

namespace CUTTLE_API cuttle {

/// Keeps of a run what a figure of it shows, in memory that does not grow with the run: at most some thousand samples
/// at equal spacing, with the first and the last, each with time, configuration, energies and the pose of the last
/// link's tip alone; and the energy balance of all samples.
/// @code
/// FigureRecorder figure;
/// Simulator(model, scenario).run({&figure});
/// write_svg_plot("run.svg", model.robot(), figure.samples(), {.balance = &figure.balance()});
/// @endcode
class FigureRecorder final : public Recorder {
 public:
  static constexpr std::size_t k_most = 4096;  ///< samples; fewer of a robot with many coordinates

  void begin(const Model& model, const Scenario& scenario) override;
  void record(const Sample& sample) override;
  void finish(const Outcome&) override {}

  /// In order of time.
  std::vector<Sample> samples() const;
  /// Peaks and energy error of all samples; nothing else of an outcome is filled.
  const Outcome& balance() const { return balance_; }

 private:
  std::size_t most_ = k_most;
  std::int64_t count_ = 0, stride_ = 1;  // of samples that came, and from one that is kept to the next
  std::vector<Sample> kept_;
  Sample last_;
  EnergyAccount account_;
  Outcome balance_;
};

}  // namespace cuttle
