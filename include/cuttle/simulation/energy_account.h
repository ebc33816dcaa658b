#pragma once

#include <optional>

#include "cuttle/api.h"
#include "cuttle/simulation/recorder.h"

namespace CUTTLE_API cuttle {

/// The balance of energy of a run, sample by sample in order of time, the first at its start.
class EnergyAccount {
 public:
  /// Brings peaks, energy error and loop_energy of an outcome up to a sample.
  void add(const Sample& sample, Outcome& outcome);

 private:
  std::optional<double> start_;  // Sample::energy of the first
  /// How far each row of the loops was open when it first pushed. That does no work: rows that are taken up in a run
  /// stay as open as they are there.
  VectorXd loop_start_;
};

}  // namespace cuttle
