#pragma once

#include <optional>

#include "cuttle/algorithms/constraints.h"
#include "cuttle/simulation/recorded_contacts.h"
#include "cuttle/simulation/recorder.h"
#include "cuttle/simulation/robot_system.h"

namespace cuttle {

/// Tips and markers of a sample, of a forward_kinematics.
void sample_frames(const Model& model, const KinematicsT<double>& kinematics, Sample& sample);

/// Makes the rows of results: everything that a Sample says of a state.
class Sampler {
 public:
  /// The model must outlive it.
  explicit Sampler(const Model& model);
  /// @param system  of the same model: knows inputs and actuators.   @return valid until the next call.
  const Sample& take(const State& state, RobotSystem& system);
  /// Outcome::energy_terms of the state that was taken last.
  double energy_terms(const State& state, RobotSystem& system);
  /// ContactReader::too_soft of what was taken.
  std::vector<std::string> too_soft() const { return contacts_ ? contacts_->too_soft() : std::vector<std::string>(); }

 private:
  const Model& model_;
  Data data_;
  std::optional<ConstraintData> constraints_;
  std::optional<ContactReader> contacts_;
  Sample sample_;
};

}  // namespace cuttle
